//! The end of the page: which calls were accepted, which were not, and why.

use crate::feedback::Feedback;
use crate::output::{Output, aligned, count, cut_around, style, visible, wrapped};
use crate::problems::Problem;
use tagstream::{EventKind, NoticeCode};
use tagstream_wire::WireEvent;

/// How far the lines of the summary are indented after their label.
const SUMMARY_INDENT: usize = 12;

/// What was found, in order.
#[derive(Default)]
pub(super) struct Summary {
    accepted: Listed<String>,
    refused: Listed<Refused>,
    notices: Listed<String>,
    /// Places that are not UTF-8: how many, and what is said of the first.
    invalid: (usize, String),
}

/// At most this many things of a kind are listed. The others are counted.
const MAX_LISTED: usize = 100;

/// The first things of a kind, and how many there are.
struct Listed<T> {
    first: Vec<T>,
    count: usize,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed {
            first: Vec::new(),
            count: 0,
        }
    }
}

impl<T> Listed<T> {
    fn push(&mut self, thing: T) {
        self.count += 1;
        if self.first.len() < MAX_LISTED {
            self.first.push(thing);
        }
    }

    /// The last one, if it is listed.
    fn last_mut(&mut self) -> Option<&mut T> {
        let is_listed = self.count == self.first.len();
        self.first.last_mut().filter(|_| is_listed)
    }

    fn more(&self) -> Option<String> {
        let more = self.count - self.first.len();
        (more > 0).then(|| format!("and {more} more"))
    }
}

/// A call that was refused, with all that was wrong.
struct Refused {
    call: (u64, u64),
    name: String,
    /// Each reason, and its place.
    reasons: Vec<(String, Option<String>)>,
    /// How it should be written.
    suggestion: Option<String>,
}

impl Summary {
    pub(super) fn note(&mut self, choice: u64, kind: &EventKind<'_>) {
        match *kind {
            EventKind::CallEnd { index, name, .. } => {
                self.accepted
                    .push(visible(&format!("call {index}: {name}")));
            }
            EventKind::Notice {
                code: NoticeCode::InvalidUtf8,
                message,
                ..
            } => {
                self.invalid.0 += 1;
                if self.invalid.0 == 1 {
                    self.invalid.1 = visible(message);
                }
            }
            kind => {
                if let Some(problem) = Problem::of(kind) {
                    self.note_problem(choice, &problem);
                }
            }
        }
    }

    fn note_problem(&mut self, choice: u64, problem: &Problem<'_>) {
        match problem {
            Problem::Refused {
                index,
                name,
                reason,
            } => self.refuse((choice, *index), name.unwrap_or("(no name)"), reason),
            Problem::Notice(line) => self.notices.push(visible(line)),
        }
    }

    fn refuse(&mut self, call: (u64, u64), name: &str, reason: &str) {
        let last = self.refused.last_mut();
        match last.filter(|refused| refused.call == call) {
            Some(refused) => refused.reasons.push((visible(reason), None)),
            None => self.refused.push(Refused {
                call,
                name: visible(name),
                reasons: vec![(visible(reason), None)],
                suggestion: None,
            }),
        }
    }

    /// Adds the place of the last refusal, and how the call should be written, if the last event was
    /// a refusal and is listed: only then they are worth their time.
    pub(super) fn explain(&mut self, feedback: &mut Feedback, event: &WireEvent<'_>) {
        let Some(refused) = self.refused.last_mut() else {
            return;
        };
        if let (Some(place), Some((_, last))) = (feedback.place(event), refused.reasons.last_mut())
        {
            *last = Some(place);
            refused.suggestion = feedback.suggestion(event);
        }
    }

    pub(super) fn print(&mut self, out: &mut Output) {
        self.note_invalid();
        out.styled(style::BOLD, &format!("\n{}\n", self.counts()));
        list(style::GOOD, "accepted", &self.accepted, out);
        for refused in &self.refused.first {
            let (_, index) = refused.call;
            for (reason, place) in &refused.reasons {
                let line = format!("call {index}: {}: {reason}", refused.name);
                labelled(style::DROPPED, "refused", &line, out);
                below_place(place.as_deref().unwrap_or_default(), out);
            }
            if let Some(suggestion) = &refused.suggestion {
                below(Some(&format!("Write it like this:\n{suggestion}")), out);
            }
        }
        below(self.refused.more().as_deref(), out);
        list(style::WARNING, "notice", &self.notices, out);
    }

    /// Joins the notices about bytes that are not UTF-8: garbage has thousands of them.
    fn note_invalid(&mut self) {
        let (count, first) = std::mem::take(&mut self.invalid);
        let code = NoticeCode::InvalidUtf8.as_str();
        match count {
            0 => {}
            1 => self.notices.push(format!("{code}: {first}")),
            _ => self
                .notices
                .push(format!("{code}: {count} times; the first: {first}")),
        }
    }

    fn counts(&self) -> String {
        let accepted = count(self.accepted.count, "call");
        let refused = self.refused.count;
        let notices = count(self.notices.count, "notice");
        format!("{accepted} accepted, {refused} refused, {notices}")
    }
}

fn list(style: &str, label: &str, lines: &Listed<String>, out: &mut Output) {
    for line in &lines.first {
        labelled(style, label, line, out);
    }
    below(lines.more().as_deref(), out);
}

fn labelled(style: &str, label: &str, line: &str, out: &mut Output) {
    out.styled(style, &format!("  {label:<8}"));
    out.text(&format!("  {}\n", wrapped(line, SUMMARY_INDENT)));
}

/// A place below a label: where it is, its line, and a caret below that.
fn below_place(place: &str, out: &mut Output) {
    let mut lines = place.lines();
    below(lines.next(), out);
    if let (Some(line), Some(caret)) = (lines.next(), lines.next()) {
        let cut = cut_around(&aligned(line), caret, SUMMARY_INDENT);
        cut.iter().for_each(|line| below(Some(line), out));
    }
}

/// Lines below a label, aligned with what is after it.
fn below(lines: Option<&str>, out: &mut Output) {
    for line in lines.unwrap_or_default().lines() {
        let line = wrapped(&aligned(line), SUMMARY_INDENT);
        out.text(&format!("{:SUMMARY_INDENT$}{line}\n", ""));
    }
}

//! The end of the page: which calls were accepted, which were not, and why.

use crate::output::{Output, aligned, count, style, visible};
use crate::problems::Problem;
use tagstream::EventKind;

/// What was found, in order.
#[derive(Default)]
pub(super) struct Summary {
    accepted: Vec<String>,
    refused: Vec<Refused>,
    notices: Vec<String>,
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
    /// a refusal.
    pub(super) fn explain(&mut self, place: Option<String>, suggestion: Option<String>) {
        if let (Some(refused), Some(place)) = (self.refused.last_mut(), place) {
            if let Some((_, last)) = refused.reasons.last_mut() {
                *last = Some(place);
            }
            refused.suggestion = suggestion;
        }
    }

    pub(super) fn print(&self, out: &mut Output) {
        out.styled(style::BOLD, &format!("\n{}\n", self.counts()));
        for line in &self.accepted {
            labelled(style::GOOD, "accepted", line, out);
        }
        for refused in &self.refused {
            let (_, index) = refused.call;
            for (reason, place) in &refused.reasons {
                let line = format!("call {index}: {}: {reason}", refused.name);
                labelled(style::DROPPED, "refused", &line, out);
                below(place.as_deref(), out);
            }
            if let Some(suggestion) = &refused.suggestion {
                below(Some(&format!("Write it like this:\n{suggestion}")), out);
            }
        }
        for line in &self.notices {
            labelled(style::WARNING, "notice", line, out);
        }
    }

    fn counts(&self) -> String {
        let accepted = count(self.accepted.len(), "call");
        let refused = self.refused.len();
        let notices = count(self.notices.len(), "notice");
        format!("{accepted} accepted, {refused} refused, {notices}")
    }
}

fn labelled(style: &str, label: &str, line: &str, out: &mut Output) {
    out.styled(style, &format!("  {label:<8}"));
    out.text(&format!("  {line}\n"));
}

/// Lines below a label, aligned with what is after it.
fn below(lines: Option<&str>, out: &mut Output) {
    for line in lines.unwrap_or_default().lines() {
        out.text(&format!("            {}\n", aligned(line)));
    }
}

//! The end of the page: which calls were accepted, which were not, and why.

use crate::output::{Output, count, style, visible};
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
    reasons: Vec<String>,
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
            Some(refused) => refused.reasons.push(visible(reason)),
            None => self.refused.push(Refused {
                call,
                name: visible(name),
                reasons: vec![visible(reason)],
            }),
        }
    }

    pub(super) fn print(&self, out: &mut Output) {
        out.styled(style::BOLD, &format!("\n{}\n", self.counts()));
        for line in &self.accepted {
            labelled(style::GOOD, "accepted", line, out);
        }
        for refused in &self.refused {
            let (_, index) = refused.call;
            for reason in &refused.reasons {
                let line = format!("call {index}: {}: {reason}", refused.name);
                labelled(style::DROPPED, "refused", &line, out);
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

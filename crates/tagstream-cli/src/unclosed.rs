//! Sections without a closing tag, which take the rest of a message with them.

use crate::problems::Problems;
use tagstream::{EventKind, NoticeCode, SkipReason};
use tagstream_wire::{WireEvent, WireKind};

/// Reports sections that were never closed, if what follows their opening tag is not shown.
#[derive(Default)]
pub(crate) struct Unclosed {
    /// What was read last is hidden.
    is_hidden: bool,
    lines: Vec<String>,
}

impl Unclosed {
    /// Whether this is such a section.
    pub(crate) fn reports(event: &WireEvent<'_>) -> bool {
        let WireKind::Message(EventKind::Notice { code, .. }) = event.event else {
            return false;
        };
        code == NoticeCode::UnclosedThought
    }

    /// Follows the message. `remedy` is what shows the rest of the section of this tag.
    pub(crate) fn event(&mut self, kind: &EventKind<'_>, remedy: impl Fn(&str) -> String) {
        match *kind {
            EventKind::Text(_) => self.is_hidden = false,
            EventKind::Thought(_)
            | EventKind::Skip {
                reason: SkipReason::Hidden,
                ..
            } => self.is_hidden = true,
            EventKind::Notice { code, message, .. }
                if code == NoticeCode::UnclosedThought && self.is_hidden =>
            {
                let remedy = remedy(tag(message));
                self.lines.push(line(message, &remedy));
            }
            _ => {}
        }
    }

    /// The section of this tag is still open at the end, and not all of it was shown.
    pub(crate) fn cut_short(&mut self, tag: &str) {
        let message = format!("the section `{tag}` has no closing tag");
        self.lines
            .push(line(&message, &format!("add --show {tag}")));
    }

    pub(crate) fn report(&mut self, problems: &mut Problems) {
        let lines = self.lines.drain(..);
        lines.for_each(|line| problems.report_always(&line));
    }
}

fn line(message: &str, remedy: &str) -> String {
    let code = NoticeCode::UnclosedThought.as_str();
    format!("{code}: {message}, so everything after it is hidden; to show it, {remedy}")
}

/// The tag that the notice names.
fn tag(message: &str) -> &str {
    message.split('`').nth(1).unwrap_or_default()
}

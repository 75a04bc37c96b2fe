//! Elements that the message leaves open. They are not printed, so they are reported.

use std::collections::HashMap;
use tagstream::{Event, EventKind};

/// Where the open elements begin, and the messages about those that were cut off.
#[derive(Default)]
pub(crate) struct CutOff {
    open: HashMap<u64, u64>,
    lines: Vec<String>,
}

impl CutOff {
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::ElementStart { id, .. } => {
                self.open.insert(id, event.span.start);
            }
            EventKind::ElementEnd(view) => {
                let start = self.open.remove(&view.id);
                // One that was too long has a closing tag, and a notice of its own.
                if !view.complete && event.span.start == event.span.end {
                    self.lines.push(line(view.name, start.unwrap_or(0)));
                }
            }
            _ => {}
        }
    }

    /// The messages since the last call.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }
}

fn line(name: &str, start: u64) -> String {
    format!(
        "incomplete_element: `<{name}>` at byte {start} was cut off: the message ends before its closing tag"
    )
}

//! The events of one chunk, as JavaScript reads them from memory.
//!
//! Numbers go to `words`, all text to `text`, one after the other, so that JavaScript decodes it in
//! one step and cuts it by lengths in UTF-16. Spans tile the message, so only their lengths are
//! handed over.
//!
//! | words | event |
//! |---|---|
//! | 0, span, text | text |
//! | 1, span, text | a thought |
//! | 2, span, text | any other event: its text is JSON |
//! | 3, span, text, index, argument + 1 or 0 | the delta of a call: the argument's name, then its text |
//! | 4, span, text, id, part + 1 or 0 | the delta of an element: the part's name, then its text |
//! | 5, span, arguments, index, id, name | the end of a call: id, name, arguments |

use tagstream::{Event, EventKind};

#[derive(Default)]
pub(crate) struct Packed {
    pub(crate) words: Vec<u32>,
    pub(crate) text: String,
}

impl Packed {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.text.clear();
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::Text(text) => self.plain(0, event, text),
            EventKind::Thought(text) => self.plain(1, event, text),
            EventKind::CallDelta {
                index,
                argument,
                text,
                ..
            } => {
                self.delta(3, event, index, argument, text);
            }
            EventKind::ElementDelta { id, part, text, .. } => self.delta(4, event, id, part, text),
            EventKind::CallEnd {
                index,
                id,
                name,
                arguments,
                ..
            } => {
                self.head(5, event, units(arguments));
                self.words.extend([index as u32, units(id), units(name)]);
                for text in [id, name, arguments] {
                    self.text.push_str(text);
                }
            }
            _ => {
                // Writing into a string cannot fail, and no event has a map with other keys.
                let json = serde_json::to_string(event).unwrap_or_default();
                self.plain(2, event, &json);
            }
        }
    }

    fn head(&mut self, kind: u32, event: &Event<'_>, text: u32) {
        let span = (event.span.end - event.span.start) as u32;
        self.words.extend([kind, span, text]);
    }

    fn plain(&mut self, kind: u32, event: &Event<'_>, text: &str) {
        self.head(kind, event, units(text));
        self.text.push_str(text);
    }

    fn delta(&mut self, kind: u32, event: &Event<'_>, id: u64, name: Option<&str>, text: &str) {
        self.head(kind, event, units(text));
        self.words
            .extend([id as u32, name.map_or(0, |name| units(name) + 1)]);
        self.text.push_str(name.unwrap_or(""));
        self.text.push_str(text);
    }
}

/// The length of a text in JavaScript.
fn units(text: &str) -> u32 {
    if text.is_ascii() {
        return text.len() as u32;
    }
    text.chars().map(char::len_utf16).sum::<usize>() as u32
}

//! The grammar of attributes: `a="v"`, `a='v'`, `a=v` and `a`.
//!
//! The tag machine and [`Attributes`](crate::Attributes) step the same states, so that what one
//! takes for a value the other cannot take for two attributes.

use crate::line::is_space;

/// How far the attributes of a tag have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeState {
    /// Between attributes; anything but a name is ignored.
    Gap,
    /// In the name of an attribute.
    Key,
    /// In the white space after a name.
    KeySpace,
    /// After `=` and white space.
    Equals,
    /// In a value between these quotes.
    Quoted(u8),
    /// In a value without quotes.
    Bare,
    /// In `va` of `<name=va`, where the name is listed with its `=`: all the rest is the value.
    Inline,
}

impl AttributeState {
    /// The state after `byte`, which does not end the tag. A quote opens a value only after `=`.
    pub(crate) fn step(self, byte: u8) -> Self {
        use AttributeState::{Bare, Equals, Gap, Inline, Key, KeySpace, Quoted};
        match (self, byte) {
            (Quoted(quote), b) if b == quote => Gap,
            (Quoted(_) | Inline, _) => self,
            (Bare, b) if is_space(b) => Gap,
            (Bare, _) => Bare,
            (Equals, b'"' | b'\'') => Quoted(byte),
            (Equals, b) if is_space(b) => Equals,
            (Equals, _) => Bare,
            (Key | KeySpace, b'=') => Equals,
            (Key | KeySpace, b) if is_space(b) => KeySpace,
            (_, b'=' | b'/' | b'"' | b'\'' | b'<' | b'>') => Gap,
            (_, b) if is_space(b) => Gap,
            _ => Key,
        }
    }

    /// Whether an attribute without a value ends with the step to `next`; to [`Gap`](Self::Gap) at
    /// the end of the tag.
    pub(crate) fn lacks_value(self, next: Self) -> bool {
        use AttributeState::{Equals, Gap, Key, KeySpace};
        match self {
            Key => !matches!(next, Key | KeySpace | Equals),
            KeySpace => !matches!(next, KeySpace | Equals),
            Equals => next == Gap,
            _ => false,
        }
    }

    /// Steps over the bytes before one that may end the tag, whose end bracket begins with `end`, or
    /// break it off. How many they are.
    pub(super) fn read_run(&mut self, bytes: &[u8], end: u8, needs_values: bool) -> usize {
        if *self == AttributeState::Inline {
            let stops = |byte: &u8| *byte == end || matches!(byte, b'<' | b'/' | b'\n');
            return bytes.iter().position(stops).unwrap_or(bytes.len());
        }
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if let AttributeState::Quoted(quote) = *self {
                let stop = if needs_values { b'<' } else { quote };
                let next = memchr::memchr2(quote, stop, &bytes[at..]);
                at += next.unwrap_or(bytes.len() - at);
                if bytes.get(at) != Some(&quote) {
                    break;
                }
            } else if *byte == end || matches!(byte, b'<' | b'/' | b'\n') {
                break;
            }
            let next = self.step(bytes[at]);
            if needs_values && self.lacks_value(next) {
                break;
            }
            *self = next;
            at += 1;
        }
        at
    }

    pub(crate) fn is_quoted(self) -> bool {
        matches!(self, AttributeState::Quoted(_))
    }
}

//! How far the JSON of a call has been read.

use crate::json::relaxed::RealJson;
use crate::scan::Stops;
use std::ops::Range;

/// How far JSON has been read.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonReader {
    /// How many brackets are open.
    pub(crate) depth: u32,
    pub(crate) string: bool,
    pub(crate) escaped: bool,
    /// The calls stand in a list.
    pub(crate) list: bool,
    /// At this depth the keys of the call stand.
    pub(crate) level: u32,
    /// The next string at that depth is a key.
    pub(crate) at_key: bool,
    pub(crate) key: String,
    pub(crate) field: Field,
    /// Where the arguments stand in the text of the call.
    pub(crate) start: Option<usize>,
    pub(crate) end: Option<usize>,
    /// The arguments stand between tags, and the closing one has yet to come.
    pub(crate) in_tags: bool,
    /// The arguments are a string that holds JSON.
    pub(crate) quoted: bool,
    /// Where the object that holds the call stands in its text, once that is whole.
    pub(crate) object: Range<usize>,
    /// Where something stands behind the JSON that may not stand there.
    pub(crate) behind: Option<usize>,
    /// How many commas stand behind the call in its list.
    pub(crate) commas: u8,
    /// The arguments as real JSON, where the dialect writes them otherwise.
    pub(crate) real: RealJson,
}

/// What the value being read is, among the keys of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Field {
    #[default]
    Other,
    Name,
    Id,
    Arguments,
    Inside,
}

impl JsonReader {
    /// Whether this is inside the arguments, where nothing is of concern but their end.
    pub(crate) fn is_in_arguments(&self) -> bool {
        let told = self.start.is_some() && self.end.is_none() && !self.quoted;
        told && self.depth > self.level
    }

    /// Whether the name of the call is being read.
    pub(crate) fn is_in_name(&self) -> bool {
        self.string && !self.at_key && self.field == Field::Name
    }

    /// Whether this is in a string, and the next byte is what it seems.
    pub(crate) fn is_in_string(&self) -> bool {
        self.string && !self.escaped
    }

    /// Reads on in the arguments; false, and nothing is changed, if they end in these bytes or one
    /// of the stops stands outside a string.
    pub(crate) fn goes_on(&mut self, bytes: &[u8], stops: &Stops) -> bool {
        let (mut string, mut escaped, mut depth) = (self.string, self.escaped, self.depth);
        for byte in bytes {
            match byte {
                _ if escaped => escaped = false,
                b'"' => string = !string,
                b'\\' if string => escaped = true,
                byte if string && *byte < b' ' => return false,
                _ if string => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == self.level + 1 => return false,
                b'}' | b']' => depth -= 1,
                b' ' | b'\n' | b'\t' | b'\r' | b',' | b':' => {}
                byte if stops.stop(*byte) => return false,
                _ => {}
            }
        }
        (self.string, self.escaped, self.depth) = (string, escaped, depth);
        true
    }
}

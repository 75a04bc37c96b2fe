//! Writing frames: as they came, edited, or new.

use crate::framing::frame::Frame;
use memchr::memchr2;
use std::borrow::Cow;

/// How frames are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Style {
    /// Server-sent events.
    #[default]
    Events,
    /// JSON values, each on its line.
    Json,
}

impl Style {
    /// The style of a frame that holds JSON.
    pub(super) fn of(raw: &[u8]) -> Style {
        let first = raw.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            Some(b'{' | b'[' | b',' | b']') => Style::Json,
            _ => Style::Events,
        }
    }
}

/// Where a frame goes, and what becomes of it.
pub(super) struct Out<'o> {
    pub(super) style: Style,
    /// The bytes of the frame.
    pub(super) raw: &'o [u8],
    pub(super) bytes: &'o mut Vec<u8>,
}

impl<'o> Out<'o> {
    pub(super) fn new(frame: &Frame<'o>, style: Style, bytes: &'o mut Vec<u8>) -> Self {
        let raw = frame.raw;
        Out { style, raw, bytes }
    }

    /// The frame as it came.
    pub(super) fn same(&mut self) {
        self.bytes.extend_from_slice(self.raw);
    }

    /// The frame with other data.
    pub(super) fn edited(&mut self, json: &str) {
        match self.style {
            Style::Events => self.bytes.extend(with_data(self.raw, None, json)),
            Style::Json => self.bytes.extend(with_value(self.raw, json)),
        }
    }

    /// The frame with other data, under the name of an event.
    pub(super) fn named(&mut self, event: &str, json: &str) {
        self.bytes.extend(with_data(self.raw, Some(event), json));
    }

    /// A frame of its own.
    pub(super) fn new_frame(&mut self, json: &str) {
        match self.style {
            Style::Events => self.write(&["data: ", json, "\n\n"]),
            Style::Json => self.write(&[json, "\n"]),
        }
    }

    /// An event of its own, with a name.
    pub(super) fn new_event(&mut self, event: &str, json: &str) {
        self.write(&["event: ", event, "\ndata: ", json, "\n\n"]);
    }

    /// A comment in place of the frame: it keeps the connection alive and says nothing.
    pub(super) fn comment(&mut self, text: &str) {
        self.write(&[": ", text, "\n\n"]);
    }

    fn write(&mut self, parts: &[&str]) {
        parts
            .iter()
            .for_each(|part| self.bytes.extend_from_slice(part.as_bytes()));
    }
}

/// An event with other data on one line. Comments, its name and unknown fields stay; what says
/// where to go on after a lost connection does not: it confuses clients, and is no longer true.
fn with_data(raw: &[u8], event: Option<&str>, json: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() + 32);
    let mut has_data = false;
    if let Some(event) = event.filter(|_| !has_name(raw)) {
        for part in ["event: ", event, "\n"] {
            out.extend_from_slice(part.as_bytes());
        }
    }
    for (line, end) in lines(raw) {
        match name(line) {
            b"data" if has_data => {}
            b"data" => {
                has_data = true;
                out.extend_from_slice(b"data: ");
                out.extend_from_slice(json.as_bytes());
                out.extend_from_slice(end);
            }
            b"id" | b"retry" => {}
            _ => {
                out.extend_from_slice(line);
                out.extend_from_slice(end);
            }
        }
    }
    out
}

fn has_name(raw: &[u8]) -> bool {
    lines(raw).any(|(line, _)| name(line) == b"event")
}

/// The name of a line's field.
fn name(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| *byte == b':');
    &line[..end.unwrap_or(line.len())]
}

/// Lines, each with what ends it.
fn lines(mut raw: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        if raw.is_empty() {
            return None;
        }
        let end = memchr2(b'\r', b'\n', raw).unwrap_or(raw.len());
        let (line, rest) = raw.split_at(end);
        let length = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        let (end, rest) = rest.split_at(length.min(rest.len()));
        raw = rest;
        Some((line, end))
    })
}

/// Another value between the same brackets, commas and blanks.
fn with_value(raw: &[u8], json: &str) -> Vec<u8> {
    let start = raw.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let end = raw.iter().rposition(|byte| *byte == b'}');
    let end = end.map_or(raw.len(), |at| at + 1);
    [&raw[..start], json.as_bytes(), &raw[end..]].concat()
}

/// A frame with its data repaired. An event has it on one line: in strings there are no newlines.
pub(super) fn mended(raw: &[u8], json: &str) -> Vec<u8> {
    match Style::of(raw) {
        Style::Events => with_data(raw, None, &json.replace(['\n', '\r'], " ")),
        Style::Json => with_value(raw, json),
    }
}

/// An event that the stream left unfinished, with its end, since most clients lose it otherwise.
pub(super) fn ended(raw: &[u8]) -> Cow<'_, [u8]> {
    let mut ends = 0;
    for (line, end) in lines(raw) {
        ends = match (line.is_empty(), end.is_empty()) {
            (true, false) => 2,
            (false, false) => 1,
            _ => 0,
        };
    }
    match ends {
        2 => Cow::Borrowed(raw),
        1 => [raw, b"\n"].concat().into(),
        _ => [raw, b"\n\n"].concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(raw: &str, event: Option<&str>) -> String {
        String::from_utf8(with_data(raw.as_bytes(), event, "{}")).unwrap()
    }

    #[test]
    fn an_edited_event_keeps_all_but_its_data_and_its_id() {
        assert_eq!(edit("data: {\ndata: }\n\n", None), "data: {}\n\n");
        assert_eq!(
            edit(
                ": a\r\nid: 1\r\nevent: x\r\nretry: 2\r\ndata:1\r\n\r\n",
                None
            ),
            ": a\r\nevent: x\r\ndata: {}\r\n\r\n"
        );
        assert_eq!(
            edit("data: 1\n\n", Some("ping")),
            "event: ping\ndata: {}\n\n"
        );
        assert_eq!(
            edit("event: y\ndata: 1\r\r", Some("z")),
            "event: y\ndata: {}\r\r"
        );
    }

    #[test]
    fn an_edited_value_keeps_what_stands_around_it() {
        let edit = |raw: &str| String::from_utf8(with_value(raw.as_bytes(), "{}")).unwrap();
        assert_eq!(edit("\n,{\"a\":{}}\r\n"), "\n,{}\r\n");
        assert_eq!(edit("[{\"a\":1}"), "[{}");
    }

    #[test]
    fn an_unfinished_event_gets_its_end() {
        for (raw, expected) in [
            ("data: 1", "data: 1\n\n"),
            ("data: 1\r\n", "data: 1\r\n\n"),
            ("data: 1\n\n", "data: 1\n\n"),
        ] {
            assert_eq!(&*ended(raw.as_bytes()), expected.as_bytes());
        }
    }
}

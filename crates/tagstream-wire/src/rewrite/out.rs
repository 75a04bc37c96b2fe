//! Writing frames: as they came, edited, or new.

use crate::format::Format;
use crate::json::{Doc, Patch};
use memchr::memchr2;
use std::borrow::Cow;

/// How frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) kind: StyleKind,
    /// What ends a line.
    end: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StyleKind {
    /// Server-sent events.
    Events,
    /// JSON values, each on its line.
    Json,
    /// The elements of a JSON list.
    List,
}

impl Style {
    /// The style of a stream in this format before its first frame; `is_json` is whether it is known not
    /// to have events.
    pub(crate) fn first(format: Format, is_json: bool) -> Style {
        let kind = match format {
            Format::Gemini if is_json => StyleKind::List,
            Format::Ollama => StyleKind::Json,
            _ if is_json => StyleKind::Json,
            _ => StyleKind::Events,
        };
        Style { kind, end: "\n" }
    }

    /// The style of a frame that holds JSON, after frames of this style.
    pub(crate) fn of(raw: &[u8], before: Style) -> Style {
        Style {
            kind: StyleKind::of(raw),
            end: line_end(raw).unwrap_or(before.end),
        }
    }
}

impl StyleKind {
    pub(crate) fn of(raw: &[u8]) -> StyleKind {
        let first = raw.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            Some(b'{') => StyleKind::Json,
            Some(b'[' | b',' | b']') => StyleKind::List,
            _ => StyleKind::Events,
        }
    }
}

/// What the first line of a frame ends with, if that is certain.
fn line_end(raw: &[u8]) -> Option<&'static str> {
    let start = raw.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let at = start + memchr2(b'\r', b'\n', &raw[start..])?;
    match (raw[at], raw.get(at + 1)) {
        (b'\n', _) => Some("\n"),
        (_, Some(b'\n')) => Some("\r\n"),
        (_, Some(_)) => Some("\r"),
        (_, None) => None,
    }
}

/// Where a frame goes, and what becomes of it.
pub(crate) struct Out<'o> {
    pub(crate) style: Style,
    /// The bytes of the frame.
    pub(crate) raw: &'o [u8],
    pub(crate) bytes: &'o mut Vec<u8>,
}

impl Out<'_> {
    /// The frame as it came.
    pub(crate) fn same(&mut self) {
        self.bytes.extend_from_slice(self.raw);
    }

    /// The frame with other data.
    pub(crate) fn edited(&mut self, json: &str) {
        edit(self.style.kind, self.raw, None, self.bytes, |out| {
            out.extend_from_slice(json.as_bytes());
        });
    }

    /// The frame with edits; as it came, if there are none.
    pub(crate) fn patched(&mut self, doc: Doc<'_>, patch: Patch, event: Option<&str>) {
        let kind = self.style.kind;
        if kind == StyleKind::Events && memchr2(b'\n', b'\r', doc.text.as_bytes()).is_some() {
            // Data on several lines is written on one: JSON has no line breaks in strings.
            let json = patch.json(doc).replace(['\n', '\r'], " ");
            return edit(kind, self.raw, event, self.bytes, |out| {
                out.extend_from_slice(json.as_bytes());
            });
        }
        edit(kind, self.raw, event, self.bytes, |out| {
            patch.write(doc, out);
        });
    }

    /// The frame with other data, under the name of an event if it has none.
    pub(crate) fn named(&mut self, event: &str, json: &str) {
        edit(self.style.kind, self.raw, Some(event), self.bytes, |out| {
            out.extend_from_slice(json.as_bytes());
        });
    }

    /// A frame of its own.
    pub(crate) fn new_frame(&mut self, json: &str) {
        let end = self.style.end;
        match self.style.kind {
            StyleKind::Events => self.write(&["data: ", json, end, end]),
            StyleKind::Json => self.write(&[json, end]),
            StyleKind::List => self.write(&[",", json]),
        }
    }

    /// An event of its own, with a name.
    pub(crate) fn new_event(&mut self, event: &str, json: &str) {
        let end = self.style.end;
        match self.style.kind {
            StyleKind::Events => self.write(&["event: ", event, end, "data: ", json, end, end]),
            StyleKind::Json | StyleKind::List => self.new_frame(json),
        }
    }

    /// A comment in place of the frame: it keeps the connection alive and says nothing.
    pub(crate) fn comment(&mut self, text: &str) {
        let end = self.style.end;
        self.write(&[": ", text, end, end]);
    }

    fn write(&mut self, parts: &[&str]) {
        for part in parts {
            self.bytes.extend_from_slice(part.as_bytes());
        }
    }
}

/// Writes a frame with other data, and under the name of an event if it has none. Comments, its name
/// and unknown fields stay. What says where to continue after a lost connection does not: it
/// confuses clients, and is no longer true.
fn edit(
    kind: StyleKind,
    raw: &[u8],
    event: Option<&str>,
    out: &mut Vec<u8>,
    json: impl FnOnce(&mut Vec<u8>),
) {
    if kind != StyleKind::Events {
        let start = raw.iter().position(|byte| *byte == b'{').unwrap_or(0);
        let end = raw.iter().rposition(|byte| *byte == b'}');
        out.extend_from_slice(&raw[..start]);
        json(out);
        return out.extend_from_slice(&raw[end.map_or(raw.len(), |at| at + 1)..]);
    }
    let mut json = Some(json);
    if let Some(event) = event.filter(|_| !has_name(raw)) {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.extend_from_slice(line_end(raw).unwrap_or("\n").as_bytes());
    }
    for (line, end) in lines(raw) {
        match name(line) {
            b"data" => {
                if let Some(json) = json.take() {
                    out.extend_from_slice(b"data: ");
                    json(out);
                    out.extend_from_slice(end);
                }
            }
            b"id" | b"retry" => {}
            _ => {
                out.extend_from_slice(line);
                out.extend_from_slice(end);
            }
        }
    }
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

/// A frame with its data repaired.
pub(crate) fn mended(raw: &[u8], json: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let kind = StyleKind::of(raw);
    let json = match kind {
        StyleKind::Events => Cow::Owned(json.replace(['\n', '\r'], " ")),
        StyleKind::Json | StyleKind::List => Cow::Borrowed(json),
    };
    edit(kind, raw, None, &mut out, |out| {
        out.extend_from_slice(json.as_bytes());
    });
    out
}

/// An event that the stream left unfinished, with its end, since most clients lose it otherwise.
pub(crate) fn ended(raw: &[u8], style: Style) -> Cow<'_, [u8]> {
    let mut ends = 0;
    for (line, end) in lines(raw) {
        ends = match (line.is_empty(), end.is_empty()) {
            (true, false) => 2,
            (false, false) => 1,
            _ => 0,
        };
    }
    let end = style.end.as_bytes();
    match ends {
        2 => Cow::Borrowed(raw),
        1 => [raw, end].concat().into(),
        _ => [raw, end, end].concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_data(raw: &str, event: Option<&str>) -> String {
        let mut out = Vec::new();
        let kind = StyleKind::of(raw.as_bytes());
        edit(kind, raw.as_bytes(), event, &mut out, |out| {
            out.extend_from_slice(b"{}");
        });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_edited_event_keeps_all_but_its_data_and_its_id() {
        assert_eq!(with_data("data: {\ndata: }\n\n", None), "data: {}\n\n");
        assert_eq!(
            with_data(
                ": a\r\nid: 1\r\nevent: x\r\nretry: 2\r\ndata:1\r\n\r\n",
                None
            ),
            ": a\r\nevent: x\r\ndata: {}\r\n\r\n"
        );
        assert_eq!(
            with_data("data: 1\r\n\r\n", Some("ping")),
            "event: ping\r\ndata: {}\r\n\r\n"
        );
        assert_eq!(
            with_data("event: y\ndata: 1\r\r", Some("z")),
            "event: y\ndata: {}\r\r"
        );
    }

    #[test]
    fn an_edited_value_keeps_what_is_around_it() {
        assert_eq!(with_data("\n,{\"a\":{}}\r\n", None), "\n,{}\r\n");
        assert_eq!(with_data("[{\"a\":1}", None), "[{}");
    }

    #[test]
    fn an_unfinished_event_gets_its_end() {
        for (raw, expected) in [
            ("data: 1", "data: 1\n\n"),
            ("data: 1\n", "data: 1\n\n"),
            ("data: 1\n\n", "data: 1\n\n"),
        ] {
            let style = Style::of(raw.as_bytes(), Style::first(Format::OpenAi, false));
            assert_eq!(&*ended(raw.as_bytes(), style), expected.as_bytes());
        }
    }

    #[test]
    fn new_frames_end_their_lines_as_the_stream_does() {
        for (raw, end) in [
            ("data: 1\n\n", "\n"),
            ("data: 1\r\n\r\n", "\r\n"),
            ("data: 1\r\r", "\r"),
        ] {
            let mut bytes = Vec::new();
            let style = Style::of(raw.as_bytes(), Style::first(Format::OpenAi, false));
            let (raw, bytes_ref) = (raw.as_bytes(), &mut bytes);
            let mut out = Out {
                style,
                raw,
                bytes: bytes_ref,
            };
            out.new_frame("{}");
            assert_eq!(bytes, format!("data: {{}}{end}{end}").as_bytes());
        }
    }
}

//! Which format the input is in.

use crate::failure::Failure;
use crate::input::Input;
use tagstream::{EventKind, NoticeCode, Profile};
use tagstream_wire::{Format, Session, WireEvent, WireKind};

/// How many bytes are looked at.
const LOOK_BYTES: usize = 64 * 1024;

/// Looks at the start of an input.
pub(crate) struct Probe {
    session: Session,
    /// What has been looked at.
    start: Vec<u8>,
    /// There is something to report: the input has events of a format that is not known.
    has_notice: bool,
}

impl Probe {
    pub(crate) fn new() -> Result<Self, Failure> {
        let session = Session::new(&Profile::new(), Format::Auto).map_err(Failure::because)?;
        Ok(Probe {
            session,
            start: Vec::new(),
            has_notice: false,
        })
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.is_looking() {
            self.start.extend_from_slice(chunk);
            let has_notice = &mut self.has_notice;
            self.session.push(chunk, &mut |event: WireEvent<'_>| {
                *has_notice |= is_notice(&event);
            });
        }
    }

    fn is_looking(&self) -> bool {
        let is_open = match self.session.format() {
            Format::Auto => true,
            Format::Text => may_be_error(&self.start),
            _ => false,
        };
        is_open && self.start.len() < LOOK_BYTES
    }

    /// The format of an input that is over, and whether there is something to report. Where no format
    /// is recognized, what is not in frames is text.
    fn finish(mut self) -> (Format, bool) {
        let mut format = self.session.format();
        let mut is_text = false;
        self.session.finish(&mut |event: WireEvent<'_>| {
            is_text |= matches!(event.event, WireKind::Message(EventKind::Text(_)));
            self.has_notice |= is_notice(&event);
        });
        if is_error(&self.start) {
            format = Format::OpenAi;
        } else if is_text && format == Format::Auto {
            format = Format::Text;
        }
        (format, self.has_notice)
    }
}

/// Whether an input may be the error that servers of any format give: `{"detail":"Not Found"}`. An
/// answer may begin like that, so it must be nothing else.
fn may_be_error(start: &[u8]) -> bool {
    let json = start.trim_ascii_start().strip_prefix(b"{");
    json.is_some_and(|json| json.trim_ascii_start().starts_with(b"\"detail\""))
}

/// Whether an input that is over is nothing but an error.
fn is_error(input: &[u8]) -> bool {
    let object: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_slice(input);
    object.is_ok_and(|object| object.len() == 1 && object.contains_key("detail"))
}

fn is_notice(event: &WireEvent<'_>) -> bool {
    let code = match event.event {
        WireKind::Message(EventKind::Notice { code, .. }) => Some(code),
        _ => None,
    };
    code == Some(NoticeCode::InvalidFrame)
}

/// The format of the input, of which no more is read than this takes. `Auto` is text about which
/// there is something to report: who reads it looks once more.
pub(crate) fn detect(input: &mut Input) -> Result<Format, Failure> {
    let mut probe = Probe::new()?;
    let (format, has_notice) = loop {
        if !probe.is_looking() {
            break (probe.session.format(), probe.has_notice);
        }
        match input.look()? {
            Some(chunk) => probe.push(chunk),
            None => break probe.finish(),
        }
    };
    match format {
        Format::Text if has_notice => Ok(Format::Auto),
        format => Ok(format),
    }
}

/// Whether an input is what its format says, for those who read all of it.
pub(crate) struct Expected {
    format: Format,
    /// The user named the format; otherwise the input looked like it.
    is_named: bool,
    probe: Probe,
    /// Reads the format until anything is found in it; text has no frames.
    session: Option<Session>,
    /// The input so far, as long as it may be nothing but an error.
    start: Option<Vec<u8>>,
}

impl Expected {
    pub(crate) fn new(format: Format, is_named: bool) -> Result<Self, Failure> {
        let has_frames = !matches!(format, Format::Auto | Format::Text);
        let session = has_frames.then(|| Session::new(&Profile::new(), format));
        Ok(Expected {
            format,
            is_named,
            probe: Probe::new()?,
            session: session.transpose().map_err(Failure::because)?,
            start: (has_frames || !is_named).then(Vec::new),
        })
    }

    pub(crate) fn chunk(&mut self, chunk: &[u8]) {
        let start = self.start.as_mut();
        if let Some(start) = start.filter(|start| start.len() + chunk.len() <= LOOK_BYTES) {
            start.extend_from_slice(chunk);
        } else {
            self.start = None;
        }
        let Some(session) = &mut self.session else {
            return;
        };
        let mut was_found = false;
        session.push(chunk, &mut |event| was_found |= is_found(&event));
        if was_found {
            self.session = None;
            self.start = None;
        } else {
            self.probe.push(chunk);
        }
    }

    /// What is wrong, if nothing was in the format, or if the whole text is an error.
    pub(crate) fn problem(self) -> Option<String> {
        let error = self.start.as_deref().and_then(error_in);
        let Some(session) = self.session else {
            return error;
        };
        let mut was_found = self.probe.start.is_empty();
        session.finish(&mut |event| was_found |= is_found(&event));
        if was_found {
            return None;
        }
        let given = self.format.name();
        let looks = match self.probe.finish().0 {
            _ if !self.is_named => format!("no frame can be read; the input looks like `{given}`"),
            format if format == self.format || format == Format::Auto => {
                format!("no frame of the format `{given}`")
            }
            format => {
                let other = format.name();
                format!("no frame of the format `{given}`; it looks like `{other}`")
            }
        };
        Some(error.unwrap_or(looks))
    }

    /// What may be wrong: a page that a server or a proxy sent in place of an answer.
    pub(crate) fn hint(&self) -> Option<String> {
        let page = self.start.as_ref()?.trim_ascii_start().to_ascii_lowercase();
        let is_page = page.starts_with(b"<html") || page.starts_with(b"<!doctype html");
        is_page.then(|| PAGE.to_owned())
    }
}

const PAGE: &str = "the input is an HTML page: if the model did not write it, it is the error of a \
    server or a proxy (with curl, --fail-with-body reports its status)";

/// Whether this is of a frame that could be read. An error of the server is an answer, in whatever
/// words.
fn is_found(event: &WireEvent<'_>) -> bool {
    match event.event {
        WireKind::Message(EventKind::Notice { code, .. }) => code == NoticeCode::StreamError,
        _ => true,
    }
}

/// The keys of an error whose value is its words, the best first.
const WORDS: [&str; 5] = ["message", "msg", "detail", "error", "errors"];
/// The other keys of an error.
const ABOUT_ERROR: [&str; 15] = [
    "code",
    "error_code",
    "error_type",
    "instance",
    "object",
    "param",
    "path",
    "request_id",
    "requestId",
    "status",
    "statusCode",
    "success",
    "timestamp",
    "title",
    "type",
];

/// What an input says that is nothing but a JSON object which looks like the error of a server. An
/// answer may be JSON too, so any other key, or one that says that all is well, makes it one.
fn error_in(input: &[u8]) -> Option<String> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(input).ok()?;
    let mut keys = object.keys().map(String::as_str);
    let is_of_error = keys.all(|key| WORDS.contains(&key) || ABOUT_ERROR.contains(&key));
    let mut values = object.values();
    let is_well = values
        .any(|value| *value == true || *value == 200 || *value == "ok" || *value == "success");
    let words = WORDS.iter().find_map(|key| object.get(*key))?;
    let words = words
        .as_str()
        .map_or_else(|| words.to_string(), str::to_owned);
    let code = NoticeCode::StreamError.as_str();
    let why = "the whole input looks like the error of a server";
    (is_of_error && !is_well)
        .then(|| format!("{code}: {why}: {words} (if it is an answer, add --from text)"))
}

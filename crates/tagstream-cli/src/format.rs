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

/// Whether an input has frames of the format that the user named.
pub(crate) struct Expected {
    format: Format,
    probe: Probe,
    was_found: bool,
}

impl Expected {
    pub(crate) fn new(format: Format) -> Result<Self, Failure> {
        Ok(Expected {
            format,
            probe: Probe::new()?,
            was_found: matches!(format, Format::Auto | Format::Text),
        })
    }

    pub(crate) fn chunk(&mut self, chunk: &[u8]) {
        if !self.was_found {
            self.probe.push(chunk);
        }
    }

    pub(crate) fn event(&mut self, event: &WireEvent<'_>) {
        // An error of the server is an answer, in whatever words.
        self.was_found |= match event.event {
            WireKind::Message(EventKind::Notice { code, .. }) => code == NoticeCode::StreamError,
            _ => true,
        };
    }

    /// What is wrong, if nothing was in the format.
    pub(crate) fn problem(self) -> Option<String> {
        if self.was_found || self.probe.start.is_empty() {
            return None;
        }
        let no_frame = format!("no frame of the format `{}`", self.format.name());
        self.mismatch().or(Some(no_frame))
    }

    /// What is wrong, if the input is in another format.
    pub(crate) fn mismatch(self) -> Option<String> {
        let given = self.format;
        match self.probe.finish().0 {
            Format::Auto => None,
            format if format == given => None,
            format => Some(format!(
                "no frame of the format `{}`; it looks like `{}`",
                given.name(),
                format.name()
            )),
        }
    }
}

//! Which format the input is in.

use crate::failure::Failure;
use crate::input::Input;
use tagstream::{EventKind, Profile};
use tagstream_wire::{Format, Session, WireEvent, WireKind};

/// How many bytes are looked at.
const LOOK_BYTES: usize = 64 * 1024;

/// Looks at the start of an input.
pub(crate) struct Probe {
    session: Session,
    bytes: usize,
}

impl Probe {
    pub(crate) fn new() -> Result<Self, Failure> {
        let session = Session::new(&Profile::new(), Format::Auto).map_err(Failure::because)?;
        Ok(Probe { session, bytes: 0 })
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.is_looking() {
            self.bytes += chunk.len();
            self.session.push(chunk, &mut |_: WireEvent<'_>| {});
        }
    }

    fn is_looking(&self) -> bool {
        self.session.format() == Format::Auto && self.bytes < LOOK_BYTES
    }

    /// The format of an input that is over. Where no format is recognized, what is not in frames is
    /// text.
    fn finish(self) -> Format {
        let format = self.session.format();
        let mut is_text = false;
        self.session.finish(&mut |event: WireEvent<'_>| {
            is_text |= matches!(event.event, WireKind::Message(EventKind::Text(_)));
        });
        if is_text && format == Format::Auto {
            return Format::Text;
        }
        format
    }
}

/// The format of the input, of which no more is read than this takes.
pub(crate) fn detect(input: &mut Input) -> Result<Format, Failure> {
    let mut probe = Probe::new()?;
    while probe.is_looking() {
        match input.look()? {
            Some(chunk) => probe.push(chunk),
            None => return Ok(probe.finish()),
        }
    }
    Ok(probe.session.format())
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
        let is_notice = matches!(event.event, WireKind::Message(EventKind::Notice { .. }));
        self.was_found |= !is_notice;
    }

    /// What is wrong, if nothing was in the format.
    pub(crate) fn problem(self) -> Option<String> {
        if self.was_found || self.probe.bytes == 0 {
            return None;
        }
        let no_frame = format!("no frame of the format `{}`", self.format.name());
        self.mismatch().or(Some(no_frame))
    }

    /// What is wrong, if the input is in another format.
    pub(crate) fn mismatch(self) -> Option<String> {
        let given = self.format;
        match self.probe.finish() {
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

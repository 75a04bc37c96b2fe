//! Notices about bytes that are not UTF-8, of which binary data has thousands.

use crate::problems::Problems;
use tagstream::{EventKind, NoticeCode};
use tagstream_wire::{WireEvent, WireKind};

/// At most this many of them are in an output.
const MAX_NOTICES: usize = 16;

/// Counts these notices.
#[derive(Default)]
pub(crate) struct Garbage(usize);

impl Garbage {
    /// Whether this is such a notice, and one too many.
    pub(crate) fn is_over(&mut self, event: &WireEvent<'_>) -> bool {
        let WireKind::Message(EventKind::Notice { code, .. }) = event.event else {
            return false;
        };
        let is_one = code == NoticeCode::InvalidUtf8;
        self.0 += usize::from(is_one);
        is_one && self.0 > MAX_NOTICES
    }

    /// Reports how many were left out, at the end.
    pub(crate) fn report(&self, problems: &mut Problems) {
        if let Some(more @ 1..) = self.0.checked_sub(MAX_NOTICES) {
            let code = NoticeCode::InvalidUtf8.as_str();
            problems.hint(&format!("{code}: {more} more like these are left out"));
        }
    }
}

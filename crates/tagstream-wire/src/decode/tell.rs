//! What is the same for all providers, once it is found in their frames.

use super::delta::{Delta, Each, Slot};
use super::text::{self, Text};
use serde_json::value::RawValue;

/// The next piece of a text, unless there is none.
pub(crate) fn text<'a>(slot: Slot, text: Option<Text<'a>>, each: Each<'_, 'a>) {
    if let Some(text) = Text::given(text) {
        each(Delta::Text { slot, text });
    }
}

/// The next piece of a thought, unless there is none.
pub(crate) fn reasoning<'a>(slot: Slot, text: Option<Text<'a>>, each: Each<'_, 'a>) {
    if let Some(text) = Text::given(text) {
        each(Delta::Reasoning { slot, text });
    }
}

/// The provider's object of counts, if there is one.
pub(crate) fn usage<'a>(usage: Option<&'a RawValue>, each: Each<'_, 'a>) {
    if let Some(usage) = usage {
        let usage = usage.get().into();
        each(Delta::Usage { usage });
    }
}

/// An error of the server, if there is one.
pub(crate) fn error<'a>(error: Option<&'a RawValue>, each: Each<'_, 'a>) {
    if let Some(raw) = error {
        let message = text::error(raw);
        each(Delta::Error { message });
    }
}

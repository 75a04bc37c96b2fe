//! What counts in each of the texts of a message.

use tagstream_core::{EventKind, Policy, Profile, ProfileError, Thinking, ThinkingAnchor};

/// What counts in the texts of a message, which may have several.
///
/// A prompt opens a message, not each of its texts. So `starts_open` applies to the first text
/// only, and only if no native thinking came before it; and with `anchor = "start"` no thinking
/// counts after visible text, an element or a call.
#[derive(Clone, Debug)]
pub(crate) struct Policies {
    first: Policy,
    later: Policy,
    /// For texts after visible text, an element or a call.
    answered: Policy,
}

impl Policies {
    /// The policies of a profile.
    pub(crate) fn compile(profile: &Profile) -> Result<Self, ProfileError> {
        let first = profile.compile()?;
        let mut later = first.clone();
        let mut profile = profile.clone();
        if profile.thinking.starts_open {
            profile.thinking.starts_open = false;
            later = profile.compile()?;
        }
        let mut answered = later.clone();
        if profile.thinking.anchor == ThinkingAnchor::Start {
            profile.thinking = Thinking::default();
            answered = profile.compile()?;
        }
        Ok(Policies {
            first,
            later,
            answered,
        })
    }

    /// The policy for a text that begins now.
    pub(crate) fn now(&self, course: Course) -> &Policy {
        match course {
            Course {
                has_shown: true, ..
            } => &self.answered,
            Course {
                has_begun: true, ..
            } => &self.later,
            _ => &self.first,
        }
    }
}

/// What a message has contained so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Course {
    /// There was a text, or a thought.
    has_begun: bool,
    /// Something was shown.
    has_shown: bool,
}

impl Course {
    /// Records native thinking.
    pub(crate) fn thinks(&mut self, text: &str) {
        self.has_begun |= !text.trim_ascii().is_empty();
    }

    /// A text begins.
    pub(crate) fn begins(&mut self) {
        self.has_begun = true;
    }

    /// A text is shown.
    pub(crate) fn shows(&mut self, text: &str) {
        self.has_shown = self.has_shown || !text.trim_ascii().is_empty();
    }

    /// A call or an element.
    pub(crate) fn acts(&mut self) {
        self.has_shown = true;
    }

    /// Records what was found in a text.
    pub(crate) fn takes(&mut self, kind: &EventKind<'_>) {
        match kind {
            EventKind::Text(text) => self.shows(text),
            EventKind::CallStart { .. }
            | EventKind::CallError { .. }
            | EventKind::ElementStart { .. } => self.acts(),
            _ => {}
        }
    }
}

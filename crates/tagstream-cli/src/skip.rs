//! Why bytes make no event. The engine does not say; what stands around them does.

use tagstream::{EventKind, Profile};

/// What has been seen around the bytes in question.
pub(super) struct Around {
    markers: Vec<String>,
    /// A call has begun and has not ended.
    in_call: bool,
    /// How many elements are open.
    elements: u32,
    /// What came directly before.
    before: Before,
    /// The bytes in question, as long as they could be a marker.
    text: String,
    longest_marker: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Call,
    Notice,
    Other,
}

impl Around {
    pub(super) fn new(profile: &Profile) -> Self {
        let longest = profile.markers.iter().map(String::len).max();
        Around {
            markers: profile.markers.clone(),
            in_call: false,
            elements: 0,
            before: Before::Other,
            text: String::new(),
            longest_marker: longest.unwrap_or(0),
        }
    }

    /// A new row begins with this text.
    pub(super) fn begin(&mut self, text: &str) {
        self.text.clear();
        self.more(text);
    }

    /// The row goes on.
    pub(super) fn more(&mut self, text: &str) {
        if self.text.len() <= self.longest_marker {
            self.text.push_str(text);
        }
    }

    /// An event has been added to the page.
    pub(super) fn note(&mut self, kind: &EventKind<'_>) {
        match kind {
            EventKind::CallStart { .. } => self.in_call = true,
            EventKind::CallEnd { .. } | EventKind::CallError { .. } => self.in_call = false,
            EventKind::ElementStart { .. } => self.elements += 1,
            EventKind::ElementEnd(_) => self.elements = self.elements.saturating_sub(1),
            _ => {}
        }
        self.before = match kind {
            EventKind::CallEnd { .. } | EventKind::CallError { .. } => Before::Call,
            EventKind::Notice { .. } => Before::Notice,
            // The bytes in question themselves.
            EventKind::Skip { .. } => self.before,
            _ => Before::Other,
        };
    }

    /// Why the bytes of the row that has ended made no event.
    pub(super) fn why(&self, is_blank: bool, next: Option<&EventKind<'_>>) -> &'static str {
        let opens = matches!(next, Some(EventKind::CallStart { .. }));
        let refused = matches!(next, Some(EventKind::CallError { .. }));
        match self.before {
            _ if self.markers.contains(&self.text) => "a marker",
            _ if self.in_call => "how the call is written",
            _ if refused => "the call that was refused",
            _ if is_blank && (opens || self.before == Before::Call) => "white space at a call",
            _ if is_blank => "white space that was dropped",
            Before::Notice => "dropped, as the notice says",
            _ if opens || self.before == Before::Call => "around the call",
            _ if self.elements > 0 => "tags in the element",
            _ => "a section that is hidden or empty, or its tags",
        }
    }
}

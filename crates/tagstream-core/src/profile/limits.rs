//! The limits on what is held and collected.

/// Limits on what is held and collected, in bytes, and on nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Limits {
    /// A longer tag is text.
    pub tag: usize,
    /// How far a code span's partner, or the end of a fence's opening line, may be.
    pub span: usize,
    /// How long a section, white space or an element of any name may be held.
    pub lookahead: usize,
    /// How much of an argument value or a body is collected.
    pub value: usize,
    /// Deeper openers are text.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            tag: 16_384,
            span: 4_096,
            lookahead: 65_536,
            value: 16_777_216,
            depth: 64,
        }
    }
}

impl Limits {
    /// Sets the length beyond which a tag is text.
    #[must_use]
    pub fn tag(mut self, tag: usize) -> Self {
        self.tag = tag;
        self
    }

    /// Sets how far a code span's partner, or the end of a fence's opening line, may be.
    #[must_use]
    pub fn span(mut self, span: usize) -> Self {
        self.span = span;
        self
    }

    /// Sets how long a section, white space or an element of any name may be held.
    #[must_use]
    pub fn lookahead(mut self, lookahead: usize) -> Self {
        self.lookahead = lookahead;
        self
    }

    /// Sets how much of an argument value or a body is collected.
    #[must_use]
    pub fn value(mut self, value: usize) -> Self {
        self.value = value;
        self
    }

    /// Sets the depth beyond which openers are text.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }
}

//! The settings of thinking sections.

/// Thinking sections: how they are written and what they become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Thinking {
    /// Names of tags, compared without regard to ASCII case.
    pub tags: Vec<String>,
    /// Pairs of literals of any shape: what opens a section and what closes it.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "pairs"))]
    pub delimiters: Vec<[String; 2]>,
    /// Literals before which an open section ends, as at its closer.
    pub ends_before: Vec<String>,
    /// Pairs of literals around answers: what is between them is text in which nothing else counts.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "pairs"))]
    pub answers: Vec<[String; 2]>,
    /// What a section becomes.
    pub mode: ThinkingMode,
    /// Whether the prompt has already opened the section.
    pub starts_open: bool,
    /// Where a section may begin.
    pub anchor: ThinkingAnchor,
    /// What a section without a closer is, once the message ends.
    pub unclosed: UnclosedThinking,
    /// What a closer without an opener becomes.
    pub orphan_close: OrphanClose,
    /// Which white space is dropped.
    pub trim: ThinkingTrim,
    /// Whether an opener inside a section needs its own closer.
    pub nesting: ThinkingNesting,
}

/// Reads pairs and refuses lists of another length. Some formats would drop the rest of a longer
/// list.
#[cfg(feature = "serde")]
fn pairs<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Vec<[String; 2]>, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(try_from = "Vec<String>")]
    struct Pair([String; 2]);

    impl TryFrom<Vec<String>> for Pair {
        type Error = String;

        fn try_from(list: Vec<String>) -> Result<Self, String> {
            let wrong_length = |list: Vec<String>| {
                format!("wrong length {}; allowed: a list of 2 strings", list.len())
            };
            list.try_into().map(Pair).map_err(wrong_length)
        }
    }

    let pairs: Vec<Pair> = serde::Deserialize::deserialize(input)?;
    Ok(pairs.into_iter().map(|pair| pair.0).collect())
}

impl Thinking {
    /// Sections written as tags with these names.
    pub fn tags<S: Into<String>>(tags: impl IntoIterator<Item = S>) -> Self {
        Thinking {
            tags: tags.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Adds a pair of literals that open and close a section.
    #[must_use]
    pub fn delimiters(mut self, open: impl Into<String>, close: impl Into<String>) -> Self {
        self.delimiters.push([open.into(), close.into()]);
        self
    }

    /// Adds a literal before which an open section ends.
    #[must_use]
    pub fn ends_before(mut self, literal: impl Into<String>) -> Self {
        self.ends_before.push(literal.into());
        self
    }

    /// Adds a pair of literals around answers.
    #[must_use]
    pub fn answers(mut self, open: impl Into<String>, close: impl Into<String>) -> Self {
        self.answers.push([open.into(), close.into()]);
        self
    }

    /// Sets what a section becomes.
    #[must_use]
    pub fn mode(mut self, mode: ThinkingMode) -> Self {
        self.mode = mode;
        self
    }

    /// Declares that the prompt has already opened the section.
    #[must_use]
    pub fn starts_open(mut self) -> Self {
        self.starts_open = true;
        self
    }

    /// Sets where a section may begin.
    #[must_use]
    pub fn anchor(mut self, anchor: ThinkingAnchor) -> Self {
        self.anchor = anchor;
        self
    }

    /// Sets what an unclosed section is.
    #[must_use]
    pub fn unclosed(mut self, unclosed: UnclosedThinking) -> Self {
        self.unclosed = unclosed;
        self
    }

    /// Sets what a closer without an opener becomes.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.orphan_close = orphan_close;
        self
    }

    /// Sets which white space is dropped.
    #[must_use]
    pub fn trim(mut self, trim: ThinkingTrim) -> Self {
        self.trim = trim;
        self
    }

    /// Sets whether an opener inside a section needs its own closer.
    #[must_use]
    pub fn nesting(mut self, nesting: ThinkingNesting) -> Self {
        self.nesting = nesting;
        self
    }
}

/// What a thinking section becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ThinkingMode {
    /// Thought events.
    #[default]
    Extract,
    /// Nothing.
    Hide,
    /// Text, tags included, exactly as it arrived.
    Show,
}

/// Where a thinking section may begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ThinkingAnchor {
    /// Anywhere in text.
    #[default]
    Anywhere,
    /// Only before any visible text or element; later tags are text.
    Start,
}

/// What an unclosed section is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum UnclosedThinking {
    /// A thought.
    #[default]
    Thought,
    /// Text.
    Reveal,
    /// Nothing.
    Hide,
}

/// What a closer without an opener becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum OrphanClose {
    /// Dropped, with a notice.
    #[default]
    Drop,
    /// Text.
    Keep,
}

/// Which white space is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ThinkingTrim {
    /// None.
    #[default]
    None,
    /// Before the first visible text.
    Answer,
    /// At both ends of a thought.
    Thought,
    /// Both.
    Both,
}

impl ThinkingTrim {
    pub(crate) fn answer(self) -> bool {
        matches!(self, ThinkingTrim::Answer | ThinkingTrim::Both)
    }

    pub(crate) fn thought(self) -> bool {
        matches!(self, ThinkingTrim::Thought | ThinkingTrim::Both)
    }
}

/// Whether an opener inside a section needs its own closer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ThinkingNesting {
    /// Yes.
    #[default]
    Count,
    /// No: the first closer ends the section.
    First,
}

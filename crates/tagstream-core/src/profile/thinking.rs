//! Which sections are thinking, and what becomes of them.

/// Thinking sections: how they are written and what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Thinking {
    /// Tag names, compared without regard to ASCII case.
    pub tags: Vec<String>,
    /// Literal pairs of any shape: what opens a section and what closes it.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "pairs"))]
    pub delimiters: Vec<[String; 2]>,
    /// What a section becomes.
    pub mode: ThinkingMode,
    /// The prompt has already opened the section.
    pub starts_open: bool,
    /// Where a section may begin.
    pub anchor: Anchor,
    /// What a section without a closer was, once the message ends.
    pub unclosed: Unclosed,
    /// What becomes of a closer without an opener.
    pub orphan_close: OrphanClose,
    /// Which white space is dropped.
    pub trim: Trim,
    /// Whether an opener inside a section needs a closer of its own.
    pub nesting: Nesting,
}

/// Reads pairs, and refuses what is none: some formats would drop the rest of a longer list.
#[cfg(feature = "serde")]
fn pairs<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Vec<[String; 2]>, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(try_from = "Vec<String>")]
    struct Pair([String; 2]);

    impl TryFrom<Vec<String>> for Pair {
        type Error = String;

        fn try_from(list: Vec<String>) -> Result<Self, String> {
            let wrong = |list: Vec<String>| {
                format!("wrong length {}; allowed: a list of 2 strings", list.len())
            };
            list.try_into().map(Pair).map_err(wrong)
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

    /// Sets what a section becomes.
    #[must_use]
    pub fn mode(mut self, mode: ThinkingMode) -> Self {
        self.mode = mode;
        self
    }

    /// The prompt has already opened the section.
    #[must_use]
    pub fn starts_open(mut self) -> Self {
        self.starts_open = true;
        self
    }

    /// Sets where a section may begin.
    #[must_use]
    pub fn anchor(mut self, anchor: Anchor) -> Self {
        self.anchor = anchor;
        self
    }

    /// Sets what an unclosed section was.
    #[must_use]
    pub fn unclosed(mut self, unclosed: Unclosed) -> Self {
        self.unclosed = unclosed;
        self
    }

    /// Sets what becomes of a closer without an opener.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.orphan_close = orphan_close;
        self
    }

    /// Sets which white space is dropped.
    #[must_use]
    pub fn trim(mut self, trim: Trim) -> Self {
        self.trim = trim;
        self
    }

    /// Sets whether an opener inside a section needs a closer of its own.
    #[must_use]
    pub fn nesting(mut self, nesting: Nesting) -> Self {
        self.nesting = nesting;
        self
    }
}

/// What a thinking section becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ThinkingMode {
    /// Thought events.
    #[default]
    Extract,
    /// Nothing.
    Hide,
    /// Text, tags and all, exactly as it came.
    Show,
}

/// Where a thinking section may begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Anchor {
    /// Anywhere in text.
    #[default]
    Anywhere,
    /// Only before any visible text or element; later tags are text.
    Start,
}

/// What an unclosed section was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Unclosed {
    /// A thought all the same.
    #[default]
    Thought,
    /// Text.
    Reveal,
    /// Nothing.
    Hide,
}

/// What becomes of a closer without an opener.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum OrphanClose {
    /// It is dropped, with a notice.
    #[default]
    Drop,
    /// It is text.
    Keep,
}

/// Which white space is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Trim {
    /// None.
    #[default]
    None,
    /// Before the first visible text.
    Answer,
    /// At both ends of a thought.
    Thought,
    /// Both of these.
    Both,
}

impl Trim {
    pub(crate) fn answer(self) -> bool {
        matches!(self, Trim::Answer | Trim::Both)
    }

    pub(crate) fn thought(self) -> bool {
        matches!(self, Trim::Thought | Trim::Both)
    }
}

/// Whether an opener inside a section needs a closer of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Nesting {
    /// It does.
    #[default]
    Count,
    /// The first closer ends it all.
    First,
}

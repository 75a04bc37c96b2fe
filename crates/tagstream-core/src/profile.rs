//! Profiles: which markup counts. Plain data, with the names and defaults of the specification.

mod calls;
mod limits;
mod thinking;

use crate::policy::{Policy, ProfileError};

pub use calls::{
    CallSettings, CallsInThinking, CallsInside, RefusedCalls, ToolSignature, UnknownTool,
};
pub use limits::Limits;
pub use thinking::{
    OrphanClose, Thinking, ThinkingAnchor, ThinkingMode, ThinkingNesting, ThinkingTrim,
    UnclosedThinking,
};

/// Which markup counts in a message, and what it becomes.
///
/// Every field has a default. Set fields, or chain the methods:
///
/// ```
/// use tagstream_core::{Element, ThinkingMode, Profile, Thinking};
///
/// let policy = Profile::new()
///     .thinking(Thinking::tags(["think"]).mode(ThinkingMode::Hide))
///     .element(Element::named("node").children(["title"]))
///     .compile()?;
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Profile {
    /// Whether markup inside Markdown code is text.
    pub code: CodeStyle,
    /// For which fences there is a notice when elements or calls in them were left as text.
    pub code_notices: CodeNotices,
    /// Literals that are removed from text and from thoughts.
    pub markers: Vec<String>,
    /// Tags that are removed from text, without what is between them.
    pub unwrap: Vec<String>,
    /// Tags whose sections are dropped, like hidden thinking.
    pub hide: Vec<String>,
    /// Whether these sections are also dropped from thinking. In shown thinking they always are.
    pub hide_in_thinking: bool,
    /// Thinking sections.
    pub thinking: Thinking,
    /// Tool calls, if they are wanted. Profile files name dialects and contain schemas, which are
    /// not this crate's subject: reading this key is left to the crate `tagstream`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub calls: Option<CallSettings>,
    /// Tags that are reported as data.
    pub elements: Vec<Element>,
    /// The limits on what is held and collected.
    pub limits: Limits,
}

/// How code in text is recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CodeStyle {
    /// Fences and backtick spans hide the markup inside them.
    #[default]
    Markdown,
    /// Backticks have no meaning.
    None,
}

/// For which fences there is a notice when elements or calls in them were left as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CodeNotices {
    /// For no fence.
    #[default]
    None,
    /// For a fence that the message ends in: its closing line may have been forgotten.
    Unclosed,
    /// For every fence.
    All,
}

#[cfg(feature = "serde")]
fn keep() -> OrphanClose {
    OrphanClose::Keep
}

#[cfg(feature = "serde")]
fn yes() -> bool {
    true
}

/// A tag whose attributes and body are reported as data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Element {
    /// Its tag name; `*` takes any name.
    pub name: String,
    /// The tags that count inside it. A child that is declared as an element is an element of its
    /// own; any other child is a part.
    #[cfg_attr(feature = "serde", serde(default))]
    pub children: Vec<String>,
    /// What a closing tag without an opening tag becomes: text, by default.
    #[cfg_attr(feature = "serde", serde(default = "keep"))]
    pub orphan_close: OrphanClose,
    /// Whether an opening tag of its own name inside it is text and needs a closing tag of its own.
    /// Otherwise it ends an element whose closing tag was forgotten.
    #[cfg_attr(feature = "serde", serde(default = "yes"))]
    pub nests: bool,
}

impl Profile {
    /// A profile in which nothing counts: everything is text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how code is recognised.
    #[must_use]
    pub fn code(mut self, code: CodeStyle) -> Self {
        self.code = code;
        self
    }

    /// Sets for which fences there is a notice when elements or calls in them were left as text.
    #[must_use]
    pub fn code_notices(mut self, code_notices: CodeNotices) -> Self {
        self.code_notices = code_notices;
        self
    }

    /// Adds a literal that is removed.
    #[must_use]
    pub fn marker(mut self, literal: impl Into<String>) -> Self {
        self.markers.push(literal.into());
        self
    }

    /// Adds a tag that is removed from text, without what is between it and its closing tag.
    #[must_use]
    pub fn unwrap(mut self, tag: impl Into<String>) -> Self {
        self.unwrap.push(tag.into());
        self
    }

    /// Adds a tag whose sections are dropped.
    #[must_use]
    pub fn hide(mut self, tag: impl Into<String>) -> Self {
        self.hide.push(tag.into());
        self
    }

    /// Sets whether the sections to hide are also dropped from thinking.
    #[must_use]
    pub fn hide_in_thinking(mut self, hide_in_thinking: bool) -> Self {
        self.hide_in_thinking = hide_in_thinking;
        self
    }

    /// Sets the thinking sections.
    #[must_use]
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.thinking = thinking;
        self
    }

    /// Sets how tool calls are read.
    #[must_use]
    pub fn calls(mut self, calls: impl Into<CallSettings>) -> Self {
        self.calls = Some(calls.into());
        self
    }

    /// Adds an element.
    #[must_use]
    pub fn element(mut self, element: Element) -> Self {
        self.elements.push(element);
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Checks the profile and compiles it into a policy that any number of engines can share.
    ///
    /// # Errors
    /// A profile that cannot work is refused. The error names the key and what is allowed.
    pub fn compile(&self) -> Result<Policy, ProfileError> {
        Policy::new(self)
    }
}

impl Element {
    /// An element with this tag name; `*` takes any name.
    pub fn named(name: impl Into<String>) -> Self {
        Element {
            name: name.into(),
            children: Vec::new(),
            orphan_close: OrphanClose::Keep,
            nests: true,
        }
    }

    /// Sets whether elements of this name may be inside one another.
    #[must_use]
    pub fn nests(mut self, nests: bool) -> Self {
        self.nests = nests;
        self
    }

    /// Sets what a closing tag without an opening tag becomes.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.orphan_close = orphan_close;
        self
    }

    pub(crate) fn has_child(&self, name: &str) -> bool {
        let mut children = self.children.iter();
        children.any(|child| child.eq_ignore_ascii_case(name))
    }

    /// Sets the tags that count inside it.
    #[must_use]
    pub fn children<S: Into<String>>(mut self, children: impl IntoIterator<Item = S>) -> Self {
        self.children = children.into_iter().map(Into::into).collect();
        self
    }
}

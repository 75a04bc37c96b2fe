//! What a user says counts as markup: plain data, with the contract's names and defaults.

mod calls;
mod limits;
mod thinking;

use crate::policy::{Policy, ProfileError};

pub use calls::{Calls, Inside, Tool, UnknownTool};
pub use limits::Limits;
pub use thinking::{Anchor, Nesting, OrphanClose, Thinking, ThinkingMode, Trim, Unclosed};

/// Which markup counts in a message, and what becomes of it.
///
/// Every field has the default of the contract. Change fields, or chain the methods:
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
    /// Literals that are removed from text and from thoughts.
    pub markers: Vec<String>,
    /// Tags whose sections are dropped, as hidden thinking is.
    pub hide: Vec<String>,
    /// Thinking sections.
    pub thinking: Thinking,
    /// Calls, if they are wanted. Files of profiles name dialects and hold schemas, which other
    /// crates know of: there, this key is theirs to read.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub calls: Option<Calls>,
    /// Tags that are wanted as data.
    pub elements: Vec<Element>,
    /// The caps on what may be held and collected.
    pub limits: Limits,
}

/// How code is recognised in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CodeStyle {
    /// Fences and backtick spans hide the markup inside them.
    #[default]
    Markdown,
    /// Backticks mean nothing.
    None,
}

#[cfg(feature = "serde")]
fn keep() -> OrphanClose {
    OrphanClose::Keep
}

/// A tag whose attributes and body are wanted as data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Element {
    /// Its tag name; `*` takes any name.
    pub name: String,
    /// The tags that count inside it. One that is declared as an element itself is an element of
    /// its own there, any other is a part.
    #[cfg_attr(feature = "serde", serde(default))]
    pub children: Vec<String>,
    /// What becomes of a closer without an opener; it is text unless this says otherwise.
    #[cfg_attr(feature = "serde", serde(default = "keep"))]
    pub orphan_close: OrphanClose,
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

    /// Adds a literal that is removed.
    #[must_use]
    pub fn marker(mut self, literal: impl Into<String>) -> Self {
        self.markers.push(literal.into());
        self
    }

    /// Adds a tag whose sections are dropped.
    #[must_use]
    pub fn hide(mut self, tag: impl Into<String>) -> Self {
        self.hide.push(tag.into());
        self
    }

    /// Sets the thinking sections.
    #[must_use]
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.thinking = thinking;
        self
    }

    /// Sets how calls are read.
    #[must_use]
    pub fn calls(mut self, calls: Calls) -> Self {
        self.calls = Some(calls);
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
    /// A profile that cannot work is refused, with the key that is to blame and what is allowed.
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
        }
    }

    /// Sets what becomes of a closer without an opener.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.orphan_close = orphan_close;
        self
    }

    /// Sets the tags that count inside it.
    #[must_use]
    pub fn children<S: Into<String>>(mut self, children: impl IntoIterator<Item = S>) -> Self {
        self.children = children.into_iter().map(Into::into).collect();
        self
    }
}

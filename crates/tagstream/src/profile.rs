//! What a user says counts as markup: plain data, with the contract's names and defaults.

use crate::check::Checker;
use crate::dialect::Dialect;
use crate::policy::{Policy, ProfileError};

/// Which markup counts in a message, and what becomes of it.
///
/// Every field has the default of the contract. Change fields, or chain the methods:
///
/// ```
/// use tagstream::{Element, Mode, Profile, Thinking};
///
/// let policy = Profile::new()
///     .thinking(Thinking::tags(["think"]).mode(Mode::Hide))
///     .element(Element::named("node").children(["title"]))
///     .compile()?;
/// # Ok::<(), tagstream::ProfileError>(())
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
    pub mode: Mode,
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

/// What a thinking section becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Mode {
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

/// Calls: how they are written, which tools there are, and what becomes of the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Calls {
    /// The ways in which a call may be written.
    pub dialects: Vec<Dialect>,
    /// The tools there are. With none, every name is accepted.
    pub tools: Vec<Tool>,
    /// Whether a call without its wrapper counts, if its name is declared.
    pub unwrapped: bool,
    /// What becomes of calls in thinking.
    pub in_thinking: Inside,
    /// What becomes of calls in code.
    pub in_code: Inside,
    /// What becomes of a call of a tool that is not declared.
    pub unknown_tool: UnknownTool,
    /// Whether the entities of XML in values are decoded.
    pub decode_entities: bool,
    /// What becomes of a closer without an opener.
    pub orphan_close: OrphanClose,
    /// How many calls a message may have.
    pub max_calls: Option<u64>,
    /// What ids begin with where the model gives none; the number of the call follows.
    pub id_prefix: String,
    /// Who judges the calls that are complete.
    pub checker: Checker,
}

impl Default for Calls {
    fn default() -> Self {
        Calls {
            dialects: Vec::new(),
            tools: Vec::new(),
            unwrapped: false,
            in_thinking: Inside::Ignore,
            in_code: Inside::Ignore,
            unknown_tool: UnknownTool::Report,
            decode_entities: false,
            orphan_close: OrphanClose::Keep,
            max_calls: None,
            id_prefix: "call_".to_owned(),
            checker: Checker::default(),
        }
    }
}

/// A tool as far as reading a call depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// Other names that arguments may come under: the other name, and the argument.
    pub aliases: Vec<(String, String)>,
}

/// What becomes of calls that stand inside something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Inside {
    /// They are part of it.
    #[default]
    Ignore,
    /// They are calls all the same.
    Promote,
}

/// What becomes of a call of a tool that is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum UnknownTool {
    /// It is an error.
    #[default]
    Report,
    /// It is text.
    Text,
    /// It is a call.
    Pass,
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

/// The caps on what may be held and collected, in bytes, and on nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Limits {
    /// A longer tag is text.
    pub tag: usize,
    /// How far a code span's partner, or the end of a fence's opening line, may be.
    pub span: usize,
    /// How long a section, white space or an element of any name may wait.
    pub lookahead: usize,
    /// How much of a body is collected.
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
    /// Sets the length past which a tag is text.
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

    /// Sets how long a section, white space or an element of any name may wait.
    #[must_use]
    pub fn lookahead(mut self, lookahead: usize) -> Self {
        self.lookahead = lookahead;
        self
    }

    /// Sets how much of a value or a body is collected.
    #[must_use]
    pub fn value(mut self, value: usize) -> Self {
        self.value = value;
        self
    }

    /// Sets the depth past which openers are text.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }
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
    pub fn mode(mut self, mode: Mode) -> Self {
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

impl Calls {
    /// Calls in these dialects.
    pub fn dialects(dialects: impl IntoIterator<Item = Dialect>) -> Self {
        Calls {
            dialects: dialects.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Sets the tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets whether a call without its wrapper counts, if its name is declared.
    #[must_use]
    pub fn unwrapped(mut self, unwrapped: bool) -> Self {
        self.unwrapped = unwrapped;
        self
    }

    /// Sets what becomes of calls in thinking.
    #[must_use]
    pub fn in_thinking(mut self, in_thinking: Inside) -> Self {
        self.in_thinking = in_thinking;
        self
    }

    /// Sets what becomes of calls in code.
    #[must_use]
    pub fn in_code(mut self, in_code: Inside) -> Self {
        self.in_code = in_code;
        self
    }

    /// Sets what becomes of a call of a tool that is not declared.
    #[must_use]
    pub fn unknown_tool(mut self, unknown_tool: UnknownTool) -> Self {
        self.unknown_tool = unknown_tool;
        self
    }

    /// Sets whether the entities of XML in values are decoded.
    #[must_use]
    pub fn decode_entities(mut self, decode_entities: bool) -> Self {
        self.decode_entities = decode_entities;
        self
    }

    /// Sets what becomes of a closer without an opener.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.orphan_close = orphan_close;
        self
    }

    /// Sets how many calls a message may have.
    #[must_use]
    pub fn max_calls(mut self, max_calls: impl Into<Option<u64>>) -> Self {
        self.max_calls = max_calls.into();
        self
    }

    /// Sets who judges the calls that are complete.
    #[must_use]
    pub fn checker(mut self, checker: Checker) -> Self {
        self.checker = checker;
        self
    }
}

impl Tool {
    /// A tool with these arguments.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Tool {
            name: name.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            aliases: Vec::new(),
        }
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

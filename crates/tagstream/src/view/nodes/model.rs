//! What a canvas is made of, and what may be wrong with it.

use serde::{Serialize, Serializer};
use std::fmt;

/// A node that is whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its row; may be negative.
    pub row: i64,
    /// Its column; may be negative.
    pub col: i64,
    /// Its text.
    pub content: String,
    /// The innermost group around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
}

impl Node {
    /// A node with this id, at the origin and without content.
    pub fn new(id: impl Into<String>) -> Self {
        Node {
            id: id.into(),
            ..Self::default()
        }
    }
}

/// A node as far as it has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IncompleteNode<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its type.
    pub kind: NodeKind,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its row; 0 if it has none.
    pub row: i64,
    /// Its column; 0 if it has none.
    pub col: i64,
    /// Its text so far, without what may be the start of a tag.
    pub content: &'a str,
    /// How often the content has begun anew: a line that is less indented than those before it
    /// changes them. Otherwise the content only grows.
    pub restarts: usize,
    /// The innermost group around it.
    pub group_id: Option<&'a str>,
}

/// The type of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names explain themselves")]
pub enum NodeKind {
    #[default]
    Default,
    Concept,
    Step,
    Resource,
    Warning,
    Insight,
    Question,
}

impl Serialize for NodeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl NodeKind {
    pub(super) const ALL: [(&'static str, Self); 7] = [
        ("default", Self::Default),
        ("concept", Self::Concept),
        ("step", Self::Step),
        ("resource", Self::Resource),
        ("warning", Self::Warning),
        ("insight", Self::Insight),
        ("question", Self::Question),
    ];

    pub(super) const ALLOWED: &'static str =
        "default, concept, step, resource, warning, insight, question";

    /// The type as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// A group of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its row; 0 if it has none.
    pub row: i64,
    /// Its column; 0 if it has none.
    pub col: i64,
    /// The complete nodes that are directly in it, and not in a group inside it.
    pub nodes: Vec<Node>,
    /// The ids of the nodes that it names as its members.
    pub members: Vec<String>,
    /// The innermost group around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
}

impl Group {
    /// A group with this id and this title, without nodes.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Group {
            id: id.into(),
            title: title.into(),
            ..Self::default()
        }
    }
}

/// A line between two nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Edge {
    /// The id of the node where it begins.
    pub from: String,
    /// The id of the node where it ends.
    pub to: String,
    /// Where it points.
    pub dir: Direction,
    /// What is written on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Edge {
    /// An edge between the nodes with these ids.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Edge {
            from: from.into(),
            to: to.into(),
            ..Self::default()
        }
    }
}

/// Where an edge points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Direction {
    /// From its first node to its second.
    #[default]
    Forward,
    /// Both ways.
    Bi,
    /// Nowhere.
    None,
}

impl Serialize for Direction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Direction {
    pub(super) const ALL: [(&'static str, Self); 3] = [
        ("forward", Self::Forward),
        ("bi", Self::Bi),
        ("none", Self::None),
    ];

    pub(super) const ALLOWED: &'static str = "forward, bi, none";

    /// The direction as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// What was wrong with an element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The name of its tag; empty for what was not read as an element.
    pub element: &'static str,
    /// Where it begins, in bytes of the message.
    pub place: u64,
    /// Whether the element is left out because of it.
    pub left_out: bool,
    /// Everything that was wrong.
    pub reasons: Vec<Reason>,
}

impl Notice {
    /// What was wrong with the element whose tag begins at this byte of the message.
    #[must_use]
    pub fn new(element: &'static str, place: u64, left_out: bool, reasons: Vec<Reason>) -> Self {
        Notice {
            element,
            place,
            left_out,
            reasons,
        }
    }
}

/// One thing that was wrong with an element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It lacks this attribute.
    Missing(&'static str),
    /// An attribute has an invalid value.
    Wrong {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// It is a member that is not in a group.
    NoGroup,
    /// Its text is longer than the profile's limit.
    TooLong,
    /// Its closing tag is missing, but where it ends is clear.
    NoCloser,
    /// It is in a Markdown fence, so that it is text; in words.
    InCode(String),
    /// The message ended before it.
    Unclosed,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.element.is_empty() {
            let left_out = if self.left_out { " is left out" } else { "" };
            write!(f, "<{}> at byte {}{left_out}: ", self.element, self.place)?;
        }
        let reasons: Vec<String> = self.reasons.iter().map(ToString::to_string).collect();
        f.write_str(&reasons.join(", "))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Missing(attribute) => write!(f, "`{attribute}` is missing"),
            Reason::Wrong {
                attribute,
                value,
                allowed,
            } => write!(f, "`{attribute}` is {value:?}; allowed: {allowed}"),
            Reason::NoGroup => write!(f, "it is not in a group"),
            Reason::TooLong => write!(f, "its text is longer than limits.value"),
            Reason::NoCloser => write!(f, "it has no closing tag and ends before the next tag"),
            Reason::InCode(message) => f.write_str(message),
            Reason::Unclosed => write!(f, "it has no closing tag"),
        }
    }
}

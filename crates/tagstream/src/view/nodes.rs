//! Nodes: a model draws a canvas, and each node can be shown while it is being written.
//!
//! | tag | attributes | becomes |
//! |---|---|---|
//! | `<node>` | `id`, `row`, `col`; `type`, `title` | a [`Node`]; its text is the content |
//! | `<group>` | `id`; `title`, `row`, `col` | a [`Group`] of the nodes in it |
//! | `<member/>` | `id` | the id of a node elsewhere, listed in the group that contains the tag |
//! | `<edge/>` | `from`, `to`; `dir`, `label` | an [`Edge`] |
//!
//! Append the message in chunks of any size. Each finished node, group and edge is returned once,
//! in the order of the message, whichever method is called first. Unfinished ones can be read at
//! any time: updating them takes time in proportion to the new text, and reading them borrows.
//!
//! ```
//! use tagstream::view::Nodes;
//!
//! let mut nodes = Nodes::new();
//! nodes.append("Here: <node id='n1' type='concept' row='0' col='1'>\n  Ideas &amp; plans</no");
//! let open = nodes.incomplete_nodes().next().unwrap();
//! assert_eq!((open.id, open.content), ("n1", "Ideas & plans"));
//!
//! nodes.append("de><node id='n2'>no place</node><edge from='n1' to='n2' dir='bi'/>");
//! nodes.finish();
//! let edges = nodes.complete_edges();
//! assert_eq!((edges[0].from.as_str(), edges[0].to.as_str()), ("n1", "n2"));
//! let complete = nodes.complete_nodes();
//! assert_eq!(complete.len(), 1);
//! assert_eq!(complete[0].content, "Ideas & plans");
//! assert_eq!(nodes.incomplete_nodes().count(), 0);
//!
//! let notice = &nodes.notices()[0];
//! assert_eq!(
//!     notice.to_string(),
//!     "<node> at byte 78 is left out: `row` is missing, `col` is missing"
//! );
//! ```
//!
//! # Content
//!
//! The content of a node is dedented by the smallest indent of its non-blank lines, trimmed, and
//! its entities are decoded, in this order; attributes are decoded too. It is the same for
//! complete and incomplete nodes, except that an incomplete one never ends with the start of a tag
//! or of an entity.
//!
//! # Forgotten closing tags
//!
//! A node whose closing tag was forgotten ends before the next opening tag of a node, group, member or
//! edge, or with the group around it, and is reported. An opening tag after an odd number of backticks in
//! its line is content. [`Element::nests`] turns this off.
//!
//! # Code
//!
//! A canvas in Markdown code is text. One in a fence is reported; with
//! [`CodeStyle::None`](crate::CodeStyle::None) it is a canvas like any other.
//!
//! # What cannot be used
//!
//! An element with a missing or wrong attribute is reported once, by [`Nodes::notices`], and does
//! not affect what follows. A complete node needs `id`, `row` and `col`, an incomplete one only
//! `id`; a group needs `id`, an edge `from` and `to`, a member `id` and a group around it. A wrong
//! value of an attribute with a default is replaced by the default, with a notice.

mod canvas;
mod model;
mod read;

pub use canvas::{Canvas, Incomplete};
pub use model::{Direction, Edge, Group, IncompleteNode, Node, NodeKind, Notice, Reason};

use super::sanitize_content;
use crate::{CodeNotices, Element, Engine, Policy, Profile};

/// Another name for [`Nodes`].
pub type IncrementalXmlParser = Nodes;

/// Reads a message in chunks and returns the nodes, groups and edges in it.
///
/// The [module](self) describes them. The whole message is kept for
/// [`full_content`](Self::full_content).
#[derive(Debug)]
pub struct Nodes {
    /// None once the message is finished.
    engine: Option<Engine>,
    canvas: Canvas,
    message: String,
}

impl Default for Nodes {
    fn default() -> Self {
        Self::new()
    }
}

impl Nodes {
    /// A reader with the [profile](Self::profile) of a canvas.
    ///
    /// # Panics
    /// Never: that profile is valid.
    #[must_use]
    pub fn new() -> Self {
        let policy = Self::profile().compile().expect("its names are distinct");
        Self::with_policy(&policy)
    }

    /// A reader with another policy. Only elements with the names above are used.
    #[must_use]
    pub fn with_policy(policy: &Policy) -> Self {
        Nodes {
            engine: Some(Engine::new(policy)),
            canvas: Canvas::default(),
            message: String::new(),
        }
    }

    /// The profile of a canvas, the same as the preset `canvas`.
    #[must_use]
    pub fn profile() -> Profile {
        Profile::new()
            .code_notices(CodeNotices::All)
            .element(Element::named("node").nests(false))
            .element(Element::named("group").children(["node", "group", "member", "edge"]))
            .element(Element::named("member"))
            .element(Element::named("edge"))
    }

    /// Reads the next chunk. Does nothing after [`finish`](Self::finish).
    pub fn append(&mut self, chunk: &str) {
        if let Some(engine) = &mut self.engine {
            self.message.push_str(chunk);
            engine.push(chunk, |event| self.canvas.event(&event));
            self.canvas.update(engine.open_elements());
        }
    }

    /// Ends the message. Open elements stay incomplete and are reported.
    pub fn finish(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.finish(|event| self.canvas.event(&event));
            self.canvas.finish();
        }
    }

    /// The finished nodes that have not been returned yet.
    pub fn complete_nodes(&mut self) -> Vec<Node> {
        self.canvas.complete_nodes()
    }

    /// The finished groups that have not been returned yet, inner ones first.
    pub fn complete_groups(&mut self) -> Vec<Group> {
        self.canvas.complete_groups()
    }

    /// The finished edges that have not been returned yet.
    pub fn complete_edges(&mut self) -> Vec<Edge> {
        self.canvas.complete_edges()
    }

    /// The open nodes, as far as they have been read.
    pub fn incomplete_nodes(&self) -> impl Iterator<Item = IncompleteNode<'_>> {
        self.canvas.incomplete().filter_map(|(_, it)| match it {
            Incomplete::Node(node) => Some(node),
            Incomplete::Group(_) => None,
        })
    }

    /// The open groups, outermost first, each with its complete nodes.
    pub fn incomplete_groups(&self) -> impl Iterator<Item = &Group> {
        self.canvas.incomplete().filter_map(|(_, it)| match it {
            Incomplete::Group(group) => Some(group),
            Incomplete::Node(_) => None,
        })
    }

    /// What was wrong with elements since the last call of this method.
    pub fn notices(&mut self) -> Vec<Notice> {
        self.canvas.notices()
    }

    /// The message so far.
    #[must_use]
    pub fn full_content(&self) -> &str {
        &self.message
    }

    /// The end of the message that is not part of anything finished: from the outermost open
    /// element on, or else what may be the start of one.
    #[must_use]
    pub fn unprocessed_content(&self) -> &str {
        let from = usize::try_from(self.canvas.unprocessed_from());
        from.map_or("", |from| &self.message[from..])
    }

    /// How many bytes have been looked at, counting each time: for tests of linear work.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.canvas.looked() + self.engine.as_ref().map_or(0, Engine::steps)
    }
}

/// Other names of the same methods.
impl Nodes {
    /// As [`complete_nodes`](Self::complete_nodes).
    pub fn detect_complete_nodes(&mut self) -> Vec<Node> {
        self.complete_nodes()
    }

    /// As [`incomplete_nodes`](Self::incomplete_nodes).
    pub fn detect_incomplete_nodes(&self) -> impl Iterator<Item = IncompleteNode<'_>> {
        self.incomplete_nodes()
    }

    /// As [`complete_groups`](Self::complete_groups).
    pub fn detect_complete_groups(&mut self) -> Vec<Group> {
        self.complete_groups()
    }

    /// As [`incomplete_groups`](Self::incomplete_groups).
    pub fn detect_incomplete_groups(&self) -> impl Iterator<Item = &Group> {
        self.incomplete_groups()
    }

    /// As [`complete_edges`](Self::complete_edges).
    pub fn detect_complete_edges(&mut self) -> Vec<Edge> {
        self.complete_edges()
    }

    /// As [`sanitize_content`].
    #[must_use]
    pub fn sanitize_content(content: &str) -> &str {
        sanitize_content(content)
    }
}

//! The state that events build up: what is finished, and the open elements.

use super::read::Read;
use super::{Direction, Edge, Group, IncompleteNode, Node, NodeKind, Notice, Reason};
use crate::Attributes;
use crate::view::layout::Layout;
use crate::{ElementView, Event, EventKind, NoticeCode};

/// Nodes, groups and edges: made from the events of any engine or stream.
///
/// [`Nodes`](super::Nodes) is one with an engine of its own. Its methods do what those of the same
/// name do there.
#[derive(Debug, Default)]
pub struct Canvas {
    /// The engine's open elements, outermost first.
    open: Vec<Open>,
    /// What the message has cut off, innermost first.
    cut_off: Vec<Open>,
    nodes: Vec<Node>,
    groups: Vec<Group>,
    edges: Vec<Edge>,
    notices: Vec<Notice>,
    /// How much of the message the events account for.
    read: u64,
    /// What finished nodes have cost.
    looked: u64,
}

/// A node or a group that is not finished.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Incomplete<'a> {
    /// A node, as far as it has come.
    Node(IncompleteNode<'a>),
    /// A group, with its complete nodes.
    Group(&'a Group),
}

/// An element that is open.
#[derive(Debug)]
struct Open {
    /// The engine's number of it.
    id: u64,
    place: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Node(OpenNode),
    Group(Group),
    Member,
    Edge,
    Other,
}

#[derive(Debug)]
struct OpenNode {
    node: Node,
    /// It has all attributes that a complete node needs.
    usable: bool,
    layout: Layout,
}

impl Canvas {
    /// Takes the next event.
    pub fn event(&mut self, event: &Event<'_>) {
        self.read = event.span.end;
        match event.kind {
            EventKind::ElementStart {
                id,
                name,
                attributes,
                ..
            } => self.start(id, event.span.start, name, attributes),
            EventKind::ElementEnd(view) => {
                // One that is too long is incomplete too, but it has a closing tag.
                let is_cut_off = !view.complete && event.span.start == event.span.end;
                self.end(&view, is_cut_off);
            }
            EventKind::Notice {
                code: NoticeCode::Repaired,
                ..
            } => self.end_is_missing(),
            EventKind::Notice {
                code: NoticeCode::InCode | NoticeCode::UnclosedFence,
                message,
                ..
            } => {
                let reason = Reason::InCode(message.to_owned());
                self.report_reason("", event.span.start, reason);
            }
            _ => {}
        }
    }

    /// Reads what is new in the open nodes. Give it the open elements of the engine or the stream
    /// after each chunk: they leave off what may be the beginning of a tag.
    pub fn update<'a>(&mut self, open: impl IntoIterator<Item = ElementView<'a>>) {
        for (open, view) in self.open.iter_mut().zip(open) {
            open.read(&view);
        }
    }

    /// The message is over: reports what it has cut off, unless it was reported before.
    pub fn finish(&mut self) {
        let cut_off = self.cut_off.iter().rev();
        let cut_off = cut_off.filter(|open| open.is_usable()).filter_map(|open| {
            let element = open.what.name()?;
            Some((element, open.place))
        });
        for (element, place) in cut_off.collect::<Vec<_>>() {
            self.report_reason(element, place, Reason::Unclosed);
        }
    }

    /// The nodes that have been finished and not been given yet.
    pub fn complete_nodes(&mut self) -> Vec<Node> {
        std::mem::take(&mut self.nodes)
    }

    /// The groups that have been finished and not been given yet, inner ones first.
    pub fn complete_groups(&mut self) -> Vec<Group> {
        std::mem::take(&mut self.groups)
    }

    /// The edges that have been finished and not been given yet.
    pub fn complete_edges(&mut self) -> Vec<Edge> {
        std::mem::take(&mut self.edges)
    }

    /// The nodes and groups that are open or were cut off, outermost first, each with the number
    /// of its element in the message.
    pub fn incomplete(&self) -> impl Iterator<Item = (u64, Incomplete<'_>)> {
        let numbered = |open| Some((Open::id(open), Open::incomplete(open)?));
        self.unfinished().filter_map(numbered)
    }

    /// What was wrong with elements, since this was last asked for.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    fn unfinished(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().chain(self.cut_off.iter().rev())
    }

    /// Where the end of the message begins that nothing finished has come of yet.
    pub(super) fn unprocessed_from(&self) -> u64 {
        self.unfinished()
            .next()
            .map_or(self.read, |open| open.place)
    }

    pub(super) fn looked(&self) -> u64 {
        let nodes = self.unfinished().filter_map(Open::node);
        self.looked + nodes.map(|node| node.layout.looked()).sum::<u64>()
    }

    fn start(&mut self, id: u64, place: u64, name: &str, attributes: Attributes<'_>) {
        let mut read = Read::new(attributes);
        let what = match name.to_ascii_lowercase().as_str() {
            "node" => self.start_node(place, &mut read),
            "group" => self.start_group(place, &mut read),
            "member" => What::Member,
            "edge" => What::Edge,
            _ => What::Other,
        };
        self.open.push(Open { id, place, what });
    }

    fn start_node(&mut self, place: u64, read: &mut Read<'_>) -> What {
        let node = Node {
            id: read.required("id"),
            kind: read.one_of("type", &NodeKind::ALL, NodeKind::ALLOWED),
            title: read.optional("title"),
            row: read.number("row", true),
            col: read.number("col", true),
            content: String::new(),
            group_id: self.group_id(),
        };
        self.report("node", place, read);
        What::Node(OpenNode {
            node,
            usable: read.usable,
            layout: Layout::default(),
        })
    }

    fn start_group(&mut self, place: u64, read: &mut Read<'_>) -> What {
        let group = Group {
            id: read.required("id"),
            title: read
                .optional("title")
                .unwrap_or_else(|| UNTITLED.to_owned()),
            row: read.number("row", false),
            col: read.number("col", false),
            group_id: self.group_id(),
            ..Group::default()
        };
        self.report("group", place, read);
        What::Group(group)
    }

    fn end(&mut self, view: &ElementView<'_>, is_cut_off: bool) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        if is_cut_off {
            open.read(&view.without_tag_start());
            return self.cut_off.push(open);
        }
        let Open { place, what, .. } = open;
        let mut read = Read::new(view.attributes);
        match what {
            What::Node(node) => self.end_node(place, node, view),
            What::Group(group) if !group.id.is_empty() => self.groups.push(group),
            What::Member => self.end_member(place, &mut read),
            What::Edge => self.end_edge(place, &mut read),
            What::Group(_) | What::Other => {}
        }
    }

    fn end_node(&mut self, place: u64, open: OpenNode, view: &ElementView<'_>) {
        let mut node = open.node;
        self.looked += open.layout.looked();
        if !view.complete {
            return self.report_reason("node", place, Reason::TooLong);
        }
        if !open.usable {
            return;
        }
        node.content = open.layout.finish(view.body.unwrap_or(""));
        let mut groups = self.open.iter_mut().rev().filter_map(Open::group_mut);
        if let Some(group) = groups.find(|group| !group.id.is_empty()) {
            group.nodes.push(node.clone());
        }
        self.nodes.push(node);
    }

    fn end_member(&mut self, place: u64, read: &mut Read<'_>) {
        let id = read.required("id");
        match self.open.iter_mut().rev().find_map(Open::group_mut) {
            Some(group) if read.usable => group.members.push(id),
            Some(_) => {}
            None => read.refuse(Reason::NoGroup),
        }
        self.report("member", place, read);
    }

    fn end_edge(&mut self, place: u64, read: &mut Read<'_>) {
        let edge = Edge {
            from: read.required("from"),
            to: read.required("to"),
            dir: read.one_of("dir", &Direction::ALL, Direction::ALLOWED),
            label: read.optional("label"),
        };
        self.report("edge", place, read);
        if read.usable {
            self.edges.push(edge);
        }
    }

    /// The innermost element ends next, without its closing tag: elements have no other repairs.
    fn end_is_missing(&mut self) {
        let open = self.open.last().and_then(|open| {
            let element = open.what.name()?;
            Some((element, open.place))
        });
        if let Some((element, place)) = open {
            self.notices.push(Notice {
                element,
                place,
                left_out: false,
                reasons: vec![Reason::NoCloser],
            });
        }
    }

    /// The innermost open group that has an id.
    fn group_id(&self) -> Option<String> {
        let mut groups = self.open.iter().rev().filter_map(Open::group);
        groups
            .find(|group| !group.id.is_empty())
            .map(|group| group.id.clone())
    }

    // Reporting.

    fn report(&mut self, element: &'static str, place: u64, read: &mut Read<'_>) {
        if !read.reasons.is_empty() {
            self.notices.push(Notice {
                element,
                place,
                left_out: !read.usable,
                reasons: std::mem::take(&mut read.reasons),
            });
        }
    }

    fn report_reason(&mut self, element: &'static str, place: u64, reason: Reason) {
        self.notices.push(Notice {
            element,
            place,
            left_out: true,
            reasons: vec![reason],
        });
    }
}

impl Open {
    fn id(&self) -> u64 {
        self.id
    }

    /// Reads what is new in it.
    fn read(&mut self, view: &ElementView<'_>) {
        if let What::Node(node) = &mut self.what {
            node.layout.update(view.body.unwrap_or(""));
        }
    }

    /// What can be shown of it: it needs an id.
    fn incomplete(&self) -> Option<Incomplete<'_>> {
        match &self.what {
            What::Node(node) if !node.node.id.is_empty() => Some(Incomplete::Node(node.shown())),
            What::Group(group) if !group.id.is_empty() => Some(Incomplete::Group(group)),
            _ => None,
        }
    }

    /// Whether it has all attributes that it needs, as far as that has been looked at.
    fn is_usable(&self) -> bool {
        match &self.what {
            What::Node(node) => node.usable,
            What::Group(group) => !group.id.is_empty(),
            What::Member | What::Edge | What::Other => true,
        }
    }

    fn node(&self) -> Option<&OpenNode> {
        match &self.what {
            What::Node(node) => Some(node),
            _ => None,
        }
    }

    fn group(&self) -> Option<&Group> {
        match &self.what {
            What::Group(group) => Some(group),
            _ => None,
        }
    }

    fn group_mut(&mut self) -> Option<&mut Group> {
        match &mut self.what {
            What::Group(group) => Some(group),
            _ => None,
        }
    }
}

impl What {
    fn name(&self) -> Option<&'static str> {
        match self {
            What::Node(_) => Some("node"),
            What::Group(_) => Some("group"),
            What::Member => Some("member"),
            What::Edge => Some("edge"),
            What::Other => None,
        }
    }
}

impl OpenNode {
    fn shown(&self) -> IncompleteNode<'_> {
        IncompleteNode {
            id: &self.node.id,
            kind: self.node.kind,
            title: self.node.title.as_deref(),
            row: self.node.row,
            col: self.node.col,
            content: self.layout.shown(),
            restarts: self.layout.restarts(),
            group_id: self.node.group_id.as_deref(),
        }
    }
}

const UNTITLED: &str = "Untitled Group";

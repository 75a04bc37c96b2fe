//! The state that events build up: what is finished, and the open elements.

use super::read::Read;
use super::{Direction, Edge, Group, IncompleteNode, Node, NodeKind, Notice, Reason};
use crate::Attributes;
use crate::Engine;
use crate::view::layout::Layout;
use crate::{ElementView, Event, EventKind};

/// What the events so far have built up.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// The engine's open elements, outermost first.
    pub(super) open: Vec<Open>,
    pub(super) nodes: Vec<Node>,
    pub(super) groups: Vec<Group>,
    pub(super) edges: Vec<Edge>,
    pub(super) notices: Vec<Notice>,
    /// How much of the message the events account for.
    pub(super) read: u64,
    /// The message has ended: elements that end now are incomplete.
    pub(super) finishing: bool,
    /// How many bytes were looked at for finished nodes.
    pub(super) looked: u64,
}

/// An element that is open.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) place: u64,
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
pub(super) struct OpenNode {
    node: Node,
    /// It has all attributes that a complete node needs.
    usable: bool,
    pub(super) layout: Layout,
}

impl Canvas {
    pub(crate) fn event(&mut self, event: Event<'_>) {
        self.read = event.span.end;
        match event.kind {
            EventKind::ElementStart {
                name, attributes, ..
            } => self.start(event.span.start, name, attributes),
            EventKind::ElementEnd(view) if !self.finishing => self.end(&view),
            _ => {}
        }
    }
}

impl Canvas {
    /// Reads what is new in the open nodes.
    pub(super) fn catch_up(&mut self, engine: &Engine) {
        for (open, view) in self.open.iter_mut().zip(engine.open_elements()) {
            if let What::Node(node) = &mut open.what {
                node.layout.update(view.body.unwrap_or(""));
            }
        }
    }

    fn start(&mut self, place: u64, name: &str, attributes: Attributes<'_>) {
        let mut read = Read::new(attributes);
        let what = match name.to_ascii_lowercase().as_str() {
            "node" => self.start_node(place, &mut read),
            "group" => self.start_group(place, &mut read),
            "member" => What::Member,
            "edge" => What::Edge,
            _ => What::Other,
        };
        self.open.push(Open { place, what });
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

    fn end(&mut self, view: &ElementView<'_>) {
        let Some(Open { place, what }) = self.open.pop() else {
            return;
        };
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

    /// Reports elements that were open at the end of the message.
    pub(super) fn report_open(&mut self) {
        let open = self.open.iter().filter_map(|open| {
            let element = open.what.name()?;
            Some((element, open.place))
        });
        for (element, place) in open.collect::<Vec<_>>() {
            self.report_reason(element, place, Reason::Unclosed);
        }
    }
}

impl Open {
    pub(super) fn node(&self) -> Option<&OpenNode> {
        match &self.what {
            What::Node(node) => Some(node),
            _ => None,
        }
    }

    pub(super) fn group(&self) -> Option<&Group> {
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
    pub(super) fn shown(&self) -> IncompleteNode<'_> {
        IncompleteNode {
            id: &self.node.id,
            kind: self.node.kind,
            title: self.node.title.as_deref(),
            row: self.node.row,
            col: self.node.col,
            content: self.layout.shown(),
            group_id: self.node.group_id.as_deref(),
        }
    }
}

const UNTITLED: &str = "Untitled Group";

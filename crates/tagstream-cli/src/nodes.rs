//! `nodes`: a canvas of nodes, groups and edges as JSON lines, and with `--partial` also while they
//! grow.

use crate::args::Common;
use crate::failure::{Failure, say};
use crate::output::Output;
use crate::problems::Problems;
use crate::stream::{self, Outcome, View};
use serde::Serialize;
use std::collections::HashMap;
use tagstream::view::nodes::{Canvas, Group, Incomplete, IncompleteNode};
use tagstream::{Event, EventKind, NoticeCode, Profile};
use tagstream_wire::{Session, WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  printf '<node id=\"n1\" row=\"0\" col=\"0\">Hi</node>' | tagstream nodes
  printf '\"<node id=n1 row=0 col=0>Hi</\"\\n\"node>\"' | tagstream nodes --chunks --partial")]
pub(crate) struct NodesArgs {
    #[command(flatten)]
    common: Common,

    /// After each chunk, print what is new in nodes and groups that are still open
    #[arg(long)]
    partial: bool,
}

pub(crate) fn run(args: &NodesArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile("nodes")?;
    if !has_nodes(&profile) {
        say(
            "the profile declares no element `node`, so no node will be found; see --preset canvas",
        );
    }
    let mut view = Nodes {
        partial: args.partial,
        canvas: Canvas::default(),
        shown: HashMap::new(),
    };
    stream::run(&args.common, &profile, &mut view)
}

fn has_nodes(profile: &Profile) -> bool {
    let mut names = profile.elements.iter().map(|element| &element.name);
    names.any(|name| name.eq_ignore_ascii_case("node"))
}

struct Nodes {
    partial: bool,
    canvas: Canvas,
    /// How much of each open node and group has been printed.
    shown: HashMap<u64, Shown>,
}

/// Of a node, how much of its content has been printed since it last began anew; of a group, how
/// many members.
#[derive(Clone, Copy, Default)]
struct Shown {
    restarts: usize,
    length: usize,
}

/// What is finished.
#[derive(Serialize)]
struct Finished<T> {
    element: &'static str,
    #[serde(flatten)]
    model: T,
    complete: bool,
}

/// What is new in an open node.
#[derive(Serialize)]
struct NodeGrowth<'a> {
    element: &'static str,
    id: &'a str,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    row: i64,
    col: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    reset: bool,
    complete: bool,
}

/// What is new in an open group: its nodes have lines of their own.
#[derive(Serialize)]
struct GroupGrowth<'a> {
    element: &'static str,
    id: &'a str,
    title: &'a str,
    row: i64,
    col: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<&'a str>,
    members: &'a [String],
    complete: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl View for Nodes {
    /// An event finishes one thing at most, so that they are printed in their order.
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        self.canvas.event(&event);
        let canvas = &mut self.canvas;
        finished("node", canvas.complete_nodes(), out);
        finished("group", canvas.complete_groups(), out);
        finished("edge", canvas.complete_edges(), out);
    }

    /// The canvas reports an element without its closing tag, and what is in code.
    fn reports(&self, event: &WireEvent<'_>) -> bool {
        let WireKind::Message(EventKind::Notice { code, .. }) = event.event else {
            return false;
        };
        let is_known = matches!(
            code,
            NoticeCode::Repaired | NoticeCode::InCode | NoticeCode::UnclosedFence
        );
        event.choice == 0 && is_known
    }

    fn problems(&mut self, problems: &mut Problems) {
        for notice in self.canvas.notices() {
            let code = if notice.left_out {
                "dropped"
            } else {
                "repaired"
            };
            problems.report_always(&format!("{code}: {notice}"));
        }
    }

    fn chunk_read(&mut self, session: &Session, out: &mut Output) {
        let open = session.open_elements();
        let first = open.filter(|(choice, _)| *choice == 0);
        self.canvas.update(first.map(|(_, view)| view));
        self.print_growth(out);
    }

    fn finished(&mut self, out: &mut Output) {
        self.canvas.finish();
        self.print_growth(out);
    }
}

fn finished<T: Serialize>(element: &'static str, models: Vec<T>, out: &mut Output) {
    for model in models {
        out.json(&Finished {
            element,
            model,
            complete: true,
        });
    }
}

impl Nodes {
    fn print_growth(&mut self, out: &mut Output) {
        if !self.partial {
            return;
        }
        let before = std::mem::take(&mut self.shown);
        for (number, open) in self.canvas.incomplete() {
            let before = before.get(&number).copied();
            let now = match open {
                Incomplete::Node(node) => grow_node(&node, before, out),
                Incomplete::Group(group) => grow_group(group, before, out),
                _ => continue,
            };
            self.shown.insert(number, now);
        }
    }
}

/// Prints what is new in this node. One that has just opened is new even without text.
fn grow_node(node: &IncompleteNode<'_>, before: Option<Shown>, out: &mut Output) -> Shown {
    let shown = before.unwrap_or_default();
    let reset = shown.restarts != node.restarts && shown.length > 0;
    let from = if reset { 0 } else { shown.length };
    let text = &node.content[from..];
    if before.is_none() || reset || !text.is_empty() {
        out.json(&NodeGrowth {
            element: "node",
            id: node.id,
            r#type: node.kind.as_str(),
            title: node.title,
            row: node.row,
            col: node.col,
            group_id: node.group_id,
            text,
            reset,
            complete: false,
        });
    }
    Shown {
        restarts: node.restarts,
        length: node.content.len(),
    }
}

fn grow_group(group: &Group, before: Option<Shown>, out: &mut Output) -> Shown {
    let from = before.map_or(0, |shown| shown.length);
    let members = &group.members[from..];
    if before.is_none() || !members.is_empty() {
        out.json(&GroupGrowth {
            element: "group",
            id: &group.id,
            title: &group.title,
            row: group.row,
            col: group.col,
            group_id: group.group_id.as_deref(),
            members,
            complete: false,
        });
    }
    Shown {
        restarts: 0,
        length: group.members.len(),
    }
}

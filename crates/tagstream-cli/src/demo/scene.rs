//! The scenes of the demo: a recorded answer each, how it is read, and what is made of it.

use super::page::{Page, Paint};
use crate::args::find_preset;
use crate::failure::Failure;

use tagstream::view::nodes::{Canvas, Incomplete, Node};
use tagstream::{Calls, Engine, Event, EventKind, Profile, ThinkingTrim, Tools};

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Scene {
    /// Thinking is taken out of an answer, except where its tags are quoted
    Thinking,
    /// Tool calls of GLM are given their types and checked; one is refused
    Calls,
    /// The nodes of a canvas grow, without the tag that is being written
    Canvas,
}

impl Scene {
    pub(crate) const ALL: [Scene; 3] = [Scene::Thinking, Scene::Calls, Scene::Canvas];

    pub(super) fn title(self) -> &'static str {
        match self {
            Scene::Thinking => "Thinking, and tags that are only quoted",
            Scene::Calls => "Tool calls as GLM writes them, typed and checked",
            Scene::Canvas => "A canvas, while it is drawn",
        }
    }

    /// The answer, a token a line, as `--chunks` reads it.
    pub(super) fn answer(self) -> &'static str {
        match self {
            Scene::Thinking => include_str!("answers/thinking.jsonl"),
            Scene::Calls => include_str!("answers/calls.jsonl"),
            Scene::Canvas => include_str!("answers/canvas.jsonl"),
        }
    }

    pub(super) fn profile(self) -> Result<Profile, Failure> {
        match self {
            Scene::Thinking => {
                let mut profile = find_preset("thinking").profile();
                profile.thinking.trim = ThinkingTrim::Answer;
                Ok(profile)
            }
            Scene::Calls => {
                let tools = Tools::parse(TOOLS).map_err(Failure::because)?;
                let calls = Calls::dialect("glm").map_err(Failure::because)?;
                Ok(Profile::new().calls(calls.tools(&tools)))
            }
            Scene::Canvas => Ok(find_preset("canvas").profile()),
        }
    }
}

const TOOLS: &str = r#"[{"name": "weather", "input_schema": {"type": "object", "properties":
    {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}]"#;

/// What is made of the answer.
#[derive(Default)]
pub(super) struct Made {
    /// Text, and calls in lines of their own.
    text: Page,
    canvas: Canvas,
    nodes: Vec<Node>,
    edges: Page,
}

impl Made {
    /// Takes an event, and returns what its bytes are.
    pub(super) fn event(&mut self, event: &Event<'_>) -> Paint {
        self.canvas.event(event);
        self.nodes.extend(self.canvas.complete_nodes());
        for edge in self.canvas.complete_edges() {
            let label = edge.label.as_deref().unwrap_or_default();
            let line = format!("{} → {}  {label}\n", edge.from, edge.to);
            self.edges.add(&line, Paint::Plain);
        }
        match event.kind {
            EventKind::Text(text) => {
                self.text.add(text, Paint::Plain);
                Paint::Plain
            }
            EventKind::CallEnd {
                name, arguments, ..
            } => {
                self.text
                    .add(&format!("✓ {name} {arguments}\n"), Paint::Good);
                Paint::Call
            }
            EventKind::CallError { name, message, .. } => {
                let name = name.unwrap_or_default();
                let line = format!("✗ {name} was refused: {message}\n");
                self.text.add(&line, Paint::Refused);
                Paint::Call
            }
            EventKind::CallStart { .. } | EventKind::CallDelta { .. } => Paint::Call,
            EventKind::ElementStart { .. }
            | EventKind::ElementDelta { .. }
            | EventKind::ElementEnd(_) => Paint::Call,
            EventKind::Skip { reason, .. } => Paint::Dropped(reason),
            _ => Paint::Thought,
        }
    }

    /// A token has been read.
    pub(super) fn update(&mut self, engine: &Engine) {
        self.canvas.update(engine.open_elements());
    }

    /// All of it.
    pub(super) fn page(&self) -> Page {
        let mut page = self.text.clone();
        for node in &self.nodes {
            add_node(
                &node.id,
                node.kind.as_str(),
                &node.content,
                Paint::Plain,
                &mut page,
            );
        }
        for (_, open) in self.canvas.incomplete() {
            if let Incomplete::Node(node) = open {
                add_node(
                    node.id,
                    node.kind.as_str(),
                    node.content,
                    Paint::Good,
                    &mut page,
                );
            }
        }
        page.append(&self.edges);
        page
    }
}

fn add_node(id: &str, kind: &str, content: &str, paint: Paint, page: &mut Page) {
    page.add(&format!("┌ {id} ({kind})\n│ "), Paint::Thought);
    page.add(&content.replace('\n', "\n│ "), paint);
    page.add("\n\n", Paint::Plain);
}

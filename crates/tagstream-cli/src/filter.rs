//! `filter`: the visible text, live.
//!
//! All its flags only change the profile. What is hidden is decided by the engine.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{Output, style};
use crate::stream::{self, Outcome, View};
use std::collections::BTreeMap;
use tagstream::{Event, Kind, Mode, Profile};
use tagstream_wire::WireEvent;

#[derive(clap::Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    common: Common,

    /// Show thinking
    #[arg(long)]
    show_thinking: bool,

    /// Show attempt_completion sections
    #[arg(long)]
    show_completion: bool,

    /// Show use_mcp_tool sections
    #[arg(long)]
    show_mcp_use: bool,

    /// Show tool_call sections, where the profile hides them
    #[arg(long)]
    show_tools: bool,

    /// Show system sections, where the profile hides them
    #[arg(long)]
    show_system: bool,

    /// Show sections of this tag, whatever the profile makes of it
    #[arg(long, value_name = "TAG")]
    show: Vec<String>,

    /// Hide sections of this tag
    #[arg(long, value_name = "TAG")]
    hide: Vec<String>,

    /// Tell what kind each piece is
    #[arg(long)]
    verbose: bool,
}

pub(crate) fn run(args: &FilterArgs) -> Result<Outcome, Failure> {
    let mut profile = args.common.profile("filter")?;
    args.change(&mut profile);
    if args.verbose {
        let mut view = Choices {
            first: Verbose::new(args.show_thinking),
            others: BTreeMap::new(),
        };
        return stream::run(&args.common, &profile, &mut view);
    }
    let thoughts = args.show_thinking;
    stream::run(&args.common, &profile, &mut Simple { thoughts })
}

impl FilterArgs {
    fn change(&self, profile: &mut Profile) {
        profile.thinking.mode = self.mode(profile.thinking.mode);
        for tag in self.shown() {
            forget(profile, tag);
        }
        for tag in &self.hide {
            forget(profile, tag);
            profile.hide.push(tag.clone());
        }
    }

    /// What becomes of thinking. Told apart it can be labelled; left in place it is unchanged.
    fn mode(&self, mode: Mode) -> Mode {
        match (self.show_thinking, self.verbose) {
            (true, true) => Mode::Extract,
            (true, false) => Mode::Show,
            (false, true) if mode == Mode::Extract => Mode::Extract,
            (false, _) => Mode::Hide,
        }
    }

    fn shown(&self) -> impl Iterator<Item = &str> {
        let flags = [
            (self.show_completion, "attempt_completion"),
            (self.show_mcp_use, "use_mcp_tool"),
            (self.show_tools, "tool_call"),
            (self.show_system, "system"),
        ];
        let named = flags.into_iter().filter_map(|(on, tag)| on.then_some(tag));
        named.chain(self.show.iter().map(String::as_str))
    }
}

/// Makes a tag mean nothing, so that it passes with what is in it.
fn forget(profile: &mut Profile, tag: &str) {
    let other = |name: &String| !name.eq_ignore_ascii_case(tag);
    profile.hide.retain(other);
    profile.thinking.tags.retain(other);
    profile.elements.retain(|element| other(&element.name));
}

/// The text and nothing else.
struct Simple {
    /// Also thinking that the provider tells apart; what stands in the text is left there.
    thoughts: bool,
}

impl View for Simple {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        match event.kind {
            Kind::Text(text) => out.text(text),
            Kind::Thought(text) if self.thoughts => out.styled(style::DIM, text),
            Kind::ThoughtEnd { .. } if self.thoughts => out.end_line(),
            _ => {}
        }
    }

    fn finished(&mut self, out: &mut Output) {
        out.end_line_on_terminal();
    }
}

/// The first choice live, the others behind it, each under its heading.
struct Choices {
    first: Verbose,
    others: BTreeMap<u64, (Verbose, Output)>,
}

impl View for Choices {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        self.first.event(event, out);
    }

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        let Some(message) = event.message() else {
            return;
        };
        if event.choice == 0 {
            return self.first.event(message, out);
        }
        let new = || (Verbose::new(self.first.thoughts), Output::new());
        let (view, waits) = self.others.entry(event.choice).or_insert_with(new);
        view.event(message, waits);
    }

    fn finished(&mut self, out: &mut Output) {
        for (choice, (_, waits)) in std::mem::take(&mut self.others) {
            out.end_line();
            out.styled(style::LABEL, &format!("[choice {choice}]"));
            out.text("\n");
            out.append(waits);
        }
        out.end_line_on_terminal();
    }
}

/// Each piece under a label that says what it is.
struct Verbose {
    thoughts: bool,
    section: Section,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    None,
    Text,
    Thought,
    Hidden,
    Element,
}

impl View for Verbose {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        match event.kind {
            Kind::Text(text) => {
                self.enter(Section::Text, || "text".to_owned(), out);
                out.text(text);
            }
            Kind::ThoughtStart { tag, .. } => {
                let label = self.thinking(tag);
                self.section = Section::None;
                self.enter(Section::Thought, || label, out);
            }
            Kind::Thought(text) if self.thoughts => out.styled(style::DIM, text),
            Kind::ElementStart { name, .. } => {
                self.section = Section::None;
                self.enter(Section::Element, || format!("element: {name}"), out);
            }
            Kind::Notice { code, message } => {
                out.end_line();
                out.styled(style::WARNING, &format!("[notice: {}]", code.as_str()));
                out.text(&format!(" {message}\n"));
                self.section = Section::None;
            }
            // Tags of a section that has its own label, and dropped white space, are no section.
            Kind::Skip(text) if self.is_outside() && !text.trim_ascii().is_empty() => {
                self.enter(Section::Hidden, || format!("hidden: {}", opener(text)), out);
            }
            Kind::ThoughtEnd { .. } | Kind::ElementEnd(_) => self.section = Section::None,
            _ => {}
        }
    }
}

impl Verbose {
    fn new(thoughts: bool) -> Self {
        let section = Section::None;
        Verbose { thoughts, section }
    }

    fn enter(&mut self, section: Section, label: impl FnOnce() -> String, out: &mut Output) {
        if self.section != section {
            out.end_line();
            out.styled(style::LABEL, &format!("[{}]", label()));
            out.text("\n");
            self.section = section;
        }
    }

    fn is_outside(&self) -> bool {
        matches!(self.section, Section::None | Section::Text)
    }

    fn thinking(&self, tag: Option<&str>) -> String {
        let tag = tag.map_or(String::new(), |tag| format!(": {}", tag.trim()));
        let hidden = if self.thoughts { "" } else { ", hidden" };
        format!("thinking{tag}{hidden}")
    }
}

/// The tag that a hidden section begins with, or as much of it as fits a label.
fn opener(text: &str) -> String {
    let tag = text.trim_ascii().split_inclusive('>').next().unwrap_or("");
    tag.chars().take(40).collect()
}

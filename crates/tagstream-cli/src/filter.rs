//! `filter`: the visible text, live.
//!
//! The view of the library decides what is hidden; here it is put on the screen.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{Output, style, visible};
use crate::problems::Problems;
use crate::stream::{self, Outcome, View};
use crate::unclosed::Unclosed;
use std::collections::BTreeMap;
use tagstream::view::FilterOptions;
use tagstream::view::filter::{Piece, Pieces, Section, SectionKind};
use tagstream::{Event, EventKind, NoticeCode, Profile, SkipReason};
use tagstream_wire::{WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  printf '<think>plan</think>5 < 6' | tagstream filter
  printf '<think>plan</think>5 < 6' | tagstream filter --verbose
  printf 'data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\\n\\n' | tagstream filter --from openai")]
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

    /// Show sections of this tag unchanged, whatever the profile says about it, even if it is a tool's
    #[arg(long, value_name = "TAG")]
    show: Vec<String>,

    /// Hide sections of this tag
    #[arg(long, value_name = "TAG")]
    hide: Vec<String>,

    /// Label each piece with what it is
    #[arg(long)]
    verbose: bool,
}

pub(crate) fn run(args: &FilterArgs) -> Result<Outcome, Failure> {
    check("--show", &args.show)?;
    check("--hide", &args.hide)?;
    let loaded = args.common.loaded("filter")?;
    let options = args.options(loaded.profile).rules(loaded.filter);
    let pieces = Pieces::new(&options);
    let profile = options.profile();
    // Who asks for a tag as it is knows what it looks like.
    let hints = !args.show_tools && args.show.is_empty();
    if args.verbose {
        let first = Verbose::new(pieces);
        let others = BTreeMap::new();
        let mut view = Choices {
            options: &options,
            hide: &args.hide,
            first,
            others,
            orphans: Vec::new(),
            unclosed: Unclosed::default(),
            hints,
        };
        return stream::run(&args.common, &profile, &mut view);
    }
    let mut view = Simple {
        options: &options,
        hide: &args.hide,
        pieces,
        thoughts: args.show_thinking,
        follows_thought: false,
        unclosed: Unclosed::default(),
        hints,
    };
    stream::run(&args.common, &profile, &mut view)
}

/// Rejects what cannot be a tag. An error of the compiled profile would not name the flag.
fn check(flag: &str, tags: &[String]) -> Result<(), Failure> {
    for tag in tags {
        let compiled = Profile::new().hide(tag).compile();
        compiled.map_err(|error| Failure::because(format_args!("{flag}: {}", error.problem())))?;
    }
    Ok(())
}

/// What a flag does.
type Change = fn(FilterOptions) -> FilterOptions;

impl FilterArgs {
    fn options(&self, profile: Profile) -> FilterOptions {
        let mut options = FilterOptions::new(profile);
        for (given, change) in self.flags() {
            if given {
                options = change(options);
            }
        }
        options = self.show.iter().fold(options, FilterOptions::show);
        self.hide.iter().fold(options, FilterOptions::hide)
    }

    fn flags(&self) -> [(bool, Change); 6] {
        [
            (self.show_thinking, FilterOptions::show_thinking),
            (self.show_completion, FilterOptions::show_completion),
            (self.show_mcp_use, FilterOptions::show_mcp_use),
            (self.show_tools, FilterOptions::show_tools),
            (self.show_system, FilterOptions::show_system),
            (self.verbose, FilterOptions::verbose),
        ]
    }
}

/// The text and nothing else.
struct Simple<'a> {
    options: &'a FilterOptions,
    /// The tags that a flag hides.
    hide: &'a [String],
    pieces: Pieces,
    /// Also thinking that the provider reports by itself; what is in the text is left there.
    thoughts: bool,
    /// Nothing has been shown since a thought of the provider's.
    follows_thought: bool,
    unclosed: Unclosed,
    /// Text that looks like a call is pointed out.
    hints: bool,
}

/// What shows the rest of a section that has no closing tag, where these tags are hidden by a flag.
fn remedy(options: &FilterOptions, hide: &[String], tag: &str) -> String {
    let is_this = |other: &String| other.eq_ignore_ascii_case(tag);
    if hide.iter().any(is_this) {
        format!("leave out --hide {tag}")
    } else if options.is_listed(tag) {
        format!("add --show {tag}")
    } else {
        "set `unclosed = \"reveal\"` in the profile, or add --show-thinking".to_owned()
    }
}

impl View for Simple<'_> {
    fn hints(&self) -> bool {
        self.hints
    }

    fn reports(&self, event: &WireEvent<'_>) -> bool {
        Unclosed::reports(event)
    }

    fn problems(&mut self, problems: &mut Problems) {
        self.unclosed.report(problems);
    }

    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        let remedy = |tag: &str| remedy(self.options, self.hide, tag);
        self.unclosed.event(&event.kind, remedy);
        match event.kind {
            EventKind::Thought(text) if self.thoughts => out.styled(style::DIM, text),
            EventKind::ThoughtEnd { .. } if self.thoughts => {
                out.end_line();
                self.follows_thought = true;
            }
            _ => {
                let follows_thought = &mut self.follows_thought;
                self.pieces.event(&event, |piece| {
                    out.text(after_thought(piece.visible(), follows_thought));
                });
            }
        }
    }

    fn finished(&mut self, out: &mut Output) {
        for tag in self.pieces.cut_short() {
            self.unclosed.cut_short(tag);
        }
        out.end_line_on_terminal();
    }
}

/// The text without the blank lines after a thought that has ended its line.
fn after_thought<'t>(text: &'t str, follows_thought: &mut bool) -> &'t str {
    if !*follows_thought {
        return text;
    }
    let text = text.trim_start_matches(['\r', '\n']);
    *follows_thought = text.is_empty();
    text
}

/// The first choice live, the others after it, each under its heading.
struct Choices<'a> {
    options: &'a FilterOptions,
    /// The tags that a flag hides.
    hide: &'a [String],
    first: Verbose,
    others: BTreeMap<u64, (Verbose, Output)>,
    /// Closers without an opener that have not been reported yet.
    orphans: Vec<String>,
    /// Sections of the first choice of which only a part is shown, and the end is missing.
    unclosed: Unclosed,
    /// Text that looks like a call is pointed out.
    hints: bool,
}

impl View for Choices<'_> {
    const SHOWS_REFUSALS: bool = true;
    const SHOWS_GARBAGE: bool = false;

    fn hints(&self) -> bool {
        self.hints
    }

    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        self.first.event(event, out);
    }

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        let Some(message) = event.message() else {
            return;
        };
        let orphans = if event.choice == 0 {
            let remedy = |tag: &str| remedy(self.options, self.hide, tag);
            self.unclosed.event(&message.kind, remedy);
            self.first.event(message, out);
            std::mem::take(&mut self.first.orphans)
        } else {
            let (view, waits) = self.other(event.choice);
            view.event(message, waits);
            std::mem::take(&mut view.orphans)
        };
        self.orphans.extend(orphans);
    }

    /// Only the view knows whether a closer without an opener is shown.
    fn reports(&self, event: &WireEvent<'_>) -> bool {
        let WireKind::Message(EventKind::Notice { code, .. }) = event.event else {
            return false;
        };
        code == NoticeCode::OrphanClose || event.choice == 0 && Unclosed::reports(event)
    }

    fn problems(&mut self, problems: &mut Problems) {
        let orphans = self.orphans.drain(..);
        orphans.for_each(|line| problems.report(&line));
        self.unclosed.report(problems);
    }

    fn finished(&mut self, out: &mut Output) {
        for tag in self.first.pieces.cut_short() {
            self.unclosed.cut_short(tag);
        }
        for (choice, (_, waits)) in std::mem::take(&mut self.others) {
            out.end_line();
            out.styled(style::LABEL, &format!("[choice {choice}]"));
            out.text("\n");
            out.append(waits);
        }
        out.end_line_on_terminal();
    }
}

impl Choices<'_> {
    fn other(&mut self, choice: u64) -> &mut (Verbose, Output) {
        let new = || (Verbose::new(Pieces::new(self.options)), Output::new());
        self.others.entry(choice).or_insert_with(new)
    }
}

/// Each piece under a label.
struct Verbose {
    pieces: Pieces,
    place: Place,
    /// Closers without an opener that were dropped.
    orphans: Vec<String>,
}

/// What the last label was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Text,
    /// What is hidden without a section of its own.
    Hidden,
    Call,
    Thinking,
    Section,
}

impl Verbose {
    fn new(pieces: Pieces) -> Self {
        let place = Place::Start;
        Verbose {
            pieces,
            place,
            orphans: Vec::new(),
        }
    }
}

impl View for Verbose {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        let (place, orphans) = (&mut self.place, &mut self.orphans);
        self.pieces.event(&event, |piece| {
            orphans.extend(orphan(piece));
            place.piece(piece, out);
        });
    }
}

/// The notice of a closer that was dropped.
fn orphan(piece: Piece<'_>) -> Option<String> {
    match piece {
        Piece::Notice { code, message } if code == NoticeCode::OrphanClose => {
            Some(format!("{}: {message}", code.as_str()))
        }
        _ => None,
    }
}

impl Place {
    fn piece(&mut self, piece: Piece<'_>, out: &mut Output) {
        match piece {
            Piece::Text(text) => {
                self.enter(Place::Text, "text", out);
                out.text(text);
            }
            Piece::Open(section) => {
                *self = Place::Start;
                self.enter(Place::of(section), &name(section), out);
            }
            Piece::Inside(text) if *self == Place::Thinking => out.styled(style::DIM, text),
            Piece::Inside(text) => out.text(text),
            Piece::Close => *self = Place::Start,
            Piece::Dropped { reason, text } => self.dropped(reason, text, out),
            Piece::Call { name, arguments } => {
                self.call(&format!("tool call: {name}"), arguments, out);
            }
            Piece::CallError {
                name,
                code,
                message,
            } => {
                let name = name.map_or(String::new(), |name| format!(": {name}"));
                let reason = format!("{}: {message}", code.as_str());
                self.call(&format!("tool call, refused{name}"), &reason, out);
            }
            Piece::Notice { code, message } => self.notice(code.as_str(), message, out),
            _ => {}
        }
    }

    fn of(section: Section<'_>) -> Self {
        match section.kind {
            SectionKind::Thinking => Place::Thinking,
            _ => Place::Section,
        }
    }

    /// Only sections get a label here: markers and white space do not, calls have one of their own,
    /// and a section that has a label does not get another one.
    fn dropped(&mut self, reason: SkipReason, text: &str, out: &mut Output) {
        if matches!(self, Place::Thinking | Place::Section) {
            return;
        }
        match reason {
            SkipReason::Tag | SkipReason::Hidden | SkipReason::EmptySection => {
                self.enter(Place::Hidden, &format!("hidden: {}", opener(text)), out);
            }
            _ => {}
        }
    }

    /// A call has a line for its label and one for its arguments.
    fn call(&mut self, label: &str, line: &str, out: &mut Output) {
        *self = Place::Start;
        self.enter(Place::Call, label, out);
        out.styled(style::DIM, &visible(line));
        out.text("\n");
    }

    /// A notice has a line of its own. Text after it gets its label again.
    fn notice(&mut self, code: &str, message: &str, out: &mut Output) {
        out.end_line();
        out.styled(style::WARNING, &format!("[notice: {code}]"));
        out.text(&format!(" {message}\n"));
        if *self == Place::Text {
            *self = Place::Start;
        }
    }

    fn enter(&mut self, place: Place, label: &str, out: &mut Output) {
        if *self != place {
            out.end_line();
            out.styled(style::LABEL, &format!("[{label}]"));
            out.text("\n");
            *self = place;
        }
    }
}

fn name(section: Section<'_>) -> String {
    let hidden = if section.shown { "" } else { ", hidden" };
    let name = section.name.trim();
    match section.kind {
        SectionKind::Element => format!("element: {name}"),
        SectionKind::Thinking if name.is_empty() => format!("thinking{hidden}"),
        SectionKind::Thinking => format!("thinking: {name}{hidden}"),
        _ => format!("section: {name}{hidden}"),
    }
}

/// The tag that a hidden section begins with, or as much of it as fits a label.
fn opener(text: &str) -> String {
    let tag = text.split_inclusive('>').next().unwrap_or("");
    tag.chars().take(40).collect()
}

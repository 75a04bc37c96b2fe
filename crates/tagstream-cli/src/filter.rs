//! `filter`: the visible text, live.
//!
//! What is hidden is decided by the view of the library; here it is put on the screen.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{Output, style};
use crate::stream::{self, Outcome, View};
use tagstream::view::FilterOptions;
use tagstream::view::filter::{Piece, Pieces, Section, SectionKind};
use tagstream::{Event, Profile};

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
    let options = args.options(args.common.profile("filter")?);
    let pieces = Pieces::new(&options).map_err(Failure::because)?;
    let profile = options.profile();
    if args.verbose {
        let place = Place::Start;
        return stream::run(&args.common, &profile, &mut Verbose { pieces, place });
    }
    stream::run(&args.common, &profile, &mut Simple(pieces))
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
struct Simple(Pieces);

impl View for Simple {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        self.0.event(&event, &mut |piece| out.text(piece.visible()));
    }

    fn finished(&mut self, out: &mut Output) {
        out.end_line_on_terminal();
    }
}

/// Each piece under a label that says what it is.
struct Verbose {
    pieces: Pieces,
    place: Place,
}

/// What the last label has said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Text,
    Dropped,
    Thinking,
    Section,
}

impl View for Verbose {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        let place = &mut self.place;
        self.pieces
            .event(&event, &mut |piece| place.piece(piece, out));
    }

    fn finished(&mut self, out: &mut Output) {
        out.end_line_on_terminal();
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
            Piece::Dropped(text) => self.dropped(text, out),
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

    /// White space that is dropped, and what belongs to a section that has its label, is not told.
    fn dropped(&mut self, text: &str, out: &mut Output) {
        let outside = matches!(self, Place::Start | Place::Text);
        if outside && !text.trim_ascii().is_empty() {
            self.enter(Place::Dropped, &format!("hidden: {}", opener(text)), out);
        }
    }

    /// A notice stands on a line of its own. Text gets its label again behind it.
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
    let tag = text.trim_ascii().split_inclusive('>').next().unwrap_or("");
    tag.chars().take(40).collect()
}

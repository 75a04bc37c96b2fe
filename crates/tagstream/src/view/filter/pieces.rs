//! What the filter emits: text, and sections as they open and close.

use super::rule::{FirstLine, TagRule};
use super::{FilterOptions, has};
use crate::{CallErrorCode, Engine, Policy, ProfileError};
use crate::{Event, EventKind, NoticeCode, SkipReason};

/// A labelled piece of the message.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Piece<'a> {
    /// Visible text.
    Text(&'a str),
    /// A section opens.
    Open(Section<'a>),
    /// Visible text of the section that is open.
    Inside(&'a str),
    /// The section ends.
    Close,
    /// What is dropped outside of sections: markers and empty sections. Also hidden sections, if
    /// thinking has settings that do not apply to them.
    Dropped {
        /// Why.
        reason: SkipReason,
        /// The bytes.
        text: &'a str,
    },
    /// A complete tool call, found in the text or reported by the provider.
    Call {
        /// The tool.
        name: &'a str,
        /// Its arguments, as JSON.
        arguments: &'a str,
    },
    /// A tool call that was refused.
    CallError {
        /// The tool, if it is known.
        name: Option<&'a str>,
        /// Why, as a code.
        code: CallErrorCode,
        /// Why, in words.
        message: &'a str,
    },
    /// A notice.
    Notice {
        /// Its code.
        code: NoticeCode,
        /// In words.
        message: &'a str,
    },
}

impl<'a> Piece<'a> {
    /// The visible text in it.
    #[must_use]
    pub fn visible(&self) -> &'a str {
        match self {
            Piece::Text(text) | Piece::Inside(text) => text,
            _ => "",
        }
    }
}

/// A section that opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// What it is.
    pub kind: SectionKind,
    /// The name of its tag, or its opening literal; empty if the prompt opened it.
    pub name: &'a str,
    /// Whether its text is shown.
    pub shown: bool,
}

/// What a section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SectionKind {
    /// Thinking.
    Thinking,
    /// Another section, listed by its tag.
    Tag,
    /// An element of the profile, which is data and not text.
    Element,
}

/// Turns the events of an engine with the [profile](FilterOptions::profile) of some options into
/// [`Piece`]s.
#[derive(Debug)]
pub struct Pieces {
    options: FilterOptions,
    /// How a section is read of which something is shown.
    inside: Policy,
    open: Option<Open>,
    /// The engine's message about an orphan closing tag, which the next event drops.
    orphan: Option<String>,
}

/// A section that is open, of which something is shown. It is read once more, for the sections in it.
#[derive(Debug)]
struct Open {
    /// The element, if the section has a rule.
    element: Option<u64>,
    engine: Engine,
    pieces: Box<Pieces>,
    /// Only the first line is shown.
    first_line: Option<FirstLine>,
}

impl Pieces {
    /// For the events of an engine with these options.
    ///
    /// # Errors
    /// The profile is invalid, or one of the tags is not a name.
    pub fn new(options: &FilterOptions) -> Result<Self, ProfileError> {
        let inside = options.profile_inside().compile()?;
        Ok(Self::with(options.clone(), inside))
    }

    fn with(options: FilterOptions, inside: Policy) -> Self {
        Pieces {
            options,
            inside,
            open: None,
            orphan: None,
        }
    }

    /// Emits the pieces of an event. Simple output has only text.
    pub fn event(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Piece<'_>)) {
        self.take(event, sink);
    }

    fn take(&mut self, event: &Event<'_>, sink: &mut dyn FnMut(Piece<'_>)) {
        match event.kind {
            EventKind::Text(text) => sink(Piece::Text(text)),
            EventKind::ElementStart { id, name, .. } if self.is_ruled(name) => {
                self.open_ruled(id, name, sink);
            }
            EventKind::ElementDelta { id, text, .. } if self.is_open(id) => self.read(text, sink),
            EventKind::ElementEnd(view) if self.is_open(view.id) => self.close(sink),
            _ if self.options.verbose => self.verbose(event, sink),
            _ => {}
        }
    }

    fn verbose(&mut self, event: &Event<'_>, sink: &mut dyn FnMut(Piece<'_>)) {
        match event.kind {
            EventKind::ThoughtStart { tag, .. } => self.open(tag.unwrap_or(""), sink),
            EventKind::Thought(text) => self.read(text, sink),
            EventKind::ThoughtEnd { .. } => self.close(sink),
            EventKind::ElementStart { name, .. } => sink(Piece::Open(Section {
                kind: SectionKind::Element,
                name,
                shown: false,
            })),
            EventKind::ElementEnd(_) => sink(Piece::Close),
            EventKind::CallEnd {
                name, arguments, ..
            } => sink(Piece::Call { name, arguments }),
            EventKind::CallError {
                name,
                code,
                message,
                ..
            } => sink(Piece::CallError {
                name,
                code,
                message,
            }),
            EventKind::Notice {
                code: NoticeCode::OrphanClose,
                message,
                ..
            } => self.orphan = Some(message.to_owned()),
            EventKind::Notice { code, message, .. } => sink(Piece::Notice { code, message }),
            EventKind::Skip {
                reason: SkipReason::OrphanClose,
                ..
            } => self.drop_closer(event.raw, sink),
            EventKind::Skip { reason, .. } => sink(Piece::Dropped {
                reason,
                text: event.raw,
            }),
            _ => {}
        }
    }

    /// An orphan closing tag is kept if its tag is shown, as in simple output.
    fn drop_closer(&mut self, text: &str, sink: &mut dyn FnMut(Piece<'_>)) {
        let message = self.orphan.take();
        if self.options.keeps_closer(text) {
            sink(Piece::Text(text));
        } else if let Some(message) = &message {
            let code = NoticeCode::OrphanClose;
            sink(Piece::Notice { code, message });
        }
    }

    // Sections.

    fn open(&mut self, name: &str, sink: &mut dyn FnMut(Piece<'_>)) {
        let section = self.section(name);
        sink(Piece::Open(section));
        self.open = section.shown.then(|| self.inside(None, None));
    }

    fn section<'a>(&self, name: &'a str) -> Section<'a> {
        let options = &self.options;
        let is_listed = has(&options.profile.hide, name) || options.rule_of(name).is_some();
        let (kind, shown) = match is_listed {
            true => (SectionKind::Tag, options.should_show_tag(name)),
            false => (SectionKind::Thinking, options.show_thinking),
        };
        Section { kind, name, shown }
    }

    fn is_ruled(&self, name: &str) -> bool {
        let mut ruled = self.options.ruled();
        ruled.any(|rule| rule.tag.eq_ignore_ascii_case(name))
    }

    fn open_ruled(&mut self, id: u64, name: &str, sink: &mut dyn FnMut(Piece<'_>)) {
        sink(Piece::Open(Section {
            kind: SectionKind::Tag,
            name,
            shown: true,
        }));
        let mut first_line = None;
        match self.options.rule_of(name) {
            Some(TagRule::Replace(text)) => {
                sink(Piece::Inside(text));
                first_line = Some(FirstLine::Over);
            }
            Some(TagRule::FirstLine) => first_line = Some(FirstLine::Before),
            _ => {}
        }
        self.open = Some(self.inside(Some(id), first_line));
    }

    fn is_open(&self, id: u64) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| open.element == Some(id))
    }

    /// Reads a section of which something is shown, whose own tags are not text.
    fn inside(&self, element: Option<u64>, first_line: Option<FirstLine>) -> Open {
        let mut options = self.options.clone();
        options.verbose = false;
        Open {
            element,
            engine: Engine::new(&self.inside),
            pieces: Box::new(Pieces::with(options, self.inside.clone())),
            first_line,
        }
    }

    fn read(&mut self, text: &str, sink: &mut dyn FnMut(Piece<'_>)) {
        if let Some(open) = &mut self.open {
            let (pieces, line) = (&mut open.pieces, &mut open.first_line);
            open.engine
                .push(text, |event| shown(&event, pieces, line, sink));
        }
    }

    fn close(&mut self, sink: &mut dyn FnMut(Piece<'_>)) {
        if let Some(mut open) = self.open.take() {
            let (pieces, line) = (&mut open.pieces, &mut open.first_line);
            open.engine
                .finish(|event| shown(&event, pieces, line, sink));
        }
        sink(Piece::Close);
    }
}

/// The pieces of an event inside a section of which something is shown.
fn shown(
    event: &Event<'_>,
    pieces: &mut Pieces,
    line: &mut Option<FirstLine>,
    sink: &mut dyn FnMut(Piece<'_>),
) {
    if let EventKind::Notice { code, message, .. } = event.kind {
        return sink(Piece::Notice { code, message });
    }
    pieces.take(event, &mut |piece| {
        let text = piece.visible();
        let text = line.as_mut().map_or(text, |line| line.part(text));
        if !text.is_empty() {
            sink(Piece::Inside(text));
        }
    });
}

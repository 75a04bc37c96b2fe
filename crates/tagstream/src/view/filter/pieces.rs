//! What the filter emits: text, and sections as they open and close.

use super::{FilterOptions, has};
use crate::{Engine, Policy, ProfileError};
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
    /// How a shown section is read.
    inside: Policy,
    /// Reads the open shown section, to find hidden sections in it.
    open: Option<Engine>,
    /// The engine's message about an orphan closing tag, which the next event drops.
    orphan: Option<String>,
}

impl Pieces {
    /// For the events of an engine with these options.
    ///
    /// # Errors
    /// The profile is invalid, or one of the tags is not a name.
    pub fn new(options: &FilterOptions) -> Result<Self, ProfileError> {
        Ok(Pieces {
            options: options.clone(),
            inside: options.profile_inside().compile()?,
            open: None,
            orphan: None,
        })
    }

    /// Emits the pieces of an event. Simple output has only text.
    pub fn event(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Piece<'_>)) {
        match event.kind {
            EventKind::Text(text) => sink(Piece::Text(text)),
            _ if self.options.verbose => self.verbose(event, sink),
            _ => {}
        }
    }

    fn verbose(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Piece<'_>)) {
        match event.kind {
            EventKind::ThoughtStart { tag, .. } => self.open(tag.unwrap_or(""), sink),
            EventKind::Thought(text) => self.inside(text, sink),
            EventKind::ThoughtEnd { .. } => self.close(sink),
            EventKind::ElementStart { name, .. } => sink(Piece::Open(Section {
                kind: SectionKind::Element,
                name,
                shown: false,
            })),
            EventKind::ElementEnd(_) => sink(Piece::Close),
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
    fn drop_closer(&mut self, text: &str, sink: &mut impl FnMut(Piece<'_>)) {
        let message = self.orphan.take();
        if self.options.keeps_closer(text) {
            sink(Piece::Text(text));
        } else if let Some(message) = &message {
            let code = NoticeCode::OrphanClose;
            sink(Piece::Notice { code, message });
        }
    }

    fn open(&mut self, name: &str, sink: &mut impl FnMut(Piece<'_>)) {
        let section = self.section(name);
        sink(Piece::Open(section));
        self.open = section.shown.then(|| Engine::new(&self.inside));
    }

    fn section<'a>(&self, name: &'a str) -> Section<'a> {
        let options = &self.options;
        let is_named = |tags: &[String]| has(tags, name);
        let rule = is_named(&options.profile.hide) || is_named(&options.show);
        let (kind, shown) = match rule || is_named(&options.hide) {
            true => (SectionKind::Tag, options.should_show_tag(name)),
            false => (SectionKind::Thinking, options.show_thinking),
        };
        Section { kind, name, shown }
    }

    fn inside(&mut self, text: &str, sink: &mut impl FnMut(Piece<'_>)) {
        if let Some(engine) = &mut self.open {
            engine.push(text, |event| shown(&event, sink));
        }
    }

    fn close(&mut self, sink: &mut impl FnMut(Piece<'_>)) {
        if let Some(engine) = self.open.take() {
            engine.finish(|event| shown(&event, sink));
        }
        sink(Piece::Close);
    }
}

/// The pieces of an event inside a shown section.
fn shown(event: &Event<'_>, sink: &mut impl FnMut(Piece<'_>)) {
    match event.kind {
        EventKind::Text(text) => sink(Piece::Inside(text)),
        EventKind::Notice { code, message, .. } => sink(Piece::Notice { code, message }),
        _ => {}
    }
}

//! What the filter emits: text, and sections as they open and close.

use super::rule::{FirstLine, TagRule};
use super::{FilterOptions, has, tag_name};
use crate::{CallErrorCode, Event, EventKind, NoticeCode, SkipReason};

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
#[non_exhaustive]
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
    /// The tags that the engine takes out of the text: those of sections of which something is shown.
    tags: Vec<String>,
    /// Such sections that are open, at most `limits.depth`. Each of them has another name than the
    /// one before it.
    open: Vec<Open>,
    /// The thought that is open, and whether it is shown.
    thought: Option<bool>,
    /// The engine's message about an orphan closing tag, which the next event drops.
    orphan: Option<String>,
}

/// A section that is open, of which something is shown.
#[derive(Debug)]
struct Open {
    name: String,
    /// How many more closing tags it needs than one.
    depth: usize,
    /// It is inside another one and shown as it is, so that its tags are text.
    keeps_tags: bool,
    /// Only the first line is shown, or nothing.
    first_line: Option<FirstLine>,
}

impl Pieces {
    /// For the events of an engine with these options.
    #[must_use]
    pub fn new(options: &FilterOptions) -> Self {
        Pieces {
            options: options.clone(),
            tags: options.profile().unwrap,
            open: Vec::new(),
            thought: None,
            orphan: None,
        }
    }

    /// Emits the pieces of an event. Simple output has only text.
    pub fn event(&mut self, event: &Event<'_>, mut sink: impl FnMut(Piece<'_>)) {
        match event.kind {
            EventKind::Text(text) => self.text(text, &mut sink),
            EventKind::Skip {
                reason: SkipReason::Tag,
                ..
            } if has(&self.tags, tag_name(event.raw)) => self.tag(event.raw, &mut sink),
            _ if self.options.verbose => self.verbose(event, &mut sink),
            _ => {}
        }
    }

    /// The tags of sections that are still open and of which only a part is shown. At the end of the
    /// message they have no closing tag, and what follows their opening tags is missing.
    pub fn cut_short(&self) -> impl Iterator<Item = &str> {
        let open = self.open.iter().filter(|open| open.first_line.is_some());
        open.map(|open| open.name.as_str())
    }

    fn verbose(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Piece<'_>)) {
        match event.kind {
            EventKind::ThoughtStart { tag, .. } => self.open_thought(tag.unwrap_or(""), sink),
            EventKind::Thought(text) if self.thought == Some(true) => self.text(text, sink),
            EventKind::ThoughtEnd { .. } => self.close_thought(sink),
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
            EventKind::Skip { reason, .. } if !self.is_inside() => sink(Piece::Dropped {
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
            self.text(text, sink);
        } else if let Some(message) = &message {
            let code = NoticeCode::OrphanClose;
            sink(Piece::Notice { code, message });
        }
    }

    /// Whether something is open that has a label.
    fn is_inside(&self) -> bool {
        self.thought.is_some() || !self.open.is_empty()
    }

    /// Text, of which the sections around it may show less.
    fn text(&mut self, text: &str, sink: &mut impl FnMut(Piece<'_>)) {
        let mut text = text;
        let lines = self.open.iter_mut().rev();
        for line in lines.filter_map(|open| open.first_line.as_mut()) {
            text = line.part(text);
        }
        let is_labelled = self.options.verbose && self.is_inside();
        match text {
            "" => {}
            text if is_labelled => sink(Piece::Inside(text)),
            text => sink(Piece::Text(text)),
        }
    }

    // Thoughts: in verbose output, all sections that are hidden.

    fn open_thought(&mut self, name: &str, sink: &mut impl FnMut(Piece<'_>)) {
        let section = self.section(name);
        if !self.is_inside() {
            sink(Piece::Open(section));
        }
        self.thought = Some(section.shown);
    }

    fn close_thought(&mut self, sink: &mut impl FnMut(Piece<'_>)) {
        if self.thought.take() == Some(true) {
            // What was opened in it and not closed ends with it.
            self.open.clear();
        }
        if !self.is_inside() {
            sink(Piece::Close);
        }
    }

    fn section<'a>(&self, name: &'a str) -> Section<'a> {
        let options = &self.options;
        let (kind, shown) = if options.is_listed(name) {
            (SectionKind::Tag, !self.is_hidden(name))
        } else {
            (SectionKind::Thinking, options.show_thinking)
        };
        Section { kind, name, shown }
    }

    fn is_hidden(&self, name: &str) -> bool {
        !has(&self.tags, name) && !self.options.should_show_tag(name)
    }

    // Sections of which something is shown: their tags are taken out of the text.

    fn tag(&mut self, tag: &str, sink: &mut impl FnMut(Piece<'_>)) {
        if tag.starts_with("</") {
            return self.close(tag, sink);
        }
        self.open(tag, sink);
        if tag.ends_with("/>") {
            self.close(tag, sink);
        }
    }

    fn open(&mut self, tag: &str, sink: &mut impl FnMut(Piece<'_>)) {
        let name = tag_name(tag);
        let is_again = |open: &&mut Open| open.name.eq_ignore_ascii_case(name);
        if let Some(open) = self.open.last_mut().filter(is_again) {
            open.depth += 1;
            return self.inner_tag(tag, sink);
        }
        if self.open.len() >= self.options.profile.limits.depth {
            return self.inner_tag(tag, sink);
        }
        let is_inside = self.is_inside();
        if is_inside {
            self.inner_tag(tag, sink);
        } else if self.options.verbose {
            sink(Piece::Open(self.section(name)));
        }
        self.open.push(Open {
            name: name.to_owned(),
            depth: 0,
            keeps_tags: is_inside && self.is_shown(name),
            first_line: matches!(self.options.rule_of(name), Some(TagRule::FirstLine))
                .then_some(FirstLine::Before),
        });
        if let Some(TagRule::Replace(text)) = self.options.rule_of(name) {
            let text = text.clone();
            self.text(&text, sink);
            if let Some(open) = self.open.last_mut() {
                open.first_line = Some(FirstLine::Over);
            }
        }
    }

    fn close(&mut self, tag: &str, sink: &mut impl FnMut(Piece<'_>)) {
        let name = tag_name(tag);
        let is_own = |open: &Open| open.name.eq_ignore_ascii_case(name);
        let Some(at) = self.open.iter().rposition(is_own) else {
            return self.orphan(tag, sink);
        };
        let is_written = !tag.ends_with("/>");
        self.open.truncate(at + 1);
        let open = &mut self.open[at];
        if open.depth > 0 {
            open.depth -= 1;
        } else if !open.keeps_tags {
            self.open.pop();
            if self.options.verbose && !self.is_inside() {
                sink(Piece::Close);
            }
            return;
        } else {
            self.open.pop();
        }
        if is_written {
            self.inner_tag(tag, sink);
        }
    }

    /// A closing tag that closes nothing is text if its sections are shown.
    fn orphan(&mut self, tag: &str, sink: &mut impl FnMut(Piece<'_>)) {
        if self.is_shown(tag_name(tag)) {
            self.text(tag, sink);
        } else if self.options.verbose {
            let message = &format!("`{tag}` closes nothing and was dropped");
            let code = NoticeCode::OrphanClose;
            sink(Piece::Notice { code, message });
        }
    }

    /// A tag inside a section: text, if its sections are shown as they are.
    fn inner_tag(&mut self, tag: &str, sink: &mut impl FnMut(Piece<'_>)) {
        if self.is_shown(tag_name(tag)) {
            self.text(tag, sink);
        }
    }

    /// Whether sections of this tag are shown as they are: by a rule, or as thinking.
    fn is_shown(&self, name: &str) -> bool {
        matches!(self.options.rule_of(name), Some(TagRule::Show) | None)
    }
}

//! The text that is left of a message where markup was taken out of it.

use crate::event::{Event, EventKind, SkipReason};
use crate::line::is_space;

/// What becomes of white space where markup was taken out of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Whitespace {
    /// It is dropped between text and markup: `a <b>x</b> c` leaves `ac`, in two pieces.
    Split,
    /// It stays, and a space is added only where two words would touch.
    #[default]
    Preserve,
    /// Each run of it, and each piece of markup, becomes one space, and none is left at the ends.
    /// This destroys line breaks, and Markdown with them.
    Collapse,
    /// It stays, and nothing is added: `a<b>x</b>c` leaves `ac`.
    AsIs,
}

/// Turns events into the text that is left where markup was taken out, as it streams.
///
/// The pieces that it gives, joined, are all of the text: there is no other text at the end.
///
/// ```
/// use tagstream_core::{Element, Engine, Event, Profile, TextCleaner, Whitespace};
///
/// let policy = Profile::new().element(Element::named("b")).compile()?;
/// let clean = |whitespace| {
///     let (mut cleaner, mut text) = (TextCleaner::new(whitespace), String::new());
///     let mut engine = Engine::new(&policy);
///     engine.push("Hello<b>x</b>World, \n<b/> again", |event: Event<'_>| {
///         cleaner.event(&event, |piece| text.push_str(piece));
///     });
///     engine.finish(|event| cleaner.event(&event, |piece| text.push_str(piece)));
///     cleaner.finish(|piece| text.push_str(piece));
///     text
/// };
/// assert_eq!(clean(Whitespace::Split), "HelloWorld,again");
/// assert_eq!(clean(Whitespace::Preserve), "Hello World, \n again");
/// assert_eq!(clean(Whitespace::Collapse), "Hello World, again");
/// assert_eq!(clean(Whitespace::AsIs), "HelloWorld, \n again");
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextCleaner {
    whitespace: Whitespace,
    /// White space that waits for what follows it is at most so long; longer, it is kept.
    max_wait: usize,
    /// Markup was taken out, and no text has come since; with [`Whitespace::Split`], none but white
    /// space.
    is_gap: bool,
    /// The last character of the text.
    last: Option<char>,
    /// White space at the end of the text, which waits for what follows it.
    waits: String,
    /// It was too long, so that the rest of the run is kept too.
    keeps: bool,
}

impl TextCleaner {
    /// How much white space waits for what follows it, unless [`max_wait`](Self::max_wait) is set.
    const MAX_WAIT_BYTES: usize = 65_536;

    /// A cleaner for one message.
    #[must_use]
    pub fn new(whitespace: Whitespace) -> Self {
        TextCleaner {
            whitespace,
            max_wait: Self::MAX_WAIT_BYTES,
            is_gap: false,
            last: None,
            waits: String::new(),
            keeps: false,
        }
    }

    /// Sets how many bytes of white space wait, with [`Whitespace::Split`], for what follows them.
    /// More are kept.
    #[must_use]
    pub fn max_wait(mut self, bytes: usize) -> Self {
        self.max_wait = bytes;
        self
    }

    /// Takes the next event; gives the text that is certain now.
    pub fn event(&mut self, event: &Event<'_>, sink: impl FnMut(&str)) {
        match event.kind {
            EventKind::Text(text) => self.text(text, sink),
            EventKind::Skip { reason } if !self.separates(reason) => {}
            _ if !event.raw.is_empty() => self.markup(),
            // Reports are about something else.
            EventKind::Notice { .. } | EventKind::CallError { .. } => {}
            // A thought or a call that was not in the text: no white space was around it.
            _ => self.is_gap |= self.whitespace != Whitespace::Split,
        }
    }

    /// Whether what was skipped separates the text around it: white space is dropped at tags that
    /// have a meaning.
    fn separates(&self, reason: SkipReason) -> bool {
        let is_stray = matches!(
            reason,
            SkipReason::OrphanClose | SkipReason::Marker | SkipReason::WhiteSpace
        );
        !(is_stray && self.whitespace == Whitespace::Split)
    }

    /// Markup was taken out of the text here.
    pub fn markup(&mut self) {
        self.waits.clear();
        self.keeps = false;
        self.is_gap = true;
    }

    /// Takes the next piece of text; gives what is certain now.
    pub fn text(&mut self, text: &str, mut sink: impl FnMut(&str)) {
        match self.whitespace {
            _ if text.is_empty() => {}
            Whitespace::AsIs => sink(text),
            Whitespace::Preserve => self.preserve(text, &mut sink),
            Whitespace::Split => self.split(text, &mut sink),
            Whitespace::Collapse => self.collapse(text, &mut sink),
        }
    }

    /// The message is over; gives the rest of the text.
    pub fn finish(mut self, mut sink: impl FnMut(&str)) {
        self.keep_waiting(&mut sink);
    }

    fn preserve(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let ends_word = |c: char| c.is_alphanumeric() || ".,;:!?".contains(c);
        let begins_word = text.starts_with(char::is_alphanumeric);
        if self.is_gap && begins_word && self.last.is_some_and(ends_word) {
            sink(" ");
        }
        self.is_gap = false;
        self.last = text.chars().next_back();
        sink(text);
    }

    fn split(&mut self, mut text: &str, sink: &mut impl FnMut(&str)) {
        if self.is_gap {
            text = text.trim_start_matches(is_white);
        }
        let (content, space) = text.split_at(text.trim_end_matches(is_white).len());
        if !content.is_empty() {
            self.keep_waiting(sink);
            (self.is_gap, self.keeps) = (false, false);
            sink(content);
        }
        self.waits.push_str(space);
        if self.keeps || self.waits.len() > self.max_wait {
            self.keep_waiting(sink);
            self.keeps = true;
        }
    }

    fn keep_waiting(&mut self, sink: &mut impl FnMut(&str)) {
        if !self.waits.is_empty() {
            sink(&self.waits);
            self.waits.clear();
        }
    }

    fn collapse(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let mut words = text.split(char::is_whitespace);
        let mut word = words.next();
        while let Some(text) = word {
            if !text.is_empty() {
                if self.is_gap && self.last.is_some() {
                    sink(" ");
                }
                self.is_gap = false;
                self.last = text.chars().next_back();
                sink(text);
            }
            word = words.next();
            self.is_gap |= word.is_some();
        }
    }
}

fn is_white(c: char) -> bool {
    c.is_ascii() && is_space(c as u8)
}

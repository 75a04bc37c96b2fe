//! Passing plain chunks on. They are nearly all of a stream, so they are not worth a reader.

use crate::event::Kind;
use crate::policy::Rules;
use crate::scan::{Few, Seen};

/// What plain bytes are here, and which bytes are not plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) becomes: Becomes,
    /// The bytes to look for, backticks among them; line breaks too where they matter.
    pub(super) stops: Few,
    /// Which lexicon counts here, if that is all there is to look for.
    pub(super) place: Option<Place>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Becomes {
    Text,
    Thought,
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Text,
    AnchoredText,
    Section(u16),
}

/// What is in a chunk.
pub(super) enum Look {
    /// Something that may be more than plain, behind this many bytes that are plain.
    Something(usize),
    Nothing,
    /// Nothing, and no backtick either.
    NoBacktick,
}

impl Pass {
    #[inline]
    pub(super) fn kind<'a>(&self, text: &'a str) -> Kind<'a> {
        match self.becomes {
            Becomes::Text => Kind::Text(text),
            Becomes::Thought => Kind::Thought(text),
            Becomes::Nothing => Kind::Skip(text),
        }
    }

    #[inline]
    pub(super) fn look(&self, bytes: &[u8], rules: &Rules) -> Look {
        match self.stops.look(bytes) {
            Seen { stop: false, more } => self.plain(more),
            Seen { stop: true, more } => self.look_closer(bytes, rules, more),
        }
    }

    #[inline]
    fn plain(&self, more: bool) -> Look {
        match (more, self.stops.more) {
            (false, _) => Look::NoBacktick,
            // A blank line may end a paragraph in which something is undecided.
            (true, b'\n') => Look::Something(0),
            (true, _) => Look::Nothing,
        }
    }

    /// A byte to stop at is among them. Something may begin there, or not.
    fn look_closer(&self, bytes: &[u8], rules: &Rules, more: bool) -> Look {
        let lexicon = match self.place {
            None => return Look::Something(0),
            Some(Place::Text) => &rules.text,
            Some(Place::AnchoredText) => rules.anchored_text.as_ref().unwrap_or(&rules.text),
            Some(Place::Section(rule)) => &rules.sections[usize::from(rule)].lexicon,
        };
        lexicon
            .find(bytes)
            .map_or(self.plain(more), Look::Something)
    }
}

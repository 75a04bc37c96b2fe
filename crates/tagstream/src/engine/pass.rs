//! Passing plain chunks on. They are nearly all of a stream, so they are not worth a reader.

use crate::event::Kind;
use crate::policy::Rules;
use crate::scan::Few;

/// What plain bytes are here, and which bytes are not plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) becomes: Becomes,
    /// The bytes to look for, backticks among them.
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
        if !self.stops.any(bytes) {
            return Look::NoBacktick;
        }
        self.look_closer(bytes, rules)
    }

    /// A byte to stop at is among them. Something may begin there, or not.
    fn look_closer(&self, bytes: &[u8], rules: &Rules) -> Look {
        let lexicon = match self.place {
            None => return Look::Something(0),
            Some(Place::Text) => &rules.text,
            Some(Place::AnchoredText) => rules.anchored_text.as_ref().unwrap_or(&rules.text),
            Some(Place::Section(rule)) => &rules.sections[usize::from(rule)].lexicon,
        };
        lexicon.find(bytes).map_or(Look::Nothing, Look::Something)
    }
}

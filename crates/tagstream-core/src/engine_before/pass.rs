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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// What the text becomes.
    #[inline]
    pub(super) fn kind<'a>(&self, text: &'a str) -> Kind<'a> {
        match self.becomes {
            Becomes::Text => Kind::Text(text),
            Becomes::Thought => Kind::Thought(text),
            Becomes::Nothing => Kind::Skip(text),
        }
    }

    #[inline(always)]
    pub(super) fn look(&self, bytes: &[u8], rules: &Rules) -> Look {
        if bytes.len() > Few::MOST {
            return self.look_closer(bytes, rules);
        }
        match self.stops.look(bytes) {
            Seen { stop: true, .. } => self.look_closer(bytes, rules),
            Seen { more: true, .. } if self.stops.more == b'\n' => Look::Something(0),
            Seen { more: true, .. } => Look::Nothing,
            _ => Look::NoBacktick,
        }
    }

    /// The chunk is long, or has a byte to stop at. Something may begin there, or not.
    #[inline(never)]
    fn look_closer(&self, bytes: &[u8], rules: &Rules) -> Look {
        let lexicon = match self.place {
            None if self.stops.any(bytes) => return Look::Something(0),
            None => return Look::NoBacktick,
            Some(Place::Text) => &rules.text,
            Some(Place::AnchoredText) => rules.anchored_text.as_ref().unwrap_or(&rules.text),
            Some(Place::Section(rule)) => &rules.sections[usize::from(rule)].lexicon,
        };
        match lexicon.find(bytes) {
            Some(plain) => Look::Something(plain),
            None if lexicon.stops.stop(b'`') => Look::NoBacktick,
            None if memchr::memchr(b'`', bytes).is_some() => Look::Nothing,
            None => Look::NoBacktick,
        }
    }
}

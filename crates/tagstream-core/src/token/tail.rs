//! What may be the beginning of a tag at the end of a text that grows.

use super::{Candidate, Fate, Grammar};
use crate::lexicon::Lexicon;

/// What may be the beginning of a tag at the end of a text that grows.
///
/// The engine knows which tags count and holds those back. A reader of a snapshot should not see
/// the beginning of any other tag either, but there it is enough to leave it off until something
/// follows that no tag has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tail {
    candidate: Option<Candidate>,
}

impl Tail {
    /// A longer beginning of a tag is shown.
    const MAX_BYTES: usize = 16_384;

    /// Where it begins in the text.
    pub(crate) fn start(&self) -> Option<usize> {
        self.candidate.map(|candidate| candidate.start as usize)
    }

    /// Reads what has been added to `text` after `from`, by the lexicon of any tag.
    pub(crate) fn read(&mut self, text: &str, from: usize, lexicon: &Lexicon) {
        let grammar = Grammar {
            lexicon,
            max_tag: Self::MAX_BYTES,
        };
        let bytes = text.as_bytes();
        let mut at = from;
        loop {
            let candidate = match &mut self.candidate {
                Some(candidate) => candidate,
                none => match lexicon.stops.find(&bytes[at..]) {
                    Some(next) => {
                        at += next;
                        none.insert(Candidate::new(at as u64, false, false, lexicon))
                    }
                    None => return,
                },
            };
            match candidate.read(&bytes[at..], &grammar).1 {
                Fate::Open => return,
                Fate::Text { resume, .. } => at = resume as usize,
                Fate::Found(token) => at = token.end as usize,
            }
            self.candidate = None;
        }
    }
}

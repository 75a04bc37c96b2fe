//! Whether a fence contains what would be markup elsewhere, for a notice.
//!
//! This changes nothing about the fence, whose bytes are text: it only looks at them.

use crate::event::NoticeCode;
use crate::lexicon::{Lexicon, Role};
use crate::policy::Rules;
use crate::token::{Candidate, Fate, Token};

/// What has been seen in the fence that is open.
#[derive(Debug, Default)]
pub(super) struct Fenced {
    /// What may become a tag.
    candidate: Option<Candidate>,
    /// The first tag that is whole.
    first: Option<Token>,
}

impl Fenced {
    /// Whether a tag may have begun in the bytes read so far.
    pub(super) fn is_reading(&self) -> bool {
        self.candidate.is_some()
    }

    /// Reads the next bytes of the fence, of which the first is at `base`.
    pub(super) fn read(&mut self, bytes: &[u8], base: u64, rules: &Rules) {
        let Some(lexicon) = &rules.fenced else { return };
        let mut at = 0;
        while self.first.is_none() && at < bytes.len() {
            at = self.step(bytes, at, base, lexicon, rules);
        }
    }

    /// Reads on from `at`; returns how far it has come.
    fn step(
        &mut self,
        bytes: &[u8],
        at: usize,
        base: u64,
        lexicon: &Lexicon,
        rules: &Rules,
    ) -> usize {
        let Some(mut candidate) = self.candidate.take() else {
            let next = memchr::memchr(b'<', &bytes[at..]);
            let at = next.map_or(bytes.len(), |next| at + next);
            let start = base + at as u64;
            self.candidate = next.map(|_| Candidate::new(start, false, false, lexicon));
            return at;
        };
        let (read, fate) = candidate.read(&bytes[at..], &rules.grammar(lexicon));
        match fate {
            Fate::Open => self.candidate = Some(candidate),
            Fate::Found(token) => self.first = Some(token),
            // What precedes these bytes is part of a name, where no tag begins.
            Fate::Text { resume, .. } => {
                return resume.saturating_sub(base).max(at as u64) as usize;
            }
        }
        at + read
    }

    /// The fence has ended: the notice about it, if there is one.
    pub(super) fn end(&self, is_closed: bool, rules: &Rules) -> Option<(NoticeCode, String)> {
        let is_reported = !is_closed || rules.notices_closed_fences;
        let first = self.first.filter(|_| is_reported)?;
        let what = match first.role {
            Role::Element(rule) => format!("`<{}>`", rules.element(rule).name),
            _ => "a tool call".to_owned(),
        };
        let at = first.start;
        Some(if is_closed {
            let message = format!("{what} at byte {at} is in a Markdown fence, so it is text");
            (NoticeCode::InCode, message)
        } else {
            let message = format!("{what} at byte {at} is text: the fence before it never closes");
            (NoticeCode::UnclosedFence, message)
        })
    }
}

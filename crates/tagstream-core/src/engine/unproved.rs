//! Opening tags of any name: is there a closing tag for them?
//!
//! Only text far ahead can tell, and a message may have an opening tag every few bytes. So what is
//! read ahead is read once, for all of them: [`Pairs`] notes every tag and which opening tag each
//! closing tag closes. That does not depend on where reading began, because a tag of any name has no
//! `<` in it: each `<` begins a tag of its own or nothing.

use super::context::{Context, Reading};
use super::frame::{Answer, Edge, Frame, Place, Step};
use crate::lexicon::Lexicon;
use crate::policy::Rules;
use crate::token::{Candidate, Fate, Shape, Token};
use std::collections::{HashMap, VecDeque};

/// How many names may be kept besides those of the tags ahead.
const SPARE_NAMES: usize = 64;

/// Looks ahead: is there a closing tag for this opening tag?
#[derive(Debug)]
pub(super) struct Unproved {
    token: Token,
    deadline: u64,
}

/// Looks ahead for the closing tag, unless it is known already whether there is one.
pub(super) fn look(token: &Token, cx: &mut Context<'_>) -> Result<Step, Answer> {
    cx.pairs_mut().forget_before(token.start);
    let unproved = Unproved {
        token: *token,
        deadline: cx.deadline(token),
    };
    match unproved.answer(cx) {
        Some(answer) => Err(answer),
        None => Ok(Step::Ask {
            token: *token,
            deadline: unproved.deadline,
            frame: Frame::Unproved(unproved),
        }),
    }
}

impl Place for Unproved {
    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        &rules.any_tags
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        cx.reading.at = cx.limit;
        Step::Continue
    }

    fn plain(&mut self, _to: u64, _cx: &mut Context<'_>) {}

    fn found(&mut self, _token: &Token, _cx: &mut Context<'_>) -> Step {
        debug_assert!(false, "the pairs read the tags");
        Step::Continue
    }

    /// The closing tag may end after the limit, if it begins before it.
    fn at_edge(&mut self, _edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        let answer = self.answer(cx)?;
        Some(self.end(answer, cx))
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        Some(self.end(Answer::Unclosed, cx))
    }

    fn earliest_answer(&self, _candidate: Option<&Candidate>, cx: &Context<'_>) -> u64 {
        let name = self.token.name(cx.text(self.token.start, self.token.end));
        let pairs = cx.pairs();
        pairs.map_or(0, |pairs| pairs.earliest_closing(name, cx))
    }

    fn give_up(&mut self, _deadline: u64, cx: &mut Context<'_>) -> Step {
        self.end(Answer::Unclosed, cx)
    }
}

impl Unproved {
    /// Reads ahead up to the deadline, as far as the text goes.
    fn answer(&self, cx: &mut Context<'_>) -> Option<Answer> {
        let first = cx.read_pairs(self.deadline).tags.front()?;
        debug_assert_eq!(first.start, self.token.start, "each `<` is read alike");
        let (start, end) = (first.closing, first.closing + u64::from(first.closing_len));
        match start {
            0 => None,
            start if start <= self.deadline => Some(Answer::ClosedBy { start, end }),
            _ => Some(Answer::Unclosed),
        }
    }

    /// Nothing was read here that would have to be read again: the pairs are kept.
    fn end(&self, answer: Answer, cx: &mut Context<'_>) -> Step {
        cx.reading.at = self.token.end;
        Step::Answer(answer)
    }
}

/// The tags of any name that have been read ahead of the text.
///
/// It says nothing about how the text is read, so that a rewind does not concern it.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Everything before this position has been read, but for the candidate.
    read: u64,
    candidate: Option<Candidate>,
    /// The opening tags that text has not come to yet, in order.
    tags: VecDeque<Opening>,
    /// The number of the first of them.
    first: u64,
    /// For each name, the number of its last opening tag without a closing tag. One that text has
    /// passed does not count.
    open: HashMap<Box<[u8]>, u64>,
}

/// An opening tag. There may be one every three bytes, so it is small.
#[derive(Clone, Copy, Debug)]
struct Opening {
    start: u64,
    /// Where its closing tag begins, and how long that is; 0 if there is none.
    closing: u64,
    closing_len: u32,
    /// How many opening tags of its name before it have no closing tag, and how many numbers ago
    /// the last of them was; 0 if there is none.
    depth: u32,
    before: u32,
}

impl Pairs {
    /// Text has come here: no earlier tag is asked about again.
    fn forget_before(&mut self, at: u64) {
        while self.tags.front().is_some_and(|tag| tag.start < at) {
            self.tags.pop_front();
            self.first += 1;
        }
        if self.open.len() > 2 * self.tags.len() + SPARE_NAMES {
            let first = self.first;
            self.open.retain(|_, number| *number >= first);
        }
        let start = self
            .candidate
            .map_or(self.read, |candidate| candidate.start);
        if start < at {
            debug_assert!(self.tags.is_empty());
            self.read = at;
            self.candidate = None;
        }
    }

    /// Reads the tags that begin at the deadline at the latest; returns how many bytes were read.
    pub(super) fn read(&mut self, window: &[u8], base: u64, deadline: u64, rules: &Rules) -> u64 {
        let from = self.read;
        let end = base + window.len() as u64;
        while self.read < end && (self.candidate.is_some() || self.read <= deadline) {
            self.step(window, base, rules);
        }
        self.read - from
    }

    fn step(&mut self, window: &[u8], base: u64, rules: &Rules) {
        let rest = &window[(self.read - base) as usize..];
        let lexicon = &rules.any_tags;
        let Some(mut candidate) = self.candidate.take() else {
            let next = memchr::memchr(b'<', rest);
            self.read += next.unwrap_or(rest.len()) as u64;
            self.candidate = next.map(|_| Candidate::new(self.read, false, false, lexicon));
            return;
        };
        let (read, fate) = candidate.read(rest, &rules.grammar(lexicon));
        match fate {
            Fate::Open => {
                self.read += read as u64;
                self.candidate = Some(candidate);
            }
            // Where a name fails, nothing before this byte begins a tag.
            Fate::Text { resume, .. } => self.read = resume.max(self.read),
            Fate::Found(token) => {
                self.read = token.end;
                let (start, end) = (token.start - base, token.end - base);
                let tag = &window[start as usize..end as usize];
                self.take(&token, std::str::from_utf8(tag).unwrap_or(""));
            }
        }
    }

    fn take(&mut self, token: &Token, tag: &str) {
        let name = token.name(tag).to_ascii_lowercase();
        match token.shape {
            Shape::Open => self.add(token.start, name.as_bytes()),
            Shape::Close => self.close(token, name.as_bytes()),
            Shape::SelfClosing | Shape::Literal => {}
        }
    }

    fn add(&mut self, start: u64, name: &[u8]) {
        let number = self.first + self.tags.len() as u64;
        let before = self.last_open(name);
        let depth = before.map_or(0, |before| self.tag(before).depth + 1);
        self.tags.push_back(Opening {
            start,
            closing: 0,
            closing_len: 0,
            depth,
            before: before.map_or(0, |before| {
                crate::lexicon::number((number - before) as usize)
            }),
        });
        match self.open.get_mut(name) {
            Some(last) => *last = number,
            None => _ = self.open.insert(name.into(), number),
        }
    }

    fn close(&mut self, token: &Token, name: &[u8]) {
        let Some(number) = self.last_open(name) else {
            return;
        };
        let tag = &mut self.tags[(number - self.first) as usize];
        tag.closing = token.start;
        tag.closing_len = token.len();
        let before = u64::from(tag.before);
        match self.open.get_mut(name) {
            Some(last) if before > 0 && number - before >= self.first => *last = number - before,
            _ => _ = self.open.remove(name),
        }
    }

    /// The number of the last opening tag of this name that has no closing tag.
    fn last_open(&self, name: &[u8]) -> Option<u64> {
        let number = self.open.get(name).copied();
        number.filter(|number| *number >= self.first)
    }

    fn tag(&self, number: u64) -> &Opening {
        &self.tags[(number - self.first) as usize]
    }

    /// Where the closing tag of the first tag, which has this name, may begin at the earliest. The
    /// tags of its name inside it must be closed before.
    fn earliest_closing(&self, name: &str, cx: &Context<'_>) -> u64 {
        let candidate = self.candidate.map(|candidate| candidate.start);
        let closes = |start: &u64| may_close(name.as_bytes(), cx.text(*start, cx.end()).as_bytes());
        let earliest = candidate.filter(closes).unwrap_or(self.read);
        let first = self.tags.front().map_or(0, |first| first.depth);
        let last = self.last_open(name.to_ascii_lowercase().as_bytes());
        let inner = last.map_or(0, |last| self.tag(last).depth - first);
        earliest + u64::from(inner) * (name.len() + "</>".len()) as u64
    }
}

/// Whether what may be a tag, as far as it has been read, may become the closing tag of this name.
fn may_close(name: &[u8], candidate: &[u8]) -> bool {
    let Some(after) = candidate.strip_prefix(b"</") else {
        return candidate == b"<";
    };
    let written = after.trim_ascii_end();
    let is_whole = written.len() < after.len();
    let begins = name.get(..written.len());
    begins.is_some_and(|begins| begins.eq_ignore_ascii_case(written))
        && !(is_whole && written.len() < name.len())
}

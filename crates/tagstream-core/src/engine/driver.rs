//! The driver: reads a window, asks the innermost place what the bytes are, and rewinds.
//!
//! # Questions
//!
//! Nearly always the next byte decides what something is. Where it does not, a place returns
//! [`Step::Ask`] with a frame that looks ahead. Until that frame answers nothing is emitted, and
//! the bytes from the token on are held. Its [`Step::Answer`] takes everything back to the token,
//! and the place that asked goes on with the answer.
//!
//! A rewind restores everything by construction: frames below the one that looks ahead cannot change
//! while it is there, so the stack is truncated to what it was; [`Reading`] is copied back; and the
//! store cannot be written to while a question is open: [`Context::store_mut`] asserts it.

pub(super) mod context;
pub(super) mod fast;

use super::code;
use super::frame::{Answer, Edge, Ended, Frame, Place, Step};
use super::{Core, Engine};
use crate::event::{Event, EventKind, NoticeCode, Span};
use crate::lexicon::{Lexicon, Role};
use crate::token::{Candidate, Fate, Shape, Token};
use context::{Context, Reading};
use fast::Fast;

/// A question that only bytes to come can answer.
#[derive(Debug)]
pub(super) struct Asked {
    /// What it is about.
    token: Token,
    /// What answers it must begin here at the latest.
    deadline: u64,
    /// How many frames were on the stack.
    depth: usize,
    before: Reading,
}

struct Driver<'d, 'a> {
    stack: &'d mut Vec<Frame>,
    candidate: &'d mut Option<Candidate>,
    asked: &'d mut Option<Asked>,
    cx: Context<'a>,
}

impl Engine {
    /// Reads a window that begins with the first byte that is not settled; returns how many bytes of
    /// it are settled now.
    pub(super) fn read_window(
        &mut self,
        window: &str,
        is_last: bool,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> usize {
        self.advance_line();
        let Core {
            stack,
            candidate,
            reading,
        } = &mut self.core;
        let context = Context {
            rules: &self.policy.rules,
            window,
            base: self.settled,
            mark: self.settled,
            limit: self.settled,
            is_last,
            is_asking: self.asked.is_some(),
            line: &self.line,
            reading,
            store: &mut self.store,
            pairs: &mut self.pairs,
            work: &mut self.work,
            sink,
        };
        let mut driver = Driver {
            stack,
            candidate,
            asked: &mut self.asked,
            cx: context,
        };
        let settled = driver.read();
        self.fast = driver.fast();
        let bytes = &window.as_bytes()[..settled];
        self.work += self.line.advance(bytes);
        self.settled += settled as u64;
        settled
    }

    /// Reports bytes that are not UTF-8.
    pub(super) fn notice_invalid(&self, sink: &mut dyn FnMut(Event<'_>)) {
        // Whoever looks for the bytes has the input, not the text.
        let place = self.settled + self.held().len() as u64 - self.grown;
        let message = format!("the bytes at {place} are not UTF-8 and became U+FFFD");
        let code = NoticeCode::InvalidUtf8;
        let kind = EventKind::Notice {
            code,
            message: &message,
        };
        let span = Span::new(self.settled, self.settled);
        sink(Event {
            span,
            raw: "",
            kind,
        });
    }

    /// Moves the line past what the fast path has emitted of a call.
    fn advance_line(&mut self) {
        if self.unlined > 0 {
            let text = self.store.call.raw.as_bytes();
            let text = &text[text.len() - self.unlined..];
            self.work += self.line.advance(text);
            self.unlined = 0;
        }
    }
}

impl<'a> Driver<'_, 'a> {
    /// Reads all of the window; returns how many bytes of it are settled.
    fn read(&mut self) -> usize {
        // law: resume
        let from = self.cx.reading.at;
        loop {
            self.cx.limit = self.limit();
            if self.cx.reading.at < self.cx.limit {
                self.step();
                continue;
            }
            let is_held = self.holds_candidate();
            if !self.settle_edge(is_held) {
                *self.cx.work += self.cx.reading.at.saturating_sub(from);
                self.flush(is_held);
                return self.cx.index(self.cx.mark);
            }
        }
    }

    /// How a chunk can be passed on if nothing begins in it. What is held goes back to unread for that.
    fn fast(&mut self) -> Option<Fast> {
        let mark = self.cx.mark;
        let held = (self.cx.end() - mark) as usize;
        let is_candidate_held = |candidate: &Candidate| candidate.start >= mark;
        let may_be_unread = self.candidate.as_ref().is_none_or(is_candidate_held);
        if self.asked.is_some() || held > fast::MAX_UNREAD_BYTES || !may_be_unread {
            return None;
        }
        let fast = self.top().fast(&self.cx)?;
        if held > 0 && !fast.may_follow_held() {
            return None;
        }
        *self.candidate = None;
        self.cx.reading.at = mark;
        Some(fast)
    }

    fn top(&self) -> &dyn Place {
        let frame = self.stack.last();
        frame.expect("the first frame is never popped").place()
    }

    fn top_mut(&mut self) -> (&mut dyn Place, &mut Context<'a>) {
        let frame = self.stack.last_mut();
        let frame = frame.expect("the first frame is never popped");
        (frame.place_mut(), &mut self.cx)
    }

    /// How far may be read before the open question must be answered. A candidate that began in time
    /// is read to its end.
    fn limit(&self) -> u64 {
        let deadline = match &*self.asked {
            Some(asked) if self.candidate.is_none() => asked.deadline.saturating_add(1),
            _ => u64::MAX,
        };
        self.cx.end().min(deadline).max(self.cx.reading.at)
    }

    fn step(&mut self) {
        if self.candidate.is_some() {
            return self.step_candidate();
        }
        let (top, cx) = self.top_mut();
        let step = top.read(cx);
        self.apply(step);
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Continue => {}
            Step::Begin {
                quotable,
                may_end_paragraph,
            } => self.begin(quotable, may_end_paragraph),
            Step::Push(frame) => self.stack.push(frame),
            Step::Replace(frame) => {
                self.stack.pop();
                self.stack.push(frame);
            }
            Step::Pop(ended) => {
                let is_above = |asked: &Asked| self.stack.len() > asked.depth + 1;
                debug_assert!(
                    self.asked.as_ref().is_none_or(is_above),
                    "the frame that looks ahead answers, and stays"
                );
                debug_assert!(self.stack.len() > 1, "the first frame is never popped");
                self.stack.pop();
                self.resume(ended);
            }
            Step::BeganAndEnded(ended) => self.resume(ended),
            Step::Ask {
                token,
                deadline,
                frame,
            } => self.ask(token, deadline, frame),
            Step::Answer(answer) => self.answer(answer),
            Step::KeepReadAhead => {
                if let Some(asked) = self.asked.take() {
                    self.stack.truncate(asked.depth);
                    self.cx.is_asking = false;
                }
            }
        }
    }

    fn resume(&mut self, ended: Ended) {
        let (top, cx) = self.top_mut();
        let step = top.resumed(ended, cx);
        self.apply(step);
    }

    // Questions.

    fn ask(&mut self, token: Token, deadline: u64, frame: Frame) {
        debug_assert!(self.asked.is_none(), "who looks ahead asks nothing itself");
        debug_assert!(self.candidate.is_none(), "a token has just been found");
        let (top, cx) = self.top_mut();
        if token.start > cx.mark {
            top.plain(token.start, cx);
        }
        let before = Reading {
            at: token.start,
            ..self.cx.reading.clone()
        };
        *self.asked = Some(Asked {
            token,
            // law: deadline
            deadline,
            depth: self.stack.len(),
            before,
        });
        self.stack.push(frame);
        self.cx.is_asking = true;
    }

    fn answer(&mut self, answer: Answer) {
        let Some(asked) = self.asked.take() else {
            debug_assert!(false, "nothing was asked");
            return;
        };
        *self.cx.work += self.cx.reading.at.saturating_sub(asked.before.at);
        // law: rewind
        *self.cx.reading = asked.before;
        *self.candidate = None;
        self.stack.truncate(asked.depth);
        self.cx.is_asking = false;
        let (top, cx) = self.top_mut();
        let step = top.answered(answer, &asked.token, cx);
        self.apply(step);
    }

    // The end of what may be read.

    /// Settles what can be settled without a further byte; false if nothing can.
    fn settle_edge(&mut self, is_held: bool) -> bool {
        let is_text = self.candidate.is_some() && !is_held;
        let mut edge = Edge {
            candidate: self.candidate,
            is_text,
        };
        let frame = self.stack.last_mut();
        let top = frame.expect("the first frame is never popped").place_mut();
        if let Some(step) = top.at_edge(&mut edge, &mut self.cx) {
            self.apply(step);
            return true;
        }
        if let Some(deadline) = self.missed_deadline() {
            *self.candidate = None;
            let (top, cx) = self.top_mut();
            let step = top.give_up(deadline, cx);
            self.apply(step);
            return true;
        }
        self.cx.is_last && self.end_message()
    }

    fn missed_deadline(&self) -> Option<u64> {
        let deadline = self.asked.as_ref()?.deadline;
        let earliest = self
            .top()
            .earliest_answer(self.candidate.as_ref(), &self.cx);
        (earliest > deadline).then_some(deadline)
    }

    fn end_message(&mut self) -> bool {
        if let Some(mut candidate) = self.candidate.take() {
            let unfinished = candidate;
            let fate = candidate.finish();
            let (top, cx) = self.top_mut();
            let is_text = matches!(fate, Fate::Text { .. });
            if !(is_text && top.takes_cut_off_tag(&unfinished, cx)) {
                self.conclude(fate, candidate.may_end_paragraph);
                return true;
            }
        }
        let (top, cx) = self.top_mut();
        let step = top.end_of_message(cx);
        let has_more = step.is_some();
        self.apply(step.unwrap_or(Step::Continue));
        has_more
    }

    /// Emits what is certain.
    fn flush(&mut self, is_held: bool) {
        if self.cx.is_asking {
            return;
        }
        let certain = match &*self.candidate {
            // law: hold
            Some(candidate) if is_held => candidate.start,
            Some(candidate) => {
                let read = self.cx.index(self.cx.reading.at);
                let read = &self.cx.window.as_bytes()[..read];
                let index = candidate.read_for_good(self.lexicon(), self.cx.base, read);
                self.cx.base + index as u64
            }
            None => self.cx.reading.at,
        };
        if certain > self.cx.mark {
            let (top, cx) = self.top_mut();
            top.plain(certain, cx);
        }
    }

    /// Whether something may come of the candidate that would look different from outside.
    fn holds_candidate(&self) -> bool {
        let Some(candidate) = &*self.candidate else {
            return false;
        };
        if self.top().holds_all() {
            return true;
        }
        let (top, cx) = (self.top(), &self.cx);
        let is_decided = cx.reading.code.is_decided();
        let start = candidate.start;
        let lexicon = self.lexicon();
        let is_text =
            |role| matches!(role, Role::Call(n) if is_decided && cx.is_out_of_place(n, start));
        let is_visible = |role, shape| !is_text(role) && top.is_visible(role, shape, start, cx);
        let is_other = |role, shape| shape == Shape::Literal && !is_text(role);
        // If an opener of calls turns out to be text, a shorter literal there counts, and what follows
        // that is read again.
        let may_be_shorter = || {
            start >= cx.mark
                && candidate.may_be(lexicon, |role, _| is_text(role))
                && candidate.may_be(lexicon, is_other)
        };
        candidate.may_be(lexicon, is_visible) || may_be_shorter()
    }

    // Candidates.

    fn lexicon(&self) -> &'a Lexicon {
        self.top().lexicon(self.cx.rules, self.cx.reading)
    }

    fn begin(&mut self, quotable: bool, may_end_paragraph: bool) {
        let candidate = Candidate::new(
            self.cx.reading.at,
            quotable,
            may_end_paragraph,
            self.lexicon(),
        );
        *self.candidate = Some(candidate);
        self.step_candidate();
    }

    fn step_candidate(&mut self) {
        let mut end = self.cx.end();
        if self.top().reads_code()
            && !self.cx.reading.code.is_decided()
            && self
                .candidate
                .as_ref()
                .is_some_and(|candidate| !candidate.may_end_paragraph)
        {
            // It may turn out that all this is quoted.
            let (lexicon, quoting) = (self.lexicon(), self.top().quoting());
            if let Some(step) = code::read_byte(&mut self.cx, self.candidate, quoting, lexicon) {
                return self.apply(step);
            }
            end = self.cx.reading.at + 1;
        }
        let grammar = self.cx.rules.grammar(self.lexicon());
        let Some(candidate) = self.candidate else {
            return;
        };
        let bytes = self.cx.bytes(self.cx.reading.at, end);
        let (read, fate) = candidate.read(bytes, &grammar);
        self.cx.reading.at += read as u64;
        *self.cx.work += read as u64;
        if !matches!(fate, Fate::Open) {
            let may_end_paragraph = candidate.may_end_paragraph;
            *self.candidate = None;
            self.conclude(fate, may_end_paragraph);
        }
    }

    /// A candidate has become something.
    fn conclude(&mut self, fate: Fate, may_end_paragraph: bool) {
        let reads_code = self.top().reads_code();
        if reads_code && may_end_paragraph && !self.cx.reading.code.is_decided() {
            let quoting = self.top().quoting();
            if let Some(step) = code::settle_block(&mut self.cx, fate, quoting) {
                return self.apply(step);
            }
        }
        let (top, cx) = self.top_mut();
        let step = match fate {
            Fate::Open => Step::Continue,
            Fate::Text {
                start,
                resume,
                blank,
            } => {
                cx.go_to(resume);
                if reads_code {
                    code::pass_rest_of_run(cx);
                }
                top.not_markup(start, blank, cx)
            }
            Fate::Found(token) => {
                cx.pass(&token);
                // law: suffix
                if top.fits(&token) {
                    top.found(&token, cx)
                } else {
                    top.not_markup(token.start, false, cx)
                }
            }
        };
        self.apply(step);
    }
}

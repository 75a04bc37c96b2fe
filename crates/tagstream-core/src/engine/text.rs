//! Text: where markup counts, unless it is in code.

use super::call;
use super::call::head::{self, Around, Decision};
use super::code;
use super::context::{Context, Reading, is_blank};
use super::element;
use super::fast::{Fast, Plain};
use super::frame::{Answer, Edge, Ended, Place, Step};
use super::pending::Pending;
use super::section;
use super::unproved;
use crate::code::Fence;
use crate::event::{NoticeCode, SkipReason};
use crate::lexicon::{Lexicon, Number, Role};
use crate::line::is_space;
use crate::policy::Rules;
use crate::profile::ThinkingMode;
use crate::scan::ShortSearch;
use crate::token::{Candidate, Shape, Token};

/// Text, from the start of the message on.
#[derive(Debug)]
pub(super) struct Text {
    /// The section that the prompt has opened, until it has begun.
    prompted: Option<Number>,
    stretch: Stretch,
    pending: Pending,
}

/// What is known about the text since the last section, element or call. White space that touches a
/// call, with nothing else in the stretch, is dropped; so it waits, where calls count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    /// Nothing but white space so far.
    Start,
    /// The same, after a call.
    AfterCall,
    /// The same, after a call that lacked its wrapper: the wrapper's closing tag may follow.
    AfterBareCall,
    /// Something else.
    Content,
}

impl Place for Text {
    fn lexicon<'r>(&self, rules: &'r Rules, reading: &Reading) -> &'r Lexicon {
        code::text_lexicon(rules, reading)
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        if let Some(rule) = self.prompted.take() {
            return section::open_prompted(rule, cx);
        }
        if cx.reading.code.fence.is_some() {
            return self.read_fence(cx);
        }
        if let Some(step) = code::expire(cx, &mut None, None) {
            return step;
        }
        if !cx.reading.code.is_decided() {
            // White space that may be in code is kept.
            self.stretch = Stretch::Content;
            return code::read_undecided(cx, None);
        }
        let from = cx.reading.at;
        if cx.pass_known_text() {
            code::pass_rest_of_run(cx);
            self.note_text(from, cx);
            return Step::Continue;
        }
        if self.is_blank_stretch(cx) {
            return self.read_blank(cx);
        }
        self.read_on(cx)
    }

    fn is_visible(&self, role: Role, _shape: Shape, start: u64, cx: &Context<'_>) -> bool {
        let is_undecided = !cx.reading.code.is_decided();
        match role {
            _ if begins_code(start, cx) => true,
            Role::Section(_) => is_undecided || !is_shown(role, cx.rules),
            // law: wrapper-end
            Role::WrapperEnd => is_undecided || self.stretch == Stretch::AfterBareCall,
            Role::Kept | Role::KeptSpace => false,
            Role::Call(opener) => is_undecided || head::counts_here(opener, false, cx),
            _ => true,
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        cx.trim_answer(to);
        if !self.is_blank_stretch(cx) {
            self.pending.keep(cx, |to, cx| cx.emit_text(to));
            cx.emit_text(to);
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            role if begins_code(token.start, cx)
                && !self.is_fence_of_calls(role, token.start, cx) =>
            {
                return self.begin_code(token.start, cx);
            }
            Role::WrapperEnd if self.stretch == Stretch::AfterBareCall => {
                // It belongs to the call that lacked its wrapper.
                self.pending.drop_all(token.start, cx);
                cx.skip(token.end, SkipReason::Wrapper);
                self.stretch = Stretch::AfterCall;
                return Step::Continue;
            }
            Role::Kept | Role::WrapperEnd => {
                self.has_content(cx);
                cx.read_fence_again(token.start);
                return Step::Continue;
            }
            Role::KeptSpace => {
                cx.read_fence_again(token.start);
                return Step::Continue;
            }
            role if is_shown(role, cx.rules) => self.stretch = Stretch::Content,
            _ => {}
        }
        if self.counts(token, cx) {
            self.open(token, cx)
        } else {
            code::ask(token)
        }
    }

    fn not_markup(&mut self, start: u64, is_blank: bool, cx: &mut Context<'_>) -> Step {
        if begins_code(start, cx) {
            return self.begin_code(start, cx);
        }
        if !is_blank {
            self.has_content(cx);
        }
        cx.read_fence_again(start);
        Step::Continue
    }

    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        let step = code::at_edge(cx, edge.candidate, None);
        if step.is_none() && edge.is_content() {
            self.stretch = Stretch::Content;
        }
        step
    }

    fn answered(&mut self, answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.pass(token);
        match answer {
            Answer::NotQuoted => {
                code::not_quoted(cx);
                self.open(token, cx)
            }
            Answer::Call(seen) => {
                // law: space-before-call
                self.pending.drop_all(seen.opener, cx);
                call::enter(seen, false, cx)
            }
            Answer::CutOff(_) | Answer::Prose if cx.is_marker(token) => {
                self.remove(token, SkipReason::Marker, cx)
            }
            Answer::CutOff(seen) => {
                self.pending.drop_all(seen.opener, cx);
                head::report_cut_off(&seen, cx);
                Step::Continue
            }
            Answer::EmptyWrapper(end) => {
                self.settle_space(token.start, cx);
                cx.skip(end, SkipReason::Wrapper);
                cx.reading.at = end;
                Step::Continue
            }
            Answer::NoCalls { end, head } => {
                self.settle_space(token.start, cx);
                call::drop_wrapper(token, head, end, false, cx);
                Step::Continue
            }
            Answer::ClosedBy { start, end } => {
                self.settle_space(token.start, cx);
                element::read_any(token, start, end, cx)
            }
            Answer::Unclosed if token.role == Role::AnyElement => {
                self.has_content(cx);
                Step::Continue
            }
            Answer::Closed | Answer::Unclosed | Answer::TooLong { .. } => {
                section::open_known(answer, token, cx)
            }
            Answer::Prose if cx.shorter(token, cx.text_lexicon()).is_some() => {
                self.not_a_call(token, cx)
            }
            Answer::Prose
            | Answer::EndsValue(_)
            | Answer::EndsNothing
            | Answer::EndsNothingOddly => {
                self.has_content(cx);
                self.notice_near_miss(token, cx);
                if begins_code(token.start, cx) {
                    return self.begin_code(token.start, cx);
                }
                cx.read_fence_again(token.start);
                Step::Continue
            }
        }
    }

    fn resumed(&mut self, ended: Ended, _cx: &mut Context<'_>) -> Step {
        debug_assert!(self.pending.is_empty(), "what was open has emitted it");
        self.stretch = match ended {
            Ended::Section | Ended::Element | Ended::Argument(_) => Stretch::Start,
            Ended::Call { is_bare: true } | Ended::Calls { is_bare: true } => {
                Stretch::AfterBareCall
            }
            Ended::Call { .. } | Ended::Calls { .. } => Stretch::AfterCall,
        };
        Step::Continue
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        if !cx.reading.code.is_decided() {
            return Some(code::end_of_message(cx, None));
        }
        self.settle_space(cx.end(), cx);
        if let Some(fence) = cx.reading.code.fence.take() {
            notice_fenced(fence.is_closed_at_end(), cx);
        }
        None
    }

    fn takes_cut_off_tag(&mut self, candidate: &Candidate, cx: &mut Context<'_>) -> bool {
        let may_close = candidate.may_be(cx.text_lexicon(), |role, _| role == Role::WrapperEnd);
        let takes = self.stretch == Stretch::AfterBareCall && may_close;
        if takes {
            self.pending.drop_all(candidate.start, cx);
            cx.skip(cx.end(), SkipReason::Wrapper);
        }
        takes
    }

    fn fast(&self, cx: &Context<'_>) -> Option<Fast> {
        let reading = &*cx.reading;
        if !reading.has_visible_text || !reading.has_answer || self.is_blank_stretch(cx) {
            return None;
        }
        let code = &reading.code;
        let stops = match &code.fence {
            Some(_) if cx.rules.code_calls.is_some() || is_reading_fenced(cx) => {
                return None;
            }
            Some(fence) if fence.in_body() => {
                let tag = if cx.rules.fenced.is_some() {
                    b'<'
                } else {
                    fence.mark
                };
                ShortSearch::new([fence.mark, tag, tag], b'`')
            }
            Some(_) => return None,
            None if code.is_decided() => cx.text_lexicon().stops.short_search(b'`')?,
            // A blank line ends the paragraph, and with it what is undecided.
            None if code.only_lacks_partners() => cx.text_lexicon().stops.short_search(b'\n')?,
            None => return None,
        };
        Some(Fast {
            plain: Plain::Text,
            stops,
            asks_lexicon: code.fence.is_none() && code.is_decided(),
            holds_newline: false,
            room: usize::MAX,
        })
    }

    fn reads_code(&self) -> bool {
        true
    }
}

impl Text {
    pub(super) fn new(rules: &Rules) -> Self {
        Text {
            prompted: rules.prompted,
            stretch: Stretch::Start,
            pending: Pending::default(),
        }
    }

    // Reading.

    fn is_blank_stretch(&self, cx: &Context<'_>) -> bool {
        cx.rules.calls.is_some() && self.stretch != Stretch::Content
    }

    /// Reads on in a fence, up to what may be a call if those count there.
    fn read_fence(&mut self, cx: &mut Context<'_>) -> Step {
        // White space in code is code, even after a call.
        self.stretch = Stretch::Content;
        let calls = cx.rules.code_calls.as_ref();
        let next = calls.and_then(|calls| calls.find(cx.rest()));
        let until = next.map_or(cx.limit, |next| cx.reading.at + next as u64);
        let from = cx.reading.at;
        let is_opening = cx
            .reading
            .code
            .fence
            .as_ref()
            .is_some_and(Fence::is_opening);
        cx.read_fence(until);
        if cx.rules.fenced.is_some() {
            self.look_into_fence(from, is_opening, cx);
        }
        if cx.reading.at == until && until < cx.limit && cx.reading.code.fence.is_some() {
            return Step::BEGIN;
        }
        Step::Continue
    }

    /// Looks for what would be markup elsewhere in the part of the fence that has just been read, and
    /// reports it if the fence has closed.
    fn look_into_fence(&mut self, from: u64, is_opening: bool, cx: &mut Context<'_>) {
        let to = cx.reading.at;
        let mut bytes = cx.bytes(from, to);
        if is_opening {
            let line = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
            bytes = &bytes[line..];
        }
        let base = to - bytes.len() as u64;
        let rules = cx.rules;
        let fenced = cx.store_mut().fenced.get_or_insert_default();
        fenced.read(bytes, base, rules);
        *cx.work += bytes.len() as u64;
        if cx.reading.code.fence.is_none() {
            self.plain(to, cx);
            notice_fenced(true, cx);
        }
    }

    /// Reads white space at the start of a stretch, where calls count.
    fn read_blank(&mut self, cx: &mut Context<'_>) -> Step {
        let (rest, lexicon) = (cx.rest(), cx.text_lexicon());
        let is_plain = |byte: &&u8| is_space(**byte) && !lexicon.stops.stop(**byte);
        let spaces = rest.iter().take_while(is_plain).count();
        cx.reading.at += spaces as u64;
        if self.check_wait(cx) {
            return Step::Continue;
        }
        match rest.get(spaces..) {
            None | Some([]) => Step::Continue,
            Some(rest) if self.may_begin(rest, cx) => Step::BEGIN,
            Some(_) => {
                self.has_content(cx);
                Step::Continue
            }
        }
    }

    /// Whether markup may begin with these bytes. Code comes first, unless it may be the closing fence
    /// of the calls before it: then it is code only once it cannot be that any more.
    fn may_begin(&self, rest: &[u8], cx: &Context<'_>) -> bool {
        let may_close_calls = self.stretch == Stretch::AfterBareCall;
        let is_code = cx.is_code_mark(cx.reading.at) && !may_close_calls && !may_open_calls(cx);
        cx.text_lexicon().begins(rest) && !is_code
    }

    /// Whether a fence that has this role here opens calls, or closes those before it.
    fn is_fence_of_calls(&self, role: Role, start: u64, cx: &Context<'_>) -> bool {
        match role {
            Role::Call(_) => cx.begins_after_indent(start),
            Role::WrapperEnd | Role::Orphan => self.stretch == Stretch::AfterBareCall,
            _ => false,
        }
    }

    /// What might have been the closing fence of the calls before it is code from its first byte on.
    fn begin_code(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        self.has_content(cx);
        cx.reading.at = start;
        cx.reading.code.read_again(start);
        code::begin(cx)
    }

    /// Whether the white space has waited too long; if so, it is text.
    fn check_wait(&mut self, cx: &Context<'_>) -> bool {
        let is_trimmed = cx.rules.trim_answer && !cx.reading.has_visible_text;
        let waits_for = cx.reading.at - cx.mark;
        let too_long = waits_for > cx.rules.limits.lookahead as u64 && !is_trimmed;
        if too_long {
            self.stretch = Stretch::Content;
        }
        too_long
    }

    /// Reads on to where something may begin.
    fn read_on(&mut self, cx: &mut Context<'_>) -> Step {
        let (from, lexicon) = (cx.reading.at, cx.text_lexicon());
        let next = lexicon.find(cx.rest());
        cx.reading.at = next.map_or(cx.limit, |next| from + next as u64);
        let had_answer = cx.reading.has_answer;
        self.note_text(from, cx);
        if next.is_none() || had_answer != cx.reading.has_answer {
            // Whether a tag counts may depend on the text before it.
            return Step::Continue;
        }
        if cx.is_code_mark(cx.reading.at) && !may_open_calls(cx) {
            self.has_content(cx);
            return code::begin(cx);
        }
        Step::BEGIN
    }

    /// Text has been read from here on.
    fn note_text(&mut self, from: u64, cx: &mut Context<'_>) {
        let is_noted = cx.reading.has_answer && self.stretch == Stretch::Content;
        if !is_noted && !is_blank(cx.text(from, cx.reading.at)) {
            self.has_content(cx);
        }
    }

    /// What is neither white space nor markup has been read.
    fn has_content(&mut self, cx: &mut Context<'_>) {
        self.stretch = Stretch::Content;
        cx.reading.has_answer = true;
    }

    // Markup.

    /// Whether markup counts here. If that is undecided, it must be asked.
    fn counts(&self, token: &Token, cx: &mut Context<'_>) -> bool {
        let is_promoted = cx.rules.code_calls.is_some() && matches!(token.role, Role::Call(_));
        if is_promoted || !cx.reading.code.is_open_before(token.start) {
            return true;
        }
        let ends_paragraph = code::ends_paragraph(token, cx);
        if ends_paragraph {
            cx.reading.code.end_paragraph();
        }
        ends_paragraph
    }

    /// Acts on markup that counts.
    fn open(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            Role::Section(rule) => {
                self.settle_space(token.start, cx);
                section::open(rule, token, cx)
            }
            Role::Element(rule) => {
                self.settle_space(token.start, cx);
                element::open(rule, token, cx)
            }
            Role::AnyElement if token.shape == Shape::SelfClosing => {
                self.settle_space(token.start, cx);
                element::start_any(token, cx)
            }
            Role::AnyElement => match unproved::look(token, cx) {
                Ok(step) => step,
                Err(answer) => self.answered(answer, token, cx),
            },
            Role::Call(opener) => self.open_call(opener, token, cx),
            Role::Orphan => self.remove(token, SkipReason::OrphanClose, cx),
            Role::Marker => self.remove(token, marker_reason(token), cx),
            Role::WrapperEnd => {
                // It was held because code was undecided.
                self.has_content(cx);
                Step::Continue
            }
            role => {
                debug_assert!(false, "a role of text that nothing opens: {role:?}");
                Step::Continue
            }
        }
    }

    /// What begins here is text, or what a shorter literal there is.
    fn not_a_call(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match cx.shorter(token, cx.text_lexicon()) {
            Some(shorter) => {
                cx.pass(&shorter);
                self.found(&shorter, cx)
            }
            None => {
                self.has_content(cx);
                Step::Continue
            }
        }
    }

    fn open_call(&mut self, opener: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        if cx.is_out_of_place(opener, token.start) || !head::counts_here(opener, false, cx) {
            return self.not_a_call(token, cx);
        }
        self.plain(token.start, cx);
        let around = Around {
            begins_stretch: self.stretch != Stretch::Content,
            ..Around::default()
        };
        match head::look(opener, token, around, cx) {
            Decision::Later(step) => step,
            Decision::Now(answer) => self.answered(answer, token, cx),
        }
    }

    /// Reports that an opener of calls is text, where that is asked for.
    fn notice_near_miss(&mut self, token: &Token, cx: &mut Context<'_>) {
        let calls = cx.rules.calls.as_ref();
        let is_reported = calls.is_some_and(|calls| calls.near_misses);
        if !is_reported || !matches!(token.role, Role::Call(_)) {
            return;
        }
        self.plain(token.start, cx);
        let opener = cx.text(token.start, token.end);
        let message = format!(
            "`{opener}` at byte {} is text: what follows it is not a call",
            token.start
        );
        cx.notice(NoticeCode::NearMiss, &message);
    }

    fn remove(&mut self, token: &Token, reason: SkipReason, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        self.pending.remove(token, reason, false, cx);
        self.check_wait(cx);
        Step::Continue
    }

    /// What follows the text before `to` is neither text nor a call. White space that touches no call
    /// is text.
    fn settle_space(&mut self, to: u64, cx: &mut Context<'_>) {
        if self.is_blank_stretch(cx) && self.stretch != Stretch::Start {
            self.pending.drop_all(to, cx);
        }
        let stretch = std::mem::replace(&mut self.stretch, Stretch::Content);
        self.plain(to, cx);
        self.stretch = stretch;
    }
}

/// Whether the next bytes may be a fence that opens calls, which must begin a line.
fn may_open_calls(cx: &Context<'_>) -> bool {
    cx.rules.fence_opens_calls
        && cx.begins_after_indent(cx.reading.at)
        && cx.text_lexicon().may_begin_with(cx.rest())
}

/// Whether a backtick or a tilde is here, in what may still be something else: only the fences of
/// calls are read before code, and they are held.
fn begins_code(start: u64, cx: &Context<'_>) -> bool {
    start >= cx.mark && cx.reading.code.fence.is_none() && cx.is_code_mark(start)
}

/// Why markup with the role of a marker is removed: it may be a tag.
pub(super) fn marker_reason(token: &Token) -> SkipReason {
    match token.shape {
        Shape::Literal => SkipReason::Marker,
        _ => SkipReason::Tag,
    }
}

/// Whether this opens a section that is shown as it came.
fn is_shown(role: Role, rules: &Rules) -> bool {
    match role {
        Role::Section(rule) => rules.section(rule).mode == ThinkingMode::Show,
        _ => false,
    }
}

/// Reports what was in the fence that has just ended, if that would be markup elsewhere.
fn notice_fenced(is_closed: bool, cx: &mut Context<'_>) {
    let fenced = cx.store_mut().fenced.take();
    if let Some((code, message)) = fenced.and_then(|fenced| fenced.end(is_closed, cx.rules)) {
        cx.notice(code, &message);
    }
}

fn is_reading_fenced(cx: &Context<'_>) -> bool {
    let fenced = cx.store().fenced.as_ref();
    fenced.is_some_and(|fenced| fenced.is_reading())
}

//! Markdown code in text: what the code machine settles for markup and for what is read ahead.

use super::context::{Context, Reading};
use super::frame::{Answer, Edge, Frame, Place, Step};
use crate::code::{Settled, whole_opening_line, whole_span};
use crate::lexicon::{Lexicon, Role};
use crate::policy::Rules;
use crate::token::{Candidate, Fate, Shape, Token};

/// Looks ahead: is the markup inside a code span?
///
/// It reads text as text is read, except that no markup counts. So if the markup is quoted, what was
/// read ahead is read for good.
#[derive(Debug)]
pub(super) struct Quoting {
    markup: u64,
}

impl Place for Quoting {
    fn lexicon<'r>(&self, rules: &'r Rules, reading: &Reading) -> &'r Lexicon {
        text_lexicon(rules, reading)
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        read_undecided(cx, Some(self.markup))
    }

    fn plain(&mut self, _to: u64, _cx: &mut Context<'_>) {}

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if ends_paragraph(token, cx) {
            Step::Answer(Answer::NotQuoted)
        } else {
            Step::Continue
        }
    }

    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        at_edge(cx, edge.candidate, Some(self.markup))
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        Some(end_of_message(cx, Some(self.markup)))
    }

    fn earliest_answer(&self, _candidate: Option<&Candidate>, _cx: &Context<'_>) -> u64 {
        // The code machine has limits of its own.
        0
    }

    fn reads_code(&self) -> bool {
        true
    }

    fn quoting(&self) -> Option<u64> {
        Some(self.markup)
    }
}

/// Asks whether the token is inside a code span.
pub(super) fn ask(token: &Token) -> Step {
    Step::Ask {
        token: *token,
        deadline: u64::MAX,
        frame: Frame::Quoting(Quoting {
            markup: token.start,
        }),
    }
}

/// The markup is not quoted, so no run of backticks before it opens a span.
pub(super) fn not_quoted(cx: &mut Context<'_>) {
    let reading = &mut *cx.reading;
    reading.code.end_paragraph();
    reading.code.fence = None;
    reading.code.read = reading.at;
    reading.plain_until = 0;
}

/// Whether this is an opening tag or literal at the start of a line, and not one of any name.
pub(super) fn ends_paragraph(token: &Token, cx: &Context<'_>) -> bool {
    let opens = matches!(
        token.role,
        Role::Section(_) | Role::Element(_) | Role::Call(_)
    );
    opens && token.shape != Shape::Close && cx.begins_line(token.start)
}

/// Code begins here, with nothing undecided before it.
pub(super) fn begin(cx: &mut Context<'_>) -> Step {
    if take_whole(cx) {
        return Step::Continue;
    }
    cx.reading.code.read = cx.reading.at;
    let lexicon = cx.text_lexicon();
    let step = read_byte(cx, &mut None, None, lexicon);
    cx.reading.at += 1;
    step.unwrap_or(Step::Continue)
}

/// Reads the code that begins here in the two plain cases that nearly all code is.
fn take_whole(cx: &mut Context<'_>) -> bool {
    if cx.rules.code_calls.is_some() {
        return false;
    }
    let (text, limit) = (cx.unread(), cx.rules.limits.span);
    if let Some(len) = whole_span(text, limit) {
        cx.reading.at += len as u64;
        return true;
    }
    match whole_opening_line(text, limit) {
        Some((len, run)) if cx.begins_after_indent(cx.reading.at) => {
            cx.reading.code.open_fence_block(run);
            cx.reading.at += len as u64;
            true
        }
        _ => false,
    }
}

/// Reads text in which some run of backticks may or may not be code.
pub(super) fn read_undecided(cx: &mut Context<'_>, quoting: Option<u64>) -> Step {
    if cx.reading.code.only_lacks_partners() {
        pass_plain(cx);
        if cx.reading.at == cx.end() {
            return Step::Continue;
        }
    }
    let lexicon = cx.text_lexicon();
    if let Some(step) = read_byte(cx, &mut None, quoting, lexicon) {
        return step;
    }
    let at = cx.reading.at;
    let may_begin = lexicon.stops.stop(cx.byte(at)) && !cx.is_code_mark(at);
    if may_begin && at >= cx.reading.plain_until {
        // An opening tag at the start of a line ends the paragraph, and only a whole one does.
        return Step::Begin {
            quotable: false,
            may_end_paragraph: !cx.reading.code.is_decided() && cx.begins_line(at),
        };
    }
    cx.reading.at += 1;
    *cx.work += 1;
    Step::Continue
}

/// Passes over bytes that say nothing about code and begin nothing.
fn pass_plain(cx: &mut Context<'_>) {
    let stops = &cx.text_lexicon().stops;
    let bytes = cx.unread();
    let is_plain = |byte: &&u8| !stops.stop(**byte) && **byte != b'\n';
    let plain = bytes.iter().take_while(is_plain).count() as u64;
    cx.reading.at += plain;
    *cx.work += plain;
}

/// Lets the code machine read the next byte. Returns a step if reading goes on elsewhere or in
/// another way, and `None` if the byte is to be read as usual.
pub(super) fn read_byte(
    cx: &mut Context<'_>,
    candidate: &mut Option<Candidate>,
    quoting: Option<u64>,
    lexicon: &Lexicon,
) -> Option<Step> {
    let at = cx.reading.at;
    if at < cx.reading.code.read {
        return None;
    }
    let (byte, is_mark) = (cx.byte(at), cx.is_code_mark(at));
    // Backticks inside what may be a tag open nothing.
    let opens =
        is_mark && at >= cx.reading.plain_until && !candidate_takes(cx, candidate, byte, lexicon);
    let settled = cx.reading.code.end_run(byte, at);
    if let Some(step) = settle(cx, settled, candidate, quoting) {
        return Some(step);
    }
    if let Some(step) = expire(cx, candidate, quoting) {
        return Some(step);
    }
    if cx.reading.code.is_decided() && !is_mark {
        return None;
    }
    let settled = cx.step_code(opens);
    let step = settle(cx, settled, candidate, quoting);
    if step.is_some() && cx.reading.code.fence.is_some() && !is_answer(&step) {
        // The byte was the last of what opens the fence.
        cx.reading.at += 1;
    }
    step
}

fn is_answer(step: &Option<Step>) -> bool {
    matches!(step, Some(Step::Answer(_)))
}

/// Whether the candidate continues with this byte.
fn candidate_takes(
    cx: &Context<'_>,
    candidate: &Option<Candidate>,
    byte: u8,
    lexicon: &Lexicon,
) -> bool {
    let (Some(mut candidate), at) = (*candidate, cx.reading.at) else {
        return false;
    };
    match candidate.read(&[byte], &cx.rules.grammar(lexicon)).1 {
        Fate::Open => true,
        Fate::Text { resume, .. } => resume > at,
        Fate::Found(token) => token.end > at,
    }
}

/// Drops the runs of backticks whose partner is too far away.
pub(super) fn expire(
    cx: &mut Context<'_>,
    candidate: &mut Option<Candidate>,
    quoting: Option<u64>,
) -> Option<Step> {
    if cx.reading.code.is_decided() {
        return None;
    }
    let settled = cx.reading.code.expire(cx.reading.at);
    settle(cx, settled, candidate, quoting)
}

/// Draws the consequences of what the code machine has settled.
fn settle(
    cx: &mut Context<'_>,
    settled: Settled,
    candidate: &mut Option<Candidate>,
    quoting: Option<u64>,
) -> Option<Step> {
    let is_code = |position: u64| match settled {
        Settled::Span { from, to } => from <= position && position < to,
        Settled::Fence { from } => from <= position,
        _ => false,
    };
    match settled {
        Settled::Nothing => return None,
        // What had turned out to be text is code up to here, and after that it may be anything.
        Settled::Span { to, .. } => cx.reading.plain_until = cx.reading.plain_until.min(to),
        _ => {}
    }
    let drops = candidate.is_some_and(|candidate| is_code(candidate.start));
    if drops {
        *candidate = None;
    }
    match quoting {
        Some(markup) if is_code(markup) => {
            *candidate = None;
            if let Settled::Span { to, .. } = settled {
                go_back_to(cx, to);
            }
            return Some(Step::KeepReadAhead);
        }
        Some(markup) if !cx.reading.code.is_open_before(markup) => {
            return Some(Step::Answer(Answer::NotQuoted));
        }
        _ => {}
    }
    if matches!(settled, Settled::Fence { .. }) && candidate.is_some() {
        // The fence is inside what may be a tag.
        cx.reading.code.fence = None;
    }
    (drops || cx.reading.code.fence.is_some()).then_some(Step::Continue)
}

/// Goes on where a span has ended, which may be before the byte that shows it.
fn go_back_to(cx: &mut Context<'_>, position: u64) {
    if position < cx.reading.at {
        cx.reading.at = position;
        cx.reading.code.read_again(position);
    }
}

/// What begins a line has been read without code. If it does not end the paragraph, code must read
/// it now: returns a step in that case.
pub(super) fn settle_block(cx: &mut Context<'_>, fate: Fate, quoting: Option<u64>) -> Option<Step> {
    let (start, end) = match fate {
        Fate::Open => return None,
        Fate::Found(token) if ends_paragraph(&token, cx) => return None,
        Fate::Found(token) => (token.start, token.end),
        Fate::Text { start, resume, .. } => (start, resume),
    };
    cx.reading.plain_until = end;
    cx.go_to(start);
    Some(match fate {
        Fate::Found(token) if !is_text(token.role) && quoting.is_none() => ask(&token),
        _ => Step::Continue,
    })
}

fn is_text(role: Role) -> bool {
    matches!(role, Role::Kept | Role::KeptSpace)
}

/// A run of backticks that begins in what is not a tag opens nothing, even if it goes on after it.
pub(super) fn pass_rest_of_run(cx: &mut Context<'_>) {
    let at = cx.reading.at;
    if cx.rules.code && cx.byte_before(at) == b'`' && cx.reading.code.is_decided() {
        cx.reading.code.pass_run(at);
    }
}

/// What can be settled about code at the end of what may be read.
pub(super) fn at_edge(
    cx: &mut Context<'_>,
    candidate: &mut Option<Candidate>,
    quoting: Option<u64>,
) -> Option<Step> {
    if cx.reading.code.is_decided() {
        return None;
    }
    if let Some(step) = expire(cx, candidate, quoting) {
        return Some(step);
    }
    if cx.reading.code.is_decided() {
        return Some(Step::Continue);
    }
    // A line begins with the opening literal of a section, whichever it is: the paragraph is over.
    let opens = |role| matches!(role, Role::Section(_));
    let candidate = candidate.filter(|candidate| candidate.may_end_paragraph)?;
    if !candidate.must_be(cx.text_lexicon(), opens) {
        return None;
    }
    if quoting.is_some() {
        return Some(Step::Answer(Answer::NotQuoted));
    }
    cx.reading.code.end_paragraph();
    Some(Step::Continue)
}

/// The message ends while some run of backticks is undecided.
pub(super) fn end_of_message(cx: &mut Context<'_>, quoting: Option<u64>) -> Step {
    let settled = cx.reading.code.finish(cx.reading.at);
    settle(cx, settled, &mut None, quoting).unwrap_or(Step::Continue)
}

/// What counts in text here.
pub(super) fn text_lexicon<'r>(rules: &'r Rules, reading: &Reading) -> &'r Lexicon {
    match (&rules.code_calls, &rules.anchored_text) {
        (Some(calls), _) if reading.code.fence.is_some() => calls,
        (_, Some(anchored)) if reading.has_answer => anchored,
        _ => &rules.text,
    }
}

impl<'a> Context<'a> {
    pub(super) fn text_lexicon(&self) -> &'a Lexicon {
        text_lexicon(self.rules, self.reading)
    }

    pub(super) fn is_code_mark(&self, at: u64) -> bool {
        self.rules.code && matches!(self.byte(at), b'`' | b'~')
    }
}

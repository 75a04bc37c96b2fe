//! Thinking and hidden sections.

use super::call;
use super::call::head::{self, Around, Decision};
use super::context::{Context, Reading, is_blank};
use super::fast::{Fast, Plain};
use super::frame::{Answer, Edge, Ended, Frame, Place, Step};
use super::pending::Pending;
use super::text::marker_reason;
use crate::attributes::Attributes;
use crate::event::{EventKind, NoticeCode, SkipReason};
use crate::lexicon::{Lexicon, Number, Role};
use crate::line::is_space;
use crate::policy::{Rules, SectionRule};
use crate::profile::{ThinkingMode, UnclosedThinking};
use crate::token::{Candidate, Shape, Suffix, Token};

/// A section that is open.
#[derive(Debug)]
pub(super) struct Section {
    rule: Number,
    becomes: Becomes,
    /// Its opening tag. While it is fresh, a thought has not been started: the tag and the white
    /// space after it wait for the first content.
    opener: Token,
    /// How many closing tags it needs besides its last.
    depth: usize,
    /// The suffix of its tags; `None` if the prompt has opened it with one that is not known.
    suffix: Option<Option<Suffix>>,
    /// Nothing but white space is in it so far.
    is_fresh: bool,
    /// Nothing but white space has come since an opening tag: another one would repeat it.
    is_after_opener: bool,
    /// White space has waited too long to be trimmed: the rest of it is kept too.
    keeps_space: bool,
    /// It is known to have a closing tag, so that calls in it do not end it.
    is_closed: bool,
    code: ThoughtCode,
    pending: Pending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    Thought,
    Nothing,
    /// Text without the tags.
    Revealed,
    /// Text with the tags.
    Shown,
    /// That depends on whether it has a closing tag. The frame looks ahead for it.
    Unknown,
}

// Opening.

/// Opens the section that the prompt has opened.
pub(super) fn open_prompted(rule: Number, cx: &mut Context<'_>) -> Step {
    let token = Token::empty(cx.reading.at, Role::Section(rule));
    open(rule, &token, cx)
}

/// Opens a section. All text before it has been emitted.
pub(super) fn open(number: Number, token: &Token, cx: &mut Context<'_>) -> Step {
    let rule = cx.rules.section(number);
    if token.shape == Shape::SelfClosing {
        if rule.mode == ThinkingMode::Show {
            // It is text that is seen.
            cx.reading.has_answer = true;
        } else {
            cx.skip(token.end, SkipReason::EmptySection);
        }
        return Step::Continue;
    }
    if !rule.waits {
        return Step::Push(Section::open(number, token, usual(rule), cx));
    }
    Step::Ask {
        token: *token,
        deadline: cx.deadline(token),
        frame: Section::open(number, token, Becomes::Unknown, cx),
    }
}

/// Opens a section of which it is known now whether it has a closing tag.
pub(super) fn open_known(answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
    let Role::Section(number) = token.role else {
        debug_assert!(false, "only sections ask whether they are closed");
        return Step::Continue;
    };
    let rule = cx.rules.section(number);
    let becomes = match (answer, rule.unclosed) {
        (Answer::Unclosed, UnclosedThinking::Reveal) => Becomes::Revealed,
        (Answer::Unclosed, _) => Becomes::Nothing,
        _ => usual(rule),
    };
    let mut frame = Section::open(number, token, becomes, cx);
    if let (Answer::TooLong { is_blank: true }, Frame::Section(section)) = (answer, &mut frame) {
        section.is_too_blank(cx);
    }
    Step::Push(frame)
}

fn usual(rule: &SectionRule) -> Becomes {
    match rule.mode {
        _ if rule.is_answer => Becomes::Revealed,
        ThinkingMode::Show => Becomes::Shown,
        ThinkingMode::Hide => Becomes::Nothing,
        ThinkingMode::Extract => Becomes::Thought,
    }
}

impl Place for Section {
    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        let rule = rules.section(self.rule);
        match &rule.late_lexicon {
            Some(late) if !self.is_after_opener => late,
            _ => &rule.lexicon,
        }
    }

    /// The section that the prompt has opened is closed by any tag of its name.
    fn fits(&self, token: &Token) -> bool {
        let is_own = matches!(token.role, Role::Again | Role::End);
        !is_own || self.suffix.is_none_or(|suffix| token.suffix == suffix)
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        let (rest, lexicon) = (cx.rest(), self.lexicon(cx.rules, cx.reading));
        // law: section-start
        let is_only_space = self.is_fresh || self.is_after_opener;
        let next = if is_only_space {
            let is_plain = |byte: &&u8| is_space(**byte) && !lexicon.stops.stop(**byte);
            rest.iter().take_while(is_plain).count()
        } else {
            lexicon.find(rest).unwrap_or(rest.len())
        };
        cx.reading.at += next as u64;
        if self.check_wait(cx) {
            return Step::Continue;
        }
        match rest.get(next) {
            None => Step::Continue,
            Some(byte) if is_only_space && !lexicon.stops.stop(*byte) => {
                self.has_content(cx.reading.at, cx);
                Step::Continue
            }
            Some(_) => {
                if cx.is_code_mark(cx.reading.at) {
                    self.code.read_mark(cx);
                }
                Step::Begin {
                    quotable: is_quotable(cx),
                    may_end_paragraph: false,
                }
            }
        }
    }

    fn is_visible(&self, role: Role, shape: Shape, _start: u64, cx: &Context<'_>) -> bool {
        // Until there is content in a hidden section, it matters what is not.
        let may_be_empty = self.becomes == Becomes::Nothing && self.is_fresh;
        let loses_tags = self.loses_tags() || may_be_empty;
        match role {
            Role::Call(opener) => head::counts_here(opener, true, cx),
            Role::Section(_) | Role::EndBefore(_) => true,
            Role::Marker => self.becomes != Becomes::Nothing || may_be_empty,
            Role::Again => loses_tags && self.is_after_opener && shape != Shape::SelfClosing,
            _ => loses_tags && self.depth == 0,
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        match self.becomes {
            Becomes::Unknown => {}
            Becomes::Nothing => cx.skip(to, SkipReason::Hidden),
            Becomes::Shown => {
                cx.reading.has_visible_text = true;
                cx.emit_text(to);
            }
            _ if self.is_fresh => {}
            _ if self.rule(cx).trims => self.plain_trimmed(to, cx),
            _ => self.run(to, cx),
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let repeats = self.is_after_opener && token.shape != Shape::SelfClosing;
        match token.role {
            Role::Section(rule) => {
                self.has_content(token.start, cx);
                self.interrupt(token.start, cx);
                open(rule, token, cx)
            }
            Role::Call(opener) => self.open_call(opener, token, cx),
            Role::Marker if self.becomes == Becomes::Nothing => Step::Continue,
            Role::Marker => self.remove(token, marker_reason(token), cx),
            Role::Again if repeats && !self.loses_tags() => Step::Continue,
            Role::Again if repeats => self.remove(token, SkipReason::Tag, cx),
            Role::End if self.depth == 0 => self.close(token, cx),
            Role::EndBefore(_) => {
                cx.reading.at = token.start;
                self.close(&Token::empty(token.start, Role::End), cx)
            }
            _ => self.inner_tag(token, cx),
        }
    }

    fn not_markup(&mut self, start: u64, is_blank: bool, cx: &mut Context<'_>) -> Step {
        if !is_blank {
            self.has_content(start, cx);
        }
        Step::Continue
    }

    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        // In a hidden section nothing shows, whatever it is.
        let shows = self.is_fresh && self.becomes != Becomes::Nothing;
        if let (true, Some(candidate)) = (shows && edge.is_content(), &edge.candidate) {
            // The candidate is still being read, so that another opening tag may still be repeated.
            self.start(candidate.start, cx);
        }
        None
    }

    fn answered(&mut self, answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.pass(token);
        match answer {
            // law: ends-thinking
            Answer::Call(_) if cx.call_rules().ends_thinking => self.ask_for_closer(token, cx),
            // The call that was found is in a section that has a closing tag, or ends one that has none.
            Answer::Closed if matches!(token.role, Role::Call(_)) => {
                self.is_closed = true;
                self.not_a_call(token, cx)
            }
            Answer::Unclosed | Answer::TooLong { .. } if matches!(token.role, Role::Call(_)) => {
                self.end_before(token.start, cx)
            }
            Answer::Call(seen) => {
                self.keep_space(seen.opener, cx);
                call::enter(seen, true, cx)
            }
            Answer::CutOff(_) | Answer::Prose
                if cx.is_marker(token) && self.becomes != Becomes::Nothing =>
            {
                self.remove(token, SkipReason::Marker, cx)
            }
            Answer::NoCalls { end, head } if !cx.call_rules().ends_thinking => {
                self.keep_space(token.start, cx);
                call::drop_wrapper(token, head, end, true, cx);
                Step::Continue
            }
            Answer::CutOff(_) | Answer::EmptyWrapper(_) if cx.call_rules().ends_thinking => {
                self.has_content(token.start, cx);
                Step::Continue
            }
            Answer::CutOff(seen) => {
                self.keep_space(seen.opener, cx);
                head::report_cut_off(&seen, cx);
                Step::Continue
            }
            Answer::EmptyWrapper(end) => {
                self.keep_space(token.start, cx);
                cx.skip(end, SkipReason::Wrapper);
                cx.reading.at = end;
                Step::Continue
            }
            Answer::Closed | Answer::Unclosed | Answer::TooLong { .. } => {
                open_known(answer, token, cx)
            }
            _ => self.not_a_call(token, cx),
        }
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        if self.becomes == Becomes::Unknown {
            return Some(Step::Answer(Answer::Unclosed));
        }
        // The last bytes may have been a candidate, which is white space now.
        self.check_wait(cx);
        self.end_unclosed(cx.end(), cx);
        Some(Step::Pop(Ended::Section))
    }

    fn earliest_answer(&self, candidate: Option<&Candidate>, cx: &Context<'_>) -> u64 {
        let at = cx.reading.at;
        let closes = |role, _| matches!(role, Role::End | Role::EndBefore(_));
        match candidate {
            // In a hidden section the closing tag that answers is still to come.
            _ if self.becomes != Becomes::Unknown => at,
            Some(candidate) if self.is_fresh => candidate.start,
            // Past the limit a closing tag changes nothing: either way the section is as usual, unless
            // it is asked for because of a call.
            Some(candidate)
                if (at <= self.deadline(cx) || matches!(self.opener.role, Role::Call(_)))
                    && candidate.may_be(self.lexicon(cx.rules, cx.reading), closes) =>
            {
                candidate.start
            }
            _ => at,
        }
    }

    fn give_up(&mut self, _deadline: u64, _cx: &mut Context<'_>) -> Step {
        // A hidden section inside the one that looks ahead is content of that.
        let is_blank = self.is_fresh && self.becomes == Becomes::Unknown;
        Step::Answer(Answer::TooLong { is_blank })
    }

    fn fast(&self, cx: &Context<'_>) -> Option<Fast> {
        let rule = self.rule(cx);
        let plain = match self.becomes {
            Becomes::Thought if !rule.trims => Plain::Thought,
            Becomes::Nothing => Plain::Hidden,
            Becomes::Shown => Plain::Text,
            Becomes::Revealed if rule.is_answer && cx.reading.has_visible_text => Plain::Text,
            _ => return None,
        };
        if self.is_fresh || self.is_after_opener {
            return None;
        }
        Some(Fast {
            plain,
            stops: self
                .lexicon(cx.rules, cx.reading)
                .stops
                .short_search(b'`')?,
            asks_lexicon: true,
            holds_newline: false,
            room: usize::MAX,
        })
    }
}

impl Section {
    fn open(rule: Number, token: &Token, becomes: Becomes, cx: &mut Context<'_>) -> Frame {
        match becomes {
            Becomes::Nothing => cx.skip(token.end, SkipReason::Hidden),
            Becomes::Revealed => cx.skip(token.end, SkipReason::Tag),
            // Its tag is text that is seen.
            Becomes::Shown => cx.reading.has_answer = true,
            Becomes::Unknown | Becomes::Thought => {}
        }
        Frame::Section(Section {
            rule,
            becomes,
            opener: *token,
            suffix: (token.start < token.end).then_some(token.suffix),
            code: ThoughtCode::default(),
            depth: 0,
            is_fresh: becomes != Becomes::Shown && !cx.rules.section(rule).is_answer,
            is_after_opener: true,
            keeps_space: false,
            is_closed: false,
            pending: Pending::default(),
        })
    }

    /// Whether its tags are not part of what it becomes.
    fn loses_tags(&self) -> bool {
        !matches!(self.becomes, Becomes::Nothing | Becomes::Shown)
    }

    fn rule<'r>(&self, cx: &Context<'r>) -> &'r SectionRule {
        cx.rules.section(self.rule)
    }

    fn deadline(&self, cx: &Context<'_>) -> u64 {
        let lookahead = cx.rules.limits.lookahead as u64;
        self.opener.end.saturating_add(lookahead)
    }

    // Its start.

    /// What is not white space begins at `at`.
    fn has_content(&mut self, at: u64, cx: &mut Context<'_>) {
        if self.is_fresh {
            self.start(at, cx);
        }
        self.is_after_opener = false;
    }

    /// Starts the thought, now that something is in it, and settles the white space before `at`.
    fn start(&mut self, at: u64, cx: &mut Context<'_>) {
        self.is_fresh = false;
        self.emit_start(cx);
        match self.becomes {
            Becomes::Thought | Becomes::Revealed if self.rule(cx).trims => {
                self.pending.drop_all(at, cx);
            }
            _ => self.keep_pending(cx),
        }
    }

    fn emit_start(&mut self, cx: &mut Context<'_>) {
        if self.becomes != Becomes::Thought {
            return;
        }
        let attributes = match self.opener.shape {
            Shape::Open => cx.attributes(&self.opener),
            _ => "",
        };
        let kind = EventKind::ThoughtStart {
            tag: self.rule(cx).tag.as_deref(),
            attributes: Attributes::new(attributes),
        };
        cx.emit(self.opener.end, kind);
    }

    /// Whether the start has waited too long; if so, it is emitted.
    fn check_wait(&mut self, cx: &mut Context<'_>) -> bool {
        let waits = self.is_fresh && self.becomes == Becomes::Thought;
        let too_long = waits && cx.reading.at > self.deadline(cx);
        if too_long {
            self.is_too_blank(cx);
        }
        too_long
    }

    /// There is nothing but white space within the limit: it is a thought, and all of it is kept.
    fn is_too_blank(&mut self, cx: &mut Context<'_>) {
        if self.becomes == Becomes::Thought {
            self.is_fresh = false;
            self.keeps_space = true;
            self.emit_start(cx);
            self.keep_pending(cx);
        }
    }

    // Inside.

    fn remove(&mut self, token: &Token, reason: SkipReason, cx: &mut Context<'_>) -> Step {
        if self.becomes == Becomes::Unknown {
            // All of it is read again.
            return Step::Continue;
        }
        self.plain(token.start, cx);
        let waits = self.is_fresh && self.becomes == Becomes::Thought;
        self.pending.remove(token, reason, waits, cx);
        self.check_wait(cx);
        Step::Continue
    }

    /// A call that may count in thinking. In a section that is uncertain itself it is text.
    fn open_call(&mut self, opener: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        let is_text = self.becomes == Becomes::Unknown
            || self.is_closed
            || cx.is_out_of_place(opener, token.start)
            // law: call-in-thought-code
            || self.code.covers(token.start, cx);
        if is_text {
            return self.not_a_call(token, cx);
        }
        // A call that ends the section is not in it.
        if !cx.call_rules().ends_thinking {
            self.has_content(token.start, cx);
        }
        self.plain(token.start, cx);
        let around = Around {
            in_thinking: true,
            ..Around::default()
        };
        match head::look(opener, token, around, cx) {
            Decision::Later(step) => step,
            Decision::Now(answer) => self.answered(answer, token, cx),
        }
    }

    /// What begins here is text, or what a shorter literal there is.
    fn not_a_call(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match cx.shorter(token, self.lexicon(cx.rules, cx.reading)) {
            Some(shorter) => {
                cx.pass(&shorter);
                self.found(&shorter, cx)
            }
            None => {
                self.has_content(token.start, cx);
                Step::Continue
            }
        }
    }

    /// A call may end the section, if that has no closing tag: asks for one.
    fn ask_for_closer(&self, token: &Token, cx: &Context<'_>) -> Step {
        Step::Ask {
            token: *token,
            deadline: cx.deadline(token),
            frame: Frame::Section(Section {
                becomes: Becomes::Unknown,
                opener: *token,
                is_fresh: false,
                is_after_opener: false,
                pending: Pending::default(),
                ..*self
            }),
        }
    }

    /// The section ends here, without a closing tag: a call begins.
    fn end_before(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        self.end_unclosed(start, cx);
        cx.reading.at = start;
        Step::Pop(Ended::Section)
    }

    /// A tag that stays in the text of the section.
    fn inner_tag(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.has_content(token.start, cx);
        match token.shape {
            Shape::Close => self.depth -= 1,
            Shape::Open => {
                self.is_after_opener = true;
                if self.rule(cx).nests && self.depth + 1 < cx.rules.limits.depth {
                    self.depth += 1;
                }
            }
            Shape::SelfClosing | Shape::Literal => {}
        }
        Step::Continue
    }

    // Its end.

    fn close(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match self.becomes {
            Becomes::Unknown => return Step::Answer(Answer::Closed),
            // What is hidden is not held, so its reason cannot depend on what it turns out to be.
            Becomes::Nothing | Becomes::Shown => self.plain(token.end, cx),
            _ if self.is_fresh => self.skip_empty(token.end, cx),
            Becomes::Thought => {
                self.finish(token.start, cx);
                // law: thought-end
                cx.emit(token.end, EventKind::ThoughtEnd { closed: true });
            }
            Becomes::Revealed => {
                self.finish(token.start, cx);
                cx.skip(token.end, SkipReason::Tag);
            }
        }
        Step::Pop(Ended::Section)
    }

    /// Ends the section without a closing tag.
    fn end_unclosed(&mut self, end: u64, cx: &mut Context<'_>) {
        match self.becomes {
            Becomes::Shown => self.plain(end, cx),
            _ if self.is_fresh => self.skip_empty(end, cx),
            _ => {
                self.finish(end, cx);
                if self.becomes == Becomes::Thought {
                    cx.emit(end, EventKind::ThoughtEnd { closed: false });
                }
                if !self.rule(cx).is_answer {
                    self.notice_unclosed(cx);
                }
            }
        }
    }

    fn skip_empty(&mut self, end: u64, cx: &mut Context<'_>) {
        self.pending.clear();
        cx.skip(end, SkipReason::EmptySection);
    }

    /// Emits the rest of the section, whose end is known now.
    fn finish(&mut self, to: u64, cx: &mut Context<'_>) {
        self.plain(to, cx);
        self.pending.drop_all(to, cx);
    }

    fn notice_unclosed(&self, cx: &mut Context<'_>) {
        let message = match &self.rule(cx).tag {
            Some(tag) => format!("the section `{tag}` has no closing tag"),
            None => "the section that the prompt opened has no closing tag".to_owned(),
        };
        cx.notice(NoticeCode::UnclosedThought, &message);
    }

    // Output.

    /// Emits text of the section up to `to`, but for white space that may be at its end.
    fn plain_trimmed(&mut self, to: u64, cx: &mut Context<'_>) {
        let from = cx.mark.max(self.pending.end()).min(to);
        let text = cx.text(from, to);
        let content = text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        self.keeps_space &= content == 0;
        if content > 0 {
            self.keep_pending(cx);
            self.run(from + content as u64, cx);
        }
        let too_long = to - cx.mark > cx.rules.limits.lookahead as u64;
        if self.keeps_space || too_long {
            self.keep_space(to, cx);
        }
    }

    /// Emits all text up to `to`, where something other than text begins.
    fn interrupt(&mut self, to: u64, cx: &mut Context<'_>) {
        self.plain(to, cx);
        self.keep_pending(cx);
        self.run(to, cx);
        self.keeps_space = false;
    }

    /// Emits all up to `to`, white space too.
    fn keep_space(&mut self, to: u64, cx: &mut Context<'_>) {
        self.keeps_space = true;
        self.keep_pending(cx);
        self.run(to, cx);
    }

    fn keep_pending(&mut self, cx: &mut Context<'_>) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.keep(cx, |to, cx| self.run(to, cx));
        self.pending = pending;
    }

    fn run(&self, to: u64, cx: &mut Context<'_>) {
        if to <= cx.mark {
            return;
        }
        match self.becomes {
            Becomes::Thought => {
                let text = cx.text(cx.mark, to);
                cx.emit(to, EventKind::Thought(text));
            }
            Becomes::Nothing | Becomes::Unknown => cx.skip(to, SkipReason::Hidden),
            Becomes::Revealed | Becomes::Shown => {
                cx.reading.has_answer |= !is_blank(cx.text(cx.mark, to));
                cx.emit_text(to);
            }
        }
    }
}

/// What is known about code in a thought: only what decides whether a call there is quoted.
#[derive(Clone, Copy, Debug, Default)]
struct ThoughtCode {
    in_fence: bool,
    /// Where the last run of backticks or tildes ends, and its length if it begins a line.
    run_end: u64,
    run_len: u8,
}

impl ThoughtCode {
    /// The next byte is a backtick or a tilde. A run of three at the start of a line begins a fence or
    /// ends it.
    fn read_mark(&mut self, cx: &Context<'_>) {
        let at = cx.reading.at;
        if at < self.run_end {
            // It has been read before.
            return;
        }
        self.run_len = if self.run_end == at && at > 0 {
            // A run within a line is not counted.
            self.run_len.saturating_add(u8::from(self.run_len > 0))
        } else {
            u8::from(cx.begins_after_indent(at))
        };
        self.run_end = at + 1;
        self.in_fence ^= self.run_len == 3;
    }

    /// Whether a call that begins here is in code.
    fn covers(&self, at: u64, cx: &mut Context<'_>) -> bool {
        let counts = cx.rules.code && !cx.call_rules().in_code;
        counts && (self.in_fence || cx.has_odd_backticks(at))
    }
}

/// Whether a backtick after the tag that begins here would make it a quotation.
fn is_quotable(cx: &mut Context<'_>) -> bool {
    let at = cx.reading.at;
    cx.rules.code && cx.byte(at) == b'<' && cx.byte_before(at) == b'`' && cx.has_odd_backticks(at)
}

//! Looks ahead: is this opening tag a call, or prose?

use super::envelope::{CallJson, JsonEvent};
use super::name::{MAX_NAME_BYTES, begins_name, is_name_byte};
use crate::attributes::Attributes;
use crate::check::CallErrorCode;
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Answer, Edge, Frame, Place, Step};
use crate::event::EventKind;
use crate::lexicon::{Lexicon, Number, Role};
use crate::line::is_space;
use crate::policy::Rules;
use crate::policy::call::{NameAt, Style};
use crate::profile::UnknownTool;
use crate::token::{Candidate, Shape, Token};

/// How much text may be between the opening tag of a wrapper and the first call in it, in bytes.
const MAX_TEXT_BYTES: u64 = 1024;

/// How far into JSON its name is looked for before anything is emitted, in bytes.
const PROBE_BYTES: u64 = 1024;

/// What is known about an opening tag, as far as it has been read. Its texts are in the window as
/// long as the question is open, and when it is answered.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct SeenHead {
    /// Where the opening tag begins, and where it ends.
    pub(in crate::engine) opener: u64,
    pub(super) after: u64,
    /// The dialect of the wrapper that was opened.
    pub(super) wrapper: Option<Number>,
    /// What opens the call, and where.
    pub(super) head: Option<Number>,
    pub(super) start: u64,
    pub(super) dialect: Number,
    /// Its name, and its id if that is apart from the name.
    pub(super) name: (u64, u64),
    pub(super) id: (u64, u64),
    /// Where the head ends: what follows belongs to the arguments.
    pub(super) end: u64,
    /// The opening tag closed itself.
    pub(super) is_whole: bool,
    /// Text is between what opens the wrapper and the call.
    pub(super) has_text: bool,
}

impl SeenHead {
    pub(super) fn at(start: u64, end: u64) -> Self {
        SeenHead {
            opener: start,
            after: end,
            start,
            end,
            ..Self::default()
        }
    }

    /// The name of the call: the declared spelling, where the tag is the name.
    pub(super) fn name<'a>(&self, cx: &Context<'a>) -> &'a str {
        let rules = cx.call_rules();
        let text = cx.text_of(self.name);
        let Some(head) = self.head.map(|head| rules.head(head)) else {
            return text;
        };
        match (&head.name, &rules.dialect(head.dialect).id) {
            (NameAt::Tag(tool), _) => rules.spelled(text, *tool),
            (_, Some((before, after))) => name_in_id(text, before, after),
            _ => text,
        }
    }
}

/// Where the opening tag is.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct Around {
    pub(in crate::engine) in_wrapper: bool,
    pub(in crate::engine) in_thinking: bool,
    /// The call has begun, and what is asked is whether its arguments are JSON.
    pub(in crate::engine) in_call: bool,
}

/// The answer, or the question that will bring it.
pub(in crate::engine) enum Decision {
    Now(Answer),
    Later(Step),
}

#[derive(Debug)]
pub(in crate::engine) struct Head {
    pub(super) seen: SeenHead,
    pub(super) around: Around,
    /// What opens the wrapper, if that is what is looked at.
    opener: Option<Number>,
    /// The wrapper has ended without a call, and where its closing tag ends if it has one.
    ended_in_text: bool,
    end_of_wrapper: Option<u64>,
    /// The tool is not declared, which makes it text.
    is_undeclared: bool,
    pub(super) at: At,
    /// The tool, once its name is known.
    tool: Option<Number>,
    /// JSON that has yet to tell whether its tool is known.
    json: CallJson,
}

/// How far the head has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// After an opening tag.
    Opened(Number),
    /// Before the name of a call in Python, or in it.
    Python(Number),
    /// In text after the opening tag of a wrapper, before the first call.
    Text(Number),
    /// After a head that has its name: a tag of the dialect must follow.
    Named(Number),
    /// The tag of the head is the name of its tool, and the first argument is not declared: in the one
    /// with this name, or after it.
    Undeclared {
        head: Number,
        name: (u64, u64),
    },
    /// In a name that is text, and after it.
    Name(Number),
    AfterName(Number),
    /// In an id before the name, or after it.
    FirstId(Number),
    Id(Number),
    /// In text that means nothing, after an opening tag.
    Skip(Number),
    /// After the first bracket of JSON.
    Bracket,
    /// In JSON that has yet to tell whether its tool is known.
    Probe,
}

/// Looks at an opening tag of calls in text or in a section.
pub(in crate::engine) fn look(
    opener: Number,
    token: &Token,
    around: Around,
    cx: &mut Context<'_>,
) -> Decision {
    let rule = cx.call_rules().opener(opener);
    let mut head = Head::new(SeenHead::at(token.start, token.end), around);
    head.opener = Some(opener);
    let step = match rule.named {
        _ if rule.is_bare => head.look_at_bare(opener, token, cx),
        _ if token.shape == Shape::Close => Step::Answer(Answer::Prose),
        Some(named) => head.see_head(named, token, cx),
        None if token.shape == Shape::SelfClosing => Step::Answer(Answer::EmptyWrapper(token.end)),
        None if rule.skip.is_some() => head.begin_skip(opener, cx),
        None => head.go_to(At::Opened(opener)),
    };
    head.look_on(&step, token, cx)
}

/// Looks at a head in a wrapper.
pub(super) fn look_at_head(
    number: Number,
    token: &Token,
    around: Around,
    cx: &mut Context<'_>,
) -> Decision {
    let mut head = Head::new(SeenHead::at(token.start, token.end), around);
    let step = head.see_head(number, token, cx);
    head.look_on(&step, token, cx)
}

/// Looks at a bracket that may begin JSON of this dialect.
pub(super) fn look_at_json(dialect: Number, around: Around, cx: &mut Context<'_>) -> Decision {
    let at = cx.reading.at;
    let token = Token::empty(at, Role::Value);
    let mut head = Head::new(SeenHead::at(at, at), around);
    let step = head.see_json(dialect, cx);
    head.look_on(&step, &token, cx)
}

/// Looks at a literal between calls, after which another call may follow.
pub(super) fn look_after_separator(
    dialect: Number,
    token: &Token,
    around: Around,
    cx: &mut Context<'_>,
) -> Decision {
    let mut head = Head::new(SeenHead::at(token.start, token.end), around);
    let step = head.look_after_wrapper(dialect, cx);
    head.look_on(&step, token, cx)
}

/// Reports a call that the message has cut off in its head.
pub(in crate::engine) fn report_cut_off(seen: &SeenHead, cx: &mut Context<'_>) {
    let (end, name) = (cx.end(), seen.name(cx));
    let kind = EventKind::CallError {
        index: cx.reading.next_call,
        name: (!name.is_empty()).then_some(name),
        code: CallErrorCode::IncompleteCall,
        argument: None,
        message: super::finish::CUT_OFF,
        raw: cx.text(seen.opener, end),
    };
    cx.reading.next_call += 1;
    cx.reading.at = end;
    cx.emit(end, kind);
}

impl Place for Head {
    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        let (any_tags, rules) = (&rules.any_tags, rules.calls());
        match self.at {
            At::Opened(opener) => &rules.opener(opener).lexicon,
            At::Python(opener) | At::Text(opener) => &rules.opener(opener).in_text,
            At::Named(head) => rules.dialect(rules.head(head).dialect).between(self.tool),
            At::Undeclared { .. } => any_tags,
            At::Name(head) | At::AfterName(head) => &rules.head(head).lexicon,
            At::FirstId(head) => {
                let head = rules.head(head);
                head.before_name.as_ref().unwrap_or(&head.after_id)
            }
            At::Id(head) => &rules.head(head).after_id,
            At::Skip(opener) => {
                let opener = rules.opener(opener);
                opener.skip.as_ref().unwrap_or(&opener.lexicon)
            }
            At::Bracket | At::Probe => &rules.dialect(self.seen.dialect).closers,
        }
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Opened(opener) => self.read_after_opener(opener, cx),
            At::Text(_) => self.read_text(cx),
            At::Python(opener) => self.read_python(opener, cx),
            At::Named(head) => self.read_after_named(head, cx),
            At::Undeclared { name, .. } => self.read_undeclared(name, cx),
            At::Name(head) => self.read_name(head, cx),
            At::AfterName(_) => self.read_after_name(cx),
            At::FirstId(_) | At::Id(_) | At::Skip(_) => self.read_word(cx),
            At::Bracket => self.read_after_bracket(cx),
            At::Probe => self.probe(cx),
        }
    }

    fn plain(&mut self, _to: u64, _cx: &mut Context<'_>) {}

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Opened(_) => self.found_after_opener(token, cx),
            At::Text(_) => self.found_in_text(token, cx),
            At::Python(_) => Step::Continue,
            At::Named(_) => match token.role {
                Role::Head(_) | Role::Again | Role::Marker => self.is_prose(cx),
                _ => self.is_call(cx),
            },
            At::Undeclared { head, name } => self.found_undeclared(head, name, token, cx),
            At::Name(_) | At::AfterName(_) => self.found_after_name(token, cx),
            At::FirstId(head) => {
                let id = (self.seen.id.0, token.start);
                let step = self.read_name_at(head, self.seen.start, cx);
                self.seen.id = id;
                step
            }
            At::Id(_) => {
                self.seen.id.1 = token.start;
                self.seen.end = token.end;
                self.is_call(cx)
            }
            At::Skip(opener) => {
                self.seen.id = (0, 0);
                self.go_to(At::Opened(opener))
            }
            At::Bracket => Step::Continue,
            At::Probe if token.role == Role::Marker => Step::Continue,
            At::Probe => self.is_nameless(cx),
        }
    }

    fn not_markup(&mut self, start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Name(head) => self.no_tag_in_name(head, start, cx),
            At::AfterName(_) => {
                cx.reading.at = start;
                self.end_after_name(cx.byte(start), cx)
            }
            At::FirstId(_) | At::Id(_) | At::Skip(_) => self.no_end_of_word(start, cx),
            At::Named(head) => self.no_tag_after_named(head, start, cx),
            At::Undeclared { name: (0, 0), .. } | At::Opened(_) | At::Bracket => self.is_prose(cx),
            At::Undeclared { .. } => Step::Continue,
            At::Probe | At::Text(_) | At::Python(_) => Step::Continue,
        }
    }

    /// In a thought an argument without a head is text, and where a call ends the thought an empty
    /// wrapper is: nothing waits for its end.
    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        let (At::Opened(_), Some(candidate)) = (self.at, &edge.candidate) else {
            return None;
        };
        let counts = |role, _| match role {
            Role::Head(_) | Role::Marker => true,
            Role::Argument(_) | Role::Key => false,
            _ => !self.is_in_ended_thought(cx),
        };
        let may_be_call = candidate.may_be(self.lexicon(cx.rules, cx.reading), counts)
            || self.other_head(cx).is_some()
            || self.looks_in_text(cx);
        (self.around.in_thinking && !may_be_call).then_some(Step::Answer(Answer::Prose))
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        // A word at the end of the message is more likely a word.
        let text = cx.text(self.seen.opener, cx.end()).trim_end();
        let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric());
        self.ended_in_text = true;
        let is_undecided = matches!(self.at, At::Text(_) | At::Undeclared { .. } | At::Skip(_));
        let is_text = is_undecided || self.is_plain(cx);
        Some(if is_word || is_text {
            self.is_prose(cx)
        } else {
            // law: cut-off-head
            Step::Answer(Answer::CutOff(self.seen))
        })
    }

    fn takes_cut_off_tag(&mut self, _candidate: &Candidate, _cx: &mut Context<'_>) -> bool {
        !matches!(
            self.at,
            At::Probe | At::Text(_) | At::Python(_) | At::Undeclared { .. }
        )
    }

    fn give_up(&mut self, _deadline: u64, cx: &mut Context<'_>) -> Step {
        self.ended_in_text = true;
        self.is_prose(cx)
    }
}

impl Head {
    fn new(seen: SeenHead, around: Around) -> Self {
        Head {
            seen,
            around,
            opener: None,
            ended_in_text: false,
            end_of_wrapper: None,
            is_undeclared: false,
            at: At::Bracket,
            tool: None,
            json: CallJson::default(),
        }
    }

    /// Asks, unless the answer is known already.
    fn look_on(self, step: &Step, token: &Token, cx: &Context<'_>) -> Decision {
        match step {
            Step::Answer(answer) => Decision::Now(*answer),
            _ => Decision::Later(Step::Ask {
                token: *token,
                deadline: cx.deadline(token),
                frame: Frame::Head(self),
            }),
        }
    }

    pub(super) fn go_to(&mut self, at: At) -> Step {
        self.at = at;
        Step::Continue
    }

    /// The name is known; a tag of the dialect, or JSON, must follow.
    pub(super) fn go_to_named(&mut self, head: Number, cx: &mut Context<'_>) -> Step {
        self.tool = cx.call_rules().tool(self.seen.name(cx));
        if self.is_unknown(cx) {
            return self.is_undeclared(cx);
        }
        self.go_to(At::Named(head))
    }

    // After an opening tag.

    fn read_after_opener(&mut self, opener: Number, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().opener(opener);
        let Some(byte) = cx.next_byte() else {
            return Step::Continue;
        };
        match (byte, rule.envelope, rule.text) {
            (b'[', ..) if rule.python.is_some() => self.begin_python(opener, 1, cx),
            _ if rule.python.is_some() && begins_name(byte) && !rule.lexicon.stops.stop(byte) => {
                self.begin_python(opener, 0, cx)
            }
            (b'{' | b'[', Some(dialect), _) => {
                self.seen.wrapper = Some(dialect);
                self.see_json(dialect, cx)
            }
            _ if rule.lexicon.stops.stop(byte) => Step::BEGIN,
            (_, _, Some(head)) => self.begin_name(head, self.seen.start, cx),
            // law: prose
            _ => self.is_prose(cx),
        }
    }

    fn found_after_opener(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            Role::Head(head) => {
                self.seen.wrapper = Some(cx.call_rules().head(head).dialect);
                self.see_head(head, token, cx)
            }
            Role::WrapperEnd | Role::CallEnd => Step::Answer(Answer::EmptyWrapper(token.end)),
            Role::Marker => Step::Continue,
            // The wrapper itself, after the head of a message that contains it.
            Role::Again if self.is_after_skip(cx) => Step::Continue,
            Role::Argument(_) | Role::Key => self.see_argument(token, cx),
            _ => self.is_prose(cx),
        }
    }

    fn is_after_skip(&self, cx: &Context<'_>) -> bool {
        let opener = self.opener.map(|opener| cx.call_rules().opener(opener));
        opener.is_some_and(|opener| opener.skip.is_some())
    }

    /// The opening tag of an argument has come before any head: the call has no name.
    fn see_argument(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let rules = cx.call_rules();
        let Some(opener) = self.opener.map(|opener| rules.opener(opener)) else {
            return self.is_prose(cx);
        };
        let style = if token.role == Role::Key {
            Style::Pairs
        } else {
            Style::Elements
        };
        let mut wraps = opener.wraps.iter().copied();
        let wrapper = wraps.find(|dialect| rules.dialect(*dialect).style == style);
        let head = match wrapper {
            Some(dialect) => rules.head_of(dialect),
            None => opener.text,
        };
        if head.is_none() || self.around.in_thinking {
            return self.is_prose(cx);
        }
        self.seen = SeenHead {
            wrapper,
            start: if wrapper.is_some() {
                token.start
            } else {
                self.seen.opener
            },
            ..nameless(head, token.start, self.seen)
        };
        self.is_call(cx)
    }

    // Calls that nothing but themselves marks, and Python.

    /// Looks at what may be a call without any markup: it must begin a line.
    fn look_at_bare(&mut self, opener: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().opener(opener);
        let is_thought = self.around.in_thinking && !cx.call_rules().ends_thinking;
        // law: bare-line
        if is_thought || !cx.begins_after_indent(token.start) {
            return Step::Answer(Answer::Prose);
        }
        if rule.python.is_some() {
            return self.begin_python(opener, 0, cx);
        }
        self.see_bare_json(rule.envelope, cx)
    }

    /// The JSON begins with what has opened it.
    fn see_bare_json(&mut self, dialect: Option<Number>, cx: &mut Context<'_>) -> Step {
        let Some(dialect) = dialect else {
            return self.is_prose(cx);
        };
        self.seen.wrapper = Some(dialect);
        self.seen.after = self.seen.opener;
        cx.reading.at = self.seen.opener;
        self.see_json(dialect, cx)
    }

    fn begin_python(&mut self, opener: Number, brackets: u64, cx: &mut Context<'_>) -> Step {
        let here = cx.reading.at;
        self.seen.end = here;
        self.seen.name = (here + brackets, here + brackets);
        cx.reading.at += brackets;
        self.go_to(At::Python(opener))
    }

    /// Reads the name of the first call.
    fn read_python(&mut self, opener: Number, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().opener(opener);
        let rest = cx.rest();
        let len = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        let is_first = self.seen.name.0 == self.seen.name.1;
        cx.reading.at += len as u64;
        self.seen.name.1 = cx.reading.at;
        let is_long = self.seen.name.1 - self.seen.name.0 > MAX_NAME_BYTES;
        match rest.get(len) {
            _ if is_long || is_first && len > 0 && !begins_name(rest[0]) => self.is_prose(cx),
            None => Step::Continue,
            Some(byte) if is_space(*byte) && is_first && len == 0 => {
                cx.reading.at += 1;
                self.seen.name = (cx.reading.at, cx.reading.at);
                Step::Continue
            }
            Some(b'(') if !is_first || len > 0 => self.is_python(rule.python, cx),
            // A list of JSON objects.
            Some(b'{') if is_first && len == 0 => match (rule.is_bare, rule.envelope) {
                (true, envelope) => self.see_bare_json(envelope, cx),
                (false, Some(envelope)) => {
                    self.seen.wrapper = Some(envelope);
                    cx.reading.at = self.seen.end;
                    self.see_json(envelope, cx)
                }
                (false, None) => self.is_prose(cx),
            },
            Some(_) => self.is_prose(cx),
        }
    }

    /// The first call has a name and a bracket after it.
    fn is_python(&mut self, dialect: Option<Number>, cx: &mut Context<'_>) -> Step {
        let is_declared = cx.call_rules().is_declared(cx.text_of(self.seen.name));
        let Some(dialect) = dialect.filter(|_| is_declared || !self.must_be_declared(cx)) else {
            return self.is_undeclared(cx);
        };
        self.seen.wrapper = Some(dialect);
        self.seen.dialect = dialect;
        self.seen.start = self.seen.end;
        self.seen.name = (0, 0);
        Step::Answer(Answer::Call(self.seen))
    }

    /// Whether the opener is ordinary text.
    fn is_plain(&self, cx: &Context<'_>) -> bool {
        let opener = self.opener.map(|opener| cx.call_rules().opener(opener));
        opener.is_some_and(|opener| opener.is_plain)
    }

    /// Whether text may come between what opens a wrapper and the first call: the opening tag is a
    /// special token, or is in a line of its own.
    fn may_have_text(&self, cx: &Context<'_>) -> bool {
        let Some(opener) = self.opener.map(|opener| cx.call_rules().opener(opener)) else {
            return false;
        };
        let SeenHead {
            opener: start,
            after,
            ..
        } = self.seen;
        let is_alone = || {
            let rest = cx.text(after, cx.reading.at);
            let rest = rest.trim_start_matches([' ', '\t', '\r']);
            rest.starts_with('\n') && cx.begins_after_indent(start)
        };
        let has_heads = |dialect: &Number| {
            !matches!(
                cx.call_rules().dialect(*dialect).style,
                Style::Envelope | Style::Python
            )
        };
        !opener.wraps.is_empty()
            && opener.wraps.iter().any(has_heads)
            && (opener.is_special() || is_alone())
    }

    fn read_text(&mut self, cx: &mut Context<'_>) -> Step {
        let step = cx.read_to(self.lexicon(cx.rules, cx.reading));
        if self.has_room(cx.reading.at) {
            return step;
        }
        cx.reading.at = cx.reading.at.min(self.seen.after + MAX_TEXT_BYTES + 1);
        self.is_prose(cx)
    }

    fn has_room(&self, at: u64) -> bool {
        at <= self.seen.after + MAX_TEXT_BYTES
    }

    fn found_in_text(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            Role::Head(_) => self.found_after_opener(token, cx),
            Role::WrapperEnd | Role::Again | Role::Call(_) => {
                self.ended_in_text = true;
                let closes = token.role == Role::WrapperEnd;
                self.end_of_wrapper = closes.then_some(token.end);
                self.is_prose(cx)
            }
            _ => Step::Continue,
        }
    }

    /// Goes on after what opens the wrapper of a dialect.
    pub(super) fn look_after_wrapper(&mut self, dialect: Number, cx: &Context<'_>) -> Step {
        match cx.call_rules().opener_of(dialect) {
            Some(opener) => self.go_to(At::Opened(opener)),
            None => Step::Answer(Answer::Prose),
        }
    }

    /// The head of a call has been found: its name is in it or follows it.
    fn see_head(&mut self, number: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        let head = cx.call_rules().head(number);
        if head.name == NameAt::Text {
            return self.begin_name(number, token.start, cx);
        }
        let name = match name_span(&head.name, token, cx) {
            Some(name) => name,
            None if self.is_wrapped() && !self.around.in_thinking => (0, 0),
            None => return self.is_prose(cx),
        };
        self.seen = SeenHead {
            head: Some(number),
            start: token.start,
            name,
            end: token.end,
            is_whole: token.shape == Shape::SelfClosing,
            ..self.seen
        };
        if self.is_certain(cx) {
            self.is_call(cx)
        } else if self.seen.is_whole {
            self.is_prose(cx)
        } else {
            self.seen.dialect = head.dialect;
            self.go_to_named(number, cx)
        }
    }

    /// Whether the head is a call whatever follows: it is in its wrapper, and its name is declared.
    pub(super) fn is_certain(&self, cx: &Context<'_>) -> bool {
        let is_declared = cx.call_rules().is_declared(self.seen.name(cx));
        self.is_wrapped() && is_declared && !self.around.in_thinking
    }

    pub(super) fn is_wrapped(&self) -> bool {
        self.seen.wrapper.is_some() || self.around.in_wrapper
    }

    pub(super) fn has_name(&self) -> bool {
        self.seen.name.0 < self.seen.name.1
    }

    fn lacks_wrapper(&self, cx: &Context<'_>) -> bool {
        let rules = cx.call_rules();
        let head = self.seen.head.map(|head| rules.head(head));
        let has_wrapper = head.is_some_and(|head| rules.dialect(head.dialect).has_wrapper);
        has_wrapper && !self.is_wrapped()
    }

    // After a head that has its name.

    fn read_after_named(&mut self, head: Number, cx: &mut Context<'_>) -> Step {
        let dialect = cx.call_rules().head(head).dialect;
        let rule = cx.call_rules().dialect(dialect);
        let Some(byte) = cx.next_byte() else {
            return Step::Continue;
        };
        match byte {
            b'{' if rule.style == Style::Json || rule.json => self.see_json(dialect, cx),
            _ if self.lexicon(cx.rules, cx.reading).stops.stop(byte) => Step::BEGIN,
            _ => self.is_prose(cx),
        }
    }

    // Arguments that are not declared, where the tags are the names.

    /// No tag of the call follows its head: it is prose, unless it is an argument that is not declared.
    fn no_tag_after_named(&mut self, head: Number, start: u64, cx: &mut Context<'_>) -> Step {
        let is_named = matches!(cx.call_rules().head(head).name, NameAt::Tag(_));
        if !is_named || self.around.in_thinking || cx.byte(start) != b'<' {
            return self.is_prose(cx);
        }
        cx.reading.at = start;
        self.go_to(At::Undeclared { head, name: (0, 0) })
    }

    fn read_undeclared(&mut self, name: (u64, u64), cx: &mut Context<'_>) -> Step {
        if name != (0, 0) {
            return cx.read_to(self.lexicon(cx.rules, cx.reading));
        }
        match cx.next_byte() {
            None => Step::Continue,
            Some(b'<') => Step::BEGIN,
            Some(_) => self.is_prose(cx),
        }
    }

    /// A tag of any name has come. After its closing tag, a declared argument or the closing tag of the
    /// call shows that there is a call. Another head does not belong to it; the search ends there, so
    /// that it is linear.
    fn found_undeclared(
        &mut self,
        head: Number,
        name: (u64, u64),
        token: &Token,
        cx: &mut Context<'_>,
    ) -> Step {
        let rules = cx.call_rules();
        let tag = token.name(cx.text(token.start, token.end));
        let own = self.seen.name(cx);
        let closes = token.shape == Shape::Close;
        let tool = self.tool.map(|tool| rules.tool_rule(tool));
        let mut arguments = tool.into_iter().flat_map(|tool| &tool.names);
        if name != (0, 0) {
            if closes && tag.eq_ignore_ascii_case(cx.text_of(name)) {
                return self.go_to(At::Undeclared { head, name: (0, 0) });
            }
            if tag.eq_ignore_ascii_case(own) || !closes && rules.is_declared(tag) {
                return self.is_prose(cx);
            }
            return Step::Continue;
        }
        match token.shape {
            Shape::Close if tag.eq_ignore_ascii_case(own) => self.is_call(cx),
            Shape::Close => self.is_prose(cx),
            _ if arguments.any(|(name, _)| name.eq_ignore_ascii_case(tag)) => self.is_call(cx),
            Shape::SelfClosing => Step::Continue,
            _ => {
                let name = name_span(&NameAt::Name, token, cx).unwrap_or_default();
                self.go_to(At::Undeclared { head, name })
            }
        }
    }

    // JSON.

    /// JSON may begin here.
    pub(super) fn see_json(&mut self, dialect: Number, cx: &mut Context<'_>) -> Step {
        self.seen.dialect = dialect;
        if self.seen.head.is_none() {
            self.seen.start = self.seen.opener;
            self.seen.end = cx.reading.at;
        }
        cx.reading.at += 1;
        self.go_to(At::Bracket)
    }

    fn read_after_bracket(&mut self, cx: &mut Context<'_>) -> Step {
        let Some(byte) = cx.next_byte() else {
            return Step::Continue;
        };
        let before = cx.text(self.seen.opener, cx.reading.at).trim_end();
        let relaxed = cx.call_rules().dialect(self.seen.dialect).relaxed.as_ref();
        match (before.bytes().next_back(), byte) {
            (Some(b'['), b'{') => {
                cx.reading.at += 1;
                Step::Continue
            }
            (Some(b'['), b']') | (Some(b'{'), b'"' | b'\'' | b'}') => self.is_json(cx),
            (Some(b'{'), _) if relaxed.is_some_and(|rule| rule.begins_key(byte)) => {
                self.is_json(cx)
            }
            _ => self.is_prose(cx),
        }
    }

    /// Where an unknown tool is text, the name must be read before anything is emitted.
    fn is_json(&mut self, cx: &mut Context<'_>) -> Step {
        if !self.must_be_declared(cx) || self.seen.head.is_some() || self.around.in_call {
            return self.is_call(cx);
        }
        cx.reading.at = self.seen.end;
        self.go_to(At::Probe)
    }

    fn probe(&mut self, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().dialect(self.seen.dialect);
        let deadline = self.seen.end + PROBE_BYTES;
        let room = (deadline + 1).saturating_sub(cx.reading.at) as usize;
        let rest = cx.rest();
        let (read, event) = self.json.read(&rest[..rest.len().min(room)], rule);
        cx.reading.at += read as u64;
        match event {
            Some(JsonEvent::Name | JsonEvent::KeyIsName) => {
                let name = self.json.text().unwrap_or_default();
                if cx.call_rules().is_declared(&name) {
                    return Step::Answer(Answer::Call(self.seen));
                }
                self.is_undeclared(cx)
            }
            Some(JsonEvent::ObjectEnd | JsonEvent::ListEnd) => self.is_nameless(cx),
            Some(JsonEvent::Markup) => Step::BEGIN,
            Some(JsonEvent::Control(_)) => {
                cx.reading.at += 1;
                Step::Continue
            }
            Some(_) => Step::Continue,
            None if cx.reading.at > deadline => self.is_prose(cx),
            None => Step::Continue,
        }
    }

    // Answers.

    /// It is a call, unless its tool is unknown and that makes it text.
    pub(super) fn is_call(&mut self, cx: &mut Context<'_>) -> Step {
        if self.is_unknown(cx) {
            return self.is_undeclared(cx);
        }
        Step::Answer(Answer::Call(self.seen))
    }

    /// It is prose, because its tool is not declared.
    pub(super) fn is_undeclared(&mut self, cx: &mut Context<'_>) -> Step {
        self.is_undeclared = true;
        self.is_prose(cx)
    }

    /// Whether the name in the head makes it text, whatever follows.
    pub(super) fn is_unknown(&self, cx: &Context<'_>) -> bool {
        let is_named = self.seen.head.is_some() && self.has_name();
        let is_declared = cx.call_rules().is_declared(self.seen.name(cx));
        is_named && !is_declared && (self.must_be_declared(cx) || self.lacks_wrapper(cx))
    }

    /// JSON has ended that does not name a tool. In thinking that is prose, elsewhere it is reported.
    fn is_nameless(&mut self, cx: &mut Context<'_>) -> Step {
        if self.is_in_ended_thought(cx) || self.is_plain(cx) {
            self.is_prose(cx)
        } else {
            self.is_call(cx)
        }
    }

    /// Whether it is in a thought, which a call would end.
    fn is_in_ended_thought(&self, cx: &Context<'_>) -> bool {
        self.around.in_thinking && cx.call_rules().ends_thinking
    }

    /// Whether only a declared tool makes it a call.
    fn must_be_declared(&self, cx: &Context<'_>) -> bool {
        let rules = cx.call_rules();
        let ends_thinking = self.is_in_ended_thought(cx);
        let is_text = rules.unknown_tool == UnknownTool::Text;
        self.is_plain(cx) || (ends_thinking || is_text) && !rules.any_tool
    }

    /// It is prose, unless it is a call of another dialect that has the same head.
    pub(super) fn is_prose(&mut self, cx: &mut Context<'_>) -> Step {
        if let Some(head) = self.other_head(cx) {
            return self.try_head(head, cx);
        }
        let opener = self.opener.filter(|_| !self.is_undeclared);
        match opener {
            Some(opener) if self.looks_in_text(cx) => self.pass_text(opener),
            // A special token is never text.
            Some(opener) if cx.call_rules().opener(opener).is_special() => {
                Step::Answer(match self.end_of_wrapper {
                    Some(end) => Answer::NoCalls(end),
                    None => Answer::EmptyWrapper(self.seen.after),
                })
            }
            _ => Step::Answer(Answer::Prose),
        }
    }

    /// Whether a call may still come in the wrapper, after text or after what is not a call.
    fn looks_in_text(&self, cx: &Context<'_>) -> bool {
        let is_over = self.ended_in_text || !self.has_room(cx.reading.at);
        !is_over && (self.seen.has_text || self.may_have_text(cx))
    }

    fn pass_text(&mut self, opener: Number) -> Step {
        let SeenHead {
            opener: start,
            after,
            ..
        } = self.seen;
        self.seen = SeenHead {
            has_text: true,
            ..SeenHead::at(start, after)
        };
        self.go_to(At::Text(opener))
    }

    fn other_head(&self, cx: &Context<'_>) -> Option<Number> {
        let head = cx.call_rules().head(self.seen.head?);
        // law: other-head
        head.next.filter(|_| !self.is_wrapped())
    }

    /// Reads on after the opening tag, as this head would have it.
    fn try_head(&mut self, head: Number, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().head(head);
        *cx.work += cx.reading.at.saturating_sub(self.seen.after);
        cx.reading.at = self.seen.after;
        self.seen.head = Some(head);
        self.seen.dialect = rule.dialect;
        match rule.name {
            NameAt::Text => self.begin_name(head, self.seen.start, cx),
            _ if self.seen.is_whole => self.is_prose(cx),
            _ => self.go_to_named(head, cx),
        }
    }
}

/// A call without a name in the dialect of this head, whose arguments begin here.
pub(super) fn nameless(head: Option<Number>, end: u64, seen: SeenHead) -> SeenHead {
    SeenHead {
        head,
        name: (0, 0),
        id: (0, 0),
        end,
        ..seen
    }
}

/// Where the name is in a tag.
fn name_span(name: &NameAt, token: &Token, cx: &Context<'_>) -> Option<(u64, u64)> {
    let tag = cx.text(token.start, token.end);
    let text = name_in(name, token, tag)?;
    let start = token.start + (text.as_ptr() as usize - tag.as_ptr() as usize) as u64;
    Some((start, start + text.len() as u64))
}

/// The name in a tag with this text, if it has one.
pub(super) fn name_in<'t>(name: &NameAt, token: &Token, tag: &'t str) -> Option<&'t str> {
    let text = match name {
        NameAt::Attribute(key) => Attributes::new(token.attributes(tag)).get(key)?,
        NameAt::After => trim_quotes(token.attributes(tag)),
        NameAt::Tag(_) | NameAt::Name => token.name(tag),
        NameAt::Text => "",
    };
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

/// A name as models write it after `=`: it may have quotes.
fn trim_quotes(text: &str) -> &str {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// The name in an id such as `functions.read:0`; what is missing of the rest is forgiven.
fn name_in_id<'a>(id: &'a str, before: &str, after: &str) -> &'a str {
    let name = id.strip_prefix(before).unwrap_or(id);
    match name.rsplit_once(after) {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    }
}

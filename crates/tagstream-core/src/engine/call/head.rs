//! Looks ahead: is this opening tag a call, or prose?

mod bare;
mod misspelt;
mod preamble;
mod probe;
mod tag_name;
mod undeclared;

pub(super) use preamble::is_markup;
pub(super) use tag_name::name_in;

use super::envelope::CallJson;
use super::name::begins_name;
use crate::check::CallErrorCode;
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Answer, Edge, Frame, Place, Step};
use crate::event::EventKind;
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::policy::call::{NameAt, Style};
use crate::profile::UnknownTool;
use crate::token::{Candidate, Shape, Suffix, Token};
use tag_name::{name_in_id, name_span};

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
    /// The suffix of its tags.
    pub(super) suffix: Option<Suffix>,
    /// Text is between what opens the wrapper and the call.
    pub(super) has_text: bool,
}

impl SeenHead {
    fn of(token: &Token) -> Self {
        SeenHead {
            suffix: token.suffix,
            ..Self::at(token.start, token.end)
        }
    }

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
    /// Only markup and white space is before it, since the last section or call.
    pub(in crate::engine) begins_stretch: bool,
    /// It is certain to be a call only if a tag of the dialect follows.
    pub(in crate::engine) needs_tag: bool,
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
    /// It has a name that is accepted, and the first key of its arguments.
    is_named: bool,
    first_key: (u64, u64),
    /// What is known about the text after the opening tag of a wrapper.
    text: Option<Box<preamble::Text>>,
}

/// How far the head has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// After an opening tag.
    Opened(Number),
    /// Before the name of a call in Python, or in it.
    Python(Number),
    /// In the arguments of a call in Python that nothing marks, which begin here.
    Keyword(Number, u64),
    /// Before a tag of any name where the first head should be, in it, or after it.
    Odd(Number),
    AfterOdd(Number),
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
    /// In the first key of JSON, which has no quotes.
    BareKey,
    /// In JSON that has yet to tell whether its tool is known.
    Probe,
    /// Where nothing marks the call: before the first key of its arguments, or in it, from here on.
    FirstKey(u64),
}

/// Looks at an opening tag of calls in text or in a section.
pub(in crate::engine) fn look(
    opener: Number,
    token: &Token,
    around: Around,
    cx: &mut Context<'_>,
) -> Decision {
    let rule = cx.call_rules().opener(opener);
    // law: prompt-continued
    if !counts_here(opener, around.in_thinking, cx) {
        return Decision::Now(Answer::Prose);
    }
    let mut head = Head::new(SeenHead::of(token), around);
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

/// Whether an opener may count here: one that continues what the prompt has written does so only at the
/// start of the message.
pub(in crate::engine) fn counts_here(opener: Number, in_thinking: bool, cx: &Context<'_>) -> bool {
    let is_start = !in_thinking && !cx.reading.has_answer;
    is_start || !cx.call_rules().opener(opener).continues_prompt()
}

/// Looks at a head in a wrapper.
pub(super) fn look_at_head(
    number: Number,
    token: &Token,
    around: Around,
    cx: &mut Context<'_>,
) -> Decision {
    let mut head = Head::new(SeenHead::of(token), around);
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
    let mut head = Head::new(SeenHead::of(token), around);
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
    fn fits(&self, token: &Token) -> bool {
        token.shape == Shape::Literal || token.suffix == self.seen.suffix
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        let (any_tags, rules) = (&rules.any_tags, rules.calls());
        match self.at {
            At::Opened(opener) | At::AfterOdd(opener) => &rules.opener(opener).lexicon,
            At::Python(opener) | At::Keyword(opener, _) | At::Text(opener) => {
                &rules.opener(opener).in_text
            }
            At::Named(head) => rules.dialect(rules.head(head).dialect).between(self.tool),
            At::Odd(_) | At::Undeclared { .. } => any_tags,
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
            At::Bracket | At::BareKey | At::Probe | At::FirstKey(_) => {
                &rules.dialect(self.seen.dialect).closers
            }
        }
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Opened(opener) => self.read_after_opener(opener, cx),
            At::Odd(_) | At::AfterOdd(_) => self.read_odd(cx),
            At::Text(opener) => self.read_text(opener, cx),
            At::Python(opener) => self.read_python(opener, cx),
            At::Keyword(opener, start) => self.read_keyword(opener, start, cx),
            At::Named(head) => self.read_after_named(head, cx),
            At::Undeclared { name, .. } => self.read_undeclared(name, cx),
            At::Name(head) => self.read_name(head, cx),
            At::AfterName(_) => self.read_after_name(cx),
            At::FirstId(_) | At::Id(_) | At::Skip(_) => self.read_word(cx),
            At::Bracket => self.read_after_bracket(cx),
            At::BareKey => self.read_bare_key(cx),
            At::Probe => self.probe(cx),
            At::FirstKey(start) => self.read_first_key(start, cx),
        }
    }

    fn plain(&mut self, _to: u64, _cx: &mut Context<'_>) {}

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Opened(_) => self.found_after_opener(token, cx),
            At::Odd(opener) => self.go_to(At::AfterOdd(opener)),
            At::AfterOdd(_) => self.found_after_odd(token, cx),
            At::Text(_) => self.found_in_text(token, cx),
            At::Python(_) | At::Keyword(..) | At::FirstKey(_) => Step::Continue,
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
            At::Bracket | At::BareKey => Step::Continue,
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
            At::Opened(opener) => self.no_tag_after_opener(opener, start, cx),
            At::Odd(_) | At::AfterOdd(_) => self.is_not_odd(cx),
            At::Undeclared { name: (0, 0), .. } | At::Bracket | At::BareKey => self.is_prose(cx),
            At::Undeclared { .. } => Step::Continue,
            At::Probe | At::FirstKey(_) | At::Text(_) | At::Python(_) | At::Keyword(..) => {
                Step::Continue
            }
        }
    }

    /// In a thought an argument without a head is text, and where a call ends the thought an empty
    /// wrapper is: nothing waits for its end. After a tag of another name, only an argument is waited for.
    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        let candidate = edge.candidate.as_ref()?;
        if let At::AfterOdd(_) = self.at {
            let counts = |role, _| role == Role::Marker || self.wrapper_of(role, cx).is_some();
            let may_be_argument = candidate.may_be(self.lexicon(cx.rules, cx.reading), counts);
            return (!may_be_argument && !self.looks_in_text(cx)).then(|| self.is_not_odd(cx));
        }
        let At::Opened(_) = self.at else {
            return None;
        };
        let counts = |role, _| match role {
            Role::Head(_) | Role::Separator | Role::Marker => true,
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
        if let At::Keyword(opener, start) = self.at {
            return Some(self.end_in_keyword(opener, start, cx));
        }
        let text = cx.text(self.seen.opener, cx.end()).trim_end();
        let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric());
        self.ended_in_text = true;
        let is_undecided = matches!(
            self.at,
            At::Odd(_) | At::AfterOdd(_) | At::Text(_) | At::Undeclared { .. } | At::Skip(_)
        );
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
            At::Probe
                | At::FirstKey(_)
                | At::Keyword(..)
                | At::Odd(_)
                | At::AfterOdd(_)
                | At::Text(_)
                | At::Python(_)
                | At::Undeclared { .. }
        )
    }

    fn give_up(&mut self, _deadline: u64, cx: &mut Context<'_>) -> Step {
        self.ended_in_text = true;
        self.is_prose(cx)
    }

    fn holds_all(&self) -> bool {
        true
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
            is_named: false,
            first_key: (0, 0),
            text: None,
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
            Role::Separator => self.pass_empty_id(cx),
            _ => self.is_prose(cx),
        }
    }

    /// The id before the name is empty.
    fn pass_empty_id(&mut self, cx: &mut Context<'_>) -> Step {
        let rules = cx.call_rules();
        match self.opener.and_then(|opener| rules.opener(opener).text) {
            Some(head) => self.read_name_at(head, self.seen.start, cx),
            None => self.is_prose(cx),
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
        let wrapper = self.wrapper_of(token.role, cx);
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

    /// The dialect whose wrapper has been opened and whose arguments begin with this.
    fn wrapper_of(&self, argument: Role, cx: &Context<'_>) -> Option<Number> {
        let rules = cx.call_rules();
        let style = match argument {
            Role::Argument(_) => Style::Elements,
            Role::Key => Style::Pairs,
            _ => return None,
        };
        let mut wraps = rules.opener(self.opener?).wraps.iter().copied();
        wraps.find(|dialect| rules.dialect(*dialect).style == style)
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
        let is_tag_of_calls = !matches!(head.name, NameAt::Tag(_));
        let closes_itself = self.seen.is_whole && is_tag_of_calls && !self.around.in_thinking;
        let is_declared = cx.call_rules().is_declared(self.seen.name(cx));
        if self.is_certain(cx) || closes_itself && is_declared {
            self.is_call(cx)
        } else if self.seen.is_whole {
            self.is_prose(cx)
        } else {
            self.seen.dialect = head.dialect;
            self.go_to_named(number, cx)
        }
    }

    /// Whether the head is a call whatever follows: it is in its wrapper, with no text before it, and
    /// its name is declared.
    pub(super) fn is_certain(&self, cx: &Context<'_>) -> bool {
        let is_declared = cx.call_rules().is_declared(self.seen.name(cx));
        // After text, a name alone may be prose too.
        let needs_tag = self.around.in_thinking || self.around.needs_tag || self.seen.has_text;
        self.is_wrapped() && is_declared && !needs_tag
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
            Some(opener) if self.looks_in_text(cx) => self.pass_text(opener, cx),
            // A special token is never text.
            Some(opener) if cx.call_rules().opener(opener).is_special() => {
                Step::Answer(match self.end_of_wrapper {
                    Some(end) => Answer::NoCalls {
                        end,
                        head: self.text.as_ref().and_then(|text| text.lost_head),
                    },
                    None => Answer::EmptyWrapper(self.seen.after),
                })
            }
            _ => Step::Answer(Answer::Prose),
        }
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

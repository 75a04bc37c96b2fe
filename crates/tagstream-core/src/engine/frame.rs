//! What every kind of place in a message has in common.

use super::call::arguments::Arguments;
use super::call::follow::Follow;
use super::call::head::{Head, SeenHead};
use super::call::json::Json;
use super::call::key::Key;
use super::call::python::Python;
use super::call::value::Value;
use super::call::wrapper::Wrapper;
use super::code::Quoting;
use super::context::{Context, Reading};
use super::element::Element;
use super::fast::Fast;
use super::section::Section;
use super::text::Text;
use super::unproved::Unproved;
use crate::lexicon::{Lexicon, Role};
use crate::policy::Rules;
use crate::token::{Candidate, Shape, Token};

/// One place around the next byte.
#[derive(Debug)]
pub(super) enum Frame {
    Text(Text),
    /// Looks ahead: is this markup inside a code span?
    Quoting(Quoting),
    Section(Section),
    Element(Element),
    /// Looks ahead: is there a closing tag for this opening tag of any name?
    Unproved(Unproved),
    /// Looks ahead: is this opening tag a call, or prose?
    Head(Head),
    Wrapper(Wrapper),
    Arguments(Arguments),
    Key(Key),
    Value(Value),
    /// Looks ahead: does this closing tag end the value?
    Follow(Follow),
    Json(Json),
    Python(Python),
}

/// What a place does. A place sees its own state and the context, and never another place.
pub(super) trait Place {
    /// The markup that counts here.
    fn lexicon<'r>(&self, rules: &'r Rules, reading: &Reading) -> &'r Lexicon;

    /// Reads on to where something may begin, or to the limit. At least one byte may be read; a place
    /// that reads none must change its state or the stack, or it would be asked the same forever.
    fn read(&mut self, cx: &mut Context<'_>) -> Step;

    /// Whether markup that begins at `start` and turns out to be this would look different, from
    /// outside, from plain bytes.
    ///
    /// Visible markup is held until it is certain. What is not visible is emitted, so it may not become
    /// visible later; `start` is then before the mark, and may be before the window. The answer may not
    /// depend on the number of a call or a head: see [`Candidate::may_be`].
    fn is_visible(&self, _role: Role, _shape: Shape, _start: u64, _cx: &Context<'_>) -> bool {
        true
    }

    /// Emits the bytes before `to` as what plain bytes are here, as far as that is certain.
    fn plain(&mut self, to: u64, cx: &mut Context<'_>);

    /// A tag or a literal has been found. Reading continues after it unless the place moves on. If it
    /// was not visible, it may begin before the mark, and even before the window.
    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step;

    /// Whether a tag with the suffix of this one counts here: what closes something has the suffix of
    /// what has opened it.
    fn fits(&self, _token: &Token) -> bool {
        true
    }

    /// What might have been markup at `start` is text. `is_blank` says that it began with white space.
    fn not_markup(&mut self, _start: u64, _is_blank: bool, _cx: &mut Context<'_>) -> Step {
        Step::Continue
    }

    /// All that may be read has been read: draws a conclusion that needs no further byte, if there is
    /// one.
    fn at_edge(&mut self, _edge: &mut Edge<'_>, _cx: &mut Context<'_>) -> Option<Step> {
        None
    }

    /// The question that was asked about this token has been answered. Reading is back at its start:
    /// the place passes it, or it would be read again.
    fn answered(&mut self, _answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.pass(token);
        Step::Continue
    }

    /// The place on top of this one is over.
    fn resumed(&mut self, _ended: Ended, _cx: &mut Context<'_>) -> Step {
        Step::Continue
    }

    /// The message ends here; `None` if the place has nothing left to do.
    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step>;

    /// Whether an unfinished candidate at the end of the message was the tag that is missing here, and
    /// is not text.
    fn takes_cut_off_tag(&mut self, _candidate: &Candidate, _cx: &mut Context<'_>) -> bool {
        false
    }

    /// The earliest position at which an answer may still begin: for places that look ahead.
    fn earliest_answer(&self, candidate: Option<&Candidate>, cx: &Context<'_>) -> u64 {
        candidate.map_or(cx.reading.at, |candidate| candidate.start)
    }

    /// The answer can no longer come in time: for places that look ahead.
    fn give_up(&mut self, _deadline: u64, _cx: &mut Context<'_>) -> Step {
        Step::Continue
    }

    /// How a chunk can be passed on if nothing begins in it.
    fn fast(&self, _cx: &Context<'_>) -> Option<Fast> {
        None
    }

    /// Whether nothing that is read here looks like plain bytes from outside.
    fn holds_all(&self) -> bool {
        false
    }

    /// Whether Markdown code is read here.
    fn reads_code(&self) -> bool {
        false
    }

    /// Where the markup begins whose quoting is in question: for the place that looks ahead for that.
    fn quoting(&self) -> Option<u64> {
        None
    }
}

/// The end of what may be read.
pub(super) struct Edge<'c> {
    /// What may become markup there.
    pub(super) candidate: &'c mut Option<Candidate>,
    /// Whatever becomes of it, it looks like plain bytes from outside.
    pub(super) is_text: bool,
}

impl Edge<'_> {
    /// Whether what is not white space begins with the candidate, whatever becomes of it.
    pub(super) fn is_content(&self) -> bool {
        let candidate = self.candidate.as_ref();
        self.is_text && candidate.is_some_and(|candidate| !candidate.is_blank())
    }
}

/// What a place wants the driver to do.
#[derive(Debug)]
pub(super) enum Step {
    Continue,
    /// A tag or literal may begin at the next byte. A `quotable` tag is text if a backtick follows. What
    /// `may_end_paragraph`, as an opening tag at the start of a line does, is not read as code at the
    /// same time.
    Begin {
        quotable: bool,
        may_end_paragraph: bool,
    },
    Push(Frame),
    Replace(Frame),
    Pop(Ended),
    /// Something began and ended at once.
    BeganAndEnded(Ended),
    /// Reads on with this frame, and then comes back to the token with the answer. The answer must
    /// begin at the deadline at the latest.
    Ask {
        token: Token,
        deadline: u64,
        frame: Frame,
    },
    /// Goes back to the token that was asked about.
    Answer(Answer),
    /// What was read ahead counts as read: the question has settled itself.
    KeepReadAhead,
}

impl Step {
    pub(super) const BEGIN: Step = Step::Begin {
        quotable: false,
        may_end_paragraph: false,
    };
}

/// The answer to a question.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// The markup is not in a code span.
    NotQuoted,
    /// The section has a closing tag.
    Closed,
    /// The opening tag of any name has this closing tag.
    ClosedBy {
        start: u64,
        end: u64,
    },
    /// It has none.
    Unclosed,
    /// It has none within the limit.
    TooLong {
        is_blank: bool,
    },
    Call(SeenHead),
    Prose,
    /// The message ends inside what may be the head of a call.
    CutOff(SeenHead),
    /// The wrapper is empty and ends here.
    EmptyWrapper(u64),
    /// The wrapper ends here, and there are no calls in it; the first head of what may have been meant
    /// as one is here.
    NoCalls {
        end: u64,
        head: Option<u64>,
    },
    /// The closing tag, or the key, ends the value. What follows it is known.
    EndsValue(Option<Token>),
    /// It is text.
    EndsNothing,
    /// The same, though what follows begins like a tag that would make it end the value: a mistake,
    /// after which the end of the value is unknown.
    EndsNothingOddly,
}

/// Which place has ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    Section,
    Element,
    /// A value or a key of a call, and the token after it if that is known.
    Argument(Option<Token>),
    /// A call; `is_bare` if it lacks a wrapper that its dialect has.
    Call {
        is_bare: bool,
    },
    /// A call together with its wrapper, whose closing tag may still follow.
    Calls {
        is_bare: bool,
    },
}

impl Frame {
    pub(super) fn place(&self) -> &dyn Place {
        match self {
            Frame::Text(place) => place,
            Frame::Quoting(place) => place,
            Frame::Section(place) => place,
            Frame::Element(place) => place,
            Frame::Unproved(place) => place,
            Frame::Head(place) => place,
            Frame::Wrapper(place) => place,
            Frame::Arguments(place) => place,
            Frame::Key(place) => place,
            Frame::Value(place) => place,
            Frame::Follow(place) => place,
            Frame::Json(place) => place,
            Frame::Python(place) => place,
        }
    }

    pub(super) fn place_mut(&mut self) -> &mut dyn Place {
        match self {
            Frame::Text(place) => place,
            Frame::Quoting(place) => place,
            Frame::Section(place) => place,
            Frame::Element(place) => place,
            Frame::Unproved(place) => place,
            Frame::Head(place) => place,
            Frame::Wrapper(place) => place,
            Frame::Arguments(place) => place,
            Frame::Key(place) => place,
            Frame::Value(place) => place,
            Frame::Follow(place) => place,
            Frame::Json(place) => place,
            Frame::Python(place) => place,
        }
    }
}

//! Questions that only the bytes to come can answer: holding, and going back with the answer.

use super::Mode;
use super::element::open::Open;
use super::reader::Reader;
use super::text::Stretch;
use crate::event::Sink;
use crate::lexicon::Role;
use crate::line::Counted;

/// A question that only the bytes to come can answer. Until then nothing is emitted from `at` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub(super) at: u64,
    pub(super) question: Question,
    /// What might be the answer must begin here at the latest.
    pub(super) deadline: u64,
    /// What to go back to.
    pub(super) mode: Mode,
    pub(super) counted: Counted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Does this markup stand in a code span?
    InCode,
    /// Does anything but white space follow?
    Blank,
    /// Has this section a closer?
    SectionClosed,
    /// Has this element of any name a closer?
    ElementClosed,
    /// Is this opener a call, or prose?
    IsCall,
    /// Does this closer end the value?
    EndsValue,
}

/// The answer to such a question, for the second reading, and the place that it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) at: u64,
    pub(super) answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What is not white space stands here.
    Content,
    /// The section or element that begins here has a closer.
    Closed,
    /// It has none.
    Unclosed,
    /// It has none within the limit.
    TooLong,
    /// It has nothing but white space within the limit.
    TooBlank,
    /// What stands here is neither text nor a call.
    Other,
    /// The opener that stands here is a call, or prose, or a call that is cut off; or its wrapper
    /// is empty.
    Call,
    Prose,
    Cut,
    Empty,
    /// The closer that stands here ends the value, or it does not.
    EndsValue,
    EndsNothing,
}

impl<S: Sink> Reader<'_, S> {
    pub(super) fn question(&self) -> Option<Question> {
        self.state.hold.map(|hold| hold.question)
    }

    /// Holds everything from `at` on until the question is answered. What may lie between `from`
    /// and the answer is limited.
    pub(super) fn hold(&mut self, at: usize, from: usize, question: Question) {
        let deadline = match question {
            Question::InCode => u64::MAX,
            _ => self
                .place(from)
                .saturating_add(self.rules.limits.lookahead as u64),
        };
        self.state.hold = Some(Hold {
            at: self.place(at),
            question,
            deadline,
            mode: self.state.mode,
            counted: self.state.line.counted(),
        });
    }

    /// What is known of this place.
    pub(super) fn known_at(&self, place: u64) -> Option<Answer> {
        let known = self.state.known?;
        (known.at == place).then_some(known.answer)
    }

    /// What is known of this place or of one behind it.
    pub(super) fn known_from(&self, place: u64) -> Option<Answer> {
        let known = self.state.known?;
        (known.at >= place).then_some(known.answer)
    }

    /// Goes back with the answer about this place.
    pub(super) fn go_back_with(&mut self, answer: Answer, at: u64) {
        self.go_back(Some(Known { at, answer }));
    }

    /// Goes back to where the hold began, with the answer if there is one.
    pub(super) fn go_back(&mut self, known: Option<Known>) {
        let Some(hold) = self.state.hold.take() else {
            return;
        };
        let at = self.index(hold.at);
        self.state.looked += self.at.saturating_sub(at) as u64;
        self.at = at;
        self.state.mode = hold.mode;
        self.state.line.restore(hold.counted);
        self.state.candidate = None;
        self.state.known = known;
    }

    /// Whether the answer can no longer begin in time.
    pub(super) fn is_too_late(&self, hold: Hold) -> bool {
        let here = self.place(self.at);
        let closers = match (hold.question, self.state.mode) {
            (Question::InCode, _) => return false,
            // A closer that is being read now would change nothing: either way it is as usual.
            (Question::SectionClosed, Mode::Section(section))
                if !section.is_fresh() && here > hold.deadline =>
            {
                return true;
            }
            (Question::ElementClosed, _) => self.state.open.last().map_or(0, Open::inner_closers),
            _ => 0,
        };
        let closes = |role: Role, _| role == Role::End;
        // What may be a repeated opener or text tells whether there is only white space.
        let only_space = match self.state.mode {
            Mode::Section(section) => section.is_fresh() || hold.question == Question::Blank,
            _ => false,
        };
        let any = matches!(hold.question, Question::IsCall | Question::EndsValue);
        let blank_text = hold.question == Question::Blank && matches!(self.state.mode, Mode::Text);
        let earliest = match self.state.candidate {
            Some(candidate) if any || blank_text => candidate.start,
            Some(candidate) if only_space => candidate.start,
            Some(candidate) if candidate.may_be(self.lexicon(), closes) => candidate.start,
            _ => here,
        };
        earliest + closers as u64 > hold.deadline
    }

    /// A question has found no answer within the limit.
    pub(super) fn give_up(&mut self, hold: Hold) {
        match (hold.question, self.state.mode) {
            (Question::ElementClosed, _) => self.drop_any_element(hold.deadline),
            (Question::IsCall, _) => self.is_prose(),
            (Question::EndsValue, _) => self.ends_nothing(),
            (Question::Blank, Mode::Text) => {
                self.go_back(None);
                self.state.stretch = Stretch::Content;
            }
            (Question::Blank, Mode::Section(section)) if !section.is_fresh() => {
                self.go_back(None);
                self.keep_space();
            }
            (_, Mode::Section(section)) if section.is_fresh() => {
                self.go_back_with(Answer::TooBlank, hold.at);
            }
            _ => self.go_back_with(Answer::TooLong, hold.at),
        }
    }
}

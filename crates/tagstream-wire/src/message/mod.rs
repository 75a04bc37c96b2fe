//! What the frames of a stream add up to: its messages. Shared by all who read streams, so that a
//! profile applies to native thinking and calls as it does to those in text.

mod calls;
mod choice;
mod choices;
mod emit;
mod identity;
mod judge;
mod numbers;
mod policies;
mod thought;
mod twins;

pub(crate) use calls::NativePiece;
pub(crate) use emit::{Emit, Origin, Sink};
pub(crate) use policies::{Course, Policies};
pub(crate) use twins::{Twin, Twins};

use crate::delta::Delta;
use choice::Choice;
use choices::choice;
use judge::Judge;
use tagstream_core::{
    ElementView, Engine, NoticeCode, Profile, ProfileError, ThinkingMode, ThinkingTrim,
};

/// The default limit of a frame, in bytes.
pub(crate) const FRAME_LIMIT: usize = 16_777_216;

/// What the profile says of all messages.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) policies: Policies,
    /// Thinking is dropped, native thinking included.
    pub(crate) hides: bool,
    /// White space at both ends of a thought is dropped.
    pub(crate) trims: bool,
    pub(crate) id_prefix: String,
    pub(crate) value_limit: usize,
}

impl Rules {
    fn new(profile: &Profile) -> Result<Self, ProfileError> {
        let trim = profile.thinking.trim;
        let prefix = profile.calls.as_ref().map(|calls| calls.id_prefix.clone());
        Ok(Rules {
            policies: Policies::compile(profile)?,
            hides: profile.thinking.mode == ThinkingMode::Hide,
            trims: matches!(trim, ThinkingTrim::Thought | ThinkingTrim::Both),
            id_prefix: prefix.unwrap_or_else(|| "call_".to_owned()),
            value_limit: profile.limits.value,
        })
    }
}

/// What a writer must know of a delta that was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    Nothing,
    /// A piece of a text; if the text began with it, what the message had contained until then.
    Text(Option<Course>),
    Call(NativePiece),
}

/// The messages of a stream.
#[derive(Debug)]
pub(crate) struct Messages {
    pub(crate) rules: Rules,
    judge: Judge,
    choices: Vec<Choice>,
    /// The stream has reported that it is complete, or an error.
    pub(crate) has_ended: bool,
}

impl Messages {
    pub(crate) fn new(profile: &Profile) -> Result<Self, ProfileError> {
        Ok(Messages {
            rules: Rules::new(profile)?,
            judge: Judge::new(profile, FRAME_LIMIT),
            choices: Vec::new(),
            has_ended: false,
        })
    }

    /// The messages of another stream with the same rules; nothing has been read of it.
    pub(crate) fn fresh(&self) -> Self {
        Messages {
            rules: self.rules.clone(),
            judge: self.judge.clone(),
            choices: Vec::new(),
            has_ended: false,
        }
    }

    /// Sets how many bytes a frame may have.
    pub(crate) fn frame_limit(&mut self, bytes: usize) {
        self.judge.frame_limit(bytes);
    }

    /// Reads bytes of the message itself.
    pub(crate) fn plain(&mut self, chunk: &[u8], sink: Sink<'_>) {
        let mut emit = Emit { choice: 0, sink };
        if let Some(choice) = of_index(&mut self.choices, 0, &self.rules) {
            choice.push_bytes(0, chunk, &self.rules, &mut emit);
        }
    }

    pub(crate) fn delta(&mut self, delta: &Delta<'_>, sink: Sink<'_>) -> Taken {
        match delta {
            Delta::Usage { usage } => whole(sink).usage(usage),
            Delta::Error { message } => {
                self.has_ended = true;
                // After an error nobody reads on: what was held comes before it.
                self.choices.iter_mut().for_each(Choice::fail);
                self.end_choices(true, sink);
                whole(sink).notice(NoticeCode::StreamError, message);
            }
            Delta::End => {
                self.has_ended = true;
                self.end_choices(false, sink);
            }
            Delta::Again { .. } | Delta::Trace => {}
            Delta::Text { slot, .. } | Delta::Reasoning { slot, .. } | Delta::BlockEnd { slot } => {
                return self.of_choice(slot.choice, delta, sink);
            }
            Delta::Call { choice, .. } | Delta::Finish { choice, .. } => {
                return self.of_choice(*choice, delta, sink);
            }
        }
        Taken::Nothing
    }

    fn of_choice(&mut self, index: u64, delta: &Delta<'_>, sink: Sink<'_>) -> Taken {
        let rules = &self.rules;
        let Some(choice) = of_index(&mut self.choices, index, rules) else {
            let message = format!("too many choices: choice {index} is ignored");
            whole(sink).notice(NoticeCode::Limit, &message);
            return Taken::Nothing;
        };
        let judge = &mut self.judge;
        let emit = &mut Emit {
            choice: index,
            sink,
        };
        match delta {
            Delta::Text { slot, text } => {
                let course = choice.course_of_new(slot.block);
                choice.push(slot.block, text, rules, emit);
                return Taken::Text(course);
            }
            Delta::Reasoning { slot, text } => {
                if rules.hides {
                    choice.hidden_reasoning(text);
                } else {
                    choice.reasoning(slot.block, text, emit);
                }
            }
            Delta::Call { call, .. } => return Taken::Call(choice.call(call, judge, emit)),
            Delta::BlockEnd { slot } => choice.end_block(slot.block, judge, emit),
            // A second reason ends nothing again: it only comes after the first.
            Delta::Finish { reason, .. } => {
                if !choice.is_finished {
                    choice.end(judge, is_cut(reason), emit);
                    choice.is_finished = true;
                }
                emit.finish(reason);
            }
            _ => {}
        }
        Taken::Nothing
    }

    /// Ends what is still open, as cut off unless the stream has reported that it is complete.
    pub(crate) fn end_choices(&mut self, is_cut: bool, sink: Sink<'_>) {
        for choice in &mut self.choices {
            let mut emit = Emit {
                choice: choice.index,
                sink: &mut *sink,
            };
            choice.end(&mut self.judge, is_cut, &mut emit);
        }
    }

    /// Reports a stream without its end marker. Everything that arrived has been emitted.
    pub(crate) fn end_stream(&mut self, sink: Sink<'_>) {
        let mut cut: Vec<u64> = Vec::new();
        if !self.has_ended {
            let open = self.choices.iter().filter(|choice| !choice.is_finished);
            cut.extend(open.map(|choice| choice.index));
            if self.choices.is_empty() {
                cut.push(0);
            }
        }
        self.end_choices(true, sink);
        for choice in cut {
            let mut emit = Emit {
                choice,
                sink: &mut *sink,
            };
            emit.notice(
                NoticeCode::TruncatedStream,
                "the stream ended without its end marker",
            );
        }
    }

    /// The number of the next call that is written in a choice.
    pub(crate) fn next_written(&mut self, index: u64) -> u64 {
        let choice = of_index(&mut self.choices, index, &self.rules);
        choice.map_or(0, Choice::next_written)
    }

    /// An engine for a text that begins where the message has contained this much.
    pub(crate) fn engine(&self, course: Course) -> Engine {
        Engine::new(self.rules.policies.now(course))
    }

    pub(crate) fn open_elements(&self) -> impl Iterator<Item = (u64, ElementView<'_>)> {
        self.choices.iter().flat_map(|choice| {
            let open = choice.open_elements();
            open.map(|view| (choice.index, view))
        })
    }
}

fn of_index<'c>(choices: &'c mut Vec<Choice>, index: u64, rules: &Rules) -> Option<&'c mut Choice> {
    choice(choices, index, || Choice::new(index, rules))
}

/// Emits an event of the whole stream.
pub(crate) fn whole(sink: Sink<'_>) -> Emit<'_> {
    Emit { choice: 0, sink }
}

/// Whether the provider's reason means that the message was cut off.
fn is_cut(reason: &str) -> bool {
    let reasons = ["length", "max_tokens", "max_output_tokens", "MAX_TOKENS"];
    reasons.contains(&reason)
}

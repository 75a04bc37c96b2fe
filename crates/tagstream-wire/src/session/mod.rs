//! Reads a stream: bytes in, events out.

mod calls;
mod choice;
pub(crate) mod choices;
mod emit;
pub(crate) mod identity;
mod judge;
mod numbers;
pub(crate) mod policies;
mod thought;

use crate::decode::delta::{Delta, Slot};
use crate::decode::detect::{Detector, Guess};
use crate::decode::{Decoder, Format, VALUE_LIMIT};
use crate::event::WireEvent;
use crate::framing::Framing;
use crate::framing::frame::{Content, Frame, Message};
use choice::Choice;
use choices::choice;
use emit::{Emit, Sink};
use judge::Judge;
use policies::Policies;
use tagstream_core::check::Checker;
use tagstream_core::{ElementView, NoticeCode, Profile, ThinkingMode, ThinkingTrim, UnknownTool};

/// Options for reading a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The check of complete native calls. Without it, any JSON object is accepted.
    pub checker: Option<Checker>,
    /// The tools that native calls may name. Without any, every name is accepted.
    pub tools: Vec<String>,
    /// What a native call of another tool becomes. It cannot be text: it is an error, unless the
    /// setting is [`UnknownTool::Pass`].
    pub unknown_tool: UnknownTool,
    /// How many calls a message may have; those found in text count too.
    pub max_calls: Option<u64>,
    /// Drops native thinking: thinking that the provider reports separately.
    pub hide_reasoning: bool,
    /// Drops white space at both ends of native thinking.
    pub trim_reasoning: bool,
    /// A frame with more bytes is ignored, with a notice.
    pub frame_limit: usize,
    /// A native call whose arguments have more bytes is refused. All open calls together have at
    /// most this many bytes, or the frame limit if that is more.
    pub value_limit: usize,
    /// The start of ids for calls without an id; the number of the call follows.
    pub id_prefix: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            checker: None,
            tools: Vec::new(),
            unknown_tool: UnknownTool::Report,
            max_calls: None,
            hide_reasoning: false,
            trim_reasoning: false,
            frame_limit: 16_777_216,
            value_limit: VALUE_LIMIT,
            id_prefix: "call_".to_owned(),
        }
    }
}

impl Options {
    /// The profile's settings for thinking and calls, applied to native ones.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let mut options = Options {
            hide_reasoning: profile.thinking.mode == ThinkingMode::Hide,
            trim_reasoning: matches!(
                profile.thinking.trim,
                ThinkingTrim::Thought | ThinkingTrim::Both
            ),
            value_limit: profile.limits.value,
            ..Options::default()
        };
        if let Some(calls) = &profile.calls {
            options.checker = Some(calls.checker.clone());
            options.tools = calls.tools.iter().map(|tool| tool.name.clone()).collect();
            options.unknown_tool = calls.unknown_tool;
            options.max_calls = calls.max_calls;
            options.id_prefix.clone_from(&calls.id_prefix);
        }
        options
    }
}

/// Reads one stream, in chunks, and emits what is certain about its messages.
///
/// ```
/// use tagstream::{EventKind, Profile, Thinking};
/// use tagstream_wire::{Format, Session, WireEvent, WireKind};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut answer = String::new();
/// let mut sink = |event: WireEvent<'_>| {
///     if let WireKind::Message(EventKind::Text(text)) = event.event {
///         answer.push_str(text);
///     }
/// };
/// let mut session = Session::new(&policy, Format::Auto);
/// session.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"<think>hm</th\"}}]}\n\nda", &mut sink);
/// session.push(b"ta: {\"choices\":[{\"delta\":{\"content\":\"ink>Hello\"}}]}\n\n", &mut sink);
/// session.push(b"data: [DONE]\n\n", &mut sink);
/// session.finish(&mut sink);
/// assert_eq!(answer, "Hello");
/// # Ok::<(), tagstream::ProfileError>(())
/// ```
#[derive(Debug)]
pub struct Session {
    stage: Stage,
    talk: Talk,
}

/// What is known about the format.
#[derive(Debug)]
enum Stage {
    /// Nothing yet; the bytes so far.
    Unknown(Detector, Vec<u8>),
    /// The input is the message itself, without frames.
    Text,
    Frames(Framing, Decoder),
}

impl Session {
    /// A session for one stream in this format.
    #[must_use]
    pub fn new(policies: impl Into<Policies>, format: Format) -> Self {
        Self::with_options(policies, format, Options::default())
    }

    /// A session with other options.
    #[must_use]
    pub fn with_options(policies: impl Into<Policies>, format: Format, options: Options) -> Self {
        let stage = match format {
            Format::Auto => Stage::Unknown(Detector::default(), Vec::new()),
            Format::Text => Stage::Text,
            _ => Stage::frames(format, &options),
        };
        let talk = Talk::new(policies.into(), options);
        Session { stage, talk }
    }

    /// Reads the next chunk and emits everything that it makes certain.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl FnMut(WireEvent<'_>)) {
        match &mut self.stage {
            Stage::Text => self.talk.plain(chunk, sink),
            Stage::Frames(framing, decoder) => {
                framing.push(chunk, &mut |frame| self.talk.frame(&frame, decoder, sink));
            }
            Stage::Unknown(detector, held) => {
                let guess = detector.push(chunk);
                if guess == Guess::Wait {
                    return held.extend_from_slice(chunk);
                }
                self.decide(guess, sink);
                self.push(chunk, sink);
            }
        }
    }

    /// Ends the stream and emits the rest.
    pub fn finish(mut self, sink: &mut impl FnMut(WireEvent<'_>)) {
        if let Stage::Unknown(..) = self.stage {
            self.decide(Guess::Text, sink);
        }
        if let Stage::Frames(framing, mut decoder) = self.stage {
            framing.finish(&mut |frame| self.talk.frame(&frame, &mut decoder, sink));
            decoder.finish(&mut |delta| self.talk.delta(&delta, sink));
            return self.talk.end_stream(sink);
        }
        self.talk.end_choices(true, sink);
    }

    /// The format, as far as it is known.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.stage {
            Stage::Unknown(..) => Format::Auto,
            Stage::Text => Format::Text,
            Stage::Frames(_, decoder) => decoder.format(),
        }
    }

    /// The open elements, each with its choice, as far as they have been read.
    pub fn open_elements(&self) -> impl Iterator<Item = (u64, ElementView<'_>)> {
        self.talk.choices.iter().flat_map(|choice| {
            let open = choice.open_elements();
            open.map(|view| (choice.index, view))
        })
    }

    /// Sets the format, and reads the bytes so far.
    fn decide(&mut self, guess: Guess, sink: &mut impl FnMut(WireEvent<'_>)) {
        let format = match guess {
            Guess::Json(format) => format,
            _ => Format::Auto,
        };
        let stage = match guess {
            Guess::Text | Guess::Wait => Stage::Text,
            _ => Stage::frames(format, &self.talk.setup.options),
        };
        if let Stage::Unknown(_, held) = std::mem::replace(&mut self.stage, stage) {
            self.push(&held, sink);
        }
    }
}

impl Stage {
    fn frames(format: Format, options: &Options) -> Stage {
        let decoder = Decoder::with_limit(format, options.value_limit);
        Stage::Frames(Framing::new(options.frame_limit), decoder)
    }
}

/// What all choices share.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) policies: Policies,
    pub(crate) options: Options,
}

impl Setup {
    fn choice<'c>(&self, choices: &'c mut Vec<Choice>, index: u64) -> Option<&'c mut Choice> {
        choice(choices, index, || Choice::new(index, self))
    }
}

/// What the frames add up to.
#[derive(Debug)]
struct Talk {
    setup: Setup,
    judge: Judge,
    choices: Vec<Choice>,
    /// The stream has reported that it is complete, or an error.
    has_ended: bool,
}

impl Talk {
    fn new(policies: Policies, options: Options) -> Self {
        let judge = Judge::new(&options);
        Talk {
            setup: Setup { policies, options },
            judge,
            choices: Vec::new(),
            has_ended: false,
        }
    }

    fn plain(&mut self, chunk: &[u8], sink: Sink<'_>) {
        let mut emit = Emit { choice: 0, sink };
        if let Some(choice) = self.setup.choice(&mut self.choices, 0) {
            let reading = choice.text(0, &self.setup, &mut emit);
            reading.push_bytes(chunk, &mut emit);
        }
    }

    fn frame(&mut self, frame: &Frame<'_>, decoder: &mut Decoder, sink: Sink<'_>) {
        let at = frame.at;
        match &frame.content {
            Content::Nothing => {}
            Content::Message(message) => self.message(at, message, decoder, sink),
            Content::TooLong => {
                let limit = self.setup.options.frame_limit;
                let message = format!("the frame at byte {at} is longer than {limit} bytes");
                whole(sink).notice(NoticeCode::Limit, &message);
            }
            Content::Unknown => {
                let message = format!("the frame at byte {at} cannot be read: it is not an event");
                whole(sink).notice(NoticeCode::InvalidFrame, &message);
            }
        }
    }

    fn message(&mut self, at: u64, message: &Message<'_>, decoder: &mut Decoder, sink: Sink<'_>) {
        if message.replaced {
            let text = format!("invalid text in the frame at byte {at} became U+FFFD");
            whole(sink).notice(NoticeCode::InvalidUtf8, &text);
        }
        if let Err(error) = decoder.read(message, &mut |delta| self.delta(&delta, sink)) {
            let text = format!("the frame at byte {at} cannot be read: {error}");
            whole(sink).notice(NoticeCode::InvalidFrame, &text);
        }
    }

    fn delta(&mut self, delta: &Delta<'_>, sink: Sink<'_>) {
        match delta {
            Delta::Usage { usage } => whole(sink).usage(usage),
            Delta::Error { message } => {
                self.has_ended = true;
                whole(sink).notice(NoticeCode::StreamError, message);
            }
            Delta::End => {
                self.has_ended = true;
                self.end_choices(false, sink);
            }
            Delta::Text { slot, .. } | Delta::Reasoning { slot, .. } | Delta::BlockEnd { slot } => {
                self.of_choice(slot.choice, delta, sink);
            }
            Delta::Call { choice, .. } | Delta::Finish { choice, .. } => {
                self.of_choice(*choice, delta, sink);
            }
        }
    }

    fn of_choice(&mut self, index: u64, delta: &Delta<'_>, sink: Sink<'_>) {
        let Some(choice) = self.setup.choice(&mut self.choices, index) else {
            let message = format!("too many choices: choice {index} is ignored");
            return whole(sink).notice(NoticeCode::Limit, &message);
        };
        let (options, judge) = (&self.setup.options, &mut self.judge);
        let emit = &mut Emit {
            choice: index,
            sink,
        };
        match delta {
            Delta::Text { slot, text } => {
                choice.text(slot.block, &self.setup, emit).push(text, emit);
            }
            Delta::Reasoning {
                slot: Slot { block, .. },
                text,
            } => match options.hide_reasoning {
                true => choice.hidden_reasoning(text),
                false => choice.reasoning(*block, text, emit),
            },
            Delta::Call { call, .. } => choice.call(call, judge, emit),
            Delta::BlockEnd { slot } => choice.end_block(slot.block, judge, emit),
            Delta::Finish { reason, .. } => {
                choice.end(judge, is_cut(reason), emit);
                choice.is_finished = true;
                emit.finish(reason);
            }
            _ => {}
        }
    }

    /// Ends what is still open, as cut off unless the stream has reported that it is complete.
    fn end_choices(&mut self, is_cut: bool, sink: Sink<'_>) {
        for choice in &mut self.choices {
            let mut emit = Emit {
                choice: choice.index,
                sink: &mut *sink,
            };
            choice.end(&mut self.judge, is_cut, &mut emit);
        }
    }

    /// Reports a stream without its end marker. Everything that arrived has been emitted.
    fn end_stream(&mut self, sink: Sink<'_>) {
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
}

/// Emits an event of the whole stream.
fn whole(sink: Sink<'_>) -> Emit<'_> {
    Emit { choice: 0, sink }
}

/// Whether the provider's reason means that the message was cut off.
fn is_cut(reason: &str) -> bool {
    let reasons = ["length", "max_tokens", "max_output_tokens", "MAX_TOKENS"];
    reasons.contains(&reason)
}

//! What all streams with the same settings share, compiled once.

use super::{
    Found, Options, Queue, RewriteError, Rewriter, Sorter, Stage, Stream, Style, Thinking,
    without_calls,
};
use crate::format::Format;
use crate::framing::Framing;
use crate::json::Tape;
use crate::message::Messages;
use tagstream_core::check::Checker;
use tagstream_core::{Profile, RefusedCalls};

/// Fields of a message that mean something else: thinking there would be shown, or break clients.
const TAKEN: [&str; 9] = [
    "annotations",
    "audio",
    "content",
    "function_call",
    "name",
    "reasoning_details",
    "refusal",
    "role",
    "tool_calls",
];

/// Whether thinking can be moved to this field of a message in OpenAI's format.
///
/// # Errors
/// Clients use it for something else, or it has no name.
pub fn check_reasoning_field(name: &str) -> Result<(), RewriteError> {
    if name.is_empty() || TAKEN.contains(&name) {
        return Err(RewriteError::ReasoningField(name.to_owned()));
    }
    Ok(())
}

/// Settings for rewriting streams: a profile, compiled once, and options. Each stream gets a
/// [`Rewriter`] from it, which is cheap.
#[derive(Debug)]
pub struct Plan {
    messages: Messages,
    format: Format,
    options: Options,
    closers: Vec<String>,
    /// Knows which arguments of calls are texts.
    texts: Option<Checker>,
}

impl Plan {
    /// Compiles the profile for streams in this format. If the profile hides thinking, it is hidden,
    /// whatever the options are.
    ///
    /// # Errors
    /// Streams in this format cannot be rewritten, or the profile or the field for thinking is invalid.
    pub fn new(
        profile: &Profile,
        format: Format,
        mut options: Options,
    ) -> Result<Self, RewriteError> {
        if let Some(name) = &options.reasoning_field {
            check_reasoning_field(name)?;
        }
        let mut profile = profile.clone();
        if let Some(calls) = &mut profile.calls {
            // The options decide about refused calls.
            calls.refused = RefusedCalls::Drop;
        }
        let mut messages = Messages::new(&profile)?;
        messages.frame_limit(options.frame_limit);
        if format != Format::Auto {
            Stage::new(format, &messages, &options)?;
        }
        if messages.rules.hides {
            options.thinking = Thinking::Hide;
        }
        let calls = profile.calls.as_ref();
        let texts = calls.filter(|calls| !calls.decode_entities);
        let texts = texts.map(|calls| calls.checker.clone());
        let thinking = &profile.thinking;
        let tags = thinking.tags.iter().map(|tag| format!("</{tag}"));
        let literals = thinking.delimiters.iter().map(|pair| pair[1].clone());
        Ok(Plan {
            messages,
            format,
            options,
            closers: tags.chain(literals).collect(),
            texts,
        })
    }

    /// A rewriter for one stream.
    #[must_use]
    pub fn rewriter(&self) -> Rewriter {
        let messages = self.messages.fresh();
        let mut sorter = Sorter::new(self.closers.clone(), self.texts.clone());
        sorter.without_calls = without_calls(self.format);
        let stage = Stage::new(self.format, &messages, &self.options).ok();
        Rewriter {
            framing: Framing::new(self.options.frame_limit),
            tape: Tape::default(),
            stream: Stream {
                messages,
                options: self.options.clone(),
                sorter,
                stage,
                queue: Queue::default(),
                style: Style::first(self.format, false),
                is_dropped: false,
                has_content: false,
                is_understood: false,
                has_written: false,
                swallowed: 0,
            },
        }
    }
}

impl Rewriter {
    /// What was found in texts so far.
    #[must_use]
    pub fn found(&self) -> Found {
        self.stream.sorter.tally
    }

    /// Whether anything in the stream so far was a frame of a provider: an event with JSON, or JSON of a
    /// known shape.
    #[must_use]
    pub fn is_understood(&self) -> bool {
        self.stream.is_understood
    }
}

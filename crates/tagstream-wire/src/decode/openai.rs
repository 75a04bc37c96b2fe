//! OpenAI Chat Completions, and all who speak it: vLLM, SGLang, llama.cpp, LM Studio, OpenRouter,
//! DeepSeek, Ollama's `/v1`, Mistral.

use super::content::Parts;
use super::delta::{CallPiece, Delta, Each, Joins, Slot};
use super::number::number;
use super::tell;
use super::text::{Text, list};
use super::tool_call::{Function, ToolCall};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    choices: Vec<Choice<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    /// `error` where older servers put all of an error at the top.
    #[serde(borrow)]
    object: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default, deserialize_with = "number")]
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Message<'a>>,
    /// All of it, where the body does not stream.
    #[serde(borrow)]
    message: Option<Message<'a>>,
    /// What the older completions have.
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Parts<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    reasoning_details: Vec<Detail<'a>>,
    #[serde(borrow)]
    refusal: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    tool_calls: Vec<ToolCall<'a>>,
    /// What came before tool calls.
    #[serde(borrow)]
    function_call: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Detail<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    summary: Option<Text<'a>>,
}

/// What a frame adds.
pub(crate) fn read<'a>(data: &'a str, each: Each<'_, 'a>) -> Result<(), serde_json::Error> {
    let chunk: Chunk<'a> = serde_json::from_str(data)?;
    let is_body = chunk.choices.iter().any(|choice| choice.message.is_some());
    let is_error = chunk.object.is_some_and(|object| object.0 == "error");
    match chunk.error {
        None if is_error => each(Delta::Error {
            message: chunk.message.unwrap_or_default().0,
        }),
        error => tell::error(error, each),
    }
    for (place, choice) in chunk.choices.into_iter().enumerate() {
        choice.read(place as u64, each);
    }
    tell::usage(chunk.usage, each);
    if is_body {
        each(Delta::End);
    }
    Ok(())
}

impl<'a> Choice<'a> {
    /// One that does not say which it is, is the one at its place.
    fn read(self, place: u64, each: Each<'_, 'a>) {
        let choice = self.index.unwrap_or(place);
        if let Some(delta) = self.delta {
            delta.read(choice, Joins::ByRule, each);
        }
        if let Some(message) = self.message {
            message.read(choice, Joins::Nothing, each);
        }
        tell::text(slot(choice), self.text, each);
        if let Some(reason) = Text::given(self.finish_reason) {
            each(Delta::Finish { choice, reason });
        }
    }
}

impl<'a> Message<'a> {
    fn read(self, choice: u64, joins: Joins, each: Each<'_, 'a>) {
        let slot = slot(choice);
        let thinks = [self.reasoning_content, self.reasoning];
        let thinks = thinks.into_iter().flatten().find(|text| !text.0.is_empty());
        match thinks {
            Some(thought) => tell::reasoning(slot, Some(thought), each),
            None => self.reasoning_details.into_iter().for_each(|detail| {
                tell::reasoning(slot, detail.text.or(detail.summary), each);
            }),
        }
        match self.content {
            Some(Parts::Text(content)) => tell::text(slot, Some(Text(content)), each),
            Some(Parts::List(parts)) => {
                for part in parts {
                    let thoughts = part.thinking.into_iter();
                    thoughts.for_each(|t| tell::reasoning(slot, t.text, each));
                    tell::text(slot, part.text, each);
                }
            }
            None => {}
        }
        tell::text(slot, self.refusal, each);
        for call in self.tool_calls {
            let call = call.piece(joins);
            each(Delta::Call { choice, call });
        }
        if let Some(function) = self.function_call {
            let index = Some(0);
            let call = CallPiece {
                index,
                ..function.piece(joins)
            };
            each(Delta::Call { choice, call });
        }
    }
}

/// A choice has one text.
fn slot(choice: u64) -> Slot {
    Slot { choice, block: 0 }
}

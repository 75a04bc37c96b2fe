//! OpenAI Chat Completions and the older completions, and all who write them: vLLM, SGLang,
//! llama.cpp, LM Studio, OpenRouter, DeepSeek, Ollama's `/v1`, Mistral, Together, Perplexity.

mod native;
mod side;
mod write;

pub(crate) use write::Writer;

use super::{Input, Unknown, error, function_call, tool_call};
use crate::delta::{Again, CallPiece, Delta, Each, Joins, Slot};
use crate::json::{Kind, Value};

/// The blocks of a choice: its fields have a text each.
pub(crate) const CONTENT: u64 = 0;
pub(crate) const REFUSAL: u64 = 1;
/// `text` of the older completions, which have no place for thinking or calls.
pub(crate) const LEGACY: u64 = 2;
/// `audio.transcript`: what a model says, where it answers with sound.
pub(crate) const TRANSCRIPT: u64 = 3;

/// The fields in which servers write thinking as plain text; the first one that is given counts.
/// The last is Copilot's.
pub(crate) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];
/// Lists of thoughts, with `text` and `summary` (OpenRouter) or `thinking` (LiteLLM), and thinking that
/// only the provider can read (Copilot).
pub(crate) const DETAILS: [&str; 3] = ["reasoning_details", "thinking_blocks", "reasoning_opaque"];
/// Where LiteLLM repeats fields that are not OpenAI's.
pub(crate) const EXTRA: &str = "provider_specific_fields";

/// What must be known of the frames before.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// A delta has come: from then on, whole messages repeat what was streamed.
    has_streamed: bool,
    /// A refusal has come: content after it is another text.
    has_refused: bool,
}

impl Reader {
    pub(super) fn read<'f>(
        &mut self,
        input: Input<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let root = input.doc.root();
        let choices = root.get("choices");
        let usage = root.get("usage").filter(|usage| usage.is_object());
        let is_body = choices.is_some() && self.is_whole(input);
        for (choice, place) in choices.into_iter().flat_map(Value::list).zip(0..) {
            self.choice(choice, place, each);
        }
        // An answer may have an error in it; other words for one count only where there is none.
        let is_error = match choices {
            Some(_) => root.has("error") && error(root, each),
            None => error(root, each),
        };
        each.usage(usage);
        if is_body {
            each.note(Delta::End);
        }
        if is_error || root.has("choices") || usage.is_some() {
            Ok(())
        } else {
            Err(Unknown)
        }
    }

    /// Whether a frame is a whole answer.
    pub(super) fn is_whole(&self, input: Input<'_>) -> bool {
        !self.has_streamed && is_body(input)
    }

    fn choice<'f>(&mut self, choice: Value<'f>, place: u64, each: &mut Each<'_, 'f>) {
        let index = choice.number_at("index").unwrap_or(place);
        let [delta, message] = ["delta", "message"].map(|key| choice.get(key));
        let delta = delta.filter(|delta| delta.is_object());
        let message = message.filter(|message| message.is_object());
        let text = choice.member("text");
        self.has_streamed |= delta.is_some();
        match (delta, message) {
            (Some(delta), message) => {
                self.end_refusal(delta, index, each);
                read_message(delta, index, Joins::ByRule, each);
                again(message, index, each);
            }
            (None, message) if self.has_streamed => again(message, index, each),
            (None, Some(message)) => read_message(message, index, Joins::Nothing, each),
            (None, None) => {}
        }
        if delta.is_none() && message.is_none() {
            each.text(Slot::new(index, LEGACY), text);
        } else {
            each.again(Slot::new(index, CONTENT), Again::Frame, text);
        }
        if let Some(extra) = choice.get(EXTRA) {
            traces(extra, each);
        }
        each.finish(index, choice.get("finish_reason"));
    }

    /// A refusal ends where content begins again.
    fn end_refusal<'f>(&mut self, delta: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
        let refuses = delta.given("refusal").is_some();
        let has_content = delta.get("content").is_some_and(|c| !c.is_empty());
        if self.has_refused && has_content && !refuses {
            end_block(choice, REFUSAL, each);
        }
        self.has_refused |= refuses;
    }
}

/// Whether a frame is a whole answer, rather than a piece of one. Those of the older completions look
/// alike, but no answer that streams is a JSON value without an event around it and has no deltas.
pub(super) fn is_body(input: Input<'_>) -> bool {
    let root = input.doc.root();
    let mut choices = root.get("choices").into_iter().flat_map(Value::list);
    let is_streamed = choices.clone().any(|choice| choice.get("delta").is_some());
    let is_whole = choices.any(|choice| choice.get("message").is_some());
    !is_streamed && (input.is_value || is_whole || root.says("object", "chat.completion"))
}

fn end_block(choice: u64, block: u64, each: &mut Each<'_, '_>) {
    let slot = Slot::new(choice, block);
    each.note(Delta::BlockEnd { slot });
}

fn read_message<'f>(message: Value<'f>, choice: u64, joins: Joins, each: &mut Each<'_, 'f>) {
    // The texts of a message that does not stream are whole.
    let is_whole = joins == Joins::Nothing;
    thinking(message, Slot::new(choice, CONTENT), each);
    content(message, choice, each);
    // Content ends where a refusal begins.
    if is_whole || message.given("refusal").is_some() {
        end_block(choice, CONTENT, each);
    }
    each.text(Slot::new(choice, REFUSAL), message.member("refusal"));
    if is_whole {
        end_block(choice, REFUSAL, each);
    }
    let audio = message.get("audio");
    let transcript = audio.and_then(|audio| audio.member("transcript"));
    each.text(Slot::new(choice, TRANSCRIPT), transcript);
    if is_whole {
        end_block(choice, TRANSCRIPT, each);
    }
    for at in message
        .get("tool_calls")
        .into_iter()
        .flat_map(Value::objects)
    {
        let call = tool_call(at, joins);
        each.give(at, Delta::Call { choice, call });
    }
    if let Some(at) = message.get("function_call") {
        let call = function_call(at, joins);
        if call.name.is_some() || !call.arguments.is_empty() {
            let call = CallPiece {
                index: Some(0),
                ..call
            };
            each.give(at, Delta::Call { choice, call });
        }
    }
}

/// Native thinking counts once, in the first of the fields that has any. The others repeat it.
fn thinking<'f>(message: Value<'f>, slot: Slot, each: &mut Each<'_, 'f>) {
    let mut is_read = false;
    let extra = message.get(EXTRA);
    for object in [Some(message), extra].into_iter().flatten() {
        for key in REASONING {
            let field = object.get(key);
            if field.is_some_and(|field| field.text().is_none()) {
                is_read |= details(field, slot, is_read, each);
            } else if is_read {
                each.trace(field);
            } else {
                is_read = each.reasoning(slot, field);
            }
        }
        for key in DETAILS {
            is_read |= details(object.get(key), slot, is_read, each);
        }
    }
}

/// Thoughts in a list, or in an object; whether there is any text.
fn details<'f>(
    field: Option<Value<'f>>,
    slot: Slot,
    is_read: bool,
    each: &mut Each<'_, 'f>,
) -> bool {
    let Some(field) = field.filter(|field| !field.is_empty()) else {
        return false;
    };
    let mut has_text = false;
    if !is_read {
        let object = Some(field).filter(|field| field.is_object());
        for detail in field.list().chain(object) {
            let keys = ["text", "summary", "thinking", "content"];
            let text = keys.iter().find_map(|key| detail.get(key));
            has_text |= each.reasoning(slot, text);
        }
    }
    each.trace(Some(field));
    has_text
}

/// The content: a string, or, from Mistral and in some bodies, a list of parts. Snowflake repeats it.
fn content<'f>(message: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
    read_content(message, choice, each);
    if message.get("content").is_some() {
        let slot = Slot::new(choice, CONTENT);
        let copies = message.get("content_list").into_iter();
        let copies = copies.flat_map(Value::objects);
        let is_one = copies.clone().nth(1).is_none();
        let of = if is_one { Again::Frame } else { Again::Part };
        copies.for_each(|copy| each.again(slot, of, copy.get("text")));
        each.again(slot, Again::Frame, message.get("text"));
    }
}

fn read_content<'f>(message: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
    let slot = Slot::new(choice, CONTENT);
    let Some(content) = message.member("content") else {
        return;
    };
    if content.kind() != Kind::List {
        return each.text(slot, Some(content));
    }
    for part in content.objects() {
        let kind = part.word("type").unwrap_or_default();
        let is_thought = matches!(&*kind, "thinking" | "reasoning");
        let thinking = part.get("thinking");
        match thinking.filter(|thinking| thinking.kind() == Kind::List) {
            Some(list) => list.list().for_each(|thought| {
                each.reasoning(slot, thought.get("text"));
            }),
            None => {
                each.reasoning(slot, thinking.or_else(|| part.get("reasoning")));
            }
        }
        if is_thought {
            each.reasoning(slot, part.get("text"));
        } else {
            each.text(slot, part.get("text").or_else(|| part.get("refusal")));
        }
    }
}

/// Thinking that is said elsewhere.
fn traces<'f>(object: Value<'f>, each: &mut Each<'_, 'f>) {
    let fields = REASONING.iter().chain(&DETAILS);
    fields.for_each(|key| each.trace(object.get(key)));
}

/// A message beside its deltas: all that was streamed so far.
fn again<'f>(message: Option<Value<'f>>, choice: u64, each: &mut Each<'_, 'f>) {
    let Some(message) = message else { return };
    for object in [Some(message), message.get(EXTRA)].into_iter().flatten() {
        traces(object, each);
    }
    for (key, block) in [("content", CONTENT), ("refusal", REFUSAL)] {
        let slot = Slot::new(choice, block);
        let text = message.member(key);
        each.again(slot, Again::Whole, text);
        let parts = text.into_iter().flat_map(Value::objects);
        parts.for_each(|part| each.again(slot, Again::Whole, part.get("text")));
    }
}

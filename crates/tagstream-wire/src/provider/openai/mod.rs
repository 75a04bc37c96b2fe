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

/// The fields in which servers write thinking as plain text; the first one that is given counts.
pub(crate) const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];
/// Lists of thoughts: `text` and `summary` (OpenRouter), `thinking` (LiteLLM).
pub(crate) const DETAILS: [&str; 2] = ["reasoning_details", "thinking_blocks"];
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
        let is_body = choices.is_some() && !self.has_streamed && is_body(root);
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
        !self.has_streamed && is_body(input.doc.root())
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
                self.end_other(delta, index, each);
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
        each.finish(index, choice.get("finish_reason"));
    }

    /// Content ends where a refusal begins, and the other way round.
    fn end_other<'f>(&mut self, delta: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
        let refuses = delta.given("refusal").is_some();
        let has_content = self.has_refused && delta.get("content").is_some_and(|c| !c.is_empty());
        self.has_refused |= refuses;
        if refuses || has_content {
            let block = if refuses { CONTENT } else { REFUSAL };
            let slot = Slot::new(choice, block);
            each.note(Delta::BlockEnd { slot });
        }
    }
}

/// Whether a frame is a whole answer, rather than a piece of one.
pub(super) fn is_body(root: Value<'_>) -> bool {
    let mut choices = root.get("choices").into_iter().flat_map(Value::list);
    let is_streamed = choices.clone().any(|choice| choice.get("delta").is_some());
    let is_whole = choices.any(|choice| choice.get("message").is_some());
    !is_streamed && (is_whole || root.says("object", "chat.completion"))
}

fn read_message<'f>(message: Value<'f>, choice: u64, joins: Joins, each: &mut Each<'_, 'f>) {
    // The texts of a message that does not stream are whole.
    let end = |block, each: &mut Each<'_, 'f>| {
        if joins == Joins::Nothing {
            let slot = Slot::new(choice, block);
            each.note(Delta::BlockEnd { slot });
        }
    };
    thinking(message, Slot::new(choice, CONTENT), each);
    content(message, choice, each);
    end(CONTENT, each);
    each.text(Slot::new(choice, REFUSAL), message.member("refusal"));
    end(REFUSAL, each);
    for at in message.get("tool_calls").into_iter().flat_map(Value::list) {
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
            if is_read {
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

/// A list of thoughts; whether it has any text.
fn details<'f>(
    field: Option<Value<'f>>,
    slot: Slot,
    is_read: bool,
    each: &mut Each<'_, 'f>,
) -> bool {
    let Some(list) = field.filter(|field| !field.is_empty()) else {
        return false;
    };
    let mut has_text = false;
    if !is_read {
        for detail in list.list() {
            let keys = ["text", "summary", "thinking"];
            let text = keys.iter().find_map(|key| detail.get(key));
            has_text |= each.reasoning(slot, text);
        }
    }
    each.trace(Some(list));
    has_text
}

/// A string, or, from Mistral and in some bodies, a list of parts.
fn content<'f>(message: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
    let slot = Slot::new(choice, CONTENT);
    let Some(content) = message.member("content") else {
        return;
    };
    if content.kind() != Kind::List {
        return each.text(slot, Some(content));
    }
    for part in content.list() {
        let thinking = part.get("thinking");
        match thinking.filter(|thinking| thinking.kind() == Kind::List) {
            Some(list) => list.list().for_each(|thought| {
                each.reasoning(slot, thought.get("text"));
            }),
            None => {
                each.reasoning(slot, thinking);
            }
        }
        each.text(slot, part.get("text").or_else(|| part.get("refusal")));
    }
}

/// A message beside its deltas: all that was streamed so far.
fn again<'f>(message: Option<Value<'f>>, choice: u64, each: &mut Each<'_, 'f>) {
    let Some(message) = message else { return };
    let fields = REASONING.iter().chain(&DETAILS).chain([&EXTRA]);
    fields.for_each(|key| each.trace(message.get(key)));
    for (key, block) in [("content", CONTENT), ("refusal", REFUSAL)] {
        each.again(Slot::new(choice, block), Again::Whole, message.member(key));
    }
}

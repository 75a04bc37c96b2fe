//! OpenAI Responses.

mod event;
mod items;
mod made;
mod message;
mod output;
mod write;

pub(crate) use write::Writer;

use super::{Input, Unknown, arguments, error, error_of, error_text};
use crate::delta::{Again, CallPiece, Delta, Each, Joins, Slot};
use crate::json::{self, Kind, Value};
use items::Items;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What must be known of the frames before.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    items: Items,
    /// The blocks of which something has come. What is whole comes again at their end.
    begun: BTreeSet<u64>,
    /// Anything has come before the end, which repeats it.
    has_streamed: bool,
    /// The place of the item that the last event belongs to.
    pub(super) place: u64,
}

/// No response has more blocks open; a stream that reports more is broken.
const MAX_OPEN_BLOCKS: usize = 1 << 12;
/// The summaries of a thought are counted apart from its text.
const SUMMARY: u64 = 1 << 31;

/// The block of a part of an item.
pub(super) fn slot(item: u64, part: u64) -> Slot {
    Slot::new(0, item << 32 | part & u64::from(u32::MAX))
}

/// What an event is that brings a piece of a block, or its end.
pub(super) struct PieceKind {
    pub(super) is_thought: bool,
    pub(super) is_summary: bool,
    pub(super) is_end: bool,
}

impl PieceKind {
    pub(super) fn of(kind: &str) -> Option<PieceKind> {
        let (block, moment) = kind.rsplit_once('.')?;
        let is_summary = block == "reasoning_summary_text";
        let is_thought = is_summary || matches!(block, "reasoning_text" | "reasoning");
        let is_text = matches!(block, "output_text" | "refusal");
        let is_end = moment == "done";
        let counts = (is_thought || is_text) && (is_end || moment == "delta");
        counts.then_some(PieceKind {
            is_thought,
            is_summary,
            is_end,
        })
    }
}

/// What a call item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallKind {
    Function,
    /// It gets any text, not JSON.
    Custom,
    /// A tool of the provider's own that the client runs; its arguments are under this key.
    Own(&'static str),
}

impl CallKind {
    fn of(item: Value<'_>) -> Option<CallKind> {
        match &*item.given("type")? {
            "function_call" => Some(CallKind::Function),
            "custom_tool_call" => Some(CallKind::Custom),
            "local_shell_call" | "shell_call" | "computer_call" => Some(CallKind::Own("action")),
            "apply_patch_call" => Some(CallKind::Own("operation")),
            _ => None,
        }
    }
}

/// Whether an item is a call that the client must run.
pub(super) fn is_call(item: Value<'_>) -> bool {
    CallKind::of(item).is_some()
}

/// The text of a part of an item.
pub(super) fn part_text(part: Value<'_>) -> Option<Value<'_>> {
    part.get("text").or_else(|| part.get("refusal"))
}

impl Reader {
    pub(super) fn read<'f>(
        &mut self,
        input: Input<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let root = input.doc.root();
        let kind = input.kind();
        let kind = kind.strip_prefix("response.").unwrap_or(&kind);
        let is_response = root.has("output") || root.says("object", "response");
        match kind {
            "" | "message" if is_response => self.response(root, each),
            "error" => each.note(Delta::Error {
                message: error_of(root).unwrap_or_else(|| error_text(root)),
            }),
            _ => {
                let read = match kind {
                    "" => Err(Unknown),
                    kind => self.event(kind, root, each),
                };
                // Some servers write the kind of an error as its type.
                return read.or_else(|Unknown| error(root, each).then_some(()).ok_or(Unknown));
            }
        }
        Ok(())
    }

    fn event<'f>(
        &mut self,
        kind: &str,
        event: Value<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let index = self.place_of(event);
        self.place = index;
        match (kind, event.get("item"), event.get("response")) {
            ("output_item.added", Some(item), _) => self.item_begins(index, item, each),
            ("output_item.done", Some(item), _) => self.item_ends(index, item, each),
            ("completed" | "incomplete" | "failed", _, Some(response)) => {
                self.response(response, each);
            }
            ("content_part.added", ..) => self.part_begins(index, event, each),
            ("content_part.done", ..) => self.part_ends(index, event, each),
            ("function_call_arguments.delta", ..) => {
                let delta = event.get("delta");
                self.arguments(index, delta, arguments(delta), each);
            }
            ("custom_tool_call_input.delta", ..) => {
                let text = event.given("delta").unwrap_or_default();
                let mut json = String::new();
                json::push_escaped(&text, &mut json);
                self.arguments(index, event.get("delta"), json.into(), each);
            }
            _ => return self.piece(kind, index, event, each),
        }
        Ok(())
    }

    /// The place of the item that an event belongs to.
    fn place_of(&mut self, event: Value<'_>) -> u64 {
        let item = event.get("item");
        let of_item = |key: &str| item.and_then(|item| item.given(key));
        let id = event.given("item_id").or_else(|| of_item("id"));
        let id = id.or_else(|| of_item("call_id"));
        match (event.number_at("output_index"), id) {
            (None, None) => 0,
            (index, id) => self.items.place(index, id.as_deref()),
        }
    }

    /// The next piece of a text or of a thought; or its end, which brings all of it once more.
    fn piece<'f>(
        &mut self,
        kind: &str,
        index: u64,
        event: Value<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let Some(piece) = PieceKind::of(kind) else {
            // Events of kinds that are not read, such as annotations and web searches.
            let is_known = event.has("sequence_number") || event.has("item_id");
            return if is_known || event.has("response") {
                Ok(())
            } else {
                Err(Unknown)
            };
        };
        let slot = slot(index, part_number(event, piece.is_summary));
        if piece.is_end {
            self.whole(slot, piece.is_thought, part_text(event), each);
            each.note(Delta::BlockEnd { slot });
        } else {
            self.show(slot, piece.is_thought, event.get("delta"), each);
        }
        Ok(())
    }

    /// A part that is announced, perhaps with the start of its text.
    fn part_begins<'f>(&mut self, index: u64, event: Value<'f>, each: &mut Each<'_, 'f>) {
        let Some(part) = event.get("part") else {
            return;
        };
        let slot = slot(index, part_number(event, false));
        if !self.begun.contains(&slot.block) {
            self.show(slot, is_thought_part(part), part_text(part), each);
        }
    }

    fn part_ends<'f>(&mut self, index: u64, event: Value<'f>, each: &mut Each<'_, 'f>) {
        let Some(part) = event.get("part") else {
            return;
        };
        let slot = slot(index, part_number(event, false));
        self.whole(slot, is_thought_part(part), part_text(part), each);
    }

    fn show<'f>(
        &mut self,
        slot: Slot,
        is_thought: bool,
        text: Option<Value<'f>>,
        each: &mut Each<'_, 'f>,
    ) {
        let is_given = text.is_some_and(|text| text.text().is_some_and(|text| !text.is_empty()));
        if !is_given {
            return;
        }
        self.begin(slot);
        if is_thought {
            each.reasoning(slot, text);
        } else {
            each.text(slot, text);
        }
    }

    /// All of a block's text: once more, or for the first time.
    fn whole<'f>(
        &mut self,
        slot: Slot,
        is_thought: bool,
        text: Option<Value<'f>>,
        each: &mut Each<'_, 'f>,
    ) {
        match (self.begun.contains(&slot.block), is_thought) {
            (false, _) => self.show(slot, is_thought, text, each),
            (true, true) => each.trace(text),
            (true, false) => each.again(slot, Again::Whole, text),
        }
    }

    fn begin(&mut self, slot: Slot) {
        self.has_streamed = true;
        if self.begun.len() < MAX_OPEN_BLOCKS {
            self.begun.insert(slot.block);
        }
    }

    fn arguments<'f>(
        &mut self,
        index: u64,
        at: Option<Value<'f>>,
        text: Cow<'f, str>,
        each: &mut Each<'_, 'f>,
    ) {
        let slot = slot(index, 0);
        self.begin(slot);
        let call = CallPiece::more(slot.block, text);
        if let Some(at) = at {
            each.give(at, Delta::Call { choice: 0, call });
        }
    }

    fn item_begins<'f>(&mut self, index: u64, item: Value<'f>, each: &mut Each<'_, 'f>) {
        if let Some(kind) = CallKind::of(item) {
            self.has_streamed = true;
            self.call(slot(index, 0), kind, item, false, each);
        }
    }

    /// A call whose arguments have come, in its start or in pieces, does not get them again.
    fn call<'f>(
        &mut self,
        slot: Slot,
        kind: CallKind,
        item: Value<'f>,
        is_whole: bool,
        each: &mut Each<'_, 'f>,
    ) {
        let is_new = !self.begun.contains(&slot.block);
        let text = match kind {
            CallKind::Custom => input(item, is_new, is_whole).into(),
            CallKind::Function if is_new => arguments(item.get("arguments")),
            // What the announcement has of it may not be all.
            CallKind::Own(key) if is_new && is_whole => arguments(item.get(key)),
            _ => "".into(),
        };
        if !text.is_empty() {
            self.begin(slot);
        }
        let own = || {
            let kind = item.given("type")?;
            Some(Cow::Owned(kind.strip_suffix("_call")?.to_owned()))
        };
        let is_own_tool = matches!(kind, CallKind::Own(_));
        let call = CallPiece {
            index: Some(slot.block),
            id: item.given("call_id"),
            name: if is_own_tool {
                own()
            } else {
                item.given("name")
            },
            arguments: text,
            joins: Joins::ByRule,
            is_own_tool,
        };
        each.give(item, Delta::Call { choice: 0, call });
    }

    fn item_ends<'f>(&mut self, index: u64, item: Value<'f>, each: &mut Each<'_, 'f>) {
        self.has_streamed = true;
        self.item(index, item, each);
        self.forget(index);
    }

    /// The blocks of an item are over. They are adjacent, so that no others are looked at.
    fn forget(&mut self, index: u64) {
        let first = slot(index, 0).block;
        let blocks = first..=first | u64::from(u32::MAX);
        while let Some(&block) = self.begun.range(blocks.clone()).next() {
            self.begun.remove(&block);
        }
    }

    /// All of an item.
    fn item<'f>(&mut self, index: u64, item: Value<'f>, each: &mut Each<'_, 'f>) {
        if let Some(kind) = CallKind::of(item) {
            let slot = slot(index, 0);
            self.call(slot, kind, item, true, each);
            return each.note(Delta::BlockEnd { slot });
        }
        let is_thought = is_thought(item);
        if is_thought {
            each.trace(item.get("encrypted_content"));
        }
        let list = |key: &str| item.get(key).into_iter().flat_map(Value::list);
        let content = list("content").count() as u64;
        let shift = self.shift(index, content);
        let parts = list("summary").zip(SUMMARY..);
        for (part, number) in parts.chain(list("content").zip(shift..)) {
            let slot = slot(index, number);
            let is_thought = is_thought || is_thought_part(part);
            self.whole(slot, is_thought, part_text(part), each);
            each.note(Delta::BlockEnd { slot });
        }
    }

    /// What `content_index` is more than the place in the content, where a server counts the parts
    /// of all items together.
    fn shift(&self, index: u64, content: u64) -> u64 {
        let first = slot(index, 0).block;
        let mut begun = self.begun.range(first..first | SUMMARY);
        let lowest = begun.next().map_or(0, |block| block - first);
        let highest = begun.next_back().map_or(lowest, |block| block - first);
        if highest >= content { lowest } else { 0 }
    }

    fn response<'f>(&mut self, response: Value<'f>, each: &mut Each<'_, 'f>) {
        if !self.has_streamed {
            let output = response.get("output").into_iter().flat_map(Value::list);
            for (item, index) in output.zip(0..) {
                self.item(index, item, each);
            }
        }
        if let Some(error) = response.get("error") {
            let message = error_text(error);
            each.note(Delta::Error { message });
        }
        let details = response.get("incomplete_details");
        let reason = details.and_then(|details| details.given("reason"));
        if let Some(reason) = reason.or_else(|| response.given("status")) {
            each.note(Delta::Finish { choice: 0, reason });
        }
        each.usage(response.get("usage"));
        each.note(Delta::End);
    }
}

/// The number of the part that an event belongs to.
fn part_number(event: Value<'_>, is_summary: bool) -> u64 {
    if is_summary {
        SUMMARY + (event.number_at("summary_index").unwrap_or(0) & (SUMMARY - 1))
    } else {
        event.number_at("content_index").unwrap_or(0) & (SUMMARY - 1)
    }
}

/// The next piece of a custom tool's arguments, which are an object with its input: the start, as
/// much of the input as is there, and the end.
fn input(item: Value<'_>, is_new: bool, is_whole: bool) -> String {
    let mut json = String::new();
    if is_new {
        json.push_str("{\"input\":\"");
        json::push_escaped(&item.given("input").unwrap_or_default(), &mut json);
    }
    if is_whole {
        json.push_str("\"}");
    }
    json
}

/// Whether a frame is a whole response, or brings all of it at the end of the stream.
pub(crate) fn has_output(input: Input<'_>) -> bool {
    let kind = input.kind();
    let root = input.doc.root();
    match kind.strip_prefix("response.").unwrap_or(&kind) {
        "" | "message" => root.has("output") || root.says("object", "response"),
        "completed" | "incomplete" | "failed" => root.get("response").is_some(),
        _ => false,
    }
}

/// Whether an item is a message. Some servers do not say what an item is.
pub(super) fn is_message(item: Value<'_>) -> bool {
    let has_content = item.get("content").is_some_and(|c| c.kind() == Kind::List);
    match item.word("type") {
        Some(kind) => kind == "message",
        None => has_content && !is_thought(item),
    }
}

/// Whether an item is a thought; if it does not say so, its parts do.
pub(super) fn is_thought(item: Value<'_>) -> bool {
    if let Some(kind) = item.word("type") {
        return kind == "reasoning";
    }
    let list = |key: &str| item.get(key).into_iter().flat_map(Value::list);
    list("summary").chain(list("content")).any(is_thought_part)
}

/// Whether a part of an item is of a thought.
pub(super) fn is_thought_part(part: Value<'_>) -> bool {
    part.says("type", "reasoning_text") || part.says("type", "summary_text")
}

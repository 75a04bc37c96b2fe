//! OpenAI Responses.

use super::delta::{CallPiece, Delta, Each, Joins, Slot};
use super::items::Items;
use super::number::{number, number_or_0};
use super::tell;
use super::text::{Text, arguments, list};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(default, deserialize_with = "number")]
    output_index: Option<u64>,
    #[serde(borrow)]
    item_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "number_or_0")]
    content_index: u64,
    #[serde(default, deserialize_with = "number_or_0")]
    summary_index: u64,
    #[serde(borrow, default)]
    delta: Text<'a>,
    /// All of a text, or of a refusal, once more at its end.
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    refusal: Option<Text<'a>>,
    #[serde(borrow)]
    item: Option<Item<'a>>,
    #[serde(borrow)]
    response: Option<Response<'a>>,
    #[serde(borrow, default)]
    message: Text<'a>,
}

/// A whole answer: the body where it does not stream, and once more at the end where it does.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default, deserialize_with = "list")]
    output: Vec<Item<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    incomplete_details: Option<Details<'a>>,
}

#[derive(Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    call_id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    /// What a custom tool gets: any text.
    #[serde(borrow)]
    input: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    content: Vec<Part<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    summary: Vec<Part<'a>>,
}

impl Item<'_> {
    fn is_call(&self) -> bool {
        self.is_custom() || self.kind.0 == "function_call"
    }

    fn is_custom(&self) -> bool {
        self.kind.0 == "custom_tool_call"
    }
}

/// The next piece of a custom tool's arguments, which are an object with its input: the start, as
/// much of the input as is there, and the end.
fn input(item: &Item<'_>, is_new: bool, is_whole: bool) -> String {
    let mut json = String::new();
    if is_new {
        json.push_str("{\"input\":\"");
        let given = item.input.as_ref().map_or("", |input| &input.0);
        json.push_str(&escaped(given));
    }
    if is_whole {
        json.push_str("\"}");
    }
    json
}

/// A piece of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    refusal: Option<Text<'a>>,
}

/// What must be known of the frames before.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    items: Items,
    /// The blocks of which something has come. What is whole comes again at their end.
    begun: BTreeSet<u64>,
    /// Anything has come before the end, which repeats it.
    streamed: bool,
}

/// No response has more blocks open; a stream that says so is broken.
const MOST_BEGUN: usize = 1 << 12;
/// The summaries of a thought are counted apart from its text.
const SUMMARY: u64 = 1 << 31;

/// The block of a part of an item.
fn slot(item: u64, part: u64) -> Slot {
    let block = item << 32 | part;
    Slot { choice: 0, block }
}

/// What an event is that brings a piece of a block, or its end.
struct Piece {
    is_thought: bool,
    is_summary: bool,
    is_end: bool,
}

impl Piece {
    fn of(kind: &str) -> Option<Piece> {
        let (block, moment) = kind.rsplit_once('.')?;
        let is_summary = block == "reasoning_summary_text";
        let is_thought = is_summary || block == "reasoning_text";
        let is_text = matches!(block, "output_text" | "refusal");
        let is_end = moment == "done";
        let counts = (is_thought || is_text) && (is_end || moment == "delta");
        counts.then_some(Piece {
            is_thought,
            is_summary,
            is_end,
        })
    }
}

impl Responses {
    /// What a frame adds.
    pub(crate) fn read<'a>(
        &mut self,
        data: &'a str,
        each: Each<'_, 'a>,
    ) -> Result<(), serde_json::Error> {
        let event: Event<'a> = serde_json::from_str(data)?;
        if event.kind.0.is_empty() {
            let response: Response<'a> = serde_json::from_str(data)?;
            self.response(response, each);
        } else {
            self.event(event, each);
        }
        Ok(())
    }

    fn event<'a>(&mut self, event: Event<'a>, each: Each<'_, 'a>) {
        let index = self.place(&event);
        let kind = event
            .kind
            .0
            .strip_prefix("response.")
            .unwrap_or(&event.kind.0);
        match (kind, event.item, event.response) {
            ("output_item.added", Some(item), _) => self.item_begins(index, item, each),
            ("output_item.done", Some(item), _) => self.item_ends(index, item, each),
            ("completed" | "incomplete" | "failed", _, Some(response)) => {
                self.response(response, each);
            }
            ("function_call_arguments.delta", ..) => {
                self.arguments(slot(index, 0), event.delta.0, each);
            }
            ("custom_tool_call_input.delta", ..) => {
                self.arguments(slot(index, 0), escaped(&event.delta.0).into(), each);
            }
            ("error", ..) => each(Delta::Error {
                message: event.message.0,
            }),
            _ => {
                let Some(piece) = Piece::of(kind) else { return };
                let part = match piece.is_summary {
                    true => SUMMARY.wrapping_add(event.summary_index),
                    false => event.content_index,
                };
                let whole = event.text.or(event.refusal);
                self.piece(&piece, slot(index, part), event.delta, whole, each);
            }
        }
    }

    /// The place of the item that an event belongs to.
    fn place(&mut self, event: &Event<'_>) -> u64 {
        let item = event.item.as_ref();
        let ids = [
            event.item_id.as_ref(),
            item.and_then(|item| item.id.as_ref()),
            item.and_then(|item| item.call_id.as_ref()),
        ];
        let id = ids.into_iter().flatten().find(|id| !id.0.is_empty());
        match (event.output_index, id) {
            (None, None) => 0,
            (index, id) => self.items.place(index, id.map(|id| &*id.0)),
        }
    }

    /// The next piece of a text or of a thought; or its end, which brings all of it once more.
    fn piece<'a>(
        &mut self,
        piece: &Piece,
        slot: Slot,
        delta: Text<'a>,
        whole: Option<Text<'a>>,
        each: Each<'_, 'a>,
    ) {
        let text = match piece.is_end {
            true => self.rest(slot, whole),
            false => Some(delta),
        };
        self.show(slot, piece.is_thought, text, each);
        if piece.is_end {
            each(Delta::BlockEnd { slot });
        }
    }

    fn show<'a>(
        &mut self,
        slot: Slot,
        is_thought: bool,
        text: Option<Text<'a>>,
        each: Each<'_, 'a>,
    ) {
        let Some(text) = Text::given(text) else {
            return;
        };
        self.begin(slot);
        each(match is_thought {
            true => Delta::Reasoning { slot, text },
            false => Delta::Text { slot, text },
        });
    }

    fn begin(&mut self, slot: Slot) {
        self.streamed = true;
        if self.begun.len() < MOST_BEGUN {
            self.begun.insert(slot.block);
        }
    }

    /// The text of a block that ends, if it has not come yet.
    fn rest<'a>(&self, slot: Slot, whole: Option<Text<'a>>) -> Option<Text<'a>> {
        whole.filter(|_| !self.begun.contains(&slot.block))
    }

    fn arguments<'a>(&mut self, slot: Slot, text: Cow<'a, str>, each: Each<'_, 'a>) {
        self.begin(slot);
        let call = CallPiece::more(slot.block, text);
        each(Delta::Call { choice: 0, call });
    }

    fn item_begins<'a>(&mut self, index: u64, item: Item<'a>, each: Each<'_, 'a>) {
        if item.is_call() {
            self.streamed = true;
            self.call(slot(index, 0), item, false, each);
        }
    }

    /// A call whose arguments have come, in its start or in pieces, does not get them again.
    fn call<'a>(&mut self, slot: Slot, item: Item<'a>, is_whole: bool, each: Each<'_, 'a>) {
        let is_new = !self.begun.contains(&slot.block);
        let text = match item.is_custom() {
            true => input(&item, is_new, is_whole).into(),
            false if is_new => arguments(item.arguments),
            false => "".into(),
        };
        if !text.is_empty() {
            self.begin(slot);
        }
        let call = CallPiece {
            index: Some(slot.block),
            id: Text::given(item.call_id),
            name: Text::given(item.name),
            arguments: text,
            joins: Joins::ByRule,
        };
        each(Delta::Call { choice: 0, call });
    }

    fn item_ends<'a>(&mut self, index: u64, item: Item<'a>, each: Each<'_, 'a>) {
        self.streamed = true;
        self.whole(index, item, each);
        self.forget(index);
    }

    /// The blocks of an item are over. They stand together, so that no others are looked at.
    fn forget(&mut self, index: u64) {
        let first = slot(index, 0).block;
        let blocks = first..=first | u64::from(u32::MAX);
        while let Some(&block) = self.begun.range(blocks.clone()).next() {
            self.begun.remove(&block);
        }
    }

    /// What of an item has not come yet.
    fn whole<'a>(&mut self, index: u64, item: Item<'a>, each: Each<'_, 'a>) {
        if item.is_call() {
            let slot = slot(index, 0);
            self.call(slot, item, true, each);
            return each(Delta::BlockEnd { slot });
        }
        let thinks = item.kind.0 == "reasoning";
        let summaries = item.summary.into_iter().zip(SUMMARY..);
        for (part, number) in summaries.chain(item.content.into_iter().zip(0..)) {
            let slot = slot(index, number);
            let whole = self.rest(slot, part.text.or(part.refusal));
            self.show(slot, thinks, whole, each);
            each(Delta::BlockEnd { slot });
        }
    }

    fn response<'a>(&mut self, response: Response<'a>, each: Each<'_, 'a>) {
        if !self.streamed {
            for (item, index) in response.output.into_iter().zip(0..) {
                self.whole(index, item, each);
            }
        }
        tell::error(response.error, each);
        let details = response.incomplete_details.and_then(|d| d.reason);
        if let Some(reason) = Text::given(details).or(Text::given(Some(response.status))) {
            each(Delta::Finish { choice: 0, reason });
        }
        tell::usage(response.usage, each);
        each(Delta::End);
    }
}

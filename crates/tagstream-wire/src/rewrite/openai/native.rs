//! Native calls of an OpenAI stream: passed on, numbered so that there is room for those found in
//! text, and written as clients expect them.

use crate::decode::text::Text;
use crate::rewrite::object::{Object, list, list_of, string};
use crate::session::identity::{self, Hint, Identity};
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// How many calls are remembered, and how many bytes of their ids. Earlier ones have ended.
const MOST_CALLS: usize = 1024;
const MOST_BYTES: usize = 1 << 18;

/// The calls of a choice.
#[derive(Debug, Default)]
pub(super) struct Native {
    /// Those that may go on.
    calls: VecDeque<NativeCall>,
    /// The bytes of their ids.
    size: usize,
    /// How many there were.
    count: u64,
    /// The number of the next call, found or native.
    next: u64,
}

#[derive(Debug, Default)]
struct NativeCall {
    identity: Identity,
    /// Its number here.
    number: u64,
    is_named: bool,
}

impl Native {
    /// The number of the next call.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// How many native calls there have been.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The list of a delta; `None` if it can stay.
    pub(super) fn deltas(&mut self, json: &str, id: impl Fn(u64) -> String) -> Option<String> {
        let mut is_changed = false;
        let mut pieces = Vec::new();
        for piece in list(Some(json)) {
            match Object::parse(piece) {
                Some(mut object) => {
                    is_changed |= self.delta(&mut object, &id);
                    pieces.push(object.json());
                }
                None => pieces.push(piece.to_owned()),
            }
        }
        is_changed.then(|| list_of(&pieces))
    }

    /// Whether a piece had to be changed.
    fn delta(&mut self, piece: &mut Object<'_>, id: &impl Fn(u64) -> String) -> bool {
        let function = piece.given("function").and_then(Object::parse);
        let mut function = function.unwrap_or_default();
        let is_string = straighten(&mut function);
        let known = self.find(piece, &function);
        let is_new = known.is_none();
        let at = known.unwrap_or_else(|| self.begin(piece));
        let call = &mut self.calls[at];
        if let (None, Some(id)) = (&call.identity.id, piece.text("id")) {
            self.size += id.len();
            call.identity.id = Some(id.into_owned());
        }
        let mut is_changed = piece.number("index") != Some(call.number) || !is_string;
        piece.set_first("index", call.number.to_string());
        is_changed |= if is_new {
            call.complete(piece, id)
        } else {
            piece.text("id").is_some() && piece.remove("id")
        };
        is_changed |= call.name_once(&mut function);
        call.arguments(&function);
        if is_changed {
            piece.set("function", function.json());
        }
        is_changed
    }

    /// The call a piece belongs to.
    fn find(&self, piece: &Object<'_>, function: &Object<'_>) -> Option<usize> {
        let id = piece.text("id");
        let hint = Hint {
            index: piece.number("index"),
            id: id.as_deref(),
            is_named: function.text("name").is_some(),
        };
        identity::find(self.calls.iter().map(|call| &call.identity), hint)
    }

    fn begin(&mut self, piece: &Object<'_>) -> usize {
        self.make_room();
        let mut call = NativeCall {
            number: self.number(),
            ..NativeCall::default()
        };
        call.identity.index = piece.number("index");
        self.count += 1;
        self.calls.push_back(call);
        self.calls.len() - 1
    }

    /// The calls that came first are over, if there are too many.
    fn make_room(&mut self) {
        while self.calls.len() >= MOST_CALLS || self.size > MOST_BYTES {
            let Some(first) = self.calls.pop_front() else {
                return;
            };
            self.size -= first.identity.id.map_or(0, |id| id.len());
        }
    }
}

impl NativeCall {
    /// The first piece has an id and a type.
    fn complete(&self, piece: &mut Object<'_>, id: &impl Fn(u64) -> String) -> bool {
        let (no_id, no_type) = (piece.text("id").is_none(), piece.get("type").is_none());
        if no_id {
            piece.set_text("id", &id(self.number));
        }
        if no_type {
            piece.set_text("type", "function");
        }
        no_id || no_type
    }

    /// Clients join names as they join arguments.
    fn name_once(&mut self, function: &mut Object<'_>) -> bool {
        let has_name = function.text("name").is_some();
        if has_name && self.is_named {
            return function.remove("name");
        }
        self.is_named |= has_name;
        false
    }

    fn arguments(&mut self, function: &Object<'_>) {
        let text = function.get("arguments").and_then(|json| {
            let text: Option<Text<'_>> = serde_json::from_str(json).ok();
            text
        });
        if let Some(Text(text)) = text {
            self.identity.read(&text);
        }
    }
}

/// Arguments are a string that holds JSON; whether they were.
pub(super) fn straighten(function: &mut Object<'_>) -> bool {
    let Some(given) = function.given("arguments") else {
        return true;
    };
    if given.starts_with('"') {
        return true;
    }
    let raw: Result<&RawValue, _> = serde_json::from_str(given);
    function.set("arguments", string(raw.map_or(given, RawValue::get)));
    false
}

//! Calls that an OpenAI stream tells apart by itself: passed on, numbered so that there is room
//! for those found in text, and written as clients want them.

use crate::body::Nesting;
use crate::rewrite::object::{Object, list, list_of, string};
use crate::text::Text;
use serde_json::value::RawValue;

/// The calls of a choice.
#[derive(Debug, Default)]
pub(super) struct Native {
    calls: Vec<NativeCall>,
    /// The number of the next call, found or native.
    next: u64,
}

#[derive(Debug, Default)]
struct NativeCall {
    /// The provider's number and id for it.
    index: Option<u64>,
    id: Option<String>,
    /// Its number here.
    number: u64,
    is_named: bool,
    nesting: Nesting,
    /// Its arguments are whole, as far as brackets tell.
    is_closed: bool,
}

impl Native {
    /// The number of the next call.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// How many calls the provider has told apart.
    pub(super) fn count(&self) -> u64 {
        self.calls.len() as u64
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

    /// The call a piece belongs to, by the same rules as everywhere: see `calls.rs`.
    fn find(&self, piece: &Object<'_>, function: &Object<'_>) -> Option<usize> {
        let (index, id) = (piece.number("index"), piece.text("id"));
        let last = |is: &dyn Fn(&NativeCall) -> bool| self.calls.iter().rposition(is);
        let at = match (index, &id) {
            (Some(_), _) => last(&|call| call.index == index),
            (None, Some(id)) => last(&|call| call.id.as_deref() == Some(id)),
            (None, None) => self.calls.len().checked_sub(1),
        };
        at.filter(|at| {
            let call = &self.calls[*at];
            match (&call.id, &id) {
                (Some(old), Some(new)) => old == new,
                (None, None) => !(function.text("name").is_some() && call.is_closed),
                _ => true,
            }
        })
    }

    fn begin(&mut self, piece: &Object<'_>) -> usize {
        let number = self.number();
        self.calls.push(NativeCall {
            index: piece.number("index"),
            id: piece.text("id").map(std::borrow::Cow::into_owned),
            number,
            ..NativeCall::default()
        });
        self.calls.len() - 1
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
        if let Some(Text(text)) = text.filter(|text| !text.0.is_empty()) {
            let closes = self.nesting.closes(text.as_bytes());
            self.is_closed = closes || (self.is_closed && text.trim_ascii().is_empty());
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

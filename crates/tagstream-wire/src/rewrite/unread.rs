//! Thinking that no reader reads, such as a field of another provider, a copy at an odd place, or a
//! frame without its type. Where thinking is hidden, clients must not find it there either.
//!
//! Texts of this kind are cleaned one by one, and thoughts become empty strings. Nothing is added or
//! removed, so that what was noted of the frame's values stays true.

use super::Options;
use super::change::{Change, ChangeKind, Changes, whole_text};
use super::pieces::{Sorter, text_of};
use crate::delta::Slot;
use crate::format::Format;
use crate::json::{Kind, NodeId, Patch, Value, string};
use crate::message::{Course, Messages};
use crate::provider::{Input, openai, responses};

/// What is not the answer's own text: the arguments of calls, and what the request brought along.
const OTHERS: [&str; 8] = [
    "action",
    "args",
    "arguments",
    "input",
    "metadata",
    "operation",
    "partialArgs",
    "tools",
];

/// Strings that clients show.
const TEXTS: [&str; 6] = [
    "content",
    "output_text",
    "refusal",
    "response",
    "text",
    "transcript",
];

/// The same in events, which say by their type what they are.
const OF_EVENTS: [&str; 2] = ["delta", "summary"];

/// Lists of objects. A list in one of them has no meaning in any format.
const LISTS: [&str; 7] = [
    "candidates",
    "choices",
    "content",
    "content_list",
    "output",
    "parts",
    "summary",
];

/// What a thought has beside its text.
const LABELS: [&str; 5] = ["format", "id", "role", "status", "type"];

/// A frame in which thinking was hidden that nobody has read.
pub(super) struct Unread {
    pub(super) json: String,
    /// Texts were removed whole, since nobody knows what they are.
    pub(super) has_lost_text: bool,
}

/// What a frame becomes; `None` if it has nothing of the kind.
pub(super) fn hide(
    input: Input<'_>,
    format: Format,
    changes: &Changes,
    messages: &Messages,
    options: &Options,
    sorter: &Sorter,
) -> Option<Unread> {
    // An item or a block may be a call, and have more in it.
    let is_call = |change: &&Change| matches!(change.kind, ChangeKind::Call { .. });
    let read = changes.list.iter().filter(|change| !is_call(change));
    let mut read: Vec<NodeId> = read.filter_map(|change| change.at).collect();
    read.sort_unstable();
    let clean = |text: &str| cleaned(text, messages, options, sorter);
    let mut sweep = Sweep {
        format,
        read,
        clean: &clean,
        is_read_later: format == Format::Responses && responses::has_output(input),
        has_lost_text: false,
        patch: Patch::default(),
    };
    let root = input.doc.root();
    let has_types = matches!(format, Format::Anthropic | Format::Responses);
    if has_types && input.kind().is_empty() && changes.list.is_empty() {
        sweep.lose(root);
    } else {
        sweep.look_into(root);
    }
    let has_lost_text = sweep.has_lost_text;
    (!sweep.patch.is_empty()).then(|| Unread {
        json: sweep.patch.json(input.doc),
        has_lost_text,
    })
}

/// A text on its own, in the middle of a message, without its thoughts.
fn cleaned(text: &str, messages: &Messages, options: &Options, sorter: &Sorter) -> String {
    let slot = Slot::default();
    let mut course = Course::default();
    course.begins();
    // Calls stay: nothing in such a text becomes a call.
    let mut verbatim = sorter.again();
    verbatim.without_calls = Some(slot.block);
    text_of(&whole_text(text, course, 0, slot, messages, options, &verbatim).pieces)
}

struct Sweep<'s> {
    format: Format,
    /// The values that were read, in their order.
    read: Vec<NodeId>,
    clean: &'s dyn Fn(&str) -> String,
    /// The frame is a whole response, whose items are read where they are written.
    is_read_later: bool,
    has_lost_text: bool,
    patch: Patch,
}

impl Sweep<'_> {
    fn look_into(&mut self, value: Value<'_>) {
        let has_objects = LISTS.contains(&&*value.key()) && value.kind() == Kind::List;
        for item in value.items() {
            let key = item.key();
            if OTHERS.contains(&&*key) || self.is_read(item) {
                continue;
            }
            match item.kind() {
                _ if self.is_named_thought(&key) => self.empty(item),
                Kind::List if has_objects => self.lose(item),
                Kind::Object if is_thought(item) => {
                    if !self.is_read_later {
                        self.empty(item);
                    }
                }
                Kind::String if has_objects || TEXTS.contains(&&*key) => self.clean(item),
                _ => self.look_into(item),
            }
        }
    }

    fn is_read(&self, value: Value<'_>) -> bool {
        self.read.binary_search(&value.id).is_ok()
    }

    fn is_named_thought(&self, key: &str) -> bool {
        // There it is how much the request asks for.
        let is_setting = self.format == Format::Responses && key == "reasoning";
        let mut names = openai::REASONING.iter().chain(&openai::DETAILS);
        key == "thinking" || (!is_setting && names.any(|name| *name == key))
    }

    fn clean(&mut self, text: Value<'_>) {
        let Some(given) = text.text().filter(|_| !self.is_read_later) else {
            return;
        };
        let left = (self.clean)(&given);
        if left != given {
            self.patch.replace(text, string(&left));
        }
    }

    /// Empties the strings of a thought.
    fn empty(&mut self, value: Value<'_>) {
        self.empty_strings(value, &|key| !LABELS.contains(&key));
    }

    /// Empties texts that may be thoughts, or pieces of them.
    fn lose(&mut self, value: Value<'_>) {
        let before = self.patch.len();
        let names = openai::REASONING.iter().chain(&openai::DETAILS);
        let mut texts: Vec<&str> = names.copied().collect();
        texts.extend(TEXTS.iter().chain(&OF_EVENTS).chain(&["", "thinking"]));
        self.empty_strings(value, &|key| texts.contains(&key));
        self.has_lost_text |= self.patch.len() > before;
    }

    fn empty_strings(&mut self, value: Value<'_>, is_text: &dyn Fn(&str) -> bool) {
        if self.is_read(value) {
            return;
        }
        if value.kind() == Kind::String && !value.is_empty() && is_text(&value.key()) {
            self.patch.replace(value, "\"\"");
        }
        value
            .items()
            .for_each(|item| self.empty_strings(item, is_text));
    }
}

/// Whether an object says that it is a thought, or a piece of one.
fn is_thought(object: Value<'_>) -> bool {
    let names = [
        "thinking",
        "redacted_thinking",
        "reasoning",
        "reasoning_text",
        "summary_text",
    ];
    let kind = object.word("type").unwrap_or_default();
    names.contains(&&*kind) || kind.starts_with("reasoning.") || object.is_true("thought")
}

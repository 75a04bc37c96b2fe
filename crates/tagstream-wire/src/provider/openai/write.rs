//! Writes Chat Completions and the older completions.

use super::{CONTENT, DETAILS, EXTRA, LEGACY, REASONING, REFUSAL, is_body, native, side};
use crate::json::{Kind, NodeId, Patch, Value, list_of, string};
use crate::message::Course;
use crate::provider::{Input, ids};
use crate::rewrite::{
    Call, Change, ChangeKind, Changes, Cx, Piece, Pieces, Thinking, Write, joined, of_choice,
    text_of,
};
use std::borrow::Cow;
use tagstream_core::NoticeCode;

/// What all chunks of an answer have alike.
const HEAD: [&str; 7] = [
    "id",
    "object",
    "created",
    "model",
    "system_fingerprint",
    "service_tier",
    "provider",
];

/// What is put where a server leaves it out.
const DEFAULTS: [(&str, &str); 4] = [
    ("id", "\"chatcmpl-0\""),
    ("object", CHUNK),
    ("created", "0"),
    ("model", "\"\""),
];
const CHUNK: &str = "\"chat.completion.chunk\"";

/// The field for thinking where the provider has none.
const FIELD: &str = "reasoning_content";

/// No request asks for more choices.
const MAX_CHOICES: usize = 1024;

/// The fields of a choice with text, and the keys they have.
const FIELDS: [(u64, &str); 3] = [(CONTENT, "content"), (REFUSAL, "refusal"), (LEGACY, "text")];

/// Writes the frames of one stream.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// What its first chunk says of the answer: the members that every chunk has, as JSON.
    head: Option<Head>,
    suffix: String,
    choices: Vec<Choice>,
    /// The provider's own field for thinking.
    field: Option<&'static str>,
    has_lost_thinking: bool,
}

#[derive(Clone, Debug, Default)]
struct Head(Vec<(&'static str, String)>);

impl Head {
    fn of(root: Value<'_>) -> Self {
        let members = HEAD.iter().filter_map(|key| {
            let json = root.get(key)?.raw();
            // A frame that ends the stream is of another kind than those before it.
            let json = if json.ends_with(".done\"") {
                CHUNK
            } else {
                json
            };
            Some((*key, json.to_owned()))
        });
        Head(members.collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        let member = self.0.iter().find(|(known, _)| *known == key);
        member.map(|(_, json)| json.as_str())
    }

    /// A chunk with one choice.
    fn chunk(&self, index: u64, inner: &str) -> String {
        let mut json = String::from("{");
        for (key, value) in &self.0 {
            json.push_str(&format!("\"{key}\":{value},"));
        }
        json.push_str(&format!(
            "\"choices\":[{{\"index\":{index},{inner},\"finish_reason\":null}}]}}"
        ));
        json
    }
}

/// A choice, as far as it has come.
#[derive(Debug, Default)]
struct Choice {
    index: u64,
    has_role: bool,
    has_finish: bool,
    has_found: bool,
    is_legacy: bool,
    /// The number of the call that is being sent while it arrives.
    sending: Option<u64>,
}

/// What goes into one field of a frame.
struct Field {
    block: u64,
    key: &'static str,
    pieces: Pieces,
    /// The frame has text in it; where, as long as that stays as it is.
    is_given: bool,
    same: Option<NodeId>,
    is_changed: bool,
}

impl Field {
    fn new(block: u64) -> Self {
        Field {
            block,
            key: key_of(block),
            pieces: Pieces::new(),
            is_given: false,
            same: None,
            is_changed: false,
        }
    }
}

/// What a choice of a chunk becomes.
#[derive(Default)]
struct Edit {
    /// The members of deltas that go before it.
    before: Vec<String>,
    /// Nothing is left in it.
    is_void: bool,
}

impl Write for Writer {
    fn json(&mut self, input: Input<'_>, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        let is_error = has(&changes, |kind| matches!(kind, ChangeKind::Error));
        let says = |key: &str| root.has(key);
        if !is_error && input.event.is_some() && !["choices", "usage"].iter().any(|key| says(key)) {
            // Most clients take every event for a chunk.
            return cx.out.comment(input.event.unwrap_or("ping"));
        }
        if is_error || !(says("choices") || root.get("usage").is_some()) {
            self.flush(&mut changes, cx);
            return pass(input, cx);
        }
        let mut patch = Patch::default();
        let is_void = if self.head.is_none() && is_body(root) {
            self.body(root, &mut changes, &mut patch, cx)
        } else {
            self.chunk(input, &mut changes, &mut patch, cx)
        };
        if patch.is_empty() {
            return pass(input, cx);
        }
        if is_void {
            return;
        }
        patch.drop_shadowed(input.doc);
        patch.drop_member(root, "obfuscation");
        cx.out.patched(input.doc, patch, None);
    }

    fn done(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        cx.out.same();
    }

    fn finish(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
    }
}

fn has(changes: &Changes, is_it: impl Fn(&ChangeKind) -> bool) -> bool {
    changes.list.iter().any(|change| is_it(&change.kind))
}

/// Writes a frame as it came, or at least its data.
fn pass(input: Input<'_>, cx: &mut Cx<'_, '_>) {
    if cx.is_replaced || cx.has_id {
        cx.out.edited(input.doc.text);
    } else {
        cx.out.same();
    }
}

impl Writer {
    /// Writes what came out of texts that are over, in chunks of their own.
    fn flush(&mut self, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        let head = self.head.clone().unwrap_or_default();
        for change in &mut changes.list {
            let ChangeKind::Flushed { slot, pieces } = &mut change.kind else {
                continue;
            };
            let key = key_of(slot.block);
            let pieces = std::mem::take(pieces);
            let index = slot.choice;
            let Some(at) = self.choice(index) else {
                continue;
            };
            let mut deltas = self.deltas(at, key, pieces, cx);
            self.role_first(at, &mut deltas);
            self.write_before(&head, at, &deltas, cx);
        }
    }

    fn choice(&mut self, index: u64) -> Option<usize> {
        let known = self.choices.iter().position(|choice| choice.index == index);
        if known.is_none() && self.choices.len() >= MAX_CHOICES {
            return None;
        }
        Some(known.unwrap_or_else(|| {
            self.choices.push(Choice {
                index,
                ..Choice::default()
            });
            self.choices.len() - 1
        }))
    }

    /// The field for thinking.
    fn field(&self, cx: &Cx<'_, '_>) -> Cow<'static, str> {
        match &cx.options.reasoning_field {
            Some(named) => Cow::Owned(named.clone()),
            None => Cow::Borrowed(self.field.unwrap_or(FIELD)),
        }
    }

    /// The members of a delta for each piece: clients disagree on the order of what is in one.
    fn deltas(&mut self, at: usize, key: &str, pieces: Pieces, cx: &mut Cx<'_, '_>) -> Vec<String> {
        let mut deltas = Vec::new();
        for piece in pieces {
            deltas.extend(match piece {
                Piece::Text(text) => Some(format!("\"{key}\":{}", string(&text))),
                Piece::Thought(_) if key == "text" => {
                    self.lose_thinking(cx);
                    None
                }
                Piece::Thought(text) => {
                    let field = string(&self.field(cx));
                    Some(format!("{field}:{}", string(&text)))
                }
                Piece::Call(call) => {
                    self.choices[at].has_found = true;
                    Some(self.call(at, &call, cx))
                }
                Piece::CallStart(name) => {
                    let number = self.number(at, cx);
                    self.choices[at].sending = Some(number);
                    let call = Call {
                        name,
                        ..Call::default()
                    };
                    Some(self.call_with(at, number, &call))
                }
                Piece::CallDelta(text) => self.choices[at].sending.map(|number| {
                    let text = string(&text);
                    format!(
                        "\"tool_calls\":[{{\"index\":{number},\"function\":{{\"arguments\":{text}}}}}]"
                    )
                }),
                Piece::CallEnd => {
                    self.choices[at].has_found = true;
                    self.choices[at].sending = None;
                    None
                }
                Piece::CallFailed { code, message } => {
                    self.choices[at].sending = None;
                    let (code, message) = (string(code), string(&message));
                    Some(format!(
                        "\"error\":{{\"message\":{message},\"type\":\"invalid_tool_call\",\"code\":{code}}}"
                    ))
                }
            });
        }
        deltas
    }

    fn lose_thinking(&mut self, cx: &mut Cx<'_, '_>) {
        if !std::mem::replace(&mut self.has_lost_thinking, true) {
            let message = "completions have no field for thinking: it was dropped";
            cx.notice(NoticeCode::Dropped, message);
        }
    }

    fn number(&mut self, at: usize, cx: &mut Cx<'_, '_>) -> u64 {
        cx.messages.next_written(self.choices[at].index)
    }

    /// The list with a whole call.
    fn call(&mut self, at: usize, call: &Call, cx: &mut Cx<'_, '_>) -> String {
        let number = self.number(at, cx);
        self.call_with(at, number, call)
    }

    fn call_with(&self, at: usize, number: u64, call: &Call) -> String {
        let call = tool_call(&self.id(at, number), call);
        format!("\"tool_calls\":[{{\"index\":{number},{}]", &call[1..])
    }

    fn id(&self, at: usize, number: u64) -> String {
        ids::call("call", &self.suffix, self.choices[at].index, number)
    }

    /// A role comes once, and always first.
    fn role_first(&mut self, at: usize, deltas: &mut [String]) {
        let choice = &mut self.choices[at];
        if let Some(first) = deltas.first_mut().filter(|_| !choice.has_role)
            && !choice.is_legacy
        {
            first.insert_str(0, "\"role\":\"assistant\",");
            choice.has_role = true;
        }
    }

    /// Writes deltas, each in a chunk of its own.
    fn write_before(&self, head: &Head, at: usize, deltas: &[String], cx: &mut Cx<'_, '_>) {
        let choice = &self.choices[at];
        for members in deltas {
            if members.starts_with("\"error\":") {
                cx.out.new_frame(&format!("{{{members}}}"));
                continue;
            }
            let inner = match choice.is_legacy {
                true => members.clone(),
                false => format!("\"delta\":{{{members}}}"),
            };
            cx.out.new_frame(&head.chunk(choice.index, &inner));
        }
    }

    /// Edits a chunk; whether nothing is left in it.
    fn chunk(
        &mut self,
        input: Input<'_>,
        changes: &mut Changes,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) -> bool {
        let root = input.doc.root();
        let choices = root.get("choices").filter(|list| list.kind() == Kind::List);
        let has_choices = choices.is_some_and(|choices| !choices.is_empty());
        self.complete(root, has_choices, patch);
        let mut is_void = has_choices;
        let mut head = None;
        for (choice, place) in choices.into_iter().flat_map(Value::list).zip(0..) {
            let index = choice.number_at("index").unwrap_or(place);
            let Some(at) = self.choice(index).filter(|_| choice.is_object()) else {
                is_void = false;
                continue;
            };
            let edit = self.edit(choice, at, changes, patch, cx);
            is_void &= edit.is_void;
            if !edit.before.is_empty() {
                let head = head.get_or_insert_with(|| self.head_of(root));
                self.write_before(head, at, &edit.before, cx);
            }
        }
        let says_more = |member: Value<'_>| {
            let key = member.key();
            let is_head = HEAD.contains(&&*key) || key == "choices" || key == "obfuscation";
            member.kind() != Kind::Null && !is_head
        };
        is_void && !root.items().any(says_more)
    }

    /// What a chunk says of the answer, with what it leaves out.
    fn head_of(&self, root: Value<'_>) -> Head {
        let mut head = Head::of(root);
        for (key, default) in DEFAULTS.iter().rev() {
            if head.get(key).is_none() {
                let known = self.head.as_ref().and_then(|head| head.get(key));
                head.0.insert(0, (key, known.unwrap_or(default).to_owned()));
            }
        }
        head
    }

    /// Sets what every chunk must have.
    fn complete(&mut self, root: Value<'_>, has_choices: bool, patch: &mut Patch) {
        let is_legacy = root.get("choices").into_iter().flat_map(Value::list);
        let is_legacy = is_legacy.clone().any(|choice| is_legacy_choice(choice));
        for (key, default) in DEFAULTS {
            if root.get(key).is_none() {
                let known = self.head.as_ref().and_then(|head| head.get(key));
                let default = if is_legacy && key == "object" {
                    "\"text_completion\""
                } else {
                    default
                };
                patch.set(root, key, known.unwrap_or(default), true);
            }
        }
        if root.get("choices").is_none() {
            patch.set(root, "choices", "[]", false);
        }
        if self.head.is_none() && has_choices {
            self.suffix = ids::suffix(&root.given("id").unwrap_or_default());
            self.head = Some(self.head_of(root));
        }
    }

    fn edit(
        &mut self,
        choice: Value<'_>,
        at: usize,
        changes: &mut Changes,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) -> Edit {
        let is_legacy = is_legacy_choice(choice);
        self.choices[at].is_legacy |= is_legacy;
        let index = self.choices[at].index;
        let is_number = |index: Value<'_>| index.kind() == Kind::Number;
        if !choice.get("index").is_some_and(is_number) {
            patch.set(choice, "index", &index.to_string(), true);
        }
        let delta = choice.get("delta").filter(|delta| delta.is_object());
        // Of the older completions, the choice itself has the text.
        let mut step = Step::new(choice, if is_legacy { Some(choice) } else { delta });
        let mut fields = fields(choice, index, changes, cx);
        self.thinking(&mut step, changes, patch, cx);
        let is_changed = fields.iter().any(|field| field.is_changed);
        for field in &mut fields {
            self.place(field, &mut step, at, patch, cx);
            step.has_content |= field.block == CONTENT;
        }
        self.calls(&mut step, at, changes, patch);
        repeated(choice, &step, changes, patch, cx);
        side::edit(choice, &step.text, is_changed, step.is_hidden, patch);
        if !is_legacy {
            self.role(&mut step, at, patch);
        }
        self.finish_reason(choice, at, changes, patch);
        let is_void = step.is_void(patch);
        if let Some(delta) = delta {
            for member in &step.added {
                patch.set(delta, &member.0, &member.1, member.0 == "role");
            }
        } else if !is_legacy {
            let added = step.added.iter();
            let members: Vec<(&str, &str)> = added.map(|(key, json)| (&**key, &**json)).collect();
            patch.set(choice, "delta", &crate::json::object_of(&members), false);
        }
        Edit {
            before: step.before,
            is_void,
        }
    }

    /// Native thinking: in one field, under its own name or the one that is asked for.
    fn thinking(
        &mut self,
        step: &mut Step<'_>,
        changes: &Changes,
        patch: &mut Patch,
        cx: &Cx<'_, '_>,
    ) {
        let Some(delta) = step.delta else { return };
        let thinks = |change: &Change| {
            change.at.is_some_and(|at| delta.contains(at))
                && matches!(change.kind, ChangeKind::Thought { .. } | ChangeKind::Trace)
        };
        if !changes.list.iter().any(thinks) {
            return;
        }
        if cx.hides() {
            step.is_hidden = true;
            return hide(delta, step, patch);
        }
        if cx.options.thinking == Thinking::Move {
            self.move_thinking(delta, step, patch, cx);
        }
    }

    fn move_thinking(
        &mut self,
        delta: Value<'_>,
        step: &mut Step<'_>,
        patch: &mut Patch,
        cx: &Cx<'_, '_>,
    ) {
        let own = REASONING.iter().find(|key| delta.given(key).is_some());
        if let Some(own) = own {
            self.field.get_or_insert(own);
        }
        let field = match (&cx.options.reasoning_field, own) {
            (None, Some(own)) => Cow::Borrowed(*own),
            _ => self.field(cx),
        };
        let text = match own {
            Some(own) => delta.given(own).unwrap_or_default().into_owned(),
            None => details(delta),
        };
        if text.is_empty() {
            return;
        }
        // A thought in two fields is shown twice by clients that read both.
        for key in REASONING {
            if key != field && delta.given(key).is_some() {
                step.remove(delta, key, patch);
            }
        }
        if delta.given(&field).as_deref() != Some(&text) {
            step.set(delta, field, string(&text), patch);
        }
    }

    /// Puts the pieces of a field into the frame: the last where it was, the others before it.
    fn place(
        &mut self,
        field: &mut Field,
        step: &mut Step<'_>,
        at: usize,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) {
        let Some(delta) = step.delta else {
            let pieces = std::mem::take(&mut field.pieces);
            return step.before.extend(self.deltas(at, field.key, pieces, cx));
        };
        if !field.is_changed {
            if let Some(text) = delta.given(field.key) {
                step.text.push_str(&text);
            }
            return;
        }
        let mut pieces = joined(std::mem::take(&mut field.pieces));
        if field.is_given {
            let reasoning = self.field(cx);
            let thinks = step.has(delta, &reasoning, patch);
            match pieces.pop() {
                Some(Piece::Text(text)) => {
                    step.text.push_str(&text);
                    step.set(delta, field.key.into(), string(&text), patch);
                }
                Some(Piece::Thought(text)) if field.block == CONTENT && !thinks => {
                    step.remove(delta, field.key, patch);
                    step.set(delta, reasoning, string(&text), patch);
                }
                other => {
                    pieces.extend(other);
                    match field.block {
                        LEGACY => step.set(delta, field.key.into(), "\"\"".to_owned(), patch),
                        _ => step.remove(delta, field.key, patch),
                    }
                }
            }
        }
        if !pieces.is_empty() {
            self.settle(field, step, patch, cx);
        }
        let deltas = self.deltas(at, field.key, pieces, cx);
        step.before.extend(deltas);
    }

    /// Thinking that was before the text, and text of the fields before this one, go before what
    /// goes before the frame.
    fn settle(&self, field: &Field, step: &mut Step<'_>, patch: &mut Patch, cx: &Cx<'_, '_>) {
        let Some(delta) = step.delta else { return };
        if field.block == LEGACY {
            return;
        }
        let reasoning = self.field(cx);
        let keys = REASONING.iter().copied().chain([&*reasoning]);
        let mut keys: Vec<&str> = keys.collect();
        if field.block == REFUSAL && step.has_content {
            keys.push("content");
        }
        keys.dedup();
        for key in keys {
            let is_native = is_left(delta, key, patch);
            let added = step.take_added(key);
            let is_in_place = field.block == CONTENT && added.is_some() && !is_native;
            if is_in_place {
                // The last piece of this very text.
                let key = Cow::Owned(key.to_owned());
                step.added.extend(added.map(|json| (key, json)));
                continue;
            }
            let json = match (added, is_native) {
                (Some(json), _) => Some(json),
                (None, true) => delta.get(key).map(|value| value.raw().to_owned()),
                (None, false) => None,
            };
            if let Some(json) = json {
                let mut members = format!("{}:{json}", string(key));
                if is_native {
                    step.remove(delta, key, patch);
                }
                // What repeats a thought goes with it: alone, it would be another.
                for copy in DETAILS.iter().chain([&EXTRA]) {
                    if let Some(value) = delta.get(copy).filter(|value| !patch.removes(*value)) {
                        members.push_str(&format!(",{}:{}", string(copy), value.raw()));
                        patch.remove(value);
                    }
                }
                step.before.push(members);
            }
        }
    }

    fn calls(&self, step: &mut Step<'_>, at: usize, changes: &mut Changes, patch: &mut Patch) {
        let Some(list) = step.delta.and_then(|delta| delta.get("tool_calls")) else {
            return;
        };
        let mut left = list.list().count();
        for change in of_choice(changes, self.choices[at].index) {
            let (ChangeKind::Call { native, .. }, Some(node)) = (&change.kind, change.at) else {
                continue;
            };
            if !list.contains(node) {
                continue;
            }
            let call = list.at(node);
            if native.is_held || native.is_twin {
                patch.remove(call);
                left -= 1;
                continue;
            }
            native::edit_piece(call, *native, |number| self.id(at, number), patch);
        }
        if left == 0
            && let Some(delta) = step.delta
        {
            step.remove(delta, "tool_calls", patch);
        }
    }

    /// A role comes once, and always.
    fn role(&mut self, step: &mut Step<'_>, at: usize, patch: &mut Patch) {
        let given = step.delta.and_then(|delta| delta.get("role"));
        let had_role = std::mem::replace(&mut self.choices[at].has_role, true);
        let role = given.map_or("\"assistant\"".to_owned(), |role| role.raw().to_owned());
        let goes_before = !had_role && !step.before.is_empty();
        if goes_before {
            step.before[0].insert_str(0, &format!("\"role\":{role},"));
        }
        match (given, step.delta) {
            (Some(_), Some(delta)) if had_role || goes_before => {
                step.remove(delta, "role", patch);
            }
            (None, _) if !had_role && !goes_before => {
                step.added.insert(0, ("role".into(), role));
            }
            _ => {}
        }
    }

    /// One finish, with the reason that is true now.
    fn finish_reason(
        &mut self,
        choice: Value<'_>,
        at: usize,
        changes: &mut Changes,
        patch: &mut Patch,
    ) {
        let index = self.choices[at].index;
        let is_finish = |change: &mut Change| matches!(change.kind, ChangeKind::Finish { .. });
        if !of_choice(changes, index).any(is_finish) {
            return;
        }
        let Some(reason) = choice.get("finish_reason") else {
            return;
        };
        let state = &mut self.choices[at];
        if std::mem::replace(&mut state.has_finish, true) {
            patch.replace(reason, "null");
        } else if state.has_found && reason.is("stop") {
            patch.replace(reason, "\"tool_calls\"");
        }
    }

    /// Edits a whole answer.
    fn body(
        &mut self,
        root: Value<'_>,
        changes: &mut Changes,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) -> bool {
        self.suffix = ids::suffix(&root.given("id").unwrap_or_default());
        let choices = root.get("choices").into_iter().flat_map(Value::list);
        for (choice, place) in choices.zip(0..) {
            let index = choice.number_at("index").unwrap_or(place);
            let Some(at) = self.choice(index) else {
                continue;
            };
            self.choices[at] = Choice {
                index,
                is_legacy: is_legacy_choice(choice),
                ..Choice::default()
            };
            self.whole(choice, at, changes, patch, cx);
        }
        false
    }

    fn whole(
        &mut self,
        choice: Value<'_>,
        at: usize,
        changes: &mut Changes,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) {
        let is_legacy = self.choices[at].is_legacy;
        let index = self.choices[at].index;
        let fields = fields(choice, index, changes, cx);
        let message = choice.get("message").filter(|message| message.is_object());
        let Some(message) = message.or(is_legacy.then_some(choice)) else {
            return;
        };
        let mut step = Step::new(choice, Some(message));
        self.thinking(&mut step, changes, patch, cx);
        let is_changed = fields.iter().any(|field| field.is_changed);
        let (mut thoughts, mut found) = (String::new(), Vec::new());
        for field in fields {
            self.whole_field(
                field,
                message,
                at,
                &mut step,
                (&mut thoughts, &mut found),
                cx,
                patch,
            );
        }
        if !thoughts.is_empty() {
            let field = self.field(cx);
            let added = step.take_added(&field);
            let native = message.given(&field);
            let native = native.filter(|_| is_left(message, &field, patch));
            let before = match added {
                Some(json) => serde_json::from_str(&json).unwrap_or_default(),
                None => native.unwrap_or_default().into_owned(),
            };
            let json = string(&format!("{before}{thoughts}"));
            step.set(message, field, json, patch);
        }
        self.whole_calls(message, at, changes, &found, &mut step, patch);
        repeated(choice, &step, changes, patch, cx);
        side::edit(choice, &step.text, is_changed, step.is_hidden, patch);
        self.finish_reason(choice, at, changes, patch);
        for (key, json) in step.added {
            patch.set(message, &key, &json, false);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is one step")]
    fn whole_field(
        &mut self,
        field: Field,
        message: Value<'_>,
        at: usize,
        step: &mut Step<'_>,
        (thoughts, found): (&mut String, &mut Vec<String>),
        cx: &mut Cx<'_, '_>,
        patch: &mut Patch,
    ) {
        if !field.is_changed {
            if let Some(text) = message.given(field.key) {
                step.text.push_str(&text);
            }
            return;
        }
        let text = text_of(&field.pieces);
        step.text.push_str(&text);
        for piece in field.pieces {
            match piece {
                Piece::Thought(_) if field.block == LEGACY => self.lose_thinking(cx),
                Piece::Thought(text) => thoughts.push_str(&text),
                Piece::Call(call) => {
                    self.choices[at].has_found = true;
                    let number = self.number(at, cx);
                    found.push(tool_call(&self.id(at, number), &call));
                }
                _ => {}
            }
        }
        let is_null = text.is_empty() && field.block == CONTENT && self.choices[at].has_found;
        let json = if is_null {
            "null".to_owned()
        } else {
            string(&text)
        };
        step.set(message, field.key.into(), json, patch);
    }

    /// The native calls, and those that were found after them.
    fn whole_calls(
        &self,
        message: Value<'_>,
        at: usize,
        changes: &mut Changes,
        found: &[String],
        step: &mut Step<'_>,
        patch: &mut Patch,
    ) {
        let list = message
            .get("tool_calls")
            .filter(|list| list.kind() == Kind::List);
        let mut dropped = 0;
        for change in of_choice(changes, self.choices[at].index) {
            let (ChangeKind::Call { native, .. }, Some(node)) = (&change.kind, change.at) else {
                continue;
            };
            let Some(list) = list.filter(|list| list.contains(node)) else {
                continue;
            };
            let call = list.at(node);
            match native.is_twin {
                true => {
                    patch.remove(call);
                    dropped += 1;
                }
                false => {
                    let number = native.number.unwrap_or(0);
                    native::edit_whole(call, || self.id(at, number), patch);
                }
            }
        }
        let native = list.map_or(0, |list| list.list().count());
        match list {
            _ if found.is_empty() => {}
            Some(list) if native > dropped => patch.append(list, &found.join(",")),
            Some(list) => patch.replace(list, list_of(found)),
            None => step.added.push(("tool_calls".into(), list_of(found))),
        }
        if found.is_empty() && native > 0 && native == dropped {
            step.remove(message, "tool_calls", patch);
        }
    }
}

/// A choice of a frame, while it is edited.
struct Step<'a> {
    choice: Value<'a>,
    /// What has the fields: the delta, the message, or the choice itself.
    delta: Option<Value<'a>>,
    /// Members that are new, as JSON.
    added: Vec<(Cow<'static, str>, String)>,
    /// The members of deltas that go before the frame.
    before: Vec<String>,
    /// The content has been placed.
    has_content: bool,
    /// Native thinking was removed.
    is_hidden: bool,
    /// The text that is left in the frame.
    text: String,
}

impl<'a> Step<'a> {
    fn new(choice: Value<'a>, delta: Option<Value<'a>>) -> Self {
        Step {
            choice,
            delta,
            added: Vec::new(),
            before: Vec::new(),
            has_content: false,
            is_hidden: false,
            text: String::new(),
        }
    }

    fn set(&mut self, object: Value<'_>, key: Cow<'static, str>, json: String, patch: &mut Patch) {
        match object.member(&key) {
            Some(value) => {
                patch.restore(value);
                patch.replace(value, json);
            }
            None => {
                self.take_added(&key);
                self.added.push((key, json));
            }
        }
    }

    fn remove(&mut self, object: Value<'_>, key: &str, patch: &mut Patch) {
        self.take_added(key);
        if let Some(value) = object.member(key) {
            patch.remove(value);
        }
    }

    fn take_added(&mut self, key: &str) -> Option<String> {
        let at = self.added.iter().position(|(known, _)| known == key)?;
        Some(self.added.remove(at).1)
    }

    fn has(&self, object: Value<'_>, key: &str, patch: &Patch) -> bool {
        let is_added = self.added.iter().any(|(known, _)| known == key);
        is_added || is_left(object, key, patch)
    }

    /// Whether nothing is left in the frame, though there was something.
    fn is_void(&self, patch: &Patch) -> bool {
        let Some(delta) = self.delta else {
            return false;
        };
        if patch.is_empty() || self.choice.get("finish_reason").is_some() {
            return false;
        }
        let says = |member: Value<'_>| {
            let is_text = ["content", "text"].contains(&&*member.key());
            let is_empty = is_text && patch.value_of(member).is_none_or(|json| json == "\"\"");
            let is_about = member.key() == "index" && delta.id == self.choice.id;
            !patch.removes(member) && member.kind() != Kind::Null && !is_empty && !is_about
        };
        self.added.is_empty() && !delta.items().any(says)
    }
}

/// Whether an object has a text under a key, and keeps it.
fn is_left(object: Value<'_>, key: &str, patch: &Patch) -> bool {
    let value = object.member(key).filter(|value| !patch.removes(*value));
    let text = value.and_then(Value::text);
    text.is_some_and(|text| !text.is_empty())
}

/// The fields of a choice, each with what its text becomes.
fn fields(choice: Value<'_>, index: u64, changes: &mut Changes, cx: &Cx<'_, '_>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let parts = content_parts(choice);
    for change in of_choice(changes, index) {
        let at = change.at;
        // Some other choice of the frame has the same number.
        if at.is_some_and(|at| !choice.contains(at)) {
            continue;
        }
        let text_at = |at: Option<NodeId>| {
            let text = at.and_then(|at| choice.at(at).text());
            Piece::Text(text.unwrap_or_default().into_owned())
        };
        let mut same = None;
        let (block, is_given, pieces) = match &mut change.kind {
            ChangeKind::Text { slot, pieces, .. } => {
                let pieces = pieces.take();
                if pieces.is_none() && parts.is_none() {
                    same = at;
                }
                let pieces = match same {
                    Some(_) => Some(Pieces::new()),
                    None => pieces.or_else(|| Some(vec![text_at(at)])),
                };
                (slot.block, true, pieces.unwrap_or_default())
            }
            ChangeKind::Flushed { slot, pieces } => (slot.block, false, std::mem::take(pieces)),
            ChangeKind::Thought { .. } if !cx.hides() => {
                let at = at.filter(|at| parts.is_some_and(|parts| parts.contains(*at)));
                let Some(at) = at else { continue };
                let text = choice.at(at).text().unwrap_or_default().into_owned();
                (CONTENT, true, vec![Piece::Thought(text)])
            }
            _ => continue,
        };
        // Native calls that were held belong to no field; they go where the content goes.
        let block = if block > LEGACY { CONTENT } else { block };
        let known = fields.iter().position(|field| field.block == block);
        let known = known.unwrap_or_else(|| {
            fields.push(Field::new(block));
            fields.len() - 1
        });
        let field = &mut fields[known];
        field.is_given |= is_given;
        field.same = field.same.or(same);
        if same.is_none() {
            field.is_changed = true;
            if let Some(at) = field.same.take() {
                field.pieces.push(text_at(Some(at)));
            }
        }
        if field.pieces.is_empty() {
            field.pieces = pieces;
        } else {
            field.pieces.extend(pieces);
        }
    }
    if parts.is_some() && !fields.iter().any(|field| field.block == CONTENT) {
        fields.push(Field {
            is_given: true,
            is_changed: true,
            ..Field::new(CONTENT)
        });
    }
    fields
}

fn key_of(block: u64) -> &'static str {
    let field = FIELDS.iter().find(|(known, _)| *known == block);
    field.map_or("content", |(_, key)| key)
}

/// The content of a choice, if it is a list of parts.
fn content_parts(choice: Value<'_>) -> Option<Value<'_>> {
    let message = choice.get("delta").or_else(|| choice.get("message"))?;
    message
        .get("content")
        .filter(|content| content.kind() == Kind::List)
}

/// Whether a choice is one of the older completions.
fn is_legacy_choice(choice: Value<'_>) -> bool {
    let has_message = ["delta", "message"]
        .iter()
        .any(|key| choice.get(key).is_some());
    choice.has("text") && !has_message
}

/// Removes native thinking, wherever it is.
fn hide(delta: Value<'_>, step: &mut Step<'_>, patch: &mut Patch) {
    for key in REASONING.iter().chain(&DETAILS) {
        if delta.get(key).is_some() {
            step.remove(delta, key, patch);
        }
    }
    if let Some(extra) = delta.get(EXTRA) {
        for key in REASONING.iter().chain(&DETAILS) {
            patch.drop_member(extra, key);
        }
    }
}

/// All text of the lists of thoughts.
fn details(delta: Value<'_>) -> String {
    let extra = delta.get(EXTRA);
    for object in [Some(delta), extra].into_iter().flatten() {
        if let Some(text) = REASONING.iter().find_map(|key| object.given(key)) {
            return text.into_owned();
        }
        for key in DETAILS {
            let list = object.get(key).into_iter().flat_map(Value::list);
            let texts: String = list.filter_map(detail_text).collect();
            if !texts.is_empty() {
                return texts;
            }
        }
    }
    String::new()
}

fn detail_text(detail: Value<'_>) -> Option<Cow<'_, str>> {
    let keys = ["text", "summary", "thinking"];
    keys.iter().find_map(|key| detail.get(key))?.text()
}

/// Texts that the frame repeats: of this frame, or all so far.
fn repeated(
    choice: Value<'_>,
    step: &Step<'_>,
    changes: &mut Changes,
    patch: &mut Patch,
    cx: &Cx<'_, '_>,
) {
    use crate::delta::Again;
    for change in &changes.list {
        let Some(value) = change
            .at
            .filter(|at| choice.contains(*at))
            .map(|at| choice.at(at))
        else {
            continue;
        };
        let new = match &change.kind {
            ChangeKind::Again {
                of: Again::Frame, ..
            } => Some(step.text.clone()),
            ChangeKind::Again {
                of: Again::Whole,
                slot,
            } => {
                let text = value.text().unwrap_or_default();
                let whole = cx.again(&text, Course::default(), 0, *slot);
                Some(text_of(&whole.pieces))
            }
            ChangeKind::Trace if cx.hides() => {
                let is_in_delta = step.delta.is_some_and(|delta| delta.contains(value.id));
                if !is_in_delta {
                    patch.remove(value);
                }
                None
            }
            _ => None,
        };
        if let Some(new) = new.filter(|new| !value.is(new)) {
            patch.replace(value, string(&new));
        }
    }
}

/// A whole call.
fn tool_call(id: &str, call: &Call) -> String {
    format!(
        "{{\"id\":{},\"type\":\"function\",\"function\":{{\"name\":{},\"arguments\":{}}}}}",
        string(call.id.as_deref().unwrap_or(id)),
        string(&call.name),
        string(&call.arguments)
    )
}

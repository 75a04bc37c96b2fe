//! Writes Chat Completions and the older completions.

use super::side::{self, Outcome};
use super::{CONTENT, DETAILS, EXTRA, LEGACY, REASONING, REFUSAL, TRANSCRIPT, is_body, native};
use crate::format::Format;
use crate::format::shape::shape;
use crate::json::{Kind, NodeId, Patch, Value, list_of, string};
use crate::message::Course;
use crate::provider::{Input, ids};
use crate::rewrite::{
    Call, Change, ChangeKind, Changes, Cx, Piece, Thinking, Write, of_choice, text_of,
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
fn defaults(is_legacy: bool) -> [(&'static str, &'static str); 4] {
    let (id, object) = if is_legacy {
        ("\"cmpl-0\"", "\"text_completion\"")
    } else {
        ("\"chatcmpl-0\"", CHUNK)
    };
    [
        ("id", id),
        ("object", object),
        ("created", "0"),
        ("model", "\"\""),
    ]
}
const CHUNK: &str = "\"chat.completion.chunk\"";

/// The field for thinking where the provider has none.
const FIELD: &str = "reasoning_content";

/// No request asks for more choices.
const MAX_CHOICES: usize = 1024;

/// The fields of a choice with text, and the keys they have.
const FIELDS: [(u64, &str); 4] = [
    (CONTENT, "content"),
    (REFUSAL, "refusal"),
    (LEGACY, "text"),
    (TRANSCRIPT, "transcript"),
];

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

/// What a choice of a frame says.
#[derive(Default)]
struct Said {
    /// Its pieces in the order in which they are read, each with the block of its text. Without any, the
    /// frame stays as it is.
    pieces: Vec<(u64, Piece)>,
    /// The blocks that the frame itself has a text of, by their numbers.
    given: [bool; FIELDS.len()],
    /// The texts do not stay as they are.
    is_changed: bool,
    /// Native thinking, which is shown, is among the pieces.
    thinks: bool,
}

impl Said {
    fn of(choice: Value<'_>, index: u64, changes: &mut Changes, cx: &Cx<'_, '_>) -> Said {
        let parts = content_parts(choice);
        let mut said = Said {
            is_changed: parts.is_some() && !keeps_order(choice, index, changes, cx),
            ..Said::default()
        };
        said.given[0] = parts.is_some();
        // Some other choice of the frame may have the same number.
        let is_here = |change: &Change| change.at.is_none_or(|at| choice.contains(at));
        for change in of_choice(changes, index).filter(|change| is_here(change)) {
            match &change.kind {
                ChangeKind::Text { slot, pieces, .. } => {
                    said.is_changed |= pieces.is_some();
                    said.given[field_of(slot.block)] = true;
                }
                ChangeKind::Flushed { .. } => said.is_changed = true,
                ChangeKind::Thought { .. } => said.thinks |= !cx.hides(),
                _ => {}
            }
        }
        if said.is_changed || said.thinks {
            for change in of_choice(changes, index).filter(|change| is_here(change)) {
                said.add(choice, change, cx);
            }
        }
        said
    }

    fn add(&mut self, choice: Value<'_>, change: &mut Change, cx: &Cx<'_, '_>) {
        let text = |at: Option<NodeId>| {
            let text = at.and_then(|at| choice.at(at).text());
            text.unwrap_or_default().into_owned()
        };
        let (block, pieces) = match &mut change.kind {
            ChangeKind::Text { slot, pieces, .. } => {
                let pieces = pieces.take();
                let pieces = pieces.unwrap_or_else(|| vec![Piece::Text(text(change.at))]);
                (slot.block, pieces)
            }
            ChangeKind::Flushed { slot, pieces } => (slot.block, std::mem::take(pieces)),
            ChangeKind::Thought { slot } if !cx.hides() => {
                (slot.block, vec![Piece::Thought(text(change.at))])
            }
            _ => return,
        };
        // Native calls that were held belong to no field; they go where the content goes.
        let block = FIELDS[field_of(block)].0;
        for piece in pieces {
            let last = self.pieces.last_mut().filter(|(last, _)| *last == block);
            if !last.is_some_and(|(_, last)| last.joins(&piece)) {
                self.pieces.push((block, piece));
            }
        }
    }

    /// Takes the pieces that stay in the frame: the last ones, as far as it has a place for each, and
    /// clients read them in this order.
    fn take_last(&mut self) -> Vec<(u64, Piece)> {
        let mut next = usize::MAX;
        let mut stays = |(block, piece): &(u64, Piece)| {
            let field = field_of(*block);
            let rank = match piece {
                Piece::Text(_) => field + 1,
                Piece::Thought(_) if *block == CONTENT => 0,
                _ => return false,
            };
            // Clients disagree on the order of what is in one delta: only the provider puts a thought
            // beside a text.
            let is_given = match rank {
                0 => self.thinks || (self.given[field] && next == usize::MAX),
                _ => self.given[field],
            };
            let stays = is_given && rank < next;
            next = rank;
            stays
        };
        let count = self
            .pieces
            .iter()
            .rev()
            .take_while(|said| stays(said))
            .count();
        self.pieces.split_off(self.pieces.len() - count)
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
        // Events in another format are not read, as a notice says: nothing of them is lost.
        let is_foreign = || shape(input.doc.text).is_some_and(|other| other != Format::OpenAi);
        let is_chunk = is_error || ["choices", "usage"].iter().any(|key| says(key));
        if !is_chunk && input.event.is_some() && !is_foreign() {
            // Most clients take every event for a chunk.
            return cx.out.comment(input.event.unwrap_or("ping"));
        }
        if is_error || !(says("choices") || root.get("usage").is_some()) {
            self.flush(&mut changes, cx);
            return pass(input, cx);
        }
        let mut patch = Patch::default();
        let is_void = if self.head.is_none() && is_body(input) {
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
            let block = slot.block;
            let pieces = std::mem::take(pieces).into_iter();
            let Some(at) = self.choice(slot.choice) else {
                continue;
            };
            let mut deltas = self.deltas(at, pieces.map(|piece| (block, piece)), cx);
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
    fn deltas(
        &mut self,
        at: usize,
        pieces: impl IntoIterator<Item = (u64, Piece)>,
        cx: &mut Cx<'_, '_>,
    ) -> Vec<String> {
        let mut deltas = Vec::new();
        for (block, piece) in pieces {
            deltas.extend(match piece {
                Piece::Text(text) => {
                    let (_, key) = FIELDS[field_of(block)];
                    let member = format!("\"{key}\":{}", string(&text));
                    Some(match block {
                        TRANSCRIPT => format!("\"audio\":{{{member}}}"),
                        _ => member,
                    })
                }
                Piece::Thought(_) if block == LEGACY => {
                    self.lose_thinking(cx);
                    None
                }
                Piece::Thought(text) => {
                    let field = string(&self.field(cx));
                    Some(format!("{field}:{}", string(&text)))
                }
                Piece::Call(call) => {
                    self.choices[at].has_found = true;
                    Some(self.call(at, &call))
                }
                Piece::CallStart(call) => {
                    self.choices[at].sending = Some(call.number);
                    Some(self.call(at, &call))
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

    /// The list with a whole call, or with the start of one.
    fn call(&self, at: usize, call: &Call) -> String {
        let number = call.number;
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
            let inner = if choice.is_legacy {
                members.clone()
            } else {
                format!("\"delta\":{{{members}}}")
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
        for (key, default) in defaults(has_legacy_choice(root)).into_iter().rev() {
            if head.get(key).is_none() {
                let known = self.head.as_ref().and_then(|head| head.get(key));
                head.0.insert(0, (key, known.unwrap_or(default).to_owned()));
            }
        }
        head
    }

    /// Sets what every chunk must have.
    fn complete(&mut self, root: Value<'_>, has_choices: bool, patch: &mut Patch) {
        for (key, default) in defaults(has_legacy_choice(root)) {
            if root.get(key).is_none() {
                let known = self.head.as_ref().and_then(|head| head.get(key));
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
        let said = Said::of(choice, index, changes, cx);
        let is_changed = said.is_changed;
        self.say(said, &mut step, at, changes, patch, cx);
        self.calls(&mut step, at, changes, patch);
        repeated(choice, &step, is_changed, changes, patch, cx);
        let outcome = Outcome {
            is_changed,
            is_hidden: step.is_hidden,
            text: step.texts.concat(),
        };
        side::edit(choice, &outcome, cx.hides(), patch);
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

    /// Puts what a choice says into the frame, or before it.
    fn say(
        &mut self,
        mut said: Said,
        step: &mut Step<'_>,
        at: usize,
        changes: &Changes,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) {
        if cx.hides() {
            step.hide(changes, patch);
        }
        let field = self.field_in(step.delta, cx);
        if self.moves(step, &said, &field, cx) {
            let last = match step.delta {
                Some(_) => said.take_last(),
                None => Vec::new(),
            };
            let mut before = self.deltas(at, std::mem::take(&mut said.pieces), cx);
            if let Some(delta) = step.delta {
                let stays = last
                    .iter()
                    .any(|(_, piece)| matches!(piece, Piece::Thought(_)));
                if said.thinks && !stays {
                    step.take_copies(delta, &self.field(cx), &mut before, patch);
                }
                step.put(delta, last, &said, &field, patch);
            }
            step.before = before;
        } else {
            step.keep();
        }
    }

    /// The field of a frame for thinking: its own, or the one that is asked for.
    fn field_in(&mut self, delta: Option<Value<'_>>, cx: &Cx<'_, '_>) -> Cow<'static, str> {
        let is_given = |key: &&&'static str| {
            let field = delta.and_then(|delta| delta.get(key));
            field.is_some_and(|field| !field.is_empty())
        };
        let own = REASONING.iter().find(is_given);
        if let Some(own) = own {
            self.field.get_or_insert(own);
        }
        match (&cx.options.reasoning_field, own) {
            (None, Some(own)) => Cow::Borrowed(own),
            _ => self.field(cx),
        }
    }

    /// Whether something of what a frame says goes elsewhere: its texts change, or native thinking is not
    /// where clients read it, or is there twice.
    fn moves(&self, step: &Step<'_>, said: &Said, field: &str, cx: &Cx<'_, '_>) -> bool {
        let Some(delta) = step.delta.filter(|_| said.thinks && !said.is_changed) else {
            return said.is_changed;
        };
        let mut others = REASONING.iter().filter(|key| **key != field);
        let is_twice = others.any(|key| delta.get(key).is_some_and(|at| !at.is_empty()));
        let is_there = said.pieces.iter().any(|(_, piece)| {
            matches!(piece, Piece::Thought(text) if delta.get(field).is_some_and(|at| at.is(text)))
        });
        cx.options.thinking == Thinking::Move && (is_twice || !is_there)
    }

    fn calls(&self, step: &mut Step<'_>, at: usize, changes: &mut Changes, patch: &mut Patch) {
        let Some(list) = step.delta.and_then(|delta| delta.get("tool_calls")) else {
            return;
        };
        let mut left = list.objects().count();
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
        let message = choice.get("message").filter(|message| message.is_object());
        let Some(message) = message.or(is_legacy.then_some(choice)) else {
            return;
        };
        let mut step = Step::new(choice, Some(message));
        let said = Said::of(choice, index, changes, cx);
        let is_changed = said.is_changed;
        let found = self.say_whole(said, &mut step, at, changes, patch, cx);
        self.whole_calls(message, at, changes, &found, &mut step, patch);
        repeated(choice, &step, is_changed, changes, patch, cx);
        let outcome = Outcome {
            is_changed,
            is_hidden: step.is_hidden,
            text: step.texts.concat(),
        };
        side::edit(choice, &outcome, cx.hides(), patch);
        self.finish_reason(choice, at, changes, patch);
        for (key, json) in step.added {
            patch.set(message, &key, &json, false);
        }
    }

    /// Puts what a message says into its fields; returns the calls that were found.
    fn say_whole(
        &mut self,
        mut said: Said,
        step: &mut Step<'_>,
        at: usize,
        changes: &Changes,
        patch: &mut Patch,
        cx: &mut Cx<'_, '_>,
    ) -> Vec<String> {
        if cx.hides() {
            step.hide(changes, patch);
        }
        let field = self.field_in(step.delta, cx);
        let (mut thoughts, mut texts, mut found) = (
            String::new(),
            [const { String::new() }; FIELDS.len()],
            Vec::new(),
        );
        if !self.moves(step, &said, &field, cx) {
            step.keep();
            return found;
        }
        for (block, piece) in std::mem::take(&mut said.pieces) {
            match piece {
                Piece::Text(text) => texts[field_of(block)].push_str(&text),
                Piece::Thought(_) if block == LEGACY => self.lose_thinking(cx),
                Piece::Thought(text) => thoughts.push_str(&text),
                Piece::Call(call) => {
                    self.choices[at].has_found = true;
                    found.push(tool_call(&self.id(at, call.number), &call));
                }
                _ => {}
            }
        }
        let has_no_content = texts[0].is_empty();
        let mut pieces = Vec::new();
        if !thoughts.is_empty() {
            pieces.push((CONTENT, Piece::Thought(thoughts)));
        }
        for ((block, _), text) in FIELDS.into_iter().zip(texts) {
            if said.given[field_of(block)] {
                pieces.push((block, Piece::Text(text)));
            }
        }
        if let Some(message) = step.delta {
            step.put(message, pieces, &said, &field, patch);
            if said.given[0] && has_no_content && !found.is_empty() {
                step.set(message, "content".into(), "null".to_owned(), patch);
            }
        }
        found
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
            if native.is_twin {
                patch.remove(call);
                dropped += 1;
            } else {
                let number = native.number.unwrap_or(0);
                native::edit_whole(call, || self.id(at, number), patch);
            }
        }
        let native = list.map_or(0, |list| list.objects().count());
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
    /// Native thinking was removed.
    is_hidden: bool,
    /// The texts that are left in the frame, by their fields.
    texts: [String; FIELDS.len()],
}

impl<'a> Step<'a> {
    fn new(choice: Value<'a>, delta: Option<Value<'a>>) -> Self {
        Step {
            choice,
            delta,
            added: Vec::new(),
            before: Vec::new(),
            is_hidden: false,
            texts: Default::default(),
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

    /// Removes native thinking, wherever it is.
    fn hide(&mut self, changes: &Changes, patch: &mut Patch) {
        let Some(delta) = self.delta else { return };
        let thinks = |change: &Change| {
            change.at.is_some_and(|at| delta.contains(at))
                && matches!(change.kind, ChangeKind::Thought { .. } | ChangeKind::Trace)
        };
        if !changes.list.iter().any(thinks) {
            return;
        }
        self.is_hidden = true;
        for object in [Some(delta), delta.get(EXTRA)].into_iter().flatten() {
            for key in REASONING.iter().chain(&DETAILS) {
                patch.drop_member(object, key);
            }
        }
    }

    /// The texts stay as they are.
    fn keep(&mut self) {
        let Some(delta) = self.delta else { return };
        for ((block, key), text) in FIELDS.into_iter().zip(&mut self.texts) {
            text.extend(holder(delta, block).given(key));
        }
    }

    /// Puts pieces into the fields of the frame; those that it has and that get none are removed.
    fn put(
        &mut self,
        object: Value<'_>,
        pieces: Vec<(u64, Piece)>,
        said: &Said,
        field: &str,
        patch: &mut Patch,
    ) {
        let mut left = said.given;
        let mut thinks = false;
        for (block, piece) in pieces {
            match piece {
                Piece::Text(text) => {
                    let at = field_of(block);
                    left[at] = false;
                    let object = holder(object, block);
                    self.set(object, FIELDS[at].1.into(), string(&text), patch);
                    self.texts[at] = text;
                }
                Piece::Thought(text) => {
                    thinks = true;
                    self.set(object, field.to_owned().into(), string(&text), patch);
                }
                _ => {}
            }
        }
        for ((block, key), _) in FIELDS.into_iter().zip(left).filter(|(_, left)| *left) {
            if matches!(block, LEGACY | TRANSCRIPT) {
                let object = holder(object, block);
                self.set(object, key.into(), "\"\"".to_owned(), patch);
            } else {
                self.remove(object, key, patch);
            }
        }
        // A thought in two fields is shown twice by clients that read both.
        for key in REASONING {
            if said.thinks && object.get(key).is_some() && !(thinks && key == field) {
                self.remove(object, key, patch);
            }
        }
    }

    /// What repeats a thought goes before the frame with it: alone, it would be another.
    fn take_copies(&self, delta: Value<'_>, field: &str, before: &mut [String], patch: &mut Patch) {
        let start = format!("{}:", string(field));
        let Some(members) = before
            .iter_mut()
            .find(|members| members.starts_with(&start))
        else {
            return;
        };
        for key in DETAILS.iter().chain([&EXTRA]) {
            if let Some(value) = delta.get(key).filter(|value| !patch.removes(*value)) {
                members.push_str(&format!(",{}:{}", string(key), value.raw()));
                patch.remove(value);
            }
        }
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

/// Where a block is among the fields. What has no field of its own goes where the content goes.
fn field_of(block: u64) -> usize {
    match block {
        REFUSAL => 1,
        LEGACY => 2,
        TRANSCRIPT => 3,
        _ => 0,
    }
}

/// What has the field of a block, in a delta or a message.
fn holder(delta: Value<'_>, block: u64) -> Value<'_> {
    let audio = (block == TRANSCRIPT).then(|| delta.get("audio")).flatten();
    audio.unwrap_or(delta)
}

/// The content of a choice, if it is a list of parts.
fn content_parts(choice: Value<'_>) -> Option<Value<'_>> {
    let message = choice.get("delta").or_else(|| choice.get("message"))?;
    message
        .get("content")
        .filter(|content| content.kind() == Kind::List)
}

/// Whether parts stay as they are: a thought comes after a text, which may keep thoughts of its own,
/// and a field for it would move it before that.
fn keeps_order(choice: Value<'_>, index: u64, changes: &mut Changes, cx: &Cx<'_, '_>) -> bool {
    let is_here = |change: &&mut Change| change.at.is_some_and(|at| choice.contains(at));
    let is_text = |change: &mut Change| matches!(change.kind, ChangeKind::Text { .. });
    let is_thought = |change: &mut Change| matches!(change.kind, ChangeKind::Thought { .. });
    let mut here = of_choice(changes, index).filter(is_here);
    cx.options.thinking == Thinking::Keep && here.any(is_text) && here.any(is_thought)
}

/// Whether a choice is one of the older completions.
fn is_legacy_choice(choice: Value<'_>) -> bool {
    let has_message = ["delta", "message"]
        .iter()
        .any(|key| choice.get(key).is_some());
    choice.has("text") && !has_message
}

fn has_legacy_choice(root: Value<'_>) -> bool {
    let mut choices = root.get("choices").into_iter().flat_map(Value::list);
    choices.any(is_legacy_choice)
}

/// Texts that the frame repeats: of this frame, or all so far.
fn repeated(
    choice: Value<'_>,
    step: &Step<'_>,
    is_changed: bool,
    changes: &Changes,
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
                of: Again::Frame,
                slot,
            } => Some(step.texts[field_of(slot.block)].clone()),
            // Where one part ends and the next begins, nobody knows any longer.
            ChangeKind::Again {
                of: Again::Part, ..
            } => (is_changed || cx.hides()).then(String::new),
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

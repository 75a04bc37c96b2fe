//! Writes Messages.
//!
//! Blocks are numbered without gaps, so that blocks that are dropped or made renumber all that
//! follow. Each block of the provider is written on its own: what is found in a text ends the block
//! that is open for it, and goes to blocks of its kind.

use super::block_kind;
use crate::json::{Patch, Tape, Value, list_of, string};
use crate::provider::{Input, ids};
use crate::rewrite::{
    Call, Change, ChangeKind, Changes, Cx, Out, Piece, Pieces, Style, Write, joined,
};
use std::collections::BTreeMap;

/// No message has more blocks open; the first of them is over then.
const MAX_BLOCKS: usize = 64;
/// How many frames are held after the start of a text.
const MAX_HELD_FRAMES: usize = 64;

/// Writes the frames of one stream.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    suffix: String,
    /// The blocks of the provider that are open.
    blocks: BTreeMap<u64, Block>,
    /// The one that began last.
    last: u64,
    /// The number of the next block that is written.
    next: u64,
    calls: u64,
}

/// What becomes of a block of the provider.
#[derive(Debug)]
enum Block {
    Text(Box<Text>),
    /// Passed on as it is, under this number.
    Passed(u64),
    Dropped,
}

/// A text of the provider's.
#[derive(Debug, Default)]
struct Text {
    /// Anything of it has come.
    has_come: bool,
    /// The frame of its start, as long as it has not been written.
    start: Option<Start>,
    /// What came after that frame and before the text.
    held: Vec<Held>,
    /// A frame that does not belong to it may wait too.
    is_patient: bool,
    /// The block that is open for it in what was written.
    open: Option<(Kind, u64)>,
    /// The number of the block that was written with the provider's own start, or without any.
    own: Option<u64>,
}

/// The frame that begins a text.
#[derive(Debug)]
struct Start {
    raw: Vec<u8>,
    style: Style,
    json: String,
    is_changed: bool,
}

/// A frame that waits after the start of a text.
#[derive(Debug)]
struct Held {
    start: Start,
    /// It belongs to the text, and is nothing without it.
    is_of_text: bool,
}

/// What a block that was written holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
}

impl Kind {
    /// A thinking block of ours has an empty signature, and no event that signs it: those who
    /// check signatures would refuse any.
    fn block(self) -> &'static str {
        match self {
            Kind::Thinking => r#"{"type":"thinking","thinking":"","signature":""}"#,
            _ => r#"{"type":"text","text":""}"#,
        }
    }

    fn field(self) -> &'static str {
        match self {
            Kind::Thinking => "thinking",
            _ => "text",
        }
    }
}

impl Write for Writer {
    fn json(&mut self, input: Input<'_>, changes: Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        let kind = input.kind();
        let mut changes = changes;
        if kind == "message" {
            return self.body(input, changes, cx);
        }
        self.flush(&mut changes, cx);
        let index = root.number_at("index").unwrap_or(0);
        match &*kind {
            "message_start" => {
                let id = root.get("message").and_then(|message| message.given("id"));
                self.suffix = ids::suffix(&id.unwrap_or_default());
                write(input, Patch::default(), cx);
            }
            "content_block_start" => self.start(input, index, &mut changes, cx),
            "content_block_delta" => self.delta(input, index, &mut changes, cx),
            "content_block_stop" => self.stop(input, index, cx),
            "message_delta" => self.message_delta(input, cx),
            "message_stop" => {
                self.close_all(cx);
                write(input, Patch::default(), cx);
            }
            _ if changes
                .list
                .iter()
                .any(|change| matches!(change.kind, ChangeKind::Error)) =>
            {
                // After it nobody reads on.
                self.release_all(cx);
                write(input, Patch::default(), cx);
            }
            _ => {
                let frame = Start::new(input, Patch::default(), cx);
                self.wait(frame, cx);
            }
        }
    }

    fn done(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        cx.out.same();
    }

    fn empty(&mut self, _event: Option<&str>, cx: &mut Cx<'_, '_>) {
        self.aside(cx);
    }

    fn aside(&mut self, cx: &mut Cx<'_, '_>) {
        let frame = Start {
            raw: cx.out.raw.to_vec(),
            style: cx.out.style,
            json: String::new(),
            is_changed: false,
        };
        self.wait(frame, cx);
    }

    fn hurry(&mut self, cx: &mut Cx<'_, '_>) {
        if let Some(text) = self.waiting() {
            text.hurry(cx);
        }
    }

    fn finish(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.release_all(cx);
        self.flush(&mut changes, cx);
    }
}

/// Writes a frame with edits, and with the name that clients want it to have.
fn write(input: Input<'_>, patch: Patch, cx: &mut Cx<'_, '_>) {
    let kind = input.kind();
    let is_odd = (cx.is_replaced || cx.is_unnamed) && !kind.is_empty();
    let mut patch = patch;
    if !patch.is_empty() {
        patch.drop_shadowed(input.doc);
    }
    if patch.is_empty() && !is_odd {
        cx.out.same();
    } else {
        cx.out.patched(input.doc, patch, Some(&kind));
    }
}

/// Sets the number of a block, if it is another one.
fn renumber(root: Value<'_>, number: u64, patch: &mut Patch) {
    let index = root
        .member("index")
        .and_then(|index| index.raw().parse().ok());
    if index != Some(number) {
        patch.set(root, "index", &number.to_string(), false);
    }
}

impl Start {
    /// A frame, with edits, to be written later.
    fn new(input: Input<'_>, patch: Patch, cx: &Cx<'_, '_>) -> Self {
        let kind = input.kind();
        let is_odd = (cx.is_replaced || cx.is_unnamed) && !kind.is_empty();
        Start {
            raw: cx.out.raw.to_vec(),
            style: cx.out.style,
            is_changed: is_odd || !patch.is_empty(),
            json: patch.json(input.doc),
        }
    }

    /// Writes the frame, under this number if it has one.
    fn write(&self, number: Option<u64>, bytes: &mut Vec<u8>) {
        let mut out = Out {
            style: self.style,
            raw: &self.raw,
            bytes,
        };
        let mut tape = Tape::default();
        let Ok(doc) = tape.read(&self.json) else {
            return out.same();
        };
        let root = doc.root();
        let mut patch = Patch::default();
        if let Some(number) = number {
            renumber(root, number, &mut patch);
        }
        if patch.is_empty() && !self.is_changed {
            out.same();
        } else {
            let kind = root.given("type").unwrap_or_default();
            out.patched(doc, patch, Some(&kind));
        }
    }
}

impl Writer {
    /// Writes what came out of texts that end, or ended before.
    fn flush(&mut self, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        for change in &mut changes.list {
            if let ChangeKind::Flushed { slot, pieces } = &mut change.kind {
                let pieces = std::mem::take(pieces);
                self.pieces(slot.block, pieces, cx);
            }
        }
    }

    /// Writes the pieces of a text, each in a block of its kind.
    fn pieces(&mut self, index: u64, pieces: Pieces, cx: &mut Cx<'_, '_>) {
        let mut text = match self.blocks.remove(&index) {
            Some(Block::Text(text)) => text,
            Some(other) => {
                self.blocks.insert(index, other);
                Box::default()
            }
            None => Box::default(),
        };
        if pieces.is_empty() {
            // The start goes on waiting, but not what keeps the connection alive.
            text.write_held(false, None, cx);
        }
        for piece in joined(pieces) {
            match piece {
                Piece::Text(piece) => self.write_piece(&mut text, Kind::Text, &piece, cx),
                Piece::Thought(piece) => self.write_piece(&mut text, Kind::Thinking, &piece, cx),
                Piece::Call(call) => {
                    self.call_start(&mut text, &call, cx);
                    self.call_delta(&text, &call.arguments, cx);
                    text.close(cx);
                }
                Piece::CallStart(call) => self.call_start(&mut text, &call, cx),
                Piece::CallDelta(piece) => self.call_delta(&text, &piece, cx),
                Piece::CallEnd => text.close(cx),
                Piece::CallFailed { code, message } => fail(&mut text, code, &message, cx),
            }
        }
        if self.blocks.contains_key(&index) || index == u64::MAX {
            // What no block is open for is closed at once.
            text.close(cx);
        } else {
            self.blocks.insert(index, Block::Text(text));
        }
    }

    fn write_piece(&mut self, text: &mut Text, kind: Kind, piece: &str, cx: &mut Cx<'_, '_>) {
        let number = self.open(text, kind, cx);
        let field = kind.field();
        let delta = format!(
            "{{\"type\":\"{field}_delta\",\"{field}\":{}}}",
            string(piece)
        );
        block_event("content_block_delta", number, "delta", &delta, &mut cx.out);
    }

    /// The number of a block of this kind, which is opened unless it is open.
    fn open(&mut self, text: &mut Text, kind: Kind, cx: &mut Cx<'_, '_>) -> u64 {
        if let Some((open, number)) = text.open
            && open == kind
        {
            return number;
        }
        text.close(cx);
        let number = self.number();
        text.open = Some((kind, number));
        if kind == Kind::Text
            && let Some(start) = text.start.take()
        {
            start.write(Some(number), cx.out.bytes);
            text.own = Some(number);
            text.write_held(true, Some(number), cx);
            return number;
        }
        // Something else goes first: the provider's own start is not written any more.
        text.start = None;
        text.write_held(false, None, cx);
        let block = kind.block();
        block_event(
            "content_block_start",
            number,
            "content_block",
            block,
            &mut cx.out,
        );
        number
    }

    fn call_start(&mut self, text: &mut Text, call: &Call, cx: &mut Cx<'_, '_>) {
        text.close(cx);
        text.start = None;
        text.write_held(false, None, cx);
        let number = self.number();
        text.open = Some((Kind::Call, number));
        let block = self.tool_use(call, "{}");
        block_event(
            "content_block_start",
            number,
            "content_block",
            &block,
            &mut cx.out,
        );
    }

    fn call_delta(&self, text: &Text, json: &str, cx: &mut Cx<'_, '_>) {
        if let Some((Kind::Call, number)) = text.open {
            let json = string(json);
            let delta = format!("{{\"type\":\"input_json_delta\",\"partial_json\":{json}}}");
            block_event("content_block_delta", number, "delta", &delta, &mut cx.out);
        }
    }

    /// The block of a call that was found.
    fn tool_use(&mut self, call: &Call, input: &str) -> String {
        self.calls += 1;
        let id = ids::call("toolu", &self.suffix, 0, self.calls - 1);
        format!(
            "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{input}}}",
            string(call.id.as_deref().unwrap_or(&id)),
            string(&call.name),
        )
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The text whose start waits, and of which nothing has come.
    fn waiting(&mut self) -> Option<&mut Text> {
        match self.blocks.get_mut(&self.last)? {
            Block::Text(text) if text.start.is_some() && !text.has_come => Some(text),
            _ => None,
        }
    }

    /// A frame between others, such as a ping or a comment.
    ///
    /// As long as nothing has come of a text, one goes out after the text's start, so that the
    /// order stays. The next does not wait: it may be what keeps the connection alive.
    fn wait(&mut self, frame: Start, cx: &mut Cx<'_, '_>) {
        let is_of_text = false;
        match self.waiting().filter(|text| text.is_patient) {
            Some(text) => text.wait(
                Held {
                    start: frame,
                    is_of_text,
                },
                cx,
            ),
            None => frame.write(None, cx.out.bytes),
        }
    }

    fn start(&mut self, input: Input<'_>, index: u64, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        // A block with the number of an open one ends that.
        self.end(index, cx);
        self.make_room(cx);
        let block = root.get("content_block");
        let kind = block.map(block_kind);
        let is_held = changes.list.iter().any(|change| {
            matches!(&change.kind, ChangeKind::Call { native, .. } if native.is_held || native.is_twin)
        });
        let hides = cx.hides();
        self.last = index;
        let role = match kind.as_deref() {
            Some("text") => return self.start_text(input, index, changes, cx),
            Some("thinking" | "redacted_thinking") if hides => Block::Dropped,
            Some("tool_use") if is_held => Block::Dropped,
            _ => {
                let number = self.number();
                let mut patch = Patch::default();
                renumber(root, number, &mut patch);
                write(input, patch, cx);
                Block::Passed(number)
            }
        };
        self.blocks.insert(index, role);
    }

    /// The start of a text waits for text: there may be none.
    fn start_text(
        &mut self,
        input: Input<'_>,
        index: u64,
        changes: &mut Changes,
        cx: &mut Cx<'_, '_>,
    ) {
        let root = input.doc.root();
        let block = root.get("content_block");
        let mut patch = Patch::default();
        let mut given = None;
        for change in &mut changes.list {
            if let ChangeKind::Text { pieces, .. } = &mut change.kind {
                // Some clients do not read it there: it goes into a delta.
                let text = change.at.and_then(|at| root.at(at).text());
                let same = || vec![Piece::Text(text.unwrap_or_default().into_owned())];
                given = Some(pieces.take().unwrap_or_else(same));
            }
        }
        let is_odd = |block: &Value<'_>| given.is_some() || !block.has("text");
        if let Some(block) = block.filter(is_odd) {
            patch.set(block, "text", "\"\"", false);
        }
        let text = Text {
            start: Some(Start::new(input, patch, cx)),
            is_patient: true,
            has_come: given.is_some(),
            ..Text::default()
        };
        self.blocks.insert(index, Block::Text(Box::new(text)));
        if let Some(pieces) = given {
            self.pieces(index, pieces, cx);
        }
    }

    /// Where too many blocks are open, the first is over.
    fn make_room(&mut self, cx: &mut Cx<'_, '_>) {
        while self.blocks.len() >= MAX_BLOCKS {
            let Some((_, block)) = self.blocks.pop_first() else {
                return;
            };
            if let Block::Text(mut text) = block {
                self.release(&mut text, cx);
                text.close(cx);
            }
        }
    }

    fn delta(&mut self, input: Input<'_>, index: u64, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        let is_thought =
            |change: &Change| matches!(change.kind, ChangeKind::Thought { .. } | ChangeKind::Trace);
        let thinks = changes.list.iter().any(is_thought);
        let text = changes
            .list
            .iter_mut()
            .find_map(|change| match &mut change.kind {
                ChangeKind::Text { pieces, .. } => Some(pieces.take()),
                _ => None,
            });
        if thinks && cx.hides() {
            return;
        }
        match (self.blocks.get_mut(&index), text) {
            (Some(Block::Dropped), None) => {}
            (Some(Block::Passed(number)), None | Some(None)) => {
                let mut patch = Patch::default();
                renumber(input.doc.root(), *number, &mut patch);
                write(input, patch, cx);
            }
            (Some(Block::Text(text)), None) => {
                let text = std::mem::take(text);
                let text = self.beside_text(text, input, cx);
                self.blocks.insert(index, Block::Text(text));
            }
            (None, None) => {
                // It belongs to a block that nobody announced.
                self.make_room(cx);
                let number = self.number();
                self.blocks.insert(index, Block::Passed(number));
                let mut patch = Patch::default();
                renumber(input.doc.root(), number, &mut patch);
                write(input, patch, cx);
            }
            (_, Some(pieces)) => self.text(input, index, pieces, cx),
        }
    }

    /// Text, of a block that was announced or not.
    fn text(&mut self, input: Input<'_>, index: u64, pieces: Option<Pieces>, cx: &mut Cx<'_, '_>) {
        if !matches!(self.blocks.get(&index), Some(Block::Text(_))) {
            self.make_room(cx);
            self.blocks.insert(index, Block::Text(Box::default()));
        }
        let Some(Block::Text(text)) = self.blocks.get_mut(&index) else {
            return;
        };
        text.has_come = true;
        let Some(pieces) = pieces else {
            let mut text = std::mem::take(text);
            let number = match (text.open, text.start.is_some()) {
                // Nobody announced it, and nothing is found in it: it stays as it is.
                (None, false) if text.own.is_none() => {
                    let number = self.number();
                    (text.open, text.own) = (Some((Kind::Text, number)), Some(number));
                    number
                }
                _ => self.open(&mut text, Kind::Text, cx),
            };
            self.blocks.insert(index, Block::Text(text));
            let mut patch = Patch::default();
            renumber(input.doc.root(), number, &mut patch);
            return write(input, patch, cx);
        };
        self.pieces(index, pieces, cx);
    }

    /// What belongs to a text but is not text, such as citations.
    fn beside_text(
        &mut self,
        mut text: Box<Text>,
        input: Input<'_>,
        cx: &mut Cx<'_, '_>,
    ) -> Box<Text> {
        match (text.open, text.start.is_some()) {
            (Some((Kind::Text, number)), _) => {
                let mut patch = Patch::default();
                renumber(input.doc.root(), number, &mut patch);
                write(input, patch, cx);
            }
            (_, true) if !text.has_come => {
                let start = Start::new(input, Patch::default(), cx);
                let is_of_text = true;
                text.wait(Held { start, is_of_text }, cx);
            }
            _ => {}
        }
        text
    }

    fn stop(&mut self, input: Input<'_>, index: u64, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        let mut patch = Patch::default();
        let number = match self.blocks.remove(&index) {
            Some(Block::Text(mut text)) => {
                if text.start.is_some() && !text.has_come {
                    // The provider's own block is empty, and may stay so.
                    self.open(&mut text, Kind::Text, cx);
                }
                let is_own = text
                    .open
                    .is_some_and(|(_, number)| text.own == Some(number));
                if !is_own {
                    text.start = None;
                    text.write_held(false, None, cx);
                    return text.close(cx);
                }
                text.own
            }
            Some(Block::Passed(number)) => Some(number),
            Some(Block::Dropped) => return,
            // It would end another block under the number that it has here.
            None if index < self.next => return,
            None => None,
        };
        if let Some(number) = number {
            renumber(root, number, &mut patch);
        }
        write(input, patch, cx);
    }

    /// Ends a block that nobody has ended.
    fn end(&mut self, index: u64, cx: &mut Cx<'_, '_>) {
        if let Some(Block::Text(mut text)) = self.blocks.remove(&index) {
            self.release(&mut text, cx);
            text.close(cx);
        }
    }

    /// Writes the start of a text of which nothing has come, and what waits after it.
    fn release(&mut self, text: &mut Text, cx: &mut Cx<'_, '_>) {
        if text.start.is_some() && !text.has_come {
            self.open(text, Kind::Text, cx);
        }
        text.write_held(false, None, cx);
    }

    fn release_all(&mut self, cx: &mut Cx<'_, '_>) {
        let mut blocks = std::mem::take(&mut self.blocks);
        for block in blocks.values_mut() {
            if let Block::Text(text) = block {
                self.release(text, cx);
            }
        }
        self.blocks = blocks;
    }

    /// The message is over, and so are the texts that nobody has ended.
    fn close_all(&mut self, cx: &mut Cx<'_, '_>) {
        for (_, block) in std::mem::take(&mut self.blocks) {
            if let Block::Text(mut text) = block {
                self.release(&mut text, cx);
                text.close(cx);
            }
        }
    }

    fn message_delta(&mut self, input: Input<'_>, cx: &mut Cx<'_, '_>) {
        self.close_all(cx);
        let mut patch = Patch::default();
        let reason = input.doc.root().get("delta");
        let reason = reason.and_then(|delta| delta.get("stop_reason"));
        if let Some(reason) = reason.filter(|reason| self.calls > 0 && reason.is("end_turn")) {
            patch.replace(reason, "\"tool_use\"");
        }
        write(input, patch, cx);
    }

    /// A message that does not stream.
    fn body(&mut self, input: Input<'_>, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        self.suffix = ids::suffix(&root.given("id").unwrap_or_default());
        self.calls = 0;
        let blocks = root.get("content");
        let mut patch = Patch::default();
        let mut is_changed = false;
        let mut written = Vec::new();
        for (block, index) in blocks.into_iter().flat_map(Value::list).zip(0..) {
            match self.whole(block, index, &mut changes, cx) {
                Some(new) => {
                    is_changed = true;
                    written.extend(new);
                }
                None => written.push(block.raw().to_owned()),
            }
        }
        for change in &mut changes.list {
            if let ChangeKind::Flushed { slot, pieces } = &mut change.kind
                && slot.block == u64::MAX
            {
                is_changed = true;
                let pieces = std::mem::take(pieces);
                written.extend(
                    pieces
                        .into_iter()
                        .filter_map(|piece| self.block_of(piece, None)),
                );
            }
        }
        if let Some(content) = blocks.filter(|_| is_changed) {
            patch.replace(content, list_of(&written));
        }
        let reason = root.get("stop_reason");
        if let Some(reason) = reason.filter(|reason| self.calls > 0 && reason.is("end_turn")) {
            patch.replace(reason, "\"tool_use\"");
        }
        if !patch.is_empty() {
            patch.drop_shadowed(input.doc);
        }
        if patch.is_empty() {
            cx.out.same();
        } else {
            cx.out.patched(input.doc, patch, None);
        }
    }

    /// What a whole block becomes; `None` if it stays.
    fn whole(
        &mut self,
        block: Value<'_>,
        index: u64,
        changes: &mut Changes,
        cx: &Cx<'_, '_>,
    ) -> Option<Vec<String>> {
        let mut pieces = None;
        let mut same = None;
        for change in &mut changes.list {
            let is_in = change.at.is_some_and(|at| block.contains(at));
            match &mut change.kind {
                ChangeKind::Text { pieces: new, .. } if is_in => match new.take() {
                    Some(new) => pieces = Some(new),
                    None => same = change.at.and_then(|at| block.at(at).text()),
                },
                ChangeKind::Flushed { slot, pieces: new } if slot.block == index => {
                    let text = same.take().map(|text| Piece::Text(text.into_owned()));
                    let pieces = pieces.get_or_insert_with(|| Pieces::from_iter(text));
                    pieces.append(new);
                }
                ChangeKind::Thought { .. } | ChangeKind::Trace if is_in && cx.hides() => {
                    return Some(Vec::new());
                }
                ChangeKind::Call { native, .. } if is_in && (native.is_held || native.is_twin) => {
                    pieces.get_or_insert_default();
                }
                _ => {}
            }
        }
        let is_thought = ["thinking", "redacted_thinking"];
        if cx.hides() && is_thought.iter().any(|kind| block.says("type", kind)) {
            return Some(Vec::new());
        }
        let pieces = joined(pieces?);
        let text = block.given("text").unwrap_or_default();
        if matches!(&pieces[..], [Piece::Text(left)] if *left == text) {
            return None;
        }
        let blocks = pieces.into_iter();
        Some(
            blocks
                .filter_map(|piece| self.block_of(piece, Some(block)))
                .collect(),
        )
    }

    fn block_of(&mut self, piece: Piece, block: Option<Value<'_>>) -> Option<String> {
        match (piece, block) {
            (Piece::Text(text), Some(block)) => {
                let mut tape = Tape::default();
                let doc = tape.read(block.raw()).ok()?;
                let mut patch = Patch::default();
                patch.set(doc.root(), "text", &string(&text), false);
                Some(patch.json(doc))
            }
            (Piece::Text(text), None) => {
                Some(format!("{{\"type\":\"text\",\"text\":{}}}", string(&text)))
            }
            (Piece::Thought(text), _) => {
                let text = string(&text);
                Some(format!(
                    "{{\"type\":\"thinking\",\"thinking\":{text},\"signature\":\"\"}}"
                ))
            }
            (Piece::Call(call), _) => {
                let input = call.arguments.clone();
                Some(self.tool_use(&call, &input))
            }
            _ => None,
        }
    }
}

impl Text {
    /// Puts a frame after its start, if there is room.
    fn wait(&mut self, held: Held, cx: &mut Cx<'_, '_>) {
        let size: usize = self.held.iter().map(|held| held.start.raw.len()).sum();
        let limit = cx.options.frame_limit;
        let fits = self.held.len() < MAX_HELD_FRAMES && size + held.start.raw.len() <= limit;
        let is_second = self.held.iter().any(|held| !held.is_of_text);
        if fits && (held.is_of_text || !is_second) {
            self.held.push(held);
        } else if !held.is_of_text {
            self.hurry(cx);
            held.start.write(None, cx.out.bytes);
        }
    }

    /// Frames that do not belong to it wait no more.
    fn hurry(&mut self, cx: &mut Cx<'_, '_>) {
        self.is_patient = false;
        self.held.retain(|held| {
            if !held.is_of_text {
                held.start.write(None, cx.out.bytes);
            }
            held.is_of_text
        });
    }

    /// Writes what waits; what belongs to the text only with it, under this number.
    fn write_held(&mut self, with_text: bool, number: Option<u64>, cx: &mut Cx<'_, '_>) {
        for held in self.held.drain(..) {
            if !held.is_of_text {
                held.start.write(None, cx.out.bytes);
            } else if with_text {
                held.start.write(number, cx.out.bytes);
            }
        }
    }

    fn close(&mut self, cx: &mut Cx<'_, '_>) {
        if let Some((_, number)) = self.open.take() {
            let kind = "content_block_stop";
            let json = format!("{{\"type\":\"{kind}\",\"index\":{number}}}");
            cx.out.new_event(kind, &json);
        }
    }
}

fn block_event(kind: &str, number: u64, key: &str, json: &str, out: &mut Out<'_>) {
    let event = format!("{{\"type\":\"{kind}\",\"index\":{number},\"{key}\":{json}}}");
    out.new_event(kind, &event);
}

/// A call that was sent in part is refused: the client must not run it.
fn fail(text: &mut Text, code: &str, message: &str, cx: &mut Cx<'_, '_>) {
    // Before the end of its block: at that, some clients run a call.
    let message = string(&format!("{code}: {message}"));
    let error = format!("{{\"type\":\"invalid_tool_call\",\"message\":{message}}}");
    cx.out.new_event(
        "error",
        &format!("{{\"type\":\"error\",\"error\":{error}}}"),
    );
    text.close(cx);
}

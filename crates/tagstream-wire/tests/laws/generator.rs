//! Makes streams of every provider: any text field, interleaved choices and blocks, missing
//! announcements, odd types, repeated keys, unknown events, side fields, any line ends, with markup
//! and thinking in every text.

use serde_json::{Value, json};
use tagstream_wire::Format;

/// Where choices come from: a seed, or the bytes of a fuzzer.
pub trait Choose {
    /// A number below this one.
    fn below(&mut self, n: usize) -> usize;

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// Small random numbers, the same in every run.
pub struct Seed(pub u64);

impl Choose for Seed {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap_or(0)
    }
}

/// The bytes of a fuzzer; zeros after their end.
pub struct Bytes<'a>(pub &'a [u8]);

impl Choose for Bytes<'_> {
    fn below(&mut self, n: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first) % n
    }
}

/// A stream that was made.
pub struct Stream {
    pub format: Format,
    pub bytes: Vec<u8>,
    /// It is of the older completions.
    pub is_legacy: bool,
    /// Its blocks are open at the same time.
    pub is_interleaved: bool,
    /// Some of its frames are damaged, lost, repeated or moved.
    pub is_damaged: bool,
}

/// A letter that only thoughts have.
pub const SECRET: char = '\u{444}';

/// How odd a stream is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// As the provider's documents have it, and with nothing to find.
    Plain,
    /// As the documents have it.
    Regular,
    /// As servers write it.
    Odd,
}

pub const FORMATS: [Format; 5] = [
    Format::OpenAi,
    Format::Responses,
    Format::Anthropic,
    Format::Gemini,
    Format::Ollama,
];

/// A stream in this format.
pub fn stream(format: Format, oddity: Oddity, choose: &mut dyn Choose) -> Stream {
    let mut maker = Maker {
        choose,
        oddity,
        secrets: 0,
        calls: 0,
        end: "\n",
        frames: Vec::new(),
        is_legacy: false,
        is_interleaved: false,
        is_damaged: false,
    };
    if maker.odd(2) {
        maker.end = ["\r\n", "\r", "\n"][maker.choose.below(3)];
    }
    let bytes = match format {
        Format::Responses => maker.responses(),
        Format::Anthropic => maker.anthropic(),
        Format::Gemini => maker.gemini(),
        Format::Ollama => maker.ollama(),
        _ => maker.openai(),
    };
    Stream {
        format,
        bytes,
        is_legacy: maker.is_legacy,
        is_interleaved: maker.is_interleaved,
        is_damaged: maker.is_damaged,
    }
}

/// The arguments of calls, which are not thoughts.
const ARGUMENTS: [&str; 3] = ["arguments", "args", "input"];

struct Maker<'c> {
    choose: &'c mut dyn Choose,
    oddity: Oddity,
    secrets: usize,
    /// How many calls there are in texts.
    calls: usize,
    end: &'static str,
    frames: Vec<String>,
    is_legacy: bool,
    is_interleaved: bool,
    is_damaged: bool,
}

impl Maker<'_> {
    fn odd(&mut self, one_in: usize) -> bool {
        self.oddity == Oddity::Odd && self.choose.chance(one_in)
    }

    fn word(&mut self) -> String {
        let words = [
            "Hello ",
            "a < b ",
            "x",
            " \n",
            "é😀 ",
            "<b>bold</b> ",
            "`code` ",
            "&lt; ",
            "5 <",
            "\"q\" ",
            "\\ ",
            "\u{1}",
            "// ",
            "<thi",
            "{\"a\":1} ",
        ];
        words[self.choose.below(words.len())].to_owned()
    }

    fn secret(&mut self) -> String {
        self.secrets += 1;
        format!("{SECRET}{}{SECRET}\"\\\n", self.secrets)
    }

    /// A text, with something to find in it or not.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.choose.below(6) {
            let kind = self.choose.below(6);
            match kind {
                _ if self.oddity == Oddity::Plain => text.push_str(&self.plain()),
                0 => text.push_str(&format!("<think>{}</think>", self.secret())),
                1 => {
                    self.calls += 1;
                    let call = json!({"name": "f", "arguments": {"n": self.calls, "s": "<think>"}});
                    text.push_str(&format!("<tool_call>{call}</tool_call>"));
                }
                _ => text.push_str(&self.word()),
            }
        }
        text
    }

    fn plain(&mut self) -> String {
        ["Hello ", "you ", "é😀 ", "\n", "1 > 0 ", "\"q\" "][self.choose.below(6)].to_owned()
    }

    /// A text in pieces.
    fn pieces(&mut self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        let mut rest = &letters[..];
        while !rest.is_empty() {
            let length = 1 + self.choose.below(rest.len().min(12));
            pieces.push(rest[..length].iter().collect());
            rest = &rest[length..];
        }
        pieces
    }

    /// One of the queues that are not empty.
    fn any_of(&mut self, queues: &[Vec<Value>]) -> Option<usize> {
        let filled = |at: &usize| !queues[*at].is_empty();
        let filled: Vec<usize> = (0..queues.len()).filter(filled).collect();
        (!filled.is_empty()).then(|| filled[self.choose.below(filled.len())])
    }

    /// A number, perhaps as some servers write it.
    fn number(&mut self, number: usize) -> Value {
        if self.odd(8) {
            json!(number.to_string())
        } else {
            json!(number)
        }
    }

    fn event(&mut self, name: Option<&str>, data: &Value) {
        let data = self.json(data.clone());
        let mut frame = String::new();
        if self.odd(10) {
            frame.push_str(&format!(": comment{0}{0}", self.end));
        }
        if let Some(name) = name.filter(|_| !self.odd(15)) {
            frame.push_str(&format!("event: {name}{}", self.end));
        }
        let space = if self.odd(10) { "" } else { " " };
        frame.push_str(&format!("data:{space}{data}{0}{0}", self.end));
        self.frames.push(frame);
    }

    /// The frames, perhaps with some of them lost, repeated or moved.
    fn stream(&mut self) -> Vec<u8> {
        if self.odd(20) {
            let error = json!({"type": "error", "error": {"type": "t", "message": "m"}});
            let is_lines = self
                .frames
                .first()
                .is_some_and(|line| line.starts_with('{'));
            match is_lines {
                true => self.frames.push("{\"error\":\"m\"}\n".to_owned()),
                false => self.event(Some("error"), &error),
            }
        }
        let mut frames = std::mem::take(&mut self.frames);
        if self.odd(6) {
            self.is_damaged = true;
            for _ in 0..1 + self.choose.below(3) {
                let at = self.choose.below(frames.len().max(1));
                match self.choose.below(3) {
                    _ if frames.len() < 2 => {}
                    0 => drop(frames.remove(at)),
                    1 => frames.insert(at, frames[at].clone()),
                    _ => {
                        let frame = frames.remove(at);
                        let at = self.choose.below(frames.len() + 1);
                        frames.insert(at, frame);
                    }
                }
            }
        }
        frames.concat().into_bytes()
    }

    /// The JSON of a frame, perhaps with a value missing or of another type, a key that comes
    /// twice, or characters escaped that need not be.
    fn json(&mut self, mut value: Value) -> String {
        if self.odd(20) {
            self.is_damaged = true;
            self.damage(&mut value);
        }
        if self.odd(20) {
            self.is_damaged = true;
            self.litter(&mut value);
        }
        let mut json = String::new();
        let oddly = self.odd(4);
        self.print(&value, oddly, &mut json);
        json
    }

    /// Changes one value, somewhere in this one.
    fn damage(&mut self, value: &mut Value) {
        let count = match value {
            Value::Object(map) => map.len(),
            Value::Array(list) => list.len(),
            _ => 0,
        };
        let goes_on = self.choose.below(4) > 0;
        if count == 0 {
            *value = self.odd_value(value);
            return;
        }
        let at = self.choose.below(count);
        match value {
            Value::Object(map) => {
                let key = map.keys().nth(at).cloned().unwrap();
                let is_kind = ["object", "type"].contains(&&*key);
                match &mut map[&key] {
                    // Without it, nobody knows what the rest is: that is rare.
                    _ if is_kind && self.choose.below(4) > 0 => {}
                    inner if goes_on => self.damage(inner),
                    inner => match self.choose.below(2) {
                        0 => *inner = self.odd_value(inner),
                        _ => drop(map.remove(&key)),
                    },
                }
            }
            Value::Array(list) => self.damage(&mut list[at]),
            _ => {}
        }
    }

    /// Puts something somewhere where it does not belong: into a list what is not an object, and into
    /// an object a thought.
    fn litter(&mut self, value: &mut Value) {
        let inner: Vec<&mut Value> = match value {
            Value::Object(map) => {
                let members = map
                    .iter_mut()
                    .filter(|(key, _)| !ARGUMENTS.contains(&&***key));
                members.map(|(_, value)| value).collect()
            }
            Value::Array(list) => list.iter_mut().collect(),
            _ => return,
        };
        let mut inner: Vec<&mut Value> = inner
            .into_iter()
            .filter(|value| value.is_object() || value.is_array())
            .collect();
        if !inner.is_empty() && self.choose.below(4) > 0 {
            let at = self.choose.below(inner.len());
            return self.litter(inner[at]);
        }
        match value {
            Value::Array(list) => {
                let strange = [json!(true), json!(7), json!("x"), json!(null), json!([])];
                let mut strange = strange[self.choose.below(5)].clone();
                if strange.is_array() {
                    strange = json!([{"text": self.secret(), "thought": true}]);
                }
                let at = self.choose.below(list.len() + 1);
                list.insert(at, strange);
            }
            Value::Object(map) => {
                let secret = self.secret();
                let (key, thought) = match self.choose.below(4) {
                    0 => ("thinking", json!(secret)),
                    1 => ("reasoning_content", json!(secret)),
                    2 => (
                        "thinking_blocks",
                        json!([{"type": "thinking", "thinking": secret}]),
                    ),
                    _ => (
                        "provider_specific_fields",
                        json!({"reasoning_content": secret}),
                    ),
                };
                map.entry(key).or_insert(thought);
            }
            _ => {}
        }
    }

    fn odd_value(&mut self, value: &Value) -> Value {
        match (value, self.choose.below(3)) {
            (Value::Number(number), 0) => json!(number.to_string()),
            (Value::String(_), 0) => json!(7),
            (_, 1) => json!({}),
            _ => Value::Null,
        }
    }

    fn print(&mut self, value: &Value, oddly: bool, json: &mut String) {
        if !oddly {
            return json.push_str(&value.to_string());
        }
        match value {
            Value::Object(map) => {
                json.push('{');
                let mut comma = "";
                for (key, inner) in map {
                    if self.choose.chance(30) {
                        let other = match self.choose.below(4) {
                            0 => inner,
                            1 => &json!(self.secret()),
                            2 => &json!(null),
                            _ => &json!("zz"),
                        };
                        json.push_str(&format!("{comma}\"{key}\":{other}"));
                        comma = ",";
                    }
                    json.push_str(&format!("{comma}\"{key}\": "));
                    self.print(inner, true, json);
                    comma = ", ";
                }
                json.push('}');
            }
            Value::Array(list) => {
                json.push('[');
                for (at, inner) in list.iter().enumerate() {
                    json.push_str(if at > 0 { " , " } else { "" });
                    self.print(inner, true, json);
                }
                json.push(']');
            }
            Value::String(_) if self.choose.chance(2) => {
                let escaped = value.to_string().replace('<', "\\u003C");
                json.push_str(&escaped.replace('\u{444}', "\\u0444"));
            }
            _ => json.push_str(&value.to_string()),
        }
    }

    // OpenAI

    fn openai(&mut self) -> Vec<u8> {
        let is_legacy = self.choose.chance(5);
        self.is_legacy = is_legacy;
        if self.choose.chance(4) {
            return self.openai_body(is_legacy).to_string().into_bytes();
        }
        let count = 1 + self.choose.below(2);
        let mut queues: Vec<Vec<Value>> = (0..count).map(|_| self.deltas(is_legacy)).collect();
        let mut so_far = vec![String::new(); count];
        let is_cumulative = !is_legacy && self.odd(8);
        while let Some(at) = self.any_of(&queues) {
            let mut choices = Vec::new();
            let next = (at + 1) % count;
            let also = (self.odd(5) && next != at && !queues[next].is_empty()).then_some(next);
            for at in [Some(at), also].into_iter().flatten() {
                let delta = queues[at].remove(0);
                so_far[at].push_str(delta["content"].as_str().unwrap_or(""));
                let is_last = queues[at].is_empty();
                let mut choice = self.choice(at, delta, is_legacy, is_last);
                if is_cumulative {
                    choice["message"] = json!({"role": "assistant", "content": so_far[at]});
                }
                choices.push(choice);
            }
            let object = if is_legacy {
                "text_completion"
            } else {
                "chat.completion.chunk"
            };
            let mut chunk = json!({"id": "chatcmpl-1", "object": object,
                "created": 1, "model": "m", "choices": choices});
            if self.odd(10) {
                chunk["obfuscation"] = json!("xyz");
            }
            if self.odd(20) {
                chunk.as_object_mut().unwrap().remove("id");
            }
            if self.odd(12) {
                chunk["usage"] = json!({"total_tokens": 2});
            }
            self.event(None, &chunk);
            if self.odd(20) {
                self.frames.push(format!("event: ping{0}{0}", self.end));
            }
        }
        if self.choose.chance(2) {
            let usage = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
                "model": "m", "choices": [], "usage": {"total_tokens": 3}});
            self.event(None, &usage);
        }
        if !self.odd(5) {
            self.frames.push(format!("data: [DONE]{0}{0}", self.end));
        }
        self.stream()
    }

    fn choice(&mut self, at: usize, mut delta: Value, is_legacy: bool, is_last: bool) -> Value {
        if !is_legacy && delta.get("role").is_none() && self.odd(9) {
            delta["role"] = json!("assistant");
        }
        let index = self.number(at);
        let mut choice = match is_legacy {
            true => {
                json!({"index": index, "text": delta["content"].as_str().unwrap_or(""), "finish_reason": null})
            }
            false => json!({"index": index, "delta": delta, "finish_reason": null}),
        };
        // A finish in the middle of a native call makes two halves of it.
        let is_call = delta.get("tool_calls").is_some();
        if is_last || (self.odd(25) && !is_call) {
            choice["finish_reason"] = json!(["stop", "length"][self.choose.below(2)]);
        }
        self.side(&mut choice, &delta);
        choice
    }

    fn side(&mut self, choice: &mut Value, delta: &Value) {
        if !self.odd(6) {
            return;
        }
        let text = delta["content"].as_str().unwrap_or("");
        choice["logprobs"] = json!({"content": [{"token": text, "logprob": -1}]});
        if let Some(thought) = delta["reasoning_content"].as_str() {
            let key = ["reasoning_content", "reasoning", "tokens"][self.choose.below(3)];
            choice["logprobs"][key] = json!([{"token": thought}]);
            if self.choose.chance(2) {
                choice["provider_specific_fields"] = json!({"reasoning_content": thought});
            }
        } else if self.choose.chance(4) {
            // Those of a thought that came before.
            let secret = self.secret();
            choice["logprobs"] = json!({"tokens": [secret]});
        }
        if delta["content"].is_string() && self.odd(2) && choice.get("delta").is_some() {
            match self.choose.below(2) {
                0 => choice["text"] = delta["content"].clone(),
                _ => {
                    // Snowflake's.
                    choice["delta"]["text"] = delta["content"].clone();
                    let list = json!([{"type": "text", "text": delta["content"]}]);
                    choice["delta"]["content_list"] = list;
                }
            }
        }
    }

    /// The deltas of a choice.
    fn deltas(&mut self, is_legacy: bool) -> Vec<Value> {
        let mut deltas = Vec::new();
        let field = ["reasoning_content", "reasoning"][self.choose.below(2)];
        for _ in 0..1 + self.choose.below(3) {
            let kind = if is_legacy { 0 } else { self.choose.below(5) };
            match kind {
                1 if self.oddity != Oddity::Plain || self.choose.chance(2) => {
                    let secret = self.secret();
                    for piece in self.pieces(&secret) {
                        deltas.push(self.thought(field, &piece));
                    }
                }
                2 => deltas.push(json!({"refusal": self.text()})),
                3 => self.native_call(&mut deltas),
                _ => {
                    let text = self.text();
                    for piece in self.pieces(&text) {
                        let parts = json!([{"type": "text", "text": piece}]);
                        deltas.push(match self.odd(12) && !is_legacy {
                            true => json!({"content": parts}),
                            false => json!({"content": piece}),
                        });
                    }
                }
            }
        }
        deltas.push(json!({}));
        if !is_legacy {
            if self.odd(3) {
                self.together(&mut deltas);
            }
            if !self.odd(4) {
                deltas[0]["role"] = json!("assistant");
            }
        }
        deltas
    }

    /// Puts some deltas together that have nothing in common.
    fn together(&mut self, deltas: &mut Vec<Value>) {
        let mut at = 1;
        while at < deltas.len() {
            let (before, after) = deltas.split_at_mut(at);
            let (one, other) = (before[at - 1].as_object_mut(), after[0].as_object());
            let (Some(one), Some(other)) = (one, other) else {
                return;
            };
            if self.choose.chance(3) && !other.keys().any(|key| one.contains_key(key)) {
                one.extend(other.clone());
                deltas.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn thought(&mut self, field: &str, piece: &str) -> Value {
        if self.oddity != Oddity::Odd {
            return json!({field: piece});
        }
        let block = json!([{"type": "thinking", "thinking": piece, "signature": "s"}]);
        let detail = json!([{"type": "reasoning.text", "text": piece}]);
        match self.choose.below(9) {
            0 => json!({field: piece, "thinking_blocks": block}),
            7 => json!({"reasoning_text": piece, "reasoning_opaque": piece}),
            8 => json!({field: [{"type": "text", "text": piece}]}),
            1 => json!({"reasoning_details": detail}),
            2 => json!({"reasoning": piece, "reasoning_content": piece}),
            3 => {
                json!({field: piece, "provider_specific_fields": {"reasoning_content": piece, "x": 1}})
            }
            4 => {
                json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]})
            }
            _ => json!({field: piece}),
        }
    }

    fn native_call(&mut self, deltas: &mut Vec<Value>) {
        self.secrets += 1;
        let index = deltas
            .iter()
            .filter(|d| d["tool_calls"][0]["id"].is_string())
            .count();
        let id = format!("call_n{}", self.secrets);
        let (name, arguments) = self.native_arguments();
        let at = self.number(index);
        if self.odd(4) {
            let arguments = if self.choose.chance(2) {
                arguments
            } else {
                json!(arguments.to_string())
            };
            let function = json!({"name": name, "arguments": arguments});
            deltas.push(match self.choose.chance(4) {
                true => json!({"function_call": function}),
                false => json!({"tool_calls": [{"index": at, "id": id, "function": function}]}),
            });
            return;
        }
        deltas.push(
            json!({"tool_calls": [{"index": at, "id": id, "type": "function",
            "function": {"name": name, "arguments": ""}}]}),
        );
        for piece in self.pieces(&arguments.to_string()) {
            deltas
                .push(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}));
        }
    }

    /// A native call, perhaps one that is in the text too.
    fn native_arguments(&mut self) -> (&'static str, Value) {
        match self.odd(4) {
            true => ("f", json!({"s": "<think>", "n": self.calls})),
            false => ("g", json!({"native": self.secrets})),
        }
    }

    fn openai_body(&mut self, is_legacy: bool) -> Value {
        let count = 1 + self.choose.below(2);
        let choices: Vec<Value> = (0..count)
            .map(|index| {
                let text = self.text();
                if is_legacy {
                    return json!({"index": index, "text": text, "finish_reason": "stop"});
                }
                let mut message = json!({"role": "assistant", "content": text});
                if self.choose.chance(2) {
                    let secret = self.secret();
                    message["reasoning_content"] = json!(secret);
                }
                if self.choose.chance(3) {
                    message["refusal"] = json!(self.text());
                }
                if self.choose.chance(3) {
                    self.secrets += 1;
                    message["tool_calls"] = json!([{"id": "call_x", "type": "function",
                        "function": {"name": "g", "arguments": json!({"n": self.secrets}).to_string()}}]);
                }
                let mut choice = json!({"index": index, "message": message, "finish_reason": "stop"});
                if self.odd(3) {
                    let thought = choice["message"]["reasoning_content"].clone();
                    choice["message"]["thinking_blocks"] = json!([{"thinking": thought}]);
                    choice["logprobs"] = json!({"content": [{"token": thought}]});
                }
                choice
            })
            .collect();
        let object = if is_legacy {
            "text_completion"
        } else {
            "chat.completion"
        };
        json!({"id": "chatcmpl-1", "object": object, "created": 1, "model": "m",
            "choices": choices, "usage": {"total_tokens": 1}})
    }

    // Anthropic

    fn anthropic(&mut self) -> Vec<u8> {
        let count = self.choose.below(4);
        let blocks: Vec<(Value, Vec<Value>)> = (0..count).map(|index| self.block(index)).collect();
        if self.choose.chance(4) {
            let content: Vec<&Value> = blocks.iter().map(|(whole, _)| whole).collect();
            return json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content,
                "stop_reason": "end_turn", "usage": {"output_tokens": 1}})
            .to_string()
            .into_bytes();
        }
        let mut frames = Vec::new();
        if !self.odd(12) {
            frames.push(json!({"type": "message_start", "message": {"id": "msg_1",
                "content": [], "usage": {"input_tokens": 1}}}));
        }
        let mut queues: Vec<Vec<Value>> = blocks.into_iter().map(|(_, frames)| frames).collect();
        self.is_interleaved = self.odd(4);
        while let Some(first) = queues.iter().position(|queue| !queue.is_empty()) {
            let any = self.any_of(&queues).filter(|_| self.is_interleaved);
            frames.push(queues[any.unwrap_or(first)].remove(0));
            if self.odd(9) {
                frames.push(json!({"type": "ping"}));
            }
            if self.odd(20) {
                frames.push(json!({"type": "unknown_event", "x": 1}));
            }
        }
        frames.push(
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 2}}),
        );
        if !self.odd(8) {
            frames.push(json!({"type": "message_stop"}));
        }
        for frame in frames {
            let name = frame["type"].as_str().unwrap_or("").to_owned();
            self.event(Some(&name), &frame);
        }
        self.stream()
    }

    /// A block: whole, and as frames.
    fn block(&mut self, index: usize) -> (Value, Vec<Value>) {
        let kind = self.choose.below(4);
        let at = self.number(index);
        let frame =
            |kind: &str, key: &str, value: Value| json!({"type": kind, "index": at, key: value});
        let stop = json!({"type": "content_block_stop", "index": at});
        let mut frames = Vec::new();
        let whole = match kind {
            0 => {
                self.secrets += 1;
                let id = format!("toolu_n{}", self.secrets);
                let (name, input) = self.native_arguments();
                let block = |input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
                frames.push(frame(
                    "content_block_start",
                    "content_block",
                    block(json!({})),
                ));
                for piece in self.pieces(&input.to_string()) {
                    let delta = json!({"type": "input_json_delta", "partial_json": piece});
                    frames.push(frame("content_block_delta", "delta", delta));
                }
                block(input)
            }
            1 => {
                let secret = self.secret();
                let block =
                    |text: &str| json!({"type": "thinking", "thinking": text, "signature": ""});
                if !self.odd(6) {
                    frames.push(frame("content_block_start", "content_block", block("")));
                }
                for piece in self.pieces(&secret) {
                    let delta = json!({"type": "thinking_delta", "thinking": piece});
                    frames.push(frame("content_block_delta", "delta", delta));
                }
                let delta = json!({"type": "signature_delta", "signature": "c2ln"});
                frames.push(frame("content_block_delta", "delta", delta));
                block(&secret)
            }
            2 if self.odd(4) => {
                let data = self.secret();
                let block = json!({"type": "redacted_thinking", "data": data});
                frames.push(frame("content_block_start", "content_block", block.clone()));
                block
            }
            _ => {
                let text = self.text();
                let block = |text: &str| json!({"type": "text", "text": text});
                let mut pieces = self.pieces(&text);
                if !self.odd(6) {
                    let first = if self.odd(8) && !pieces.is_empty() {
                        pieces.remove(0)
                    } else {
                        String::new()
                    };
                    frames.push(frame("content_block_start", "content_block", block(&first)));
                }
                for piece in pieces {
                    let delta = json!({"type": "text_delta", "text": piece});
                    frames.push(frame("content_block_delta", "delta", delta));
                }
                block(&text)
            }
        };
        if !self.odd(12) {
            frames.push(stop);
        }
        (whole, frames)
    }

    // Responses

    fn responses(&mut self) -> Vec<u8> {
        let count = self.choose.below(4);
        let mut frames = vec![
            json!({"type": "response.created", "response": {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}}),
        ];
        let mut output = Vec::new();
        let mut queues = Vec::new();
        for index in 0..count {
            let (item, events) = self.item(index);
            queues.push(events);
            output.push(item);
        }
        self.is_interleaved = self.odd(6);
        while let Some(first) = queues.iter().position(|queue| !queue.is_empty()) {
            let any = self.any_of(&queues).filter(|_| self.is_interleaved);
            frames.push(queues[any.unwrap_or(first)].remove(0));
            if self.odd(30) {
                frames.push(json!({"type": "response.unknown_event", "x": 1}));
            }
        }
        let status = ["completed", "incomplete"][usize::from(self.odd(8))];
        let mut response = json!({"id": "resp_1", "object": "response", "status": status,
            "output": output, "usage": {"total_tokens": 1}});
        if self.odd(8) {
            let parts = output.iter().flat_map(|item| item["content"].as_array());
            let texts = parts.flatten().filter_map(|part| match &part["type"] {
                Value::String(kind) if kind == "output_text" => part["text"].as_str(),
                _ => None,
            });
            response["output_text"] = json!(texts.collect::<String>());
        }
        if self.odd(10) {
            // It continues a stream that was interrupted.
            frames.remove(0);
        }
        if self.choose.chance(4) {
            return response.to_string().into_bytes();
        }
        let mut last = json!({"type": format!("response.{status}"), "response": response});
        if self.odd(6) {
            last["response"]["output"] = json!([]);
        }
        frames.push(last);
        let is_numbered = !self.odd(8);
        for (number, mut frame) in frames.into_iter().enumerate() {
            if is_numbered {
                frame["sequence_number"] = json!(number);
            }
            let name = frame["type"].as_str().unwrap_or("").to_owned();
            let is_untyped = self.odd(20);
            if is_untyped {
                frame.as_object_mut().unwrap().remove("type");
            }
            self.event(Some(&name), &frame);
            if let Some(last) = self.frames.last_mut()
                && is_untyped
                && !last.contains("event:")
            {
                // The name of the event says it alone.
                let named = format!("event: {name}{}data:", self.end);
                *last = last.replacen("data:", &named, 1);
            }
        }
        self.stream()
    }

    fn item(&mut self, index: usize) -> (Value, Vec<Value>) {
        let kind = self.choose.below(4);
        let id = format!("item_{index}");
        let event = |kind: &str, more: Value| {
            let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
            event
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            event
        };
        let mut events = Vec::new();
        if kind == 0 {
            self.secrets += 1;
            let (tool, arguments) = self.native_arguments();
            let arguments = arguments.to_string();
            let call_id = format!("call_n{}", self.secrets);
            let item = |arguments: &str, status: &str| {
                json!({"id": id, "type": "function_call", "call_id": call_id,
                "name": tool, "arguments": arguments, "status": status})
            };
            events.push(event(
                "output_item.added",
                json!({"item": item("", "in_progress")}),
            ));
            for piece in self.pieces(&arguments) {
                events.push(event(
                    "function_call_arguments.delta",
                    json!({"item_id": id, "delta": piece}),
                ));
            }
            events.push(event(
                "function_call_arguments.done",
                json!({"item_id": id, "arguments": arguments}),
            ));
            let whole = item(&arguments, "completed");
            events.push(event("output_item.done", json!({"item": whole})));
            return (whole, events);
        }
        let (item_type, part_type, name, key) = match kind {
            1 if self.odd(3) => (
                "reasoning",
                "summary_text",
                "reasoning_summary_text",
                "text",
            ),
            1 => ("reasoning", "reasoning_text", "reasoning_text", "text"),
            2 if self.choose.chance(3) => ("message", "refusal", "refusal", "refusal"),
            _ => ("message", "output_text", "output_text", "text"),
        };
        let is_summary = part_type == "summary_text";
        let item = |status: &str, content: &[Value]| match item_type {
            "reasoning" if is_summary => {
                json!({"id": id, "type": item_type, "summary": content, "encrypted_content": "e", "status": status})
            }
            "reasoning" => {
                json!({"id": id, "type": item_type, "summary": [], "content": content, "status": status})
            }
            _ => {
                json!({"id": id, "type": item_type, "role": "assistant", "content": content, "status": status})
            }
        };
        if !self.odd(6) {
            events.push(event(
                "output_item.added",
                json!({"item": item("in_progress", &[])}),
            ));
        }
        let mut content = Vec::new();
        let only_at_end = self.odd(8);
        // Some servers count the parts of all items.
        let is_running = self.odd(8);
        for at in 0..1 + self.choose.below(2) {
            let text = match item_type {
                "reasoning" => self.secret(),
                _ => self.text(),
            };
            let part = |text: &str| json!({"type": part_type, key: text});
            let number = if is_running { index + at } else { at };
            let number_key = if is_summary {
                "summary_index"
            } else {
                "content_index"
            };
            let of =
                |key: &str, value: Value| json!({"item_id": id, number_key: number, key: value});
            let part_event = if is_summary {
                "reasoning_summary_part"
            } else {
                "content_part"
            };
            if !only_at_end {
                if !self.odd(6) {
                    let kind = format!("{part_event}.added");
                    events.push(event(&kind, of("part", part(""))));
                }
                for piece in self.pieces(&text) {
                    events.push(event(&format!("{name}.delta"), of("delta", json!(piece))));
                }
                if !self.odd(8) {
                    events.push(event(&format!("{name}.done"), of(key, json!(text))));
                    let kind = format!("{part_event}.done");
                    events.push(event(&kind, of("part", part(&text))));
                }
            }
            content.push(part(&text));
        }
        let whole = item("completed", &content);
        events.push(event("output_item.done", json!({"item": whole})));
        (whole, events)
    }

    // Gemini and Ollama

    fn gemini(&mut self) -> Vec<u8> {
        let count = 1 + self.choose.below(2);
        let mut frames = Vec::new();
        let frame_count = 1 + self.choose.below(5);
        let mut texts: Vec<Vec<String>> = Vec::new();
        for _ in 0..count {
            let text = self.text();
            texts.push(self.pieces(&text));
        }
        for number in 0..frame_count {
            let is_last = number + 1 == frame_count;
            let mut candidates = Vec::new();
            for (index, pieces) in texts.iter_mut().enumerate() {
                let mut parts = Vec::new();
                if self.choose.chance(4) {
                    let secret = self.secret();
                    parts.push(json!({"text": secret, "thought": true}));
                }
                let left = pieces.len();
                let take = if is_last {
                    left
                } else {
                    self.choose.below(left + 1)
                };
                parts.extend(pieces.drain(..take).map(|piece| json!({"text": piece})));
                if self.choose.chance(6) {
                    self.secrets += 1;
                    let (name, args) = self.native_arguments();
                    parts.push(json!({"functionCall": {"name": name, "args": args}}));
                }
                if !parts.is_empty() && self.odd(6) {
                    let last = parts.len() - 1;
                    parts[last]["thoughtSignature"] = json!("c2ln");
                }
                let at = self.number(index);
                let mut candidate =
                    json!({"content": {"role": "model", "parts": parts}, "index": at});
                if is_last || self.odd(4) {
                    candidate["finishReason"] = json!("STOP");
                }
                if self.odd(6) {
                    let tokens = candidate["content"]["parts"].clone();
                    candidate["logprobsResult"] = json!({"chosenCandidates": tokens});
                }
                if self.odd(12) {
                    let secret = self.secret();
                    candidate["logprobsResult"] = json!({"chosenCandidates": [{"token": secret}]});
                    candidate["avgLogprobs"] = json!(-1);
                }
                if index == 0 && self.odd(6) {
                    candidate.as_object_mut().unwrap().remove("index");
                }
                candidates.push(candidate);
            }
            frames.push(
                json!({"candidates": candidates, "usageMetadata": {"totalTokenCount": number}}),
            );
        }
        if self.choose.chance(3) {
            let frames: Vec<String> = frames.iter().map(Value::to_string).collect();
            return format!("[{}]", frames.join(",\r\n")).into_bytes();
        }
        for frame in frames {
            self.event(None, &frame);
        }
        self.stream()
    }

    fn ollama(&mut self) -> Vec<u8> {
        let is_chat = !self.choose.chance(3);
        let mut lines: Vec<Value> = Vec::new();
        let key = if is_chat { "content" } else { "response" };
        for _ in 0..1 + self.choose.below(3) {
            match self.choose.below(4) {
                0 => {
                    let secret = self.secret();
                    for piece in self.pieces(&secret) {
                        lines.push(json!({key: "", "thinking": piece}));
                    }
                }
                1 if is_chat => {
                    self.secrets += 1;
                    let (name, arguments) = self.native_arguments();
                    let call = json!({"function": {"name": name, "arguments": arguments}});
                    lines.push(json!({key: "", "tool_calls": [call]}));
                }
                _ => {
                    let text = self.text();
                    lines.extend(
                        self.pieces(&text)
                            .into_iter()
                            .map(|piece| json!({key: piece})),
                    );
                }
            }
        }
        let end = if self.end == "\r\n" { "\r\n" } else { "\n" };
        let count = lines.len();
        for (number, inner) in lines.into_iter().chain([json!({key: ""})]).enumerate() {
            let mut line = json!({"model": "q", "created_at": "2026-11-01T00:00:00Z"});
            let mut inner = inner;
            if self.odd(6) {
                line["logprobs"] =
                    json!([{"token": inner["thinking"].as_str().or(inner[key].as_str())}]);
            }
            if is_chat {
                inner["role"] = json!("assistant");
                line["message"] = inner;
            } else {
                line.as_object_mut()
                    .unwrap()
                    .extend(inner.as_object().unwrap().clone());
            }
            line["done"] = json!(number == count);
            if number == count {
                line["done_reason"] = json!("stop");
            }
            let line = self.json(line);
            self.frames.push(format!("{line}{end}"));
        }
        self.stream()
    }
}

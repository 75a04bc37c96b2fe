//! JSON texts, indexed: one pass finds where every value begins and ends, so that values are read in
//! place and edits are spliced into the text.

mod patch;

pub(crate) use patch::Patch;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    List,
    String,
    Number,
    True,
    False,
    Null,
}

/// A value: its place in the text, and in the tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// Where its key begins and ends, quotes included; equal if it has none.
    key: u32,
    key_end: u32,
    /// The node after it and all that is in it.
    next: u32,
    /// Keys that differ in this differ.
    tag: u32,
    /// The bits of the keys in it: an object without the bit of a key does not have that key.
    keys: u64,
    kind: Kind,
    /// The string has escapes; the key has.
    is_escaped: bool,
    is_key_escaped: bool,
}

/// The values of a JSON text, in the order of the text: what is in a value follows it. Kept from
/// frame to frame, so that reading a frame allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    nodes: Vec<Node>,
    open: Vec<u32>,
    /// Members that a later member with the same key replaces.
    shadowed: Vec<u32>,
}

/// How many values may be in each other, as for `serde_json`: writing edits recurses.
const MAX_DEPTH: usize = 128;

/// More nodes are not kept for the next frame.
const MAX_KEPT_NODES: usize = 1 << 14;

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    problem: &'static str,
    at: usize,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at column {}", self.problem, self.at + 1)
    }
}

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// A JSON text with its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doc<'a> {
    pub(crate) text: &'a str,
    tape: &'a Tape,
}

impl Tape {
    /// Reads a text.
    pub(crate) fn read<'a>(&'a mut self, text: &'a str) -> Result<Doc<'a>, Fault> {
        self.nodes.clear();
        self.open.clear();
        self.shadowed.clear();
        if self.nodes.capacity() > MAX_KEPT_NODES {
            self.nodes.shrink_to(MAX_KEPT_NODES);
        }
        let mut parser = Parser {
            bytes: text.as_bytes(),
            at: 0,
            tape: self,
        };
        parser.run()?;
        Ok(Doc { text, tape: self })
    }

    /// Notes which keys an object may have, and which of its members later ones replace.
    fn note_keys(&mut self, object: u32, text: &[u8]) {
        let end = index(self.nodes.len());
        let (mut at, mut keys, mut count) = (object + 1, 0_u64, 0);
        let mut may_repeat = false;
        while at < end && count < MAX_COMPARED_KEYS {
            let node = &self.nodes[at as usize];
            let bit = bit(node.tag);
            // A repeated key sets no new bit. That is rare otherwise, and only then keys are compared.
            may_repeat |= node.is_key_escaped || (keys & bit != 0 && self.has_tag(object, at));
            keys |= if node.is_key_escaped { u64::MAX } else { bit };
            at = node.next;
            count += 1;
        }
        let is_large = at < end;
        self.nodes[object as usize].keys = if is_large { u64::MAX } else { keys };
        if may_repeat || is_large {
            self.compare_keys(object, text);
        }
    }

    /// Whether a member of an object before this one has its tag.
    fn has_tag(&self, object: u32, member: u32) -> bool {
        let tag = self.nodes[member as usize].tag;
        let mut at = object + 1;
        while at < member {
            let node = &self.nodes[at as usize];
            if node.tag == tag {
                return true;
            }
            at = node.next;
        }
        false
    }

    #[cold]
    fn compare_keys(&mut self, object: u32, text: &[u8]) {
        let (mut at, end) = (object + 1, index(self.nodes.len()));
        let mut last = HashMap::new();
        while at < end {
            let node = &self.nodes[at as usize];
            let key = unescaped(&text[node.key as usize..node.key_end as usize]);
            self.shadowed.extend(last.insert(key, at));
            at = node.next;
        }
    }
}

/// An object with more keys is taken to repeat some: finding out here would take too long.
const MAX_COMPARED_KEYS: usize = 64;

/// What tells most keys apart: the length, and the first, the middle and the last byte.
fn tag(key: &[u8]) -> u32 {
    let Some((first, last)) = key.first().zip(key.last()) else {
        return 0;
    };
    let middle = key[key.len() / 2];
    u32::from_le_bytes([*first, middle, *last, key.len().to_le_bytes()[0]])
}

/// The bit of keys with this tag.
fn bit(tag: u32) -> u64 {
    1 << (tag.wrapping_mul(0x9E37_79B1) >> 26)
}

/// A key without its escapes.
fn unescaped(quoted: &[u8]) -> Cow<'_, str> {
    let text = std::str::from_utf8(quoted).unwrap_or("\"\"");
    unescape(&text[1..text.len() - 1])
}

struct Parser<'p> {
    bytes: &'p [u8],
    at: usize,
    tape: &'p mut Tape,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        if u32::try_from(self.bytes.len()).is_err() {
            return self.fault("the text is too long");
        }
        self.blank();
        self.value(0, 0, false)?;
        while let Some(&top) = self.tape.open.last() {
            self.blank();
            match self.tape.nodes[top as usize].kind {
                Kind::Object => self.member(top)?,
                _ => self.element(top)?,
            }
        }
        self.blank();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            self.fault("text after the value")
        }
    }

    fn fault<T>(&self, problem: &'static str) -> Result<T, Fault> {
        let at = self.at;
        Err(Fault { problem, at })
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    /// Whether a container ends here. Between its members there is a comma.
    fn ends(&mut self, top: u32, closer: u8) -> Result<bool, Fault> {
        if self.peek() == closer {
            self.at += 1;
            let next = self.count();
            let node = &mut self.tape.nodes[top as usize];
            (node.end, node.next) = (index(self.at), next);
            self.tape.open.pop();
            if closer == b'}' {
                self.tape.note_keys(top, self.bytes);
            }
            return Ok(true);
        }
        if self.count() > top + 1 {
            if self.peek() != b',' {
                return self.fault("a comma or the end of the value is missing");
            }
            self.at += 1;
            self.blank();
        }
        Ok(false)
    }

    fn member(&mut self, top: u32) -> Result<(), Fault> {
        if self.ends(top, b'}')? {
            return Ok(());
        }
        if self.peek() != b'"' {
            return self.fault("a key is missing");
        }
        let start = self.at;
        let is_escaped = self.string()?;
        let end = self.at;
        self.blank();
        if self.peek() != b':' {
            return self.fault("a colon is missing");
        }
        self.at += 1;
        self.blank();
        self.value(index(start), index(end), is_escaped)
    }

    fn element(&mut self, top: u32) -> Result<(), Fault> {
        if self.ends(top, b']')? {
            return Ok(());
        }
        self.value(0, 0, false)
    }

    fn count(&self) -> u32 {
        index(self.tape.nodes.len())
    }

    fn value(&mut self, key: u32, key_end: u32, is_key_escaped: bool) -> Result<(), Fault> {
        let start = self.at;
        let mut is_escaped = false;
        let kind = match self.peek() {
            b'"' => {
                is_escaped = self.string()?;
                Kind::String
            }
            b'{' => Kind::Object,
            b'[' => Kind::List,
            b't' => self.word(b"true", Kind::True)?,
            b'f' => self.word(b"false", Kind::False)?,
            b'n' => self.word(b"null", Kind::Null)?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => return self.fault("a value is missing"),
        };
        let number = self.count();
        let tag = if key == key_end {
            0
        } else {
            tag(&self.bytes[key as usize + 1..key_end as usize - 1])
        };
        if matches!(kind, Kind::Object | Kind::List) {
            if self.tape.open.len() + 1 >= MAX_DEPTH {
                return self.fault("values are nested too deeply");
            }
            self.at += 1;
            self.tape.open.push(number);
        }
        self.tape.nodes.push(Node {
            start: index(start),
            end: index(self.at),
            key,
            key_end,
            next: number + 1,
            tag,
            keys: 0,
            kind,
            is_escaped,
            is_key_escaped,
        });
        Ok(())
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<Kind, Fault> {
        if !self.bytes[self.at..].starts_with(word) {
            return self.fault("a value is missing");
        }
        self.at += word.len();
        Ok(kind)
    }

    fn number(&mut self) -> Result<Kind, Fault> {
        if self.peek() == b'-' {
            self.at += 1;
        }
        match self.peek() {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().is_ascii_digit() {
            return self.fault("a digit is missing");
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// Reads a string; whether it has escapes.
    fn string(&mut self) -> Result<bool, Fault> {
        let mut is_escaped = false;
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(length) = special(rest) else {
                self.at = self.bytes.len();
                return self.fault("a string does not end");
            };
            self.at += length;
            match rest[length] {
                b'"' => {
                    self.at += 1;
                    return Ok(is_escaped);
                }
                b'\\' => {
                    is_escaped = true;
                    self.escape()?;
                }
                _ => return self.fault("a control character in a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let length = match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return self.fault("an invalid escape");
                }
                6
            }
            _ => return self.fault("an invalid escape"),
        };
        self.at += length;
        Ok(())
    }
}

/// Where the next byte is that ends a string, begins an escape, or is not allowed in it.
fn special(bytes: &[u8]) -> Option<usize> {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = EACH << 7;
    // The lowest byte that is less than this one has its high bit set; higher ones may have it too.
    let less = |word: u64, than: u64| word.wrapping_sub(EACH * than) & !word & HIGH;
    let mut words = bytes.chunks_exact(8);
    for (word, at) in words.by_ref().zip((0..).step_by(8)) {
        let word = u64::from_le_bytes(<[u8; 8]>::try_from(word).unwrap_or_default());
        let is = |byte: u8| less(word ^ (EACH * u64::from(byte)), 1);
        let found = is(b'"') | is(b'\\') | less(word, 0x20);
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..=0x1f);
    let rest = words.remainder();
    let at = rest.iter().position(is_special)?;
    Some(bytes.len() - rest.len() + at)
}

/// Offsets fit: longer texts are refused before anything is read.
fn index(at: usize) -> u32 {
    debug_assert!(u32::try_from(at).is_ok());
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'a> Doc<'a> {
    pub(crate) fn root(self) -> Value<'a> {
        self.value(NodeId(0))
    }

    pub(crate) fn value(self, id: NodeId) -> Value<'a> {
        Value { doc: self, id }
    }

    /// Members that a later member with the same key replaces: nobody reads them.
    pub(crate) fn shadowed(self) -> impl Iterator<Item = NodeId> + 'a {
        self.tape.shadowed.iter().map(|at| NodeId(*at))
    }

    fn node(self, id: NodeId) -> &'a Node {
        &self.tape.nodes[id.0 as usize]
    }
}

/// A value of a document.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    doc: Doc<'a>,
    pub(crate) id: NodeId,
}

impl<'a> Value<'a> {
    fn node(self) -> &'a Node {
        self.doc.node(self.id)
    }

    pub(crate) fn kind(self) -> Kind {
        self.node().kind
    }

    pub(crate) fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Its JSON text.
    pub(crate) fn raw(self) -> &'a str {
        let node = self.node();
        &self.doc.text[node.start as usize..node.end as usize]
    }

    /// The values in it.
    pub(crate) fn items(self) -> impl Iterator<Item = Value<'a>> + Clone {
        let (doc, end) = (self.doc, self.node().next);
        let is_container = matches!(self.kind(), Kind::Object | Kind::List);
        let mut at = if is_container { self.id.0 + 1 } else { end };
        std::iter::from_fn(move || {
            let id = (at < end).then_some(NodeId(at))?;
            at = doc.node(id).next;
            Some(Value { doc, id })
        })
    }

    /// The elements of a list; nothing for any other value.
    pub(crate) fn list(self) -> impl Iterator<Item = Value<'a>> + Clone {
        let is_list = self.kind() == Kind::List;
        self.items().filter(move |_| is_list)
    }

    /// The objects of a list: nothing else in a list of choices, parts, blocks, items or calls can be
    /// one of them.
    pub(crate) fn objects(self) -> impl Iterator<Item = Value<'a>> + Clone {
        self.list().filter(|item| item.is_object())
    }

    /// Whether a value is in it, or is it.
    pub(crate) fn contains(self, id: NodeId) -> bool {
        id >= self.id && id.0 < self.node().next
    }

    /// Another value of the same document.
    pub(crate) fn at(self, id: NodeId) -> Value<'a> {
        Value { id, ..self }
    }

    /// Its key in the object around it.
    pub(crate) fn key(self) -> Cow<'a, str> {
        let node = self.node();
        if node.key == node.key_end {
            return Cow::Borrowed("");
        }
        let raw = &self.doc.text[node.key as usize + 1..node.key_end as usize - 1];
        if node.is_key_escaped {
            unescape(raw)
        } else {
            Cow::Borrowed(raw)
        }
    }

    /// The member with this key: the last one, as all clients read it.
    pub(crate) fn member(self, key: &str) -> Option<Value<'a>> {
        let (object, tag) = (self.node(), tag(key.as_bytes()));
        if object.kind != Kind::Object || object.keys & bit(tag) == 0 {
            return None;
        }
        let (nodes, is_single) = (&self.doc.tape.nodes, self.doc.tape.shadowed.is_empty());
        let (mut at, mut found) = (self.id.0 + 1, None);
        while at < object.next {
            let node = &nodes[at as usize];
            if (node.tag == tag || node.is_key_escaped) && self.is_key(node, key) {
                found = Some(self.at(NodeId(at)));
                if is_single && object.keys != u64::MAX {
                    break;
                }
            }
            at = node.next;
        }
        found
    }

    fn is_key(self, node: &Node, key: &str) -> bool {
        let raw = &self.doc.text[node.key as usize + 1..node.key_end as usize - 1];
        raw == key || (node.is_key_escaped && unescape(raw) == key)
    }

    /// The same, unless it is null.
    pub(crate) fn get(self, key: &str) -> Option<Value<'a>> {
        self.member(key).filter(|value| value.kind() != Kind::Null)
    }

    pub(crate) fn has(self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// The text of a string. Servers differ: a number or a word in its place is text too.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self.kind() {
            Kind::String => Some(self.string()),
            Kind::Number | Kind::True | Kind::False => Some(Cow::Borrowed(self.raw())),
            _ => None,
        }
    }

    fn string(self) -> Cow<'a, str> {
        let raw = self.raw();
        let inner = &raw[1..raw.len() - 1];
        if self.node().is_escaped {
            unescape(inner)
        } else {
            Cow::Borrowed(inner)
        }
    }

    /// The text under a key, unless there is none or it is empty.
    pub(crate) fn given(self, key: &str) -> Option<Cow<'a, str>> {
        let text = self.member(key)?.text()?;
        (!text.is_empty()).then_some(text)
    }

    /// The string under a key, unless it is empty: only where no server writes anything else.
    pub(crate) fn word(self, key: &str) -> Option<Cow<'a, str>> {
        let value = self.member(key)?;
        let is_word = value.kind() == Kind::String && !value.is_empty();
        is_word.then(|| value.string())
    }

    /// Whether the string under a key is this one.
    pub(crate) fn says(self, key: &str, text: &str) -> bool {
        self.member(key).is_some_and(|value| value.is(text))
    }

    /// Whether it is this string.
    pub(crate) fn is(self, text: &str) -> bool {
        self.kind() == Kind::String && self.string() == text
    }

    /// A number, also one in a string, or written as `0.0`.
    pub(crate) fn number(self) -> Option<u64> {
        match self.kind() {
            Kind::String => self.string().parse().ok(),
            Kind::Number => {
                let raw = self.raw();
                let number = raw.parse().ok();
                number.or_else(|| raw.parse::<f64>().ok()?.to_string().parse().ok())
            }
            _ => None,
        }
    }

    /// The number under a key.
    pub(crate) fn number_at(self, key: &str) -> Option<u64> {
        self.member(key)?.number()
    }

    /// Whether it is true, also in a string.
    pub(crate) fn is_true(self, key: &str) -> bool {
        self.member(key)
            .is_some_and(|value| value.kind() == Kind::True || value.is("true"))
    }

    /// Whether it is null, an empty string, or an empty list or object.
    pub(crate) fn is_empty(self) -> bool {
        match self.kind() {
            Kind::Null => true,
            Kind::String => self.raw() == "\"\"",
            Kind::Object | Kind::List => self.items().next().is_none(),
            _ => false,
        }
    }
}

/// A JSON string, without its quotes, as text. Half a character becomes U+FFFD.
fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (character, length) = match escape.as_bytes().first() {
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(b'u') => unicode(escape),
            _ => (escape.chars().next().unwrap_or('\\'), 1),
        };
        text.push(character);
        rest = &escape[length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of an escape that begins with `u`, and how many bytes it takes.
fn unicode(escape: &str) -> (char, usize) {
    let unit = |at: usize| u16::from_str_radix(escape.get(at..at + 4)?, 16).ok();
    let first = unit(1).unwrap_or(0xFFFD);
    let second = escape
        .get(5..7)
        .filter(|next| *next == "\\u")
        .and_then(|_| unit(7));
    let one = char::decode_utf16([first]).next().and_then(Result::ok);
    let both = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (one, both) {
        (Some(one), _) => (one, 5),
        (None, Some(both)) => (both, 11),
        (None, None) => (char::REPLACEMENT_CHARACTER, 5),
    }
}

/// The JSON text of a string.
pub(crate) fn string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_string(text, &mut json);
    json
}

/// Appends the JSON text of a string.
pub(crate) fn push_string(text: &str, json: &mut String) {
    json.push('"');
    push_escaped(text, json);
    json.push('"');
}

/// Appends a piece of a JSON string.
pub(crate) fn push_escaped(text: &str, json: &mut String) {
    let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        json.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            other => json.push_str(&format!("\\u{other:04x}")),
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
}

/// The JSON text of a list.
pub(crate) fn list_of(elements: &[impl AsRef<str>]) -> String {
    let elements: Vec<&str> = elements.iter().map(AsRef::as_ref).collect();
    format!("[{}]", elements.join(","))
}

/// The JSON text of an object with these members; those without a value are left out.
pub(crate) fn object_of(members: &[(&str, &str)]) -> String {
    let mut json = String::from("{");
    for (key, value) in members {
        if json.len() > 1 {
            json.push(',');
        }
        push_string(key, &mut json);
        json.push(':');
        json.push_str(value);
    }
    json.push('}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_are() {
        let mut tape = Tape::default();
        let text = r#" {"a" : [1, "x\ud83d\ude00\n", {"b":null}], "c":{}, "d":-1.5e3} "#;
        let root = tape.read(text).unwrap().root();
        let a: Vec<_> = root.get("a").unwrap().items().collect();
        assert_eq!(a[0].number(), Some(1));
        assert_eq!(a[1].text().unwrap(), "x😀\n");
        assert!(a[2].get("b").is_none() && a[2].has("b"));
        assert_eq!(root.get("c").unwrap().raw(), "{}");
        assert_eq!(root.get("d").unwrap().number(), None);
        let keys: Vec<_> = root.items().map(Value::key).collect();
        assert_eq!(keys, ["a", "c", "d"]);
    }

    #[test]
    fn the_last_of_repeated_keys_counts_however_it_is_written() {
        let mut tape = Tape::default();
        let doc = tape.read(r#"{"a":1,"b":2,"\u0061":3}"#).unwrap();
        assert_eq!(doc.root().number_at("a"), Some(3));
        let shadowed: Vec<_> = doc.shadowed().map(|id| doc.value(id).raw()).collect();
        assert_eq!(shadowed, ["1"]);
        let many: Vec<String> = (0..100).map(|n| format!("\"k{n}\":{n}")).collect();
        let text = format!("{{{},\"k70\":0}}", many.join(","));
        let doc = tape.read(&text).unwrap();
        let shadowed: Vec<_> = doc.shadowed().map(|id| doc.value(id).raw()).collect();
        assert_eq!(shadowed, ["70"]);
    }

    #[test]
    fn what_serde_refuses_is_refused_and_nothing_else() {
        let texts = [
            "",
            "{",
            "}",
            "[1,]",
            "{\"a\":1,}",
            "{,}",
            "[,]",
            "{\"a\"}",
            "{\"a\":}",
            "01",
            "1.",
            "-",
            "1e",
            "tru",
            "nul",
            "\"\\q\"",
            "\"\\u12\"",
            "\"\t\"",
            "[1 2]",
            "{} {}",
            "\"a",
            "[]",
            "{}",
            " [ ] ",
            "-0.5E-2",
            "0",
            "true",
            "\"\\/\\u00e9\"",
            "{\"a\":{\"a\":[{}]}}",
            "[[[[",
            "]",
            "{\"a\":[}",
            "nulll",
            "1 ",
            "{1:2}",
        ];
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let deep = [nested(MAX_DEPTH - 1), nested(MAX_DEPTH)];
        for text in texts.into_iter().chain(deep.iter().map(String::as_str)) {
            let expected = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(Tape::default().read(text).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn strings_are_written_as_they_are_read() {
        let text = "a\"\\\n\t\u{1}é\u{1f600}/";
        let json = string(text);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        assert_eq!(
            Tape::default().read(&json).unwrap().root().text().unwrap(),
            text
        );
    }

    #[test]
    fn special_bytes_are_found_wherever_they_are() {
        for special_byte in [b'"', b'\\', b'\n', 0, 0x1f] {
            for length in 0..20 {
                let mut bytes = vec![b'a'; length];
                bytes.extend([0x20, 0x7f, 0x80, 0xff, b'!', b'#', b'[', b']']);
                assert_eq!(special(&bytes), None);
                for at in 0..bytes.len() {
                    let mut bytes = bytes.clone();
                    bytes[at] = special_byte;
                    assert_eq!(special(&bytes), Some(at), "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn members_are_found_by_any_spelling_of_their_key_and_the_last_counts() {
        let mut tape = Tape::default();
        let doc = tape
            .read(r#"{"a":1,"\u0061":2,"ab":3,"a":4,"":5}"#)
            .unwrap();
        let member = |key: &str| doc.root().member(key).map(Value::raw);
        assert_eq!(member("a"), Some("4"));
        assert_eq!(member("ab"), Some("3"));
        assert_eq!(member(""), Some("5"));
        assert_eq!(member("b"), None);
        let many: Vec<String> = (0..100).map(|n| format!("\"k{n}\":{n}")).collect();
        let text = format!("{{{}}}", many.join(","));
        let doc = tape.read(&text).unwrap();
        for n in 0..100 {
            let value = doc.root().number_at(&format!("k{n}"));
            assert_eq!(value, Some(n));
        }
        assert!(doc.root().member("k100").is_none());
    }
}

//! Objects and lists that are written as tags inside tags, read by the schema.

use crate::json::Json;
use crate::schema::Schema;
use crate::schema::types::Declared;
use serde_json::Value;
use std::collections::HashMap;

/// Tags that nest deeper than this are not read.
const MAX_DEPTH: usize = 64;

/// What the tags of a dialect have instead of `<`, `</` and `>`.
pub(crate) type Brackets = [String; 3];

/// Reads a text as the object or the list that is declared; `None` if it is neither.
pub(crate) fn read(text: &str, brackets: &Brackets, schema: &Schema<'_>) -> Option<Json> {
    let mut reader = Reader {
        rest: text,
        brackets,
    };
    let node = reader.body(None, 0)?;
    let declared = Declared::new(schema);
    let json = Json::read(&written(&node, Some(schema), &declared)).ok()?;
    let container = json.value.is_array() || json.value.is_object();
    (container && declared.takes(&json.value)).then_some(json)
}

/// The content of a tag.
enum Node<'t> {
    Text(&'t str),
    Tags(Vec<(&'t str, Node<'t>)>),
}

struct Reader<'t, 'b> {
    rest: &'t str,
    brackets: &'b Brackets,
}

impl<'t> Reader<'t, '_> {
    /// Reads up to the closing tag of this name, or to the end. `None` if text and tags are mixed.
    fn body(&mut self, own: Option<&str>, depth: usize) -> Option<Node<'t>> {
        let whole = self.rest;
        let (mut tags, mut is_blank) = (Vec::new(), true);
        let end = loop {
            let here = whole.len() - self.rest.len();
            let Some((at, closes)) = self.next() else {
                is_blank &= self.rest.trim().is_empty();
                break own.is_none().then_some(whole.len())?;
            };
            is_blank &= self.rest[..at].trim().is_empty();
            self.rest = &self.rest[at..];
            let name = self.tag(closes)?;
            match (closes, name.strip_suffix('/')) {
                (true, _) if own == Some(name) => break here + at,
                (true, _) => return None,
                (false, Some(name)) => tags.push((name, Node::Text(""))),
                (false, None) if depth == MAX_DEPTH => return None,
                (false, None) => tags.push((name, self.body(Some(name), depth + 1)?)),
            }
        };
        if tags.is_empty() {
            Some(Node::Text(&whole[..end]))
        } else {
            is_blank.then_some(Node::Tags(tags))
        }
    }

    /// The position of the next tag, and whether it is a closing tag.
    fn next(&self) -> Option<(usize, bool)> {
        let [open, close, _] = self.brackets;
        let at = |(at, _): (usize, char)| {
            let here = &self.rest[at..];
            let (opens, closes) = (here.starts_with(open), here.starts_with(close));
            let closes = closes && (!opens || close.len() > open.len());
            (opens || closes).then_some((at, closes))
        };
        self.rest.char_indices().find_map(at)
    }

    /// Moves past the tag at the start of the rest; returns its name.
    fn tag(&mut self, closes: bool) -> Option<&'t str> {
        let [_, _, end] = self.brackets;
        let inside = &self.rest[self.brackets[usize::from(closes)].len()..];
        let (name, rest) = inside.split_once(end.as_str())?;
        self.rest = rest;
        let name = name.trim();
        (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
    }
}

/// A node as JSON.
fn written(node: &Node<'_>, schema: Option<&Schema<'_>>, declared: &Declared) -> String {
    let list = declared.takes(&Value::Array(Vec::new()));
    let object = declared.takes(&Value::Object(serde_json::Map::new()));
    match node {
        Node::Text(text) => leaf(text, declared, list, object),
        Node::Tags(tags) if list && !object => {
            let items = schema.and_then(Schema::items);
            let tags: Vec<&Node<'_>> = tags.iter().map(|(_, node)| node).collect();
            list_of(&tags, items.as_ref())
        }
        Node::Tags(tags) => object_of(tags, schema),
    }
}

/// A text as what is declared. What does not fit stays a string, which the schema refuses.
fn leaf(text: &str, declared: &Declared, list: bool, object: bool) -> String {
    let string = declared.takes(&Value::from(text));
    if text.trim().is_empty() && !string && (list || object) {
        return if list { "[]" } else { "{}" }.to_owned();
    }
    match declared.read(text) {
        Ok(reading) => reading.json.text,
        Err(_) => Json::string(text).text,
    }
}

fn list_of(nodes: &[&Node<'_>], items: Option<&Schema<'_>>) -> String {
    let declared = items.map(Declared::new);
    let declared = declared.unwrap_or_default();
    let items = nodes.iter().map(|node| written(node, items, &declared));
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// An object. Several tags of one name are a list.
fn object_of(tags: &[(&str, Node<'_>)], schema: Option<&Schema<'_>>) -> String {
    let mut entries: Vec<(&str, Vec<&Node<'_>>)> = Vec::new();
    let mut indexes: HashMap<&str, usize> = HashMap::new();
    for (name, node) in tags {
        let index = *indexes.entry(name).or_insert(entries.len());
        match entries.get_mut(index) {
            Some((_, nodes)) => nodes.push(node),
            None => entries.push((name, vec![node])),
        }
    }
    let entry = |(name, nodes): &(&str, Vec<&Node<'_>>)| {
        let property = schema.and_then(|schema| schema.property(name));
        let property = property.as_ref();
        let declared = property.map(Declared::new).unwrap_or_default();
        let value = match nodes.as_slice() {
            [node] => written(node, property, &declared),
            nodes => list_of(nodes, property.and_then(Schema::items).as_ref()),
        };
        format!("{}:{value}", Value::from(*name))
    };
    let entries: Vec<String> = entries.iter().map(entry).collect();
    format!("{{{}}}", entries.join(","))
}

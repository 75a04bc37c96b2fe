//! Edits of a JSON text: what is not touched stays as it was written, its layout too.

use super::{Doc, Kind, NodeId, Value};

/// Edits of one document.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    edits: Vec<Edit>,
}

#[derive(Debug)]
struct Edit {
    at: NodeId,
    kind: EditKind,
}

#[derive(Debug)]
enum EditKind {
    /// Another value.
    Replace(String),
    /// Neither the value nor its key stays.
    Remove,
    /// A member or an element before all others.
    First(String),
    /// The same after all others.
    Last(String),
}

impl Patch {
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// How many edits there are.
    pub(crate) fn len(&self) -> usize {
        self.edits.len()
    }

    pub(crate) fn replace(&mut self, value: Value<'_>, json: impl Into<String>) {
        self.add(value.id, EditKind::Replace(json.into()));
    }

    pub(crate) fn remove(&mut self, value: Value<'_>) {
        self.add(value.id, EditKind::Remove);
    }

    /// Takes a member out, if it is there and not null already.
    pub(crate) fn drop_member(&mut self, object: Value<'_>, key: &str) {
        if let Some(value) = object.get(key) {
            self.remove(value);
        }
    }

    /// Sets a member, at its place if it has one, else before or after all others. What is not an
    /// object has no members and stays as it is.
    pub(crate) fn set(&mut self, object: Value<'_>, key: &str, json: &str, is_first: bool) {
        match object.member(key) {
            Some(value) => self.replace(value, json),
            None if !object.is_object() => {}
            None => {
                let mut member = String::with_capacity(key.len() + json.len() + 3);
                super::push_string(key, &mut member);
                member.push(':');
                member.push_str(json);
                self.add(
                    object.id,
                    if is_first {
                        EditKind::First(member)
                    } else {
                        EditKind::Last(member)
                    },
                );
            }
        }
    }

    /// Adds elements to a list that has some; the text has a comma between them.
    pub(crate) fn append(&mut self, list: Value<'_>, elements: &str) {
        self.add(list.id, EditKind::Last(elements.to_owned()));
    }

    /// Takes back that a value is removed.
    pub(crate) fn restore(&mut self, value: Value<'_>) {
        let is_removed = |edit: &Edit| edit.at == value.id && matches!(edit.kind, EditKind::Remove);
        self.edits.retain(|edit| !is_removed(edit));
    }

    /// Whether a value is taken out.
    pub(crate) fn removes(&self, value: Value<'_>) -> bool {
        let is_it = |edit: &Edit| edit.at == value.id && matches!(edit.kind, EditKind::Remove);
        self.edits.iter().any(is_it)
    }

    /// Whether an object gets a member with this key that it did not have.
    pub(crate) fn adds(&self, object: Value<'_>, key: &str) -> bool {
        let start = format!("{}:", super::string(key));
        self.edits.iter().any(|edit| match &edit.kind {
            EditKind::First(member) | EditKind::Last(member) => {
                edit.at == object.id && member.starts_with(&start)
            }
            _ => false,
        })
    }

    /// The JSON text of a value, with edits of it as a whole; `None` if it is removed.
    pub(crate) fn value_of<'v>(&'v self, value: Value<'v>) -> Option<&'v str> {
        let mut json = Some(value.raw());
        for edit in self.edits.iter().filter(|edit| edit.at == value.id) {
            match &edit.kind {
                EditKind::Replace(new) => json = Some(new),
                EditKind::Remove => json = None,
                EditKind::First(_) | EditKind::Last(_) => {}
            }
        }
        json
    }

    fn add(&mut self, at: NodeId, kind: EditKind) {
        self.edits.push(Edit { at, kind });
    }

    /// Removes the members that nobody reads, since later ones have the same key.
    pub(crate) fn drop_shadowed(&mut self, doc: Doc<'_>) {
        for id in doc.shadowed() {
            self.add(id, EditKind::Remove);
        }
    }

    /// Appends the text with all edits.
    pub(crate) fn write(mut self, doc: Doc<'_>, out: &mut Vec<u8>) {
        // The order of the nodes is that of the text; edits of one value keep theirs.
        self.edits.sort_by_key(|edit| edit.at);
        let text = doc.text;
        let root = doc.root().node();
        out.extend_from_slice(&text.as_bytes()[..root.start as usize]);
        write(doc.root(), &self.edits, out);
        out.extend_from_slice(&text.as_bytes()[root.end as usize..]);
    }

    /// The text with all edits.
    pub(crate) fn json(self, doc: Doc<'_>) -> String {
        let mut out = Vec::with_capacity(doc.text.len() + 64);
        self.write(doc, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Writes a value with the edits in it.
fn write(value: Value<'_>, edits: &[Edit], out: &mut Vec<u8>) {
    let own = edits.partition_point(|edit| edit.at <= value.id);
    let (own, inner) = edits.split_at(own);
    let replaced = own.iter().rev().find_map(|edit| match &edit.kind {
        EditKind::Replace(json) => Some(json),
        _ => None,
    });
    match replaced {
        Some(json) => out.extend_from_slice(json.as_bytes()),
        None if edits.is_empty() => out.extend_from_slice(value.raw().as_bytes()),
        None => write_container(value, own, inner, out),
    }
}

fn write_container(value: Value<'_>, own: &[Edit], mut inner: &[Edit], out: &mut Vec<u8>) {
    let text = value.doc.text.as_bytes();
    let node = value.node();
    debug_assert!(matches!(node.kind, Kind::Object | Kind::List));
    out.push(text[node.start as usize]);
    let mut is_first = true;
    let insert = |json: &String, is_first: &mut bool, out: &mut Vec<u8>| {
        if !std::mem::take(is_first) {
            out.push(b',');
        }
        out.extend_from_slice(json.as_bytes());
    };
    for edit in own {
        if let EditKind::First(json) = &edit.kind {
            insert(json, &mut is_first, out);
        }
    }
    // Where the text goes on as it was written; `None` after something was inserted or removed.
    let mut from = is_first.then_some(node.start as usize + 1);
    let mut end = node.start as usize + 1;
    for item in value.items() {
        let child = item.node();
        let length = inner.partition_point(|edit| edit.at.0 < child.next);
        let (edits, rest) = inner.split_at(length);
        inner = rest;
        let start = if child.key == child.key_end {
            child.start
        } else {
            child.key
        } as usize;
        end = child.end as usize;
        let is_removed = |edit: &Edit| edit.at == item.id && matches!(edit.kind, EditKind::Remove);
        if edits.iter().any(is_removed) {
            from = None;
            continue;
        }
        match from {
            Some(from) => out.extend_from_slice(&text[from..start]),
            None if !is_first => out.push(b','),
            None => {}
        }
        is_first = false;
        out.extend_from_slice(&text[start..child.start as usize]);
        write(item, edits, out);
        from = Some(end);
    }
    for edit in own {
        if let EditKind::Last(json) = &edit.kind {
            insert(json, &mut is_first, out);
            from = None;
        }
    }
    if from.is_some() {
        out.extend_from_slice(&text[end..node.end as usize - 1]);
    }
    out.push(text[node.end as usize - 1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn edited(text: &str, edit: impl Fn(Value<'_>, &mut Patch)) -> String {
        let mut tape = Tape::default();
        let doc = tape.read(text).unwrap();
        let mut patch = Patch::default();
        edit(doc.root(), &mut patch);
        patch.json(doc)
    }

    #[test]
    fn what_is_not_touched_stays_as_it_was_written() {
        let text = r#" { "z" : 1.50, "a":{ "x": [ 1 , 2 ]}, "n":null } "#;
        assert_eq!(edited(text, |_, _| ()), text);
        let out = edited(text, |root, patch| {
            patch.replace(root.get("z").unwrap(), "2");
        });
        assert_eq!(out, text.replace("1.50", "2"));
        let out = edited(text, |root, patch| patch.set(root, "a", "3", false));
        assert_eq!(out, r#" { "z" : 1.50, "a":3, "n":null } "#);
    }

    #[test]
    fn members_come_and_go() {
        let text = r#"{"a":1,"b":2,"c":3}"#;
        for (keys, expected) in [
            (&["a"][..], r#"{"b":2,"c":3}"#),
            (&["b"], r#"{"a":1,"c":3}"#),
            (&["c"], r#"{"a":1,"b":2}"#),
            (&["a", "b", "c"], "{}"),
        ] {
            let out = edited(text, |root, patch| {
                keys.iter().for_each(|key| patch.drop_member(root, key));
            });
            assert_eq!(out, expected);
        }
        let out = edited(text, |root, patch| {
            patch.set(root, "f", "[]", true);
            patch.set(root, "l", "{}", false);
            patch.drop_member(root, "a");
        });
        assert_eq!(out, r#"{"f":[],"b":2,"c":3,"l":{}}"#);
        let out = edited("[{},7,[2]]", |root, patch| {
            root.items()
                .for_each(|item| patch.set(item, "f", "1", false));
        });
        assert_eq!(out, r#"[{"f":1},7,[2]]"#);
    }
}

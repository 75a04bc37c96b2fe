//! References from one place of a schema to another.

use serde_json::Value;
use std::collections::HashMap;

/// The schema that a reference leads to, if it is a place in the same document.
pub(crate) fn target<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    root.pointer(&target_place(schema)?)
}

/// The place that a reference leads to, if it is one in the same document.
pub(crate) fn target_place(schema: &Value) -> Option<String> {
    let reference = schema.get("$ref")?.as_str()?;
    Some(decoded(reference.strip_prefix('#')?))
}

/// The places that have names.
#[derive(Default)]
pub(crate) struct Places {
    /// By `$id`.
    ids: HashMap<String, String>,
    /// By `$anchor`.
    anchors: HashMap<String, String>,
}

impl Places {
    /// Notes the names of the schema at a place.
    pub(crate) fn note(&mut self, schema: &Value, place: &str) {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        let mut anchors = vec![text("$anchor"), text("$dynamicAnchor")];
        match text("$id").map(|id| id.split_once('#').unwrap_or((id, ""))) {
            // Older drafts have anchors of this form.
            Some(("", anchor)) => anchors.push(Some(anchor)),
            Some((id, _)) => {
                self.ids.insert(id.to_owned(), place.to_owned());
            }
            None => {}
        }
        for anchor in anchors.into_iter().flatten() {
            self.anchors.insert(anchor.to_owned(), place.to_owned());
        }
    }

    /// The place that a reference from another place names. Whether there is anything is not said.
    pub(crate) fn find(&self, reference: &str, from: &str) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = match document {
            "" => self.document_of(from),
            id => self.ids.get(id)?,
        };
        let fragment = decoded(fragment);
        match fragment.as_str() {
            "" => Some(start.to_owned()),
            pointer if pointer.starts_with('/') => Some(format!("{start}{}", spelled(pointer))),
            anchor => self.anchors.get(anchor).cloned(),
        }
    }

    /// The place of the innermost schema with an `$id` of its own that a place is in.
    fn document_of(&self, place: &str) -> &str {
        let inside = |start: &&String| {
            let rest = place.strip_prefix(start.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let starts = self.ids.values().filter(inside);
        starts.max_by_key(|start| start.len()).map_or("", |id| id)
    }
}

/// A reference to a place.
pub(crate) fn to(place: &str) -> String {
    let mut reference = "#".to_owned();
    for byte in place.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte) {
            reference.push(char::from(byte));
        } else {
            reference.push_str(&format!("%{byte:02X}"));
        }
    }
    reference
}

/// A name as a part of a place.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a part of a place stands for.
pub(crate) fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A pointer as it is spelled here, so that a place has one spelling.
fn spelled(pointer: &str) -> String {
    let names = pointer.split('/').map(unescaped);
    names
        .map(|name| escaped(&name))
        .collect::<Vec<_>>()
        .join("/")
}

/// A text without its percent-encoding. A `%` that begins none stands for itself.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| byte == b'%').and_then(hex);
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let code = digit(digits[0])? * 16 + digit(digits[1])?;
    u8::try_from(code).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reference_leads_back_to_its_place() {
        for name in ["plain", "My Type", "a/b", "a~b", "100%", "%41", "é", "\"|"] {
            let root = json!({"$defs": {name: 5}});
            let reference = to(&format!("/$defs/{}", escaped(name)));
            let schema = json!({"$ref": reference});
            assert_eq!(target(&root, &schema), Some(&json!(5)), "{reference}");
        }
    }
}

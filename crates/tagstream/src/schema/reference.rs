//! References from one schema of a document to another.

use serde_json::Value;
use std::collections::HashMap;

/// The schema that a reference leads to, if it is in the same document.
pub(crate) fn target<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    root.pointer(&target_pointer(schema)?)
}

/// The pointer that a reference leads to, if it is in the same document.
pub(crate) fn target_pointer(schema: &Value) -> Option<String> {
    let reference = schema.get("$ref")?.as_str()?;
    Some(decoded(reference.strip_prefix('#')?))
}

/// The pointers of schemas that have names.
#[derive(Default)]
pub(crate) struct SchemaNames {
    /// By `$id`.
    ids: HashMap<String, String>,
    /// By `$anchor`.
    anchors: HashMap<String, String>,
}

impl SchemaNames {
    /// Adds the names of the schema at a pointer.
    pub(crate) fn add(&mut self, schema: &Value, pointer: &str) {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        let mut anchors = vec![text("$anchor"), text("$dynamicAnchor")];
        match text("$id").map(|id| id.split_once('#').unwrap_or((id, ""))) {
            // Older drafts have anchors of this form.
            Some(("", anchor)) => anchors.push(Some(anchor)),
            Some((id, _)) => {
                self.ids.insert(id.to_owned(), pointer.to_owned());
            }
            None => {}
        }
        for anchor in anchors.into_iter().flatten() {
            self.anchors.insert(anchor.to_owned(), pointer.to_owned());
        }
    }

    /// The pointer that a reference from another one names. Nothing needs to be there.
    pub(crate) fn find(&self, reference: &str, from: &str) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = match document {
            "" => self.document_of(from),
            id => self.ids.get(id)?,
        };
        let fragment = decoded(fragment);
        match fragment.as_str() {
            "" => Some(start.to_owned()),
            pointer if pointer.starts_with('/') => Some(format!("{start}{}", normalized(pointer))),
            anchor => self.anchors.get(anchor).cloned(),
        }
    }

    /// The pointer of the innermost schema with an `$id` that contains this one.
    fn document_of(&self, pointer: &str) -> &str {
        let inside = |start: &&String| {
            let rest = pointer.strip_prefix(start.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let starts = self.ids.values().filter(inside);
        starts.max_by_key(|start| start.len()).map_or("", |id| id)
    }
}

/// A reference to a pointer.
pub(crate) fn to(pointer: &str) -> String {
    let mut reference = "#".to_owned();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte) {
            reference.push(char::from(byte));
        } else {
            reference.push_str(&format!("%{byte:02X}"));
        }
    }
    reference
}

/// A name as a part of a pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a part of a pointer spells.
pub(crate) fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A pointer with the escapes that are needed and no others, so that it has one spelling.
fn normalized(pointer: &str) -> String {
    let names = pointer.split('/').map(unescaped);
    names
        .map(|name| escaped(&name))
        .collect::<Vec<_>>()
        .join("/")
}

/// A text without its percent-encoding. Any other `%` is kept.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(hex);
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
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
    fn a_reference_leads_back_to_its_pointer() {
        for name in ["plain", "My Type", "a/b", "a~b", "100%", "%41", "é", "\"|"] {
            let root = json!({"$defs": {name: 5}});
            let reference = to(&format!("/$defs/{}", escaped(name)));
            let schema = json!({"$ref": reference});
            assert_eq!(target(&root, &schema), Some(&json!(5)), "{reference}");
        }
    }
}

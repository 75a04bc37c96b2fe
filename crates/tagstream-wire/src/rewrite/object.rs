//! A JSON object that is edited key by key: what is not touched stays as it was written, the order
//! of its keys and the digits of its numbers too.

use crate::decode::text::Text;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// An object: its keys, each with the JSON text of its value.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a> {
    entries: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// The object that a JSON text is.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The JSON text of a value; `None` for null.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let value = self
            .entries
            .iter()
            .find(|(name, _)| name == key)?
            .1
            .as_ref();
        (value != "null").then_some(value)
    }

    /// The same of a value that has not been changed, which outlives the object.
    pub(super) fn given(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self.entries.iter().find(|(name, _)| name == key)?;
        match value {
            Cow::Borrowed(value) if *value != "null" => Some(value),
            _ => None,
        }
    }

    /// Whether it has the key, with null or anything else.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| name == key)
    }

    /// A value that is a string, and is not empty.
    pub(super) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        let value = self.get(key).filter(|value| value.starts_with('"'))?;
        let text: Text<'_> = match self.given(key) {
            Some(value) => serde_json::from_str(value).ok()?,
            None => Text(Cow::Owned(serde_json::from_str(value).ok()?)),
        };
        Text::given(Some(text))
    }

    /// Whether a value is this string.
    pub(super) fn says(&self, key: &str, text: &str) -> bool {
        let is_string = self.get(key).is_some_and(|value| value.starts_with('"'));
        is_string && self.text(key).unwrap_or_default() == text
    }

    /// A value that is a number.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        self.get(key)?.parse().ok()
    }

    /// Sets a value, at its old place if it has one.
    pub(super) fn set(&mut self, key: &str, json: impl Into<Cow<'a, str>>) {
        let json = json.into();
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, value)) => *value = json,
            None => self.entries.push((Cow::Owned(key.to_owned()), json)),
        }
    }

    /// Sets a value that is a string.
    pub(super) fn set_text(&mut self, key: &str, text: &str) {
        self.set(key, string(text));
    }

    /// Sets a value, before all others if it is new.
    pub(super) fn set_first(&mut self, key: &str, json: impl Into<Cow<'a, str>>) {
        if !self.has(key) {
            let key = Cow::Owned(key.to_owned());
            self.entries.insert(0, (key, Cow::Borrowed("null")));
        }
        self.set(key, json);
    }

    /// Takes a key out.
    pub(super) fn remove(&mut self, key: &str) -> bool {
        let before = self.entries.len();
        self.entries.retain(|(name, _)| name != key);
        self.entries.len() < before
    }

    /// Only these keys.
    pub(super) fn only(&self, keys: &[&str]) -> Self {
        let kept = self
            .entries
            .iter()
            .filter(|(name, _)| keys.contains(&&**name));
        let entries = kept.cloned().collect();
        Object { entries }
    }

    /// All keys that have a value.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let given = self.entries.iter().filter(|(_, value)| value != "null");
        given.map(|(name, _)| &**name)
    }

    /// A copy that owns its text.
    pub(super) fn into_owned(self) -> Object<'static> {
        let owned = |(key, value): (Cow<'a, str>, Cow<'a, str>)| {
            (Cow::Owned(key.into_owned()), Cow::Owned(value.into_owned()))
        };
        let entries = self.entries.into_iter().map(owned).collect();
        Object { entries }
    }

    /// Its JSON text.
    pub(super) fn json(&self) -> String {
        let size: usize = self
            .entries
            .iter()
            .map(|(k, v)| k.len() + v.len() + 4)
            .sum();
        let mut json = String::with_capacity(size + 2);
        json.push('{');
        for (key, value) in &self.entries {
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
}

/// The JSON texts of the elements of a list.
pub(super) fn list(json: Option<&str>) -> Vec<&str> {
    let read: Option<Vec<&RawValue>> = json.and_then(|json| serde_json::from_str(json).ok());
    read.unwrap_or_default()
        .into_iter()
        .map(RawValue::get)
        .collect()
}

/// The JSON text of a list.
pub(super) fn list_of(elements: &[impl AsRef<str>]) -> String {
    let elements: Vec<&str> = elements.iter().map(AsRef::as_ref).collect();
    format!("[{}]", elements.join(","))
}

/// The JSON text of a string.
pub(super) fn string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_string(text, &mut json);
    json
}

fn push_string(text: &str, json: &mut String) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        json.push('"');
        json.push_str(text);
        json.push('"');
    } else {
        json.push_str(&serde_json::Value::from(text).to_string());
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some((Text(key), value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            entries.push((key, Cow::Borrowed(value.get())));
        }
        Ok(Object { entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_touched_stays_as_it_was_written() {
        let json = r#"{"z":1.50,"a":{ "x":12345678901234567890123},"n":null,"t":"\u0041"}"#;
        let mut object = Object::parse(json).unwrap();
        assert_eq!(object.json(), json);
        assert_eq!(object.text("t").unwrap(), "A");
        object.set_text("z", "\"");
        assert_eq!(object.text("z").unwrap(), "\"");
        object.remove("n");
        object.set_first("f", "[]");
        assert_eq!(
            object.json(),
            r#"{"f":[],"z":"\"","a":{ "x":12345678901234567890123},"t":"\u0041"}"#
        );
    }

    #[test]
    fn only_an_object_is_one() {
        assert!(Object::parse("[1]").is_none());
        assert_eq!(list(Some("[1, {\"a\":2}]")), ["1", "{\"a\":2}"]);
        assert_eq!(list(Some("{}")), [""; 0]);
    }
}

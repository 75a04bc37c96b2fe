//! Rewrites the keywords of one schema as JSON Schema has them.

use crate::json::preview;
use crate::schema::keywords::is_data;
use crate::schema::kind::{Kind, Named};
use crate::schema::reference;
use serde_json::{Map, Value, json};

/// Keywords with another name. The difference does not matter for the arguments of a tool.
const RENAMED: [(&str, &str); 2] = [("$dynamicRef", "$ref"), ("$recursiveRef", "$ref")];

/// Names of schemas, which references no longer need once they are pointers.
const NAMES: [&str; 3] = ["$id", "$anchor", "$dynamicAnchor"];

/// Renames keywords. With `tuples`, a list under `items` is one of `prefixItems`.
pub(crate) fn keywords(schema: &mut Map<String, Value>, tuples: bool) {
    // A keyword without a value means that it is absent.
    schema.retain(|key, value| !value.is_null() || is_data(key));
    schema.retain(|key, _| !NAMES.contains(&key.as_str()));
    for (old, new) in RENAMED {
        rename(schema, old, new);
    }
    if tuples && schema.get("items").is_some_and(Value::is_array) {
        rename(schema, "items", "prefixItems");
        rename(schema, "additionalItems", "items");
    }
}

fn rename(schema: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = schema.shift_remove(old) {
        schema.entry(new).or_insert(value);
    }
}

/// Removes an empty list of values, which would refuse everything. The error says so.
pub(crate) fn values(schema: &mut Map<String, Value>) -> Result<(), String> {
    let listed = schema.get("enum").and_then(Value::as_array);
    if listed.is_none_or(|listed| !listed.is_empty()) {
        return Ok(());
    }
    schema.shift_remove("enum");
    Err("the list of values is empty".to_owned())
}

/// Gives types their names in JSON Schema. An unknown name is removed, and the error says so.
pub(crate) fn types(schema: &mut Map<String, Value>) -> Result<(), String> {
    let Some(written) = schema.get("type") else {
        return Ok(());
    };
    let names = written
        .as_array()
        .map_or(std::slice::from_ref(written), Vec::as_slice);
    let named: Option<Vec<_>> = names.iter().map(named).collect();
    match named {
        Some(named) if named.contains(&Named::Any) => drop(schema.shift_remove("type")),
        Some(named) if !named.is_empty() => {
            let types = spelled(&named, written.is_array());
            schema.insert("type".to_owned(), types);
        }
        _ => {
            let problem = format!("unknown type {}", preview(&written.to_string()));
            schema.shift_remove("type");
            return Err(problem);
        }
    }
    Ok(())
}

fn named(name: &Value) -> Option<Named> {
    Kind::meant(name.as_str()?)
}

fn spelled(named: &[Named], as_list: bool) -> Value {
    let mut names: Vec<Value> = Vec::new();
    for named in named {
        if let Named::One(kind) = named
            && !names.iter().any(|known| known == kind.name())
        {
            names.push(kind.name().into());
        }
    }
    match names.pop() {
        Some(one) if !as_list => one,
        last => names.into_iter().chain(last).collect(),
    }
}

/// Makes a reference point to its target. Without a target it is removed, and the error says so.
pub(crate) fn reference(
    schema: &mut Map<String, Value>,
    target: Option<&str>,
) -> Result<(), String> {
    match (schema.get_mut("$ref"), target) {
        (Some(written), Some(target)) => *written = reference::to(target).into(),
        (Some(written), None) => {
            let problem = format!(
                "the reference {} leads to no schema in this document",
                preview(&written.to_string())
            );
            schema.shift_remove("$ref");
            return Err(problem);
        }
        (None, _) => {}
    }
    Ok(())
}

/// Keywords that would refuse `null` even if `type` and `enum` allow it.
const REFUSING: [&str; 8] = [
    "$ref", "allOf", "anyOf", "oneOf", "const", "if", "then", "else",
];

/// Rewrites `nullable: true`, which is OpenAPI, as JSON Schema.
pub(crate) fn nullable(schema: &mut Map<String, Value>) {
    if schema.shift_remove("nullable") != Some(Value::Bool(true)) {
        return;
    }
    if let Some(kind) = schema.get_mut("type").filter(|kind| kind.is_string()) {
        *kind = Value::Array(vec![kind.take()]);
    }
    for (key, null) in [("type", Value::from("null")), ("enum", Value::Null)] {
        if let Some(Value::Array(list)) = schema.get_mut(key)
            && !list.contains(&null)
        {
            list.push(null);
        }
    }
    let refusing = REFUSING
        .iter()
        .filter_map(|key| schema.shift_remove_entry(*key));
    let refusing: Map<String, Value> = refusing.collect();
    if !refusing.is_empty() {
        schema.insert("anyOf".to_owned(), json!([refusing, {"type": "null"}]));
    }
}

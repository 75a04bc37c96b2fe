//! Which keywords of JSON Schema hold further schemas, and which hold data.

use crate::schema::reference::escaped;
use serde_json::Value;

/// What stands under a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Schema,
    Schemas,
    ByName,
}

/// The keywords that hold schemas. Schemas that are only there to be referred to come first:
/// whoever takes the last one first comes to them by the references.
const KEYWORDS: [(&str, Holds); 22] = [
    ("$defs", Holds::ByName),
    ("definitions", Holds::ByName),
    ("additionalItems", Holds::Schema),
    ("additionalProperties", Holds::Schema),
    ("contains", Holds::Schema),
    ("contentSchema", Holds::Schema),
    ("dependencies", Holds::ByName),
    ("dependentSchemas", Holds::ByName),
    ("if", Holds::Schema),
    ("then", Holds::Schema),
    ("else", Holds::Schema),
    ("items", Holds::Schema),
    ("not", Holds::Schema),
    ("patternProperties", Holds::ByName),
    ("prefixItems", Holds::Schemas),
    ("propertyNames", Holds::Schema),
    ("unevaluatedItems", Holds::Schema),
    ("unevaluatedProperties", Holds::Schema),
    ("oneOf", Holds::Schemas),
    ("anyOf", Holds::Schemas),
    ("allOf", Holds::Schemas),
    ("properties", Holds::ByName),
];

/// Keywords whose values may be anything, `null` too.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];

pub(crate) fn is_data(keyword: &str) -> bool {
    DATA.contains(&keyword)
}

/// The places of the schemas right inside a schema, each with the name of the property that it is
/// for.
pub(crate) fn children(schema: &Value, place: &str) -> Vec<(String, Option<String>)> {
    let mut children = Vec::new();
    for (keyword, holds) in KEYWORDS {
        let place = format!("{place}/{keyword}");
        match (schema.get(keyword), holds) {
            (Some(Value::Object(map)), Holds::ByName) => {
                // Of dependencies, some are lists of names.
                let names = map.iter().filter(|(_, value)| !value.is_array());
                children.extend(names.map(|(name, _)| {
                    let property = (keyword == "properties").then(|| name.clone());
                    (format!("{place}/{}", escaped(name)), property)
                }));
            }
            // In older drafts, `items` may be a list too.
            (Some(Value::Array(list)), Holds::Schema | Holds::Schemas) => {
                children.extend((0..list.len()).map(|at| (format!("{place}/{at}"), None)));
            }
            (Some(_), Holds::Schema) => children.push((place, None)),
            _ => {}
        }
    }
    children
}

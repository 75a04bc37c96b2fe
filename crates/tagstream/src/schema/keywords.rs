//! Which keywords of JSON Schema have schemas as values, and which have data.

use crate::schema::reference::escaped;
use serde_json::Value;

/// The value of a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Schema,
    Schemas,
    ByName,
}

/// What the schemas of a keyword apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// The same value.
    Same,
    /// Something inside the value.
    Inside,
    /// Nothing, unless they are referred to.
    Nothing,
}

/// The keywords that have schemas. Those whose schemas apply only where they are referred to come
/// first: a stack of schemas then reaches them through the references.
const KEYWORDS: [(&str, Holds, About); 22] = [
    ("$defs", Holds::ByName, About::Nothing),
    ("definitions", Holds::ByName, About::Nothing),
    ("additionalItems", Holds::Schema, About::Inside),
    ("additionalProperties", Holds::Schema, About::Inside),
    ("contains", Holds::Schema, About::Inside),
    ("contentSchema", Holds::Schema, About::Nothing),
    ("dependencies", Holds::ByName, About::Same),
    ("dependentSchemas", Holds::ByName, About::Same),
    ("if", Holds::Schema, About::Same),
    ("then", Holds::Schema, About::Same),
    ("else", Holds::Schema, About::Same),
    ("items", Holds::Schema, About::Inside),
    ("not", Holds::Schema, About::Same),
    ("patternProperties", Holds::ByName, About::Inside),
    ("prefixItems", Holds::Schemas, About::Inside),
    ("propertyNames", Holds::Schema, About::Inside),
    ("unevaluatedItems", Holds::Schema, About::Inside),
    ("unevaluatedProperties", Holds::Schema, About::Inside),
    ("oneOf", Holds::Schemas, About::Same),
    ("anyOf", Holds::Schemas, About::Same),
    ("allOf", Holds::Schemas, About::Same),
    ("properties", Holds::ByName, About::Inside),
];

/// Keywords whose values may be anything, `null` too.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];

pub(crate) fn is_data(keyword: &str) -> bool {
    DATA.contains(&keyword)
}

/// A schema right inside another.
pub(crate) struct Child {
    pub(crate) pointer: String,
    /// The name of the property that it applies to.
    pub(crate) property: Option<String>,
    #[cfg_attr(
        not(feature = "schema"),
        expect(dead_code, reason = "only whole schemas are taken apart by it")
    )]
    pub(crate) about: About,
}

/// The schemas right inside a schema.
pub(crate) fn children(schema: &Value, pointer: &str) -> Vec<Child> {
    let mut children = Vec::new();
    for (keyword, holds, about) in KEYWORDS {
        let child = |pointer: String, property: Option<String>| Child {
            pointer,
            property,
            about,
        };
        let pointer = format!("{pointer}/{keyword}");
        match (schema.get(keyword), holds) {
            (Some(Value::Object(map)), Holds::ByName) => {
                // Of dependencies, some are lists of names.
                let names = map.iter().filter(|(_, value)| !value.is_array());
                children.extend(names.map(|(name, _)| {
                    let property = (keyword == "properties").then(|| name.clone());
                    child(format!("{pointer}/{}", escaped(name)), property)
                }));
            }
            // In older drafts, `items` may be a list too.
            (Some(Value::Array(list)), Holds::Schema | Holds::Schemas) => {
                children.extend((0..list.len()).map(|at| child(format!("{pointer}/{at}"), None)));
            }
            (Some(_), Holds::Schema) => children.push(child(pointer, None)),
            _ => {}
        }
    }
    children
}

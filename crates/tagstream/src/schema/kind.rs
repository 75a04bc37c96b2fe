//! The types of JSON Schema, and other names for them.

use serde_json::Value;

/// A type of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// What the name of a type means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    One(Kind),
    /// Any type.
    Any,
}

/// Other names for the types, as languages, databases and other schemas have them.
const OTHER_NAMES: [(Named, &[&str]); 8] = [
    (Named::One(Kind::Null), &["none", "nil", "nonetype", "void"]),
    (Named::One(Kind::Boolean), &["bool"]),
    (
        Named::One(Kind::Integer),
        &[
            "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32",
            "uint64", "long", "short", "bigint", "unsigned",
        ],
    ),
    (
        Named::One(Kind::Number),
        &[
            "float", "float32", "float64", "double", "decimal", "real", "num", "numeric",
        ],
    ),
    (
        Named::One(Kind::String),
        &["str", "text", "char", "varchar"],
    ),
    (
        Named::One(Kind::Array),
        &["list", "tuple", "set", "sequence", "arr"],
    ),
    (
        Named::One(Kind::Object),
        &["dict", "dictionary", "map", "mapping", "struct", "hash"],
    ),
    // The type of an `enum` is that of its values.
    (
        Named::Any,
        &["any", "mixed", "unknown", "enum", "type_unspecified"],
    ),
];

impl Kind {
    pub(crate) const ALL: [Kind; 7] = [
        Kind::Null,
        Kind::Boolean,
        Kind::Integer,
        Kind::Number,
        Kind::String,
        Kind::Array,
        Kind::Object,
    ];

    /// Its name in JSON Schema.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The type that a name means, without regard to case; of `list[str]` only `list` counts.
    pub(crate) fn meant(name: &str) -> Option<Named> {
        let word = name.split(['[', '<']).next()?.trim().to_ascii_lowercase();
        let own = Kind::by_name(&word).map(Named::One);
        let other = || {
            let mut names = OTHER_NAMES.iter();
            let (named, _) = names.find(|(_, names)| names.contains(&word.as_str()))?;
            Some(*named)
        };
        own.or_else(other)
    }

    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    pub(crate) fn takes(self, value: &Value) -> bool {
        match self {
            Kind::Null => value.is_null(),
            Kind::Boolean => value.is_boolean(),
            Kind::Integer => is_whole(value),
            Kind::Number => value.is_number(),
            Kind::String => value.is_string(),
            Kind::Array => value.is_array(),
            Kind::Object => value.is_object(),
        }
    }

    /// The type of values that are of both types.
    pub(crate) fn and(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Kind::Integer, Kind::Number) | (Kind::Number, Kind::Integer) => Some(Kind::Integer),
            _ => None,
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "true or false",
            Kind::Integer => "an integer",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "a JSON array",
            Kind::Object => "a JSON object",
        }
    }
}

/// In JSON Schema, 5.0 is an integer.
fn is_whole(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

//! Directives as JSON objects, for any serde format.

use super::model::{Directive, DirectiveKind, Level, Params, Refusal};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

impl Serialize for Directive {
    /// `type` first, then what the kind has, then `partial`, and `errors` where there are any.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.type_name())?;
        entries(self.kind(), &mut map)?;
        map.serialize_entry("partial", &self.partial())?;
        if !self.refusals().is_empty() {
            map.serialize_entry("errors", self.refusals())?;
        }
        map.end()
    }
}

fn entries<M: SerializeMap>(kind: DirectiveKind<'_>, map: &mut M) -> Result<(), M::Error> {
    match kind {
        DirectiveKind::Text { content } | DirectiveKind::Thought { content } => {
            map.serialize_entry("content", content)
        }
        DirectiveKind::ToolUse { name, params } => {
            map.serialize_entry("name", name)?;
            map.serialize_entry("params", params)
        }
        DirectiveKind::LogMessage { message, level } => {
            map.serialize_entry("message", message)?;
            map.serialize_entry("level", &level)
        }
        DirectiveKind::Own {
            attributes,
            params,
            content,
            parent,
            ..
        } => {
            map.serialize_entry("attributes", &attributes)?;
            map.serialize_entry("params", params)?;
            map.serialize_entry("content", content)?;
            parent.map_or(Ok(()), |parent| map.serialize_entry("parent", &parent))
        }
    }
}

impl Serialize for Params {
    /// As an object.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Refusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("code", self.code.as_str())?;
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("raw", &self.raw)?;
        map.end()
    }
}

//! Leaves out keys that no schema declares, at every level.

use crate::json::Json;
use crate::schema::Schema;
use serde_json::Value;

/// Values that nest deeper than this are left as they are.
const MAX_DEPTH: usize = 64;

/// A value without the keys that its schema does not declare, and the path of the first of them;
/// `None` if there are none. `path` is where the value is.
pub(super) fn pruned(json: &Json, schema: &Schema<'_>, path: &str) -> Option<(Json, String)> {
    let mut pruner = Pruner { first: None };
    let text = pruner.text(json, schema, path, 0);
    let first = pruner.first?;
    Some((Json::read(&text).ok()?, first))
}

struct Pruner {
    first: Option<String>,
}

impl Pruner {
    fn text(&mut self, json: &Json, schema: &Schema<'_>, path: &str, depth: usize) -> String {
        match &json.value {
            _ if depth == MAX_DEPTH => json.text.clone(),
            Value::Object(_) => self.object(json, schema, path, depth),
            Value::Array(_) => self.list(json, schema, path, depth),
            _ => json.text.clone(),
        }
    }

    fn object(&mut self, json: &Json, schema: &Schema<'_>, path: &str, depth: usize) -> String {
        let names = schema.names();
        let is_open = schema.takes_others() || !schema.has_properties();
        let mut kept = Vec::new();
        for (name, value) in json.entries().unwrap_or_default() {
            let path = format!("{path}.{name}");
            if !is_open && !names.contains(&name.as_str()) {
                self.first.get_or_insert(path);
                continue;
            }
            let text = match schema.property(&name) {
                Some(property) => self.text(&value, &property, &path, depth + 1),
                None => value.text,
            };
            kept.push(format!("{}:{text}", Value::from(name)));
        }
        format!("{{{}}}", kept.join(","))
    }

    fn list(&mut self, json: &Json, schema: &Schema<'_>, path: &str, depth: usize) -> String {
        let (Some(items), Some(list)) = (schema.items(), json.items()) else {
            return json.text.clone();
        };
        let text = |(at, item): (usize, &Json)| {
            self.text(item, &items, &format!("{path}[{at}]"), depth + 1)
        };
        let texts: Vec<_> = list.iter().enumerate().map(text).collect();
        format!("[{}]", texts.join(","))
    }
}

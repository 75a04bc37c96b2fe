//! Which key of a table is wrong, where serde names only the table.
//!
//! It does so where the keys of a table depend on one of them, such as `style`. The wrong key is the
//! one without which there is another mistake, or none.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The path of the key, if the path of a table is given and one of its keys can be identified.
pub(super) fn key_inside<T: DeserializeOwned>(
    file: &Value,
    path: &str,
    message: &str,
) -> Option<String> {
    let table = Table {
        file,
        pointer: format!("/{}", path.replace('.', "/")),
    };
    let keys = table.get()?.keys();
    let mut keys = keys.filter(|key| {
        let without = table.mistake::<T>(|keys| drop(keys.remove(*key)));
        without.as_deref() != Some(message) && !table.is_choice::<T>(key)
    });
    keys.next().map(|key| format!("{path}.{key}"))
}

struct Table<'a> {
    file: &'a Value,
    pointer: String,
}

impl<'a> Table<'a> {
    fn get(&self) -> Option<&'a Map<String, Value>> {
        self.file.pointer(&self.pointer)?.as_object()
    }

    /// serde's message about the file with this table changed; `None` if nothing is wrong with it.
    fn mistake<T: DeserializeOwned>(
        &self,
        change: impl FnOnce(&mut Map<String, Value>),
    ) -> Option<String> {
        let mut file = self.file.clone();
        let table = file
            .pointer_mut(&self.pointer)
            .and_then(Value::as_object_mut);
        table.map(change);
        let error = serde_json::from_value::<T>(file).err()?;
        Some(error.to_string())
    }

    /// Whether the other keys depend on this one.
    fn is_choice<T: DeserializeOwned>(&self, key: &str) -> bool {
        let garbage = |keys: &mut Map<String, Value>| {
            keys.insert(key.to_owned(), Value::from("\u{0}"));
        };
        let mistake = self.mistake::<T>(garbage);
        mistake.is_some_and(|mistake| mistake.starts_with("unknown variant"))
    }
}

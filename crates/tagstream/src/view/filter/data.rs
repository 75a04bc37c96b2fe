//! The text in the data of an event.

use serde_json::Value;

/// The text in the data of a server-sent event, or of any other frame: at this key, or the data
/// itself without a key. `None` if there is no string.
///
/// The key is a path: names of objects and positions in lists, separated by dots.
///
/// ```
/// use serde_json::json;
/// use tagstream::view::filter::text_at;
///
/// let data = json!({"choices": [{"delta": {"content": "Hi"}}]});
/// assert_eq!(text_at(&data, Some("choices.0.delta.content")), Some("Hi"));
/// assert_eq!(text_at(&data, Some("choices.0.message")), None);
/// assert_eq!(text_at(&json!("Hi"), None), Some("Hi"));
/// ```
#[must_use]
pub fn text_at<'v>(data: &'v Value, key: Option<&str>) -> Option<&'v str> {
    let keys = key.into_iter().flat_map(|key| key.split('.'));
    let mut value = data;
    for key in keys {
        value = match value {
            Value::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            _ => value.get(key)?,
        };
    }
    value.as_str()
}

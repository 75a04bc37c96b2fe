//! Document 002: the content filter of a chat client.

use serde_json::json;
use tagstream::view::FilterOptions;
use tagstream::view::filter::ClientContentFilter;

/// The document's class, with the options and the methods that it names.
#[test]
fn s002_process_data_takes_the_data_of_an_event() {
    let options = FilterOptions::default().text_key("delta.content");
    let mut filter = ClientContentFilter::new(&options).unwrap();
    let mut seen = String::new();
    for data in [
        json!({"delta": {"content": "before<thin"}}),
        json!({"delta": {"content": "king>hidden</thinking>af"}}),
        json!({"delta": {"role": "assistant"}}),
        json!({"usage": {"tokens": 3}}),
        json!({"delta": {"content": "ter"}}),
    ] {
        seen.push_str(filter.process_data(&data).unwrap_or(""));
    }
    seen.push_str(filter.finish());
    assert_eq!(seen, "beforeafter");
}

#[test]
fn s002_process_data_leaves_other_content_to_the_caller() {
    let options = FilterOptions::default().text_key("parts.1.text");
    let mut filter = ClientContentFilter::new(&options).unwrap();
    for data in [
        json!({"parts": [{"text": "0"}]}),
        json!({"parts": [{}, {"text": 5}]}),
        json!({"parts": {"1": "x"}}),
        json!("text"),
        json!(null),
    ] {
        assert_eq!(filter.process_data(&data), None, "{data}");
    }
    let data = json!({"parts": [{}, {"text": "a<think>b</think>"}]});
    assert_eq!(filter.process_data(&data), Some("a"));
    let mut filter = ClientContentFilter::new(&FilterOptions::default()).unwrap();
    assert_eq!(filter.process_data(&json!("a")), Some("a"));
}

//! How answers end that their upstream does not complete.

use crate::world::{ASK, CHAT, body, chunk, content, events, finish, head, sized, streamed, world};
use tagstream_serve::Mode;

const MESSAGE_START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}}\n\n";
const CREATED: &str = "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}\n\n";
const LINE: &str =
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"done\":false}\n";
const GENERATED: &str = "{\"model\":\"m\",\"response\":\"Hi\",\"done\":false}\n";
const CANDIDATE: &str = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hi\"}]},\"index\":0}]}\n\n";
const LEGACY: &str = "data: {\"id\":\"c\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\"Hi\",\"finish_reason\":null}]}\n\n";

#[tokio::test]
async fn an_upstream_that_dies_in_a_frame_is_an_error_and_nothing_held_is_lost() {
    let world = world(|_| ()).await;
    let cut = content("Hel") + &content("lo <thi") + "data: {\"choi";
    let answer = events() + &chunk(&cut);
    let text = body(&world.exchange(CHAT, ASK, &answer).await);
    assert!(text.contains("lo <thi"), "{text}");
    assert!(text.contains("data: {\"error\":"), "{text}");
    assert!(text.contains("upstream_broken"), "{text}");
    assert!(!text.contains("\"finish_reason\":\"stop\""), "{text}");
    assert!(!text.contains("[DONE]"), "{text}");
    assert!(!text.contains("{\"choi\n"), "{text}");
    assert_eq!(
        world.metric("tagstream_upstream_failures_total{phase=\"stream\"}"),
        "1"
    );
}

#[tokio::test]
async fn an_upstream_that_ends_too_early_is_an_error_in_every_format() {
    let gemini = "/v1beta/models/m:streamGenerateContent?alt=sse";
    let cases = [
        (
            CHAT,
            "text/event-stream",
            content("Hi"),
            "data: {\"error\":{",
        ),
        (
            "/v1/completions",
            "text/event-stream",
            LEGACY.to_owned(),
            "data: {\"error\":{",
        ),
        (
            "/v1/messages",
            "text/event-stream",
            MESSAGE_START.to_owned(),
            "event: error\ndata: {\"type\":\"error\",\"error\":{",
        ),
        (
            "/v1/responses",
            "text/event-stream",
            CREATED.to_owned(),
            "event: error\ndata: {\"type\":\"error\",\"sequence_number\":1,",
        ),
        (
            "/api/chat",
            "application/x-ndjson",
            LINE.to_owned(),
            "\n{\"error\":\"the model server ended",
        ),
        (
            "/api/generate",
            "application/x-ndjson",
            GENERATED.to_owned(),
            "\n{\"error\":\"the model server ended",
        ),
        (
            gemini,
            "text/event-stream",
            CANDIDATE.to_owned(),
            "data: {\"error\":{\"code\":502,",
        ),
    ];
    for (path, kind, stream, expected) in cases {
        let world = world(|_| ()).await;
        let text = body(&world.exchange(path, ASK, &streamed(kind, &stream)).await);
        assert!(
            text.contains("Hi") || text.contains("model"),
            "{path}: {text}"
        );
        assert!(text.contains(expected), "{path}: {text}");
    }
}

#[tokio::test]
async fn an_upstream_that_dies_before_its_first_frame_is_an_error_in_every_format() {
    for (path, kind, expected) in [
        (CHAT, "text/event-stream", "data: {\"error\":{"),
        (
            "/v1/messages",
            "text/event-stream",
            "event: error\ndata: {\"type\":\"error\"",
        ),
        (
            "/v1/responses",
            "text/event-stream",
            "event: error\ndata: {\"type\":\"error\"",
        ),
        ("/api/chat", "application/x-ndjson", "{\"error\":"),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            "text/event-stream",
            "data: {\"error\":{",
        ),
    ] {
        let world = world(|_| ()).await;
        let text = body(&world.exchange(path, ASK, &head(kind)).await);
        assert!(text.starts_with(expected), "{path}: {text}");
    }
}

/// Gemini's streams are lists unless server-sent events are asked for; servers that cannot stream answer
/// with one value.
#[tokio::test]
async fn an_answer_in_json_that_dies_is_still_json() {
    const ELEMENT: &str =
        r#"[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]},"index":0}]}"#;
    for (path, start, error) in [
        (
            "/v1beta/models/m:streamGenerateContent",
            "",
            "/0/error/code",
        ),
        (
            "/v1beta/models/m:streamGenerateContent",
            "[{\"can",
            "/0/error/code",
        ),
        (
            "/v1beta/models/m:streamGenerateContent",
            ELEMENT,
            "/1/error/code",
        ),
        (CHAT, "{\"id\":\"c\",\"choices\":[{\"ind", "/error/code"),
        ("/v1/messages", "{\"id\":\"c\",", "/error/type"),
        ("/v1/responses", "{\"id\":\"c\",", "/error/code"),
        ("/api/chat", "{\"model\":\"c\",", "/error"),
    ] {
        let world = world(|_| ()).await;
        let start = if start.is_empty() {
            String::new()
        } else {
            chunk(start)
        };
        let answer = head("application/json") + &start;
        let text = body(&world.exchange(path, ASK, &answer).await);
        let value: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}: {text}"));
        assert!(value.pointer(error).is_some(), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_list_has_its_end() {
    let world = world(|_| ()).await;
    let list = r#"[{"candidates":[{"content":{"role":"model","parts":[{"text":"<think>a</think>b"}]},"index":0}]}
,
{"candidates":[{"content":{"role":"model","parts":[{"text":"c"}]},"finishReason":"STOP","index":0}]}
]"#;
    let answer = streamed("application/json", list);
    let path = "/v1beta/models/m:streamGenerateContent";
    let text = body(&world.exchange(path, ASK, &answer).await);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value.as_array().unwrap().len(), 2, "{text}");
    assert_eq!(
        value.pointer("/0/candidates/0/content/parts/0/thought"),
        Some(&serde_json::Value::Bool(true)),
        "{text}"
    );
    assert!(text.ends_with("\n]"), "{text}");
    let recorded = include_str!("../../../../cases/wire/gemini-list.json");
    let length = |text: &str| {
        serde_json::from_str::<Vec<serde_json::Value>>(text)
            .unwrap()
            .len()
    };
    let answer = streamed("application/json", recorded);
    let text = body(&world.exchange(path, ASK, &answer).await);
    assert_eq!(length(&text), length(recorded), "{text}");
}

#[tokio::test]
async fn an_upstream_that_dies_after_the_end_is_not_an_error() {
    let world = world(|_| ()).await;
    let answer = events() + &chunk(&(content("<think>a</think>b") + &finish()));
    let text = body(&world.exchange(CHAT, ASK, &answer).await);
    assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
    assert!(!text.contains("error"), "{text}");
}

#[tokio::test]
async fn an_error_of_the_server_passes_with_its_status_and_body() {
    let world = world(|_| ()).await;
    let error = r#"{"error":{"message":"<think>no</think>"}}"#;
    let text = world
        .exchange(
            CHAT,
            ASK,
            &sized("429 Slow down", "application/json", error),
        )
        .await;
    assert!(text.starts_with("HTTP/1.1 429 "), "{text}");
    assert!(text.ends_with(error), "{text}");
}

#[tokio::test]
async fn an_error_frame_of_the_server_passes_and_held_text_comes_before_it() {
    let world = world(|_| ()).await;
    let error = "data: {\"error\":{\"message\":\"out of memory\"}}\n\n";
    let answer = streamed("text/event-stream", &(content("a <thi") + error));
    let text = body(&world.exchange(CHAT, ASK, &answer).await);
    let (held, error) = (
        text.find("<thi").unwrap(),
        text.find("out of memory").unwrap(),
    );
    assert!(held < error, "{text}");
    assert!(!text.contains("upstream_truncated"), "{text}");
}

#[tokio::test]
async fn a_whole_answer_that_breaks_off_is_an_error_with_a_status() {
    let world = world(|_| ()).await;
    let answer =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{\"choi";
    let text = world
        .exchange("/v1/messages", r#"{"model":"m"}"#, answer)
        .await;
    assert!(text.starts_with("HTTP/1.1 502 "), "{text}");
    assert!(
        body(&text).starts_with(r#"{"type":"error","error":{"type":"api_error""#),
        "{text}"
    );
    assert_eq!(
        world.metric("tagstream_upstream_failures_total{phase=\"body\"}"),
        "1"
    );
}

/// Nothing but its brackets shows that it is not complete.
#[tokio::test]
async fn a_whole_answer_without_its_length_that_breaks_off_is_an_error_with_a_status() {
    let world = world(|_| ()).await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    for start in [
        "{\"choi",
        " \n{\"choices\":[{\"message\":{\"content\":\"<think>a",
    ] {
        let answer = format!("{head}{start}");
        let text = world.exchange(CHAT, r#"{"model":"m"}"#, &answer).await;
        assert!(text.starts_with("HTTP/1.1 502 "), "{text}");
        assert!(text.contains("upstream_truncated"), "{text}");
    }
    assert_eq!(
        world.metric("tagstream_upstream_failures_total{phase=\"body\"}"),
        "2"
    );
    let other = format!("{head}not JSON {{");
    let text = world.exchange(CHAT, r#"{"model":"m"}"#, &other).await;
    assert!(text.starts_with("HTTP/1.1 200 ") && body(&text) == "not JSON {");
}

#[tokio::test]
async fn an_observed_answer_that_breaks_off_breaks_off() {
    let world = world(|config| config.routes[0].mode = Mode::Observe).await;
    let answer = events() + &chunk(&content("<think>a"));
    let text = world.exchange(CHAT, ASK, &answer).await;
    assert!(text.ends_with(&chunk(&content("<think>a"))), "{text}");
}

#[tokio::test]
async fn an_upstream_that_cannot_be_reached_is_an_error() {
    let world = world(|config| {
        config.upstreams.get_mut("default").unwrap().url = "http://127.0.0.1:1".into();
    })
    .await;
    let text = world
        .ask(CHAT, "connection: close\r\n", ASK)
        .await
        .rest()
        .await;
    assert!(text.starts_with("HTTP/1.1 502 "), "{text}");
    assert!(text.contains("upstream_unreachable"), "{text}");
    assert_eq!(
        world.metric("tagstream_upstream_failures_total{phase=\"connect\"}"),
        "1"
    );
}

//! Which paths are rewritten, which tools count, and where requests go.

use crate::world::{ASK, CHAT, Peer, World, body, content, finish, header, sized, streamed, world};
use tagstream_serve::{Config, Route, Upstream};
use tokio::net::TcpListener;

const THOUGHT: &str = "<think>hm</think>Hi";

/// Path, type of the stream, the stream, and what shows that it was repaired.
pub(crate) fn streams() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let events = "text/event-stream";
    let lines = "application/x-ndjson";
    let anthropic = format!(
        "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\",\"usage\":{{\"input_tokens\":1,\"output_tokens\":1}}}}}}\n\nevent: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\nevent: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{THOUGHT}\"}}}}\n\nevent: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\nevent: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\",\"stop_sequence\":null}},\"usage\":{{\"output_tokens\":2}}}}\n\nevent: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
    );
    let item = |text: &str| {
        format!(
            "{{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{{\"type\":\"output_text\",\"text\":\"{text}\",\"annotations\":[]}}]}}"
        )
    };
    let whole = item(THOUGHT);
    let responses = format!(
        "event: response.created\ndata: {{\"type\":\"response.created\",\"sequence_number\":0,\"response\":{{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}}}\n\nevent: response.output_item.added\ndata: {{\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"in_progress\",\"content\":[]}}}}\n\nevent: response.content_part.added\ndata: {{\"type\":\"response.content_part.added\",\"sequence_number\":2,\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"part\":{{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}}}}\n\nevent: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":3,\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":\"{THOUGHT}\"}}\n\nevent: response.output_item.done\ndata: {{\"type\":\"response.output_item.done\",\"sequence_number\":4,\"output_index\":0,\"item\":{whole}}}\n\nevent: response.completed\ndata: {{\"type\":\"response.completed\",\"sequence_number\":5,\"response\":{{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{whole}]}}}}\n\n"
    );
    let gemini = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"role\":\"model\",\"parts\":[{{\"text\":\"{THOUGHT}\"}}]}},\"finishReason\":\"STOP\",\"index\":0}}]}}\n\n"
    );
    let chat = format!(
        "{{\"model\":\"m\",\"message\":{{\"role\":\"assistant\",\"content\":\"{THOUGHT}\"}},\"done\":false}}\n{{\"model\":\"m\",\"message\":{{\"role\":\"assistant\",\"content\":\"\"}},\"done\":true,\"done_reason\":\"stop\"}}\n"
    );
    let generate = format!(
        "{{\"model\":\"m\",\"response\":\"{THOUGHT}\",\"done\":false}}\n{{\"model\":\"m\",\"response\":\"\",\"done\":true,\"done_reason\":\"stop\"}}\n"
    );
    let legacy = format!(
        "data: {{\"id\":\"c\",\"object\":\"text_completion\",\"choices\":[{{\"index\":0,\"text\":\"{THOUGHT}\",\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n"
    );
    vec![
        (
            CHAT,
            events,
            content(THOUGHT) + &finish(),
            "\"reasoning_content\":\"hm\"",
        ),
        ("/v1/completions", events, legacy, "\"text\":\"Hi\""),
        (
            "/v1/responses",
            events,
            responses,
            "\"type\":\"response.reasoning",
        ),
        (
            "/v1/messages?beta=true",
            events,
            anthropic,
            "\"thinking\":\"hm\"",
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            events,
            gemini,
            "\"thought\":true",
        ),
        ("/api/chat", lines, chat, "\"thinking\":\"hm\""),
        ("/api/generate", lines, generate, "\"thinking\":\"hm\""),
    ]
}

#[tokio::test]
async fn streams_of_all_endpoints_are_repaired() {
    let world = world(|_| ()).await;
    for (path, kind, stream, repaired) in streams() {
        let text = body(&world.exchange(path, ASK, &streamed(kind, &stream)).await);
        assert!(text.contains(repaired), "{path}: {text}");
        assert!(
            text.contains("Hi") && !text.contains("think>"),
            "{path}: {text}"
        );
        assert!(!text.contains("error"), "{path}: {text}");
    }
}

#[tokio::test]
async fn bodies_of_all_endpoints_are_repaired_and_have_their_length() {
    let world = world(|_| ()).await;
    let ask = r#"{"model":"m","stream":false}"#;
    let mut thoughts = 0;
    for (path, answer, repaired) in [
        (
            CHAT,
            r#"{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>Hi"},"finish_reason":"stop"}]}"#,
            r#""reasoning_content":"hm""#,
        ),
        // Nobody says how it ended.
        (
            CHAT,
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>Hi"}}]}"#,
            r#""reasoning_content":"hm""#,
        ),
        (
            "/v1/completions",
            r#"{"id":"c","object":"text_completion","choices":[{"index":0,"text":"<think>hm</think>Hi","finish_reason":"stop"}]}"#,
            r#""text":"Hi""#,
        ),
        (
            "/v1/responses",
            r#"{"id":"r","object":"response","status":"completed","output":[{"id":"i","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"<think>hm</think>Hi","annotations":[]}]}]}"#,
            r#""type":"reasoning""#,
        ),
        (
            "/v1/messages",
            r#"{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"<think>hm</think>Hi"}],"stop_reason":"end_turn","usage":{}}"#,
            r#""thinking":"hm""#,
        ),
        (
            "/v1beta/models/m:generateContent",
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"<think>hm</think>Hi"}]},"finishReason":"STOP","index":0}]}"#,
            r#""thought":true"#,
        ),
        (
            "/api/chat",
            r#"{"model":"m","message":{"role":"assistant","content":"<think>hm</think>Hi"},"done":true,"done_reason":"stop"}"#,
            r#""thinking":"hm""#,
        ),
        (
            "/api/generate",
            r#"{"model":"m","response":"<think>hm</think>Hi","done":true,"done_reason":"stop"}"#,
            r#""thinking":"hm""#,
        ),
    ] {
        let message = world
            .exchange(path, ask, &sized("200 OK", "application/json", answer))
            .await;
        let text = body(&message);
        assert!(
            text.contains(repaired) && !text.contains("think>"),
            "{path}: {text}"
        );
        assert!(text.contains("Hi"), "{path}: {text}");
        thoughts += 1;
        assert_eq!(
            world.metric("tagstream_repairs_total{kind=\"thinking\"}"),
            thoughts.to_string(),
            "{path}"
        );
        let length = text.len().to_string();
        assert_eq!(
            header(&message, "content-length"),
            Some(length.as_str()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_stream_that_was_not_asked_for_is_still_a_stream() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", r#"{"model":"m"}"#).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(crate::world::events().as_bytes()).await;
    upstream.chunk(&content("Hi")).await;
    client.until("Hi").await;
}

/// Servers that cannot stream answer as a whole.
#[tokio::test]
async fn a_whole_answer_to_a_request_for_a_stream_is_repaired() {
    let world = world(|_| ()).await;
    let whole = r#"{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>Hi"},"finish_reason":"stop"}]}"#;
    let answer = sized("200 OK", "application/json", whole);
    let text = body(&world.exchange(CHAT, ASK, &answer).await);
    assert!(text.contains(r#""reasoning_content":"hm""#), "{text}");
    assert!(!text.contains("error"), "{text}");
}

#[tokio::test]
async fn an_answer_of_another_kind_passes_unchanged_though_a_stream_was_asked_for() {
    let world = world(|_| ()).await;
    for (kind, answer) in [
        ("text/plain", "the model <think>sleeps</think>"),
        (
            "application/json",
            r#"{"error":{"message":"<think>no</think>"}}"#,
        ),
        ("application/json", r#"{"detail":"<think>no</think>"}"#),
        ("application/octet-stream", "\u{0}\u{1}"),
    ] {
        for path in [CHAT, "/v1/messages", "/v1/responses", "/api/chat"] {
            let message = sized("200 OK", kind, answer);
            let text = body(&world.exchange(path, ASK, &message).await);
            assert_eq!(text, answer, "{path} {kind}");
        }
    }
}

#[tokio::test]
async fn what_is_not_understood_passes_unchanged() {
    let world = world(|_| ()).await;
    let raw = content("<think>hm</think>");
    for (path, ask, kind) in [
        ("/v1/embeddings", ASK, "text/event-stream"),
        (
            "/v1/messages/count_tokens?beta=true",
            "{}",
            "application/json",
        ),
        ("/any/thing?a=b%20c&d", ASK, "text/plain"),
        (CHAT, "not JSON", "text/event-stream"),
        (CHAT, "[1]", "text/event-stream"),
        (CHAT, ASK, "audio/mpeg"),
        (CHAT, r#"{"model":"m"}"#, "application/json"),
    ] {
        let mut client = world.ask(path, "connection: close\r\n", ask).await;
        let (mut upstream, request) = world.accept().await;
        assert!(
            request.starts_with(&format!("POST {path} HTTP/1.1\r\n")),
            "{request}"
        );
        assert!(request.ends_with(&format!("\r\n\r\n{ask}")), "{request}");
        upstream.send(sized("200 OK", kind, &raw).as_bytes()).await;
        assert_eq!(body(&client.rest().await), raw, "{path} {kind}");
    }
}

#[tokio::test]
async fn an_encoded_answer_passes_unchanged() {
    let world = world(|_| ()).await;
    let raw = content("<think>hm</think>");
    let encoded = |encoding: &str| {
        sized("200 OK", "text/event-stream", &raw).replace(
            "content-type",
            &format!("content-encoding: {encoding}\r\ncontent-type"),
        )
    };
    for encoding in ["gzip", "identity, gzip", "X-Gzip"] {
        let answer = world.exchange(CHAT, ASK, &encoded(encoding)).await;
        assert_eq!(body(&answer), raw, "{encoding}");
    }
    let answer = world.exchange(CHAT, ASK, &encoded("Identity")).await;
    assert!(answer.contains("\"reasoning_content\":\"hm\""), "{answer}");
}

#[tokio::test]
async fn a_repaired_answer_has_no_header_about_other_bytes() {
    let world = world(|_| ()).await;
    let names = [
        "accept-ranges",
        "content-digest",
        "content-md5",
        "digest",
        "etag",
        "last-modified",
        "repr-digest",
    ];
    let headers: String = names.iter().map(|name| format!("{name}: x\r\n")).collect();
    let stream = content(THOUGHT) + &finish();
    for (status, is_kept) in [("200 OK", false), ("404 Not Found", true)] {
        let answer = sized(status, "text/event-stream", &stream)
            .replace("content-type", &format!("{headers}content-type"));
        let answer = world.exchange(CHAT, ASK, &answer).await;
        for name in names {
            assert_eq!(header(&answer, name).is_some(), is_kept, "{name}: {answer}");
        }
    }
}

#[tokio::test]
async fn trailers_pass_with_a_body_that_is_not_changed() {
    let world = world(|_| ()).await;
    let answer = |body: &str| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntrailer: x-sum\r\ntransfer-encoding: chunked\r\n\r\n";
        format!("{head}{}0\r\nx-sum: 1\r\n\r\n", crate::world::chunk(body))
    };
    let headers = "te: trailers\r\nconnection: close, te\r\n";
    for (path, passes) in [("/v1/other", true), (CHAT, false)] {
        let mut client = world.ask(path, headers, ASK).await;
        let (mut upstream, request) = world.accept().await;
        assert_eq!(header(&request, "te"), passes.then_some("trailers"));
        let sent = answer(&(content("Hi") + &finish()));
        upstream.send(sent.as_bytes()).await;
        let got = client.rest().await;
        assert_eq!(header(&got, "trailer"), passes.then_some("x-sum"), "{got}");
        assert_eq!(got.ends_with("0\r\nx-sum: 1\r\n\r\n"), passes, "{got}");
    }
    let metrics = world.proxy.metrics().text();
    assert!(
        !metrics.contains("tagstream_disconnects_total{"),
        "{metrics}"
    );
}

/// Which of these words are still in the text.
async fn call(world: &World, ask: &str, text: &str) -> String {
    let stream = content(text) + &finish();
    body(
        &world
            .exchange(CHAT, ask, &streamed("text/event-stream", &stream))
            .await,
    )
}

fn ask_with(tools: &str) -> String {
    format!(r#"{{"model":"m","stream":true,{tools}}}"#)
}

#[tokio::test]
async fn the_tools_of_the_request_are_the_declared_ones() {
    let world = world(|_| ()).await;
    let now =
        r#""tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object"}}}]"#;
    let other = now.replace("now", "other");
    let forbidden = format!(r#"{now},"tool_choice":"none""#);
    let hermes = r#"<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"#;
    let kimi = "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>";
    let xml = "<tool_call><function=now></function></tool_call>";
    for (dialect, text) in [("hermes", hermes), ("kimi", kimi), ("xml", xml)] {
        let answer = call(&world, &ask_with(now), text).await;
        assert!(
            answer.contains(r#""tool_calls":["#) && answer.contains(r#""name":"now""#),
            "{dialect}: {answer}"
        );
        assert!(
            !answer.contains("tool_call>") && !answer.contains("<|"),
            "{dialect}: {answer}"
        );
    }
    for tools in [other.as_str(), &forbidden, r#""tools":[]"#] {
        let answer = call(&world, &ask_with(tools), hermes).await;
        assert!(!answer.contains(r#""tool_calls":["#), "{tools}: {answer}");
        assert!(answer.contains("<tool_call>"), "{tools}: {answer}");
    }
    assert_eq!(
        world.metric("tagstream_calls_total{dialect=\"auto\",outcome=\"valid\"}"),
        "3"
    );
}

#[tokio::test]
async fn a_call_that_does_not_fit_its_schema_is_refused() {
    let world = world(|_| ()).await;
    let tools = r#""tools":[{"type":"function","function":{"name":"wait","parameters":{"type":"object","properties":{"s":{"type":"integer"}},"required":["s"]}}}]"#;
    let text = r#"<tool_call>{\"name\":\"wait\",\"arguments\":{\"s\":\"soon\"}}</tool_call>"#;
    let answer = call(&world, &ask_with(tools), text).await;
    assert!(!answer.contains(r#""tool_calls":["#), "{answer}");
    assert_eq!(
        world.metric("tagstream_calls_total{dialect=\"auto\",outcome=\"refused\"}"),
        "1"
    );
}

#[tokio::test]
async fn without_a_profile_the_thinking_tags_of_all_presets_count() {
    let world = world(|_| ()).await;
    for preset in tagstream::profile::presets() {
        for tag in preset.profile().thinking.tags {
            let text = format!("<{tag}>hidden</{tag}>shown");
            let answer = call(&world, ASK, &text).await;
            assert!(
                answer.contains(r#""reasoning_content":"hidden""#),
                "{tag}: {answer}"
            );
            assert!(answer.contains(r#""content":"shown""#), "{tag}: {answer}");
        }
    }
}

/// A second upstream, named `b`, for the models `b-*`.
fn second(config: &mut Config, upstream: &TcpListener) {
    let url = format!("http://{}/prefix/", upstream.local_addr().unwrap());
    config.upstreams.insert("b".into(), Upstream::at(&url));
    let mut route = Route::to("b");
    route.model = "b-*".into();
    route.rename = Some("vendor/B".into());
    config.routes.push(route);
}

async fn request_of(listener: &TcpListener) -> String {
    Peer::new(listener.accept().await.unwrap().0)
        .request()
        .await
}

#[tokio::test]
async fn the_model_decides_the_upstream_and_is_renamed() {
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let world = world(|config| second(config, &other)).await;
    for (path, ask, first, last) in [
        (
            "/v1/completions?a=/models/b-1:x",
            r#"{"model":"b-1"}"#,
            "POST /prefix/v1/completions?a=/models/b-1:x HTTP",
            r#"{"model":"vendor/B"}"#,
        ),
        (
            CHAT,
            r#"{"model":"b-1","n":1.50}"#,
            "POST /prefix/v1/chat/completions HTTP",
            r#"{"model":"vendor/B","n":1.50}"#,
        ),
        (
            "/v1beta/models/b-1:generateContent",
            "{}",
            "POST /prefix/v1beta/models/vendor/B:generateContent HTTP",
            "{}",
        ),
        (
            "/v1/messages/count_tokens",
            r#"{"model":"b-1"}"#,
            "POST /prefix/v1/messages/count_tokens HTTP",
            r#"{"model":"vendor/B"}"#,
        ),
    ] {
        let _client = world
            .ask(path, "content-type: application/json\r\n", ask)
            .await;
        let request = request_of(&other).await;
        assert!(
            request.starts_with(first) && request.ends_with(last),
            "{request}"
        );
    }
    let _client = world.ask(CHAT, "", ASK).await;
    assert!(world.accept().await.1.ends_with(ASK));
}

#[tokio::test]
async fn a_model_without_a_route_is_not_found_but_other_paths_pass() {
    let world = world(|config| config.routes[0].model = "only".into()).await;
    let mut client = world.ask("/v1/messages", "", ASK).await;
    let answer = client.until("}}").await;
    assert!(
        answer.starts_with("HTTP/1.1 404 ") && answer.contains("not_found_error"),
        "{answer}"
    );
    let _client = world.ask("/v1/models", "", "").await;
    assert!(world.accept().await.1.starts_with("POST /v1/models "));
}

#[tokio::test]
async fn a_request_without_a_model_takes_the_default_or_the_first_route() {
    let only = world(|config| config.routes[0].model = "only".into()).await;
    let default = world(|config| {
        let mut route = Route::to("b");
        route.model = "first".into();
        config
            .upstreams
            .insert("b".into(), Upstream::at("http://127.0.0.1:1"));
        config.routes.insert(0, route);
    })
    .await;
    for world in [only, default] {
        for ask in [r#"{"messages":[]}"#, r#"{"model":null}"#, "[]"] {
            let _client = world.ask(CHAT, "", ask).await;
            assert!(world.accept().await.1.ends_with(ask));
        }
    }
}

/// Clients may leave out what the body is, or how long.
#[tokio::test]
async fn the_model_decides_the_upstream_on_other_paths_too() {
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let world = world(|config| second(config, &other)).await;
    let ask = r#"{"model":"b-1"}"#;
    for kind in ["", "content-type: application/x-www-form-urlencoded\r\n"] {
        let _client = world.ask("/v1/embeddings", kind, ask).await;
        assert!(
            request_of(&other)
                .await
                .ends_with(r#"{"model":"vendor/B"}"#)
        );
    }
    let mut client = world.connect().await;
    let head = "POST /v1/embeddings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunks = crate::world::chunk(ask) + "0\r\n\r\n";
    client.send((head.to_owned() + &chunks).as_bytes()).await;
    assert!(
        request_of(&other)
            .await
            .ends_with(r#"{"model":"vendor/B"}"#)
    );
    // A file is not read.
    let _client = world
        .ask("/v1/files", "content-type: multipart/form-data\r\n", ask)
        .await;
    assert!(world.accept().await.1.ends_with(ask));
}

#[tokio::test]
async fn other_methods_pass() {
    let world = world(|_| ()).await;
    for (method, path) in [
        ("HEAD", "/v1/models"),
        ("OPTIONS", CHAT),
        ("PUT", "/v1/files/f"),
        ("DELETE", "/v1/files/f"),
        ("PATCH", "/x"),
        ("GET", CHAT),
    ] {
        let mut client = world.connect().await;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{}0\r\n\r\n",
            crate::world::chunk("abc")
        );
        client.send(request.as_bytes()).await;
        let (mut upstream, request) = world.accept().await;
        assert!(
            request.starts_with(&format!("{method} {path} HTTP/1.1\r\n")),
            "{request}"
        );
        assert_eq!(
            upstream.until("0\r\n\r\n").await,
            "3\r\nabc\r\n0\r\n\r\n",
            "{method}"
        );
        upstream
            .send(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-end: 1\r\n\r\n")
            .await;
        let answer = client.rest().await;
        assert_eq!(header(&answer, "x-end"), Some("1"), "{method}: {answer}");
    }
    let mut client = world.connect().await;
    client
        .send(b"HEAD /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await;
    let (mut upstream, request) = world.accept().await;
    assert_eq!(header(&request, "transfer-encoding"), None, "{request}");
    upstream
        .send(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n")
        .await;
    let answer = client.rest().await;
    assert_eq!(header(&answer, "content-length"), Some("99"), "{answer}");
}

#[tokio::test]
async fn headers_are_added_and_dropped() {
    let world = world(|config| {
        let upstream = config.upstreams.get_mut("default").unwrap();
        upstream.add_headers.insert("x-team".into(), "a".into());
        upstream.drop_headers.push("X-Secret".into());
    })
    .await;
    let _client = world
        .ask(CHAT, "x-secret: 1\r\nx-team: b\r\nx-kept: 2\r\n", ASK)
        .await;
    let (_, request) = world.accept().await;
    assert_eq!(header(&request, "x-secret"), None);
    assert_eq!(header(&request, "x-team"), Some("a"));
    assert_eq!(header(&request, "x-kept"), Some("2"));
}

//! Time limits, each on its own, and keep-alives. Limits that must not be reached are hours.

use crate::world::{ASK, CHAT, World, content, events, world};
use tagstream_serve::{Config, Timeouts};
use tokio::net::TcpListener;

fn only(change: impl FnOnce(&mut Timeouts)) -> impl FnOnce(&mut Config) {
    |config: &mut Config| {
        let times = &mut config.timeouts;
        (times.connect, times.first_byte) = (3600.0, 3600.0);
        (times.idle, times.total) = (3600.0, 3600.0);
        change(times);
    }
}

async fn begun(world: &World, path: &str) -> (crate::world::Peer, crate::world::Peer) {
    let client = world.ask(path, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    (client, upstream)
}

#[tokio::test]
async fn first_byte_before_headers_is_a_status() {
    let world = world(only(|times| times.first_byte = 0.05)).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    let answer = client.until("}}").await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    assert!(answer.contains("upstream_first_byte_timeout"), "{answer}");
    upstream.closed().await;
}

#[tokio::test]
async fn first_byte_after_headers_is_a_frame() {
    let world = world(only(|times| times.first_byte = 0.1)).await;
    let (mut client, mut upstream) = begun(&world, CHAT).await;
    client.until("data: {\"error\":").await;
    client.until("upstream_first_byte_timeout").await;
    upstream.closed().await;
}

#[tokio::test]
async fn idle_is_a_frame_after_what_is_held() {
    let world = world(only(|times| times.idle = 0.05)).await;
    let (mut client, mut upstream) = begun(&world, CHAT).await;
    upstream.chunk(&content("a <thi")).await;
    let answer = client.until("upstream_idle_timeout").await;
    assert!(answer.contains("<thi"), "{answer}");
    upstream.closed().await;
}

/// What is held comes first, in every format.
#[tokio::test]
async fn idle_is_a_frame_in_every_format() {
    let gemini = "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"a <thi\"}]},\"index\":0}]}";
    let events = "text/event-stream";
    let lines = "application/x-ndjson";
    for (path, kind, stream, error) in [
        (CHAT, events, content("a <thi"), "data: {\"error\":{"),
        (
            "/v1/completions",
            events,
            "data: {\"choices\":[{\"index\":0,\"text\":\"a <thi\"}]}\n\n".to_owned(),
            "data: {\"error\":{",
        ),
        (
            "/v1/messages",
            events,
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a <thi\"}}\n\n".to_owned(),
            "event: error\ndata: {\"type\":\"error\",",
        ),
        (
            "/v1/responses",
            events,
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":3,\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":\"a <thi\"}\n\n".to_owned(),
            "event: error\ndata: {\"type\":\"error\",",
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            events,
            format!("data: {gemini}\n\n"),
            "data: {\"error\":{",
        ),
        (
            "/v1beta/models/m:streamGenerateContent",
            "application/json",
            format!("[{gemini}"),
            ",{\"error\":{",
        ),
        (
            "/api/chat",
            lines,
            "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"a <thi\"},\"done\":false}\n".to_owned(),
            "\n{\"error\":",
        ),
        (
            "/api/generate",
            lines,
            "{\"model\":\"m\",\"response\":\"a <thi\",\"done\":false}\n".to_owned(),
            "\n{\"error\":",
        ),
    ] {
        let world = world(only(|times| times.idle = 0.05)).await;
        let mut client = world.ask(path, "connection: close\r\n", ASK).await;
        let (mut upstream, _) = world.accept().await;
        upstream.send(crate::world::head(kind).as_bytes()).await;
        upstream.chunk(&stream).await;
        let text = crate::world::body(&client.rest().await);
        let (held, error) = (text.find("<thi"), text.find(error));
        assert!(held.is_some() && error > held, "{path}: {text}");
        assert!(text.contains("stopped sending"), "{path}: {text}");
        upstream.closed().await;
    }
}

#[tokio::test]
async fn total_ends_an_upstream_that_goes_on() {
    let world = world(only(|times| times.total = 0.2)).await;
    let (mut client, mut upstream) = begun(&world, CHAT).await;
    let going_on = async {
        loop {
            upstream.chunk(&content("on ")).await;
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = going_on => {}
        _ = client.until("upstream_total_timeout") => {}
    }
}

#[tokio::test]
async fn connecting_has_its_own_limit() {
    // TLS is not answered, so there is no connection.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", silent.local_addr().unwrap());
    let world = world(|config| {
        only(|times| times.connect = 0.05)(config);
        config.upstreams.get_mut("default").unwrap().url = url;
    })
    .await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let answer = client.until("}}").await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(answer.contains("the connection took too long"), "{answer}");
}

#[tokio::test]
async fn a_whole_answer_that_stops_is_a_status() {
    let world = world(only(|times| times.idle = 0.05)).await;
    let mut client = world.ask(CHAT, "", r#"{"model":"m"}"#).await;
    let (mut upstream, _) = world.accept().await;
    upstream
        .send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{")
        .await;
    let answer = client.until("}}").await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    upstream.closed().await;
}

#[tokio::test]
async fn keep_alives_are_in_the_clients_own_form() {
    for (path, frame) in [
        (CHAT, ": keep-alive\n\n"),
        ("/v1/completions", ": keep-alive\n\n"),
        ("/v1/responses", ": keep-alive\n\n"),
        ("/v1/messages", "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
    ] {
        let world = world(only(|times| times.keep_alive = 0.01)).await;
        let (mut client, _upstream) = begun(&world, path).await;
        client.until(frame).await;
        client.until(frame).await;
    }
}

/// Lines of JSON have no frame that says nothing, and clients of Gemini read a comment as JSON.
#[tokio::test]
async fn ollama_and_gemini_have_no_keep_alive() {
    let line = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"done\":false}\n";
    let event = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hi\"}]},\"index\":0}]}\n\n";
    for (path, kind, frame) in [
        ("/api/chat", "application/x-ndjson", line),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            "text/event-stream",
            event,
        ),
    ] {
        let world = world(only(|times| (times.keep_alive, times.idle) = (0.01, 0.2))).await;
        let mut client = world.ask(path, "", ASK).await;
        let (mut upstream, _) = world.accept().await;
        upstream.send(crate::world::head(kind).as_bytes()).await;
        upstream.chunk(frame).await;
        let answer = client.until("the model server stopped sending").await;
        assert!(
            !answer.contains("keep-alive\n") && !answer.contains("ping"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn total_counts_before_headers_too() {
    let world = world(only(|times| times.total = 0.05)).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    let answer = client.until("}}").await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    assert!(answer.contains("upstream_total_timeout"), "{answer}");
    upstream.closed().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_given_up() {
    let world = world(only(|times| times.client = 0.05)).await;
    let (mut client, mut upstream) = begun(&world, CHAT).await;
    upstream.chunk(&content("start")).await;
    client.until("start").await;
    let piece = crate::world::chunk(&content(&"x".repeat(64 << 10)));
    // Until the proxy closes the connection.
    while tokio::io::AsyncWriteExt::write_all(&mut upstream.stream, piece.as_bytes())
        .await
        .is_ok()
    {}
    while world.metric("tagstream_disconnects_total{phase=\"stream\"}") != "1" {
        tokio::task::yield_now().await;
    }
}

//! A request is sent again only before the first byte, and only as configured.

use crate::world::{ASK, CHAT, content, events, header, sized, world};

const BUSY: &str = "HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

#[tokio::test]
async fn a_status_is_retried_if_configured() {
    for status in [408, 429, 500, 503] {
        let world = world(|config| {
            config.retry.times = 1;
            config.retry.on_status = true;
            config.retry.backoff = 0.0;
        })
        .await;
        let mut client = world.ask(CHAT, "", ASK).await;
        let (mut upstream, request) = world.accept().await;
        upstream
            .send(BUSY.replace("503", &status.to_string()).as_bytes())
            .await;
        let (mut upstream, again) = world.accept().await;
        assert_eq!(request, again);
        upstream.send(events().as_bytes()).await;
        upstream.chunk(&content("Hi")).await;
        client.until("Hi").await;
    }
}

#[tokio::test]
async fn a_request_without_a_body_is_retried_on_every_path_but_an_upload_is_not() {
    let world = world(|config| {
        config.retry.times = 1;
        config.retry.on_status = true;
        config.retry.backoff = 0.0;
    })
    .await;
    for line in ["GET /v1/models", "HEAD /v1/models", "DELETE /v1/files/f"] {
        let mut client = world.connect().await;
        let request = format!("{line} HTTP/1.1\r\nhost: x\r\n\r\n");
        client.send(request.as_bytes()).await;
        let (mut upstream, request) = world.accept().await;
        upstream.send(BUSY.as_bytes()).await;
        let (mut upstream, again) = world.accept().await;
        assert_eq!(request, again);
        assert_eq!(header(&again, "content-length"), None, "{again}");
        assert_eq!(header(&again, "transfer-encoding"), None, "{again}");
        upstream
            .send(sized("200 OK", "text/plain", "").as_bytes())
            .await;
        client.until("HTTP/1.1 200 ").await;
    }
    let mut client = world.ask("/v1/files", "", "a file").await;
    world.accept().await.0.send(BUSY.as_bytes()).await;
    client.until("HTTP/1.1 503 ").await;
}

#[tokio::test]
async fn the_last_status_is_the_answer() {
    let world = world(|config| {
        config.retry.times = 2;
        config.retry.on_status = true;
        config.retry.backoff = 0.001;
    })
    .await;
    let mut client = world.ask(CHAT, "", ASK).await;
    for _ in 0..3 {
        world.accept().await.0.send(BUSY.as_bytes()).await;
    }
    client.until("HTTP/1.1 503 ").await;
}

#[tokio::test]
async fn a_status_is_not_retried_unless_configured() {
    let world = world(|config| config.retry.times = 5).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    world.accept().await.0.send(BUSY.as_bytes()).await;
    client.until("HTTP/1.1 503 ").await;
}

#[tokio::test]
async fn a_connection_that_fails_before_the_first_byte_is_retried() {
    let world = world(|config| {
        config.retry.times = 1;
        config.retry.backoff = 0.0;
    })
    .await;
    let mut client = world.ask(CHAT, "", ASK).await;
    drop(world.accept().await);
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    upstream.chunk(&content("Hi")).await;
    client.until("Hi").await;
    // Not after the first byte.
    drop(upstream);
    client.until("upstream_broken").await;
}

#[tokio::test]
async fn a_failed_connection_is_an_error_without_retries() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    drop(world.accept().await);
    let answer = client.until("}}").await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
}

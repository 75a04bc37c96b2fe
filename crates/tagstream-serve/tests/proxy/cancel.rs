//! A client that leaves cancels the request upstream, in every phase; `SIGTERM` lets requests end.

use crate::world::{ASK, CHAT, World, body, content, events, finish, head, world};
use std::time::Duration;

/// The client has left, which the upstream sees.
async fn check(world: &World, phase: &str) {
    let counter = format!("tagstream_disconnects_total{{phase=\"{phase}\"}}");
    assert_eq!(world.metric(&counter), "1");
    assert_eq!(world.metric("tagstream_http_streams_active"), "0");
}

#[tokio::test]
async fn before_headers() {
    let world = world(|_| ()).await;
    let client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    drop(client);
    upstream.closed().await;
    check(&world, "headers").await;
    assert!(world.proxy.metrics().text().contains("code=\"499\""));
}

#[tokio::test]
async fn before_the_first_token() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    client.until("\r\n\r\n").await;
    drop(client);
    upstream.closed().await;
    check(&world, "first_byte").await;
}

#[tokio::test]
async fn in_mid_stream() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    upstream.chunk(&content("Hi")).await;
    client.until("Hi").await;
    drop(client);
    upstream.closed().await;
    check(&world, "stream").await;
}

#[tokio::test]
async fn of_an_answer_that_is_not_streamed() {
    let world = world(|_| ()).await;
    let client = world.ask(CHAT, "", r#"{"model":"m"}"#).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(head("application/json").as_bytes()).await;
    upstream.chunk("{").await;
    while world.metric("tagstream_http_streams_active") != "1" {
        tokio::task::yield_now().await;
    }
    drop(client);
    upstream.closed().await;
    check(&world, "body").await;
}

/// hyper does not read while it has bytes of the next request.
#[tokio::test]
async fn of_a_client_that_has_sent_more_than_its_request() {
    let next = format!("POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}");
    for more in ["\r\n", &next] {
        for phase in ["headers", "first_byte", "stream", "body"] {
            let world = world(|_| ()).await;
            let ask = if phase == "body" {
                r#"{"model":"m"}"#
            } else {
                ASK
            };
            let mut client = world.ask(CHAT, "", ask).await;
            client.send(more.as_bytes()).await;
            let (mut upstream, _) = world.accept().await;
            match phase {
                "headers" => {}
                "body" => {
                    upstream.send(head("application/json").as_bytes()).await;
                    upstream.chunk("{").await;
                    while world.metric("tagstream_http_streams_active") != "1" {
                        tokio::task::yield_now().await;
                    }
                }
                _ => {
                    upstream.send(events().as_bytes()).await;
                    client.until("\r\n\r\n").await;
                    if phase == "stream" {
                        upstream.chunk(&content("Hi")).await;
                        client.until("Hi").await;
                    }
                }
            }
            drop(client);
            upstream.closed().await;
            check(&world, phase).await;
        }
    }
}

#[tokio::test]
async fn of_an_upload_is_not_the_upstreams_failure() {
    for path in [CHAT, "/v1/files"] {
        let world = world(|_| ()).await;
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nabc");
        let mut client = world.connect().await;
        client.send(head.as_bytes()).await;
        if path == CHAT {
            // It is not sent on before it is complete.
            drop(client);
        } else {
            let mut upstream = world.upstream_peer().await;
            upstream.until("abc").await;
            drop(client);
            upstream.closed().await;
        }
        while world.metric("tagstream_http_request_duration_seconds_count") != "1" {
            tokio::task::yield_now().await;
        }
        check(&world, "headers").await;
        let metrics = world.proxy.metrics().text();
        assert!(
            metrics.contains("code=\"499\"")
                && !metrics.contains("tagstream_upstream_failures_total{"),
            "{metrics}"
        );
    }
}

#[tokio::test]
async fn a_stop_lets_a_stream_end_and_accepts_nothing_new() {
    let mut world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    upstream.chunk(&content("<think>a")).await;
    client.until("reasoning_content").await;
    assert!(world.admin("/readyz").await.starts_with("HTTP/1.1 200 "));
    world.stop.take().unwrap().send(()).unwrap();
    while world.admin("/readyz").await.starts_with("HTTP/1.1 200 ") {}
    assert!(tokio::net::TcpStream::connect(world.address).await.is_err());
    upstream.chunk(&(content("b</think>c") + &finish())).await;
    upstream.chunk("").await;
    let rest = client.until("[DONE]").await;
    assert!(rest.contains("\"content\":\"c\""), "{rest}");
    world.running.await.unwrap();
}

#[tokio::test]
async fn a_stop_cuts_off_what_takes_too_long() {
    let mut world = world(|config| config.timeouts.drain = 0.01).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    client.until("\r\n\r\n").await;
    world.stop.take().unwrap().send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(60), world.running)
        .await
        .unwrap()
        .unwrap();
    upstream.closed().await;
    assert_eq!(
        world
            .proxy
            .metrics()
            .text()
            .matches("tagstream_disconnects_total{")
            .count(),
        0,
        "the client has not left"
    );
    assert_eq!(body(&format!("\r\n\r\n{}", client.rest().await)), "");
}

//! What is certain goes out at once, and nothing is buffered.

use crate::world::{ASK, CHAT, DONE, body, chunk, content, events, finish, header, world};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

#[tokio::test]
async fn a_stream_in_single_bytes_is_repaired() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    for byte in (content("<think>hm</think>Hi") + DONE).chars() {
        upstream.chunk(&byte.to_string()).await;
    }
    upstream.chunk("").await;
    let answer = client.until("\r\n0\r\n\r\n").await;
    let text = body(&answer);
    assert!(text.contains(r#""reasoning_content":"hm""#), "{text}");
    assert!(text.contains(r#""content":"Hi""#), "{text}");
    assert!(!text.contains("<think>"), "{text}");
    assert_eq!(header(&answer, "x-accel-buffering"), Some("no"));
    assert_eq!(
        header(&answer, "cache-control"),
        Some("no-cache, no-transform")
    );
    assert_eq!(header(&answer, "content-length"), None);
}

#[tokio::test]
async fn what_is_certain_goes_out_with_the_read_that_made_it_certain() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    // The upstream sends nothing more until the client has each of these.
    for word in ["Hello", " world", " <", "thinker>"] {
        upstream.chunk(&content(word)).await;
        if word != " <" {
            client.until(word.trim_start_matches(' ')).await;
        }
    }
}

#[tokio::test]
async fn a_content_type_may_be_spelled_in_any_case() {
    let world = world(|_| ()).await;
    let stream = content("<think>hm</think>Hi") + &finish();
    let answer = crate::world::streamed("Text/Event-Stream; Charset=UTF-8", &stream);
    let text = body(&world.exchange(CHAT, ASK, &answer).await);
    assert!(text.contains(r#""reasoning_content":"hm""#), "{text}");
}

#[tokio::test]
async fn a_client_that_does_not_read_stops_the_upstream() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    upstream.chunk(&content("start")).await;
    client.until("start").await;
    let piece = chunk(&content(&"x".repeat(64 << 10)));
    let more = async {
        // Far more than sockets and the proxy may keep.
        for _ in 0..2000 {
            upstream.stream.write_all(piece.as_bytes()).await.unwrap();
        }
    };
    let sent = timeout(Duration::from_millis(500), more).await;
    assert!(
        sent.is_err(),
        "125 MB were taken though the client reads nothing"
    );
}

#[tokio::test]
async fn a_long_stream_arrives_whole() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    let piece = "y".repeat(32 << 10);
    let sending = async {
        upstream.send(events().as_bytes()).await;
        for _ in 0..64 {
            upstream.chunk(&content(&piece)).await;
        }
        upstream.chunk(&finish()).await;
        upstream.chunk("").await;
    };
    let (answer, ()) = tokio::join!(client.until("\r\n0\r\n\r\n"), sending);
    assert_eq!(body(&answer).matches('y').count(), 64 * piece.len());
}

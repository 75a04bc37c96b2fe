//! Modes of routes, and presets.

use crate::routes::streams;
use crate::world::{ASK, CHAT, body, content, finish, header, sized, streamed, world};
use tagstream_serve::{Mode, Thoughts};

#[tokio::test]
async fn observed_bytes_pass_unchanged_and_are_counted() {
    let world = world(|config| config.routes[0].mode = Mode::Observe).await;
    let stream = content("<think>hm</think>Hi") + &finish();
    let answer = world
        .exchange(CHAT, ASK, &streamed("text/event-stream", &stream))
        .await;
    assert_eq!(body(&answer), stream);
    let whole = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>Hi"},"finish_reason":"stop"}]}"#;
    let answer = sized("200 OK", "application/json", whole);
    assert_eq!(
        body(&world.exchange(CHAT, r#"{"model":"m"}"#, &answer).await),
        whole
    );
    assert_eq!(
        world.metric("tagstream_repairs_total{kind=\"thinking\"}"),
        "2"
    );
}

#[tokio::test]
async fn observed_streams_of_all_endpoints_pass_unchanged_and_are_counted() {
    let world = world(|config| config.routes[0].mode = Mode::Observe).await;
    let list = r#"[{"candidates":[{"content":{"role":"model","parts":[{"text":"<think>hm</think>Hi"}]},"finishReason":"STOP","index":0}]}]"#;
    let mut streams = streams();
    let path = "/v1beta/models/m:streamGenerateContent";
    streams.push((path, "application/json", list.to_owned(), ""));
    let mut thoughts = 0;
    for (path, kind, stream, _) in streams {
        let answer = world.exchange(path, ASK, &streamed(kind, &stream)).await;
        assert_eq!(body(&answer), stream, "{path}");
        thoughts += 1;
        assert_eq!(
            world.metric("tagstream_repairs_total{kind=\"thinking\"}"),
            thoughts.to_string(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn off_is_neither_changed_nor_counted() {
    let world = world(|config| config.routes[0].mode = Mode::Off).await;
    let stream = content("<think>hm</think>Hi");
    let mut client = world
        .ask(CHAT, "accept-encoding: gzip\r\nconnection: close\r\n", ASK)
        .await;
    let (mut upstream, request) = world.accept().await;
    assert_eq!(header(&request, "accept-encoding"), Some("gzip"));
    upstream
        .send(streamed("text/event-stream", &stream).as_bytes())
        .await;
    assert_eq!(body(&client.rest().await), stream);
    assert_eq!(
        world.metric("tagstream_repairs_total{kind=\"thinking\"}"),
        ""
    );
}

#[tokio::test]
async fn off_passes_encoded_requests_as_they_are() {
    let world = world(|config| config.routes[0].mode = Mode::Off).await;
    // `{}` as zstd writes it.
    let body = [
        0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d,
    ];
    let _client = world
        .ask_bytes(CHAT, "content-encoding: zstd\r\n", &body)
        .await;
    let (_, request) = world.accept().await;
    assert_eq!(header(&request, "content-encoding"), Some("zstd"));
    assert_eq!(header(&request, "content-length"), Some("11"));
}

#[tokio::test]
async fn thinking_is_moved_hidden_or_kept() {
    for (thinking, reasoning, text) in [
        (Thoughts::Move, true, "\"Hi\""),
        (Thoughts::Hide, false, "\"Hi\""),
        (Thoughts::Keep, false, "<think>hm</think>Hi"),
    ] {
        let world = world(|config| config.routes[0].thinking = thinking).await;
        let stream = streamed(
            "text/event-stream",
            &(content("<think>hm</think>Hi") + &finish()),
        );
        let answer = body(&world.exchange(CHAT, ASK, &stream).await);
        assert_eq!(answer.contains("reasoning_content"), reasoning, "{answer}");
        assert!(answer.contains(text), "{answer}");
    }
}

#[tokio::test]
async fn a_preset_and_a_field_are_used() {
    let world = world(|config| {
        config.routes[0].preset = Some("magistral".into());
        config.routes[0].reasoning_field = Some("reasoning".into());
    })
    .await;
    let stream = streamed(
        "text/event-stream",
        &(content("[THINK]hm[/THINK]Hi") + &finish()),
    );
    let answer = body(&world.exchange(CHAT, ASK, &stream).await);
    assert!(answer.contains(r#""reasoning":"hm""#), "{answer}");
}

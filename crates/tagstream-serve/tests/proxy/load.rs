//! Many requests at once: reloads drop nothing, and no request brings the proxy down.

use crate::world::{
    ASK, CHAT, Peer, World, body, config, content, events, finish, streamed, world,
};
use std::sync::Arc;
use tagstream_serve::{Config, Mode};
use tokio::task::JoinSet;

#[tokio::test]
async fn a_reload_does_not_touch_streams_in_flight() {
    let world = world(|_| ()).await;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    upstream.chunk(&content("<think>a")).await;
    client.until("reasoning_content").await;
    let mut off = config(&world.upstream);
    off.routes[0].mode = Mode::Off;
    world.proxy.reload(off).unwrap();
    let refused = world.proxy.reload(Config::default()).unwrap_err();
    assert!(
        refused.to_string().starts_with("`upstreams`: "),
        "{refused}"
    );
    upstream.chunk(&(content("b</think>c") + &finish())).await;
    upstream.chunk("").await;
    let answer = client.until("[DONE]").await;
    assert!(
        !answer.contains("</think>") && answer.contains("\"content\":\"c\""),
        "{answer}"
    );
    // The next request has the new configuration, not the bad one.
    let stream = content("<think>a") + &finish();
    let answer = world
        .exchange(CHAT, ASK, &streamed("text/event-stream", &stream))
        .await;
    assert_eq!(body(&answer), stream);
}

/// Answers every request on every connection.
async fn play(world: Arc<World>) {
    let answer = streamed(
        "text/event-stream",
        &(content("<think>a</think>b") + &finish()),
    );
    loop {
        let (stream, _) = world.upstream.accept().await.unwrap();
        let answer = answer.clone();
        tokio::spawn(async move {
            let mut peer = Peer::new(stream);
            let mut first = [0];
            while peer
                .stream
                .peek(&mut first)
                .await
                .is_ok_and(|count| count > 0)
            {
                peer.request().await;
                peer.send(answer.as_bytes()).await;
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reload_under_load_drops_nothing() {
    let world = Arc::new(world(|_| ()).await);
    let upstream = tokio::spawn(play(Arc::clone(&world)));
    let mut clients = JoinSet::new();
    for _ in 0..20 {
        let world = Arc::clone(&world);
        clients.spawn(async move {
            for _ in 0..10 {
                let mut client = world.ask(CHAT, "connection: close\r\n", ASK).await;
                let answer = client.rest().await;
                assert!(body(&answer).ends_with("data: [DONE]\n\n"), "{answer}");
                assert!(answer.contains("\"reasoning_content\":\"a\""), "{answer}");
            }
        });
    }
    while let Some(result) = {
        world.proxy.reload(config(&world.upstream)).unwrap();
        clients.join_next().await
    } {
        result.unwrap();
    }
    assert_eq!(
        world.metric(
            "tagstream_http_requests_total{route=\"default\",format=\"openai\",code=\"200\"}"
        ),
        "200"
    );
    upstream.abort();
}

/// A generator of numbers that are random enough.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// A request with some of its bytes changed, removed or repeated.
    fn request(&mut self) -> Vec<u8> {
        let paths = [
            CHAT,
            "/v1/messages",
            "/api/chat",
            "/v1beta/models/a:generateContent",
            "/",
            "*",
            "/%zz",
            "/a?b=c#d",
        ];
        let methods = ["POST", "GET", "OPTIONS", "HEAD", "PRI", "CONNECT"];
        let bodies = [
            ASK,
            "{",
            "{\"model\":3,\"tools\":[{}]}",
            "\u{0}\u{1}",
            "{\"tools\":{\"a\":[[[[]]]]}}",
            "{\"model\":\"\\ud800\"}",
        ];
        let encodings = [
            "",
            "content-encoding: gzip\r\n",
            "content-encoding: br\r\n",
            "content-encoding: zstd\r\n",
        ];
        let body = bodies[self.below(bodies.len())];
        let mut request = format!(
            "{} {} HTTP/1.1\r\nhost: x\r\n{}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            methods[self.below(methods.len())],
            paths[self.below(paths.len())],
            encodings[self.below(encodings.len())],
            body.len(),
        )
        .into_bytes();
        for _ in 0..self.below(4) {
            let at = self.below(request.len());
            match self.below(3) {
                0 => request[at] = u8::try_from(self.below(256)).unwrap(),
                1 => drop(request.remove(at)),
                _ => request.extend_from_within(at..),
            }
        }
        request
    }
}

#[tokio::test]
async fn no_request_brings_the_proxy_down() {
    let world = Arc::new(world(|config| config.timeouts.first_byte = 5.0).await);
    let upstream = tokio::spawn(play(Arc::clone(&world)));
    let mut random = Random(1);
    for _ in 0..2000 {
        let mut client = world.connect().await;
        let request = random.request();
        client.send(&request).await;
        // Half of them do not wait for the answer.
        if random.below(2) == 0 {
            tokio::io::AsyncWriteExt::shutdown(&mut client.stream)
                .await
                .unwrap();
            client.closed().await;
        }
    }
    let mut client = world.ask(CHAT, "connection: close\r\n", ASK).await;
    let answer = client.rest().await;
    assert!(body(&answer).ends_with("data: [DONE]\n\n"), "{answer}");
    upstream.abort();
}

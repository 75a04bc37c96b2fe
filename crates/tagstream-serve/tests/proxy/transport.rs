//! TLS and HTTP/2, on both sides.

use crate::world::{ASK, CHAT, body, config, content, events, finish, world};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use std::path::Path;
use tagstream_serve::{Config, Server, Tls};
use tokio::net::TcpListener;

fn data(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

#[tokio::test]
async fn a_client_with_http_2_gets_a_repaired_stream_and_its_reset_cancels() {
    let world = world(|_| ()).await;
    let client = Client::builder(TokioExecutor::new())
        .http2_only(true)
        .build_http();
    let url = format!("http://{}{CHAT}", world.address);
    let request = || {
        http::Request::post(&url)
            .body(Full::new(Bytes::from(ASK)))
            .unwrap()
    };
    let (response, (mut upstream, _)) = tokio::join!(client.request(request()), async {
        let (mut upstream, request) = world.accept().await;
        upstream.send(events().as_bytes()).await;
        upstream
            .chunk(&(content("<think>a</think>b") + &finish()))
            .await;
        upstream.chunk("").await;
        (upstream, request)
    });
    let response = response.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(text.to_vec()).unwrap();
    assert!(
        text.contains("reasoning_content") && text.ends_with("[DONE]\n\n"),
        "{text}"
    );
    // The connection stays; only the stream is dropped.
    let (response, ()) = tokio::join!(client.request(request()), async {
        upstream.request().await;
        upstream.send(events().as_bytes()).await;
    });
    drop(response);
    upstream.closed().await;
}

/// A reset of the stream cancels the request upstream, in every phase; the connection stays.
#[tokio::test]
async fn a_client_with_http_2_that_leaves_cancels_in_every_phase() {
    for phase in ["headers", "first_byte", "stream", "body"] {
        let world = world(|_| ()).await;
        let client = Client::builder(TokioExecutor::new())
            .http2_only(true)
            .build_http();
        let url = format!("http://{}{CHAT}", world.address);
        let ask = if phase == "body" {
            r#"{"model":"m"}"#
        } else {
            ASK
        };
        let request = http::Request::post(&url).body(Full::new(Bytes::from(ask)));
        let mut asking = Box::pin(client.request(request.unwrap()));
        let upstream = tokio::select! {
            _ = &mut asking => unreachable!("the upstream has not answered"),
            (upstream, _) = world.accept() => upstream,
        };
        let mut upstream = upstream;
        match phase {
            "headers" => drop(asking),
            "body" => {
                upstream
                    .send(crate::world::head("application/json").as_bytes())
                    .await;
                upstream.chunk("{").await;
                while world.metric("tagstream_http_streams_active") != "1" {
                    tokio::task::yield_now().await;
                }
                drop(asking);
            }
            _ => {
                upstream.send(events().as_bytes()).await;
                let mut response = asking.await.unwrap();
                if phase == "stream" {
                    upstream.chunk(&content("Hi")).await;
                    response.body_mut().frame().await.unwrap().unwrap();
                }
                drop(response);
            }
        }
        upstream.closed().await;
        let counter = format!("tagstream_disconnects_total{{phase=\"{phase}\"}}");
        assert_eq!(world.metric(&counter), "1");
    }
}

/// A proxy with TLS in front of `upstream`.
async fn with_tls(upstream: &TcpListener) -> std::net::SocketAddr {
    let mut config = config(upstream);
    config.tls = Some(Tls {
        cert: data("cert.pem"),
        key: data("key.pem"),
    });
    let server = Server::bind(config, None).await.unwrap();
    let address = server.addresses().unwrap().0;
    tokio::spawn(server.run(std::future::pending()));
    address
}

fn to_tls(config: &mut Config, address: std::net::SocketAddr, ca_file: bool) {
    let upstream = config.upstreams.get_mut("default").unwrap();
    upstream.url = format!("https://localhost:{}", address.port());
    upstream.ca_file = ca_file.then(|| data("cert.pem"));
}

/// client → proxy → TLS and HTTP/2 → proxy → upstream
#[tokio::test]
async fn tls_on_both_sides() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let secure = with_tls(&upstream).await;
    let mut world = world(|config| to_tls(config, secure, true)).await;
    world.upstream = upstream;
    let mut client = world.ask(CHAT, "connection: close\r\n", ASK).await;
    let (mut played, _) = world.accept().await;
    played.send(events().as_bytes()).await;
    played
        .chunk(&(content("<think>a</think>b") + &finish()))
        .await;
    played.chunk("").await;
    let text = body(&client.rest().await);
    assert!(
        text.contains("reasoning_content") && text.ends_with("[DONE]\n\n"),
        "{text}"
    );
}

#[tokio::test]
async fn an_upstream_that_nobody_vouches_for_is_not_used() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let secure = with_tls(&upstream).await;
    let world = world(|config| to_tls(config, secure, false)).await;
    let answer = world
        .ask(CHAT, "connection: close\r\n", ASK)
        .await
        .rest()
        .await;
    assert!(
        answer.starts_with("HTTP/1.1 502 ") && answer.contains("certificate"),
        "{answer}"
    );
}

#[tokio::test]
async fn an_upstream_with_http_2_and_without_tls() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // The other proxy is the upstream: it speaks HTTP/2 too.
    let other = Server::bind(config(&upstream), None).await.unwrap();
    let address = other.addresses().unwrap().0;
    tokio::spawn(other.run(std::future::pending()));
    let mut world = world(|config| {
        let upstream = config.upstreams.get_mut("default").unwrap();
        upstream.url = format!("http://{address}");
        upstream.http2 = true;
    })
    .await;
    world.upstream = upstream;
    let mut client = world.ask(CHAT, "", ASK).await;
    let (mut played, _) = world.accept().await;
    played.send(events().as_bytes()).await;
    played.chunk(&content("Hi")).await;
    client.until("Hi").await;
    // A client that leaves resets the stream, through both.
    drop(client);
    played.closed().await;
}

//! Keys, headers of one connection, and paths.

use crate::world::{ASK, CHAT, World, header, world};
use tagstream_serve::Config;

/// Two variables that every process has, so that no test changes the environment.
fn with_client_key(config: &mut Config) {
    config.client_keys_env = vec!["CARGO_PKG_NAME".into()];
}

const KEY: &str = "tagstream-serve";

async fn answer(world: &World, headers: &str) -> String {
    let mut client = world
        .ask(CHAT, &format!("{headers}connection: close\r\n"), ASK)
        .await;
    client.until("\r\n").await
}

#[tokio::test]
async fn only_clients_with_a_key_may_connect_and_it_is_not_forwarded() {
    let world = world(with_client_key).await;
    for headers in [
        "",
        "x-api-key: wrong\r\n",
        "authorization: Bearer tagstream-serv\r\n",
        "authorization: Bearer tagstream-serve2\r\n",
        "x-api-key: \r\n",
    ] {
        assert!(
            answer(&world, headers).await.starts_with("HTTP/1.1 401 "),
            "{headers}"
        );
    }
    for name in [
        "authorization: Bearer ",
        "authorization: bearer ",
        "x-api-key: ",
        "api-key: ",
        "x-goog-api-key: ",
    ] {
        let _client = world.ask(CHAT, &format!("{name}{KEY}\r\n"), ASK).await;
        let (_, request) = world.accept().await;
        assert!(!request.contains(KEY), "{request}");
    }
}

#[tokio::test]
async fn keys_pass_through_or_are_replaced_by_the_upstreams() {
    for (name, value, replaced) in [
        ("authorization", "Bearer sk-1", "Bearer tagstream-serve"),
        ("x-api-key", "sk-1", KEY),
        ("api-key", "sk-1", KEY),
        ("x-goog-api-key", "sk-1", KEY),
    ] {
        let plain = world(|_| ()).await;
        let _client = plain.ask(CHAT, &format!("{name}: {value}\r\n"), ASK).await;
        assert_eq!(header(&plain.accept().await.1, name), Some(value));
        let own = world(|config| {
            let upstream = config.upstreams.get_mut("default").unwrap();
            upstream.secret_env = Some("CARGO_PKG_NAME".into());
        })
        .await;
        let _client = own.ask(CHAT, &format!("{name}: {value}\r\n"), ASK).await;
        assert_eq!(header(&own.accept().await.1, name), Some(replaced));
    }
}

/// The client's key is one of the proxy; the upstream's own goes where clients of this format put theirs.
#[tokio::test]
async fn the_upstreams_key_is_where_the_client_or_its_format_has_it() {
    let world = world(|config| {
        with_client_key(config);
        let upstream = config.upstreams.get_mut("default").unwrap();
        upstream.secret_env = Some("CARGO_PKG_VERSION".into());
    })
    .await;
    let version = env!("CARGO_PKG_VERSION");
    for name in ["x-api-key", "api-key", "x-goog-api-key"] {
        let _client = world.ask(CHAT, &format!("{name}: {KEY}\r\n"), ASK).await;
        let (_, request) = world.accept().await;
        assert_eq!(header(&request, name), Some(version), "{request}");
        assert_eq!(header(&request, "authorization"), None, "{request}");
    }
    let open = crate::world::world(|config| {
        let upstream = config.upstreams.get_mut("default").unwrap();
        upstream.secret_env = Some("CARGO_PKG_NAME".into());
    })
    .await;
    for (path, name, value) in [
        (CHAT, "authorization", "Bearer tagstream-serve"),
        ("/v1/messages", "x-api-key", KEY),
        ("/v1beta/models/m:generateContent", "x-goog-api-key", KEY),
        ("/v1/models", "authorization", "Bearer tagstream-serve"),
    ] {
        let _client = open.ask(path, "", ASK).await;
        let (_, request) = open.accept().await;
        assert_eq!(header(&request, name), Some(value), "{request}");
    }
}

#[tokio::test]
async fn a_key_in_the_query_is_that_of_a_client() {
    let path = |key: &str| format!("/v1beta/models/m:generateContent?alt=json&key={key}&b=c");
    let expected = "POST /v1beta/models/m:generateContent?alt=json&b=c HTTP/1.1\r\n";
    let keys = world(with_client_key).await;
    let mut client = keys.ask(&path("wrong"), "", "{}").await;
    client.until("HTTP/1.1 401 ").await;
    for key in [KEY, "tagstream%2Dserve"] {
        let _client = keys.ask(&path(key), "", "{}").await;
        let (_, request) = keys.accept().await;
        assert!(request.starts_with(expected), "{request}");
    }
    let own = world(|config| {
        let upstream = config.upstreams.get_mut("default").unwrap();
        upstream.secret_env = Some("CARGO_PKG_NAME".into());
    })
    .await;
    let _client = own.ask(&path("sk-1"), "", "{}").await;
    let (_, request) = own.accept().await;
    assert!(request.starts_with(expected), "{request}");
    assert_eq!(header(&request, "x-goog-api-key"), Some(KEY));
    let plain = world(|_| ()).await;
    let _client = plain.ask(&path("sk-1"), "", "{}").await;
    let (_, request) = plain.accept().await;
    assert!(request.contains("?alt=json&key=sk-1&b=c HTTP"), "{request}");
}

/// The body was asked for and read before anything is sent on.
#[tokio::test]
async fn no_upstream_is_asked_whether_a_body_may_come() {
    let world = world(|_| ()).await;
    for path in [CHAT, "/v1/files"] {
        let mut client = world.ask(path, "expect: 100-continue\r\n", ASK).await;
        let (_upstream, request) = world.accept().await;
        assert_eq!(header(&request, "expect"), None, "{request}");
        client.until("HTTP/1.1 100 Continue\r\n").await;
    }
}

#[tokio::test]
async fn headers_of_one_connection_are_removed_on_both_sides() {
    let world = world(|_| ()).await;
    let headers = "connection: keep-alive, x-mine\r\nx-mine: 1\r\nkeep-alive: 5\r\nte: gzip\r\nproxy-authorization: Basic x\r\nupgrade: h2c\r\nx-other: 2\r\n";
    let mut client = world.ask("/v1/models", headers, "").await;
    let (mut upstream, request) = world.accept().await;
    for name in [
        "connection",
        "x-mine",
        "keep-alive",
        "te",
        "proxy-authorization",
        "upgrade",
    ] {
        assert_eq!(header(&request, name), None, "{name}: {request}");
    }
    assert_eq!(header(&request, "x-other"), Some("2"));
    assert_ne!(header(&request, "host"), Some("x"));
    upstream.send(b"HTTP/1.1 200 OK\r\nconnection: x-hop\r\nx-hop: 1\r\nkeep-alive: 9\r\nx-end: 1\r\ncontent-length: 0\r\n\r\n").await;
    let answer = client.until("\r\n\r\n").await;
    assert_eq!(header(&answer, "x-hop"), None);
    assert_eq!(header(&answer, "keep-alive"), None);
    assert_eq!(header(&answer, "x-end"), Some("1"));
}

#[tokio::test]
async fn a_request_decides_neither_host_nor_folder() {
    let world = world(|_| ()).await;
    let mut client = world.connect().await;
    client
        .send(b"GET http://example.com/v1/models HTTP/1.1\r\nhost: example.com\r\n\r\n")
        .await;
    let (_, request) = world.accept().await;
    let host = world.upstream.local_addr().unwrap().to_string();
    assert!(
        request.starts_with("GET /v1/models HTTP/1.1\r\n"),
        "{request}"
    );
    assert_eq!(header(&request, "host"), Some(host.as_str()));
    for (line, status) in [
        ("CONNECT example.com:443", "HTTP/1.1 405 "),
        ("GET /v1/../admin", "HTTP/1.1 400 "),
        ("GET /v1/%2e%2E/admin", "HTTP/1.1 400 "),
        ("GET /v1/..%2fadmin", "HTTP/1.1 400 "),
    ] {
        let mut client = world.connect().await;
        let request = format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        client.send(request.as_bytes()).await;
        let answer = client.rest().await;
        assert!(answer.starts_with(status), "{line}: {answer}");
    }
}

/// What two servers could read as two requests is refused, or reaches the upstream as one.
#[tokio::test]
async fn requests_are_not_smuggled() {
    let world = world(|_| ()).await;
    for head in [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: +5\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding: xchunked\r\n",
    ] {
        let mut client = world.connect().await;
        let request = format!(
            "POST /v1/models HTTP/1.1\r\nhost: x\r\n{head}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n"
        );
        client.send(request.as_bytes()).await;
        let answer = client.rest().await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{head}: {answer}");
    }
    // Both lengths at once: the chunks count, and the other one is not forwarded.
    let mut client = world.connect().await;
    client.send(b"POST /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n").await;
    let (mut upstream, request) = world.accept().await;
    assert_eq!(header(&request, "content-length"), None, "{request}");
    assert_eq!(
        header(&request, "transfer-encoding"),
        Some("chunked"),
        "{request}"
    );
    assert_eq!(upstream.until("0\r\n\r\n").await, "3\r\nabc\r\n0\r\n\r\n");
}

//! Health, metrics, request ids, captured streams.

use crate::world::{ASK, CHAT, DONE, content, events, finish, header, sized, streamed, world};

#[tokio::test]
async fn health_and_readiness_are_on_the_admin_listener_alone() {
    let world = world(|_| ()).await;
    assert!(world.admin("/healthz").await.ends_with("\r\n\r\nok\n"));
    assert!(world.admin("/readyz").await.ends_with("\r\n\r\nready\n"));
    assert!(world.admin("/other").await.starts_with("HTTP/1.1 404 "));
    let _client = world.ask("/metrics", "", "").await;
    assert!(world.accept().await.1.starts_with("POST /metrics "));
}

#[tokio::test]
async fn all_metrics_have_their_names_and_labels() {
    let world = world(|_| ()).await;
    let ask =
        r#"{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"now"}}]}"#;
    let text = r#"<think>a</think><tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"#;
    world
        .exchange(
            CHAT,
            ask,
            &streamed("text/event-stream", &(content(text) + &finish())),
        )
        .await;
    world.exchange(CHAT, ASK, &events()).await;
    let client = world.ask(CHAT, "", ASK).await;
    let (mut upstream, _) = world.accept().await;
    upstream.send(events().as_bytes()).await;
    upstream.chunk(&content("<thin")).await;
    // It may be the start of a tag, so it is held.
    while matches!(world.metric("tagstream_http_held_bytes").as_str(), "" | "0") {
        tokio::task::yield_now().await;
    }
    let metrics = world.admin("/metrics").await;
    for line in [
        "tagstream_http_requests_total{route=\"default\",format=\"openai\",code=\"200\"} 2\n",
        "tagstream_http_request_duration_seconds_count 2\n",
        "tagstream_http_first_byte_seconds_count 2\n",
        "tagstream_http_streams_active 1\n",
        "tagstream_repairs_total{kind=\"thinking\"} 1\n",
        "tagstream_repairs_total{kind=\"call\"} 1\n",
        "tagstream_calls_total{dialect=\"auto\",outcome=\"valid\"} 1\n",
        "tagstream_upstream_failures_total{phase=\"first_byte\"} 1\n",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    drop(client);
    upstream.closed().await;
    let metrics = world.admin("/metrics").await;
    for line in [
        "tagstream_disconnects_total{phase=\"stream\"} 1\n",
        "tagstream_http_streams_active 0\n",
        "tagstream_http_held_bytes 0\n",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn a_request_has_an_id_on_both_sides() {
    let world = world(|_| ()).await;
    for (given, is_kept) in [("abc-1_2", true), ("a b", false), ("", false)] {
        let mut client = world
            .ask(CHAT, &format!("x-request-id: {given}\r\n"), ASK)
            .await;
        let (mut upstream, request) = world.accept().await;
        upstream.send(events().as_bytes()).await;
        let answer = client.until("\r\n\r\n").await;
        let id = header(&request, "x-request-id").unwrap();
        assert_eq!(header(&answer, "x-request-id"), Some(id));
        assert_eq!(id == given, is_kept);
    }
}

#[tokio::test]
async fn repaired_and_refused_streams_are_captured_without_keys() {
    let folder = std::env::temp_dir().join(format!("tagstream-capture-{}", std::process::id()));
    let world = world(|config| config.capture = Some(folder.clone())).await;
    // As it is, in two frames, with an escape, and outside JSON.
    let repaired = content("<think>your key is sk-12345</think>")
        + &content("sk-1")
        + &content("2345.")
        + &content(r"sk\u002d12345")
        + &finish().replace(DONE, &(": sk-12345\n\n".to_owned() + DONE));
    let expected = content("<think>your key is [removed]</think>")
        + &content("[removed]")
        + &content("[removed].")
        + &content("[removed]")
        + &finish().replace(DONE, &(": [removed]\n\n".to_owned() + DONE));
    for stream in [content("nothing") + &finish(), repaired.clone()] {
        let headers = "authorization: Bearer sk-12345\r\nx-request-id: id\r\nconnection: close\r\n";
        let mut client = world.ask(CHAT, headers, ASK).await;
        let (mut upstream, _) = world.accept().await;
        upstream
            .send(streamed("text/event-stream", &stream).as_bytes())
            .await;
        client.rest().await;
    }
    let files = loop {
        let files = captured(&folder);
        match files.first().map(std::fs::read_to_string) {
            Some(Ok(text)) if text.ends_with("[DONE]\n\n") => break files,
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(
        files[0].to_str().unwrap().ends_with("-id.openai.raw"),
        "{files:?}"
    );
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert_eq!(text, expected);
    std::fs::remove_dir_all(folder).unwrap();
}

fn captured(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    files.map(|file| file.unwrap().path()).collect()
}

/// Keys in the query, cookies, and what the proxy adds to requests; only its user can read the file.
#[tokio::test]
async fn a_refused_call_is_captured_without_any_secret() {
    let folder = std::env::temp_dir().join(format!("tagstream-refused-{}", std::process::id()));
    let world = world(|config| {
        config.capture = Some(folder.clone());
        let upstream = config.upstreams.get_mut("default").unwrap();
        upstream
            .add_headers
            .insert("x-team".into(), "added-1".into());
    })
    .await;
    let tools = r#"{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object","required":["a"]}}}]}"#;
    let call = r#"<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call> added-1 query-2 cookie-3 basic-4"#;
    let headers = "cookie: id=cookie-3\r\nauthorization: Basic basic-4\r\nconnection: close\r\n";
    let path = format!("{CHAT}?key=query-2");
    let mut client = world.ask(&path, headers, tools).await;
    let (mut upstream, _) = world.accept().await;
    let stream = streamed("text/event-stream", &(content(call) + &finish()));
    upstream.send(stream.as_bytes()).await;
    client.rest().await;
    let text = loop {
        let text = captured(&folder).first().map(std::fs::read_to_string);
        match text {
            Some(Ok(text)) if text.ends_with("[DONE]\n\n") => break text,
            _ => tokio::task::yield_now().await,
        }
    };
    assert!(
        text.contains("</tool_call> [removed] [removed] [removed] [removed]"),
        "{text}"
    );
    #[cfg(unix)]
    {
        let file = std::fs::metadata(&captured(&folder)[0]).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(tagstream_serve::Config::default().capture, None);
}

/// hyper does not poll a body to its end if its length is known.
#[tokio::test]
async fn a_complete_answer_that_passes_is_not_a_disconnect() {
    let world = world(|_| ()).await;
    for path in [CHAT, "/api/chat"] {
        world
            .exchange(path, ASK, "HTTP/1.1 204 No Content\r\n\r\n")
            .await;
    }
    for answer in [
        sized("200 OK", "application/json", "{}"),
        sized("503 Busy", "application/json", "{}"),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        streamed("text/html", "<p>"),
    ] {
        world.exchange("/v1/models", "", &answer).await;
    }
    let metrics = world.proxy.metrics().text();
    assert!(
        !metrics.contains("tagstream_disconnects_total{"),
        "{metrics}"
    );
    assert!(
        !metrics.contains("tagstream_upstream_failures_total{"),
        "{metrics}"
    );
    assert_eq!(world.metric("tagstream_http_streams_active"), "0");
    let requests = "tagstream_http_requests_total{route=\"default\",format=\"other\",code=\"204\"}";
    assert_eq!(world.metric(requests), "1");
}

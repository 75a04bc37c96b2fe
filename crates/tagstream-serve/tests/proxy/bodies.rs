//! Bodies of requests: encodings and limits.

use crate::world::{ASK, CHAT, header, world};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use std::io::Write;

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// `{}` as `zstd` and `brotli` write it.
const ZSTD: [u8; 11] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d,
];
const BROTLI: [u8; 6] = [0x8b, 0x00, 0x80, b'{', b'}', 0x03];

/// A million spaces.
const BROTLI_BOMB: [u8; 14] = [
    0x5b, 0xff, 0xff, 0x8f, 0x5f, 0x02, 0x24, 0x1e, 0x0b, 0x04, 0x72, 0xef, 0x1f, 0x00,
];
const ZSTD_BOMB: [u8; 50] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x68, 0x4c, 0x00, 0x00, 0x08, 0x20, 0x01, 0x00, 0xfc, 0xff, 0x39,
    0x10, 0x02, 0x02, 0x00, 0x10, 0x20, 0x02, 0x00, 0x10, 0x20, 0x02, 0x00, 0x10, 0x20, 0x02, 0x00,
    0x10, 0x20, 0x02, 0x00, 0x10, 0x20, 0x02, 0x00, 0x10, 0x20, 0x03, 0x00, 0x10, 0x20, 0x85, 0xf8,
    0xfa, 0x42,
];

#[tokio::test]
async fn encoded_requests_are_read_and_sent_without_their_encoding() {
    let world = world(|config| config.routes[0].rename = Some("n".into())).await;
    let ask = ASK.as_bytes();
    for (encoding, body, expected) in [
        ("gzip", gzip(ask), "\"model\":\"n\""),
        ("deflate", zlib(ask), "\"model\":\"n\""),
        ("deflate", deflate(ask), "\"model\":\"n\""),
        ("zstd", ZSTD.to_vec(), "{\"model\":\"n\"}"),
        ("br", BROTLI.to_vec(), "{\"model\":\"n\"}"),
        ("GZip", gzip(ask), "\"model\":\"n\""),
        ("Identity", ask.to_vec(), "\"model\":\"n\""),
        ("gzip, deflate", zlib(&gzip(ask)), "\"model\":\"n\""),
        (
            "gzip\r\ncontent-encoding: identity, gzip",
            gzip(&gzip(ask)),
            "\"model\":\"n\"",
        ),
    ] {
        let headers = format!("content-encoding: {encoding}\r\n");
        let _client = world.ask_bytes(CHAT, &headers, &body).await;
        let (_, request) = world.accept().await;
        assert!(request.contains(expected), "{encoding}: {request}");
        assert_eq!(header(&request, "content-encoding"), None);
        assert_eq!(header(&request, "accept-encoding"), Some("identity"));
    }
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused_in_the_clients_format() {
    let spaces = vec![b' '; 1 << 20];
    let bombs = [
        ("gzip", gzip(&spaces)),
        ("deflate", zlib(&spaces)),
        ("deflate", deflate(&spaces)),
        ("br", BROTLI_BOMB.to_vec()),
        ("zstd", ZSTD_BOMB.to_vec()),
    ];
    for (path, expected) in [
        (CHAT, r#""code":"request_too_large""#),
        ("/v1/completions", r#""code":"request_too_large""#),
        ("/v1/responses", r#""code":"request_too_large""#),
        (
            "/v1/messages",
            r#"{"type":"error","error":{"type":"request_too_large""#,
        ),
        (
            "/v1beta/models/m:generateContent",
            r#"{"error":{"code":413,"#,
        ),
        (
            "/api/chat",
            r#"{"error":"the request is larger than 9999 bytes"}"#,
        ),
        (
            "/api/generate",
            r#"{"error":"the request is larger than 9999 bytes"}"#,
        ),
    ] {
        let world = world(|config| config.limits.request = 9999).await;
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(10_000));
        let bombs = bombs.iter().map(|(name, bomb)| (*name, bomb.as_slice()));
        for (encoding, body) in [("identity", large.as_bytes())].into_iter().chain(bombs) {
            let headers = format!("content-encoding: {encoding}\r\n");
            let mut client = world.ask_bytes(path, &headers, body).await;
            let answer = client.until("}").await;
            assert!(answer.starts_with("HTTP/1.1 413 "), "{path}: {answer}");
            assert!(answer.contains(expected), "{path}: {answer}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_decompressed_passes_unchanged() {
    let world = world(|_| ()).await;
    for encoding in ["snappy", "gzip", "gzip, br", "gzip, gzip, gzip, gzip, gzip"] {
        let headers = format!("content-encoding: {encoding}\r\n");
        let _client = world.ask(CHAT, &headers, "bytes").await;
        let (_, request) = world.accept().await;
        assert_eq!(header(&request, "content-encoding"), Some(encoding));
        assert!(request.ends_with("\r\n\r\nbytes"), "{request}");
    }
}

#[tokio::test]
async fn an_answer_that_is_too_long_passes_unchanged() {
    let world = world(|config| config.limits.response = 64).await;
    let whole = format!(
        r#"{{"choices":[{{"index":0,"message":{{"content":"<think>a</think>{}"}}}}]}}"#,
        "x".repeat(200)
    );
    let answer = crate::world::sized("200 OK", "application/json", &whole);
    let got = world.exchange(CHAT, r#"{"model":"m"}"#, &answer).await;
    assert_eq!(crate::world::body(&got), whole);
}

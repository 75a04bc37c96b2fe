//! A chat client: the answer appears as it arrives, thinking is dimmed.
//!
//! ```sh
//! cargo run -p tagstream --example chat --features futures
//! ```
//!
//! The body of a response comes as a stream of results with bytes, cut anywhere, even inside a
//! character. With reqwest it is `response.bytes_stream()`; here it is a recorded one. The example
//! reads a server that sends plain text. For the JSON frames of a provider, see `tagstream-wire`.

use futures_util::{Stream, StreamExt, stream};
use std::error::Error;
use std::io::{self, Write};
use tagstream::{OwnedEventKind, preset, try_event_stream};

const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";
const CHUNK_BYTES: usize = 5;

const BODY: &str = "<think>Two cafés: « A » and « B ».</think>\
    Both are fine. The tag `<think>` and 5 < 6 are text.\n";

fn main() -> Result<(), Box<dyn Error>> {
    futures_executor::block_on(show(recorded_body(), &mut io::stdout()))
}

/// What `response.bytes_stream()` returns, with `Bytes` for `Vec<u8>`.
fn recorded_body() -> impl Stream<Item = Result<Vec<u8>, io::Error>> {
    stream::iter(BODY.as_bytes().chunks(CHUNK_BYTES)).map(|chunk| Ok(chunk.to_vec()))
}

async fn show<T, E>(
    body: impl Stream<Item = Result<T, E>>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>>
where
    T: AsRef<[u8]>,
    E: Error + 'static,
{
    let policy = preset("thinking")?.compile()?;
    let mut events = try_event_stream(&policy, body);
    while let Some(event) = events.next().await {
        match event?.kind {
            OwnedEventKind::ThoughtStart { .. } => write!(out, "{DIM}")?,
            OwnedEventKind::Thought(text) | OwnedEventKind::Text(text) => write!(out, "{text}")?,
            OwnedEventKind::ThoughtEnd { .. } => writeln!(out, "{RESET}\n")?,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

#[test]
fn thinking_is_dimmed() {
    let mut out = Vec::new();
    futures_executor::block_on(show(recorded_body(), &mut out)).unwrap();
    let expected = format!(
        "{DIM}Two cafés: « A » and « B ».{RESET}\n\n\
         Both are fine. The tag `<think>` and 5 < 6 are text.\n"
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

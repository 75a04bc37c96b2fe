//! What reading a stream and writing it again cost, next to bare JSON parsing of each frame.
//!
//! `cargo run --release --example cost` prints times. To count instructions and allocations, which
//! are the same on a busy machine, run one row some number of times under a tool that counts:
//!
//! ```sh
//! perf stat -e instructions:u target/release/examples/cost rewrite openai 10
//! valgrind target/release/examples/cost rewrite openai 10
//! ```

use serde_json::{Value, json};
use std::{hint::black_box, time::Instant};
use tagstream::{Profile, Thinking};
use tagstream_wire::rewrite::{Options, Rewriter};
use tagstream_wire::{Format, Session, WireEvent};

const FRAMES: usize = 10_000;
const ROUNDS: usize = 20;
const READ_BYTES: usize = 1460;
const TEXTS: [&str; 7] = [" the", " answer", "\n", " is", " <b>", " 42", "."];
type Row = (&'static str, fn(&Stream));

const ROWS: [Row; 3] = [("bare", bare), ("events", read), ("rewrite", write)];

struct Stream {
    format: Format,
    frames: Vec<String>,
    bytes: Vec<u8>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let streams = [
        stream(Format::OpenAi, chunk),
        stream(Format::Anthropic, block_delta),
        stream(Format::Responses, output_delta),
    ];
    if let [row, format, times] = &arguments[..] {
        let run = ROWS.iter().find(|(name, _)| name == row);
        let stream = streams.iter().find(|one| one.format.name() == format);
        let (run, stream) = (run.expect("a row"), stream.expect("a format"));
        for _ in 0..times.parse().expect("a number") {
            (run.1)(stream);
        }
        return;
    }
    for stream in &streams {
        let bare = best(|| bare(stream));
        for (name, run) in ROWS {
            let time = best(|| run(stream));
            let (format, times) = (stream.format.name(), time / bare);
            println!("{format:10} {name:8} {time:7.1} ns a frame, {times:.2} × bare");
        }
    }
}

/// A stream whose first half is thinking in tags.
fn stream(format: Format, frame: fn(usize, &str) -> Value) -> Stream {
    let text = |number: usize| match number {
        0 => "<think>",
        _ if number == FRAMES / 2 => "</think>",
        _ => TEXTS[number % TEXTS.len()],
    };
    let frames = (0..FRAMES).map(|number| frame(number, text(number)).to_string());
    let frames: Vec<String> = frames.collect();
    let bytes: String = frames.iter().map(|f| format!("data: {f}\n\n")).collect();
    Stream {
        format,
        frames,
        bytes: bytes.into_bytes(),
    }
}

fn chunk(_: usize, text: &str) -> Value {
    json!({
        "id": "chatcmpl-C8fTzq4c1Zl0mR7h5dXvJ2kQyWbNs", "object": "chat.completion.chunk",
        "created": 1_767_225_600, "model": "gpt-5-mini-2025-08-07", "service_tier": "default",
        "system_fingerprint": "fp_4c2851f862",
        "choices": [{"index": 0, "delta": {"content": text}, "logprobs": null, "finish_reason": null}],
    })
}

fn block_delta(_: usize, text: &str) -> Value {
    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
}

fn output_delta(number: usize, text: &str) -> Value {
    json!({
        "type": "response.output_text.delta", "sequence_number": number, "item_id": "msg_1",
        "output_index": 0, "content_index": 0, "delta": text, "logprobs": [],
    })
}

fn profile() -> Profile {
    Profile::new().thinking(Thinking::tags(["think"]))
}

/// Parses each frame, which was cut out beforehand.
fn bare(stream: &Stream) {
    for frame in &stream.frames {
        black_box(serde_json::from_slice::<Value>(frame.as_bytes()).unwrap());
    }
}

fn read(stream: &Stream) {
    let mut session = Session::new(&profile(), stream.format).unwrap();
    let mut sink = |event: WireEvent<'_>| {
        black_box(event);
    };
    for piece in stream.bytes.chunks(READ_BYTES) {
        session.push(piece, &mut sink);
    }
    session.finish(&mut sink);
}

fn write(stream: &Stream) {
    let mut rewriter = Rewriter::new(&profile(), stream.format, Options::default()).unwrap();
    let mut out = Vec::new();
    for piece in stream.bytes.chunks(READ_BYTES) {
        rewriter.push(piece, &mut out);
        black_box(&out);
        out.clear();
    }
    rewriter.finish(&mut out);
}

/// The best of some rounds, in nanoseconds a frame.
fn best(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / FRAMES as f64
}

//! What reading a stream and writing it again cost, next to bare JSON parsing of each frame.
//!
//! `cargo run --release --example cost`

use serde_json::{Value, json};
use std::{hint::black_box, time::Instant};
use tagstream::{Profile, Thinking};
use tagstream_wire::rewrite::{Options, Rewriter};
use tagstream_wire::{Format, Session, WireEvent};

const FRAMES: usize = 20_000;
const ROUNDS: usize = 20;
const TEXTS: [&str; 7] = [" the", " answer", "\n", " is", " <b>", " 42", "."];

fn main() {
    for (format, frame) in [
        (Format::OpenAi, chunk as fn(usize) -> String),
        (Format::Responses, delta),
    ] {
        println!("{}", format.name());
        measure(format, frame);
    }
}

fn measure(format: Format, frame: fn(usize) -> String) {
    let frames: Vec<String> = (0..FRAMES).map(frame).collect();
    let stream: String = frames.iter().map(|f| format!("data: {f}\n\n")).collect();
    let bare = best(|| {
        for frame in &frames {
            black_box(serde_json::from_slice::<Value>(frame.as_bytes()).unwrap());
        }
    });
    println!("serde_json::Value   {bare:7.1} ns a frame");
    let tell = |what: &str, size: usize, time: f64| {
        let times = time / bare;
        println!("{what}, by {size:8} {time:7.1} ns a frame, {times:.2} times that");
    };
    for size in [64, 1460, 16_384, stream.len()] {
        tell(
            "events ",
            size,
            best(|| read(stream.as_bytes(), size, format)),
        );
        tell(
            "rewrite",
            size,
            best(|| write(stream.as_bytes(), size, format)),
        );
    }
}

fn chunk(number: usize) -> String {
    let text = TEXTS[number % TEXTS.len()];
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "m",
        "choices": [{"index": 0, "delta": {"content": text}, "logprobs": null, "finish_reason": null}],
    })
    .to_string()
}

fn delta(number: usize) -> String {
    json!({
        "type": "response.output_text.delta", "sequence_number": number, "item_id": "msg_1",
        "output_index": 0, "content_index": 0, "delta": TEXTS[number % TEXTS.len()], "logprobs": [],
    })
    .to_string()
}

fn profile() -> Profile {
    Profile::new().thinking(Thinking::tags(["think"]))
}

fn write(stream: &[u8], size: usize, format: Format) {
    let mut rewriter = Rewriter::new(&profile(), format, Options::default()).unwrap();
    let mut out = Vec::new();
    for piece in stream.chunks(size) {
        rewriter.push(piece, &mut out);
        black_box(&out);
        out.clear();
    }
    rewriter.finish(&mut out);
}

fn read(stream: &[u8], size: usize, format: Format) {
    let mut session = Session::new(&profile(), format).unwrap();
    let mut sink = |event: WireEvent<'_>| {
        black_box(event);
    };
    for piece in stream.chunks(size) {
        session.push(piece, &mut sink);
    }
    session.finish(&mut sink);
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

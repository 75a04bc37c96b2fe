//! What reading a stream costs, next to bare JSON parsing of each frame.
//!
//! `cargo run --release --example cost`

use serde_json::{Value, json};
use std::{hint::black_box, time::Instant};
use tagstream::{Profile, Thinking};
use tagstream_wire::{Format, Session, WireEvent};

const FRAMES: usize = 20_000;
const ROUNDS: usize = 20;

fn main() {
    let frames: Vec<String> = (0..FRAMES).map(frame).collect();
    let stream: String = frames.iter().map(|f| format!("data: {f}\n\n")).collect();
    let bare = best(|| {
        for frame in &frames {
            black_box(serde_json::from_slice::<Value>(frame.as_bytes()).unwrap());
        }
    });
    println!("serde_json::Value  {bare:7.1} ns a frame");
    for size in [64, 1460, 16_384, stream.len()] {
        let events = best(|| read(stream.as_bytes(), size));
        println!(
            "events, by {size:8} {events:7.1} ns a frame, {:.2} times that",
            events / bare
        );
    }
}

fn frame(number: usize) -> String {
    let text = [" the", " answer", "\n", " is", " <b>", " 42", "."][number % 7];
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "m",
        "choices": [{"index": 0, "delta": {"content": text}, "logprobs": null, "finish_reason": null}],
    })
    .to_string()
}

fn read(stream: &[u8], size: usize) {
    let policy = Profile::new()
        .thinking(Thinking::tags(["think"]))
        .compile()
        .unwrap();
    let mut session = Session::new(&policy, Format::OpenAi);
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

//! The speed of the kernel on one core, in CPU time: `kernel FILE.jsonl`, with texts in the field `answer`.

use arrow_array::{Array, StringArray};
use std::hint::black_box;
use std::time::Duration;
use tagstream::message::MessageReader;
use tagstream::{Policy, Profile, Thinking, preset};
use tagstream_batch::arrow;

const ROUNDS: usize = 7;
/// A round reads at least this much: the clock of CPU time is coarse.
const ROUND_BYTES: usize = 200_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: kernel FILE.jsonl")?;
    let mut texts: Vec<String> = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        texts.extend(record["answer"].as_str().map(str::to_owned));
    }
    let clean: Vec<_> = texts
        .iter()
        .filter(|text| !text.contains('<'))
        .cloned()
        .collect();
    let thinking = Profile::new()
        .thinking(Thinking::tags(["think"]))
        .compile()?;
    let qwen = preset("qwen3")?.compile()?;
    println!(
        "{:32} {:>8} {:>8}",
        "MB/s of text, by CPU time", "messages", "array"
    );
    for (name, policy, texts) in [
        ("clean text, thinking", &thinking, &clean),
        ("clean text, preset qwen3", &qwen, &clean),
        ("all messages, thinking", &thinking, &texts),
        ("all messages, preset qwen3", &qwen, &texts),
    ] {
        let [messages, array] = speeds(policy, texts)?;
        println!("{name:32} {messages:8.0} {array:8.0}");
    }
    Ok(())
}

/// Bytes per microsecond: reading each message, and reading them into an array.
fn speeds(policy: &Policy, texts: &[String]) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let bytes: usize = texts.iter().map(String::len).sum();
    let array = StringArray::from_iter_values(texts);
    let mut reader = MessageReader::new(policy);
    let times = ROUND_BYTES.div_ceil(bytes);
    let messages = best(times, || {
        for text in texts {
            black_box(reader.read(text));
        }
    })?;
    let arrays = best(times, || {
        black_box(
            arrow::parse(&mut reader, &array).is_ok_and(|parts| parts[0].len() == texts.len()),
        );
    })?;
    let all = (bytes * times) as f64;
    Ok([messages, arrays].map(|time| all / time.as_secs_f64() / 1e6))
}

fn best(times: usize, mut work: impl FnMut()) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = cpu_time()?;
        (0..times).for_each(|_| work());
        best = best.min(cpu_time()?.saturating_sub(start));
    }
    Ok(best)
}

/// How long this thread has run. Other programs on the machine do not count.
fn cpu_time() -> Result<Duration, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos = text.split_whitespace().next().ok_or("no CPU time")?;
    Ok(Duration::from_nanos(nanos.parse()?))
}

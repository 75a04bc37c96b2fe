//! Checks the laws on random profiles and messages.
//!
//! `random_laws --messages 1000000 --seed 0 [--jobs 2] [--only LAW,LAW] [--all] [--no-minimize]`
//!
//! Prints the smallest case of each group of failures as one line of JSON. Stops at the first
//! failure unless `--all` is given.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tagstream_testing::random::engine::ThisEngine;
use tagstream_testing::random::minimize::minimize;
use tagstream_testing::random::{Case, Subject, batch};

/// How many messages are checked with one profile.
const MESSAGES_PER_PROFILE: usize = 100;

struct Options {
    messages: usize,
    seed: u64,
    jobs: usize,
    only: Option<String>,
    all: bool,
    minimize: bool,
}

fn main() {
    let options = options();
    // A panic of the engine is reported as a failure.
    std::panic::set_hook(Box::new(|_| ()));
    let dialects = ThisEngine.dialects();
    let groups: Mutex<BTreeMap<String, (usize, Case)>> = Mutex::default();
    let (done, profiles) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stop = AtomicBool::new(false);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let number = profiles.fetch_add(1, Ordering::Relaxed) as u64;
                    let seed = options.seed.wrapping_mul(0x1_0000_0001).wrapping_add(number);
                    let batch = batch(&ThisEngine, &dialects, seed, MESSAGES_PER_PROFILE);
                    for case in batch.failures {
                        take(&options, &groups, case, &stop);
                    }
                    let total = done.fetch_add(batch.messages, Ordering::Relaxed) + batch.messages;
                    if total >= options.messages {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
        scope.spawn(|| progress(&stop, &done, &groups));
    });
    let groups = groups.into_inner().expect("no thread has panicked");
    for (count, case) in groups.values() {
        let mut line = case.to_json();
        line["count"] = json!(count);
        println!("{line}");
    }
    let (done, seconds) = (done.into_inner(), started.elapsed().as_secs_f64());
    eprintln!(
        "{done} messages, {} profiles, {seconds:.1} s, {:.0} messages/s; {} groups of failures",
        profiles.into_inner(),
        done as f64 / seconds,
        groups.len()
    );
    if !groups.is_empty() {
        std::process::exit(1);
    }
}

fn take(
    options: &Options,
    groups: &Mutex<BTreeMap<String, (usize, Case)>>,
    case: Case,
    stop: &AtomicBool,
) {
    let law = case.failure.law;
    if options.only.as_ref().is_some_and(|only| !only.split(',').any(|name| name == law)) {
        return;
    }
    let case = match options.minimize {
        true => minimize(&ThisEngine, &case),
        false => case,
    };
    let key = group(&case);
    let mut groups = groups.lock().expect("no thread has panicked");
    let (count, smallest) = groups.entry(key).or_insert_with(|| (0, case.clone()));
    *count += 1;
    if size(&case) < size(smallest) {
        *smallest = case;
    }
    if !options.all {
        stop.store(true, Ordering::Relaxed);
    }
}

fn size(case: &Case) -> usize {
    case.profile.to_string().len() + case.chunks.concat().len()
}

/// The law, the kinds of the events and the settings that take part.
fn group(case: &Case) -> String {
    let mut features = Vec::new();
    collect(&case.profile, "", &mut features);
    features.sort();
    features.dedup();
    format!("{} | {} | {}", case.failure.law, case.failure.signature, features.join(" "))
}

fn collect(value: &Value, path: &str, features: &mut Vec<String>) {
    match value {
        _ if path == "calls.tools" => features.push(path.to_owned()),
        _ if path.starts_with("calls.aliases") => features.push("calls.aliases".to_owned()),
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(value, &path, features);
            }
        }
        Value::Array(_) | Value::Number(_) => features.push(path.to_owned()),
        value => features.push(format!("{path}={value}")),
    }
}

fn progress(
    stop: &AtomicBool,
    done: &AtomicUsize,
    groups: &Mutex<BTreeMap<String, (usize, Case)>>,
) {
    let mut last = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
        if last.elapsed() > Duration::from_secs(5) {
            last = Instant::now();
            let groups = groups.lock().expect("no thread has panicked").len();
            eprintln!("{} messages, {groups} groups of failures", done.load(Ordering::Relaxed));
        }
    }
}

fn options() -> Options {
    let mut options = Options {
        messages: 100_000,
        seed: 0,
        jobs: 1,
        only: None,
        all: false,
        minimize: true,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| usage(&argument));
        match argument.as_str() {
            "--messages" => options.messages = number(&value()) as usize,
            "--seed" => options.seed = number(&value()),
            "--jobs" => options.jobs = number(&value()) as usize,
            "--only" => options.only = Some(value()),
            "--all" => options.all = true,
            "--no-minimize" => options.minimize = false,
            _ => usage(&argument),
        }
    }
    options
}

fn number(text: &str) -> u64 {
    text.replace('_', "").parse().unwrap_or_else(|_| usage(text))
}

fn usage(wrong: &str) -> ! {
    eprintln!("wrong: {wrong}");
    eprintln!(
        "usage: random_laws --messages N --seed S [--jobs J] [--only LAW,LAW] [--all] [--no-minimize]"
    );
    std::process::exit(2)
}

//! Checks the laws on random profiles and messages.
//!
//! Prints the smallest case of each group of failures as one line of JSON.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tagstream_testing::random::engine::ThisEngine;
use tagstream_testing::random::hunt::{Options, Task, Watch, hunt};
use tagstream_testing::random::laws::check_cut;
use tagstream_testing::random::message::Vocabulary;
use tagstream_testing::random::minimize::minimize;
use tagstream_testing::random::profile::profile;
use tagstream_testing::random::{Batch, Case, Event, Rng, Subject, batch, known};

/// How many messages are checked with one profile.
const MESSAGES_PER_PROFILE: usize = 100;

const HELP: &str = "\
usage: random_laws [--messages N] [--seed S] [--jobs J] [--only LAW,LAW] [--all] [--no-minimize]
       random_laws --replay FILE    checks cases as this program prints them, one a line
       random_laws --known          checks the defects that engines have had
       random_laws --stats          counts the events of 100,000 random messages

Stops at the first failure unless --all is given.";

struct Laws {
    dialects: Vec<Value>,
    minimizes: bool,
}

impl Task for Laws {
    fn batch(&self, seed: u64, watch: &Watch) -> Batch {
        let subject = watch.subject(&ThisEngine);
        batch(&subject, &self.dialects, seed, MESSAGES_PER_PROFILE)
    }

    fn minimize(&self, case: Case, watch: &Watch) -> Case {
        if self.minimizes {
            minimize(&watch.subject(&ThisEngine), &case)
        } else {
            case
        }
    }
}

fn main() {
    let mut options = Options::default();
    let mut laws = Laws {
        dialects: ThisEngine.dialects(),
        minimizes: true,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--no-minimize" => laws.minimizes = false,
            "--replay" => replay(&arguments.next().unwrap_or_else(|| usage())),
            "--known" => check_known(),
            "--stats" => stats(&laws.dialects),
            _ if options.take(&argument, || arguments.next()) => {}
            _ => usage(),
        }
    }
    let is_clean = hunt(laws, options);
    std::process::exit(i32::from(!is_clean));
}

/// Checks cases of a file, and ends.
fn replay(file: &str) -> ! {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| {
        eprintln!("{file}: {error}");
        std::process::exit(2)
    });
    let mut failed = 0;
    for (number, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap_or_default();
        let chunks = Case::chunks_from_json(&case);
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let result = match ThisEngine.compile(&case["profile"]) {
            Err(refusal) => format!("refused: {refusal}"),
            Ok(policy) => match check_cut(&ThisEngine, &policy, &slices) {
                Ok(()) => "holds".to_owned(),
                Err(failure) => {
                    failed += 1;
                    format!("{}: {}", failure.law, failure.detail)
                }
            },
        };
        println!("{}: {result}", number + 1);
    }
    std::process::exit(i32::from(failed > 0))
}

fn check_known() -> ! {
    let mut failed = 0;
    for known in known::all() {
        match known.check(&ThisEngine) {
            Ok(()) => println!("holds   {}", known.name),
            Err(problem) => {
                failed += 1;
                println!("FAILS   {}: {problem}", known.name);
            }
        }
    }
    std::process::exit(i32::from(failed > 0))
}

/// Counts how many messages have each kind of event, to see what the generator reaches.
fn stats(dialects: &[Value]) -> ! {
    std::panic::set_hook(Box::new(|_| ()));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut messages, mut bytes, mut refused) = (0, 0, 0);
    for seed in 0..1000 {
        let mut rng = Rng::new(seed);
        let profile = profile(&mut rng, dialects);
        let Ok(policy) = ThisEngine.compile(&profile) else {
            refused += 1;
            continue;
        };
        let vocabulary = Vocabulary::new(&mut rng, &profile, dialects);
        for _ in 0..MESSAGES_PER_PROFILE {
            let message = vocabulary.message(&mut rng.fork());
            let read = || ThisEngine.read(&policy, &[&message], true);
            let Ok(reading) = catch_unwind(AssertUnwindSafe(read)) else {
                continue;
            };
            messages += 1;
            bytes += message.len();
            let kinds: BTreeSet<String> = reading.events.iter().map(kind).collect();
            for kind in kinds {
                *counts.entry(kind).or_default() += 1;
            }
        }
    }
    println!(
        "{refused} of 1000 profiles refused, {} bytes a message",
        bytes / messages
    );
    for (kind, count) in counts {
        println!("{:6.2} %  {kind}", 100.0 * count as f64 / messages as f64);
    }
    std::process::exit(0)
}

/// The kind of an event, with its code if it has one.
fn kind(event: &Event) -> String {
    match event.fields()["code"].as_str() {
        Some(code) if !event.is_run() => format!("{} {code}", event.kind),
        _ => event.kind.to_owned(),
    }
}

fn usage() -> ! {
    eprintln!("{HELP}");
    std::process::exit(2)
}

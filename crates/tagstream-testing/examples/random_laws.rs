//! Checks the laws on random profiles and messages.
//!
//! Prints the smallest case of each group of failures as one line of JSON.

use serde_json::Value;
use tagstream_testing::random::engine::ThisEngine;
use tagstream_testing::random::hunt::{Options, Task, Watch, hunt};
use tagstream_testing::random::laws::check_cut;
use tagstream_testing::random::minimize::minimize;
use tagstream_testing::random::{Batch, Case, Subject, batch, known};

/// How many messages are checked with one profile.
const MESSAGES_PER_PROFILE: usize = 100;

const HELP: &str = "\
usage: random_laws [--messages N] [--seed S] [--jobs J] [--only LAW,LAW] [--all] [--no-minimize]
       random_laws --replay FILE    checks cases as this program prints them, one a line
       random_laws --known          checks the defects that engines have had

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
        match self.minimizes {
            true => minimize(&watch.subject(&ThisEngine), &case),
            false => case,
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
        let chunks = case["chunks"].as_array().into_iter().flatten();
        let chunks: Vec<Vec<u8>> = chunks.map(bytes).collect();
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

fn bytes(chunk: &Value) -> Vec<u8> {
    if let Some(text) = chunk.as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = chunk["hex"].as_str().unwrap_or_default().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    hex.chunks(2).filter_map(byte).collect()
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

fn usage() -> ! {
    eprintln!("{HELP}");
    std::process::exit(2)
}

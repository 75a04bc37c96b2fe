//! Instruction counts, taken by callgrind: the same on a busy machine as on a quiet one, so that
//! they compare one state of the engine with another.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::calls;
use crate::contenders::{self, MEMCHR, VISIT};
use crate::measure::{CUTS, Cut};
use crate::message::{MESSAGE_BYTES, Message};

/// Whose instructions are counted by default: all contenders whose names begin like these. The last one
/// is the peer that promises the same laws.
const DEFAULT_CONTENDERS: [&str; 4] = [contenders::TAGSTREAM, MEMCHR, VISIT, "smg-symphony"];

/// How often the message is read in the shorter and in the longer run. Their difference leaves out
/// the start of the program, the making of the message and the first, cold reading.
const RUNS: [usize; 2] = [1, 5];

/// What is read: a message cut for the timing benchmark.
#[derive(Clone, Copy)]
enum Scenario {
    Thinking(Cut),
    Calls(calls::Repeatable),
}

/// The size of a message.
#[derive(Clone, Copy)]
pub struct Size {
    pub bytes: usize,
    pub chunks: usize,
}

/// One row of the table.
struct Count {
    scenario: String,
    contender: &'static str,
    size: Size,
    instructions: u64,
}

/// The table.
pub struct Counts {
    counts: Vec<Count>,
    /// An earlier table to compare with.
    before: Option<Value>,
}

impl Scenario {
    fn all() -> Vec<Scenario> {
        let thinking = CUTS.map(Scenario::Thinking).into_iter();
        let calls = calls::repeatable().into_iter().map(Scenario::Calls);
        thinking.chain(calls).collect()
    }

    /// Its name on the command line.
    fn name(self) -> String {
        match self {
            Scenario::Thinking(cut) => format!("thinking/{}", cut.slug()),
            Scenario::Calls(calls) => calls.name(),
        }
    }

    fn contenders(self) -> Vec<&'static str> {
        match self {
            Scenario::Thinking(cut) => {
                let all = contenders::all(&Message::new(MESSAGE_BYTES));
                let able = all.into_iter().filter(|contender| contender.takes(cut));
                able.map(|contender| contender.name).collect()
            }
            Scenario::Calls(calls) => calls.contenders(),
        }
    }

    /// Reads the message `times` times.
    fn repeat(self, contender: &str, times: usize) -> Result<Size, String> {
        match self {
            Scenario::Thinking(cut) => repeat_thinking(cut, contender, times),
            Scenario::Calls(calls) => calls.repeat(contender, times),
        }
    }
}

fn repeat_thinking(cut: Cut, contender: &str, times: usize) -> Result<Size, String> {
    let message = Message::new(MESSAGE_BYTES);
    let chunks = message.cut(cut);
    let contenders = contenders::all(&message);
    let contender = contenders.iter().find(|known| known.name == contender);
    let contender = contender.ok_or("no such contender")?;
    for _ in 0..times {
        black_box((contender.run)(black_box(&chunks)));
    }
    Ok(Size {
        bytes: message.text.len(),
        chunks: chunks.len(),
    })
}

/// Reads a message `times` times, for callgrind to count.
pub fn repeat(scenario: &str, contender: &str, times: usize) -> Result<(), String> {
    let all = Scenario::all();
    let found = all.into_iter().find(|known| known.name() == scenario);
    let scenario = found.ok_or("no such scenario")?;
    scenario.repeat(contender, times).map(|_| ())
}

/// Counts for the scenarios and contenders whose names begin with one of these; by default for all
/// scenarios, tagstream and the floors.
pub fn measure(
    scenarios: &[String],
    contenders: &[String],
    before: Option<&Path>,
) -> Result<Counts, String> {
    let is_wanted = |wanted: &[String], name: &str| wanted.iter().any(|w| name.starts_with(w));
    let defaults = DEFAULT_CONTENDERS.map(str::to_owned);
    let contenders = if contenders.is_empty() {
        &defaults
    } else {
        contenders
    };
    let before = before.map(read_json).transpose()?;
    let mut counts = Vec::new();
    for scenario in Scenario::all() {
        let name = scenario.name();
        if !scenarios.is_empty() && !is_wanted(scenarios, &name) {
            continue;
        }
        for contender in scenario.contenders() {
            if is_wanted(contenders, contender) {
                counts.push(count(scenario, contender)?);
            }
        }
    }
    Ok(Counts { counts, before })
}

fn read_json(path: &Path) -> Result<Value, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| failed(&error))
}

fn count(scenario: Scenario, contender: &'static str) -> Result<Count, String> {
    let name = scenario.name();
    let run = |times: usize| callgrind(&["repeat", &name, contender, &times.to_string()]);
    let (few, many) = (run(RUNS[0])?, run(RUNS[1])?);
    Ok(Count {
        size: scenario.repeat(contender, 0)?,
        scenario: name,
        contender,
        instructions: (many - few) / (RUNS[1] - RUNS[0]) as u64,
    })
}

/// Runs this program under callgrind and reads how many instructions it took.
pub fn callgrind(arguments: &[&str]) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("valgrind cannot be started: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    log.lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, count)| count.trim().parse().ok())
        .ok_or_else(|| format!("no count in valgrind's output:\n{log}"))
}

impl Counts {
    pub fn print(&self) {
        print!(
            "{:<24} {:<33} {:>8} {:>12} {:>9} {:>9}",
            "scenario", "contender", "chunks", "instructions", "per byte", "per chunk"
        );
        println!("{}", self.before.as_ref().map_or("", |_| "  × before"));
        for count in &self.counts {
            count.print(self.before.as_ref());
        }
    }

    pub fn to_json(&self) -> Value {
        self.counts.iter().map(Count::to_json).collect()
    }
}

impl Count {
    fn print(&self, before: Option<&Value>) {
        let instructions = self.instructions as f64;
        print!(
            "{:<24} {:<33} {:>8} {:>12} {:>9.3} {:>9.2}",
            self.scenario,
            self.contender,
            self.size.chunks,
            self.instructions,
            instructions / self.size.bytes as f64,
            instructions / self.size.chunks as f64,
        );
        match before.map(|before| self.earlier(before)) {
            None => println!(),
            Some(None) => println!("  {:>8}", "new"),
            Some(Some(earlier)) => println!("  {:>8.3}", instructions / earlier),
        }
    }

    /// The count of the same row in an earlier table.
    fn earlier(&self, before: &Value) -> Option<f64> {
        let rows = before.as_array()?;
        let row = rows
            .iter()
            .find(|row| row["scenario"] == self.scenario && row["contender"] == self.contender)?;
        row["instructions"].as_f64()
    }

    fn to_json(&self) -> Value {
        json!({
            "scenario": self.scenario,
            "contender": self.contender,
            "bytes": self.size.bytes,
            "chunks": self.size.chunks,
            "instructions": self.instructions,
        })
    }
}

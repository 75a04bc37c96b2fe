//! Instructions per byte, counted by callgrind: the same on a busy machine as on a quiet one.

use std::hint::black_box;
use std::process::Command;

use crate::calls;
use crate::contenders::{self, MEMCHR, TAGSTREAM};
use crate::measure::CUTS;
use crate::message::Message;

/// Small enough for callgrind to be quick, and long enough for a steady figure.
const SIZE: usize = 256 << 10;
const NAMES: [&str; 3] = [TAGSTREAM, "tagstream, code off", MEMCHR];

/// Prints the figures, or says why it cannot.
pub fn print() -> Result<(), String> {
    println!("{:<22} {:>16}  instructions/byte", "contender", "pieces");
    for name in NAMES {
        for cut in CUTS {
            let per_run = per_run(|times| vec!["repeat", name, cut.name, times])?;
            let per_byte = per_run / SIZE as f64;
            println!("{name:<22} {:>16}  {per_byte:.3}", cut.name);
        }
    }
    print_calls()
}

/// The same for calls.
fn print_calls() -> Result<(), String> {
    println!(
        "\n{:<22} {:>16}  instructions/byte",
        "calls in", "4-byte pieces"
    );
    for (format, scenario) in calls::repeatable() {
        let bytes = calls::repeat(format, scenario, 0)?;
        let per_run = per_run(|times| vec!["repeat-call", format, scenario, times])?;
        let per_byte = per_run / bytes as f64;
        println!("{format:<22} {scenario:>16}  {per_byte:.3}");
    }
    Ok(())
}

/// What one reading takes: the difference of two runs, so that start-up and making the message do
/// not count.
fn per_run<'a>(arguments: impl Fn(&'a str) -> Vec<&'a str>) -> Result<f64, String> {
    let few = count(&arguments("1"))?;
    let many = count(&arguments("5"))?;
    Ok((many - few) as f64 / 4.0)
}

/// Runs this program under callgrind and reads how many instructions it took.
pub fn count(arguments: &[&str]) -> Result<u64, String> {
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

/// Reads the message so many times; this is what callgrind watches.
pub fn repeat(name: &str, cut: &str, times: usize) -> Result<(), String> {
    let message = Message::new(SIZE);
    let contenders = contenders::all(&message);
    let contender = contenders.iter().find(|contender| contender.name == name);
    let contender = contender.ok_or("no such contender")?;
    let cut = CUTS
        .iter()
        .find(|known| known.name == cut)
        .ok_or("no such cut")?;
    let pieces = message.pieces(cut.size.unwrap_or(0), cut.size);
    for _ in 0..times {
        black_box((contender.run)(black_box(&pieces)));
    }
    Ok(())
}

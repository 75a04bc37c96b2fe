//! Correctness, speed and memory of tagstream beside its peers, in one run.

mod alloc;
mod calls;
mod checks;
mod contenders;
mod instructions;
mod measure;
mod message;
mod own;
mod table;
mod targets;
mod wire;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde_json::{Value, json};

use measure::{CUTS, Effort};
use message::{MESSAGE_BYTES, Message};
use own::{directives, memory};
use table::Report;

/// tagstream, its peers, and the bare minimum; without a command, thinking extraction from 1 MiB of prose
#[derive(Parser)]
struct Args {
    /// A short run: rougher figures
    #[arg(long, global = true)]
    quick: bool,
    /// Also write the figures to this file
    #[arg(long, value_name = "FILE", global = true)]
    json: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Everything below, one after the other
    All,
    /// Tool calls instead: 200 in a row, and one with a long argument
    Calls,
    /// Only check results: short messages with thoughts and with calls, cut in every way
    Checks,
    /// Streams of providers instead, beside bare JSON parsing
    Wire,
    /// Count instructions with callgrind instead
    Instructions {
        /// Only scenarios whose names begin like this, such as `thinking` or `calls/dsml`
        scenario: Vec<String>,
        /// Contenders whose names begin like this, instead of tagstream, the floors and smg-symphony
        #[arg(long, value_name = "NAME")]
        contender: Vec<String>,
        /// Compare with the counts that an earlier run wrote with `--json`
        #[arg(long, value_name = "FILE")]
        before: Option<PathBuf>,
    },
    /// Count what code handling costs the directive list, with callgrind
    Directives,
    /// Write the message to standard output
    Message,
    /// Only make the directive list this many times
    #[command(hide = true)]
    RepeatDirectives {
        message: directives::Kind,
        code: String,
        times: usize,
    },
    /// Only read a message this many times
    #[command(hide = true)]
    Repeat {
        scenario: String,
        contender: String,
        times: usize,
    },
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    match &args.command {
        None => {
            let report = compare(args.quick);
            report.print();
            write_json(args, || report.to_json())
        }
        Some(Task::All) => all(args),
        Some(Task::Calls) => {
            let report = calls::compare(args.quick);
            report.print();
            write_json(args, || report.to_json())
        }
        Some(Task::Checks) => check(args),
        Some(Task::Wire) => {
            let report = wire::compare(args.quick);
            report.print();
            write_json(args, || report.to_json())
        }
        Some(Task::Instructions {
            scenario,
            contender,
            before,
        }) => {
            let counts = instructions::measure(scenario, contender, before.as_deref())?;
            counts.print();
            write_json(args, || counts.to_json())
        }
        Some(Task::Directives) => directives::print(),
        Some(Task::Message) => {
            let text = Message::new(MESSAGE_BYTES).text;
            std::io::stdout()
                .write_all(text.as_bytes())
                .map_err(|error| error.to_string())
        }
        Some(Task::RepeatDirectives {
            message,
            code,
            times,
        }) => directives::repeat(*message, code, *times),
        Some(Task::Repeat {
            scenario,
            contender,
            times,
        }) => instructions::repeat(scenario, contender, *times),
    }
}

/// All tables, each printed as soon as it is complete.
fn all(args: &Args) -> Result<(), String> {
    let thinking = compare(args.quick);
    heading("thinking");
    thinking.print();
    let calls = calls::compare(args.quick);
    heading("calls");
    calls.print();
    let wire = wire::compare(args.quick);
    heading("wire");
    wire.print();
    let counts = instructions::measure(&[], &[], None)?;
    heading("instructions");
    counts.print();
    heading("directives");
    directives::print()?;
    write_json(args, || {
        json!({
            "thinking": thinking.to_json(),
            "calls": calls.to_json(),
            "wire": wire.to_json(),
            "instructions": counts.to_json(),
        })
    })
}

fn heading(name: &str) {
    println!("\n== {name}\n");
}

fn compare(quick: bool) -> Report {
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let message = Message::new(MESSAGE_BYTES);
    let contenders = contenders::all(&message);
    let tables = CUTS.map(|cut| measure::table(&message, &contenders, cut, effort));
    let memory = memory::measure(&message);
    let targets = targets::check(&tables, &memory);
    Report {
        message,
        tables: tables.into(),
        checks: checks::thinking::check(),
        memory,
        targets,
    }
}

fn check(args: &Args) -> Result<(), String> {
    let (thinking, calls) = (checks::thinking::check(), calls::checks::check());
    thinking.print();
    calls.print();
    write_json(
        args,
        || json!({"thinking": thinking.to_json(), "calls": calls.to_json()}),
    )
}

/// Writes the figures to the file that was asked for.
fn write_json(args: &Args, figures: impl FnOnce() -> Value) -> Result<(), String> {
    match &args.json {
        None => Ok(()),
        Some(path) => std::fs::write(path, format!("{:#}\n", figures()))
            .map_err(|error| format!("{}: {error}", path.display())),
    }
}

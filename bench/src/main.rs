//! Speed and memory of tagstream beside its peers, in one run.

mod alloc;
mod calls;
mod contenders;
mod cuts;
mod directives;
mod instructions;
mod measure;
mod memory;
mod message;
mod table;
mod targets;
mod wire;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use measure::{CUTS, Effort};
use message::Message;
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
    /// Calls instead: 200 in a row, and one with a long argument
    Calls,
    /// Streams of providers instead, beside bare JSON parsing
    Wire,
    /// Count instructions per byte with callgrind instead
    Instructions,
    /// Count what code handling costs the directive list, with callgrind
    Directives,
    /// Write the message to standard output
    Message,
    /// Only make the directive list so many times
    #[command(hide = true)]
    RepeatDirectives {
        message: String,
        code: String,
        times: usize,
    },
    /// Only read the message so many times
    #[command(hide = true)]
    Repeat {
        name: String,
        cut: String,
        times: usize,
    },
    /// Only read calls in this format so many times
    #[command(hide = true)]
    RepeatCall {
        format: String,
        scenario: String,
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
        None => compare(args),
        Some(Task::Calls) => {
            let report = calls::compare(args.quick);
            report.print();
            write_json(args, || report.to_json())
        }
        Some(Task::Wire) => {
            let report = wire::compare(args.quick);
            report.print();
            write_json(args, || report.to_json())
        }
        Some(Task::RepeatCall {
            format,
            scenario,
            times,
        }) => calls::repeat(format, scenario, *times).map(|_| ()),
        Some(Task::Instructions) => instructions::print(),
        Some(Task::Directives) => directives::print(),
        Some(Task::RepeatDirectives {
            message,
            code,
            times,
        }) => directives::repeat(message, code, *times),
        Some(Task::Message) => {
            let text = Message::new(1 << 20).text;
            std::io::stdout()
                .write_all(text.as_bytes())
                .map_err(|error| error.to_string())
        }
        Some(Task::Repeat { name, cut, times }) => instructions::repeat(name, cut, *times),
    }
}

fn compare(args: &Args) -> Result<(), String> {
    let effort = if args.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    let message = Message::new(1 << 20);
    let contenders = contenders::all(&message);
    let tables = CUTS.map(|cut| measure::table(&message, &contenders, cut, effort));
    let memory = memory::measure(&message);
    let targets = targets::check(&tables, &memory);
    let report = Report {
        message,
        tables: tables.into(),
        cuttings: cuts::check(),
        memory,
        targets,
    };
    report.print();
    write_json(args, || report.to_json())
}

/// Writes the figures to the file that was asked for.
fn write_json(args: &Args, figures: impl FnOnce() -> serde_json::Value) -> Result<(), String> {
    match &args.json {
        None => Ok(()),
        Some(path) => std::fs::write(path, format!("{:#}\n", figures()))
            .map_err(|error| format!("{}: {error}", path.display())),
    }
}

//! The command line of tagstream: flags and glue around the library.

mod aggregate;
mod args;
mod blocks;
mod call_flags;
mod calls;
mod chat;
mod chunk;
mod cut_off;
mod demo;
mod dialects;
mod directives;
mod elements;
mod events;
mod explain;
mod failure;
mod feedback;
mod filter;
mod format;
mod help;
mod hints;
mod input;
mod nodes;
mod output;
mod own_frames;
mod problems;
mod profile;
mod rewrite;
mod skip;
mod stream;
mod strip;

use args::{Args, Command};
use failure::{Failure, say};
use std::process::ExitCode;
use stream::Outcome;

fn main() -> ExitCode {
    let args = match help::parse() {
        Ok(args) => args,
        Err(code) => return code,
    };
    match run(&args) {
        Ok(Outcome::Done) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Ok(Outcome::HeldErrors) => ExitCode::from(1),
        Err(Failure::Message(message)) => {
            say(&message);
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<Outcome, Failure> {
    if args.list_presets {
        return profile::list();
    }
    match &args.command {
        None => help::print(),
        Some(Command::Events(args)) => events::run(args),
        Some(Command::Calls(args)) => calls::run(args),
        Some(Command::Filter(args)) => filter::run(args),
        Some(Command::Strip(args)) => strip::run(args),
        Some(Command::Elements(args)) => elements::run(args),
        Some(Command::Nodes(args)) => nodes::run(args),
        Some(Command::Directives(args)) => directives::run(args),
        Some(Command::Aggregate(args)) => aggregate::run(args),
        Some(Command::Chat(args)) => chat::run(args),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Dialects(args)) => dialects::run(args),
        Some(Command::Rewrite(args)) => rewrite::run(args),
        Some(Command::Demo(args)) => demo::run(args),
        Some(Command::Profile(args)) => profile::run(args),
        Some(Command::Completions(args)) => help::completions(args),
        Some(Command::Man(args)) => help::man(args),
    }
}

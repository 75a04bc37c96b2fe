//! The command line of tagstream: flags and glue around the library.
//!
//! A library with one function, so that other packages can contain the command.

mod aggregate;
mod args;
#[cfg(feature = "batch")]
mod batch;
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
mod garbage;
mod help;
mod hints;
mod input;
mod nodes;
mod output;
mod own_frames;
mod problems;
mod profile;
mod rewrite;
#[cfg(feature = "serve")]
mod serve;
mod skip;
mod stream;
mod strip;
mod suggested;
mod unclosed;

use args::{Args, Command};
use failure::{Failure, say};
use std::ffi::OsString;
use stream::Outcome;

/// Runs the command with these arguments, the first of which is its name; returns its exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args = match help::parse(args) {
        Ok(args) => args,
        Err(code) => return code,
    };
    match run(&args) {
        Ok(Outcome::Done) | Err(Failure::ClosedPipe) => 0,
        Ok(Outcome::HeldErrors) => 1,
        Err(Failure::Message(message)) => {
            say(&message);
            2
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
        #[cfg(feature = "batch")]
        Some(Command::Batch(args)) => batch::run(args),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Dialects(args)) => dialects::run(args),
        Some(Command::Rewrite(args)) => rewrite::run(args),
        #[cfg(feature = "serve")]
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Demo(args)) => demo::run(args),
        Some(Command::Profile(args)) => profile::run(args),
        Some(Command::Completions(args)) => help::completions(args),
        Some(Command::Man(args)) => help::man(args),
    }
}

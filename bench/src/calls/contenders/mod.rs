//! The contenders. Each reads the pieces of a message and gives what came out.

mod dynamo_v1;
mod dynamo_v2;
mod tags;
mod tool_parser;

use super::format::Format;
use super::output::Output;
use crate::measure::now;

pub use tags::{Pushes, allocating_pushes, engine};

pub const TAGSTREAM: &str = "tagstream";
pub const DYNAMO_V2: [&str; 2] = [
    "dynamo-parsers-v2 0.9.6, tools",
    "dynamo-parsers-v2 0.9.6, unified",
];

/// Reads the pieces of a message, as long as there is time.
type Run = dyn Fn(&[&str], Cap, &mut Output);

/// One row of a table.
pub struct Contender {
    pub name: &'static str,
    /// Whether it knows the types of arguments.
    pub typed: bool,
    pub run: Box<Run>,
}

impl Contender {
    fn new(name: &'static str, run: impl Fn(&[&str], Cap, &mut Output) + 'static) -> Self {
        Contender {
            name,
            typed: true,
            run: Box::new(run),
        }
    }
}

/// All that know this format.
pub fn all(format: &Format) -> Vec<Contender> {
    let mut all = vec![
        Contender {
            typed: false,
            ..Contender::new(TAGSTREAM, tags::reader(format, false))
        },
        Contender::new("tagstream, schemas", tags::reader(format, true)),
    ];
    if let Some(family) = format.dynamo_v2 {
        all.push(Contender::new(DYNAMO_V2[0], dynamo_v2::tools(family)));
    }
    if let Some(family) = format.dynamo_v2_unified {
        all.push(Contender::new(DYNAMO_V2[1], dynamo_v2::unified(family)));
    }
    all.push(Contender::new(
        "dynamo-parsers 11.0.1",
        dynamo_v1::reader(format.dynamo_v1),
    ));
    all.push(Contender::new(
        "tool-parser 1.10.0",
        tool_parser::reader(format.tool_parser),
    ));
    all
}

/// How much CPU time a run may take, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Cap(pub f64);

impl Cap {
    /// As long as it takes.
    pub const NONE: Cap = Cap(f64::INFINITY);

    /// Whether the time is over for a run that began then.
    pub fn is_over(self, start: f64) -> bool {
        // Without a cap nobody asks the clock: it is a system call, and valgrind dies of it.
        self.0.is_finite() && now() - start >= self.0
    }

    pub fn start(self) -> f64 {
        if self.0.is_finite() { now() } else { 0.0 }
    }

    /// The pieces, many at a time, until the time is over.
    pub fn blocks<'a>(self, pieces: &'a [&'a str]) -> impl Iterator<Item = &'a [&'a str]> {
        let start = self.start();
        pieces
            .chunks(1024)
            .take_while(move |_| !self.is_over(start))
    }
}

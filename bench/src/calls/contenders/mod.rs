//! The contenders for tool calls. Each reads the chunks of a message and reports the calls in it.

#[cfg(feature = "peers")]
mod peers;

use std::rc::Rc;

use super::format::Format;
use super::output::{Kept, Sink, Tally};
use crate::measure::now;
use crate::own::calls::ToolCalls;

pub const TAGSTREAM: &str = "tagstream";
pub const DYNAMO_V2: [&str; 2] = [
    "dynamo-parsers-v2 0.9.6, tools",
    "dynamo-parsers-v2 0.9.6, unified",
];

/// A parser that reads calls.
pub trait Reader {
    /// Reads the chunks of a message until the cap is reached.
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S);
}

/// Reads the chunks of a message.
type Run<T> = Box<dyn Fn(&[&str], Cap) -> T>;

/// One row of a table.
pub struct Contender {
    pub name: &'static str,
    /// Whether it knows the types of arguments.
    pub typed: bool,
    /// Adds up what comes out.
    pub run: Run<Tally>,
    /// Keeps what comes out.
    pub keep: Run<Kept>,
}

impl Contender {
    fn new(name: &'static str, reader: impl Reader + 'static) -> Self {
        let reader = Rc::new(reader);
        let keeper = Rc::clone(&reader);
        Contender {
            name,
            typed: true,
            run: Box::new(move |chunks, cap| {
                let mut tally = Tally::default();
                reader.read(chunks, cap, &mut tally);
                tally
            }),
            keep: Box::new(move |chunks, cap| {
                let mut kept = Kept::default();
                keeper.read(chunks, cap, &mut kept);
                kept
            }),
        }
    }
}

/// All contenders that read this format.
pub fn all(format: &Format) -> Vec<Contender> {
    let mut all = vec![
        Contender {
            typed: false,
            ..Contender::new(TAGSTREAM, ToolCalls::new(format))
        },
        Contender::new("tagstream, schemas", ToolCalls::with_schemas(format)),
    ];
    all.extend(peers(format));
    all
}

#[cfg(feature = "peers")]
fn peers(format: &Format) -> Vec<Contender> {
    use peers::{DynamoV1, DynamoV2, DynamoV2Unified, Symphony, ToolParser};

    let names = &format.peers;
    let mut all = Vec::new();
    if let Some(family) = names.dynamo_v2 {
        all.push(Contender::new(DYNAMO_V2[0], DynamoV2::new(family)));
    }
    if let Some(family) = names.dynamo_v2_unified {
        all.push(Contender::new(DYNAMO_V2[1], DynamoV2Unified::new(family)));
    }
    all.push(Contender::new(
        "dynamo-parsers 11.0.1",
        DynamoV1::new(names.dynamo_v1),
    ));
    all.push(Contender::new(
        "tool-parser 1.10.0",
        ToolParser::new(names.tool_parser),
    ));
    if let Some(table) = names.symphony {
        all.push(Contender::new("smg-symphony 0.1.0", Symphony::new(table)));
    }
    all
}

#[cfg(not(feature = "peers"))]
fn peers(_: &Format) -> Vec<Contender> {
    Vec::new()
}

/// How much CPU time a run may take, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Cap(pub f64);

impl Cap {
    /// No limit.
    pub const NONE: Cap = Cap(f64::INFINITY);

    /// Whether a run that began at `start` has used up its time.
    pub fn is_over(self, start: f64) -> bool {
        // Without a cap the clock is not read: valgrind does not support that system call.
        self.0.is_finite() && now() - start >= self.0
    }

    pub fn start(self) -> f64 {
        if self.0.is_finite() { now() } else { 0.0 }
    }

    /// The chunks, many at a time, until the time is used up.
    pub fn blocks<'a>(self, chunks: &'a [&'a str]) -> impl Iterator<Item = &'a [&'a str]> {
        let start = self.start();
        chunks
            .chunks(1024)
            .take_while(move |_| !self.is_over(start))
    }
}

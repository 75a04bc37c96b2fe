//! Calls: many in a row, and one with a long argument, in the formats that peers have too.

mod contenders;
mod format;
mod heap;
mod measure;
mod output;
mod report;
mod scenario;
mod targets;

use std::hint::black_box;

use contenders::{Cap, TAGSTREAM};
use measure::{Effort, PIECE};
use output::Output;
use report::Report;

use crate::message::cut;

/// Measures all formats.
pub fn compare(quick: bool) -> Report {
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let scenarios = scenario::all();
    let tables: Vec<_> = format::ALL
        .iter()
        .map(|format| measure::table(format, &scenarios, effort))
        .collect();
    let heaps = heap::measure(&scenarios);
    let targets = targets::check(&tables, &heaps);
    Report {
        scenarios: scenarios.into(),
        tables,
        heaps,
        targets,
    }
}

/// The names of the formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    format::ALL.iter().map(|format| format.name)
}

/// Reads a call of 100 KB so many times, for callgrind to watch; gives its length.
pub fn repeat(format: &str, times: usize) -> Result<usize, String> {
    let format = format::ALL.iter().find(|known| known.name == format);
    let format = format.ok_or("no such format")?;
    let text = format.message(&scenario::all()[1].calls);
    let pieces = cut(&text, PIECE, Some(PIECE));
    let contenders = contenders::all(format);
    let own = contenders
        .iter()
        .find(|contender| contender.name == TAGSTREAM);
    let own = own.ok_or("no such contender")?;
    for _ in 0..times {
        let mut output = Output::default();
        (own.run)(black_box(&pieces), Cap(f64::INFINITY), &mut output);
        black_box(output);
    }
    Ok(text.len())
}

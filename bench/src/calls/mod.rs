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

/// The formats and scenarios that can be repeated.
pub fn repeatable() -> impl Iterator<Item = (&'static str, &'static str)> {
    let scenarios = ["200 calls", "100 KB"];
    let formats = format::ALL.iter().map(|format| format.name);
    formats.flat_map(move |format| scenarios.map(|scenario| (format, scenario)))
}

/// Reads a message so many times, for callgrind to watch; gives its length.
pub fn repeat(format: &str, scenario: &str, times: usize) -> Result<usize, String> {
    let format = format::ALL.iter().find(|known| known.name == format);
    let format = format.ok_or("no such format")?;
    let scenarios = scenario::all();
    let scenario = scenarios.iter().find(|known| known.name == scenario);
    let text = format.message(&scenario.ok_or("no such scenario")?.calls);
    let pieces = cut(&text, PIECE, Some(PIECE));
    let contenders = contenders::all(format);
    let own = contenders
        .iter()
        .find(|contender| contender.name == TAGSTREAM);
    let own = own.ok_or("no such contender")?;
    for _ in 0..times {
        let mut output = Output::default();
        (own.run)(black_box(&pieces), Cap::NONE, &mut output);
        black_box(output);
    }
    Ok(text.len())
}

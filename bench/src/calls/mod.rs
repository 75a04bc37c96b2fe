//! Tool calls: many in a row, and one with a long argument, in the formats that peers read too.

pub mod checks;
pub mod contenders;
pub mod format;
mod heap;
mod measure;
pub mod output;
mod report;
pub mod scenario;
mod targets;

use std::hint::black_box;

use contenders::Cap;
use format::Format;
use measure::{CHUNK, Effort};
use report::Report;

use crate::instructions::Size;
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
        checks: checks::check(),
        heaps,
        targets,
    }
}

/// A message whose instructions can be counted.
#[derive(Clone, Copy)]
pub struct Repeatable {
    format: &'static Format,
    /// The name on the command line, and the scenario's name.
    names: (&'static str, &'static str),
}

/// Every format with many calls, and with one long call.
pub fn repeatable() -> Vec<Repeatable> {
    let scenarios = [("200", "200 calls"), ("long", "400 KB")];
    let formats = format::ALL.iter();
    formats
        .flat_map(|format| scenarios.map(|names| Repeatable { format, names }))
        .collect()
}

impl Repeatable {
    pub fn name(self) -> String {
        format!("calls/{}/{}", self.format.dialect, self.names.0)
    }

    pub fn contenders(self) -> Vec<&'static str> {
        let all = contenders::all(self.format).into_iter();
        all.map(|contender| contender.name).collect()
    }

    /// Reads the message `times` times.
    pub fn repeat(self, contender: &str, times: usize) -> Result<Size, String> {
        let scenarios = scenario::all();
        let scenario = scenarios.iter().find(|known| known.name == self.names.1);
        let text = self
            .format
            .message(&scenario.ok_or("no such scenario")?.calls);
        let chunks = cut(&text, CHUNK, Some(CHUNK));
        let contenders = contenders::all(self.format);
        let contender = contenders.iter().find(|known| known.name == contender);
        let contender = contender.ok_or("no such contender")?;
        for _ in 0..times {
            black_box((contender.run)(black_box(&chunks), Cap::NONE));
        }
        Ok(Size {
            bytes: text.len(),
            chunks: chunks.len(),
        })
    }
}

//! Timing. Contenders take turns where that is quick; one that takes long has one run, and one
//! that takes too long is stopped.

use std::hint::black_box;

use super::contenders::{self, Cap, Contender, TAGSTREAM};
use super::format::Format;
use super::output::Verdict;
use super::scenario::Scenario;
use crate::alloc;
use crate::measure::{now, quantile, ratio};
use crate::message::cut;

/// The size of a chunk, in bytes.
pub const CHUNK: usize = 4;

/// How much time to spend.
#[derive(Clone, Copy)]
pub struct Effort {
    /// How often each contender has its turn.
    pub rounds: usize,
    /// How long a turn lasts at least, in nanoseconds.
    pub turn: f64,
    /// What takes longer than this has one run.
    pub slow: f64,
    /// What takes longer than this is stopped.
    pub cap: f64,
}

impl Effort {
    pub const FULL: Effort = Effort {
        rounds: 15,
        turn: 4e6,
        slow: 4e8,
        cap: 8e9,
    };
    pub const QUICK: Effort = Effort {
        rounds: 5,
        turn: 3e6,
        slow: 1e8,
        cap: 1e9,
    };
}

/// The figures of one contender for one scenario.
pub struct Cell {
    pub ns_per_chunk: f64,
    /// The distance between the quartiles, as a fraction of the median; one run has none.
    pub spread: Option<f64>,
    pub allocations_per_chunk: f64,
    /// Its time as a multiple of tagstream's.
    pub to_tagstream: f64,
    pub verdict: Verdict,
    /// Fragments of arguments that came out, for each chunk that went in.
    pub deltas_per_chunk: f64,
    /// The fraction of the message that it read before it was stopped.
    pub read: f64,
}

/// A contender, and its figures for each scenario.
pub struct Row {
    pub name: &'static str,
    pub cells: Vec<Cell>,
}

/// The figures for one format.
pub struct Table {
    pub format: &'static str,
    pub rows: Vec<Row>,
    /// The time of a chunk in tagstream's longest call as a multiple of that in its shortest long
    /// one, both in the same rounds.
    pub growth: f64,
}

impl Cell {
    /// Whether it emits arguments as they arrive, and not each of them at its end.
    pub fn streams(&self) -> bool {
        self.deltas_per_chunk > 0.1
    }
}

impl Table {
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

/// Measures every contender that reads the format.
pub fn table(format: &Format, scenarios: &[Scenario], effort: Effort) -> Table {
    let contenders = contenders::all(format);
    let mut rows: Vec<Row> = contenders
        .iter()
        .map(|contender| Row {
            name: contender.name,
            cells: Vec::new(),
        })
        .collect();
    for scenario in scenarios {
        let cells = cells(format, scenario, &contenders, effort);
        rows.iter_mut()
            .zip(cells)
            .for_each(|(row, cell)| row.cells.push(cell));
    }
    Table {
        format: format.name,
        rows,
        growth: growth(format, &scenarios[1], &scenarios[3], &contenders[0], effort),
    }
}

/// Measured in the same rounds: on a busy machine, figures from different times do not compare.
fn growth(
    format: &Format,
    small: &Scenario,
    large: &Scenario,
    contender: &Contender,
    effort: Effort,
) -> f64 {
    let texts = [small, large].map(|scenario| format.message(&scenario.calls));
    let chunks = texts.each_ref().map(|text| cut(text, CHUNK, Some(CHUNK)));
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..effort.rounds {
        for (times, chunks) in times.iter_mut().zip(&chunks) {
            times.push(time(contender, chunks, 2) / chunks.len() as f64);
        }
    }
    ratio(&times[1], &times[0])
}

fn cells(
    format: &Format,
    scenario: &Scenario,
    contenders: &[Contender],
    effort: Effort,
) -> Vec<Cell> {
    let text = format.message(&scenario.calls);
    let chunks = cut(&text, CHUNK, Some(CHUNK));
    let firsts: Vec<First> = contenders
        .iter()
        .map(|contender| First::run(contender, format, scenario, &chunks, effort))
        .collect();
    let times = take_turns(contenders, &firsts, &chunks, effort);
    let own = contenders.iter().position(|c| c.name == TAGSTREAM);
    let own = own.map_or(&times[0], |own| &times[own]);
    let cells = firsts.into_iter().zip(&times);
    cells.map(|(first, times)| first.cell(times, own)).collect()
}

/// The first run of a contender: its result is checked, and if it takes long, it is the only run.
struct First {
    time: f64,
    allocations: u64,
    chunks: usize,
    read: f64,
    deltas: usize,
    verdict: Verdict,
    is_slow: bool,
}

impl First {
    fn run(
        contender: &Contender,
        format: &Format,
        scenario: &Scenario,
        chunks: &[&str],
        effort: Effort,
    ) -> First {
        let start = now();
        let (kept, heap) = alloc::count(|| (contender.keep)(chunks, Cap(effort.cap)));
        let time = now() - start;
        let is_slow = time > effort.slow;
        // What is kept for the check is not the contender's, so a quick one is counted again.
        let allocations = if is_slow {
            heap.calls
        } else {
            count(contender, chunks)
        };
        let tally = kept.tally;
        let verdict = if tally.chunks < chunks.len() {
            Verdict::Stopped
        } else {
            let output = kept.output;
            output.verdict(format, &scenario.calls, contender.typed)
        };
        First {
            time,
            allocations,
            chunks: tally.chunks.max(1),
            read: tally.chunks as f64 / chunks.len() as f64,
            deltas: tally.deltas,
            verdict: all_shown(verdict, contender, format, scenario, tally.shown),
            is_slow,
        }
    }

    /// `own` are tagstream's times. What was stopped has read fewer chunks than tagstream.
    fn cell(self, times: &[f64], own: &[f64]) -> Cell {
        let chunks = self.chunks as f64;
        let (run, spread, to_tagstream) = if self.is_slow {
            (self.time, None, self.time / self.read / quantile(own, 0.5))
        } else {
            (quantile(times, 0.5), Some(spread(times)), ratio(times, own))
        };
        Cell {
            ns_per_chunk: run / chunks,
            spread,
            allocations_per_chunk: self.allocations as f64 / chunks,
            to_tagstream,
            verdict: self.verdict,
            deltas_per_chunk: self.deltas as f64 / chunks,
            read: self.read,
        }
    }
}

/// tagstream also shows the arguments as they arrive, and must show all of them.
fn all_shown(
    verdict: Verdict,
    contender: &Contender,
    format: &Format,
    scenario: &Scenario,
    shown: usize,
) -> Verdict {
    let meant = format.shown(&scenario.calls);
    if verdict != Verdict::Right || !contender.name.starts_with(TAGSTREAM) || shown == meant {
        return verdict;
    }
    Verdict::Wrong(format!("{shown} bytes shown of {meant}"))
}

fn count(contender: &Contender, chunks: &[&str]) -> u64 {
    let (_, heap) = alloc::count(|| (contender.run)(chunks, Cap::NONE));
    heap.calls
}

/// The time of one run in each round, for each contender that is not slow.
fn take_turns(
    contenders: &[Contender],
    firsts: &[First],
    chunks: &[&str],
    effort: Effort,
) -> Vec<Vec<f64>> {
    let repeats = |first: &First| (effort.turn / first.time).ceil().clamp(1.0, 10_000.0) as usize;
    let mut times = vec![Vec::with_capacity(effort.rounds); contenders.len()];
    for round in 0..effort.rounds {
        for turn in 0..contenders.len() {
            let at = (round + turn) % contenders.len();
            if !firsts[at].is_slow {
                times[at].push(time(&contenders[at], chunks, repeats(&firsts[at])));
            }
        }
    }
    times
}

fn time(contender: &Contender, chunks: &[&str], repeats: usize) -> f64 {
    let start = now();
    for _ in 0..repeats {
        black_box((contender.run)(black_box(chunks), Cap::NONE));
    }
    (now() - start) / repeats as f64
}

fn spread(times: &[f64]) -> f64 {
    (quantile(times, 0.75) - quantile(times, 0.25)) / quantile(times, 0.5)
}

//! Timing: the rows take turns.

use std::hint::black_box;

use tagstream::Profile;

use super::rows::{ALL, BARE, Row, Tally};
use super::stream::Stream;
use crate::alloc;
use crate::measure::{Effort, now, quantile, ratio};

/// How many bytes come at a time: a packet, and what a buffered reader gives.
pub const SIZES: [usize; 2] = [1460, 16 << 10];

/// The figures for one stream, read in chunks of one size.
pub struct Table {
    pub format: &'static str,
    pub size: usize,
    pub bytes: usize,
    pub frames: usize,
    pub figures: Vec<Figures>,
}

pub struct Figures {
    pub name: &'static str,
    pub ns_per_frame: f64,
    /// The distance between the quartiles, as a part of the median.
    pub spread: f64,
    pub mb_per_s: f64,
    pub allocations_per_frame: f64,
    /// Its time as a multiple of the bare parse: the median over the rounds.
    pub to_bare: f64,
    pub tally: Tally,
    /// Whether it is right; `None` if it does not tell enough.
    pub right: Option<bool>,
}

impl Table {
    pub fn row(&self, name: &str) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.name == name)
    }
}

pub fn table(profile: &Profile, stream: &Stream, size: usize, effort: Effort) -> Table {
    let times = take_turns(profile, stream, size, effort);
    let bare = ALL.iter().position(|row| row.name == BARE).unwrap_or(0);
    let frames = stream.data.len() as f64;
    let figures = ALL.iter().zip(&times).map(|(row, own)| {
        let (_, heap) = alloc::count(|| (row.run)(profile, stream, size));
        let tally = row.check.map(|check| check(profile, stream, size));
        let run = quantile(own, 0.5);
        Figures {
            name: row.name,
            ns_per_frame: run / frames,
            spread: (quantile(own, 0.75) - quantile(own, 0.25)) / run,
            mb_per_s: stream.bytes.len() as f64 / run * 1e3,
            allocations_per_frame: heap.calls as f64 / frames,
            to_bare: ratio(own, &times[bare]),
            right: tally.map(|tally| tally.is_right(stream)),
            tally: tally.unwrap_or_default(),
        }
    });
    Table {
        format: stream.format.name(),
        size,
        bytes: stream.bytes.len(),
        frames: stream.data.len(),
        figures: figures.collect(),
    }
}

/// The time of one run in each round, for each row, in nanoseconds.
fn take_turns(profile: &Profile, stream: &Stream, size: usize, effort: Effort) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(effort.rounds); ALL.len()];
    for row in ALL {
        time(row, profile, stream, size);
    }
    for round in 0..effort.rounds {
        for turn in 0..ALL.len() {
            let at = (round + turn) % ALL.len();
            times[at].push(time(&ALL[at], profile, stream, size));
        }
    }
    times
}

fn time(row: &Row, profile: &Profile, stream: &Stream, size: usize) -> f64 {
    let start = now();
    black_box((row.run)(profile, black_box(stream), size));
    now() - start
}

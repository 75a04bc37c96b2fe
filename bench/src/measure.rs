//! Timing: thread CPU time, contenders taking turns, medians.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

use crate::alloc;
use crate::contenders::{Contender, Kind, MEMCHR, TAGSTREAM, Tally};
use crate::message::Message;

/// How much time to spend.
#[derive(Clone, Copy)]
pub struct Effort {
    /// How often each contender has its turn.
    pub rounds: usize,
    /// How long a turn lasts at least, in nanoseconds.
    pub turn: f64,
}

impl Effort {
    pub const FULL: Effort = Effort {
        rounds: 41,
        turn: 5e6,
    };
    pub const QUICK: Effort = Effort {
        rounds: 5,
        turn: 3e6,
    };
}

/// How the message is cut.
#[derive(Clone, Copy)]
pub struct Cut {
    pub name: &'static str,
    pub size: Option<usize>,
}

pub const CUTS: [Cut; 3] = [
    Cut {
        name: "4-byte chunks",
        size: Some(4),
    },
    Cut {
        name: "64-byte chunks",
        size: Some(64),
    },
    Cut {
        name: "whole",
        size: None,
    },
];

impl Cut {
    /// A short name, for the command line.
    pub fn slug(self) -> String {
        self.size
            .map_or("whole".to_owned(), |size| size.to_string())
    }
}

/// The figures for one way of cutting.
pub struct Table {
    pub cut: Cut,
    pub chunks: usize,
    pub rows: Vec<Row>,
}

/// The figures of one contender.
pub struct Row {
    pub name: &'static str,
    pub kind: Kind,
    pub ns_per_chunk: f64,
    /// The distance between the quartiles, as a fraction of the median.
    pub spread: f64,
    pub mb_per_s: f64,
    pub allocations: u64,
    pub allocations_per_chunk: f64,
    /// Its time as a multiple of tagstream's: the median over the rounds.
    pub to_tagstream: f64,
    /// Its time as a multiple of memchr's: the median over the rounds.
    pub to_memchr: f64,
    pub tally: Tally,
    pub right: bool,
}

impl Table {
    pub fn row(&self, name: &str) -> &Row {
        self.rows
            .iter()
            .find(|row| row.name == name)
            .expect("a contender's name")
    }
}

/// Measures every contender that can read the message cut like this.
pub fn table(message: &Message, contenders: &[Contender], cut: Cut, effort: Effort) -> Table {
    let chunks = message.cut(cut);
    let contenders: Vec<&Contender> = contenders
        .iter()
        .filter(|contender| contender.takes(cut))
        .collect();
    let times = take_turns(&contenders, &chunks, effort);
    let index = |name| {
        contenders
            .iter()
            .position(|c| c.name == name)
            .expect("it is one of them")
    };
    let (tagstream, memchr) = (&times[index(TAGSTREAM)], &times[index(MEMCHR)]);
    let rows = contenders
        .iter()
        .zip(&times)
        .map(|(contender, own)| {
            let (tally, heap) = alloc::count(|| (contender.run)(&chunks));
            let run = quantile(own, 0.5);
            Row {
                name: contender.name,
                kind: contender.kind,
                ns_per_chunk: run / chunks.len() as f64,
                spread: (quantile(own, 0.75) - quantile(own, 0.25)) / run,
                mb_per_s: message.text.len() as f64 / run * 1e3,
                allocations: heap.calls,
                allocations_per_chunk: heap.calls as f64 / chunks.len() as f64,
                to_tagstream: ratio(own, tagstream),
                to_memchr: ratio(own, memchr),
                tally,
                right: tally.is_right(message),
            }
        })
        .collect();
    Table {
        cut,
        chunks: chunks.len(),
        rows,
    }
}

/// The time of one run in each round, for each contender, in nanoseconds.
///
/// In every round all of them have a turn, so that a machine that slows down does so for all of them,
/// and each round begins with a different one.
fn take_turns(contenders: &[&Contender], chunks: &[&str], effort: Effort) -> Vec<Vec<f64>> {
    let repeats: Vec<usize> = contenders
        .iter()
        .map(|contender| {
            time(contender, chunks, 1);
            (effort.turn / time(contender, chunks, 1))
                .ceil()
                .clamp(1.0, 10_000.0) as usize
        })
        .collect();
    let mut times = vec![Vec::with_capacity(effort.rounds); contenders.len()];
    for round in 0..effort.rounds {
        for turn in 0..contenders.len() {
            let at = (round + turn) % contenders.len();
            times[at].push(time(contenders[at], chunks, repeats[at]));
        }
    }
    times
}

fn time(contender: &Contender, chunks: &[&str], repeats: usize) -> f64 {
    let start = now();
    for _ in 0..repeats {
        black_box((contender.run)(black_box(chunks)));
    }
    (now() - start) / repeats as f64
}

/// The CPU time of this thread, in nanoseconds: the work of other processes is not in it.
pub fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The median over the rounds of one time as a multiple of another.
pub fn ratio(own: &[f64], other: &[f64]) -> f64 {
    let ratios: Vec<f64> = own
        .iter()
        .zip(other)
        .map(|(own, other)| own / other)
        .collect();
    quantile(&ratios, 0.5)
}

pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

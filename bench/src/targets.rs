//! The figures to reach, as ratios within one run.

use crate::contenders::{TAGSTREAM, VISIT};
use crate::measure::{Row, Table};
use crate::own::memory::Memory;

pub struct Target {
    pub name: String,
    pub reached: String,
    pub wanted: &'static str,
    pub met: bool,
}

impl Target {
    pub fn new(name: impl Into<String>, reached: String, wanted: &'static str, met: bool) -> Self {
        Target {
            name: name.into(),
            reached,
            wanted,
            met,
        }
    }
}

/// Compares with the targets. A wrong result meets none.
pub fn check(tables: &[Table; 3], memory: &Memory) -> Vec<Target> {
    let own = tables.each_ref().map(|table| table.row(TAGSTREAM));
    let right = own.iter().filter(|row| row.right).count();
    let mut targets = vec![Target::new(
        "result",
        format!("right in {right} tables"),
        "right in all 3",
        right == own.len(),
    )];
    targets.extend(speed(own, tables[2].row(VISIT)));
    targets.extend(heap(memory));
    targets
}

fn speed([small, medium, whole]: [&Row; 3], visit: &Row) -> [Target; 4] {
    [
        Target::new(
            "4-byte chunks, time",
            format!("{:.2} × memchr", small.to_memchr),
            "at most 3",
            small.right && small.to_memchr <= 3.0,
        ),
        // A few allocations per message are the held tail growing, not one per chunk.
        Target::new(
            "4-byte chunks, allocations",
            format!(
                "{:.4} per chunk ({} in all)",
                small.allocations_per_chunk, small.allocations
            ),
            "none per chunk",
            small.right && small.allocations_per_chunk < 0.001,
        ),
        Target::new(
            "64-byte chunks, time",
            format!("{:.2} × memchr", medium.to_memchr),
            "at most 4.5",
            medium.right && medium.to_memchr <= 4.5,
        ),
        Target::new(
            "whole, speed",
            format!("{:.2} × bare visit", visit.to_tagstream),
            "at least 0.6",
            whole.right && visit.to_tagstream >= 0.6,
        ),
    ]
}

fn heap(memory: &Memory) -> [Target; 2] {
    [
        Target::new(
            "allocations before the first held byte",
            memory.before_held.to_string(),
            "none",
            memory.before_held == 0,
        ),
        // Twice for lookahead, and twice again for how a vector grows.
        Target::new(
            "heap beyond the held tail",
            format!(
                "{} bytes at most, {} held",
                memory.peak, memory.longest_held
            ),
            "at most 4 × held + 64",
            memory.peak <= 4 * memory.longest_held as u64 + 64,
        ),
    ]
}

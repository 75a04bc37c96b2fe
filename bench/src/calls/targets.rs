//! The figures to reach, as ratios within one run.

use super::contenders::{DYNAMO_V2, TAGSTREAM};
use super::heap::Heap;
use super::measure::{Row, Table};
use super::output::Verdict;
use crate::targets::Target;

/// Compares with the targets. A wrong result does not count, on either side.
pub fn check(tables: &[Table], heaps: &[Heap]) -> Vec<Target> {
    let mut targets = vec![result(tables)];
    for table in tables {
        targets.extend(speed(table, "200 calls", 0..1));
        targets.extend(speed(table, "one long call", 1..4));
    }
    for table in tables {
        targets.extend(table.row(TAGSTREAM).map(|row| linear(table, row)));
    }
    targets.extend(heaps.iter().map(allocations));
    targets
}

fn result(tables: &[Table]) -> Target {
    let rows = tables.iter().flat_map(|table| &table.rows);
    let own = rows.filter(|row| row.name.starts_with(TAGSTREAM));
    let cells: Vec<_> = own.flat_map(|row| &row.cells).collect();
    let right = cells.iter().filter(|cell| cell.verdict == Verdict::Right);
    let (right, all) = (right.count(), cells.len());
    let reached = format!("right in {right} of {all} runs");
    Target::new("result", reached, "right in all", right == all)
}

/// dynamo-parsers-v2's time as a multiple of tagstream's: its quicker parser, where it is right, and
/// the scenario where it is closest. It does not read every format.
fn speed(table: &Table, what: &str, scenarios: std::ops::Range<usize>) -> Option<Target> {
    let own_is_right = |at: usize| table.row(TAGSTREAM).is_some_and(|row| is_right(row, at));
    let peers = || DYNAMO_V2.iter().filter_map(|name| table.row(name));
    let closest = scenarios
        .flat_map(|at| {
            peers()
                .filter(move |row| is_right(row, at))
                .map(move |row| (at, row))
        })
        .map(|(at, row)| (at, &row.cells[at]))
        .min_by(|a, b| a.1.to_tagstream.total_cmp(&b.1.to_tagstream))?;
    let (at, peer) = closest;
    let times = peer.to_tagstream;
    let how = if peer.streams() { "" } else { ", which waits" };
    Some(Target::new(
        format!("{}, {what}", table.format),
        format!("1/{times:.1} of dynamo-parsers-v2{how}"),
        "at most 1/30",
        own_is_right(at) && times >= 30.0,
    ))
}

fn is_right(row: &Row, at: usize) -> bool {
    row.cells[at].verdict == Verdict::Right
}

/// A fifth more is allowed for the caches: the text of a 400 KB call does not fit into the first one.
fn linear(table: &Table, row: &Row) -> Target {
    let (format, growth) = (table.format, table.growth);
    let reached = format!("{growth:.2} × from 100 to 400 KB");
    let right = (1..4).all(|at| is_right(row, at));
    Target::new(
        format!("{format}, linear"),
        reached,
        "at most 1.2",
        right && growth <= 1.2,
    )
}

/// A few allocations per message are the text of the call growing, not one per chunk.
fn allocations(heap: &Heap) -> Target {
    let worst = heap.pushes.iter().map(|pushes| {
        let part = pushes.elsewhere as f64 / pushes.all as f64;
        (part, pushes.elsewhere)
    });
    let worst = worst.max_by(|a, b| a.0.total_cmp(&b.0));
    let (part, count) = worst.unwrap_or_default();
    Target::new(
        format!("{}, allocations", heap.format),
        format!("{part:.4} per chunk ({count} in all)"),
        "none per chunk",
        part < 0.001,
    )
}

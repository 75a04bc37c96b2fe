//! The figures to reach, as multiples of the bare parse in the same run.

use super::measure::Table;
use super::rows::{EVENTS, REWRITE};
use crate::targets::Target;

pub fn check(tables: &[Table]) -> Vec<Target> {
    let mut targets = Vec::new();
    for table in tables {
        targets.push(at_most(table, EVENTS, 0.7, "at most 0.7"));
        targets.push(at_most(table, REWRITE, 1.2, "at most 1.2"));
    }
    targets
}

fn at_most(table: &Table, row: &str, most: f64, wanted: &'static str) -> Target {
    let name = format!("{}, {} bytes a read, {row}", table.format, table.size);
    let Some(figures) = table.row(row) else {
        return Target::new(name, "not built in".to_owned(), wanted, false);
    };
    let reached = format!("{:.2} × bare parse", figures.to_bare);
    let met = figures.right != Some(false) && figures.to_bare <= most;
    Target::new(name, reached, wanted, met)
}

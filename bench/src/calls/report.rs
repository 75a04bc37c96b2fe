//! Printing, for people and as JSON.

use serde_json::{Value, json};

use super::contenders::TAGSTREAM;
use super::heap::Heap;
use super::measure::{Cell, Row, Table};
use super::output::Verdict;
use super::scenario::Scenario;
use crate::checks::Checks;
use crate::table::{print_targets, targets_json};
use crate::targets::Target;

/// The results of one run.
pub struct Report {
    pub scenarios: Vec<Scenario>,
    pub tables: Vec<Table>,
    pub checks: Checks,
    pub heaps: Vec<Heap>,
    pub targets: Vec<Target>,
}

impl Report {
    pub fn print(&self) {
        for (at, scenario) in self.scenarios.iter().enumerate() {
            println!("\n{}, 4-byte chunks\n", scenario.name);
            println!(
                "{:<20} {:<33} {:>12} {:>8} {:>12} {:>11}  result",
                "format", "contender", "ns/chunk", "± IQR", "allocs/chunk", "× tagstream"
            );
            for (table, row) in self.rows() {
                print_row(table.format, row, at);
            }
        }
        self.checks.print();
        self.print_growth();
        self.print_heaps();
        print_targets(&self.targets);
    }

    fn print_growth(&self) {
        println!("\ntime of a chunk at 400 KB as a multiple of that at 100 KB\n");
        for (table, row) in self.rows() {
            let growth = match row.name {
                TAGSTREAM => format!("{:.2}", table.growth),
                _ => growth(row).map_or("unknown".to_owned(), |growth| {
                    format!("{}{growth:.2}", sign(&row.cells[3]))
                }),
            };
            println!("{:<20} {:<33} {growth:>9}", table.format, row.name);
        }
    }

    /// The rows of all tables.
    fn rows(&self) -> impl Iterator<Item = (&Table, &Row)> {
        let tables = self.tables.iter();
        tables.flat_map(|table| table.rows.iter().map(move |row| (table, row)))
    }

    fn print_heaps(&self) {
        println!("\npushes in which the engine allocates: where calls begin or end, elsewhere\n");
        print!("{:<20}", "format");
        for scenario in &self.scenarios {
            print!(" {:>22}", scenario.name);
        }
        println!();
        for heap in &self.heaps {
            print!("{:<20}", heap.format);
            for pushes in &heap.pushes {
                let figures = format!(
                    "{}, {} of {}",
                    pushes.at_calls, pushes.elsewhere, pushes.all
                );
                print!(" {figures:>22}");
            }
            println!();
        }
    }

    pub fn to_json(&self) -> Value {
        let table = |table: &Table| {
            let rows: Vec<Value> = table.rows.iter().map(|row| self.row_json(row)).collect();
            json!({"format": table.format, "rows": rows, "growth": table.growth})
        };
        let heap = |heap: &Heap| {
            let scenarios = self.by_scenario(&heap.pushes, |pushes, scenario| {
                json!({
                    "scenario": scenario,
                    "pushes": pushes.all,
                    "allocating_at_calls": pushes.at_calls,
                    "allocating_elsewhere": pushes.elsewhere,
                })
            });
            json!({"format": heap.format, "scenarios": scenarios})
        };
        json!({
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "checks": self.checks.to_json(),
            "heap": self.heaps.iter().map(heap).collect::<Vec<_>>(),
            "targets": targets_json(&self.targets),
        })
    }

    fn row_json(&self, row: &Row) -> Value {
        let scenarios = self.by_scenario(&row.cells, |cell, scenario| {
            json!({
                "scenario": scenario,
                "ns_per_chunk": cell.ns_per_chunk,
                "spread": cell.spread,
                "allocations_per_chunk": cell.allocations_per_chunk,
                "deltas_per_chunk": cell.deltas_per_chunk,
                "to_tagstream": cell.to_tagstream,
                "read": cell.read,
                "result": result(cell),
            })
        });
        json!({"name": row.name, "scenarios": scenarios, "growth": growth(row)})
    }

    /// What was found in each scenario, with the scenario's name.
    fn by_scenario<T>(&self, found: &[T], json: impl Fn(&T, &str) -> Value) -> Vec<Value> {
        let pairs = found.iter().zip(&self.scenarios);
        pairs
            .map(|(one, scenario)| json(one, scenario.name))
            .collect()
    }
}

fn print_row(format: &str, row: &Row, at: usize) {
    let cell = &row.cells[at];
    let spread = match cell.spread {
        Some(spread) => format!("{:.1}%", spread * 100.0),
        None => "one run".to_owned(),
    };
    println!(
        "{format:<20} {:<33} {:>12} {spread:>8} {:>12.3} {:>11}  {}",
        row.name,
        format!("{}{:.2}", sign(cell), cell.ns_per_chunk),
        cell.allocations_per_chunk,
        format!("{}{:.2}", sign(cell), cell.to_tagstream),
        result(cell),
    );
}

/// A run that was stopped would have taken longer.
fn sign(cell: &Cell) -> &'static str {
    match cell.verdict {
        Verdict::Stopped => ">",
        _ => "",
    }
}

fn result(cell: &Cell) -> String {
    match &cell.verdict {
        Verdict::Right if cell.streams() => "right".to_owned(),
        Verdict::Right => "right, but waits".to_owned(),
        Verdict::Wrong(what) => format!("WRONG: {what}"),
        Verdict::Stopped => format!("stopped at {:.0} % of the message", cell.read * 100.0),
    }
}

/// How the time of a chunk grows from 100 to 400 KB; unknown if the first was stopped.
fn growth(row: &Row) -> Option<f64> {
    let (small, large) = (&row.cells[1], &row.cells[3]);
    (small.verdict != Verdict::Stopped).then(|| large.ns_per_chunk / small.ns_per_chunk)
}

//! Printing, for people and as JSON.

use serde_json::{Value, json};

use super::measure::{Figures, Table};
use crate::table::{print_targets, targets_json};
use crate::targets::Target;

/// All that was found out in one run.
pub struct Report {
    pub tables: Vec<Table>,
    pub targets: Vec<Target>,
}

impl Report {
    pub fn print(&self) {
        self.tables.iter().for_each(print_table);
        print_targets(&self.targets);
    }

    pub fn to_json(&self) -> Value {
        json!({
            "tables": self.tables.iter().map(table_json).collect::<Vec<_>>(),
            "targets": targets_json(&self.targets),
        })
    }
}

fn print_table(table: &Table) {
    println!(
        "\n{}, {} bytes in {} frames, {} bytes a read\n",
        table.format, table.bytes, table.frames, table.size
    );
    println!(
        "{:<22} {:>9} {:>6} {:>7} {:>12} {:>12}  result",
        "row", "ns/frame", "± IQR", "MB/s", "allocs/frame", "× bare parse"
    );
    for figures in &table.figures {
        println!(
            "{:<22} {:>9.1} {:>5.1}% {:>7.0} {:>12.3} {:>12.2}  {}",
            figures.name,
            figures.ns_per_frame,
            figures.spread * 100.0,
            figures.mb_per_s,
            figures.allocations_per_frame,
            figures.to_bare,
            result(figures),
        );
    }
}

fn result(figures: &Figures) -> String {
    let tally = figures.tally;
    match figures.right {
        None => String::new(),
        Some(true) => "right".to_owned(),
        Some(false) => format!(
            "WRONG: thought {}, text {}, arguments {}",
            tally.thought, tally.text, tally.arguments
        ),
    }
}

fn table_json(table: &Table) -> Value {
    let figures = |figures: &Figures| {
        json!({
            "name": figures.name,
            "ns_per_frame": figures.ns_per_frame,
            "spread": figures.spread,
            "mb_per_s": figures.mb_per_s,
            "allocations_per_frame": figures.allocations_per_frame,
            "to_bare": figures.to_bare,
            "right": figures.right,
        })
    };
    json!({
        "format": table.format,
        "bytes": table.bytes,
        "frames": table.frames,
        "bytes_a_read": table.size,
        "rows": table.figures.iter().map(figures).collect::<Vec<_>>(),
    })
}

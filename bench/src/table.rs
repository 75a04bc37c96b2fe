//! Printing, for people and as JSON.

use serde_json::{Value, json};

use crate::checks::Checks;
use crate::contenders::Kind;
use crate::measure::{Row, Table};
use crate::message::Message;
use crate::own::memory::Memory;
use crate::targets::Target;

/// The results of one run.
pub struct Report {
    pub message: Message,
    pub tables: Vec<Table>,
    pub checks: Checks,
    pub memory: Memory,
    pub targets: Vec<Target>,
}

impl Report {
    pub fn print(&self) {
        self.print_message();
        for table in &self.tables {
            self.print_table(table);
        }
        self.checks.print();
        self.print_memory();
        print_targets(&self.targets);
    }

    fn print_message(&self) {
        let text = &self.message.text;
        let count = |what: &str| text.matches(what).count();
        println!(
            "message: {} bytes, {} of them thought, {} of them answer",
            text.len(),
            self.message.thought.len(),
            self.message.answer().len(),
        );
        println!(
            "in it: {} `<`, {} backticks, {} `~`, {} characters beyond ASCII",
            count("<"),
            count("`"),
            count("~"),
            text.chars().filter(|c| !c.is_ascii()).count(),
        );
    }

    fn print_table(&self, table: &Table) {
        println!("\n{} ({} of them)\n", table.cut.name, table.chunks);
        println!(
            "{:<24} {:>11} {:>6} {:>8} {:>12} {:>11} {:>8}  result",
            "contender", "ns/chunk", "± IQR", "MB/s", "allocs/chunk", "× tagstream", "× memchr"
        );
        for row in &table.rows {
            println!(
                "{:<24} {:>11.2} {:>5.1}% {:>8.0} {:>12.3} {:>11.2} {:>8.2}  {}",
                row.name,
                row.ns_per_chunk,
                row.spread * 100.0,
                row.mb_per_s,
                row.allocations_per_chunk,
                row.to_tagstream,
                row.to_memchr,
                self.outcome(row),
            );
        }
    }

    fn outcome(&self, row: &Row) -> String {
        if row.kind != Kind::Parser {
            return "(a floor)".to_owned();
        }
        if row.right {
            return "right".to_owned();
        }
        let off = |got: usize, right: usize| got as i64 - right as i64;
        format!(
            "WRONG: thought {} ({:+}), text {} ({:+}), markup {}",
            row.tally.thought,
            off(row.tally.thought, self.message.thought.len()),
            row.tally.text,
            off(row.tally.text, self.message.answer().len()),
            row.tally.markup,
        )
    }

    fn print_memory(&self) {
        let memory = &self.memory;
        println!("\nmemory\n");
        println!(
            "size of an engine                     {:>9} bytes",
            memory.engine
        );
        println!("allocations while making one          {:>9}", memory.making);
        println!(
            "allocations before the first held byte {:>8} (in {} bytes of text)",
            memory.before_held, memory.bytes_before_held
        );
        println!(
            "longest tail held, 4-byte chunks      {:>9} bytes",
            memory.longest_held
        );
        println!(
            "peak heap while streaming             {:>9} bytes",
            memory.peak
        );
    }

    pub fn to_json(&self) -> Value {
        json!({
            "message": {
                "bytes": self.message.text.len(),
                "thought": self.message.thought.len(),
                "text": self.message.answer().len(),
            },
            "tables": self.tables.iter().map(table_json).collect::<Vec<_>>(),
            "checks": self.checks.to_json(),
            "memory": {
                "engine": self.memory.engine,
                "allocations_making": self.memory.making,
                "allocations_before_held": self.memory.before_held,
                "bytes_before_held": self.memory.bytes_before_held,
                "longest_held": self.memory.longest_held,
                "peak": self.memory.peak,
            },
            "targets": targets_json(&self.targets),
        })
    }
}

pub fn print_targets(targets: &[Target]) {
    println!("\ntargets\n");
    for target in targets {
        println!(
            "{:<40} {:<44} {:<24} {}",
            target.name,
            target.reached,
            target.wanted,
            if target.met { "yes" } else { "NO" },
        );
    }
}

pub fn targets_json(targets: &[Target]) -> Value {
    let target = |target: &Target| {
        json!({
            "name": target.name,
            "reached": target.reached,
            "wanted": target.wanted,
            "met": target.met,
        })
    };
    targets.iter().map(target).collect()
}

fn table_json(table: &Table) -> Value {
    json!({
        "cut": table.cut.name,
        "chunks": table.chunks,
        "rows": table.rows.iter().map(|row| json!({
            "name": row.name,
            "ns_per_chunk": row.ns_per_chunk,
            "spread": row.spread,
            "mb_per_s": row.mb_per_s,
            "allocations": row.allocations,
            "allocations_per_chunk": row.allocations_per_chunk,
            "to_tagstream": row.to_tagstream,
            "to_memchr": row.to_memchr,
            "thought": row.tally.thought,
            "text": row.tally.text,
            "markup": row.tally.markup,
            "right": row.right,
        })).collect::<Vec<_>>(),
    })
}

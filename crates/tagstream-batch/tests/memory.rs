//! Memory does not grow with the files.

mod support;

use peak_alloc::PeakAlloc;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use support::{folder, run};
use tagstream_batch::{Settings, Subject};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn write(path: &Path, records: usize) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let words = "some words that fill the message ".repeat(15);
    for n in 0..records {
        writeln!(
            out,
            "{{\"id\":{n},\"answer\":\"<think>{n} {words}</think>{words}\"}}"
        )
        .unwrap();
    }
}

#[test]
fn a_file_four_times_as_large_takes_no_more_memory() {
    let folder = folder("memory");
    let mut settings = Settings::field("answer");
    (settings.block_bytes, settings.threads) = (1 << 15, 2);
    let mut peaks = Vec::new();
    for records in [6_000, 24_000] {
        let [input, parquet] =
            ["in.jsonl", "out.parquet"].map(|name| folder.join(format!("{records}-{name}")));
        write(&input, records);
        // In Parquet, the lines are in the column `record`: any text will do.
        for (from, field, to) in [
            (&input, "answer", "out.jsonl"),
            (&input, "answer", "out.jsonl.zst"),
            (&input, "answer", "out.parquet"),
            (&parquet, "record", "again.parquet"),
            (&parquet, "record", "again.jsonl"),
        ] {
            settings.subject = Subject::Field(field.to_owned());
            HEAP.reset_peak_usage();
            let before = HEAP.current_usage();
            run(&settings, from, &folder.join(format!("{records}-{to}"))).unwrap();
            peaks.push((to, HEAP.peak_usage() - before));
        }
    }
    let (small, large) = peaks.split_at(peaks.len() / 2);
    for ((name, small), (_, large)) in small.iter().zip(large) {
        let input = fs::metadata(folder.join("24000-in.jsonl")).unwrap().len() as usize;
        assert!(
            *large < small + small / 3,
            "{name}: {small} and {large} bytes"
        );
        assert!(*large < input / 2, "{name}: {large} bytes of {input}");
    }
}

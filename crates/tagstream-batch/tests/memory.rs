//! Memory does not grow with the files.

mod support;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use peak_alloc::PeakAlloc;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use support::{folder, run};
use tagstream_batch::{Settings, Subject};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The heap is that of all tests of this file: one at a time.
static MEASURED: Mutex<()> = Mutex::new(());

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
    let _alone = MEASURED.lock();
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

/// A text that all rows share is in a Parquet file once, and in an array of dictionary keys, too.
#[test]
fn texts_that_are_encoded_once_take_no_memory_for_all_rows() {
    const ROWS: usize = 1_200;
    let _alone = MEASURED.lock();
    let folder = folder("shared");
    let text = format!(
        "<think>plan</think>{}",
        "a prompt of many words ".repeat(2_000)
    );
    let decoded_bytes = text.len() * ROWS;
    // Before them, many short rows, which say nothing about the long ones.
    let mut texts: Vec<_> = (0..5_000).map(|n| n.to_string()).collect();
    texts.extend(std::iter::repeat_n(text, ROWS));
    let texts = || texts.iter().map(String::as_str);
    let columns: [(&str, ArrayRef); 2] = [
        ("strings", Arc::new(StringArray::from_iter_values(texts()))),
        (
            "keys",
            Arc::new(texts().collect::<DictionaryArray<Int32Type>>()),
        ),
    ];
    for (name, column) in columns {
        let input = folder.join(format!("{name}.parquet"));
        let batch = RecordBatch::try_from_iter([("answer", column)]).unwrap();
        let file = File::create(&input).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        drop(batch);
        let mut settings = Settings::field("answer");
        (settings.block_bytes, settings.threads) = (1 << 15, 2);
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        let summary = run(&settings, &input, &folder.join(format!("{name}.jsonl"))).unwrap();
        let peak = HEAP.peak_usage() - before;
        assert_eq!(summary.records as usize, 5_000 + ROWS);
        assert!(
            peak < decoded_bytes / 2,
            "{name}: {peak} of {decoded_bytes}"
        );
    }
}

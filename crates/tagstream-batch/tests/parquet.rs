//! Parquet: the same records as JSON Lines, in row groups, with resume.

mod support;

use arrow_array::builder::{BinaryBuilder, Int64Builder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray, TimestampMicrosecondArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use support::{StopAfter, folder, policy, read, run, small};
use tagstream_batch::{Batch, Quiet, Settings};

/// Writes columns, in row groups of 40 rows.
fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(40))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Answers with thinking; every seventh is null.
fn answers(count: usize) -> Vec<(&'static str, ArrayRef)> {
    let mut ids = Int64Builder::new();
    let answer = |n: usize| (n % 7 != 5).then(|| format!("<think>t{n}</think>a \"{n}\"\n"));
    (0..count).for_each(|n| ids.append_value(n as i64));
    let texts: StringArray = (0..count).map(answer).collect();
    vec![("id", Arc::new(ids.finish())), ("answer", Arc::new(texts))]
}

/// The rows of a file as JSON, through another reader.
fn rows(path: &Path) -> Vec<Value> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mut writer = arrow_json::WriterBuilder::new()
        .with_explicit_nulls(true)
        .build::<_, arrow_json::writer::LineDelimited>(Vec::new());
    for batch in reader.build().unwrap() {
        writer.write(&batch.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let text = String::from_utf8(writer.into_inner()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn settings() -> Settings {
    small(Settings::field("answer"))
}

#[test]
fn columns_are_added_and_rows_keep_their_order() {
    let folder = folder("parquet-order");
    let (input, output) = (folder.join("in.parquet"), folder.join("out.parquet"));
    write(&input, answers(100));
    let summary = run(&settings(), &input, &output).unwrap();
    let rows = rows(&output);
    assert_eq!((rows.len(), summary.records, summary.nulls), (100, 100, 14));
    for (n, row) in rows.iter().enumerate() {
        assert_eq!(row["id"], n);
        assert_eq!(row["error"], Value::Null);
        if n % 7 == 5 {
            assert_eq!(
                (&row["content"], &row["thoughts"]),
                (&Value::Null, &json!([]))
            );
        } else {
            assert_eq!(row["content"], format!("a \"{n}\"\n"));
            assert_eq!(row["thoughts"], json!([format!("t{n}")]));
            assert_eq!(
                (&row["tool_calls"], &row["notices"]),
                (&json!([]), &json!([]))
            );
        }
    }
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        2,
        "nothing else is left"
    );
}

#[test]
fn threads_change_nothing() {
    let folder = folder("parquet-threads");
    let input = folder.join("in.parquet");
    write(&input, answers(300));
    let outputs = [1, 2, 4].map(|threads| {
        let output = folder.join(format!("{threads}.parquet"));
        let mut settings = settings();
        settings.threads = threads;
        (
            run(&settings, &input, &output).unwrap(),
            fs::read(&output).unwrap(),
        )
    });
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn formats_can_be_converted_into_each_other() {
    let folder = folder("parquet-convert");
    let input = folder.join("in.parquet");
    write(&input, answers(50));
    let direct = folder.join("direct.parquet");
    run(&settings(), &input, &direct).unwrap();
    // The same rows as JSON Lines.
    let lines = folder.join("out.jsonl");
    run(&settings(), &input, &lines).unwrap();
    assert_eq!(read(&lines), rows(&direct));
    // And back, with a line that is not JSON and one that is not UTF-8.
    let mut text = fs::read(&lines).unwrap();
    text.extend(b"not JSON\n\"\xff\"\n");
    fs::write(&lines, text).unwrap();
    let back = folder.join("back.parquet");
    let summary = run(&settings(), &lines, &back).unwrap();
    let (back, expected) = (rows(&back), read_strings(&lines));
    assert_eq!((back.len(), summary.bad), (52, 2));
    for (row, line) in back.iter().zip(&expected).take(50) {
        assert_eq!(row["record"], *line);
        let record: Value = serde_json::from_str(line).unwrap();
        for name in ["content", "thoughts", "tool_calls", "notices", "error"] {
            assert_eq!(row[name], record[name], "{name}");
        }
    }
    assert_eq!(back[50]["record"], "not JSON");
    let place = format!("{}:51: ", lines.display());
    assert!(
        back[50]["error"].as_str().unwrap().starts_with(&place),
        "{}",
        back[50]
    );
    assert_eq!(back[51]["record"], "{\"record_hex\":\"22ff22\"}");
}

#[test]
fn a_column_may_be_a_dictionary_even_without_values() {
    let folder = folder("parquet-dictionary");
    let texts = [Some("<think>t</think>a"), None, Some("b")];
    for (name, texts) in [("some", texts), ("none", [None; 3])] {
        let input = folder.join(format!("{name}.parquet"));
        let column: DictionaryArray<Int32Type> = texts.into_iter().collect();
        write(&input, vec![("answer", Arc::new(column) as ArrayRef)]);
        let output = folder.join(format!("{name}-out.parquet"));
        run(&settings(), &input, &output).unwrap();
        let contents: Vec<_> = rows(&output)
            .iter()
            .map(|row| row["content"].clone())
            .collect();
        let expected =
            texts.map(|text| text.map(|text| text.trim_start_matches("<think>t</think>")));
        assert_eq!(json!(contents), json!(expected), "{name}");
    }
}

fn read_strings(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap();
    String::from_utf8_lossy(&text)
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_row_that_is_not_text_is_passed_on_with_its_error() {
    let folder = folder("parquet-bad");
    let (input, output) = (folder.join("in.parquet"), folder.join("out.parquet"));
    let mut texts = BinaryBuilder::new();
    for n in 0..100 {
        texts.append_value(if n == 77 {
            &b"\xff"[..]
        } else {
            b"<think>a</think>b"
        });
    }
    let texts: ArrayRef = Arc::new(texts.finish());
    write(&input, vec![("answer", texts)]);
    let summary = run(&settings(), &input, &output).unwrap();
    let rows = rows(&output);
    assert_eq!((rows.len(), summary.bad, summary.messages), (100, 1, 99));
    let error = format!("{}: row 78: the text is not UTF-8", input.display());
    assert_eq!(rows[77]["error"], error);
    assert_eq!(
        (&rows[77]["answer"], &rows[77]["content"]),
        (&json!("ff"), &Value::Null)
    );
    assert_eq!(rows[76]["content"], "b");
}

#[test]
fn a_column_that_is_missing_or_not_text_is_reported() {
    let folder = folder("parquet-columns");
    let (input, output) = (folder.join("in.parquet"), folder.join("out.parquet"));
    write(&input, answers(3));
    let error = run(&Settings::field("reply"), &input, &output)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("there is no column `reply`; there are id, answer"),
        "{error}"
    );
    let error = run(&Settings::field("id"), &input, &output)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("the column `id` has type Int64, not text"),
        "{error}"
    );
    let error = run(&Settings::messages("id"), &input, &output)
        .unwrap_err()
        .to_string();
    assert!(error.contains("a list of structs, or JSON text"), "{error}");
    assert!(!output.exists());
}

#[test]
fn columns_of_the_added_names_are_replaced() {
    let folder = folder("parquet-replaced");
    let (input, once) = (folder.join("in.parquet"), folder.join("once.parquet"));
    write(&input, answers(30));
    run(&settings(), &input, &once).unwrap();
    let twice = folder.join("twice.parquet");
    let summary = run(&settings(), &once, &twice).unwrap();
    assert_eq!((summary.replaced, rows(&once)), (30, rows(&twice)));
}

#[test]
fn bytes_that_a_column_would_replace_are_refused() {
    let folder = folder("parquet-bytes");
    let (input, output) = (folder.join("in.parquet"), folder.join("out.parquet"));
    let mut bytes = BinaryBuilder::new();
    bytes.append_value(b"\xff\xfeabc");
    write(&input, vec![("content", Arc::new(bytes.finish()))]);
    let error = run(&Settings::field("content"), &input, &output).unwrap_err();
    assert!(error.to_string().contains("--prefix"), "{error}");
    let mut settings = Settings::field("content");
    settings.prefix = "clean_".to_owned();
    assert_eq!(run(&settings, &input, &output).unwrap().bad, 1);
}

#[test]
fn the_metadata_of_a_file_and_the_zones_of_times_are_kept() {
    let folder = folder("parquet-metadata");
    let input = folder.join("in.parquet");
    let times = TimestampMicrosecondArray::from(vec![0]).with_timezone("UTC");
    let texts = StringArray::from(vec!["a"]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("time", Arc::new(times)), ("answer", Arc::new(texts))];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let metadata = HashMap::from([("pandas".to_owned(), "index".to_owned())]);
    let schema = rows
        .schema()
        .as_ref()
        .clone()
        .with_metadata(metadata.clone());
    let rows = rows.with_schema(Arc::new(schema)).unwrap();
    let file = File::create(&input).unwrap();
    let mut writer = ArrowWriter::try_new(file, rows.schema(), None).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    let output = folder.join("out.parquet");
    run(&settings(), &input, &output).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&output).unwrap()).unwrap();
    assert_eq!(reader.schema().metadata(), &metadata);
    let lines = folder.join("out.jsonl");
    run(&settings(), &input, &lines).unwrap();
    assert_eq!(read(&lines)[0]["time"], "1970-01-01T00:00:00Z");
}

#[test]
fn files_without_rows_stay_such() {
    let folder = folder("parquet-empty");
    let (input, output) = (folder.join("in.parquet"), folder.join("out.parquet"));
    write(&input, answers(0));
    run(&settings(), &input, &output).unwrap();
    assert_eq!(rows(&output), Vec::<Value>::new());
    fs::write(folder.join("in.jsonl"), "").unwrap();
    for name in ["a.parquet", "a.jsonl", "a.jsonl.gz"] {
        run(&settings(), &folder.join("in.jsonl"), &folder.join(name)).unwrap();
    }
    assert_eq!(rows(&folder.join("a.parquet")), Vec::<Value>::new());
}

/// Conversations as lines; the third is not a list.
fn conversations() -> Vec<Value> {
    let messages = |n: usize| {
        json!([
            {"role": "user", "content": format!("Q{n}")},
            {"role": "assistant", "content": format!("<think>t{n}</think>A{n}</think>")},
        ])
    };
    let mut lines: Vec<_> = (0..20)
        .map(|n| json!({"id": n, "messages": messages(n)}))
        .collect();
    lines[2]["messages"] = Value::Null;
    lines
}

#[test]
fn messages_are_cleaned_as_lists_of_structs_and_as_text() {
    let folder = folder("parquet-messages");
    let jsonl = folder.join("in.jsonl");
    let text: String = conversations()
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&jsonl, &text).unwrap();
    let settings = small(Settings::messages("messages"));
    run(&settings, &jsonl, &folder.join("out.jsonl")).unwrap();
    let expected = read(&folder.join("out.jsonl"));
    assert_eq!(expected[1]["messages"][1]["reasoning_content"], "t1");

    // A list of structs gets fields that are null where nothing was found.
    let schema = arrow_json::reader::infer_json_schema(text.as_bytes(), None)
        .unwrap()
        .0;
    let mut reader = arrow_json::ReaderBuilder::new(Arc::new(schema))
        .build(text.as_bytes())
        .unwrap();
    let batch = reader.next().unwrap().unwrap();
    let column = |name: &str| batch.column_by_name(name).unwrap().clone();
    let structs = folder.join("structs.parquet");
    write(
        &structs,
        vec![("messages", column("messages")), ("id", column("id"))],
    );
    run(&settings, &structs, &folder.join("structs-out.parquet")).unwrap();
    let cleaned = rows(&folder.join("structs-out.parquet"));

    // Text stays text.
    let texts: StringArray = conversations()
        .iter()
        .map(|line| Some(line["messages"].to_string()))
        .collect();
    let text = folder.join("text.parquet");
    write(&text, vec![("messages", Arc::new(texts) as ArrayRef)]);
    let summary = run(&settings, &text, &folder.join("text-out.parquet")).unwrap();
    assert_eq!(
        (summary.records, summary.messages, summary.bad),
        (20, 19, 1)
    );
    let as_text = rows(&folder.join("text-out.parquet"));

    for (n, line) in expected.iter().enumerate() {
        assert_eq!(cleaned[n]["notices"], line["notices"], "{n}");
        assert_eq!(as_text[n]["notices"], line["notices"], "{n}");
        let error = cleaned[n]["error"].as_str();
        assert_eq!(error.is_some(), n == 2, "{error:?}");
        assert!(error.is_none_or(|error| error.ends_with("row 3: the messages are not a list")));
        let parsed: Value = serde_json::from_str(as_text[n]["messages"].as_str().unwrap()).unwrap();
        assert_eq!(parsed, line["messages"], "{n}");
        for (got, wanted) in cleaned[n]["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .zip(line["messages"].as_array().into_iter().flatten())
        {
            for name in ["role", "content", "reasoning_content", "tool_calls"] {
                assert_eq!(
                    got[name],
                    *wanted.get(name).unwrap_or(&Value::Null),
                    "{n} {name}"
                );
            }
        }
    }
    assert_eq!(cleaned[0]["messages"][1]["content"], "A0");
}

#[test]
fn a_run_that_is_interrupted_anywhere_is_resumed_without_loss() {
    let folder = folder("parquet-resume");
    let input = folder.join("in.parquet");
    write(&input, answers(200));
    let whole = folder.join("whole.parquet");
    let expected = run(&settings(), &input, &whole).unwrap();
    let mut stops = 0;
    for stop in 0.. {
        let output = folder.join(format!("{stop}.parquet"));
        let batch = |resume| {
            let mut settings = settings();
            (settings.resume, settings.threads) = (resume, 2);
            Batch::new(&policy(), settings)
        };
        let inputs = [input.clone()];
        if batch(false)
            .run(&inputs, &output, &mut StopAfter(stop))
            .is_ok()
        {
            break;
        }
        stops += 1;
        assert!(!output.exists(), "a file appears only when it is whole");
        let summary = batch(true).run(&inputs, &output, &mut Quiet).unwrap();
        assert_eq!(summary, expected, "{stop}");
        assert_eq!(rows(&output), rows(&whole), "{stop}");
    }
    assert!(stops > 5, "{stops}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2 + stops + 1);
}

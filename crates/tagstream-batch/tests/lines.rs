//! JSON Lines: order, threads, codecs, bad records, and resuming at every block.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{StopAfter, folder, policy, read, run, small};
use tagstream_batch::{BadRecord, Batch, BatchError, Observer, Quiet, Settings};

/// Records, some of them bad, with blank lines between them.
fn records(count: usize) -> String {
    let record = |n: usize| match n % 7 {
        3 => format!("{{\"id\":{n},\"answer\":\"cut"),
        5 => format!("{{\"id\":{n}}}\n"),
        _ => format!("{{\"id\":{n},\"answer\":\"<think>t{n}</think>a \\\"{n}\\\"\\n\"}}"),
    };
    (0..count).map(|n| record(n) + "\n").collect()
}

fn settings() -> Settings {
    small(Settings::field("answer"))
}

#[test]
fn every_record_comes_out_in_order_and_bad_ones_with_their_error() {
    let folder = folder("order");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    fs::write(&input, records(100)).unwrap();
    let summary = run(&settings(), &input, &output).unwrap();
    let lines = read(&output);
    assert_eq!((lines.len(), summary.records), (100, 100));
    for (n, line) in lines.iter().enumerate() {
        let error = line["error"].as_str();
        match n % 7 {
            3 => assert_eq!(line["record"], format!("{{\"id\":{n},\"answer\":\"cut")),
            5 => assert!(error.unwrap().ends_with("there is no field `answer`")),
            _ => {
                assert_eq!(
                    (&line["content"], error),
                    (&format!("a \"{n}\"\n").into(), None)
                );
                assert_eq!(line["thoughts"][0], format!("t{n}"));
            }
        }
        if n % 7 == 3 {
            // A blank line follows each record without a field.
            let number = n + 1 + (n + 1) / 7;
            let place = format!("{}:{number}: ", input.display());
            assert!(error.unwrap().starts_with(&place), "{error:?} {place}");
        } else {
            assert_eq!(line["id"], n);
        }
    }
    assert_eq!(
        summary.bad,
        lines.iter().filter(|line| !line["error"].is_null()).count() as u64
    );
    assert_eq!(summary.messages + summary.bad, 100);
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        2,
        "nothing else is left"
    );
}

#[test]
fn a_bad_record_of_messages_keeps_its_own_fields() {
    let folder = folder("bad-messages");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    let record = json!({"content": 1, "thoughts": 2, "tool_calls": 3, "messages": 4});
    fs::write(&input, format!("{record}\n")).unwrap();
    run(&small(Settings::messages("messages")), &input, &output).unwrap();
    let line = &read(&output)[0];
    for (name, value) in record.as_object().unwrap() {
        assert_eq!(&line[name], value, "{name}");
    }
    let error = line["error"].as_str().unwrap();
    assert!(
        error.ends_with("in.jsonl:1: the messages are not a list"),
        "{error}"
    );
}

#[test]
fn threads_and_the_size_of_blocks_change_nothing() {
    let folder = folder("threads");
    let input = folder.join("in.jsonl");
    fs::write(&input, records(300)).unwrap();
    let mut outputs = Vec::new();
    for (threads, block_bytes) in [(1, 1 << 20), (1, 1), (2, 64), (2, 1 << 20), (4, 333)] {
        let output = folder.join(format!("{threads}-{block_bytes}.jsonl"));
        let mut settings = settings();
        (settings.threads, settings.block_bytes) = (threads, block_bytes);
        let summary = run(&settings, &input, &output).unwrap();
        outputs.push((fs::read(&output).unwrap(), summary));
    }
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn codecs_can_be_mixed() {
    let folder = folder("codecs");
    let first = folder.join("a.jsonl");
    fs::write(&first, records(50).replace("\"cut", "\"whole\"}")).unwrap();
    let mut previous = first.clone();
    // Each is made from the one before; what is added is replaced by the same.
    let names = [
        "b.jsonl",
        "c.jsonl.gz",
        "d.jsonl.zst",
        "e.ndjson.gz",
        "f.jsonl",
    ];
    for name in names {
        let output = folder.join(name);
        run(&settings(), &previous, &output).unwrap();
        previous = output;
    }
    let without_errors = |name: &str| {
        let mut lines = read(&folder.join(name));
        lines
            .iter_mut()
            .for_each(|line| line["error"] = Value::Null);
        lines
    };
    assert_eq!(without_errors("b.jsonl"), without_errors("f.jsonl"));
}

#[test]
fn a_run_that_is_interrupted_anywhere_is_resumed_without_loss() {
    let folder = folder("resume");
    let inputs = folder.join("in");
    fs::create_dir(&inputs).unwrap();
    fs::write(inputs.join("a.jsonl"), records(30)).unwrap();
    fs::write(inputs.join("b.jsonl"), records(20)).unwrap();
    let whole = folder.join("whole");
    let expected = run(&settings(), &inputs, &whole).unwrap();
    // With 250 bytes between two entries of the journal, blocks are lost and done again.
    for (threads, commit_bytes) in [(1, 1), (2, 250)] {
        let mut settings = settings();
        (settings.threads, settings.commit_bytes) = (threads, commit_bytes);
        let mut stops = 0;
        for stop in 0.. {
            let output = folder.join(format!("{threads}-{stop}"));
            let batch = |resume, overwrite| {
                let mut settings = settings.clone();
                (settings.resume, settings.overwrite) = (resume, overwrite);
                Batch::new(&policy(), settings)
            };
            let inputs = [inputs.clone()];
            if batch(false, false)
                .run(&inputs, &output, &mut StopAfter(stop))
                .is_ok()
            {
                break;
            }
            stops += 1;
            // Whatever is visible is whole.
            for name in ["a.jsonl", "b.jsonl"].map(|name| output.join(name)) {
                let full = whole.join(name.file_name().unwrap());
                assert!(!name.exists() || fs::read(&name).unwrap() == fs::read(full).unwrap());
            }
            // It is interrupted once more, unless so little was left that this run ends.
            let again = batch(true, false).run(&inputs, &output, &mut StopAfter(1));
            let last = batch(true, false)
                .run(&inputs, &output, &mut Quiet)
                .unwrap();
            let summary = match again {
                Ok(summary) => {
                    assert_eq!(
                        (last.uncounted, last.records),
                        (2, 0),
                        "nothing is done twice"
                    );
                    summary
                }
                Err(_) => last,
            };
            for name in ["a.jsonl", "b.jsonl"] {
                let got = fs::read_to_string(output.join(name)).unwrap();
                assert_eq!(
                    got,
                    fs::read_to_string(whole.join(name)).unwrap(),
                    "{stop} {name}"
                );
            }
            assert_eq!(summary, expected, "{threads} {stop}");
            assert_eq!(
                fs::read_dir(&output).unwrap().count(),
                2,
                "nothing else is left"
            );
        }
        assert!(stops > 15, "{stops}");
    }
}

#[test]
fn a_resumed_run_must_have_the_same_input_and_settings() {
    let folder = folder("changed");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    fs::write(&input, records(30)).unwrap();
    let batch = Batch::new(&policy(), settings());
    let stopped = batch.run(std::slice::from_ref(&input), &output, &mut StopAfter(3));
    assert!(stopped.unwrap_err().to_string().contains("interrupted"));
    let mut resumed = settings();
    (resumed.resume, resumed.prefix) = (true, "x_".to_owned());
    let error = run(&resumed, &input, &output).unwrap_err().to_string();
    assert!(error.contains("other settings"), "{error}");
    resumed.prefix.clear();
    fs::write(&input, records(31)).unwrap();
    let error = run(&resumed, &input, &output).unwrap_err().to_string();
    assert!(error.contains("has changed"), "{error}");
}

#[test]
fn output_that_exists_is_kept() {
    let folder = folder("exists");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    fs::write(&input, records(3)).unwrap();
    fs::write(&output, "mine").unwrap();
    let error = run(&settings(), &input, &output).unwrap_err().to_string();
    assert!(error.contains("--overwrite"), "{error}");
    assert_eq!(fs::read_to_string(&output).unwrap(), "mine");
}

#[test]
fn a_bad_record_loses_nothing_to_the_added_columns() {
    let folder = folder("bad-kept");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    let records = [
        r#"{"id":1,"content":["a","b"]}"#,
        r#"{"content":"precious","error":"mine"}"#,
    ];
    for (record, field) in records.into_iter().zip(["content", "answer"]) {
        fs::write(&input, record).unwrap();
        let mut settings = small(Settings::field(field));
        settings.overwrite = true;
        assert_eq!(run(&settings, &input, &output).unwrap().bad, 1);
        assert_eq!(read(&output)[0]["record"], record);
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_record() {
    let folder = folder("bom");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    fs::write(&input, format!("\u{feff}{}", records(3))).unwrap();
    assert_eq!(run(&settings(), &input, &output).unwrap().bad, 0);
    assert_eq!(read(&output)[0]["id"], 0);
}

/// Two files, and a run over them that was interrupted in the second.
fn interrupted_in_the_second(name: &str) -> (PathBuf, PathBuf) {
    let folder = folder(name);
    let (input, output) = (folder.join("in"), folder.join("out"));
    fs::create_dir(&input).unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        fs::write(input.join(name), records(20)).unwrap();
    }
    let batch = Batch::new(&policy(), settings());
    let inputs = [input.clone()];
    for blocks in 0.. {
        let _ = fs::remove_dir_all(&output);
        let stopped = batch.run(&inputs, &output, &mut StopAfter(blocks));
        stopped.unwrap_err();
        if output.join("a.jsonl").exists() {
            break;
        }
    }
    assert!(!output.join("b.jsonl").exists());
    (input, output)
}

fn resume(input: &Path, output: &Path) -> tagstream_batch::Summary {
    let mut settings = settings();
    settings.resume = true;
    run(&settings, input, output).unwrap()
}

#[test]
fn a_complete_output_that_is_gone_is_written_again() {
    let (input, output) = interrupted_in_the_second("gone");
    fs::remove_file(output.join("a.jsonl")).unwrap();
    assert_eq!(resume(&input, &output).records, 40);
    assert!(output.join("a.jsonl").exists());
}

#[test]
fn a_resumed_run_takes_no_output_that_is_to_be_replaced_for_complete() {
    let (input, output) = interrupted_in_the_second("replaced");
    resume(&input, &output);
    fs::write(output.join("b.jsonl"), "old").unwrap();
    let mut settings = settings();
    settings.overwrite = true;
    let batch = Batch::new(&policy(), settings);
    let inputs = [input.clone()];
    batch.run(&inputs, &output, &mut StopAfter(2)).unwrap_err();
    resume(&input, &output);
    assert_eq!(read(&output.join("b.jsonl")).len(), 20);
}

#[test]
fn an_empty_journal_begins_the_file_anew() {
    let (input, output) = interrupted_in_the_second("empty-journal");
    fs::write(output.join(".b.jsonl.tagstream-journal"), "").unwrap();
    assert_eq!(resume(&input, &output).records, 40);
    assert_eq!(read(&output.join("b.jsonl")).len(), 20);
}

#[test]
fn the_output_folder_is_no_input_and_links_are_followed_once() {
    let folder = folder("inside");
    fs::write(folder.join("a.jsonl"), records(3)).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder, folder.join("self")).unwrap();
    let output = folder.join("clean");
    assert_eq!(run(&settings(), &folder, &output).unwrap().files, 1);
    assert_eq!(resume(&folder, &output).uncounted, 1);
    assert!(!output.join("clean").exists());
}

#[test]
fn several_inputs_need_a_directory() {
    let folder = folder("several");
    fs::write(folder.join("a.jsonl"), records(3)).unwrap();
    for output in [folder.join("all.jsonl"), PathBuf::from("-")] {
        run(&settings(), &folder, &output).unwrap_err();
        assert!(!output.exists());
    }
}

/// Collects what is reported.
#[derive(Default)]
struct Reports {
    records: Vec<String>,
    files: Vec<String>,
}

impl Observer for Reports {
    fn bad_record(&mut self, record: &BadRecord) {
        self.records.push(record.error.clone());
    }

    fn bad_file(&mut self, error: &BatchError) {
        self.files.push(error.to_string());
    }
}

/// A folder of files that are each less than a block; returns the names of the files, in order.
fn small_files(folder: &Path) -> Vec<String> {
    fs::create_dir(folder).unwrap();
    let names: Vec<_> = (0..30).map(|n| format!("{n:02}.jsonl")).collect();
    for (n, name) in names.iter().enumerate() {
        fs::write(folder.join(name), records(n)).unwrap();
    }
    names
}

#[test]
fn small_files_are_dealt_with_side_by_side_and_reported_in_order() {
    let folder = folder("small-files");
    let input = folder.join("in");
    let names = small_files(&input);
    let mut seen = Vec::new();
    for (threads, block_bytes) in [(1, 100), (1, 1 << 20), (2, 1 << 20), (4, 1 << 20)] {
        let output = folder.join(format!("{threads}-{block_bytes}"));
        let mut settings = settings();
        (settings.threads, settings.block_bytes) = (threads, block_bytes);
        let mut reports = Reports::default();
        let inputs = [input.clone()];
        let summary = Batch::new(&policy(), settings).run(&inputs, &output, &mut reports);
        let contents: Vec<_> = names
            .iter()
            .map(|name| fs::read(output.join(name)).unwrap())
            .collect();
        assert_eq!(
            fs::read_dir(&output).unwrap().count(),
            names.len(),
            "nothing else is left"
        );
        seen.push((summary.unwrap(), contents, reports.records));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(seen[0].0.files, 30);
    assert_eq!(seen[0].2.len() as u64, seen[0].0.bad);
}

#[test]
fn a_run_over_small_files_is_resumed_without_loss() {
    let folder = folder("small-resume");
    let input = folder.join("in");
    let names = small_files(&input);
    let mut settings = settings();
    settings.block_bytes = 1 << 20;
    let whole = folder.join("whole");
    let expected = run(&settings, &input, &whole).unwrap();
    for stop in [0, 1, 7, 29] {
        let output = folder.join(stop.to_string());
        let stopped = Batch::new(&policy(), settings.clone());
        let inputs = [input.clone()];
        stopped
            .run(&inputs, &output, &mut StopAfter(stop))
            .unwrap_err();
        let mut resumed = settings.clone();
        resumed.resume = true;
        assert_eq!(run(&resumed, &input, &output).unwrap(), expected, "{stop}");
        for name in &names {
            let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
            assert!(read(&output) == read(&whole), "{stop} {name}");
        }
        assert_eq!(fs::read_dir(&output).unwrap().count(), names.len());
    }
}

#[test]
fn an_input_that_cannot_be_read_does_not_stop_the_others() {
    for block_bytes in [100, 1 << 20] {
        let folder = folder(&format!("unreadable-{block_bytes}"));
        let (input, output) = (folder.join("in"), folder.join("out"));
        fs::create_dir(&input).unwrap();
        for name in ["a.jsonl", "b.jsonl.gz", "c.jsonl"] {
            fs::write(input.join(name), records(20)).unwrap();
        }
        let mut settings = settings();
        settings.block_bytes = block_bytes;
        let mut reports = Reports::default();
        let inputs = [input.clone()];
        let batch = Batch::new(&policy(), settings.clone());
        let summary = batch.run(&inputs, &output, &mut reports).unwrap();
        assert_eq!((summary.files, summary.failed, summary.records), (2, 1, 40));
        let [error] = &reports.files[..] else {
            panic!("{:?}", reports.files);
        };
        assert!(error.contains("b.jsonl.gz: "), "{error}");
        assert_eq!(
            fs::read_dir(&output).unwrap().count(),
            2,
            "nothing else is left"
        );
        // Alone, it is an error.
        let alone = run(
            &settings,
            &input.join("b.jsonl.gz"),
            &folder.join("b.jsonl"),
        );
        assert_eq!(alone.unwrap_err().to_string(), *error);
        // What was there before is not taken for its output.
        fs::write(output.join("b.jsonl.gz"), "old").unwrap();
        settings.overwrite = true;
        assert_eq!(run(&settings, &input, &output).unwrap().failed, 1);
        // When it can be read, only it is.
        let file = fs::File::create(input.join("b.jsonl.gz")).unwrap();
        let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        file.write_all(records(20).as_bytes()).unwrap();
        file.finish().unwrap();
        (settings.overwrite, settings.resume) = (false, true);
        let summary = run(&settings, &input, &output).unwrap();
        assert_eq!((summary.uncounted, summary.records), (2, 20));
        assert_ne!(fs::read(output.join("b.jsonl.gz")).unwrap(), b"old");
    }
}

#[test]
fn half_a_character_is_read_as_its_replacement() {
    let folder = folder("surrogates");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    let line = r#"{"id":"\ud800","answer":"a\ud83d"}"#;
    fs::write(&input, line).unwrap();
    assert_eq!(run(&settings(), &input, &output).unwrap().bad, 0);
    let text = fs::read_to_string(&output).unwrap();
    let own = line.trim_end_matches('}');
    assert!(
        text.starts_with(&format!("{own},\"content\":\"a\u{fffd}\"")),
        "{text}"
    );
    let chat = folder.join("chat.jsonl");
    let content = r#"[{"role":"assistant","content":"<think>a\ud83d</think>b"}]"#;
    fs::write(&chat, format!("{{\"messages\":{content}}}")).unwrap();
    let cleaned = folder.join("cleaned.jsonl");
    run(&small(Settings::messages("messages")), &chat, &cleaned).unwrap();
    assert_eq!(
        read(&cleaned)[0]["messages"][0]["reasoning_content"],
        "a\u{fffd}"
    );
}

#[test]
fn a_list_is_no_record_and_the_error_says_what_to_do() {
    let folder = folder("lists");
    let (input, output) = (folder.join("in.json"), folder.join("out.jsonl"));
    fs::write(&input, "[{\"answer\":\"a\"},\n{\"answer\":\"b\"}\n]").unwrap();
    let mut reports = Reports::default();
    let batch = Batch::new(&policy(), settings());
    batch.run(&[input], &output, &mut reports).unwrap();
    assert!(reports.records[0].ends_with("`jq -c '.[]'` makes lines of a list"));
}

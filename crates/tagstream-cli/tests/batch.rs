//! `batch`: files in and out, what is reported, and runs that are killed.

#![cfg(feature = "batch")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use support::{command, run};

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("batch-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The arguments of a run, whose paths are in a folder.
fn args<'a>(input: &'a Path, output: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "batch",
        input.to_str().unwrap(),
        "-o",
        output.to_str().unwrap(),
    ];
    args.extend(more);
    args
}

const CALL: &str = r#"<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"#;
const REFUSED: &str = r#"<tool_call>{\"name\":\"now\",\"arguments\":[]}</tool_call>"#;

#[test]
fn the_summary_counts_what_was_found() {
    let folder = folder("summary");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    let answers = [
        format!("<think>plan</think>Hello.{CALL}"),
        format!("{REFUSED}{CALL}"),
        "Well</think>".to_owned(),
    ];
    let mut lines: String = answers
        .iter()
        .map(|text| format!("{{\"answer\":\"{text}\"}}\n"))
        .collect();
    lines += "{\"answer\":null}\nnot JSON\n{\"other\":1}\n";
    fs::write(&input, lines).unwrap();
    let ran = run(
        &args(&input, &output, &["--field", "answer", "--preset", "qwen3"]),
        "",
    );
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let place = input.display();
    let expected = format!(
        "tagstream: {place}:5: expected ident at line 1 column 2\n\
         tagstream: {place}:6: there is no field `answer`\n\
         tagstream: 1 file, 6 records, 2 of them bad: each has its error in the field `error`\n\
         tagstream: 3 messages, 1 thought\n\
         tagstream: calls: 2 accepted, 1 refused (invalid_json 1)\n\
         tagstream: notices: 1 (orphan_close 1)\n"
    );
    assert_eq!(ran.err, expected);
    let strict = [
        "--field",
        "answer",
        "--preset",
        "qwen3",
        "--overwrite",
        "--strict",
    ];
    assert_eq!(run(&args(&input, &output, &strict), "").code, 1);
    let text = fs::read_to_string(&output).unwrap();
    let first = text.lines().next().unwrap();
    assert!(
        first.ends_with(
            r#""content":"Hello.","thoughts":["plan"],"tool_calls":[{"id":"call_0","name":"now","arguments":"{}"}],"notices":[],"error":null}"#
        ),
        "{first}"
    );
}

#[test]
fn directories_keep_their_names() {
    let folder = folder("directories");
    let (input, output) = (folder.join("in"), folder.join("out"));
    fs::create_dir_all(input.join("deep")).unwrap();
    for name in ["a.jsonl", "deep/b.jsonl", "notes.txt"] {
        fs::write(
            input.join(name),
            "{\"messages\":[{\"role\":\"assistant\",\"content\":\"<think>a</think>b\"}]}\n",
        )
        .unwrap();
    }
    let ran = run(&args(&input, &output, &["--messages"]), "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("2 files, 2 records\n"), "{}", ran.err);
    let cleaned = fs::read_to_string(output.join("deep/b.jsonl")).unwrap();
    let expected = r#"{"messages":[{"role":"assistant","content":"b","reasoning_content":"a"}],"notices":[],"error":null}"#;
    assert_eq!(cleaned.trim_end(), expected);
    assert!(!output.join("notes.txt").exists());
}

#[test]
fn mistakes_are_explained() {
    let folder = folder("mistakes");
    let input = folder.join("in.jsonl");
    fs::write(&input, "{\"answer\":\"a\"}\n").unwrap();
    let output = folder.join("out.jsonl");
    let failure = |args: &[&str]| {
        let ran = run(args, "");
        assert_eq!(ran.code, 2, "{}", ran.err);
        ran.err
    };
    assert!(failure(&args(&input, &output, &[])).contains("--field <NAME>"));
    fs::write(&output, "mine").unwrap();
    assert!(
        failure(&args(&input, &output, &["--field", "answer"])).contains("--overwrite replaces it")
    );
    let text = folder.join("out.txt");
    assert!(failure(&args(&input, &text, &["--field", "answer"])).contains(".parquet"));
    for missing in ["missing.jsonl", "missing"] {
        let new = folder.join("new.jsonl");
        let error = failure(&args(&folder.join(missing), &new, &["--field", "answer"]));
        assert!(
            error.contains(&format!("{missing}: does not exist")),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_reported_and_the_others_have_their_output() {
    let folder = folder("unreadable");
    let (input, output) = (folder.join("in"), folder.join("out"));
    fs::create_dir_all(&input).unwrap();
    for name in ["a.jsonl.gz", "b.jsonl"] {
        fs::write(input.join(name), "{\"answer\":\"a\"}\nbad\n").unwrap();
    }
    let flags = ["--field", "answer", "--prefix", "x_"];
    let ran = run(&args(&input, &output, &flags), "");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("a.jsonl.gz: "), "{}", ran.err);
    let counted = "1 file, 2 records, 1 of them bad: each has its error in the field `x_error`\n";
    assert!(ran.err.contains(counted), "{}", ran.err);
    assert!(ran.err.ends_with("does only what is missing\n"));
    assert!(output.join("b.jsonl").exists() && !output.join("a.jsonl.gz").exists());
}

/// `script` runs a command on a terminal.
#[test]
#[cfg(target_os = "linux")]
fn the_progress_bar_is_shown_once_it_has_something_to_say() {
    let folder = folder("progress");
    let (input, output) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    let line = format!("{{\"answer\":\"{}\"}}\n", "word ".repeat(1_000));
    fs::write(&input, line.repeat(1_600)).unwrap();
    let args = args(&input, &output, &["--field", "answer", "--threads", "1"]);
    let line = format!("{} {}", env!("CARGO_BIN_EXE_tagstream"), args.join(" "));
    let mut script = std::process::Command::new("script");
    let ran = script.args(["-qec", &line, "/dev/null"]).output().unwrap();
    let seen = String::from_utf8_lossy(&ran.stdout);
    let frames: Vec<_> = seen
        .split('\r')
        .filter(|frame| frame.contains(" left, "))
        .collect();
    assert!(!frames.is_empty(), "{seen}");
    for frame in frames {
        assert!(
            !frame.contains("left,  records") && !frame.contains(" 0 B/s "),
            "{frame}"
        );
    }
    assert!(seen.contains("1 file, 1600 records"), "{seen}");
}

/// Runs until the file that is being written has this many bytes, and kills the process there. False if
/// it was done before.
fn is_killed(mut child: Child, partial: &Path, at: u64) -> bool {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return false;
        }
        if fs::metadata(partial).is_ok_and(|file| file.len() >= at) {
            child.kill().unwrap();
            return !child.wait().unwrap().success();
        }
        std::thread::yield_now();
    }
}

/// Kills runs at many points, several times each, and compares with a run that was left alone.
fn killed_anywhere(folder: &Path, input: &Path, ending: &str) {
    let whole = folder.join(format!("whole.{ending}"));
    let flags = [
        "--field",
        "answer",
        "--commit-bytes",
        "20000",
        "--threads",
        "2",
    ];
    let ran = run(&args(input, &whole, &flags), "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let size = fs::metadata(&whole).unwrap().len();
    let mut kills = 0;
    for round in 0..6 {
        let output = folder.join(format!("{round}.{ending}"));
        let partial = folder.join(format!(".{round}.{ending}.tagstream-partial"));
        let mut resumed = flags.to_vec();
        for step in 0..4 {
            let at = size * (1 + step * 7 + round) / 34;
            let child = command(&args(input, &output, &resumed)).spawn().unwrap();
            if is_killed(child, &partial, at) {
                assert!(
                    !output.exists() || fs::read(&output).unwrap() == fs::read(&whole).unwrap()
                );
                kills += 1;
            }
            resumed = flags.to_vec();
            resumed.push("--resume");
        }
        let last = run(&args(input, &output, &resumed), "");
        assert_eq!(last.code, 0, "{}", last.err);
        assert!(
            fs::read(&output).unwrap() == fs::read(&whole).unwrap(),
            "round {round}"
        );
    }
    assert!(kills >= 6, "{kills}");
    let hidden = fs::read_dir(folder).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with('.')
    });
    assert_eq!(hidden.count(), 0, "nothing else is left");
}

fn many(folder: &Path) -> PathBuf {
    let input = folder.join("in.jsonl");
    let line = |n: usize| {
        let words = "some words that fill the message ".repeat(20);
        format!("{{\"id\":{n},\"answer\":\"<think>{n} {words}</think>{words}\"}}\n")
    };
    fs::write(&input, (0..6000).map(line).collect::<String>()).unwrap();
    input
}

#[test]
fn a_killed_run_of_lines_is_resumed() {
    let folder = folder("kill-lines");
    killed_anywhere(&folder, &many(&folder), "jsonl");
}

#[test]
fn a_killed_run_to_parquet_is_resumed() {
    let folder = folder("kill-parquet");
    killed_anywhere(&folder, &many(&folder), "parquet");
}

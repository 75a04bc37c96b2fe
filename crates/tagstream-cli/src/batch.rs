//! `batch`: files of logged messages, on all cores.

use crate::args::{Chosen, WhitespaceFlag};
use crate::failure::{Failure, say};
use crate::output::visible;
use crate::stream::Outcome;
use clap::ArgGroup;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::PathBuf;
use tagstream_batch::{BadRecord, Batch, BatchError, Observer, Progress, Settings, Summary};

#[derive(clap::Args)]
#[command(group(ArgGroup::new("what").args(["field", "messages"]).required(true)))]
#[command(after_help = "\
Examples:
  tagstream batch answers.jsonl --field answer -o clean.jsonl
  tagstream batch answers.parquet --field answer --tools tools.json -o clean.parquet
  tagstream batch logs/ --preset qwen3 --messages -o clean/ --resume

A record that cannot be read is reported with its file and line (of Parquet, its row), and passed on with
its error in the field `error`. A file that cannot be read has no output; the others do. Output files appear whole or not at all.")]
pub(crate) struct BatchArgs {
    /// Files or directories to read: .parquet, or JSON Lines (.jsonl), also with .gz and .zst
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// File to write, or directory if there is more than one input file
    #[arg(short, long, value_name = "OUTPUT")]
    output: PathBuf,

    /// Read the text in this field; adds content, thoughts, tool_calls, notices and error
    #[arg(long, value_name = "NAME")]
    field: Option<String>,

    /// Clean the assistant's messages in this list, in OpenAI's form; adds notices and error
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "messages")]
    messages: Option<String>,

    /// Put this before the names of the added fields
    #[arg(long, value_name = "TEXT", default_value = "")]
    prefix: String,

    /// Number of threads; 0: one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,

    /// Continue an interrupted run
    #[arg(long)]
    resume: bool,

    /// Replace output files that exist
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,

    /// How many bytes of output are written between two points that --resume can continue from
    #[arg(long, value_name = "BYTES", hide = true)]
    commit_bytes: Option<u64>,

    /// Exit with status 1 if there was a bad record
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    chosen: Chosen,

    #[command(flatten)]
    whitespace: WhitespaceFlag,
}

pub(crate) fn run(args: &BatchArgs) -> Result<Outcome, Failure> {
    let (profile, policy_name) = args.chosen.for_batch("batch")?;
    let policy = profile.compile().map_err(Failure::because)?;
    let mut settings = match (&args.field, &args.messages) {
        (Some(name), _) => Settings::field(name),
        (None, name) => Settings::messages(name.as_deref().unwrap_or("messages")),
    };
    settings.prefix.clone_from(&args.prefix);
    settings.whitespace = args.whitespace.policy();
    settings.threads = args.threads;
    settings.resume = args.resume;
    settings.overwrite = args.overwrite;
    settings.policy_name = policy_name;
    settings.commit_bytes = args.commit_bytes.unwrap_or(settings.commit_bytes);
    let mut watch = Watch::new();
    let summary = Batch::new(&policy, settings).run(&args.inputs, &args.output, &mut watch);
    let reported = watch.finish();
    let summary = summary.map_err(Failure::because)?;
    print(&summary, reported, &args.prefix);
    if summary.failed > 0 {
        let files = count(summary.failed, "file");
        return Err(Failure::because(format_args!(
            "{files} without output: see above; --resume does only what is missing"
        )));
    }
    if args.strict && summary.bad > 0 {
        return Ok(Outcome::HeldErrors);
    }
    Ok(Outcome::Done)
}

/// Further bad records are only counted: each has its error in the output.
const MAX_REPORTED: u64 = 20;

/// Shows how far the run has come, and bad records.
struct Watch {
    bar: ProgressBar,
    /// How many reports of progress there were.
    reports: u64,
    reported: u64,
}

impl Watch {
    fn new() -> Self {
        let style = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} left, {msg} records";
        let style =
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
        let hidden = ProgressDrawTarget::hidden();
        Watch {
            bar: ProgressBar::with_draw_target(None, hidden).with_style(style),
            reports: 0,
            reported: 0,
        }
    }

    /// Removes the bar; returns how many bad records were reported.
    fn finish(self) -> u64 {
        self.bar.finish_and_clear();
        self.reported
    }
}

impl Observer for Watch {
    fn bad_record(&mut self, record: &BadRecord) {
        if self.reported < MAX_REPORTED {
            self.bar.suspend(|| say(&visible(&record.error)));
            self.reported += 1;
        }
    }

    fn bad_file(&mut self, error: &BatchError) {
        self.bar.suspend(|| say(&visible(&error.to_string())));
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.bar.set_message(progress.records.to_string());
        self.bar.set_length(progress.total_bytes);
        self.bar.set_position(progress.bytes);
        if self.reports == 0 {
            // What an earlier run has done says nothing about how fast this one is.
            self.bar.reset_eta();
            self.bar.reset_elapsed();
        }
        // Only from the second report on is there a rate, and a time that follows from it.
        if self.reports == 1 && io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.reports += 1;
        ControlFlow::Continue(())
    }
}

/// The summary, on standard error: the output is in files.
fn print(summary: &Summary, reported: u64, prefix: &str) {
    if summary.bad > reported {
        say(&format!("{} more bad records", summary.bad - reported));
    }
    let bad = match summary.bad {
        0 => String::new(),
        bad => format!(", {bad} of them bad: each has its error in the field `{prefix}error`"),
    };
    let (files, records) = (
        count(summary.files, "file"),
        count(summary.records, "record"),
    );
    say(&format!("{files}, {records}{bad}"));
    let (messages, thoughts) = (
        count(summary.messages, "message"),
        count(summary.thoughts, "thought"),
    );
    say(&format!("{messages}, {thoughts}"));
    let (refused, notices) = (&summary.refused, &summary.notices);
    say(&format!(
        "calls: {} accepted, {} refused{}",
        summary.calls,
        refused.values().sum::<u64>(),
        by_code(refused)
    ));
    say(&format!(
        "notices: {}{}",
        notices.values().sum::<u64>(),
        by_code(notices)
    ));
    if summary.uncounted > 0 {
        let files = count(summary.uncounted, "file");
        say(&format!(
            "{files} complete before this run; what is in them is not counted"
        ));
    }
    if summary.replaced > 0 {
        let records = count(summary.replaced, "record");
        say(&format!(
            "{records} with a field of the name of an added one, which was replaced; --prefix keeps both"
        ));
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn by_code(counts: &BTreeMap<String, u64>) -> String {
    let each: Vec<_> = counts
        .iter()
        .map(|(code, n)| format!("{code} {n}"))
        .collect();
    if each.is_empty() {
        String::new()
    } else {
        format!(" ({})", each.join(", "))
    }
}

//! `calls --blocks`: the calls of content blocks, through the tool-call buffer.

mod delta;
mod provider;

use crate::args::Common;
use crate::calls::is_first;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::problems::Problems;
use crate::stream::{self, Outcome};
use delta::Delta;
use provider::Provider;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::PathBuf;
use tagstream::view::buffer::{self, BufferErrorKind, BufferOptions, ToolCallBuffer, ToolRules};
use tagstream::{Profile, Tools};
use tagstream_wire::Format;

#[derive(clap::Args)]
pub(crate) struct BlockFlags {
    /// Read content blocks through the tool-call buffer: JSON lines {"index":0,"delta":"…"} and
    /// {"index":0,"stop":true}, or a provider's stream with --from
    #[arg(long)]
    pub(crate) blocks: bool,

    /// With --blocks: stop once this many calls in a row have failed or were repeated
    #[arg(long, value_name = "N", default_value_t = 3, requires = "blocks",
        value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: u32,

    /// With --blocks: refuse further calls of the message
    #[arg(long, value_name = "N", requires = "blocks")]
    max_calls: Option<u64>,

    /// With --blocks: use the rules for well-known tools in this file, in TOML or JSON
    #[arg(long, value_name = "FILE", requires = "blocks")]
    rules: Option<PathBuf>,
}

pub(crate) fn run(common: &Common, flags: &BlockFlags) -> Result<Outcome, Failure> {
    let (mut profile, tools) = common.profile_and_tools("calls")?;
    let options = flags.options(&profile, tools)?;
    let mut input = Input::open(common)?;
    let format = common.format_of(&mut input)?;
    if format == Format::Text {
        if common.chunks {
            return Err(Failure::because(format_args!(
                "--chunks: lines of deltas are chunks already; with --blocks, it is for the stream of \
                 a provider, named with --from"
            )));
        }
        return run_lines(common, &options, input.into_lines());
    }
    // The buffer reads the calls in text.
    profile.calls = None;
    stream::run_input(
        common,
        &profile,
        &mut Provider::new(options)?,
        input,
        format,
    )
}

impl BlockFlags {
    fn options(&self, profile: &Profile, tools: Option<Tools>) -> Result<BufferOptions, Failure> {
        let mut options = BufferOptions::default();
        options.tools = tools;
        if let Some(calls) = &profile.calls {
            options.unwrapped = calls.unwrapped;
            options.decode_entities = calls.decode_entities;
            options.max_calls = calls.max_calls;
        }
        options.limits = profile.limits;
        options.max_attempts = self.max_attempts;
        options.max_calls = self.max_calls.or(options.max_calls);
        if let Some(path) = &self.rules {
            let text = std::fs::read_to_string(path);
            let because = |problem: &dyn std::fmt::Display| {
                Failure::because(format_args!("{}: {problem}", path.display()))
            };
            let text = text.map_err(|error| because(&error))?;
            options.rules = ToolRules::parse(&text).map_err(|error| because(&error))?;
        }
        Ok(options)
    }
}

/// Reads JSON lines of deltas.
fn run_lines(
    common: &Common,
    options: &BufferOptions,
    mut input: Input,
) -> Result<Outcome, Failure> {
    let mut blocks = Blocks::new(options, 0)?;
    let mut out = Output::new();
    let mut problems = Problems::new(common.strict, true);
    let mut number = 0;
    while !blocks.is_over()
        && let Some(line) = input.next()?
    {
        let delta = Delta::read(line);
        let delta = delta
            .map_err(|problem| Failure::because(format_args!("{}: {problem}", input.place())))?;
        blocks.take(&delta, &mut out);
        blocks.report(&mut problems);
        if common.mark {
            out.mark(Some(number));
        }
        out.flush()?;
        number += 1;
    }
    blocks.end();
    blocks.report(&mut problems);
    if common.mark {
        out.mark(None);
    }
    out.flush()?;
    Ok(problems.outcome())
}

/// A call as it is printed.
#[derive(Serialize)]
struct Line<'a> {
    index: u64,
    id: &'a str,
    name: &'a str,
    arguments: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    fixes: &'a [String],
    #[serde(skip_serializing_if = "is_first")]
    choice: u64,
}

/// The blocks of one message.
struct Blocks {
    buffer: ToolCallBuffer,
    choice: u64,
    max_attempts: u32,
    /// Blocks that have begun and not stopped.
    open: BTreeSet<u64>,
    /// What is wrong, and has not been reported yet.
    wrong: Vec<String>,
    has_too_many: bool,
    is_over: bool,
}

impl Blocks {
    fn new(options: &BufferOptions, choice: u64) -> Result<Self, Failure> {
        Ok(Blocks {
            buffer: ToolCallBuffer::new(options).map_err(Failure::because)?,
            choice,
            max_attempts: options.max_attempts,
            open: BTreeSet::new(),
            wrong: Vec::new(),
            has_too_many: false,
            is_over: false,
        })
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn take(&mut self, delta: &Delta, out: &mut Output) {
        if let Some(tool) = &delta.tool {
            self.start(delta.index, tool, delta.tool_id.as_deref());
        }
        if let Some(text) = &delta.delta {
            self.push(delta.index, text, delta.tool_id.as_deref());
        }
        if delta.stop {
            self.stop(delta.index, out);
        }
    }

    fn start(&mut self, index: u64, tool: &str, id: Option<&str>) {
        self.open.insert(index);
        self.buffer.process_content_block_start(index, tool, id);
    }

    fn push(&mut self, index: u64, text: &str, id: Option<&str>) {
        self.open.insert(index);
        self.buffer.process_content_block_delta(index, text, id);
    }

    fn stop(&mut self, index: u64, out: &mut Output) {
        self.open.remove(&index);
        if self.is_over {
            return;
        }
        for outcome in self.buffer.process_content_block_stop(index) {
            self.print(&outcome, out);
        }
        if self.buffer.should_break_execution() {
            self.is_over = true;
            self.wrong.push(self.why_over());
        }
    }

    fn print(&mut self, outcome: &buffer::Outcome, out: &mut Output) {
        match outcome {
            Ok(call) => out.json(&Line {
                index: call.index,
                id: &call.id,
                name: &call.name,
                arguments: &call.arguments,
                fixes: &call.fixes,
                choice: self.choice,
            }),
            Err(error) => {
                self.has_too_many |= error.kind == BufferErrorKind::Limit;
                let name = error.name.as_deref();
                let name = name.map_or(String::new(), |name| format!(" of `{name}`"));
                let (index, id) = (error.index, &error.id);
                self.wrong.push(format!(
                    "block {index}: call {id}{name} was refused: {error}"
                ));
            }
        }
    }

    fn why_over(&self) -> String {
        if self.has_too_many {
            return "stopped: the message has too many calls".to_owned();
        }
        let most = self.max_attempts;
        format!("stopped: {most} calls in a row failed or were repeated")
    }

    /// The input has ended. What has not stopped is not a call.
    fn end(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !self.is_over {
            let lines = open.iter().map(|index| {
                format!("block {index}: the input ended before the block stopped; nothing in it is a call")
            });
            self.wrong.extend(lines);
        }
    }

    fn report(&mut self, problems: &mut Problems) {
        for lines in self.wrong.drain(..) {
            problems.report_lines(&lines);
        }
    }
}

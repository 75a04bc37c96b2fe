//! `demo`: a recorded answer, replayed live, as it arrives and as it is shown.

mod holds;
mod page;
mod screen;

use crate::args::unknown_preset;
use crate::chunk::ChunkReader;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::Outcome;
use holds::Holds;
use page::{Page, Paint};
use screen::Screen;
use std::{thread, time::Duration};
use tagstream::profile::Preset;
use tagstream::{Engine, Event, EventKind, Policy, ThinkingTrim};

/// The answer, a token a line, as `--chunks` reads it.
const ANSWER: &str = include_str!("answer.jsonl");

/// How long a token takes at `--speed 1`: about reading speed.
const TOKEN: Duration = Duration::from_millis(45);

#[derive(clap::Args)]
pub(crate) struct DemoArgs {
    /// Replay this many times faster than reading speed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    speed: f64,
}

fn factor(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(factor) if (0.01..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("allowed: a number from 0.01 to 1000".to_owned()),
    }
}

pub(crate) fn run(args: &DemoArgs) -> Result<Outcome, Failure> {
    let mut replay = Replay::new(&policy()?);
    let mut out = Output::new();
    match Screen::of_terminal() {
        Some(mut screen) => {
            for token in tokens() {
                thread::sleep(TOKEN.div_f64(args.speed));
                replay.push(&token?);
                screen.draw(&replay.raw, &replay.clean, &replay.holds.now(), &mut out);
                out.flush()?;
            }
            let done = replay.finish();
            screen.draw_all(&done.raw, &done.clean, &mut out);
            let token = TOKEN.div_f64(args.speed);
            out.text(&done.holds.summary(&done.raw, Some(token)));
        }
        None => {
            for token in tokens() {
                replay.push(&token?);
            }
            print(&replay.finish(), &mut out);
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}

fn policy() -> Result<Policy, Failure> {
    let preset = Preset::find("thinking").ok_or_else(|| unknown_preset("thinking"))?;
    let mut profile = preset.profile();
    // The column would begin with the empty lines that follow the first thought.
    profile.thinking.trim = ThinkingTrim::Answer;
    profile.compile().map_err(Failure::because)
}

fn tokens() -> impl Iterator<Item = Result<String, Failure>> {
    ANSWER.lines().map(|line| {
        let bytes = ChunkReader::default()
            .read(line.as_bytes())
            .map_err(Failure::because)?;
        String::from_utf8(bytes).map_err(Failure::because)
    })
}

/// All of it at once, where the output is not a terminal.
fn print(done: &Done, out: &mut Output) {
    for (title, page) in [
        ("As it arrives", &done.raw),
        ("As it is shown", &done.clean),
    ] {
        out.text(&format!("{title}\n\n{}\n\n", page.text()));
    }
    out.text(&done.holds.summary(&done.raw, None));
}

/// The answer so far: as it came, each byte painted as what it was, and as it is shown.
struct Replay {
    engine: Engine,
    /// How many bytes of the message have arrived.
    length: usize,
    raw: Page,
    clean: Page,
    holds: Holds,
}

/// The answer when it is over.
struct Done {
    raw: Page,
    clean: Page,
    holds: Holds,
}

impl Replay {
    fn new(policy: &Policy) -> Self {
        Replay {
            engine: Engine::new(policy),
            length: 0,
            raw: Page::default(),
            clean: Page::default(),
            holds: Holds::default(),
        }
    }

    fn push(&mut self, token: &str) {
        self.length += token.len();
        self.raw.unpaint();
        let mut pages = Pages {
            raw: &mut self.raw,
            clean: &mut self.clean,
        };
        self.engine.push(token, |event| pages.event(&event));
        let held = self.engine.held();
        self.raw.paint_last(held, Paint::Held);
        self.holds.note(held, self.length);
    }

    fn finish(mut self) -> Done {
        self.raw.unpaint();
        let mut pages = Pages {
            raw: &mut self.raw,
            clean: &mut self.clean,
        };
        self.engine.finish(|event| pages.event(&event));
        self.holds.note("", self.length);
        Done {
            raw: self.raw,
            clean: self.clean,
            holds: self.holds,
        }
    }
}

/// Where the events of the replay go.
struct Pages<'a> {
    raw: &'a mut Page,
    clean: &'a mut Page,
}

impl Pages<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let paint = match event.kind {
            EventKind::Text(text) => {
                self.clean.add(text, Paint::Plain);
                Paint::Plain
            }
            EventKind::Skip { reason, .. } => Paint::Dropped(reason),
            _ => Paint::Thought,
        };
        self.raw.add(event.raw, paint);
    }
}

//! `demo`: recorded answers, replayed live, as they arrive and as they are read.

mod holds;
mod page;
mod scene;
mod screen;

use crate::chunk::ChunkReader;
use crate::failure::Failure;
use crate::output::{Output, style};
use crate::stream::Outcome;
use holds::Holds;
use page::{Page, Paint};
use scene::{Made, Scene};
use screen::Screen;
use std::{thread, time::Duration};
use tagstream::{Engine, Event, Policy};

/// How long a scene takes at `--speed 1`.
const SCENE: Duration = Duration::from_secs(5);

/// How long the end of an answer stays, at the same speed.
const REST: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tagstream demo
  tagstream demo --scene calls --speed 2")]
pub(crate) struct DemoArgs {
    /// Replay only this scene
    #[arg(long, value_name = "NAME")]
    scene: Option<Scene>,

    /// Replay this many times faster
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
    for scene in Scene::ALL {
        if args.scene.is_none_or(|only| only == scene) {
            play(scene, args.speed)?;
        }
    }
    Ok(Outcome::Done)
}

fn play(scene: Scene, speed: f64) -> Result<(), Failure> {
    let policy = scene.profile()?.compile().map_err(Failure::because)?;
    let tokens: Vec<String> = tokens(scene).collect::<Result<_, _>>()?;
    let token_time = SCENE.div_f64(tokens.len() as f64 * speed);
    let mut replay = Replay::new(&policy);
    let mut out = Output::new();
    out.styled(style::BOLD, &format!("{}\n\n", scene.title()));
    match Screen::of_terminal() {
        Some(mut screen) => {
            for token in &tokens {
                thread::sleep(token_time);
                replay.push(token);
                let made = replay.made.page();
                screen.draw(&replay.raw, &made, &replay.holds.now(), &mut out);
                out.flush()?;
            }
            let done = replay.finish();
            // What the last tokens became is seen before the summary takes its place.
            screen.draw(&done.raw, &done.made, &done.holds.now(), &mut out);
            out.flush()?;
            thread::sleep(REST.div_f64(speed));
            screen.draw_all(&done.raw, &done.made, &mut out);
            out.text(&done.holds.summary(&done.raw, Some(token_time)));
        }
        None => {
            tokens.iter().for_each(|token| replay.push(token));
            print(&replay.finish(), &mut out);
        }
    }
    out.text("\n");
    out.flush()
}

fn tokens(scene: Scene) -> impl Iterator<Item = Result<String, Failure>> {
    scene.answer().lines().map(|line| {
        let bytes = ChunkReader::default()
            .read(line.as_bytes())
            .map_err(Failure::because)?;
        String::from_utf8(bytes).map_err(Failure::because)
    })
}

/// All of it at once, where the output is not a terminal.
fn print(done: &Done, out: &mut Output) {
    for (title, page) in [("As it arrives", &done.raw), ("As it is read", &done.made)] {
        out.text(&format!("{title}\n\n{}\n\n", page.text()));
    }
    out.text(&done.holds.summary(&done.raw, None));
}

/// The answer so far: as it came, each byte painted as what it was, and what was made of it.
struct Replay {
    engine: Engine,
    /// How many bytes of the message have arrived.
    length: usize,
    raw: Page,
    made: Made,
    holds: Holds,
}

/// The answer when it is over.
struct Done {
    raw: Page,
    made: Page,
    holds: Holds,
}

impl Replay {
    fn new(policy: &Policy) -> Self {
        Replay {
            engine: Engine::new(policy),
            length: 0,
            raw: Page::default(),
            made: Made::default(),
            holds: Holds::default(),
        }
    }

    fn push(&mut self, token: &str) {
        self.length += token.len();
        self.raw.unpaint();
        let (raw, made) = (&mut self.raw, &mut self.made);
        let mut sink = |event: Event<'_>| raw.add(event.raw, made.event(&event));
        self.engine.push(token, &mut sink);
        self.made.update(&self.engine);
        let held = self.engine.held();
        self.raw.paint_last(held, Paint::Held);
        self.holds.note(held, self.length);
    }

    fn finish(mut self) -> Done {
        self.raw.unpaint();
        let (raw, made) = (&mut self.raw, &mut self.made);
        let sink = |event: Event<'_>| raw.add(event.raw, made.event(&event));
        self.engine.finish(sink);
        self.holds.note("", self.length);
        Done {
            raw: self.raw,
            made: self.made.page(),
            holds: self.holds,
        }
    }
}

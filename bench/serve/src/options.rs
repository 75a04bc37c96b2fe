//! What the command line asks for.

use std::process::exit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Load,
    Soak,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) command: Command,
    /// Streams at the same time.
    pub(crate) streams: usize,
    pub(crate) seconds: u64,
    /// Tokens per second of each stream.
    pub(crate) rate: u64,
}

const USAGE: &str =
    "usage: run [load|soak] [--quick] [--streams N] [--seconds S] [--rate TOKENS_PER_SECOND]";

impl Options {
    pub(crate) fn from_args() -> Self {
        let mut args = std::env::args().skip(1).peekable();
        let command = match args.next_if(|arg| !arg.starts_with("--")).as_deref() {
            None | Some("load") => Command::Load,
            Some("soak") => Command::Soak,
            Some(other) => fail(other),
        };
        let mut options = match command {
            Command::Load => Options {
                command,
                streams: 1000,
                seconds: 20,
                rate: 50,
            },
            Command::Soak => Options {
                command,
                streams: 100,
                seconds: 20 * 60,
                rate: 200,
            },
        };
        while let Some(name) = args.next() {
            if name == "--quick" {
                (options.streams, options.seconds) = match command {
                    Command::Load => (200, 5),
                    Command::Soak => (50, 60),
                };
                continue;
            }
            let value = args.next().and_then(|value| value.parse().ok());
            let Some(value) = value.filter(|value| *value > 0) else {
                fail(&name)
            };
            match name.as_str() {
                "--streams" => options.streams = usize::try_from(value).unwrap_or(usize::MAX),
                "--seconds" => options.seconds = value,
                "--rate" => options.rate = value,
                _ => fail(&name),
            }
        }
        options
    }
}

fn fail(arg: &str) -> ! {
    eprintln!("{arg}: not understood\n{USAGE}");
    exit(2)
}

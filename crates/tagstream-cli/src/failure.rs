//! Why a command stops early.

use crate::output::{self, aligned, visible};
use std::{
    fmt,
    io::{self, Write},
};

pub(crate) enum Failure {
    /// The reader of the output is gone: a quiet end.
    ClosedPipe,
    /// Wrong use, or a file that cannot be read or written.
    Message(String),
}

impl Failure {
    pub(crate) fn because(problem: impl fmt::Display) -> Self {
        Failure::Message(problem.to_string())
    }

    /// Why the output could not be written.
    pub(crate) fn of_output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::because(format_args!("standard output: {error}")),
        }
    }
}

/// Several lines on standard error: what is wrong, and below it the place and what to do.
pub(crate) fn say_lines(message: &str) {
    let mut lines = message.lines();
    say(lines.next().unwrap_or_default());
    for line in lines {
        let _ = writeln!(io::stderr(), "  {}", aligned(line));
    }
}

/// One line on standard error, whatever the message quotes of a model's text or of a file. Unlike
/// `eprintln!` it does not panic where that is closed.
pub(crate) fn say(message: &str) {
    let line = format!("tagstream: {}", visible(message));
    let begins = if output::ends_line_for_message() {
        "\n"
    } else {
        ""
    };
    let _ = writeln!(io::stderr(), "{begins}{line}");
}

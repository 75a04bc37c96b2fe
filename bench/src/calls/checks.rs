//! Messages with calls.

use serde_json::json;

use super::contenders::{self, Cap, Contender};
use super::format::{ALL, Format};
use super::output::Verdict;
use super::scenario::{self, Call};
use crate::checks::{Checks, Outcome, Row};

/// One call of each tool.
const CALLS: usize = 3;
const NAMES: [&str; 5] = [
    "calls",
    "fence",
    "inline code",
    "value's closer",
    "outer closer",
];

/// A message, and what is in it.
struct Probe<'a> {
    text: String,
    /// The text around the calls.
    answer: String,
    calls: &'a [Call],
}

/// Reads all of them with every contender that knows the format.
pub fn check() -> Checks {
    let [row, ..] = scenario::all();
    let rows = ALL.iter().flat_map(|format| {
        let quoting = [format.value_closer, format.closer].map(quoting);
        let probes = probes(format, &row.calls[..CALLS], &quoting);
        let contenders = contenders::all(format).into_iter();
        contenders
            .map(move |contender| Row {
                format: format.name,
                name: contender.name,
                outcomes: probes
                    .iter()
                    .map(|probe| outcome(&contender, format, probe))
                    .collect(),
            })
            .collect::<Vec<_>>()
    });
    Checks {
        rows: rows.collect(),
        probes: NAMES.into(),
    }
}

fn outcome(contender: &Contender, format: &Format, probe: &Probe<'_>) -> Outcome {
    let read = |chunks: &[&str]| (contender.keep)(chunks, Cap::NONE).output;
    Outcome::of(&probe.text, read, |output| {
        output.verdict(format, probe.calls, contender.typed) == Verdict::Right
            && output.text.trim() == probe.answer.trim()
    })
}

/// In the order of [`NAMES`].
fn probes<'a>(format: &Format, calls: &'a [Call], quoting: &'a [Call; 2]) -> [Probe<'a>; 5] {
    let last = &calls[CALLS - 1..];
    let example = format.write(&calls[CALLS - 2..CALLS - 1]);
    let opener = format.opener;
    let probe = |answer: String, calls| Probe {
        text: format!("{answer}{}", format.write(calls)),
        answer,
        calls,
    };
    [
        probe("I will look at the files first.\n\n".to_owned(), calls),
        probe(
            format!("A call is written like this:\n\n```\n{example}\n```\n\nNow for real:\n\n"),
            last,
        ),
        probe(
            format!("A call begins with `{opener}`, as the manual says.\n\n"),
            last,
        ),
        probe("I write that down.\n\n".to_owned(), &quoting[..1]),
        probe("I write that down.\n\n".to_owned(), &quoting[1..]),
    ]
}

/// A call with a closing tag in one of its values.
fn quoting(closer: &str) -> Call {
    Call {
        name: "write_file",
        arguments: vec![
            ("path", json!("notes.md")),
            ("content", json!(format!("It ends with {closer} there."))),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a wrapper, the closing tag of a call ends a value that has no closing tag, so that
    /// one format cannot have it in a value.
    #[test]
    fn tagstream_is_right_however_the_message_is_cut() {
        for row in check().rows {
            if row.name.starts_with(contenders::TAGSTREAM) {
                let mut meant = [Outcome::Right; NAMES.len()];
                if row.format == "glm" {
                    meant[4] = Outcome::Wrong;
                }
                assert_eq!(row.outcomes, meant, "{}", row.format);
            }
        }
    }
}

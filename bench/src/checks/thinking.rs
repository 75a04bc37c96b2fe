//! Messages with a thought.

use super::{Checks, Outcome, Row};
use crate::contenders::{self, Sections};
use crate::message::Message;

/// Small enough to be read once for each pair of chunks.
const MESSAGE_BYTES: usize = 4 << 10;

/// A message, and what is in it.
struct Probe {
    name: &'static str,
    text: String,
    meant: Sections,
}

impl Probe {
    fn new(name: &'static str, thought: &str, answer: &str) -> Self {
        Probe {
            name,
            text: format!("<think>{thought}</think>{answer}"),
            meant: Sections {
                thought: thought.into(),
                text: answer.into(),
            },
        }
    }
}

/// Reads all of them with every parser.
pub fn check() -> Checks {
    let message = Message::new(MESSAGE_BYTES);
    let probes = probes(&message);
    let contenders = contenders::all(&message);
    let parsers = contenders.iter().filter(|contender| contender.is_parser());
    let rows = parsers.map(|parser| {
        let outcome = |probe: &Probe| {
            let is_right = |sections: &Sections| *sections == probe.meant;
            Outcome::of(&probe.text, &parser.keep, is_right)
        };
        Row {
            format: "",
            name: parser.name,
            outcomes: probes.iter().map(outcome).collect(),
        }
    });
    Checks {
        rows: rows.collect(),
        probes: probes.iter().map(|probe| probe.name).collect(),
    }
}

/// White space never touches a tag, except in the message that is also measured: parsers differ in
/// what they make of it.
fn probes(message: &Message) -> Vec<Probe> {
    let thought = &message.text[message.thought.clone()];
    vec![
        Probe::new("message", thought, message.answer()),
        Probe::new(
            "fence",
            "I show them an example.",
            "Write it like this:\n\n```xml\n<think>first step</think>\n```\n\nThat is all.\n",
        ),
        Probe::new(
            "inline code",
            "I name the tags.",
            "The tag `<think>` opens a thought and `</think>` ends it.\n",
        ),
        Probe::new(
            "quoted closer",
            "The tag `</think>` would end this, so I quote it.",
            "Done.",
        ),
        Probe::new("unfinished tag", "I compare.", "It holds that 5 <"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::TAGSTREAM;

    #[test]
    fn tagstream_is_right_for_every_probe_and_every_cutting() {
        let checks = check();
        let own = checks.rows.iter().find(|row| row.name == TAGSTREAM);
        let outcomes = &own.expect("it is one of them").outcomes;
        assert!(outcomes.iter().all(|&outcome| outcome == Outcome::Right));
    }
}

//! Calls that were written are read: every dialect, nasty values, any cut.
//!
//! The writer knows the formats by heart; the reader knows the dialect files. See
//! `support/representable.rs` for what a raw value can be at all.

use serde_json::{Map, Value};
use tagstream_testing::calls::files;
use tagstream_testing::calls::nasty::{Tool, any_style, calls, tools};
use tagstream_testing::calls::rng::Rng;
use tagstream_testing::calls::run::{Output, policy, run};
use tagstream_testing::calls::writer::{Call, Written, begins_line, dialects, raw_text, render};

const BEFORE: &str = "Let me look: ";
const LINE_BEFORE: &str = "Let me look:\n";
const AFTER: &str = "\nThat was it.";
const ROUNDS: u64 = 150;

/// Calls that nothing marks begin a line.
fn before(dialect: &str) -> &'static str {
    if begins_line(dialect) {
        LINE_BEFORE
    } else {
        BEFORE
    }
}

/// A message with calls in it, and what they are.
struct Case {
    dialect: &'static str,
    tools: Vec<Tool>,
    calls: Vec<Call>,
    written: Written,
    message: String,
}

impl Case {
    fn new(dialect: &'static str, seed: u64) -> Case {
        let mut rng = Rng::new(seed);
        let tools = tools(&mut rng);
        let calls = calls(&mut rng, dialect, &tools);
        let written = render(dialect, &calls, any_style(&mut rng, dialect));
        let after = if written.text_may_follow { AFTER } else { "" };
        let message = format!("{}{}{after}", before(dialect), written.text);
        Case {
            dialect,
            tools,
            calls,
            written,
            message,
        }
    }

    fn read<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> Output {
        let dialect = files::dialect(self.dialect);
        run(&policy(dialect, &self.tools), pieces)
    }

    fn whole(&self) -> Output {
        self.read([self.message.as_bytes()])
    }

    fn in_random_cuts(&self, seed: u64) -> Output {
        let mut rng = Rng::new(seed);
        let mut pieces = Vec::new();
        let mut rest = self.message.as_bytes();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(1 + rng.below(24)));
            pieces.push(piece);
            rest = after;
        }
        self.read(pieces)
    }

    fn fail(&self, problem: &str, output: &Output) -> ! {
        panic!(
            "{}: {problem}\nmessage: {:?}\nevents: {:#?}",
            self.dialect, self.message, output.events
        );
    }
}

/// What the arguments must be without any types: raw values are strings.
fn expected(call: &Call) -> Value {
    let value = |value: &Value| {
        if call.json {
            value.clone()
        } else {
            Value::from(raw_text(value))
        }
    };
    let arguments = call.arguments.iter();
    let object: Map<_, _> = arguments
        .map(|(name, v)| (name.clone(), value(v)))
        .collect();
    Value::from(object)
}

/// Runs a check on random messages in every dialect. A failure names the dialect.
fn for_each(check: impl Fn(&Case, u64)) {
    for dialect in dialects() {
        for seed in 1..=ROUNDS {
            check(&Case::new(dialect, seed), seed);
        }
    }
}

#[test]
fn the_calls_are_those_that_were_written() {
    for_each(|case, _| {
        let output = case.whole();
        let found = output.calls();
        if found.len() != case.calls.len() {
            case.fail("the number of calls differs", &output);
        }
        for (i, (call, (id, name, arguments))) in case.calls.iter().zip(&found).enumerate() {
            if *name != call.name || *arguments != expected(call) {
                case.fail(&format!("call {i} must be {call:?}"), &output);
            }
            if case.written.ids[i]
                .as_ref()
                .is_some_and(|wanted| wanted != id)
            {
                case.fail(&format!("call {i} has another id"), &output);
            }
        }
        if !output.complaints().is_empty() {
            case.fail("there is nothing to complain about", &output);
        }
    });
}

#[test]
fn the_text_around_is_what_it_was() {
    for_each(|case, _| {
        let output = case.whole();
        let after = if case.written.text_may_follow {
            AFTER
        } else {
            ""
        };
        if output.text() != format!("{}{after}", before(case.dialect)) {
            case.fail("the text is another", &output);
        }
    });
}

#[test]
fn what_is_shown_is_what_is_given() {
    for_each(|case, _| {
        let output = case.whole();
        for (index, call) in (0..).zip(&case.calls) {
            if call.json {
                let shown = serde_json::from_str::<Value>(&output.shown(index, None));
                if shown.ok() != Some(expected(call)) {
                    case.fail("the JSON that was shown is another", &output);
                }
                continue;
            }
            for (name, value) in &call.arguments {
                if output.shown(index, Some(name)) != raw_text(value) {
                    case.fail(&format!("the text shown of {name} is another"), &output);
                }
            }
        }
    });
}

#[test]
fn no_cut_changes_anything() {
    for_each(|case, seed| {
        let whole = case.whole();
        let bytes = case.read(case.message.as_bytes().chunks(1));
        let cuts = case.in_random_cuts(seed);
        for (how, output) in [("byte by byte", &bytes), ("in random cuts", &cuts)] {
            if output.events != whole.events {
                case.fail(
                    &format!("{how} it is different: {:#?}", output.events),
                    &whole,
                );
            }
            if !output.tiles(case.message.len()) {
                case.fail(&format!("{how} the spans do not tile"), output);
            }
        }
        if !whole.tiles(case.message.len()) {
            case.fail("the spans do not tile", &whole);
        }
    });
}

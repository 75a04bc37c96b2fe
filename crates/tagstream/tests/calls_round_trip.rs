//! Calls that were written are read: every dialect, nasty values, any cut.
//!
//! The writer knows the formats by heart; the reader knows the dialect files. See
//! `tagstream_testing::calls::representable` for what a raw value can be at all.

use serde_json::{Map, Value};
use tagstream::profile::presets;
use tagstream::{CallSettings, Policy, Profile};
use tagstream_testing::calls::files;
use tagstream_testing::calls::nasty::{Tool, any_style, calls, tools};
use tagstream_testing::calls::rng::Rng;
use tagstream_testing::calls::run::{Ev, Output, declared, policy, run};
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

const PRESET_ROUNDS: u64 = 25;

/// All that a preset reads, together: its thinking, its markers, and its dialects, each of which may open
/// like another.
#[test]
fn every_preset_reads_what_its_models_write() {
    for preset in presets() {
        let profile = preset.profile();
        let read = profile.calls.iter().flat_map(|calls| &calls.dialects);
        let read: Vec<_> = read.map(|dialect| dialect.name.as_str()).collect();
        let models_write = |name: &&str| !preset.models().is_empty() && read.contains(name);
        for dialect in dialects().into_iter().filter(models_write) {
            for seed in 1..=PRESET_ROUNDS {
                check_preset(preset.name(), &profile, &Case::new(dialect, seed));
            }
        }
    }
}

fn check_preset(preset: &str, profile: &Profile, case: &Case) {
    let message = format!("{}{}", thought(profile), case.message);
    let policy = with_tools(profile, &case.tools);
    let whole = run(&policy, [message.as_bytes()]);
    let found = whole.calls();
    let found: Vec<_> = found.iter().map(|(_, name, a)| (name, a.clone())).collect();
    let written: Vec<_> = case.calls.iter().map(|c| (&c.name, expected(c))).collect();
    let fail = |problem: &str| -> ! {
        panic!(
            "{preset}: {}: {problem}\nmessage: {message:?}\nevents: {:#?}",
            case.dialect, whole.events
        )
    };
    if found != written {
        fail("the calls are others");
    }
    let is_thought = |ev: &Ev| matches!(ev, Ev::Other(text) if text.starts_with("Thought"));
    if !whole.complaints().into_iter().all(is_thought) {
        fail("there is nothing to complain about");
    }
    let after = if case.written.text_may_follow {
        AFTER
    } else {
        ""
    };
    if whole.text() != format!("{}{after}", before(case.dialect)) {
        fail("the text is another");
    }
    let bytes = run(&policy, message.as_bytes().chunks(1));
    if bytes.calls() != whole.calls() || bytes.text() != whole.text() {
        fail("byte by byte it is different");
    }
}

/// A thought in the first form that the profile has.
fn thought(profile: &Profile) -> String {
    let thinking = &profile.thinking;
    let tag = thinking.tags.first();
    let tags = tag.map(|tag| [format!("<{tag}>"), format!("</{tag}>")]);
    match thinking.delimiters.first().cloned().or(tags) {
        Some([_, close]) if thinking.starts_open => format!("plan{close}"),
        Some([open, close]) => format!("{open}plan{close}"),
        None => String::new(),
    }
}

/// Nothing is checked, so that values stay as they are written.
fn with_tools(profile: &Profile, tools: &[Tool]) -> Policy {
    let mut profile = profile.clone();
    let unchecked = |calls: CallSettings| declared(calls.checker(Default::default()), tools);
    profile.calls = profile.calls.map(unchecked);
    profile.compile().expect("a preset can work")
}

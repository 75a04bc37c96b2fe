//! Compares two engines on random profiles, messages and cuts.
//!
//! Prints how often each kind of difference was seen and its smallest example, one line of JSON
//! each.

mod after;
mod before;
mod explained;

use after::After;
use before::Before;
use explained::{Difference, Edit};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tagstream_testing::random::hunt::{Options, Task, Watch, Watched, hunt};
use tagstream_testing::random::laws::{Failure, characters, random_cut};
use tagstream_testing::random::message::Vocabulary;
use tagstream_testing::random::minimize::{Probe, minimize_with};
use tagstream_testing::random::profile::profile;
use tagstream_testing::random::{Batch, Case, Event, Mark, Reading, Rng, Subject};

const MESSAGES_PER_PROFILE: usize = 100;

const HELP: &str = "\
usage: fuzz/before/run [--messages N] [--seed S] [--jobs J] [--only LAW,LAW] [--no-calls] [--prefixes]
                       [--no-minimize]

--no-calls takes the tool calls out of the profiles.
--prefixes also compares what is out after each chunk.";

struct Compare {
    dialects: Vec<Value>,
    has_calls: bool,
    prefixes: bool,
    minimizes: bool,
}

/// How many constructs are taken out of one message at most.
const MAX_EDITS: usize = 100;

/// A profile, compiled for both engines.
struct Policies {
    profile: Value,
    before: <Before as Subject>::Policy,
    after: <After as Subject>::Policy,
}

/// Both engines, watched.
struct Both<'w> {
    before: Watched<'w, Before>,
    after: Watched<'w, After>,
    prefixes: bool,
}

fn main() {
    let mut options = Options {
        all: true,
        ..Options::default()
    };
    let mut compare = Compare {
        dialects: Before.dialects(),
        has_calls: true,
        prefixes: false,
        minimizes: true,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--no-calls" => compare.has_calls = false,
            "--prefixes" => compare.prefixes = true,
            "--no-minimize" => compare.minimizes = false,
            "--replay" => replay(&arguments.next().unwrap_or_default()),
            _ if options.take(&argument, || arguments.next()) => {}
            _ => {
                eprintln!("{HELP}");
                std::process::exit(2);
            }
        }
    }
    let is_clean = hunt(compare, options);
    explained::report();
    std::process::exit(i32::from(!is_clean));
}

/// Prints what both engines report for the cases of a file, and ends.
fn replay(file: &str) -> ! {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| {
        eprintln!("{file}: {error}");
        std::process::exit(2)
    });
    let watch = Watch::default();
    let both = Both {
        before: watch.subject(&Before),
        after: watch.subject(&After),
        prefixes: false,
    };
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap_or_default();
        let chunks = Case::chunks_from_json(&case);
        println!("{line}");
        let policies = match both.compile_both(&case["profile"]) {
            Ok(policies) => policies,
            Err(failure) => {
                println!("refused {:?}", failure.map(|failure| failure.detail));
                continue;
            }
        };
        if let Some(Ok((old, new))) = both.read(&policies, &chunks) {
            for (side, reading) in [("before", old), ("now", new)] {
                println!("  {side}");
                for event in reading.to_json() {
                    println!("    {event}");
                }
            }
        }
        let failure = both.check(&policies, &chunks);
        println!(
            "  {}",
            if failure.is_some() {
                "UNEXPLAINED"
            } else {
                "explained"
            }
        );
    }
    std::process::exit(0)
}

impl Compare {
    fn both<'w>(&self, watch: &'w Watch) -> Both<'w> {
        Both {
            before: watch.subject(&Before),
            after: watch.subject(&After),
            prefixes: self.prefixes,
        }
    }
}

impl Task for Compare {
    fn batch(&self, seed: u64, watch: &Watch) -> Batch {
        let mut rng = Rng::new(seed);
        let mut profile = profile(&mut rng, &self.dialects);
        if !self.has_calls {
            remove_calls(&mut profile);
        }
        remove_new_settings(&mut profile);
        keep_old_dialects(&mut profile, &self.dialects);
        let both = self.both(watch);
        let mut batch = Batch::default();
        let policies = match both.compile_both(&profile) {
            Ok(policies) => policies,
            Err(None) => return batch,
            Err(Some(failure)) => {
                batch.failures.push(Case {
                    profile,
                    chunks: Vec::new(),
                    failure,
                });
                return batch;
            }
        };
        let vocabulary = Vocabulary::new(&mut rng, &profile, &self.dialects);
        for _ in 0..MESSAGES_PER_PROFILE {
            let mut rng = rng.fork();
            let message = vocabulary.message(&mut rng);
            let chunks = cut(&mut rng, &message);
            if let Some(failure) = both.check(&policies, &chunks) {
                batch.failures.push(Case {
                    profile: profile.clone(),
                    chunks,
                    failure,
                });
            }
        }
        batch.messages = MESSAGES_PER_PROFILE;
        batch
    }

    fn minimize(&self, case: Case, watch: &Watch) -> Case {
        if self.minimizes && case.failure.law != "compile" {
            minimize_with(&self.both(watch), &case)
        } else {
            case
        }
    }
}

impl Both<'_> {
    /// The compiled profiles; an error with a failure if one engine refuses the profile and the
    /// other does not.
    fn compile_both(&self, profile: &Value) -> Result<Policies, Option<Failure>> {
        let refusal = |side: &str, refusal: String| Failure {
            law: "compile",
            signature: format!("{side} refuses"),
            detail: refusal.into(),
        };
        match (self.before.compile(profile), self.after.compile(profile)) {
            (Ok(before), Ok(after)) => Ok(Policies {
                profile: profile.clone(),
                before,
                after,
            }),
            (Err(_), Err(_)) => Err(None),
            (Err(error), _) => Err(Some(refusal("before", error))),
            (_, Err(error)) => Err(Some(refusal("after", error))),
        }
    }
}

impl Both<'_> {
    /// What both engines report. Nothing if the engine before the rebuild panics.
    fn read(
        &self,
        policies: &Policies,
        chunks: &[Vec<u8>],
    ) -> Option<Result<(Reading, Reading), Failure>> {
        let pieces: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let old = || self.before.read(&policies.before, &pieces, true);
        let old = catch_unwind(AssertUnwindSafe(old)).ok()?;
        let new = || self.after.read(&policies.after, &pieces, true);
        let new = catch_unwind(AssertUnwindSafe(new)).map_err(|_| Failure {
            law: "panic",
            signature: "after".to_owned(),
            detail: Value::Null,
        });
        Some(new.map(|new| (old, new)))
    }

    /// Takes out what explains a difference until the engines agree. A difference that nothing
    /// explains is a failure.
    fn explain(
        &self,
        policies: &Policies,
        chunks: &[Vec<u8>],
        (mut old, mut new): (Reading, Reading),
    ) -> Option<Failure> {
        let mut other;
        let (mut policies, mut chunks) = (policies, chunks.to_vec());
        for _ in 0..MAX_EDITS {
            let failure = difference(&old, &new, self.prefixes)?;
            if failure.law != "meaning" {
                return Some(failure);
            }
            let message = String::from_utf8_lossy(&chunks.concat()).into_owned();
            let (old_events, new_events) = (normal(&old), normal(&new));
            let equal = old_events.iter().zip(&new_events);
            let difference = Difference {
                profile: &policies.profile,
                message: &message,
                first: equal.take_while(|(a, b)| a == b).count(),
                old: &old_events,
                new: &new_events,
                reading: &new.events,
            };
            let edit = explained::explain(&difference);
            let is_about_mistake = edit.is_none() && explained::is_about_mistake(&difference);
            match edit {
                None if is_about_mistake => return None,
                None => return Some(failure),
                Some(Edit::Bytes(places, byte)) => replace(&mut chunks, &places, byte),
                Some(Edit::Profile(profile)) => match self.compile_both(&profile) {
                    Ok(compiled) => {
                        other = compiled;
                        policies = &other;
                    }
                    Err(_) => return Some(failure),
                },
            }
            (old, new) = match self.read(policies, &chunks)? {
                Ok(readings) => readings,
                Err(failure) => return Some(failure),
            };
        }
        difference(&old, &new, self.prefixes)
    }
}

impl Probe for Both<'_> {
    type Policy = Policies;

    fn compile(&self, profile: &Value) -> Option<Policies> {
        self.compile_both(profile).ok()
    }

    fn check(&self, policies: &Policies, chunks: &[Vec<u8>]) -> Option<Failure> {
        let (old, new) = match self.read(policies, chunks)? {
            Ok(readings) => readings,
            Err(failure) => return Some(failure),
        };
        if old.events == new.events && !self.prefixes {
            return None;
        }
        self.explain(policies, chunks, (old, new))
    }

    fn dialects(&self) -> Vec<Value> {
        let all = self.before.dialects().into_iter();
        all.map(|mut dialect| dialect["name"].take()).collect()
    }
}

/// The settings of calls that the engine before the rebuild does not know.
const NEW_IN_CALLS: &[&str] = &["near_misses", "missing_end", "wrap_single", "infer_types"];

/// Removes the settings that the engine before the rebuild does not know, so that the rest of the
/// profile is compared.
fn remove_new_settings(profile: &mut Value) {
    if let Some(profile) = profile.as_object_mut() {
        profile.remove("code_notices");
        profile.remove("unwrap");
        if let Some(calls) = profile.get_mut("calls").and_then(Value::as_object_mut) {
            calls.retain(|key, _| !NEW_IN_CALLS.contains(&key.as_str()));
            calls.retain(|key, value| key != "in_thinking" || value != "end");
        }
    }
    let elements = profile.get_mut("elements").and_then(Value::as_array_mut);
    for element in elements.into_iter().flatten() {
        if let Some(element) = element.as_object_mut() {
            element.remove("nests");
        }
    }
}

fn remove_calls(profile: &mut Value) {
    if let Some(profile) = profile.as_object_mut() {
        profile.remove("calls");
        profile.remove("own_dialects");
    }
}

/// Gives both engines the same dialects, as they were before the rebuild. Many have got further
/// spellings and repairs since.
fn keep_old_dialects(profile: &mut Value, dialects: &[Value]) {
    let Some(calls) = profile.get_mut("calls") else {
        return;
    };
    let chosen = match &calls["dialect"] {
        Value::String(name) if name == "own" => return,
        Value::String(name) if name != "auto" => vec![json!(name)],
        Value::Array(names) => names.clone(),
        _ => dialects
            .iter()
            .map(|dialect| dialect["name"].clone())
            .collect(),
    };
    let own = dialects
        .iter()
        .filter(|dialect| chosen.contains(&dialect["name"]));
    let own: Value = own.cloned().collect();
    calls["dialect"] = chosen.into();
    profile["own_dialects"] = own;
}

/// Replaces bytes at places that count as spans do: three for each sequence that is not UTF-8.
fn replace(chunks: &mut [Vec<u8>], places: &[usize], byte: u8) {
    let message = chunks.concat();
    let mut origins = Vec::new();
    let mut at = 0;
    for part in message.utf8_chunks() {
        let end = at + part.valid().len();
        origins.extend(at..end);
        if !part.invalid().is_empty() {
            origins.extend([end; 3]);
        }
        at = end + part.invalid().len();
    }
    let mut bytes: Vec<&mut u8> = chunks.iter_mut().flatten().collect();
    for place in places {
        *bytes[origins[*place]] = byte;
    }
}

/// The message as a whole, in characters or in random chunks.
fn cut(rng: &mut Rng, message: &[u8]) -> Vec<Vec<u8>> {
    let chunks = match rng.below(4) {
        0 => vec![message],
        1 => characters(message),
        n => random_cut(rng, message, if n == 2 { 3 } else { 12 }),
    };
    chunks.into_iter().map(<[u8]>::to_vec).collect()
}

fn difference(old: &Reading, new: &Reading, prefixes: bool) -> Option<Failure> {
    if old.events != new.events {
        let (old, new) = (normal(old), normal(new));
        if old != new {
            return Some(meaning(&old, &new));
        }
    }
    let seen = |mark: &Mark| (mark.points, mark.text);
    let mut marks = old.marks.iter().zip(&new.marks).filter(|_| prefixes);
    let (a, b) = marks.find(|(a, b)| seen(a) != seen(b))?;
    let side = |mark: &Mark| json!({"events": mark.points, "text_bytes": mark.text});
    let next = normal(old)
        .into_iter()
        .find(|event| event.span[1] > a.end.min(b.end));
    let direction = if seen(a) < seen(b) {
        "earlier"
    } else {
        "later"
    };
    let kind = next.map_or("nothing", |event| event.kind);
    Some(Failure {
        law: "timing",
        signature: format!("{direction}: {kind}"),
        detail: json!({"after": a.pushed, "before": side(a), "now": side(b)}),
    })
}

fn meaning(old: &[Event], new: &[Event]) -> Failure {
    let first = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let kind = |list: &[Event]| list.get(first).map_or("nothing", |event| event.kind);
    let shown = |list: &[Event]| -> Vec<Value> {
        let from = first.saturating_sub(1);
        list.iter().skip(from).take(6).map(Event::to_json).collect()
    };
    Failure {
        law: "meaning",
        signature: format!("{} became {}", kind(old), kind(new)),
        detail: json!({"before": shown(old), "now": shown(new)}),
    }
}

/// The events without what may differ: the wording of messages and the reasons of skips.
fn normal(reading: &Reading) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for event in &reading.events {
        let mut event = event.clone();
        if event.kind == "skip" {
            event.part = None;
            if let Some(last) = events.last_mut().filter(|last| last.kind == "skip") {
                last.span[1] = event.span[1];
                last.text += &event.text;
                continue;
            }
        }
        if matches!(event.kind, "notice" | "call_error") {
            let mut fields = event.fields();
            fields["message"] = Value::Null;
            event.text = fields.to_string();
        }
        events.push(event);
    }
    events
}

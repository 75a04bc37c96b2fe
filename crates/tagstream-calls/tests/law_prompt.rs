//! Law for calls: no byte waits once its fate is sealed, and nothing is taken back. And what has
//! come out after a prefix does not depend on how the prefix was cut.
//!
//! There is no second parser for calls, so the engine on whole messages is the oracle: what the
//! readings of all messages that begin with a prefix have in common is certain after it, and
//! exactly that must have come out.

mod support;

use std::collections::{BTreeMap, HashSet};
use support::prompt_worlds::{self, World};
use support::seen::{Reading, Seen, emitted, meaning};

/// How many differences of each kind of test are told in full.
const TOLD: usize = 12;

/// How many pieces a continuation has at most.
const FAR: usize = 2;

/// What the engine may hold although it is certain.
struct Known {
    reason: &'static str,
    covers: fn(&Difference) -> bool,
}

const KNOWN: &[Known] = &[Known {
    reason: "a tag that is text of the value either way is held until it is whole",
    covers: |difference| {
        let in_tag = difference.prefix.rfind('<') > difference.prefix.rfind('>');
        let held = difference.held();
        in_tag && matches!(held.as_deref(), Some([Seen::Delta(_, Some(_), _)]))
    },
}];

#[test]
fn function_calls() {
    prove(&prompt_worlds::function_calls());
}

#[test]
fn tags() {
    prove(&prompt_worlds::tags());
}

#[test]
fn hermes() {
    prove(&prompt_worlds::hermes());
}

#[test]
fn qwen3_coder() {
    prove(&prompt_worlds::qwen3_coder());
}

#[test]
fn glm() {
    prove(&prompt_worlds::glm());
}

#[test]
fn minimax() {
    prove(&prompt_worlds::minimax());
}

#[test]
fn dsml() {
    prove(&prompt_worlds::dsml());
}

#[test]
fn kimi_k2() {
    prove(&prompt_worlds::kimi_k2());
}

#[test]
fn thinking() {
    prove(&prompt_worlds::thinking());
}

fn prove(worlds: &[World]) {
    let mut differences = Differences::default();
    for world in worlds {
        let mut proof = Proof::new(world);
        proof.walk(&mut world.beginning.to_owned(), 0);
        println!(
            "{:>7} prefixes, {:>8} readings: {} {:?}",
            proof.seen.len(),
            proof.readings,
            world.dialect,
            world.beginning
        );
        differences.merge(proof.differences);
    }
    differences.verdict();
}

struct Proof<'w> {
    world: &'w World,
    continuations: Vec<String>,
    /// The prefixes that were looked at.
    seen: HashSet<String>,
    /// Those after which something was wrong.
    wrong: HashSet<String>,
    readings: usize,
    differences: Differences,
}

impl<'w> Proof<'w> {
    fn new(world: &'w World) -> Self {
        Proof {
            world,
            continuations: continuations(world),
            seen: HashSet::new(),
            wrong: HashSet::new(),
            readings: 0,
            differences: Differences::default(),
        }
    }

    /// Checks all messages that go on from this one, and each of their prefixes.
    fn walk(&mut self, message: &mut String, length: usize) {
        let end = message.len();
        for piece in self.world.pieces {
            for c in piece.chars() {
                message.push(c);
                if self.seen.insert(message.clone()) {
                    self.check(message);
                }
            }
            self.check_cuts(message, end);
            if length + 1 < self.world.length {
                self.walk(message, length + 1);
            }
            message.truncate(end);
        }
    }

    fn check(&mut self, prefix: &str) {
        let got = emitted(&self.world.policy, [prefix.as_bytes()]);
        let certain = self.certain(prefix, &got);
        if got == certain {
            return;
        }
        let difference = Difference {
            dialect: self.world.dialect,
            prefix: prefix.to_owned(),
            got,
            certain,
        };
        if KNOWN.iter().any(|known| (known.covers)(&difference)) {
            self.differences.known += 1;
            return;
        }
        self.wrong.insert(prefix.to_owned());
        let mut parent = prefix.to_owned();
        parent.pop();
        if self.wrong.contains(&parent) {
            self.differences.consequences += 1;
            return;
        }
        self.differences.add(difference);
    }

    /// What is certain after a prefix, if that is not what came out; readings are made only as
    /// long as they can show something new.
    fn certain(&mut self, prefix: &str, got: &Reading) -> Reading {
        let policy = &self.world.policy;
        let mut certain = meaning(policy, prefix);
        let rests: Vec<&str> = rests(prefix, self.world);
        let mut message = prefix.to_owned();
        let mut settled = None;
        'all: for far in 0..self.continuations.len() {
            for rest in [""].iter().chain(&rests) {
                if certain == *got || !got.begins(&certain) {
                    break 'all;
                }
                self.readings += 1;
                message.push_str(rest);
                message.push_str(&self.continuations[far]);
                let before = certain.clone();
                certain = certain.common(&meaning(policy, &message));
                if certain != before {
                    settled = Some(far);
                }
                message.truncate(prefix.len());
            }
        }
        if let Some(far) = settled.filter(|far| *far > 8) {
            // What has answered one question is likely to answer the next one too.
            let one = self.continuations.remove(far);
            self.continuations.insert(4, one);
        }
        certain
    }

    /// What has come out must be the same byte by byte, and whichever way the end is cut in two.
    fn check_cuts(&mut self, message: &str, end: usize) {
        let policy = &self.world.policy;
        let bytes = message.as_bytes();
        let whole = emitted(policy, [bytes]);
        let single = emitted(policy, bytes.chunks(1));
        let mut cut = vec![single];
        for at in end..bytes.len() {
            cut.push(emitted(policy, [&bytes[..at], &bytes[at..]]));
        }
        self.readings += cut.len();
        if let Some(other) = cut.into_iter().find(|other| *other != whole) {
            self.differences
                .cuts
                .push((message.to_owned(), whole, other));
        }
    }
}

/// Many continuations, the short ones first.
fn continuations(world: &World) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut newest = 0;
    for _ in 0..FAR {
        let longer: Vec<String> = all[newest..]
            .iter()
            .flat_map(|one| {
                world
                    .pieces
                    .iter()
                    .map(move |piece| format!("{one}{piece}"))
            })
            .collect();
        newest = all.len();
        all.extend(longer);
        if newest == 1 {
            all.extend(world.endings.iter().map(|ending| (*ending).to_owned()));
        }
    }
    all
}

/// What would complete a piece whose beginning the prefix ends with.
fn rests(prefix: &str, world: &World) -> Vec<&'static str> {
    let rest = |piece: &&'static str| {
        let piece = *piece;
        let cuts = piece.char_indices().skip(1);
        let begun = cuts.filter(|(at, _)| prefix.ends_with(&piece[..*at]));
        begun.map(|(at, _)| &piece[at..]).collect::<Vec<_>>()
    };
    let pieces = world.pieces.iter().chain(world.endings);
    let mut all: Vec<&str> = pieces.flat_map(rest).collect();
    all.sort_unstable();
    all.dedup();
    all
}

struct Difference {
    dialect: &'static str,
    prefix: String,
    got: Reading,
    certain: Reading,
}

impl Difference {
    /// What is certain and has not come out; none if something must be taken back.
    fn held(&self) -> Option<Vec<Seen>> {
        let held = self.got.begins(&self.certain);
        held.then(|| self.got.rest_of(&self.certain))
    }

    fn kind(&self) -> String {
        match self.held() {
            Some(held) => format!("held for nothing: {held:?}"),
            None => "taken back".to_owned(),
        }
    }
}

#[derive(Default)]
struct Differences {
    /// The shortest of each kind, and how many there are.
    kinds: BTreeMap<String, (Difference, usize)>,
    known: usize,
    consequences: usize,
    cuts: Vec<(String, Reading, Reading)>,
}

impl Differences {
    fn add(&mut self, difference: Difference) {
        self.add_some(difference, 1);
    }

    fn add_some(&mut self, difference: Difference, count: usize) {
        let kind = difference.kind();
        match self.kinds.get_mut(&kind) {
            None => {
                self.kinds.insert(kind, (difference, count));
            }
            Some((shortest, all)) => {
                *all += count;
                if difference.prefix.len() < shortest.prefix.len() {
                    *shortest = difference;
                }
            }
        }
    }

    fn merge(&mut self, other: Differences) {
        for (difference, count) in other.kinds.into_values() {
            self.add_some(difference, count);
        }
        self.known += other.known;
        self.consequences += other.consequences;
        self.cuts.extend(other.cuts);
    }

    fn verdict(self) {
        println!("{} known, {} consequences", self.known, self.consequences);
        let mut all: Vec<_> = self.kinds.iter().collect();
        all.sort_by_key(|(_, (difference, _))| difference.prefix.len());
        for (kind, (difference, count)) in all.iter().take(TOLD * 100) {
            println!(
                "{} {:?} ({count} times)\n  {kind}\n  the engine: {:?}\n  certain:    {:?}",
                difference.dialect, difference.prefix, difference.got.0, difference.certain.0
            );
        }
        for (message, whole, cut) in self.cuts.iter().take(TOLD) {
            println!("{message:?}\n  whole: {whole:?}\n  cut:   {cut:?}");
        }
        assert!(self.kinds.is_empty(), "not prompt");
        assert!(self.cuts.is_empty(), "a cut makes a difference");
    }
}

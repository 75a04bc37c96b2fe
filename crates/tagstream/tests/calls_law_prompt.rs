//! Law for calls: no byte waits once its fate is sealed, and nothing is taken back. And what has
//! come out after a prefix does not depend on how the prefix was cut.
//!
//! There is no second parser for calls, so the engine on whole messages is the oracle: what the
//! readings of all messages that begin with a prefix have in common is certain after it, and
//! exactly that must have come out. The prefixes end anywhere, also in the middle of a tag.

use std::collections::HashSet;
use tagstream_testing::calls::differences::{Difference, Differences};
use tagstream_testing::calls::prompt_worlds::{self, World};
use tagstream_testing::calls::seen::{Reading, Seen, emitted, meaning};

/// How many pieces a continuation has at most.
const FAR: usize = 3;

/// After how many differences a world is left.
const ENOUGH: usize = 5;

/// After how many known differences of a world none is worth a closer look.
const LOOKS: usize = 100;

/// What the engine holds although it is certain. The list should be empty.
const KNOWN: &[Known] = &[
    Known {
        reason: "where an argument's opener could end the value, one that cannot is held too",
        covers: |prefix, held| {
            let in_opener = OPENERS.iter().any(|opener| ends_inside(prefix, opener));
            in_opener && matches!(held, [Seen::Delta(_, Some(_), _)])
        },
    },
    Known {
        reason: "a section's start waits for a tag that is a call or text, never nothing",
        covers: |prefix, held| {
            let start = |seen: &Seen| matches!(seen, Seen::Whole(w) if w.starts_with("Thought"));
            ends_inside(prefix, "<tool_call>") && held.first().is_some_and(start)
        },
    },
    Known {
        reason: "white space after a section waits for the opener of the next section",
        covers: |prefix, held| {
            let space = |text: &String| text.trim().is_empty();
            ends_inside(prefix, "<think>") && matches!(held, [Seen::Text(text)] if space(text))
        },
    },
    Known {
        reason: "after a value, the head of another call waits until it is a call or not one",
        covers: |_, held| {
            let has_head = |text: &String| HEADS.iter().any(|head| text.contains(head));
            matches!(held, [Seen::Delta(_, Some(_), text)] if has_head(text))
        },
    },
    Known {
        reason: "an opener of calls in code in a thinking section is held like any other",
        covers: |prefix, held| {
            let is_thought = |seen: &Seen| match seen {
                Seen::Whole(event) => event.starts_with("Thought"),
                seen => matches!(seen, Seen::Thought(_)),
            };
            let ends = ends_inside(prefix, "<tool_call>") || prefix.ends_with("<tool_call>");
            ends && prefix.contains('`') && held.iter().all(is_thought)
        },
    },
    Known {
        reason: "a section that may end in an opener of calls waits for the byte after its closing tag",
        covers: |prefix, held| {
            let start = |seen: &Seen| matches!(seen, Seen::Whole(w) if w.starts_with("Thought"));
            let is_closed = prefix.ends_with("</think>") && prefix.contains("<tool_call>");
            is_closed && held.first().is_some_and(start)
        },
    },
    Known {
        reason: "white space before a wrapper waits until the wrapper has a call or is empty",
        covers: |prefix, held| {
            let space = |text: &String| text.trim().is_empty();
            let is_open = prefix.contains("<|tool_call_start|>");
            is_open && matches!(held, [Seen::Text(text)] if space(text))
        },
    },
];

/// What the heads of calls and their wrappers begin with.
const HEADS: &[&str] = &[
    "<f>",
    "<g>",
    "<function=",
    "<function_calls",
    "<invoke",
    "<minimax:tool_call",
    "<tool_call",
    "<｜DSML｜",
];

/// The openers of arguments.
const OPENERS: &[&str] = &[
    "<parameter=a>",
    "<parameter=b>",
    "<parameter name=\"a\">",
    "<parameter name=\"b\">",
    "<｜DSML｜parameter name=\"a\">",
    "<｜DSML｜parameter name=\"b\" string=\"true\">",
];

/// Whether a prefix ends with a part of this tag.
fn ends_inside(prefix: &str, tag: &str) -> bool {
    let last = prefix.rfind('<').map(|at| &prefix[at..]);
    last.is_some_and(|part| part != tag && tag.starts_with(part))
}

struct Known {
    reason: &'static str,
    /// Whether this is why this was held after this prefix.
    covers: fn(&str, &[Seen]) -> bool,
}

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
fn json_in_place_of_tags() {
    prove(&prompt_worlds::json_in_place_of_tags());
}

#[test]
fn bare_json() {
    prove(&prompt_worlds::bare_json());
}

#[test]
fn several_objects() {
    prove(&prompt_worlds::several_objects());
}

#[test]
fn lists() {
    prove(&prompt_worlds::lists());
}

#[test]
fn kimi_k2() {
    prove(&prompt_worlds::kimi_k2());
}

#[test]
fn thinking() {
    prove(&prompt_worlds::thinking());
}

#[test]
fn ended_thinking() {
    prove(&prompt_worlds::ended_thinking());
}

#[test]
fn python() {
    prove(&prompt_worlds::python());
}

/// What the contract says in words of what waits and what does not.
#[test]
fn the_oracle_knows_what_waits() {
    let worlds = prompt_worlds::tags();
    let certain = |prefix: &str| {
        let nothing = Reading::default();
        Proof::new(&worlds[0]).look(prefix, &nothing, usize::MAX)
    };
    let text = |text: &str| Reading(vec![Seen::Text(text.to_owned())]);
    assert_eq!(certain("x <g"), text("x <g"));
    assert_eq!(certain("x <f"), text("x "));
    assert_eq!(certain(" "), Reading::default());
    let in_value = |prefix: &str| certain(&format!("<f><a>{prefix}")).0.pop();
    let delta = |text: &str| Some(Seen::Delta(0, Some("a".to_owned()), text.to_owned()));
    assert_eq!(in_value("x\n"), delta("x"));
    assert_eq!(in_value("x</a"), delta("x"));
    assert_eq!(in_value("x</a> "), delta("x"));
    assert_eq!(in_value("x</a>y"), delta("x</a>y"));
    assert_eq!(in_value("x<b"), delta("x<b"));
    assert_eq!(in_value("x<a></a"), delta("x<a></a"));
}

fn prove(worlds: &[World]) {
    let mut differences = Differences::default();
    for world in worlds {
        let mut proof = Proof::new(world);
        proof.walk(&mut world.beginning.clone(), 0);
        proof.summary();
        differences.merge(proof.differences);
    }
    let reported = differences.reported();
    assert!(reported.is_empty(), "{}", reported.join("\n"));
}

struct Proof<'w> {
    world: &'w World,
    continuations: Vec<String>,
    /// How many of them are tried before something is taken for a known difference.
    near: usize,
    /// The prefixes that were looked at.
    prefixes: HashSet<String>,
    readings: usize,
    /// How often each known reason was met.
    known: [usize; KNOWN.len()],
    differences: Differences,
}

impl<'w> Proof<'w> {
    fn new(world: &'w World) -> Self {
        Proof {
            world,
            continuations: continuations(world),
            near: 1 + world.pieces.len() + world.endings.len(),
            prefixes: HashSet::new(),
            readings: 0,
            known: [0; KNOWN.len()],
            differences: Differences::default(),
        }
    }

    /// Checks all messages that go on from this one, and each of their prefixes.
    fn walk(&mut self, message: &mut String, length: usize) {
        let end = message.len();
        for piece in &self.world.pieces {
            if self.differences.count >= ENOUGH {
                return;
            }
            for c in piece.chars() {
                message.push(c);
                if self.prefixes.insert(message.clone()) {
                    self.check_prefix(message);
                }
            }
            self.check_cuts(message, end);
            if length + 1 < self.world.length {
                self.walk(message, length + 1);
            }
            message.truncate(end);
        }
    }

    /// After a prefix all that is certain must be out, and no more.
    fn check_prefix(&mut self, prefix: &str) {
        let got = emitted(&self.world.policy, [prefix.as_bytes()]);
        let looked = self.known.iter().sum::<usize>() >= LOOKS;
        for looks in [1, self.near, usize::MAX] {
            let certain = self.look(prefix, &got, looks);
            if got == certain {
                return;
            }
            let difference = self.difference(prefix, &got, certain);
            if (looked || looks > 1) && self.is_known(&difference) {
                return;
            }
            if looks == usize::MAX {
                self.differences.add(difference);
            }
        }
    }

    fn difference(&self, prefix: &str, got: &Reading, certain: Reading) -> Difference {
        Difference {
            dialect: self.world.dialect,
            prefix: prefix.to_owned(),
            got: got.clone(),
            certain,
        }
    }

    fn is_known(&mut self, difference: &Difference) -> bool {
        let Some(held) = difference.held() else {
            return false;
        };
        let reason = KNOWN
            .iter()
            .position(|k| (k.covers)(&difference.prefix, &held));
        reason.inspect(|&reason| self.known[reason] += 1).is_some()
    }

    /// What is certain after a prefix, as far as this many continuations show. They are read only
    /// as long as they can tell more than what has come out.
    fn look(&mut self, prefix: &str, got: &Reading, looks: usize) -> Reading {
        let mut certain = meaning(&self.world.policy, prefix);
        let rests = rests(prefix, self.world);
        for far in 0..self.continuations.len().min(looks) {
            for rest in &rests {
                if certain == *got || !got.begins(&certain) {
                    return certain;
                }
                self.readings += 1;
                let message = [prefix, rest, &self.continuations[far]].concat();
                certain = certain.common(&meaning(&self.world.policy, &message));
            }
            if certain == *got {
                self.try_soon(far);
            }
        }
        certain
    }

    /// What has answered one question is likely to answer the next one too.
    fn try_soon(&mut self, far: usize) {
        if far >= self.near {
            self.continuations[1..=far].rotate_right(1);
        }
    }

    /// What has come out must be the same byte by byte, and wherever the last piece is cut.
    fn check_cuts(&mut self, message: &str, end: usize) {
        let policy = &self.world.policy;
        let bytes = message.as_bytes();
        let whole = emitted(policy, [bytes]);
        let cuts = (end..bytes.len()).map(|at| vec![&bytes[..at], &bytes[at..]]);
        for pieces in cuts.chain([bytes.chunks(1).collect()]) {
            self.readings += 1;
            let cut = emitted(policy, pieces);
            if cut != whole {
                self.differences.add_cut(message, &whole, &cut);
                return;
            }
        }
    }

    fn summary(&self) {
        println!(
            "{:>7} prefixes, {:>8} readings: {} {:?}",
            self.prefixes.len(),
            self.readings,
            self.world.dialect,
            self.world.beginning
        );
        let met = KNOWN.iter().zip(self.known).filter(|(_, count)| *count > 0);
        for (known, count) in met {
            println!("{count:>7} times known: {}", known.reason);
        }
    }
}

/// Many continuations, the short ones first.
fn continuations(world: &World) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut newest = 0;
    for length in 1..=FAR {
        let longer: Vec<String> = all[newest..]
            .iter()
            .flat_map(|one| world.pieces.iter().map(move |piece| [one, *piece].concat()))
            .collect();
        newest = all.len();
        all.extend(longer);
        if length == 1 {
            all.extend(world.endings.iter().cloned());
        }
    }
    all
}

/// Nothing, and what would complete a piece whose beginning the prefix ends with.
fn rests<'w>(prefix: &str, world: &'w World) -> Vec<&'w str> {
    let rests = |piece: &'w str| {
        let cuts = piece.char_indices().skip(1);
        let begun = cuts.filter(|(at, _)| prefix.ends_with(&piece[..*at]));
        begun.map(|(at, _)| &piece[at..]).collect::<Vec<_>>()
    };
    let endings = world.endings.iter().map(String::as_str);
    let pieces = world.pieces.iter().copied().chain(endings);
    let mut all: Vec<&str> = pieces.flat_map(rests).chain([""]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

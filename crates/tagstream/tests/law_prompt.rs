//! Law: no byte waits once its fate is sealed, and nothing is taken back.
//!
//! The oracle reads all messages that begin with a prefix. What their readings have in common is
//! certain after that prefix, and exactly that must have come out of the engine. What is skipped
//! tells at which place of the message something is, so readings are compared with it; but
//! when the engine says that something is skipped is its own business.

use tagstream::{Engine, Policy};
use tagstream_testing::ev::{Ev, common, join, seen};
use tagstream_testing::worlds::{self, World};
use tagstream_testing::{Collected, Reading, describe, oracle::meaning};

/// How many differences of each world are shown in full.
const MAX_SHOWN: usize = 4;

/// After how many differences of a world none is worth a closer look.
const LOOKS: usize = 20;

#[test]
fn tags_and_code() {
    prove(&worlds::tags_and_code());
}

#[test]
fn thinking() {
    prove(&worlds::thinking());
}

#[test]
fn hide_in_thinking() {
    prove(&worlds::hide_in_thinking());
}

#[test]
fn unwrap() {
    prove(&worlds::unwrap());
}

#[test]
fn literals() {
    prove(&worlds::literals());
}

#[test]
fn elements() {
    prove(&worlds::elements());
}

#[test]
fn limits() {
    prove(&worlds::limits());
}

/// What the contract says in words of what waits and what does not.
#[test]
fn the_oracle_knows_what_waits() {
    let world = &worlds::tags_and_code()[0];
    let certain = |prefix: &str| {
        let continuations = world.pieces.iter().chain(world.endings);
        let readings =
            continuations.map(|end| seen(meaning(&world.profile, &format!("{prefix}{end}"))));
        readings.fold(seen(meaning(&world.profile, prefix)), |all, one| {
            common(all, &one)
        })
    };
    let text = |text: &str| join([Ev::Text(text.into())]);
    for prefix in ["<b", "< ", "<5", "</d", "a", "`a", "```a"] {
        assert_eq!(certain(prefix), text(prefix), "after {prefix:?}");
    }
    assert_eq!(certain("<<"), text("<"));
    assert_eq!(certain("a<t"), text("a"));
    assert_eq!(certain("`a<t>b"), text("`a"));
    assert_eq!(certain("a<t> "), text("a"));
}

/// Proves the law in some worlds, and says over how many messages.
fn prove(worlds: &[World]) {
    let mut failures = Vec::new();
    let mut total = 0;
    for world in worlds {
        let mut proof = Proof::new(world);
        proof.certain(&mut String::new(), 0);
        println!(
            "{:>8} messages, {:>8} prefixes: {}",
            proof.messages, proof.prefixes, world.name
        );
        total += proof.messages;
        failures.extend(proof.verdict());
    }
    println!("{total:>8} messages in all");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

struct Proof<'w> {
    world: &'w World,
    policy: Policy,
    messages: usize,
    prefixes: usize,
    differences: usize,
    reported: Vec<String>,
}

impl<'w> Proof<'w> {
    fn new(world: &'w World) -> Self {
        let policy = world.profile.compile().expect("the profile is good");
        Proof {
            world,
            policy,
            messages: 0,
            prefixes: 0,
            differences: 0,
            reported: Vec::new(),
        }
    }

    /// What is certain after this message, if more may come; checks it and all that begin with it.
    fn certain(&mut self, message: &mut String, length: usize) -> Vec<Ev> {
        let meaning = meaning(&self.world.profile, message);
        self.check_whole(message, &meaning);
        let mut certain = meaning;
        let endings = self.world.endings;
        for ending in endings {
            certain = common(certain, &self.reading(message, ending));
        }
        if length < self.world.length {
            for piece in self.world.pieces {
                let end = message.len();
                message.push_str(piece);
                certain = common(certain, &self.certain(message, length + 1));
                message.truncate(end);
            }
        }
        self.check_prefix(message, &certain);
        certain
    }

    fn reading(&self, message: &mut String, ending: &str) -> Vec<Ev> {
        let end = message.len();
        message.push_str(ending);
        let reading = meaning(&self.world.profile, message);
        message.truncate(end);
        reading
    }

    fn check_whole(&mut self, message: &str, wanted: &[Ev]) {
        self.messages += 1;
        let _reading = Reading(message);
        let mut out = Collected::default();
        let mut engine = Engine::new(&self.policy);
        engine.push(message, |event| out.take(&event));
        engine.finish(|event| out.take(&event));
        let got = out.joined();
        if got != wanted {
            self.tell("the whole of", message, &got, wanted);
        }
        if let Err(problem) = out.check_spans(message) {
            self.tell(&format!("{problem} in"), message, &got, wanted);
        }
    }

    /// After a prefix all that is certain must be out, and no more.
    fn check_prefix(&mut self, prefix: &str, certain: &[Ev]) {
        self.prefixes += 1;
        let _reading = Reading(prefix);
        let mut engine = Engine::new(&self.policy);
        let mut events = Vec::new();
        engine.push(prefix, |event| {
            events.push(Ev::of(&event));
        });
        let got = seen(events);
        if got == seen(certain.to_vec()) {
            return;
        }
        if self.world.may_wait && common(got.clone(), &seen(certain.to_vec())) == got {
            return;
        }
        let certain = seen(self.closer_look(prefix, certain, &got));
        if got != certain {
            self.tell("what is certain after", prefix, &got, &certain);
        }
    }

    /// Where the engine waits for something, more continuations may show what for. This is done
    /// only then, because there are many.
    fn closer_look(&self, prefix: &str, certain: &[Ev], got: &[Ev]) -> Vec<Ev> {
        let mut certain = certain.to_vec();
        for continuation in self.world.continuations() {
            let shown = seen(certain.clone());
            let hopeless = self.differences > LOOKS || common(got.to_vec(), &shown) != got;
            if hopeless || shown == got {
                break;
            }
            let message = format!("{prefix}{continuation}");
            certain = common(certain, &meaning(&self.world.profile, &message));
        }
        certain
    }

    fn tell(&mut self, what: &str, message: &str, got: &[Ev], wanted: &[Ev]) {
        self.differences += 1;
        if self.reported.len() < MAX_SHOWN {
            let (got, wanted) = (describe(got), describe(wanted));
            self.reported.push(format!(
                "{what} {message:?}\n  the engine:{got}\n  the oracle:{wanted}"
            ));
        }
    }

    fn verdict(self) -> Option<String> {
        let Proof {
            world,
            differences,
            reported,
            ..
        } = self;
        (differences > 0).then(|| {
            format!(
                "{}: {differences} differences\n{}",
                world.name,
                reported.join("\n")
            )
        })
    }
}

/// As `docs/testing.md` says.
#[test]
fn there_are_two_million_messages_and_one_world_that_may_wait() {
    let worlds = worlds::all();
    let sizes = |world: &World| {
        (0..)
            .take(world.length + 1)
            .map(|n| world.pieces.len().pow(n))
    };
    let total: usize = worlds.iter().flat_map(sizes).sum();
    assert!((2_000_000..2_200_000).contains(&total), "{total}");
    assert_eq!(worlds.iter().filter(|world| world.may_wait).count(), 1);
}

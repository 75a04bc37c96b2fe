//! Random profiles and messages, and the laws that any engine must keep for them.
//!
//! Only [`engine`] knows the library's API. Everything else works on profiles as JSON and on
//! [`Reading`]s, so that the same checks run on any version of the engine.

pub mod brackets;
mod dialect;
pub mod engine;
pub mod hunt;
pub mod known;
pub mod laws;
pub mod message;
pub mod minimize;
pub mod profile;
mod reading;
mod rng;

pub use laws::Case;
pub use reading::{Event, Mark, Reading};
pub use rng::Rng;

use serde_json::Value;

/// What the laws are checked on.
pub trait Subject {
    /// A compiled profile.
    type Policy;

    /// Compiles a profile. Beside the keys of a profile's file it may have `own_dialects`, a list
    /// of dialects as JSON.
    ///
    /// # Errors
    /// The profile is refused.
    fn compile(&self, profile: &Value) -> Result<Self::Policy, String>;

    /// Pushes these chunks, and ends the message if `finish` is true.
    fn read(&self, policy: &Self::Policy, chunks: &[&[u8]], finish: bool) -> Reading;

    /// The built-in dialects as JSON.
    fn dialects(&self) -> Vec<Value>;
}

/// What one random profile was tried with.
#[derive(Debug, Default)]
pub struct Batch {
    /// How many messages were checked.
    pub messages: usize,
    /// The laws that were broken.
    pub failures: Vec<Case>,
}

/// Checks this many random messages with one random profile, both made from the seed. Nothing if
/// the profile is refused.
pub fn batch<S: Subject>(subject: &S, dialects: &[Value], seed: u64, messages: usize) -> Batch {
    let mut rng = Rng::new(seed);
    let profile = profile::profile(&mut rng, dialects);
    let mut batch = Batch::default();
    let Ok(policy) = subject.compile(&profile) else {
        return batch;
    };
    let vocabulary = message::Vocabulary::new(&mut rng, &profile, dialects);
    let mut fail = |chunks: Vec<Vec<u8>>, failure: laws::Failure| {
        batch.failures.push(Case {
            profile: profile.clone(),
            chunks,
            failure,
        });
    };
    for i in 0..messages {
        let mut rng = rng.fork();
        if i % 10 == 0
            && let Some(parts) = vocabulary.json_call(&mut rng)
        {
            let [open, json, close] = &parts;
            if let Err(failure) = laws::check_json(subject, &policy, [open, json, close]) {
                fail(parts.map(String::into_bytes).into(), failure);
            }
        }
        let message = vocabulary.message(&mut rng);
        let checked = laws::check_message(subject, &policy, &mut rng, &vocabulary, &message);
        if let Err(broken) = checked {
            fail(broken.chunks, broken.failure);
        }
    }
    batch.messages = messages;
    if let Err(case) = brackets::check(subject, &mut rng, messages / 20) {
        batch.failures.push(*case);
    }
    batch
}

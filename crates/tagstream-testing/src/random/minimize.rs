//! Makes a failing case small.

use super::Subject;
use super::laws::{Case, Failure, check_cut, check_json};
use serde_json::Value;

/// Enough for all but the strangest cases, and an end for those.
const MAX_ATTEMPTS: usize = 6000;

/// Decides whether a case fails.
pub trait Probe {
    /// A compiled profile.
    type Policy;

    /// None if the profile is refused.
    fn compile(&self, profile: &Value) -> Option<Self::Policy>;

    /// How a message fails, if it does.
    fn check(&self, policy: &Self::Policy, chunks: &[Vec<u8>]) -> Option<Failure>;

    /// The names of the dialects that may take the place of several.
    fn dialects(&self) -> Vec<Value>;
}

/// The laws as a probe.
#[derive(Debug)]
pub struct Laws<'s, S> {
    /// What they are checked on.
    pub subject: &'s S,
    /// Whether it is the law `json`.
    pub json: bool,
}

impl<S: Subject> Probe for Laws<'_, S> {
    type Policy = S::Policy;

    fn compile(&self, profile: &Value) -> Option<S::Policy> {
        self.subject.compile(profile).ok()
    }

    fn check(&self, policy: &S::Policy, chunks: &[Vec<u8>]) -> Option<Failure> {
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        if !self.json {
            return check_cut(self.subject, policy, &slices).err();
        }
        let texts: Vec<&str> = slices
            .iter()
            .map_while(|c| std::str::from_utf8(c).ok())
            .collect();
        let parts = texts.try_into().ok()?;
        check_json(self.subject, policy, parts).err()
    }

    fn dialects(&self) -> Vec<Value> {
        let all = self.subject.dialects().into_iter();
        all.map(|mut dialect| dialect["name"].take()).collect()
    }
}

/// A small case that breaks the same law of the same subject.
pub fn minimize<S: Subject>(subject: &S, case: &Case) -> Case {
    // Such a case is not about a cut, and small as it is.
    if case.failure.law == "brackets" {
        return case.clone();
    }
    let json = case.failure.law == "json";
    minimize_with(&Laws { subject, json }, case)
}

/// A small case that fails in the same way.
pub fn minimize_with<P: Probe>(probe: &P, case: &Case) -> Case {
    let mut shrinker = Shrinker {
        probe,
        best: case.clone(),
        attempts: 0,
    };
    loop {
        let before = shrinker.size();
        shrinker.shrink_message();
        shrinker.shrink_profile();
        if shrinker.size() >= before || shrinker.attempts > MAX_ATTEMPTS {
            return shrinker.best;
        }
    }
}

struct Shrinker<'a, P> {
    probe: &'a P,
    best: Case,
    attempts: usize,
}

impl<P: Probe> Shrinker<'_, P> {
    fn size(&self) -> (usize, usize, usize) {
        let profile = self.best.profile.to_string().len();
        let plain = self.best.chunks.iter().flatten().filter(|b| **b != b'x');
        (
            self.best.chunks.concat().len() + profile,
            plain.count(),
            self.best.chunks.len(),
        )
    }

    fn is_json(&self) -> bool {
        self.best.failure.law == "json"
    }

    fn attempt(&mut self, policy: &P::Policy, chunks: &[Vec<u8>]) -> Option<Failure> {
        self.attempts += 1;
        if self.attempts > MAX_ATTEMPTS {
            return None;
        }
        let was_text = std::str::from_utf8(&self.best.chunks.concat()).is_ok();
        if was_text && std::str::from_utf8(&chunks.concat()).is_err() {
            return None;
        }
        let failure = self.probe.check(policy, chunks)?;
        (failure.law == self.best.failure.law).then_some(failure)
    }

    fn try_chunks(&mut self, policy: &P::Policy, chunks: Vec<Vec<u8>>) -> bool {
        let Some(failure) = self.attempt(policy, &chunks) else {
            return false;
        };
        self.best.chunks = chunks;
        self.best.failure = failure;
        true
    }

    fn shrink_message(&mut self) {
        let Some(policy) = self.probe.compile(&self.best.profile) else {
            return;
        };
        if !self.is_json() {
            self.merge_chunks(&policy);
        }
        let mut size = self.best.chunks.concat().len() / 2;
        while size > 0 {
            self.remove_bytes(&policy, size);
            size /= 2;
        }
        self.simplify_bytes(&policy);
    }

    /// Whether there is one cut, and not inside a character.
    fn is_in_two_characters(&self) -> bool {
        let [a, b] = self.best.chunks.as_slice() else {
            return false;
        };
        std::str::from_utf8(a).is_ok() && std::str::from_utf8(b).is_ok()
    }

    /// Fewer cuts.
    fn merge_chunks(&mut self, policy: &P::Policy) {
        let message = self.best.chunks.concat();
        let is_inside = |end: &usize| message.get(*end).is_some_and(|byte| byte & 0xc0 == 0x80);
        let mut ends: Vec<usize> = (0..=message.len()).collect();
        ends.sort_by_key(is_inside);
        for end in ends {
            if self.best.chunks.len() == 1 || self.is_in_two_characters() {
                break;
            }
            let (a, b) = message.split_at(end);
            if self.try_chunks(policy, vec![a.to_vec(), b.to_vec()]) {
                break;
            }
        }
        let mut i = 0;
        while i + 1 < self.best.chunks.len() {
            let mut chunks = self.best.chunks.clone();
            let next = chunks.remove(i + 1);
            chunks[i].extend(next);
            if !self.try_chunks(policy, chunks) {
                i += 1;
            }
        }
    }

    /// Removes stretches of this length.
    fn remove_bytes(&mut self, policy: &P::Policy, size: usize) {
        let mut at = 0;
        while at + size <= self.best.chunks.concat().len() {
            let chunks = without(&self.best.chunks, at, size, self.is_json());
            if !self.try_chunks(policy, chunks) {
                at += 1;
            }
        }
    }

    /// Puts `x` wherever anything will do.
    fn simplify_bytes(&mut self, policy: &P::Policy) {
        for chunk in 0..self.best.chunks.len() {
            for at in 0..self.best.chunks.get(chunk).map_or(0, Vec::len) {
                let mut chunks = self.best.chunks.clone();
                let Some(byte) = chunks.get_mut(chunk).and_then(|chunk| chunk.get_mut(at)) else {
                    continue;
                };
                if *byte != b'x' && byte.is_ascii() {
                    *byte = b'x';
                    self.try_chunks(policy, chunks);
                }
            }
        }
    }

    fn shrink_profile(&mut self) {
        let mut changed = true;
        while changed && self.attempts < MAX_ATTEMPTS {
            changed = false;
            for smaller in smaller_profiles(&self.best.profile) {
                if self.try_profile(smaller) {
                    changed = true;
                    break;
                }
            }
        }
        self.choose_dialect();
    }

    fn try_profile(&mut self, profile: Value) -> bool {
        let Some(policy) = self.probe.compile(&profile) else {
            return false;
        };
        let chunks = self.best.chunks.clone();
        let Some(failure) = self.attempt(&policy, &chunks) else {
            return false;
        };
        self.best.profile = profile;
        self.best.failure = failure;
        true
    }

    /// One dialect in place of all.
    fn choose_dialect(&mut self) {
        let calls = self.best.profile.get("calls");
        let is_auto = calls.is_some_and(
            |calls| !matches!(&calls["dialect"], Value::String(name) if name != "auto"),
        );
        if !is_auto {
            return;
        }
        for dialect in self.probe.dialects() {
            let mut profile = self.best.profile.clone();
            profile["calls"]["dialect"] = dialect;
            if self.try_profile(profile) {
                return;
            }
        }
    }
}

/// The chunks without a stretch of the message; empty chunks are left out.
fn without(chunks: &[Vec<u8>], at: usize, size: usize, keep_empty: bool) -> Vec<Vec<u8>> {
    let mut place = 0;
    let mut out = Vec::new();
    for chunk in chunks {
        let kept = chunk
            .iter()
            .enumerate()
            .filter(|(i, _)| !(at..at + size).contains(&(place + i)));
        let kept: Vec<u8> = kept.map(|(_, byte)| *byte).collect();
        place += chunk.len();
        if keep_empty || !kept.is_empty() {
            out.push(kept);
        }
    }
    out
}

/// The profile with one thing less, the largest first.
fn smaller_profiles(profile: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match profile {
        Value::Object(map) => {
            for key in map.keys() {
                let mut less = map.clone();
                less.remove(key);
                all.push(Value::Object(less));
            }
            for (key, value) in map {
                for smaller in smaller_profiles(value) {
                    let mut less = map.clone();
                    less.insert(key.clone(), smaller);
                    all.push(Value::Object(less));
                }
            }
        }
        Value::Array(list) => {
            for i in 0..list.len() {
                let mut less = list.clone();
                less.remove(i);
                all.push(Value::Array(less));
            }
            for (i, value) in list.iter().enumerate() {
                for smaller in smaller_profiles(value) {
                    let mut less = list.clone();
                    less[i] = smaller;
                    all.push(Value::Array(less));
                }
            }
        }
        Value::String(text) if text.chars().count() > 1 => {
            let mut last = text.clone();
            last.pop();
            let first: String = text.chars().skip(1).collect();
            all.extend([Value::from(last), Value::from(first)]);
        }
        _ => {}
    }
    all
}

//! What was wrong after which prefix, and how it is reported.

use super::seen::{Reading, Seen};
use std::collections::BTreeMap;

/// After a prefix something else had come out than what is certain there.
pub struct Difference {
    pub dialect: &'static str,
    pub prefix: String,
    pub got: Reading,
    pub certain: Reading,
}

impl Difference {
    /// What is certain and has not come out; none if something would have to be taken back.
    pub fn held(&self) -> Option<Vec<Seen>> {
        let held = self.got.begins(&self.certain);
        held.then(|| self.got.rest_of(&self.certain))
    }

    fn kind(&self) -> String {
        match self.held() {
            Some(held) => format!("{} held for nothing: {held:?}", self.dialect),
            None => format!("{} not certain", self.dialect),
        }
    }

    fn tell(&self) -> String {
        let (got, certain) = (&self.got.0, &self.certain.0);
        let kind = self.kind();
        let prefix = &self.prefix;
        format!("{kind}\n  after:   {prefix:?}\n  is out:  {got:?}\n  certain: {certain:?}")
    }
}

/// All that was wrong.
#[derive(Default)]
pub struct Differences {
    /// The shortest of each kind, and how many there are.
    kinds: BTreeMap<String, (Difference, usize)>,
    cuts: Vec<String>,
    pub count: usize,
}

impl Differences {
    pub fn add(&mut self, difference: Difference) {
        self.add_some(difference, 1);
    }

    /// A cut of this prefix makes a difference.
    pub fn add_cut(&mut self, prefix: &str, whole: &Reading, cut: &Reading) {
        self.count += 1;
        let (whole, cut) = (&whole.0, &cut.0);
        self.cuts.push(format!(
            "a cut makes a difference\n  after: {prefix:?}\n  whole: {whole:?}\n  cut:   {cut:?}"
        ));
    }

    fn add_some(&mut self, difference: Difference, count: usize) {
        self.count += count;
        let kind = difference.kind();
        if let Some((shortest, all)) = self.kinds.get_mut(&kind) {
            *all += count;
            if difference.prefix.len() < shortest.prefix.len() {
                *shortest = difference;
            }
        } else {
            self.kinds.insert(kind, (difference, count));
        }
    }

    pub fn merge(&mut self, other: Differences) {
        for (difference, count) in other.kinds.into_values() {
            self.add_some(difference, count);
        }
        self.count += other.cuts.len();
        self.cuts.extend(other.cuts);
    }

    /// Each kind of difference with its shortest prefix, shortest first.
    pub fn reported(self) -> Vec<String> {
        let mut all: Vec<_> = self.kinds.into_values().collect();
        all.sort_by_key(|(shortest, _)| shortest.prefix.len());
        let tell =
            |(shortest, count): (Difference, usize)| format!("{} ({count})", shortest.tell());
        all.into_iter().map(tell).chain(self.cuts).collect()
    }
}

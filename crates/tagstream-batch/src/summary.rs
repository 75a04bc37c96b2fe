//! What was found in all records.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tagstream::message::Message;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Summary {
    /// Files that were read, or that an earlier run had finished.
    pub files: u64,
    /// Files that could not be read, or do not fit the settings, among others: they have no output.
    pub failed: u64,
    /// Those among the files that were complete before this run and have no journal any more: what is in them
    /// is not counted.
    pub uncounted: u64,
    /// Records, with the bad ones.
    pub records: u64,
    /// Records that could not be read and were passed on with their error.
    pub bad: u64,
    /// Messages whose text was read: of a record, or of the assistant in a list of messages.
    pub messages: u64,
    /// The bytes of their text.
    pub text_bytes: u64,
    /// Texts that are null: they stay so.
    pub nulls: u64,
    /// Thoughts.
    pub thoughts: u64,
    /// Calls that are complete and valid.
    pub calls: u64,
    /// Refused calls, each by the code of its first problem.
    pub refused: BTreeMap<String, u64>,
    /// Notices by code, without those about refused calls.
    pub notices: BTreeMap<String, u64>,
    /// Records that had a field of the name of an added column, which was replaced.
    pub replaced: u64,
}

impl Summary {
    /// Counts a message.
    pub(crate) fn count(&mut self, text: &str, message: &Message) {
        self.messages += 1;
        self.text_bytes += text.len() as u64;
        self.thoughts += message.thoughts.len() as u64;
        self.calls += message.tool_calls.len() as u64;
        let mut last = None;
        for notice in &message.notices {
            if notice.call.is_none() {
                bump(&mut self.notices, notice.code, 1);
            } else if notice.call != last {
                bump(&mut self.refused, notice.code, 1);
                last = notice.call;
            }
        }
    }

    /// Adds what another part of the run has found.
    pub(crate) fn add(&mut self, other: &Summary) {
        self.files += other.files;
        self.failed += other.failed;
        self.uncounted += other.uncounted;
        self.records += other.records;
        self.bad += other.bad;
        self.messages += other.messages;
        self.text_bytes += other.text_bytes;
        self.nulls += other.nulls;
        self.thoughts += other.thoughts;
        self.calls += other.calls;
        self.replaced += other.replaced;
        for (code, count) in &other.refused {
            bump(&mut self.refused, code, *count);
        }
        for (code, count) in &other.notices {
            bump(&mut self.notices, code, *count);
        }
    }
}

fn bump(counts: &mut BTreeMap<String, u64>, code: &str, by: u64) {
    if let Some(count) = counts.get_mut(code) {
        *count += by;
    } else {
        counts.insert(code.to_owned(), by);
    }
}

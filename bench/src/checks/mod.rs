//! Correctness: what a contender makes of short messages, however they are cut.

pub mod thinking;

use serde_json::{Value, json};

use crate::message::cut;

/// Chunks of every size up to this one are tried, with every length of the first chunk.
const LARGEST_CHUNK_BYTES: usize = 8;

/// What a contender made of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The same right result for every cutting.
    Right,
    /// The same wrong result for every cutting.
    Wrong,
    /// The result depends on the cutting.
    DependsOnCut { right: usize, cuttings: usize },
}

impl Outcome {
    /// Reads the message once for each cutting.
    pub fn of<T: PartialEq>(
        text: &str,
        read: impl Fn(&[&str]) -> T,
        is_right: impl Fn(&T) -> bool,
    ) -> Self {
        let results: Vec<T> = cuttings(text).iter().map(|chunks| read(chunks)).collect();
        let right = results.iter().filter(|result| is_right(result)).count();
        if results.iter().any(|result| *result != results[0]) {
            let cuttings = results.len();
            Outcome::DependsOnCut { right, cuttings }
        } else if right > 0 {
            Outcome::Right
        } else {
            Outcome::Wrong
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Right => f.pad("right"),
            Outcome::Wrong => f.pad("WRONG"),
            Outcome::DependsOnCut { right, cuttings } => f.pad(&format!("{right} of {cuttings}")),
        }
    }
}

/// The message whole, in every pair of chunks, and in chunks of 1 to 8 bytes with every length of
/// the first chunk.
fn cuttings(text: &str) -> Vec<Vec<&str>> {
    let pairs = (1..text.len())
        .filter(|&at| text.is_char_boundary(at))
        .map(|at| vec![&text[..at], &text[at..]]);
    let sizes = (1..=LARGEST_CHUNK_BYTES)
        .flat_map(|size| (1..=size).map(move |first| cut(text, first, Some(size))));
    std::iter::once(vec![text])
        .chain(pairs)
        .chain(sizes)
        .collect()
}

/// The outcomes of one contender, one for each message.
pub struct Row {
    /// The format of the calls; empty for thinking.
    pub format: &'static str,
    pub name: &'static str,
    pub outcomes: Vec<Outcome>,
}

/// The outcomes of all contenders.
pub struct Checks {
    /// What the messages try.
    pub probes: Vec<&'static str>,
    pub rows: Vec<Row>,
}

impl Checks {
    pub fn print(&self) {
        println!("\nresults over all cuttings; `n of m`: they differ, and n of m are right\n");
        let label = self.rows.iter().map(|row| row.format.len()).max();
        let label = label
            .filter(|&width| width > 0)
            .map_or(0, |width| width + 1);
        print!(
            "{:<label$}{:<33}",
            if label > 0 { "format" } else { "" },
            "contender"
        );
        for probe in &self.probes {
            print!(" {probe:>15}");
        }
        println!();
        for row in &self.rows {
            print!("{:<label$}{:<33}", row.format, row.name);
            for outcome in &row.outcomes {
                print!(" {outcome:>15}");
            }
            println!();
        }
    }

    pub fn to_json(&self) -> Value {
        let row = |row: &Row| {
            let outcomes = self.probes.iter().zip(&row.outcomes);
            let outcomes: serde_json::Map<_, _> = outcomes
                .map(|(probe, outcome)| ((*probe).to_owned(), json!(outcome.to_string())))
                .collect();
            json!({"format": row.format, "name": row.name, "outcomes": outcomes})
        };
        self.rows.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_sees_only_whole_tags_depends_on_the_cut() {
        let count = |chunks: &[&str]| {
            let found = chunks.iter().map(|chunk| chunk.matches("<b>").count());
            found.sum::<usize>()
        };
        let outcome = Outcome::of("a<b>c", count, |&found| found == 1);
        assert!(matches!(outcome, Outcome::DependsOnCut { right, .. } if right > 0));
        assert_eq!(
            Outcome::of("abc", count, |&found| found == 0),
            Outcome::Right
        );
        assert_eq!(
            Outcome::of("abc", count, |&found| found == 1),
            Outcome::Wrong
        );
    }

    #[test]
    fn every_cutting_is_the_message() {
        let text = "naïve → done";
        assert!(cuttings(text).iter().all(|chunks| chunks.concat() == text));
    }
}

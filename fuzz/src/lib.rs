//! What the targets share: profiles, and messages and cuts made from the fuzzer's bytes. The laws
//! themselves are the tests' own.

pub mod calls;
pub mod hostile;
pub mod profiles;

pub use tagstream_testing::laws;

use arbitrary::Arbitrary;
use tagstream::Profile;

/// A message and how it is cut.
#[derive(Arbitrary, Debug)]
pub struct Input<'a> {
    /// The lengths of the pieces, over and over.
    lengths: [u8; 4],
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// The bytes as they are.
    pub fn raw(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bytes from 128 on stand for markup of the profile, so that the fuzzer need not guess it.
    pub fn spelled(&self, profile: &Profile) -> Vec<u8> {
        self.spelled_with(&markup(profile))
    }

    /// Bytes from 128 on stand for these.
    pub fn spelled_with(&self, markup: &[String]) -> Vec<u8> {
        let spell = |byte: &u8| match byte.checked_sub(128) {
            Some(n) => markup[usize::from(n) % markup.len()].clone().into_bytes(),
            None => vec![*byte],
        };
        self.bytes.iter().flat_map(spell).collect()
    }

    /// The message in pieces: short ones, long ones, also empty ones.
    pub fn cut<'m>(&self, message: &'m [u8]) -> Vec<&'m [u8]> {
        let lengths = self.lengths.map(|byte| match byte {
            0..192 => usize::from(byte % 12),
            long => usize::from(long),
        });
        let mut pieces = Vec::new();
        let mut rest = message;
        for length in lengths.into_iter().cycle() {
            if rest.is_empty() || lengths == [0; 4] {
                break;
            }
            let (piece, remaining) = rest.split_at(length.min(rest.len()));
            pieces.push(piece);
            rest = remaining;
        }
        pieces.push(rest);
        pieces
    }
}

/// Tags and literals of a profile, whole and in part, and what matters in any.
fn markup(profile: &Profile) -> Vec<String> {
    let thinking = &profile.thinking;
    let elements = profile.elements.iter();
    let names = elements.flat_map(|e| [&e.name].into_iter().chain(&e.children));
    let names = names.chain(&thinking.tags);
    let names = names.chain(&profile.hide).chain(&profile.unwrap);
    let tags = names.flat_map(|name| {
        let name = if name == "*" { "any" } else { name };
        ["<*>", "</*>", "<*/>", "<* ", "</*", "<*"].map(|form| form.replace('*', name))
    });
    let pairs = thinking
        .delimiters
        .iter()
        .chain(&thinking.answers)
        .flatten();
    let literals = pairs.chain(&thinking.ends_before);
    let literals = literals.chain(&profile.markers).cloned();
    let others = ["`", "``", "```", "~~~", "\n", "\n\n", " ", "é", "｜", "😀"];
    tags.chain(literals)
        .chain(others.map(String::from))
        .collect()
}

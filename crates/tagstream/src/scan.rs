//! Finding the next byte at which something could begin.

/// The bytes to stop at. memchr takes up to three; more are looked up in a table.
#[derive(Clone, Debug)]
pub(crate) struct Stops {
    needles: Needles,
    is_stop: [bool; 256],
}

#[derive(Clone, Copy, Debug)]
enum Needles {
    None,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many,
}

impl Stops {
    pub(crate) fn new(stops: impl IntoIterator<Item = u8>) -> Self {
        let mut bytes: Vec<u8> = stops.into_iter().collect();
        bytes.sort_unstable();
        bytes.dedup();
        let needles = match bytes[..] {
            [] => Needles::None,
            [a] => Needles::One(a),
            [a, b] => Needles::Two(a, b),
            [a, b, c] => Needles::Three(a, b, c),
            _ => Needles::Many,
        };
        let mut is_stop = [false; 256];
        for byte in bytes {
            is_stop[usize::from(byte)] = true;
        }
        Stops { needles, is_stop }
    }

    /// Whether something may begin at this byte.
    #[inline]
    pub(crate) fn stop(&self, byte: u8) -> bool {
        self.is_stop[usize::from(byte)]
    }

    /// The first of `bytes` to stop at.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self.needles {
            Needles::None => None,
            Needles::One(a) => memchr::memchr(a, bytes),
            Needles::Two(a, b) => memchr::memchr2(a, b, bytes),
            Needles::Three(a, b, c) => memchr::memchr3(a, b, c, bytes),
            Needles::Many => bytes.iter().position(|b| self.stop(*b)),
        }
    }

    /// The same stops, and perhaps line breaks, for short texts; none if there are too many.
    pub(crate) fn few(&self, line_breaks: bool) -> Option<Few> {
        let (a, b, c) = match self.needles {
            Needles::None => return line_breaks.then(|| Few::new([b'\n'; 4])),
            Needles::One(a) => (a, a, a),
            Needles::Two(a, b) => (a, b, b),
            Needles::Three(a, b, c) => (a, b, c),
            Needles::Many => return None,
        };
        Some(Few::new([a, b, c, if line_breaks { b'\n' } else { a }]))
    }
}

/// Up to four bytes to stop at, looked for in a word at a time: for chunks so short that a call
/// of memchr costs more than the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Few {
    needles: [u8; 4],
}

/// A byte in every place of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Nonzero if the byte is in the word.
#[inline]
fn has(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & (ONES << 7)
}

/// What was found in a short text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) stop: bool,
    /// A line break or a backtick.
    pub(crate) line: bool,
}

impl Few {
    pub(crate) const SHORT: usize = 16;

    pub(crate) fn new(needles: [u8; 4]) -> Self {
        Few { needles }
    }

    /// Looks through at most [`SHORT`](Self::SHORT) bytes.
    #[inline]
    pub(crate) fn look(&self, bytes: &[u8]) -> Seen {
        // Two words that overlap cover any length.
        let (first, last) = match *bytes {
            [a, b, c, d] => {
                let word = u32::from_le_bytes([a, b, c, d]);
                let word = u64::from(word) * 0x1_0000_0001;
                (word, word)
            }
            [a, b, c, d, .., w, x, y, z] if bytes.len() <= 8 => {
                let first = u32::from_le_bytes([a, b, c, d]);
                let last = u32::from_le_bytes([w, x, y, z]);
                let word = u64::from(first) | u64::from(last) << 32;
                (word, word)
            }
            _ => match (bytes.first_chunk(), bytes.last_chunk()) {
                (Some(first), Some(last)) => {
                    (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
                }
                _ => {
                    let word = bytes
                        .iter()
                        .fold(ONES, |word, byte| word << 8 | u64::from(*byte));
                    (word, word)
                }
            },
        };
        let any = |byte| has(first, byte) | if first == last { 0 } else { has(last, byte) };
        let stop = self.needles.iter().fold(0, |all, byte| all | any(*byte));
        Seen {
            stop: stop != 0,
            line: any(b'\n') | any(b'`') != 0,
        }
    }

    /// Whether any of them is in a longer text.
    #[inline]
    pub(crate) fn any(&self, bytes: &[u8]) -> bool {
        let [a, b, c, d] = self.needles;
        memchr::memchr3(a, b, c, bytes).is_some() || (d != a && memchr::memchr(d, bytes).is_some())
    }
}

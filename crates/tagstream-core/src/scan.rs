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

    /// The same stops and one more byte, for a quick search; `None` if there are too many.
    pub(crate) fn few(&self, more: u8) -> Option<Few> {
        let stops = match self.needles {
            Needles::None => [more; 3],
            Needles::One(a) => [a; 3],
            Needles::Two(a, b) => [a, b, b],
            Needles::Three(a, b, c) => [a, b, c],
            Needles::Many => return None,
        };
        Some(Few { stops, more })
    }
}

/// Up to three bytes to stop at and one more to look for, in short texts: calling memchr would cost
/// more than the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Few {
    pub(crate) stops: [u8; 3],
    pub(crate) more: u8,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) stop: bool,
    pub(crate) more: bool,
}

impl Seen {
    fn and(self, other: Seen) -> Seen {
        Seen {
            stop: self.stop | other.stop,
            more: self.more | other.more,
        }
    }
}

/// A one in every byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Nonzero if the byte is in the word; the lowest bit that is set is in its first occurrence.
#[inline]
pub(crate) fn has(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * u64::from(byte)), 1)
}

/// The same for any byte below this one, which is ASCII.
#[inline]
pub(crate) fn below(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(byte)) & !word & (ONES << 7)
}

impl Few {
    /// At most this many bytes are searched at once.
    pub(crate) const MOST: usize = 16;

    /// Searches a short text.
    #[inline]
    pub(crate) fn look(&self, bytes: &[u8]) -> Seen {
        // Two words that overlap cover any length from one word to two.
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let first = self.look_at_word(u64::from_le_bytes(*first));
                first.and(self.look_at_word(u64::from_le_bytes(*last)))
            }
            _ => self.look_at_word(short_word(bytes)),
        }
    }

    #[inline]
    fn look_at_word(&self, word: u64) -> Seen {
        let [a, b, c] = self.stops;
        Seen {
            stop: has(word, a) | has(word, b) | has(word, c) != 0,
            more: has(word, self.more) != 0,
        }
    }

    /// Whether any of them is in a text of any length.
    pub(crate) fn any(&self, bytes: &[u8]) -> bool {
        let [a, b, c] = self.stops;
        memchr::memchr3(a, b, c, bytes).is_some() || memchr::memchr(self.more, bytes).is_some()
    }
}

/// Whether the test holds for one of the words that cover a short text.
#[inline(always)]
pub(crate) fn any_word(bytes: &[u8], test: impl Fn(u64) -> bool) -> bool {
    // Two words that overlap cover any length from one word to two.
    let (first, last) = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let word = short_word(bytes);
            (word, word)
        }
    };
    test(first) || last != first && test(last)
}

/// Fewer than eight bytes in one word, some of them twice, padded with spaces, which nobody looks
/// for.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << 32
        }
        _ => bytes.iter().fold(ONES * u64::from(b' '), |word, byte| {
            word << 8 | u64::from(*byte)
        }),
    }
}

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

    /// The same stops and one more byte, for a quick look; none if there are too many.
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

/// Up to three bytes to stop at and one more to look for. A short text is looked through a word
/// at a time: a call of memchr would cost more than the search.
#[derive(Clone, Copy, Debug)]
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

/// Nonzero if the byte is in the word.
#[inline]
fn has(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & (ONES << 7)
}

/// From here on memchr is faster.
const LONG: usize = 256;

impl Few {
    #[inline]
    pub(crate) fn look(&self, bytes: &[u8]) -> Seen {
        // Two words that overlap cover any length from one word to two.
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) if bytes.len() <= 16 => {
                let first = self.look_at_word(u64::from_le_bytes(*first));
                first.and(self.look_at_word(u64::from_le_bytes(*last)))
            }
            (Some(_), Some(_)) => self.look_at_long(bytes),
            _ => self.look_at_short(bytes),
        }
    }

    #[inline]
    fn look_at_short(&self, bytes: &[u8]) -> Seen {
        let word = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                u64::from(first) | u64::from(last) << 32
            }
            _ => bytes
                .iter()
                .fold(ONES, |word, byte| word << 8 | u64::from(*byte)),
        };
        self.look_at_word(word)
    }

    #[inline]
    fn look_at_word(&self, word: u64) -> Seen {
        let [a, b, c] = self.stops;
        Seen {
            stop: has(word, a) | has(word, b) | has(word, c) != 0,
            more: has(word, self.more) != 0,
        }
    }

    fn look_at_long(&self, bytes: &[u8]) -> Seen {
        let [a, b, c] = self.stops;
        if bytes.len() > LONG {
            return Seen {
                stop: memchr::memchr3(a, b, c, bytes).is_some(),
                more: memchr::memchr(self.more, bytes).is_some(),
            };
        }
        let (blocks, rest) = bytes.as_chunks::<16>();
        let seen = self.look_at_blocks(blocks.as_flattened());
        match bytes.last_chunk::<16>() {
            Some(last) if !rest.is_empty() => seen.and(self.look_at_blocks(last)),
            _ => seen,
        }
    }

    /// Goes to the end in any case, so that the compiler may compare many bytes at once.
    #[inline]
    fn look_at_blocks(&self, bytes: &[u8]) -> Seen {
        let [a, b, c] = self.stops;
        match a == c {
            true => look_at_all(bytes, |byte| byte == a, self.more),
            false => look_at_all(
                bytes,
                |byte| (byte == a) | (byte == b) | (byte == c),
                self.more,
            ),
        }
    }
}

#[inline]
fn look_at_all(bytes: &[u8], is_stop: impl Fn(u8) -> bool, more: u8) -> Seen {
    bytes.iter().fold(Seen::default(), |seen, byte| Seen {
        stop: seen.stop | is_stop(*byte),
        more: seen.more | (*byte == more),
    })
}

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
        let (a, b, c) = match self.needles {
            Needles::None => (more, more, more),
            Needles::One(a) => (a, more, more),
            Needles::Two(a, b) => (a, b, more),
            Needles::Three(a, b, c) => (a, b, c),
            Needles::Many => return None,
        };
        Some(Few {
            needles: [a, b, c, more],
        })
    }
}

/// Up to four bytes to look for. A short text is looked through a word at a time: a call of
/// memchr would cost more than the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Few {
    needles: [u8; 4],
}

/// A one in every byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Nonzero if the byte is in the word.
#[inline]
fn has(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & (ONES << 7)
}

impl Few {
    pub(crate) fn with_backtick(needle: u8) -> Self {
        Few {
            needles: [needle, needle, needle, b'`'],
        }
    }

    /// Whether any of them is in the text.
    #[inline]
    pub(crate) fn any(&self, bytes: &[u8]) -> bool {
        // Two words that overlap cover any length from one word to two.
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) if bytes.len() <= 16 => {
                let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
                self.in_word(first) || self.in_word(last)
            }
            (Some(_), Some(_)) => self.in_long(bytes),
            _ => self.in_short(bytes),
        }
    }

    #[inline]
    fn in_short(&self, bytes: &[u8]) -> bool {
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                self.in_word(u64::from(first) | u64::from(last) << 32)
            }
            // The ones before them are no needles: nothing begins with a control character.
            _ => self.in_word(
                bytes
                    .iter()
                    .fold(ONES, |word, byte| word << 8 | u64::from(*byte)),
            ),
        }
    }

    #[inline]
    fn in_word(&self, word: u64) -> bool {
        let [a, b, c, d] = self.needles;
        has(word, a) | has(word, b) | has(word, c) | has(word, d) != 0
    }

    fn in_long(&self, bytes: &[u8]) -> bool {
        let [a, b, c, d] = self.needles;
        if bytes.len() > LONG {
            let three = memchr::memchr3(a, b, c, bytes).is_some();
            return three || (c != d && memchr::memchr(d, bytes).is_some());
        }
        let (blocks, rest) = bytes.as_chunks::<16>();
        let last = match bytes.last_chunk::<16>() {
            Some(last) if !rest.is_empty() => last.as_slice(),
            _ => &[],
        };
        self.in_blocks(blocks.as_flattened()) || self.in_blocks(last)
    }

    /// Goes to the end in any case, so that the compiler may compare many bytes at once.
    #[inline]
    fn in_blocks(&self, bytes: &[u8]) -> bool {
        let [a, b, c, d] = self.needles;
        let is_one = |byte: u8| (byte == a) | (byte == b) | (byte == c) | (byte == d);
        bytes.iter().fold(false, |seen, byte| seen | is_one(*byte))
    }
}

/// From here on memchr is faster.
const LONG: usize = 256;

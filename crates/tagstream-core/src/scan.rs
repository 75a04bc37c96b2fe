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
        let is_short = bytes.len() <= ShortSearch::MAX_BYTES;
        match self.needles {
            Needles::None => None,
            Needles::One(a) if is_short => find_in_words(bytes, |word| has(word, a)),
            Needles::Two(a, b) if is_short => {
                find_in_words(bytes, |word| has(word, a) | has(word, b))
            }
            Needles::One(a) => memchr::memchr(a, bytes),
            Needles::Two(a, b) => memchr::memchr2(a, b, bytes),
            Needles::Three(a, b, c) => memchr::memchr3(a, b, c, bytes),
            Needles::Many => bytes.iter().position(|b| self.stop(*b)),
        }
    }

    /// The same stops and one more byte, for a quick search; `None` if there are too many.
    pub(crate) fn short_search(&self, more: u8) -> Option<ShortSearch> {
        let stops = match self.needles {
            Needles::None => [more; 3],
            Needles::One(a) => [a; 3],
            Needles::Two(a, b) => [a, b, b],
            Needles::Three(a, b, c) => [a, b, c],
            Needles::Many => return None,
        };
        Some(ShortSearch::new(stops, more))
    }
}

/// Up to three bytes to stop at and one more to look for, in short texts: calling memchr would cost
/// more than the search. Each byte is repeated in a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortSearch {
    stops: [u64; 3],
    more: u64,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShortMatch {
    pub(crate) stop: bool,
    pub(crate) more: bool,
}

/// A one in every byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The byte, in every byte of a word.
const fn repeat(byte: u8) -> u64 {
    ONES * byte as u64
}

/// Nonzero if the byte is in the word; the lowest bit that is set is in its first occurrence.
#[inline]
pub(crate) fn has(word: u64, byte: u8) -> u64 {
    below(word ^ repeat(byte), 1)
}

/// The same for any byte below this one, which is ASCII.
#[inline]
pub(crate) fn below(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(repeat(byte)) & !word & (ONES << 7)
}

impl ShortSearch {
    /// At most this many bytes are searched at once.
    pub(crate) const MAX_BYTES: usize = 16;

    pub(crate) const fn new([a, b, c]: [u8; 3], more: u8) -> Self {
        ShortSearch {
            stops: [repeat(a), repeat(b), repeat(c)],
            more: repeat(more),
        }
    }

    /// The byte that is looked for besides those to stop at.
    #[inline]
    pub(crate) fn more(&self) -> u8 {
        self.more.to_le_bytes()[0]
    }

    /// Searches a short text.
    #[inline(always)]
    pub(crate) fn look(&self, bytes: &[u8]) -> ShortMatch {
        let (stops, more) = in_words(bytes, |word| (self.stops_in(word), self.more_in(word)));
        ShortMatch {
            stop: stops != 0,
            more: more != 0,
        }
    }

    /// Whether a byte to stop at, or a control character, is in a short text.
    #[inline(always)]
    pub(crate) fn stop_or_control(&self, bytes: &[u8]) -> bool {
        let in_word = |word| self.stops_in(word) | below(word, b' ');
        in_words(bytes, |word| (in_word(word), 0)).0 != 0
    }

    #[inline(always)]
    fn stops_in(&self, word: u64) -> u64 {
        let [a, b, c] = self.stops;
        if a == c {
            // They are sorted, and there is often one.
            return below(word ^ a, 1);
        }
        below(word ^ a, 1) | below(word ^ b, 1) | below(word ^ c, 1)
    }

    #[inline(always)]
    fn more_in(&self, word: u64) -> u64 {
        below(word ^ self.more, 1)
    }

    /// Whether any of them is in a text of any length.
    pub(crate) fn any(&self, bytes: &[u8]) -> bool {
        let [a, b, c] = self.stops.map(|stop| stop.to_le_bytes()[0]);
        memchr::memchr3(a, b, c, bytes).is_some() || memchr::memchr(self.more(), bytes).is_some()
    }
}

/// What `find` finds in the words that cover a short text.
#[inline(always)]
fn in_words(bytes: &[u8], find: impl Fn(u64) -> (u64, u64)) -> (u64, u64) {
    debug_assert!(bytes.len() <= ShortSearch::MAX_BYTES);
    // Two words that overlap cover any length from one word to two.
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let first = find(u64::from_le_bytes(*first));
            let last = find(u64::from_le_bytes(*last));
            (first.0 | last.0, first.1 | last.1)
        }
        _ => find(short_word(bytes)),
    }
}

/// The first byte of a short text in which `find` sets a bit of its word, where calling memchr would
/// cost more than the search. In no word does it set a bit before the first one that it looks for.
#[inline]
fn find_in_words(bytes: &[u8], find: impl Fn(u64) -> u64) -> Option<usize> {
    let first_in = |found: u64| (found != 0).then_some(found.trailing_zeros() as usize / 8);
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let in_first = first_in(find(u64::from_le_bytes(*first)));
            let in_last = || first_in(find(u64::from_le_bytes(*last)));
            in_first.or_else(|| Some(in_last()? + bytes.len() - 8))
        }
        _ if bytes.len() < 4 => {
            let is_found = |byte: &u8| find(u64::from(*byte) | repeat(b' ') << 8) != 0;
            bytes.iter().position(is_found)
        }
        _ => {
            // The second half of the word is the end of the text.
            let at = first_in(find(short_word(bytes)))?;
            Some(if at < 4 { at } else { at + bytes.len() - 8 })
        }
    }
}

/// Fewer than eight bytes in one word, some of them twice, padded with spaces, which are not
/// searched for.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << 32
        }
        _ => bytes
            .iter()
            .fold(repeat(b' '), |word, byte| word << 8 | u64::from(*byte)),
    }
}

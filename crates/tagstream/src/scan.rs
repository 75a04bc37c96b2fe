//! Finding the next byte at which something could begin.

/// The bytes to stop at. memchr takes up to three; more are looked up in a table.
#[derive(Clone, Debug)]
pub(crate) struct Stops {
    needles: Needles,
    classes: Box<[u8; 256]>,
}

#[derive(Clone, Copy, Debug)]
enum Needles {
    None,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many,
}

/// Something may begin at this byte.
pub(crate) const STOP: u8 = 1;
/// The byte changes what is known of the line, or may be the end of what is known.
pub(crate) const LINE: u8 = 2;

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
        let mut classes = Box::new([0; 256]);
        for byte in bytes {
            classes[usize::from(byte)] |= STOP;
        }
        for byte in [b'`', b'\n'] {
            classes[usize::from(byte)] |= LINE;
        }
        Stops { needles, classes }
    }

    /// Whether something may begin at this byte.
    #[inline]
    pub(crate) fn stop(&self, byte: u8) -> bool {
        self.classes[usize::from(byte)] & STOP != 0
    }

    /// What kinds of bytes there are among these few.
    #[inline]
    pub(crate) fn classes(&self, bytes: &[u8]) -> u8 {
        bytes
            .iter()
            .fold(0, |all, byte| all | self.classes[usize::from(*byte)])
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
}

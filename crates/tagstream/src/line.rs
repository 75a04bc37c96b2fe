//! What must be known of the current line from the bytes before the window.

/// White space, as the contract counts it.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The line as it stands at the start of the window.
///
/// Nothing here is kept up to date while reading: questions are answered by looking back in the
/// window, and only where that reaches its start is the carried state asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The last byte before the window.
    before: u8,
    /// The line has only white space in it so far.
    blank: bool,
    /// Where the backticks of the line were last counted.
    counted: u64,
    /// Whether there was an odd number of them.
    odd: bool,
}

impl Line {
    /// The start of a message is the start of a line.
    pub(crate) const START: Line = Line {
        before: b'\n',
        blank: true,
        counted: 0,
        odd: false,
    };

    /// The byte before `at`.
    #[inline]
    pub(crate) fn byte_before(&self, window: &[u8], at: usize) -> u8 {
        if at == 0 { self.before } else { window[at - 1] }
    }

    /// Whether only white space stands before `at` in its line.
    pub(crate) fn blank_before(&self, window: &[u8], at: usize) -> bool {
        match window[..at]
            .iter()
            .rev()
            .find(|b| !matches!(b, b' ' | b'\t' | b'\r'))
        {
            Some(byte) => *byte == b'\n',
            None => self.blank,
        }
    }

    /// Whether an odd number of backticks stands before `at` in its line. Counts on from the
    /// place it was last asked about, so that asking often stays linear.
    pub(crate) fn odd_before(&mut self, window: &[u8], base: u64, at: usize) -> bool {
        let from = self.counted.saturating_sub(base) as usize;
        if from < at {
            self.count(&window[from..at]);
            self.counted = base + at as u64;
        }
        self.odd
    }

    fn count(&mut self, bytes: &[u8]) {
        if !self.odd && memchr::memchr(b'`', bytes).is_none() {
            return;
        }
        let line = match memchr::memrchr(b'\n', bytes) {
            Some(end) => {
                self.odd = false;
                &bytes[end + 1..]
            }
            None => bytes,
        };
        self.odd ^= memchr::memchr_iter(b'`', line).count() % 2 == 1;
    }

    /// Moves on to the window that begins behind `bytes`, which begin at `base`.
    pub(crate) fn advance(&mut self, bytes: &[u8], base: u64) {
        let Some(last) = bytes.last() else { return };
        self.blank = self.blank_before(bytes, bytes.len());
        self.odd_before(bytes, base, bytes.len());
        self.before = *last;
    }

    /// As [`advance`](Self::advance), for bytes that are known to have no backtick and no line
    /// break among them.
    #[inline]
    pub(crate) fn advance_within(&mut self, bytes: &[u8], base: u64) {
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
            return;
        };
        if is_space(*first) && is_space(*last) {
            return self.advance(bytes, base);
        }
        self.blank = false;
        self.counted = base + bytes.len() as u64;
        self.before = *last;
    }
}

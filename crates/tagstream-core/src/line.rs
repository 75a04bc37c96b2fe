//! What must be known about the current line from the bytes before the window.

/// Whether a byte is white space as everything here counts it: space, tab, CR or LF.
#[must_use]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The line at the start of the window.
///
/// Nothing here is updated while the window is read: questions are answered by looking back in the
/// window, and this state is used only where that reaches its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The last byte before the window.
    before: u8,
    /// The line has only white space in it so far.
    blank: bool,
    /// The line has only spaces and tabs in it so far.
    indent: bool,
    /// The line has an odd number of backticks so far.
    odd: bool,
}

/// Whether the line has an odd number of backticks before a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    position: u64,
    odd: bool,
}

impl Line {
    /// The start of a message is the start of a line.
    pub(crate) const START: Line = Line {
        before: b'\n',
        blank: true,
        indent: true,
        odd: false,
    };

    /// The byte before `at`.
    #[inline]
    pub(crate) fn byte_before(&self, window: &[u8], at: usize) -> u8 {
        if at == 0 { self.before } else { window[at - 1] }
    }

    /// Whether only white space precedes `at` in its line.
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

    /// Whether only spaces and tabs precede `at` in its line, as before a fence.
    pub(crate) fn indent_before(&self, window: &[u8], at: usize) -> bool {
        let mut before = window[..at].iter().rev();
        match before.find(|b| !matches!(b, b' ' | b'\t')) {
            Some(byte) => *byte == b'\n',
            None => self.indent,
        }
    }

    /// Whether the line has an odd number of backticks before `at`, and how many bytes were
    /// examined. Counting continues where it stopped the last time, so that the work stays linear.
    pub(crate) fn odd_before(
        &self,
        counted: &mut Counted,
        window: &[u8],
        base: u64,
        at: usize,
    ) -> (bool, u64) {
        let position = base + at as u64;
        // law: count-backticks
        let known = if (base..=position).contains(&counted.position) {
            *counted
        } else {
            Counted {
                position: base,
                odd: self.odd,
            }
        };
        let bytes = &window[(known.position - base) as usize..at];
        let odd = odd_after(bytes, known.odd);
        *counted = Counted { position, odd };
        (odd, bytes.len() as u64)
    }

    /// Moves past `bytes`; returns how many bytes were examined besides the last ones.
    pub(crate) fn advance(&mut self, bytes: &[u8]) -> u64 {
        let Some(last) = bytes.last() else { return 0 };
        if !self.odd && !has_backtick(bytes) {
            return self.advance_without_backticks(bytes);
        }
        self.blank = self.blank_before(bytes, bytes.len());
        self.indent = self.blank && self.indent_before(bytes, bytes.len());
        // law: odd-backticks
        self.odd = odd_after(bytes, self.odd);
        self.before = *last;
        bytes.len() as u64
    }

    /// As [`advance`](Self::advance), for bytes that have no backtick among them.
    #[inline]
    pub(crate) fn advance_without_backticks(&mut self, bytes: &[u8]) -> u64 {
        let Some(last) = bytes.last() else { return 0 };
        if self.odd {
            return self.advance(bytes);
        }
        // law: blank-line
        self.blank = is_space(*last) && self.blank_before(bytes, bytes.len());
        self.indent = self.blank && self.indent_before(bytes, bytes.len());
        self.before = *last;
        0
    }
}

fn has_backtick(bytes: &[u8]) -> bool {
    // For a few bytes, calling memchr would cost more than the search.
    if bytes.len() < 16 {
        bytes.contains(&b'`')
    } else {
        memchr::memchr(b'`', bytes).is_some()
    }
}

/// Whether the line has an odd number of backticks after `bytes`; `odd` if it had before them.
fn odd_after(bytes: &[u8], odd: bool) -> bool {
    // Nearly always the line has no backtick in it.
    match memchr::memrchr2(b'\n', b'`', bytes) {
        None => odd,
        Some(last) if bytes[last] == b'\n' => false,
        Some(last) => {
            let bytes = &bytes[..=last];
            let start = memchr::memrchr(b'\n', bytes);
            let line = &bytes[start.map_or(0, |end| end + 1)..];
            let ticks = memchr::memchr_iter(b'`', line).count();
            (odd && start.is_none()) ^ (ticks % 2 == 1)
        }
    }
}

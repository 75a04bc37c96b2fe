//! From bytes, cut anywhere, to text.

/// Keeps the beginning of a character that a chunk has cut.
#[derive(Debug, Default)]
pub(crate) struct Utf8Gate {
    cut: [u8; 4],
    len: usize,
}

/// What passes the gate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    /// A sequence of this many bytes, at most 3, that is not UTF-8.
    Invalid(usize),
}

impl Utf8Gate {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(Piece<'_>)) {
        while self.len > 0 && !bytes.is_empty() {
            self.cut[self.len] = bytes[0];
            match std::str::from_utf8(&self.cut[..=self.len]) {
                Ok(text) => take(Piece::Text(text)),
                Err(error) if error.error_len().is_none() => {
                    self.len += 1;
                    bytes = &bytes[1..];
                    continue;
                }
                Err(_) => {
                    // The byte is not part of the character that was cut.
                    take(Piece::Invalid(self.len));
                    self.len = 0;
                    break;
                }
            }
            self.len = 0;
            bytes = &bytes[1..];
        }
        self.pass(bytes, take);
    }

    fn pass(&mut self, bytes: &[u8], mut take: impl FnMut(Piece<'_>)) {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                take(Piece::Text(chunk.valid()));
            }
            let invalid = chunk.invalid();
            // law: cut-character
            if chunks.peek().is_none() && is_cut(invalid) {
                self.cut[..invalid.len()].copy_from_slice(invalid);
                self.len = invalid.len();
            } else if !invalid.is_empty() {
                take(Piece::Invalid(invalid.len()));
            }
        }
    }

    /// The end of the message cannot be the middle of a character.
    pub(crate) fn finish(self) -> Piece<'static> {
        Piece::Invalid(self.len)
    }
}

/// Whether these bytes, which are not UTF-8, are the beginning of a character.
fn is_cut(bytes: &[u8]) -> bool {
    matches!(std::str::from_utf8(bytes), Err(error) if error.error_len().is_none())
}

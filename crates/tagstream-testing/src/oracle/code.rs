//! Section 3 of the contract: is there code at this place?
//!
//! Only backticks, tildes, lines and paragraphs are looked at here, on the message as it came.

use super::tags::is_space;
use std::cell::RefCell;
use std::collections::HashMap;

pub(super) struct Code<'a> {
    msg: &'a str,
    /// `limits.span`
    span: usize,
    /// Whether a whole opener that counts in text begins at this place.
    opener_at: Box<dyn Fn(usize) -> bool + 'a>,
    /// Where the markup ends that begins at this place, or what failed after its name.
    end_of_markup_at: Box<dyn Fn(usize) -> Option<usize> + 'a>,
    /// Partners that have been looked for, only to save time.
    partners: RefCell<HashMap<usize, Option<usize>>>,
}

impl<'a> Code<'a> {
    pub(super) fn new(
        msg: &'a str,
        span: usize,
        opener_at: Box<dyn Fn(usize) -> bool + 'a>,
        end_of_markup_at: Box<dyn Fn(usize) -> Option<usize> + 'a>,
    ) -> Self {
        Code {
            msg,
            span,
            opener_at,
            end_of_markup_at,
            partners: RefCell::default(),
        }
    }

    /// If a backtick or tilde at this place begins code, or a run that turns out to be plain,
    /// the end of that.
    pub(super) fn end_of_code_at(&self, at: usize) -> Option<usize> {
        if !matches!(self.byte(at), Some(b'`' | b'~')) {
            return None;
        }
        if self.opens_fence(at) {
            return Some(self.end_of_fence(at).0);
        }
        let plain = at + self.run(at);
        (self.byte(at) == Some(b'`')).then(|| match self.partner(at) {
            Some(partner) => partner + self.run(partner),
            None => plain,
        })
    }

    /// Whether this run opens a fence: at the start of a line, or with at most one word after it.
    fn opens_fence(&self, at: usize) -> bool {
        let run = self.run(at);
        let first = self.is_first_in_line(at);
        match self.byte(at) {
            Some(b'~') => first && run >= 3,
            Some(b'`') if run >= 3 => {
                let after = self.rest_of_line(at + run);
                let no_tick = !after.contains(&b'`');
                no_tick && (first || words(after) <= 1)
            }
            _ => false,
        }
    }

    /// If a fence opens here, where its opening line ends, and whether it is closed.
    pub(super) fn fence_at(&self, at: usize) -> Option<(usize, bool)> {
        let opens = matches!(self.byte(at), Some(b'`' | b'~')) && self.opens_fence(at);
        opens.then(|| (self.end_of_line(at), self.end_of_fence(at).1))
    }

    /// The end of the line that closes the fence that opens here, or of the message; whether there
    /// is such a line.
    fn end_of_fence(&self, at: usize) -> (usize, bool) {
        let (mark, length) = (self.msg.as_bytes()[at], self.run(at));
        let mut end = self.end_of_line(at);
        while end < self.msg.len() {
            let start = end + 1;
            end = self.end_of_line(start);
            let line = self.msg[start..end].trim_matches([' ', '\t', '\r']);
            if line.len() >= length && line.bytes().all(|b| b == mark) {
                return (end, true);
            }
        }
        (end, false)
    }

    /// Where the run is that closes the span which the run at this place opens.
    fn partner(&self, at: usize) -> Option<usize> {
        if let Some(known) = self.partners.borrow().get(&at) {
            return *known;
        }
        let found = self
            .find_partner(at)
            .filter(|_| self.run(at) <= self.span)
            .filter(|p| p - (at + self.run(at)) <= self.span);
        self.partners.borrow_mut().insert(at, found);
        found
    }

    /// Reads on as if the run were plain, to the first run of its length or the paragraph's end.
    fn find_partner(&self, opener: usize) -> Option<usize> {
        let length = self.run(opener);
        let mut at = opener + length;
        // What is in markup opens nothing, but it may be the partner.
        let mut markup = 0;
        while at < self.msg.len() && at - (opener + length) <= self.span {
            let inside = at < markup;
            match self.byte(at)? {
                b'\n' if self.is_blank(at + 1) => return None,
                b'\n' if at + 1 >= markup && (self.opener_at)(at + 1) => return None,
                b'~' if !inside && self.opens_fence(at) => return None,
                b'`' if inside && self.run(at) != length => at += self.run(at),
                b'`' if inside => return Some(at),
                b'`' => {
                    let run = self.run(at);
                    let fence = self.opens_fence(at);
                    if fence && self.is_first_in_line(at) {
                        return None;
                    }
                    if run == length {
                        return Some(at);
                    }
                    if fence {
                        return None;
                    }
                    match self.partner(at) {
                        // What is a span, if ours is not one, still has runs in it that may be
                        // ours.
                        Some(end) => {
                            if let Some(inner) = self.run_of(length, at + run, end) {
                                return Some(inner);
                            }
                            at = end + run;
                        }
                        None => at += run,
                    }
                }
                _ => {
                    let end = (self.end_of_markup_at)(at).filter(|_| !inside);
                    markup = end.unwrap_or(markup);
                    at += 1;
                }
            }
        }
        None
    }

    /// The first run of exactly this length between two places.
    fn run_of(&self, length: usize, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            let ticks = self.byte(at) == Some(b'`');
            let run = if ticks { self.run(at) } else { 1 };
            if ticks && run == length {
                return Some(at);
            }
            at += run;
        }
        None
    }

    /// Whether the line that starts here is blank.
    fn is_blank(&self, line: usize) -> bool {
        self.msg.as_bytes()[line..self.end_of_line(line)]
            .iter()
            .all(|&b| is_space(b))
    }

    /// The line after a run, as far as `limits.span` lets one look: one byte more than may lie
    /// between, since that byte can still be the line's end or a backtick.
    fn rest_of_line(&self, from: usize) -> &[u8] {
        let end = self
            .end_of_line(from)
            .min(from.saturating_add(self.span).saturating_add(1));
        &self.msg.as_bytes()[from..end]
    }

    pub(super) fn is_first_in_line(&self, at: usize) -> bool {
        self.msg[start_of_line(self.msg, at)..at]
            .bytes()
            .all(|b| b == b' ' || b == b'\t')
    }

    fn end_of_line(&self, from: usize) -> usize {
        self.msg[from..]
            .find('\n')
            .map_or(self.msg.len(), |k| from + k)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.msg.as_bytes().get(at).copied()
    }

    /// How many equal bytes are here.
    fn run(&self, at: usize) -> usize {
        let bytes = &self.msg.as_bytes()[at..];
        bytes.iter().take_while(|&&b| b == bytes[0]).count()
    }
}

pub(super) fn start_of_line(msg: &str, at: usize) -> usize {
    msg[..at].rfind('\n').map_or(0, |k| k + 1)
}

fn words(line: &[u8]) -> usize {
    line.split(|&b| is_space(b))
        .filter(|word| !word.is_empty())
        .count()
}

//! Frames whose JSON is repaired on the way, before anybody reads them.
//!
//! A frame that ends in half a character waits for the next one, which may bring the other half.

use super::frame::{Content, Frame, Message};
use super::mend::Mended;

/// A frame with more bytes does not wait.
const MAX_HELD_BYTES: usize = 64 * 1024;
/// How many bytes of white space may follow a frame that is held.
const MAX_BLANK_BYTES: usize = 16;

/// Repairs frames.
#[derive(Debug, Default)]
pub(crate) struct Mending {
    held: Option<Box<Held>>,
}

/// A frame that waits for the next.
#[derive(Debug)]
struct Held {
    at: u64,
    raw: Vec<u8>,
    message: Message<'static>,
    mended: Mended,
    /// White space between it and the next.
    after: Vec<u8>,
}

impl Mending {
    pub(crate) fn frame(&mut self, frame: Frame<'_>, each: &mut impl FnMut(Frame<'_>)) {
        if self.held.is_some() && self.comes_after(&frame) {
            return;
        }
        match mended(&frame.content) {
            Some(mended) => self.mended(frame, mended, each),
            None => {
                self.finish(each);
                each(frame);
            }
        }
    }

    /// Gives the frame that waits.
    pub(crate) fn finish(&mut self, each: &mut impl FnMut(Frame<'_>)) {
        if let Some(held) = self.held.take() {
            held.give(each);
        }
    }

    /// Whether a frame is nothing but a blank that can wait too.
    fn comes_after(&mut self, frame: &Frame<'_>) -> bool {
        let is_blank = frame.content == Content::Nothing && frame.raw.trim_ascii().is_empty();
        match &mut self.held {
            Some(held) if is_blank && held.after.len() + frame.raw.len() <= MAX_BLANK_BYTES => {
                held.after.extend_from_slice(frame.raw);
                true
            }
            _ => false,
        }
    }

    fn mended(&mut self, frame: Frame<'_>, mut mended: Mended, each: &mut impl FnMut(Frame<'_>)) {
        if let Some(held) = &mut self.held {
            held.mended.join(&mut mended);
        }
        self.finish(each);
        let Content::Message(message) = frame.content else {
            return;
        };
        let held = Held {
            at: frame.at,
            raw: frame.raw.to_vec(),
            message: message.into_owned(),
            mended,
            after: Vec::new(),
        };
        if held.mended.waits() && held.raw.len() <= MAX_HELD_BYTES {
            self.held = Some(Box::new(held));
        } else {
            held.give(each);
        }
    }
}

fn mended(content: &Content<'_>) -> Option<Mended> {
    match content {
        Content::Message(message) => Mended::of(message.data.as_deref()?),
        _ => None,
    }
}

impl Held {
    fn give(self, each: &mut impl FnMut(Frame<'_>)) {
        let mut message = self.message;
        message.data = Some(self.mended.json().into());
        message.replaced |= self.mended.has_lost();
        message.mended = true;
        let (at, raw, content) = (self.at, &self.raw[..], Content::Message(message));
        each(Frame { at, raw, content });
        if !self.after.is_empty() {
            let at = at + raw.len() as u64;
            let (raw, content) = (&self.after[..], Content::Nothing);
            each(Frame { at, raw, content });
        }
    }
}

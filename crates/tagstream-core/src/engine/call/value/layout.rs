//! The text of a value: what of it is layout, and what goes out.

use super::Value;
use crate::engine::context::Context;
use crate::engine::frame::Place;
use crate::entities::{Entity, entity};

const CDATA_OPEN: &str = "<![CDATA[";
const CDATA_CLOSE: &str = "]]>";

/// More white space than this around data is part of the value.
const MAX_CDATA_LAYOUT_BYTES: usize = 64;

impl Value {
    /// How much of the text belongs to the value, if the value may end after it.
    pub(in crate::engine) fn certain(&self, text: &[u8]) -> usize {
        // law: newline-waits
        let layout = match text {
            _ if self.in_cdata => cdata_close_at_end(text),
            _ if !self.on_lines => 0,
            [.., b'\r', b'\n'] => 2,
            // A carriage return may be half of a newline.
            [.., b'\r' | b'\n'] => 1,
            _ => 0,
        };
        text.len() - layout
    }

    /// Emits the rest of the value, which ends at `to`.
    pub(in crate::engine::call) fn end(&mut self, to: u64, cx: &mut Context<'_>) {
        self.begin_text(to, true, cx);
        let text = cx.text(cx.mark, to);
        let data = text.trim_ascii_end();
        let layout = if self.in_cdata && data.ends_with(CDATA_CLOSE) {
            text.len() - data.len() + CDATA_CLOSE.len()
        } else if self.on_lines {
            newline_at_end(text)
        } else {
            0
        };
        self.emit(to - layout as u64, true, cx);
        cx.store_mut().call.end_text();
        cx.skip_call(to);
    }

    /// Passes over the newline that a value may begin with; false if that is not known yet.
    pub(super) fn begin_text(&mut self, to: u64, is_end: bool, cx: &mut Context<'_>) -> bool {
        let text = cx.text(cx.mark, to);
        if !self.is_fresh || text.is_empty() && !is_end {
            return true;
        }
        if self.on_lines {
            if text == "\r" && !is_end {
                return false;
            }
            cx.skip_call(cx.mark + newline_at_start(text) as u64);
        }
        if self.site.rule(cx.rules).cdata {
            let text = cx.text(cx.mark, to);
            // White space around the data is layout, as far as a value waits for it.
            let data = text.trim_ascii_start();
            let spaces = text.len() - data.len();
            let may_begin = CDATA_OPEN.starts_with(data) && data.len() < CDATA_OPEN.len();
            if may_begin && spaces <= MAX_CDATA_LAYOUT_BYTES && !is_end {
                return false;
            }
            if data.starts_with(CDATA_OPEN) && spaces <= MAX_CDATA_LAYOUT_BYTES {
                cx.skip_call(cx.mark + (spaces + CDATA_OPEN.len()) as u64);
                self.in_cdata = true;
            }
        }
        self.is_fresh = false;
        cx.store_mut().call.begin_text();
        true
    }

    pub(super) fn emit(&mut self, to: u64, is_end: bool, cx: &mut Context<'_>) {
        if cx.call_rules().decode_entities {
            emit_decoded(to, is_end, cx);
        } else {
            cx.emit_delta(to);
        }
    }

    /// Whether a tag that begins here is in data, where no tag counts.
    pub(super) fn is_in_cdata(&mut self, start: u64, cx: &mut Context<'_>) -> bool {
        if !self.site.rule(cx.rules).cdata {
            return false;
        }
        if start < cx.mark {
            return self.in_cdata;
        }
        self.plain(start, cx);
        let text = cx.text(cx.mark, start);
        self.in_cdata && cdata_close_at_end(text.as_bytes()) < CDATA_CLOSE.len()
    }
}

/// Emits text with its entities decoded. One that may go on is held back.
fn emit_decoded(to: u64, is_end: bool, cx: &mut Context<'_>) {
    while cx.mark < to {
        let text = cx.text(cx.mark, to);
        let Some(plain) = memchr::memchr(b'&', text.as_bytes()) else {
            return cx.emit_delta(to);
        };
        cx.emit_delta(cx.mark + plain as u64);
        match entity(&text[plain..]) {
            Entity::Whole(c, len) => {
                cx.emit_instead(cx.mark + len as u64, c.encode_utf8(&mut [0; 4]));
            }
            Entity::Unfinished if !is_end => return,
            _ => cx.emit_delta(cx.mark + 1),
        }
    }
}

fn newline_at_start(text: &str) -> usize {
    match text.as_bytes() {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

/// How many bytes at the end of the text may be the end of the data.
fn cdata_close_at_end(text: &[u8]) -> usize {
    let data = text.trim_ascii_end();
    let spaces = text.len() - data.len();
    if spaces <= MAX_CDATA_LAYOUT_BYTES && data.ends_with(CDATA_CLOSE.as_bytes()) {
        return spaces + CDATA_CLOSE.len();
    }
    let lens = (1..=CDATA_CLOSE.len()).rev();
    let mut lens = lens.filter(|len| text.ends_with(&CDATA_CLOSE.as_bytes()[..*len]));
    lens.next().unwrap_or(0)
}

/// How many bytes the newline at the end of the text has.
pub(super) fn newline_at_end(text: &str) -> usize {
    match text.as_bytes() {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    }
}

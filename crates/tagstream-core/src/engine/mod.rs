//! The engine: reads one message in chunks and emits what is certain.
//!
//! * [`driver`] reads a window of the message, moves frames on and off the stack, asks questions and
//!   rewinds. Nothing else sees the window, the sink or the open question.
//! * [`frame`] is what every kind of place has in common; each place has a file of its own:
//!   [`text`], [`section`], [`element`] and those of [`call`].
//! * [`context`] is all that a place sees of the rest: the unread text, the rules, and where output
//!   goes.
//! * [`store`] has what is collected of elements and calls that are open.
//! * [`fast`] is the driver's way to pass on chunks with nothing in them.
//!
//! Comments `// law: NAME` mark the places that `scripts/break-the-laws` breaks to see that a test
//! notices.

mod call;
mod code;
mod driver;
mod element;
mod fenced;
mod frame;
mod pending;
mod section;
mod store;
mod text;
mod unproved;

use crate::event::{ElementView, Event};
use crate::line::Line;
use crate::policy::Policy;
use crate::token::Candidate;
use crate::utf8::{Piece, Utf8Gate};
use driver::Asked;
use driver::context::{self, Reading};
use driver::fast::{self, Fast};
use frame::Frame;
use store::Store;
use text::Text;
use unproved::Pairs;

/// Reads one message, in chunks, and emits what is certain.
///
/// ```
/// use tagstream_core::{Engine, EventKind, Profile, Thinking};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut engine = Engine::new(&policy);
/// let mut answer = String::new();
/// for chunk in ["<thi", "nk>let me see</th", "ink>The answer is 5 <", " 6."] {
///     engine.push(chunk, |event| {
///         if let EventKind::Text(text) = event.kind {
///             answer.push_str(text);
///         }
///     });
/// }
/// engine.finish(|event| {
///     if let EventKind::Text(text) = event.kind {
///         answer.push_str(text);
///     }
/// });
/// assert_eq!(answer, "The answer is 5 < 6.");
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    policy: Policy,
    gate: Utf8Gate,
    /// How many bytes longer the text is than the input, because of what is not UTF-8.
    grown: u64,
    /// The end of the message so far that no event accounts for yet.
    tail: String,
    /// How many bytes at the start of the tail have been settled since. They are removed together,
    /// so that a long tail is not moved for a few bytes at a time.
    dropped: usize,
    /// Where the rest of the tail begins: everything before it has been emitted.
    settled: u64,
    /// The line in which the tail begins, once it has been moved past the last `unlined` bytes of the
    /// open call's text: the fast path leaves that to the next look at the line.
    line: Line,
    unlined: usize,
    core: Core,
    store: Store,
    /// The tags of any name that have been read ahead, where such count.
    pairs: Option<Box<Pairs>>,
    asked: Option<Asked>,
    /// How the next chunk can be passed on if nothing begins in it.
    fast: Option<Fast>,
    /// Bytes looked at, besides once when they are emitted.
    work: u64,
}

/// How far the message has been read. A rewind restores all of it.
#[derive(Debug)]
struct Core {
    /// The places around the next byte, the innermost last. Never empty: the first is text.
    stack: Vec<Frame>,
    /// What may become a tag or a literal.
    candidate: Option<Candidate>,
    reading: Reading,
}

impl Engine {
    /// An engine for one message.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        let rules = &policy.rules;
        Engine {
            policy: policy.clone(),
            gate: Utf8Gate::default(),
            grown: 0,
            tail: String::new(),
            dropped: 0,
            settled: 0,
            line: Line::START,
            unlined: 0,
            core: Core {
                stack: vec![Frame::Text(Text::new(rules))],
                candidate: None,
                reading: Reading::new(rules),
            },
            store: Store::default(),
            pairs: None,
            asked: None,
            fast: None,
            work: 0,
        }
    }

    /// Sets how many tool calls the message has besides those that are read here: in other texts of
    /// it, or reported apart by the provider. They count towards `max_calls`. May be called again,
    /// and then holds for the calls that begin from then on.
    pub fn set_calls_elsewhere(&mut self, calls: u64) {
        self.store.calls_elsewhere = calls;
    }

    /// Says that the message was cut off, as a provider reports it, before [`finish`](Self::finish). A
    /// call that is not closed is then incomplete, whatever `missing_end` says.
    pub fn set_cut_off(&mut self) {
        self.store.is_cut_off = true;
    }

    /// Reads the next chunk of the message and emits all that is certain now.
    #[inline]
    pub fn push(&mut self, chunk: &str, mut sink: impl FnMut(Event<'_>)) {
        if !self.gate.is_empty() {
            self.end_cut_character(&mut sink);
        }
        self.push_text(chunk, &mut sink);
    }

    /// As [`push`](Self::push), for bytes that may be cut inside a character.
    ///
    /// Invalid UTF-8 becomes U+FFFD, as [`String::from_utf8_lossy`] has it for the whole message, and
    /// makes a notice.
    pub fn push_bytes(&mut self, chunk: &[u8], mut sink: impl FnMut(Event<'_>)) {
        let mut gate = std::mem::take(&mut self.gate);
        gate.push(chunk, |piece| self.take(piece, &mut sink));
        self.gate = gate;
    }

    /// Ends the message and emits the rest.
    pub fn finish(mut self, mut sink: impl FnMut(Event<'_>)) {
        if !self.gate.is_empty() {
            self.end_cut_character(&mut sink);
        }
        let tail = std::mem::take(&mut self.tail);
        let tail = &tail[self.dropped..];
        let settled = self.read_window(tail, true, &mut sink);
        debug_assert_eq!(settled, tail.len(), "the whole message is accounted for");
    }

    /// The elements that are open now, outermost first, each as far as it has come.
    ///
    /// The text of the innermost one leaves off what may be the beginning of a tag.
    pub fn open_elements(&self) -> impl Iterator<Item = ElementView<'_>> {
        let rules = &self.policy.rules;
        let open = self.store.elements.iter();
        open.map(|element| element.snapshot(rules))
    }

    /// What is held back now: the end of the message so far that is not certain yet.
    #[must_use]
    pub fn held(&self) -> &str {
        &self.tail[self.dropped..]
    }

    /// How many bytes have been looked at, counting each time: for tests of linear work.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.settled + self.work
    }

    /// The bytes of a cut character are followed by text, or by the end of the message.
    #[inline(never)]
    fn end_cut_character(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        let piece = std::mem::take(&mut self.gate).finish();
        self.take(piece, sink);
    }

    fn take(&mut self, piece: Piece<'_>, mut sink: &mut dyn FnMut(Event<'_>)) {
        match piece {
            Piece::Text(text) => self.push_text(text, &mut sink),
            Piece::Invalid(bytes) => {
                self.notice_invalid(sink);
                self.grown += ("\u{fffd}".len() - bytes) as u64;
                self.push_text("\u{fffd}", &mut sink);
            }
        }
    }

    #[inline]
    fn push_text(&mut self, chunk: &str, sink: &mut impl FnMut(Event<'_>)) {
        if !self.pass(chunk, sink) {
            self.push_slow(chunk, sink);
        }
    }

    #[inline(never)]
    fn push_slow(&mut self, mut chunk: &str, sink: &mut dyn FnMut(Event<'_>)) {
        while !self.tail.is_empty() && !chunk.is_empty() {
            let held = self.held().len();
            // Reading on in steps that grow with what is held keeps both the copying and the
            // memory in proportion to it.
            let piece = chunk.floor_char_boundary(held.max(64));
            let mut tail = std::mem::take(&mut self.tail);
            tail.push_str(&chunk[..piece]);
            let settled = self.read_window(&tail[self.dropped..], false, sink);
            if settled < held {
                self.dropped += settled;
                if self.dropped > tail.len() / 2 {
                    tail.drain(..self.dropped);
                    self.dropped = 0;
                }
                chunk = &chunk[piece..];
            } else {
                // What is held now lies in the chunk, which is read without a copy from there on.
                tail.clear();
                self.dropped = 0;
                let is_read = piece == chunk.len();
                chunk = &chunk[settled - held..];
                if is_read {
                    tail.push_str(chunk);
                    chunk = "";
                }
            }
            self.tail = tail;
        }
        if !chunk.is_empty() {
            let settled = self.read_window(chunk, false, sink);
            self.tail.push_str(&chunk[settled..]);
        }
    }
}

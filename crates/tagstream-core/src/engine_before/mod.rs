//! The engine: one message, in pieces, into a sink.

mod call;
mod code;
mod element;
mod hold;
mod pass;
mod reader;
mod section;
mod text;

use crate::code::Code;
use crate::event::{ElementView, Event, Kind, NoticeCode, Sink, Span};
use crate::line::Line;
use crate::policy::Policy;
use crate::token::Candidate;
use crate::utf8::{Gate, Piece};
use call::Place;
use call::state::CallState;
use element::open::Open;
use hold::{Hold, Known, Question};
use pass::{Look, Pass};
use reader::Reader;
use section::Section;
use text::Stretch;

/// Reads one message, in pieces, and emits what is certain.
///
/// ```
/// use tagstream_core::{Engine, Event, Kind, Profile, Thinking};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut answer = String::new();
/// let mut sink = |event: Event<'_>| {
///     if let Kind::Text(text) = event.kind {
///         answer.push_str(text);
///     }
/// };
/// let mut engine = Engine::new(&policy);
/// for chunk in ["<thi", "nk>let me see</th", "ink>The answer is 5 <", " 6."] {
///     engine.push(chunk, &mut sink);
/// }
/// engine.finish(&mut sink);
/// assert_eq!(answer, "The answer is 5 < 6.");
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    policy: Policy,
    gate: Gate,
    /// The end of the message so far, of which nothing is certain yet.
    held: String,
    state: State,
}

/// What outlives a chunk, besides the held bytes.
#[derive(Debug)]
struct State {
    /// Where the next window begins: at the held bytes if there are any.
    base: u64,
    /// How many of the held bytes have been read.
    read: usize,
    mode: Mode,
    candidate: Option<Candidate>,
    hold: Option<Hold>,
    known: Option<Known>,
    code: Code,
    /// No markup begins before this place: it has turned out to be text.
    plain_until: u64,
    line: Line,
    /// The shown section around a hidden one.
    shown: Option<Section>,
    /// There has been visible text.
    visible: bool,
    /// There has been visible text or an element.
    answered: bool,
    /// There had been when what is being read now began.
    anchored: bool,
    open: Vec<Open>,
    next_id: u64,
    calls: Option<Box<CallState>>,
    /// How many calls of the message others read.
    calls_elsewhere: u64,
    /// What is known of the text since the last thing that is none.
    stretch: Stretch,
    /// How a chunk with nothing in it can be passed on at once.
    pass: Option<Pass>,
    /// Bytes looked at besides the first time they were passed on.
    looked: u64,
}

/// Where in the message the reader stands.
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// At the very start of a section that the prompt has opened.
    Prompted,
    Text,
    Section(Section),
    /// In the innermost open element.
    Element,
    /// In a call, or in what may be one.
    Call(Place),
}

impl Mode {
    /// Whether this is a certain place in a call.
    fn is(self, place: Place) -> bool {
        matches!(self, Mode::Call(here) if here == place)
    }
}

impl Engine {
    /// An engine for one message. Allocates nothing.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        let mode = match policy.rules.prompted {
            Some(_) => Mode::Prompted,
            None => Mode::Text,
        };
        Engine {
            policy: policy.clone(),
            gate: Gate::default(),
            held: String::new(),
            state: State {
                base: 0,
                read: 0,
                mode,
                candidate: None,
                hold: None,
                known: None,
                code: Code::new(policy.rules.limits.span),
                plain_until: 0,
                line: Line::START,
                shown: None,
                visible: false,
                answered: false,
                anchored: false,
                open: Vec::new(),
                next_id: 0,
                calls: None,
                calls_elsewhere: 0,
                stretch: Stretch::Start,
                pass: None,
                looked: 0,
            },
        }
    }

    /// Says how many calls the message has besides those that are read here: in other texts of
    /// it, or told apart by the provider. They count for `max_calls`. It may be said again, and
    /// then holds for the calls that begin from then on.
    pub fn calls_elsewhere(&mut self, calls: u64) {
        self.state.calls_elsewhere = calls;
    }

    /// Reads the next piece of the message and emits all that is certain now.
    #[inline]
    pub fn push<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        self.flush_gate(sink);
        self.push_str(chunk, sink);
    }

    /// As [`push`](Self::push), for bytes that may be cut inside a character.
    ///
    /// What is no UTF-8 becomes U+FFFD, as [`String::from_utf8_lossy`] would have it for the whole
    /// message, and makes a notice.
    pub fn push_bytes<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) {
        let mut gate = std::mem::take(&mut self.gate);
        gate.push(chunk, |piece| self.take(piece, sink));
        self.gate = gate;
    }

    /// Ends the message and emits the rest.
    pub fn finish<S: Sink>(mut self, sink: &mut S) {
        self.flush_gate(sink);
        self.state.line_up();
        let held = std::mem::take(&mut self.held);
        self.read_window(&held, true, sink);
    }

    /// The elements that are open now, outermost first, each as far as it has come.
    ///
    /// The text of the innermost one leaves off what may be the beginning of a tag.
    pub fn open_elements(&self) -> impl Iterator<Item = ElementView<'_>> {
        let pending =
            matches!(self.state.hold, Some(hold) if hold.question == Question::ElementClosed);
        let certain = self.state.open.len() - usize::from(pending);
        let open = self.state.open[..certain].iter();
        open.map(|open| open.snapshot(&self.policy.rules))
    }

    /// What is held back now: the end of the message so far, not yet certain.
    #[must_use]
    pub fn held(&self) -> &str {
        &self.held
    }

    /// How many bytes have been looked at, counting each time: for tests of linear work.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.state.base + self.state.looked + self.state.line.looked
    }

    #[inline(always)]
    fn flush_gate<S: Sink>(&mut self, sink: &mut S) {
        if !self.gate.is_empty() {
            self.end_character(sink);
        }
    }

    /// The bytes of a character that is cut off are followed by text.
    #[inline(never)]
    fn end_character<S: Sink>(&mut self, sink: &mut S) {
        let piece = std::mem::take(&mut self.gate).finish();
        self.take(piece, sink);
    }

    fn take<S: Sink>(&mut self, piece: Piece<'_>, sink: &mut S) {
        match piece {
            Piece::Text(text) => self.push_str(text, sink),
            Piece::Invalid => {
                self.notice_invalid(sink);
                self.push_str("\u{fffd}", sink);
            }
        }
    }

    fn notice_invalid<S: Sink>(&mut self, sink: &mut S) {
        let place = self.state.base + self.held.len() as u64;
        let message = format!("bytes at {place} are no UTF-8 and became U+FFFD");
        let span = Span {
            start: self.state.base,
            end: self.state.base,
        };
        let code = NoticeCode::InvalidUtf8;
        sink.event(Event {
            span,
            kind: Kind::Notice {
                code,
                message: &message,
            },
        });
    }

    #[inline]
    fn push_str<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        let taken = match self.state.pass {
            Some(pass) => self.pass(pass, chunk, sink),
            None => self.run_on(chunk, sink),
        };
        if !taken {
            self.push_slow(chunk, sink);
        }
    }

    /// Passes a chunk on if nothing in it could begin anything.
    #[inline(always)]
    fn pass<S: Sink>(&mut self, pass: Pass, chunk: &str, sink: &mut S) -> bool {
        let (bytes, base) = (chunk.as_bytes(), self.state.base);
        match pass.look(bytes, &self.policy.rules) {
            Look::Something(plain) => {
                self.state.read = plain;
                return false;
            }
            Look::NoBacktick => self.state.line.advance_without_backticks(bytes, base),
            Look::Nothing => self.state.line.advance(bytes, base),
        }
        let span = Span {
            start: base,
            end: base + bytes.len() as u64,
        };
        self.state.base = span.end;
        if !bytes.is_empty() {
            let kind = pass.kind(chunk);
            sink.event(Event { span, kind });
        }
        true
    }

    #[inline(never)]
    fn push_slow<S: Sink>(&mut self, mut chunk: &str, sink: &mut S) {
        self.state.line_up();
        while !self.held.is_empty() && !chunk.is_empty() {
            let before = self.held.len();
            // Reading on in steps that grow with what is held keeps both the copying and the
            // memory in proportion to it.
            let piece = chunk.floor_char_boundary(before.max(64));
            let mut held = std::mem::take(&mut self.held);
            held.push_str(&chunk[..piece]);
            let kept = self.read_window(&held, false, sink);
            if kept == 0 {
                chunk = &chunk[piece..];
            } else if kept < before {
                held.drain(..kept);
                chunk = &chunk[piece..];
            } else {
                held.clear();
                chunk = &chunk[kept - before..];
            }
            self.held = held;
        }
        if !chunk.is_empty() {
            let kept = self.read_window(chunk, false, sink);
            self.held.push_str(&chunk[kept..]);
        }
    }

    /// Reads a window that begins at the first byte that is not settled; gives how much of it is
    /// settled now.
    fn read_window<S: Sink>(&mut self, window: &str, last: bool, sink: &mut S) -> usize {
        let mut reader = Reader::new(&self.policy.rules, &mut self.state, sink, window, last);
        match reader.reads_on_in_tag() {
            true => 0,
            false => reader.read(),
        }
    }
}

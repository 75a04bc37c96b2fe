//! Text of an argument that comes in small pieces: passed on without a reader, which would cost
//! more than the text. What is found in it is left to the reader.

use super::super::reader::Reader;
use super::super::{Engine, Mode, State};
use super::Place;
use crate::call::{CallState, OpenCall};
use crate::event::{Event, Sink, Span};
use crate::lexicon::Lexicon;
use crate::line::Line;
use crate::policy::Rules;
use crate::scan::{Few, Seen};
use crate::token::{Candidate, Fate};

/// A longer chunk is worth a reader.
const LONGEST: usize = 64;

/// What ends a string of JSON, or escapes what follows.
const IN_STRING: Few = Few {
    stops: [b'"', b'\\', b'"'],
    more: b'`',
};

/// How the text of the argument that is being read can be passed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    inside: Inside,
    /// The bytes to stop at, and backticks.
    stops: Few,
    /// How many bytes of it may still be kept.
    pub(crate) room: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Value,
    Json,
}

/// Reads a window of such text.
struct Runner<'a> {
    rules: &'a Rules,
    calls: &'a mut CallState,
    window: &'a str,
    line: &'a Line,
    base: u64,
    /// The next byte to read.
    at: usize,
    candidate: Option<Candidate>,
}

impl<S: Sink> Reader<'_, S> {
    /// How small chunks can be passed on from here, if they can.
    pub(in super::super) fn runs(&self) -> Option<Run> {
        let (Mode::Call(place), None) = (self.state.mode, self.state.hold) else {
            return None;
        };
        let call = &self.calls_ref().call;
        let (inside, stops) = match place {
            Place::Value if self.runs_in_value(call) => {
                (Inside::Value, self.lexicon().stops.few(b'`')?)
            }
            Place::Json if self.runs_in_json(call) => (Inside::Json, IN_STRING),
            _ => return None,
        };
        let room = call.room_for(&self.rules.limits);
        (!call.cut).then_some(Run {
            inside,
            stops,
            room,
        })
    }

    fn runs_in_value(&self, call: &OpenCall) -> bool {
        let value = &call.open;
        !value.fresh && !value.behind_head && !self.call_rules().decode_entities
    }

    fn runs_in_json(&self, call: &OpenCall) -> bool {
        let settled = self.mark == self.at && self.state.candidate.is_none();
        let real = self.dialect().relaxed.is_none();
        settled && real && self.calls_ref().active && call.json.is_in_arguments()
    }
}

impl Engine {
    /// Takes a small chunk if it is text of an argument and nothing else. Of a tag that may begin
    /// at its end all is held.
    #[inline]
    pub(in super::super) fn run_on<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        let Some(calls) = self.state.calls.as_deref() else {
            return false;
        };
        let Some(run) = &calls.run else {
            return false;
        };
        if self.held.len() + chunk.len() > run.room.min(LONGEST) {
            return false;
        }
        let nothing_open = self.held.is_empty() && self.state.candidate.is_none();
        if nothing_open && run.is_plain(chunk, calls, &self.policy.rules) {
            self.state.pass_plain(chunk, sink);
            return true;
        }
        self.run_further(chunk, sink)
    }

    /// As [`run_on`](Self::run_on), where something may begin in the chunk or has begun before it.
    fn run_further<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        if !self.held.is_empty() {
            return self.run_behind_held(chunk, sink);
        }
        let settled = self.run_through(chunk, sink);
        let held = settled.map_or("", |settled| &chunk[settled..]);
        self.held.push_str(held);
        settled.is_some()
    }

    fn run_behind_held<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        let mut held = std::mem::take(&mut self.held);
        let before = held.len();
        held.push_str(chunk);
        let settled = self.run_through(&held, sink);
        match settled {
            Some(settled) => drop(held.drain(..settled)),
            None => held.truncate(before),
        }
        self.held = held;
        settled.is_some()
    }

    /// Passes on what is certain in a window; gives how much that is, or nothing if something was
    /// found in it.
    fn run_through<S: Sink>(&mut self, window: &str, sink: &mut S) -> Option<usize> {
        let state = &mut self.state;
        let calls = state.calls.as_deref_mut()?;
        let run = calls.run?;
        let mut runner = Runner {
            rules: &self.policy.rules,
            calls,
            window,
            line: &state.line,
            base: state.base,
            at: state.read,
            candidate: state.candidate,
        };
        let settled = match run.inside {
            Inside::Value => runner.read_value()?,
            Inside::Json => runner.read_json()?,
        };
        state.candidate = runner.candidate;
        state.looked += (window.len() - state.read) as u64;
        state.read = window.len() - settled;
        if settled > 0 {
            let text = &window[..settled];
            state.line.advance(text.as_bytes(), state.base);
            state.pass_argument(text, sink);
        }
        Some(settled)
    }
}

impl State {
    /// Passes on a chunk with nothing in it.
    #[inline]
    fn pass_plain<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        let bytes = chunk.as_bytes();
        self.line.advance_without_backticks(bytes, self.base);
        self.pass_argument(chunk, sink);
    }

    /// Passes on text of an argument.
    #[inline]
    fn pass_argument<S: Sink>(&mut self, text: &str, sink: &mut S) {
        let Some(calls) = &mut self.calls else { return };
        let span = Span {
            start: self.base,
            end: self.base + text.len() as u64,
        };
        self.base = span.end;
        let kind = calls.pass(text);
        sink.event(Event { span, kind });
    }
}

impl Run {
    /// Whether nothing in the chunk is of any concern, backticks included.
    #[inline]
    fn is_plain(&self, chunk: &str, calls: &CallState, rules: &Rules) -> bool {
        let bytes = chunk.as_bytes();
        let text = match self.inside {
            Inside::Value => calls.call.open.certain(chunk) == bytes.len(),
            Inside::Json => calls.call.json.is_in_string(),
        };
        if !text || bytes.len() > Few::MOST || bytes.is_empty() {
            return false;
        }
        match self.stops.look(bytes) {
            Seen { more: true, .. } => false,
            Seen { stop: false, .. } => true,
            _ => self.inside == Inside::Value && begins_nothing(bytes, calls, rules),
        }
    }
}

/// Whether a byte to stop at begins nothing after all.
fn begins_nothing(bytes: &[u8], calls: &CallState, rules: &Rules) -> bool {
    let lexicon = rules.calls.as_ref().map(|rules| calls.value_lexicon(rules));
    lexicon.is_some_and(|lexicon| lexicon.find(bytes).is_none())
}

impl Runner<'_> {
    /// Reads to the end of the window; gives how much of it is certain.
    fn read_value(&mut self) -> Option<usize> {
        let rules = self.rules.calls.as_ref()?;
        let lexicon = self.calls.value_lexicon(rules);
        while self.at < self.window.len() {
            self.step(lexicon)?;
        }
        let to = match self.candidate {
            None => self.window.len(),
            Some(candidate) if self.holds(&candidate, lexicon) => self.index(candidate.start),
            Some(candidate) => candidate.read_for_good(lexicon, self.base, self.window.as_bytes()),
        };
        Some(self.calls.call.open.certain(&self.window[..to]))
    }

    fn index(&self, place: u64) -> usize {
        place.saturating_sub(self.base) as usize
    }

    /// Whether the value may end where the candidate begins.
    fn holds(&self, candidate: &Candidate, lexicon: &Lexicon) -> bool {
        let start = candidate.start;
        let before = self
            .line
            .byte_before(self.window.as_bytes(), self.index(start));
        let shows = |role, _| self.calls.shows_in_value(role, start, before == b'\n');
        start >= self.base && candidate.may_be(lexicon, shows)
    }

    /// Goes on to the next place where something may begin, or through what may have begun;
    /// nothing if it has.
    fn step(&mut self, lexicon: &Lexicon) -> Option<()> {
        let rest = &self.window.as_bytes()[self.at..];
        let Some(candidate) = &mut self.candidate else {
            let plain = lexicon.find(rest).unwrap_or(rest.len());
            self.at += plain;
            let start = self.base + self.at as u64;
            self.candidate = (plain < rest.len()).then(|| Candidate::new(start, false, lexicon));
            return Some(());
        };
        let (read, fate) = candidate.read(rest, self.rules.grammar(lexicon));
        self.at += read;
        match fate {
            Fate::Open => {}
            Fate::Found(_) => return None,
            Fate::Text { resume, .. } => {
                self.candidate = None;
                self.at = self.window.ceil_char_boundary(self.index(resume));
            }
        }
        Some(())
    }

    /// Reads JSON to the end of the window, all of which is certain.
    fn read_json(&mut self) -> Option<usize> {
        let rules = self.rules.calls.as_ref()?;
        let stops = &self.calls.rule(rules).closers.stops;
        let json = &mut self.calls.call.json;
        let goes_on = json.goes_on(self.window.as_bytes(), stops);
        goes_on.then_some(self.window.len())
    }
}

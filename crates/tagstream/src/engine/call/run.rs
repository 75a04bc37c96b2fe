//! Text of an argument that comes in small pieces: passed on without a reader, which would cost
//! more than the text. What is found in it is left to the reader.

use super::super::reader::Reader;
use super::super::{Engine, Mode, State};
use super::Place;
use crate::call::{CallState, OpenCall};
use crate::event::{Event, Sink, Span};
use crate::lexicon::Lexicon;
use crate::policy::Rules;
use crate::scan::Few;
use crate::token::{Candidate, Fate};

/// A longer chunk is worth a reader.
const LONGEST: usize = 64;

/// What ends a string of JSON, or escapes what follows.
const IN_STRING: Few = Few {
    stops: [b'"', b'\\', b'\\'],
    more: b'"',
};

/// How the text of the argument that is being read can be passed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    inside: Inside,
    /// The bytes to stop at.
    stops: Few,
    /// How long the text of the call may become.
    most: usize,
    /// How long it was when the state of the line was last brought up to date.
    lined: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Value,
    Json,
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
                (Inside::Value, self.lexicon().stops.few(b'<')?)
            }
            Place::Json if self.runs_in_json(call) => (Inside::Json, IN_STRING),
            _ => return None,
        };
        let lined = call.raw.len();
        (!call.cut).then_some(Run {
            inside,
            stops,
            most: lined.saturating_add(call.room_for(&self.rules.limits)),
            lined,
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
        let len = self.held.len() + chunk.len();
        if len > LONGEST || calls.call.raw.len() + len > run.most {
            return false;
        }
        let plain = run.is_plain(chunk, calls, &self.policy.rules);
        if plain && self.held.is_empty() && self.state.candidate.is_none() {
            self.state.pass_argument(chunk, sink);
            return true;
        }
        match run.inside {
            Inside::Json => self.run_in_json(chunk, sink),
            Inside::Value if self.held.is_empty() => self.run_in_value(chunk, sink),
            Inside::Value => self.run_behind_held(chunk, plain, sink),
        }
    }

    fn run_in_json<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        let (Some(calls), Some(rules)) = (&mut self.state.calls, &self.policy.rules.calls) else {
            return false;
        };
        let stops = &calls.rule(rules).closers.stops;
        let goes_on = calls.call.json.goes_on(chunk.as_bytes(), stops);
        if goes_on {
            self.state.pass_argument(chunk, sink);
        }
        goes_on
    }

    fn run_in_value<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        let settled = self.run_through(chunk, sink);
        let held = settled.map_or("", |settled| &chunk[settled..]);
        self.held.push_str(held);
        settled.is_some()
    }

    /// What is held is a newline that may be layout, or what may begin a tag, or both.
    fn run_behind_held<S: Sink>(&mut self, chunk: &str, plain: bool, sink: &mut S) -> bool {
        let fate = match self.state.candidate {
            None if plain => Carried::Text,
            None => Carried::Unknown,
            Some(candidate) => self.carry(candidate, chunk),
        };
        match fate {
            Carried::Found => false,
            Carried::Held => {
                self.held.push_str(chunk);
                true
            }
            Carried::Text if plain => {
                self.let_go(sink);
                self.state.pass_argument(chunk, sink);
                true
            }
            _ => self.run_through_held(chunk, sink),
        }
    }

    /// Reads on in a tag that may have begun in what is held.
    fn carry(&mut self, mut candidate: Candidate, chunk: &str) -> Carried {
        let (state, rules) = (&mut self.state, &self.policy.rules);
        let (Some(calls), Some(call_rules)) = (&state.calls, &rules.calls) else {
            return Carried::Unknown;
        };
        let lexicon = calls.value_lexicon(call_rules);
        let (_, fate) = candidate.read(chunk.as_bytes(), rules.grammar(lexicon));
        let start = candidate.start.saturating_sub(state.base) as usize;
        match fate {
            Fate::Found(_) => Carried::Found,
            Fate::Text { .. } if lexicon.find(&self.held.as_bytes()[start + 1..]).is_none() => {
                Carried::Text
            }
            Fate::Open if calls.may_end_value(&candidate, lexicon, &self.held[..start]) => {
                state.candidate = Some(candidate);
                state.read += chunk.len();
                state.looked += chunk.len() as u64;
                Carried::Held
            }
            _ => Carried::Unknown,
        }
    }

    /// What is held has turned out to be text.
    fn let_go<S: Sink>(&mut self, sink: &mut S) {
        let state = &mut self.state;
        state.looked += self.held.len() as u64;
        state.candidate = None;
        state.read = 0;
        state.pass_argument(&self.held, sink);
        self.held.clear();
    }

    fn run_through_held<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
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
        let mut runner = Runner {
            rules: &self.policy.rules,
            calls: state.calls.as_deref()?,
            window,
            base: state.base,
            at: state.read,
            candidate: state.candidate,
        };
        let settled = runner.read()?;
        state.candidate = runner.candidate;
        state.looked += (window.len() - state.read) as u64;
        state.read = window.len() - settled;
        if settled > 0 {
            state.pass_argument(&window[..settled], sink);
        }
        Some(settled)
    }
}

/// What has become of a tag that may have begun before a chunk.
enum Carried {
    Found,
    /// It is still open, and held.
    Held,
    /// It is none, and nothing else begins before the chunk.
    Text,
    /// Something else that a look at all of it will tell.
    Unknown,
}

impl State {
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

    /// Brings the state of the line up to date: it is not asked for while text is passed on.
    pub(in super::super) fn line_up(&mut self) {
        let Some(calls) = &mut self.calls else { return };
        let Some(run) = &mut calls.run else { return };
        let passed = &calls.call.raw.as_bytes()[run.lined..];
        self.line.advance(passed, self.base - passed.len() as u64);
        run.lined = calls.call.raw.len();
    }
}

impl Run {
    /// Whether the chunk is text and nothing in it is of any concern.
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
        match self.stops.stops_in(bytes) {
            false => true,
            true => self.inside == Inside::Value && begins_nothing(bytes, calls, rules),
        }
    }
}

/// Whether a byte to stop at begins nothing after all.
fn begins_nothing(bytes: &[u8], calls: &CallState, rules: &Rules) -> bool {
    let lexicon = rules.calls.as_ref().map(|rules| calls.value_lexicon(rules));
    lexicon.is_some_and(|lexicon| lexicon.find(bytes).is_none())
}

/// Reads a window of a value.
struct Runner<'a> {
    rules: &'a Rules,
    calls: &'a CallState,
    window: &'a str,
    base: u64,
    /// The next byte to read.
    at: usize,
    candidate: Option<Candidate>,
}

impl Runner<'_> {
    /// Reads to the end of the window; gives how much of it is certain.
    fn read(&mut self) -> Option<usize> {
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
        let before = &self.window[..self.index(candidate.start)];
        candidate.start >= self.base && self.calls.may_end_value(candidate, lexicon, before)
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
}

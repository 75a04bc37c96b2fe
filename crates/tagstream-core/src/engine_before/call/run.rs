//! Text of an argument that comes in small pieces: passed on without a reader, which would cost
//! more than the text. What is found in it is left to the reader.

use super::super::reader::Reader;
use super::super::{Engine, Mode, State};
use super::Place;
use super::state::{CallState, OpenCall, OpenValue};
use crate::event::{Event, Sink, Span};
use crate::json::escapes::any_escaped;
use crate::lexicon::Lexicon;
use crate::policy::Rules;
use crate::scan::Few;
use crate::token::{Candidate, Fate};

/// A longer chunk is worth a reader.
const LONGEST: usize = 64;

/// How the text of the argument that is being read can be passed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    inside: Inside,
    /// A `<` at the end of a chunk may end the value, whatever the value has in it.
    tag_waits: bool,
    /// How long the text of the call may become.
    most: usize,
    /// How long it was when the state of the line was last brought up to date.
    lined: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// A value, with the bytes to stop at.
    Value(Few),
    Json,
}

impl<S: Sink> Reader<'_, S> {
    /// How small chunks can be passed on from here, if they can.
    pub(in super::super) fn runs(&self) -> Option<Run> {
        let (Mode::Call(place), None) = (self.state.mode, self.state.hold) else {
            return None;
        };
        let call = &self.calls_ref().call;
        let inside = match place {
            Place::Value if self.runs_in_value(call) => {
                Inside::Value(self.lexicon().stops.few(b'<')?)
            }
            Place::Json if self.runs_in_json(call) => Inside::Json,
            _ => return None,
        };
        let lined = call.raw.len();
        (!call.cut).then_some(Run {
            inside,
            tag_waits: inside != Inside::Json && self.tag_waits(),
            most: lined.saturating_add(call.room_for(&self.rules.limits)),
            lined,
        })
    }

    /// Whether a tag may end the value that is being read, wherever it stands.
    fn tag_waits(&self) -> bool {
        let calls = self.calls_ref();
        let ends = |role| calls.shows_in_value(role, u64::MAX, false);
        self.lexicon().closes.iter().any(|(_, role)| ends(*role))
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
    #[inline(always)]
    pub(in super::super) fn run_on<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        let Some(calls) = self.state.calls.as_deref() else {
            return false;
        };
        let Some(run) = &calls.run else {
            return false;
        };
        let nothing_open = self.held.is_empty() && self.state.candidate.is_none();
        if nothing_open && run.is_plain(chunk, calls, &self.policy.rules) {
            self.state.pass_argument(chunk, sink);
            return true;
        }
        self.run_further(chunk, sink)
    }

    /// As [`run_on`](Self::run_on), where something may begin in the chunk or has begun before it.
    #[inline(never)]
    fn run_further<S: Sink>(&mut self, chunk: &str, sink: &mut S) -> bool {
        let calls = self.state.calls.as_deref();
        let Some((calls, run)) = calls.and_then(|calls| Some((calls, calls.run.as_ref()?))) else {
            return false;
        };
        let len = self.held.len() + chunk.len();
        if chunk.is_empty() || len > LONGEST || !run.has_room(len, calls) {
            return false;
        }
        match run.inside {
            Inside::Json => self.run_in_json(chunk, sink),
            Inside::Value(stops) => {
                let next = calls.next_in_value(stops, chunk.as_bytes(), &self.policy.rules);
                let parts = run.parts(chunk, next, &calls.call.open);
                self.run_in_value(chunk, next, parts, sink)
            }
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

    /// Nothing begins before `next`. What is held before the chunk is a newline that may be layout,
    /// or what may begin a tag, or both.
    #[inline]
    fn run_in_value<S: Sink>(
        &mut self,
        chunk: &str,
        next: usize,
        parts: Parts,
        sink: &mut S,
    ) -> bool {
        let carried = match self.state.candidate {
            Some(candidate) => self.carry(candidate, chunk),
            None if self.has_unread_tag() && self.may_be_tag(chunk) => Carried::Unknown,
            None => Carried::Text,
        };
        match carried {
            Carried::Found => return false,
            Carried::Held => self.held.push_str(chunk),
            Carried::Text if parts.certain > 0 => {
                self.let_go(sink);
                self.state.pass_argument(&chunk[..parts.certain], sink);
                self.held.push_str(&chunk[parts.certain..]);
                self.state.read = self.held.len() - parts.unread;
            }
            _ => return self.run_through_held(chunk, next, sink),
        }
        true
    }

    /// Whether what is held ends with a `<` that nobody has looked at.
    fn has_unread_tag(&self) -> bool {
        self.state.read < self.held.len()
    }

    /// Whether something may begin with that `<`, by what follows it.
    fn may_be_tag(&self, chunk: &str) -> bool {
        let (Some(calls), Some(rules)) = (&self.state.calls, &self.policy.rules.calls) else {
            return true;
        };
        calls.value_lexicon(rules).begins_tag(chunk.as_bytes())
    }

    /// Reads on in a tag that may have begun in what is held.
    fn carry(&mut self, mut candidate: Candidate, chunk: &str) -> Carried {
        let (state, rules) = (&mut self.state, &self.policy.rules);
        let (Some(calls), Some(call_rules)) = (&state.calls, &rules.calls) else {
            return Carried::Unknown;
        };
        let lexicon = calls.value_lexicon(call_rules);
        let (_, fate) = candidate.read(chunk.as_bytes(), &rules.grammar(lexicon));
        let held = &self.held;
        let Some(start) = candidate.start.checked_sub(state.base) else {
            return Carried::Unknown;
        };
        let start = (start as usize).min(held.len());
        let behind = held.as_bytes().get(start + 1..).unwrap_or_default();
        match fate {
            Fate::Found(_) => Carried::Found,
            Fate::Text { .. } if lexicon.find(behind).is_none() => Carried::Text,
            Fate::Open if calls.may_end_value(&candidate, lexicon, &held[..start]) => {
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
        if self.held.is_empty() {
            return;
        }
        self.state.looked += self.held.len() as u64;
        self.state.candidate = None;
        self.state.pass_argument(&self.held, sink);
        self.held.clear();
    }

    fn run_through_held<S: Sink>(&mut self, chunk: &str, next: usize, sink: &mut S) -> bool {
        let mut held = std::mem::take(&mut self.held);
        let before = held.len();
        held.push_str(chunk);
        let next = match self.state.read < before {
            true => self.state.read,
            false => before + next,
        };
        let settled = self.run_through(&held, next, sink);
        match settled {
            Some(settled) => drop(held.drain(..settled)),
            None => held.truncate(before),
        }
        self.held = held;
        settled.is_some()
    }

    /// Passes on what is certain in a window; gives how much that is, or nothing if something was
    /// found in it. Nothing new begins before `next`.
    fn run_through<S: Sink>(&mut self, window: &str, next: usize, sink: &mut S) -> Option<usize> {
        let state = &mut self.state;
        let mut runner = Runner {
            rules: &self.policy.rules,
            calls: state.calls.as_deref()?,
            window,
            base: state.base,
            at: state.candidate.map_or(next, |_| state.read),
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

/// What may be done with a chunk if nothing has begun before it.
#[derive(Clone, Copy)]
struct Parts {
    /// So many bytes are text of the argument; the rest is held.
    certain: usize,
    /// So many at its end have not been looked at.
    unread: usize,
}

impl Run {
    /// A chunk in which nothing begins before `next`. If that is its last byte, it is held as it is:
    /// nearly always the next chunk tells at a glance that it begins nothing.
    fn parts(&self, chunk: &str, next: usize, value: &OpenValue) -> Parts {
        let unread = chunk.len() - next;
        let waits = unread == 1 && self.tag_waits && chunk.as_bytes()[next] == b'<';
        let certain = match waits || unread == 0 {
            true => value.certain(&chunk[..next]),
            false => 0,
        };
        Parts { certain, unread }
    }

    /// Whether it can be told at a glance that all of the chunk is text of the argument.
    #[inline(always)]
    fn is_plain(&self, chunk: &str, calls: &CallState, rules: &Rules) -> bool {
        let bytes = chunk.as_bytes();
        if bytes.is_empty() || bytes.len() > Few::MOST || !self.has_room(bytes.len(), calls) {
            return false;
        }
        match self.inside {
            Inside::Value(stops) => {
                calls.call.open.certain(chunk) == bytes.len()
                    && calls.next_in_value(stops, bytes, rules) == bytes.len()
            }
            Inside::Json => calls.call.json.is_in_string() && !any_escaped(bytes),
        }
    }

    #[inline]
    fn has_room(&self, len: usize, calls: &CallState) -> bool {
        calls.call.raw.len() + len <= self.most
    }
}

impl CallState {
    /// The first byte of a chunk of a value at which something may begin, or its end.
    #[inline(always)]
    fn next_in_value(&self, stops: Few, bytes: &[u8], rules: &Rules) -> usize {
        match bytes.len() <= Few::MOST && !stops.stops_in(bytes) {
            true => bytes.len(),
            false => self.find_in_value(bytes, rules),
        }
    }

    #[inline(never)]
    fn find_in_value(&self, bytes: &[u8], rules: &Rules) -> usize {
        let lexicon = rules.calls.as_ref().map(|rules| self.value_lexicon(rules));
        let next = lexicon.and_then(|lexicon| lexicon.find(bytes));
        next.unwrap_or(bytes.len())
    }
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
        let (read, fate) = candidate.read(rest, &self.rules.grammar(lexicon));
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

//! Gemini's `streamGenerateContent`, as events or as a list, and `generateContent`.
//!
//! A frame holds any number of parts, so that no frame needs to be added.

use super::Thinking;
use super::object::{Object, list, list_of, string};
use super::out::{Out, Style};
use super::reading::{Piece, Pieces, Reading, Setup};
use crate::framing::frame::Message;
use crate::session::choices::{Indexed, choice};
use crate::session::policies::Course;

/// A stream of responses.
#[derive(Debug, Default)]
pub(super) struct Gemini {
    candidates: Vec<Candidate>,
    /// A frame that says that it is the last. Some versions say so in every frame, so that it
    /// waits for the next one, or for the end.
    last: Option<Last>,
}

/// A candidate of the answer.
#[derive(Debug, Default)]
struct Candidate {
    index: u64,
    reading: Option<Reading>,
    course: Course,
}

impl Indexed for Candidate {
    fn index(&self) -> u64 {
        self.index
    }
}

#[derive(Debug)]
struct Last {
    raw: Vec<u8>,
    style: Style,
    json: String,
    is_changed: bool,
    /// What came after it.
    behind: Vec<u8>,
}

impl Gemini {
    pub(super) fn frame(&mut self, message: &Message<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        self.release(out);
        let data = message.json();
        let Some(mut response) = Object::parse(data).filter(|r| r.get("candidates").is_some())
        else {
            return out.same();
        };
        let mut is_changed = false;
        let mut is_last = false;
        let mut candidates = Vec::new();
        for (place, json) in list(response.given("candidates")).into_iter().enumerate() {
            let candidate = Object::parse(json).unwrap_or_default();
            is_last |= candidate.get("finishReason").is_some();
            let new = self.candidate(candidate, place as u64, setup);
            is_changed |= new.is_some();
            candidates.push(new.unwrap_or_else(|| json.to_owned()));
        }
        if is_changed {
            response.set("candidates", list_of(&candidates));
        }
        match (is_last, is_changed) {
            (true, _) => self.last = Some(Last::new(&response, is_changed, out)),
            (false, true) => out.edited(&response.json()),
            (false, false) => out.same(),
        }
    }

    /// What says nothing. If too much of it comes after the last frame, nobody waits for the end
    /// any longer.
    pub(super) fn aside(&mut self, setup: &Setup, out: &mut Out<'_>) {
        if let Some(last) = &mut self.last {
            if last.behind.len() + out.raw.len() <= setup.options.frame_limit {
                return last.behind.extend_from_slice(out.raw);
            }
            self.release(out);
        }
        out.same();
    }

    /// Ends all texts: in the last frame, if it was one.
    pub(super) fn finish(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        let mut last = self.last.take();
        for candidate in std::mem::take(&mut self.candidates) {
            let index = candidate.index;
            let mut pieces = Pieces::default();
            if let Some(reading) = candidate.reading {
                reading.finish(setup, &mut pieces);
            }
            let parts: Vec<String> = pieces.0.into_iter().map(part).collect();
            match &mut last {
                _ if parts.is_empty() => {}
                Some(last) => last.add(index, &parts),
                None => lost(index, &parts, out),
            }
        }
        self.last = last;
        self.release(out);
    }

    /// Writes the frame that seemed to be the last.
    pub(super) fn release(&mut self, out: &mut Out<'_>) {
        let Some(last) = self.last.take() else { return };
        let mut out = Out {
            style: last.style,
            raw: &last.raw,
            bytes: &mut *out.bytes,
        };
        match last.is_changed {
            true => out.edited(&last.json),
            false => out.same(),
        }
        out.bytes.extend(last.behind);
    }

    /// A candidate as it should be; `None` if it can stay.
    fn candidate(
        &mut self,
        mut candidate: Object<'_>,
        place: u64,
        setup: &mut Setup,
    ) -> Option<String> {
        let index = candidate.number("index").unwrap_or(place);
        let mut content = Object::parse(candidate.given("content")?)?;
        let mut is_changed = false;
        let mut parts = Vec::new();
        for json in list(content.given("parts")) {
            match self.part(json, index, setup) {
                Some(new) => {
                    is_changed = true;
                    parts.extend(new);
                }
                None => parts.push(json.to_owned()),
            }
        }
        if parts.is_empty() {
            parts.push(r#"{"text":""}"#.to_owned());
        }
        content.set("parts", list_of(&parts));
        candidate.set("content", content.json());
        is_changed.then(|| candidate.json())
    }

    /// What a part becomes; `None` if it can stay.
    fn part(&mut self, json: &str, index: u64, setup: &mut Setup) -> Option<Vec<String>> {
        let mut part = Object::parse(json)?;
        let candidate = self.state(index)?;
        if part.get("functionCall").is_some() {
            candidate.course.calls(1);
        }
        let text = part.text("text")?;
        if part.get("thought") == Some("true") {
            candidate.course.thinks(&text);
            return (setup.options.thinking == Thinking::Hide).then(Vec::new);
        }
        let course = candidate.course;
        let reading = candidate
            .reading
            .get_or_insert_with(|| Reading::new(course, setup));
        let mut pieces = Pieces::default();
        let is_same = reading.push(&text, setup, &mut pieces);
        if is_same {
            return None;
        }
        let mut parts: Vec<String> = pieces.0.into_iter().map(self::part).collect();
        part.remove("text");
        if part.keys().next().is_some() {
            sign(&mut parts, &part);
        }
        Some(parts)
    }

    /// The candidate with this index; `None` if there are too many.
    fn state(&mut self, index: u64) -> Option<&mut Candidate> {
        let new = || Candidate {
            index,
            ..Candidate::default()
        };
        choice(&mut self.candidates, index, new)
    }
}

impl Last {
    fn new(response: &Object<'_>, is_changed: bool, out: &Out<'_>) -> Self {
        Last {
            raw: out.raw.to_vec(),
            style: out.style,
            json: response.json(),
            is_changed,
            behind: Vec::new(),
        }
    }

    /// Puts further parts into one of its candidates, or into a new one.
    fn add(&mut self, index: u64, parts: &[String]) {
        let json = std::mem::take(&mut self.json);
        let mut response = Object::parse(&json).unwrap_or_default();
        let mut candidates: Vec<String> = Vec::new();
        let mut is_there = false;
        for (place, json) in list(response.given("candidates")).into_iter().enumerate() {
            let candidate = Object::parse(json).unwrap_or_default();
            let is_it = candidate.number("index").unwrap_or(place as u64) == index;
            is_there |= is_it;
            candidates.push(match is_it {
                true => with_parts(candidate, parts),
                false => json.to_owned(),
            });
        }
        if !is_there {
            candidates.push(candidate_of(index, parts));
        }
        response.set("candidates", list_of(&candidates));
        self.json = response.json();
        self.is_changed = true;
    }
}

fn with_parts(mut candidate: Object<'_>, parts: &[String]) -> String {
    let content = candidate.given("content").and_then(Object::parse);
    let mut content = content.unwrap_or_default();
    let mut all = list(content.given("parts"));
    all.retain(|json| *json != r#"{"text":""}"#);
    all.extend(parts.iter().map(String::as_str));
    let all = list_of(&all);
    content.set("parts", all);
    if !content.has("role") {
        content.set("role", "\"model\"");
    }
    let content = content.json();
    candidate.set("content", content);
    candidate.json()
}

fn candidate_of(index: u64, parts: &[String]) -> String {
    let parts = list_of(parts);
    format!("{{\"content\":{{\"parts\":{parts},\"role\":\"model\"}},\"index\":{index}}}")
}

/// The rest of a text whose stream has lost its end.
fn lost(index: u64, parts: &[String], out: &mut Out<'_>) {
    let response = format!("{{\"candidates\":[{}]}}", candidate_of(index, parts));
    match out.style {
        Style::Events => out.new_frame(&response),
        Style::Json => out
            .bytes
            .extend_from_slice(format!(",{response}").as_bytes()),
    }
}

/// What else was in a part, such as its signature, stays with the last of what it became.
fn sign(parts: &mut Vec<String>, rest: &Object<'_>) {
    let last = parts.pop().unwrap_or(r#"{"text":""}"#.to_owned());
    let rest = rest.json();
    parts.push(format!("{},{}", &last[..last.len() - 1], &rest[1..]));
}

fn part(piece: Piece) -> String {
    match piece {
        Piece::Text(text) => format!("{{\"text\":{}}}", string(&text)),
        Piece::Thought(text) => format!("{{\"text\":{},\"thought\":true}}", string(&text)),
        Piece::Call(call) => format!(
            "{{\"functionCall\":{{\"name\":{},\"args\":{}}}}}",
            string(&call.name),
            call.arguments
        ),
    }
}

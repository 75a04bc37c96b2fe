//! What an engine reported about a message, in the form in which two readings are compared.
//!
//! Adjacent runs of the same kind are joined while they arrive. A reading therefore is in normal
//! form by construction, and "what was out after this chunk" is a [`Mark`] in it.

use serde_json::{Value, json};

/// An event in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Start and end in bytes of the message.
    pub span: [u64; 2],
    /// The event's `type`.
    pub kind: &'static str,
    /// The number of the call or of the element that a run belongs to.
    pub index: u64,
    /// The argument or the part that a run belongs to, or the reason of a skip.
    pub part: Option<Box<str>>,
    /// The text of a run; for any other event, its remaining fields as JSON.
    pub text: String,
}

impl Event {
    /// Whether this is text that may be cut into several events.
    #[must_use]
    pub fn is_run(&self) -> bool {
        matches!(
            self.kind,
            "text" | "thought" | "skip" | "call_delta" | "element_delta"
        )
    }

    /// The fields of an event that is not a run.
    #[must_use]
    pub fn fields(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The event as the contract writes it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = json!({"type": self.kind});
        if self.is_run() {
            if self.kind.ends_with("_delta") {
                json["index"] = self.index.into();
            }
            if let Some(part) = &self.part {
                json["part"] = (**part).into();
            }
            json["text"] = self.text.as_str().into();
        } else if let Value::Object(fields) = self.fields() {
            json.as_object_mut().expect("an object").extend(fields);
        }
        json["span"] = json!(self.span);
        json
    }

    /// Whether `other` begins with this event: equal, or a run that goes on.
    fn begins(&self, other: &Event) -> bool {
        let same_kind = self.kind == other.kind && self.index == other.index;
        let same_place = self.part == other.part && self.span[0] == other.span[0];
        let goes_on = self.is_run() && self.span[1] <= other.span[1];
        self == other
            || same_kind && same_place && goes_on && other.text.starts_with(self.text.as_str())
    }
}

/// How much is out at one moment. In readings with equal events, equal marks mean equal output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many bytes of the message have been pushed.
    pub pushed: usize,
    /// How many events are out that are not runs.
    pub points: usize,
    /// How many bytes of text are out, skipped ones not counted.
    pub text: usize,
    /// Where the last span ends.
    pub end: u64,
    /// A hash of the elements that are open, as their snapshots show them.
    pub snapshot: u64,
}

/// Everything that came out for one message in one cut.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The events in normal form.
    pub events: Vec<Event>,
    /// What was out after each chunk; after that of the last chunk there is one for the end of the
    /// message, if it was finished.
    pub marks: Vec<Mark>,
    /// How many notices of invalid UTF-8 there were. Where they are depends on the cut.
    pub invalid: usize,
    /// Spans that do not start where the one before ended.
    pub gaps: Vec<String>,
    now: Mark,
}

impl Reading {
    /// Takes text that may have been cut.
    pub fn run(
        &mut self,
        span: [u64; 2],
        kind: &'static str,
        index: u64,
        part: Option<&str>,
        text: &str,
    ) {
        self.place(span, kind);
        if kind != "skip" {
            self.now.text += text.len();
        }
        if text.is_empty() && span[0] == span[1] {
            return;
        }
        if let Some(last) = self.events.last_mut()
            && last.kind == kind
            && last.index == index
            && last.part.as_deref() == part
        {
            last.span[1] = span[1];
            last.text.push_str(text);
            return;
        }
        self.events.push(Event {
            span,
            kind,
            index,
            part: part.map(Into::into),
            text: text.to_owned(),
        });
    }

    /// Takes an event that is whole, with its remaining fields as a JSON object.
    pub fn point(&mut self, span: [u64; 2], kind: &'static str, fields: String) {
        self.place(span, kind);
        self.now.points += 1;
        self.events.push(Event {
            span,
            kind,
            index: 0,
            part: None,
            text: fields,
        });
    }

    /// Takes a notice of invalid UTF-8.
    pub fn invalid_utf8(&mut self, span: [u64; 2]) {
        self.place(span, "notice");
        self.invalid += 1;
    }

    /// A chunk of this many bytes has been pushed, or none at the end of the message.
    pub fn mark(&mut self, pushed: usize, snapshot: u64) {
        self.now.pushed += pushed;
        self.now.snapshot = snapshot;
        self.marks.push(self.now);
    }

    /// What is out in the end.
    #[must_use]
    pub fn last_mark(&self) -> Mark {
        self.now
    }

    /// Whether all of this is at the beginning of another reading.
    #[must_use]
    pub fn begins(&self, other: &Reading) -> bool {
        let Some((last, before)) = self.events.split_last() else {
            return true;
        };
        let same = other.events.get(before.len());
        other.events.starts_with(before) && same.is_some_and(|event| last.begins(event))
    }

    /// The events as JSON.
    #[must_use]
    pub fn to_json(&self) -> Vec<Value> {
        self.events.iter().map(Event::to_json).collect()
    }

    fn place(&mut self, [start, end]: [u64; 2], kind: &'static str) {
        if start != self.now.end || end < start {
            let expected = self.now.end;
            let gap = format!("`{kind}` has the span [{start}, {end}], but {expected} is next");
            self.gaps.push(gap);
        }
        self.now.end = end;
    }
}

//! One record of JSON Lines: read, and written with the added columns.

use crate::chat;
use crate::json::{self, Key, Text};
use crate::settings::{Columns, Settings, Subject};
use crate::summary::Summary;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use tagstream::Policy;
use tagstream::message::{Message, MessageReader};

/// Turns records into records with the added columns.
pub(crate) struct Records<'s> {
    settings: &'s Settings,
    columns: Columns,
    reader: MessageReader,
    pub(crate) summary: Summary,
    /// The errors of bad records.
    pub(crate) bad: Vec<String>,
}

impl<'s> Records<'s> {
    pub(crate) fn new(policy: &Policy, settings: &'s Settings) -> Self {
        Records {
            settings,
            columns: settings.columns(),
            reader: MessageReader::new(policy).whitespace(settings.whitespace),
            summary: Summary::default(),
            bad: Vec::new(),
        }
    }

    /// Adds the record in this line to the output, as a line. `place` names the line in an error.
    pub(crate) fn line(&mut self, line: &[u8], place: impl Fn() -> String, out: &mut String) {
        self.summary.records += 1;
        let start = out.len();
        let done = match str::from_utf8(line) {
            Ok(line) => self.record(line.trim(), out),
            Err(_) => Err(Bad::Unreadable("the line is not UTF-8".to_owned())),
        };
        if let Err(bad) = done {
            out.truncate(start);
            self.pass_on(line, &bad, &place(), out);
        }
        out.push('\n');
    }

    fn record(&mut self, line: &str, out: &mut String) -> Result<(), Bad> {
        match &self.settings.subject {
            Subject::Field(name) => self.with_field(line, name, out),
            Subject::Messages(name) => self.with_messages(line, name, out),
        }
    }

    fn with_field(&mut self, line: &str, name: &str, out: &mut String) -> Result<(), Bad> {
        let found = Found::in_record(line, name, &self.columns)?;
        self.summary.replaced += u64::from(found.replaces);
        self.begin(line, found.replaces, out)?;
        if let Some(text) = found.text(name)? {
            let message = self.reader.read(&text);
            self.summary.count(&text, message);
            field_columns(Some(message), &self.columns, out);
        } else {
            self.summary.nulls += 1;
            field_columns(None, &self.columns, out);
        }
        end(None, &self.columns, out);
        Ok(())
    }

    fn with_messages(&mut self, line: &str, name: &str, out: &mut String) -> Result<(), Bad> {
        let entries = json::entries(line).map_err(|error| Bad::unreadable(line, &error))?;
        let mut notices = String::new();
        let mut is_found = false;
        out.push('{');
        for (key, value) in entries.iter().filter(|(key, _)| !self.columns.has(key)) {
            json::key(key, out);
            if key == name {
                is_found = true;
                let mut chat = chat::Chat::new(&mut self.reader, &mut self.summary, &mut notices);
                chat.messages(value.get(), out).map_err(Bad::Unfit)?;
            } else {
                out.push_str(value.get());
            }
            out.push(',');
        }
        if !is_found {
            return Err(Bad::Unfit(format!("there is no field `{name}`")));
        }
        self.summary.replaced += u64::from(entries.iter().any(|(key, _)| self.columns.has(key)));
        json::key(&self.columns.notices, out);
        out.push_str(&format!("[{notices}]"));
        end(None, &self.columns, out);
        Ok(())
    }

    /// Adds the record without its closing brace, and a comma. Nearly always that is the line as it is.
    fn begin(&self, line: &str, replaces: bool, out: &mut String) -> Result<(), Bad> {
        if !replaces {
            let open = line.strip_suffix('}').unwrap_or(line).trim_end();
            out.push_str(open);
            out.push_str(if open == "{" { "" } else { "," });
            return Ok(());
        }
        let entries = json::entries(line).map_err(|error| Bad::unreadable(line, &error))?;
        out.push('{');
        for (key, value) in entries.iter().filter(|(key, _)| !self.columns.has(key)) {
            json::key(key, out);
            out.push_str(value.get());
            out.push(',');
        }
        Ok(())
    }

    /// Whether columns can be added to the record without losing what it has: it has none of them, or
    /// those of a record that was bad before.
    fn has_room(&self, line: &str) -> bool {
        let Ok(entries) = json::entries(line) else {
            return false;
        };
        let old = entries.iter().filter(|(key, _)| self.columns.has(key));
        let empty = old.clone().filter(|(key, value)| {
            *key == self.columns.error || matches!(value.get(), "null" | "[]")
        });
        let old = old.count();
        old == 0 || old == empty.count() && old == self.columns.count()
    }

    /// Adds a record that could not be read, with its error.
    fn pass_on(&mut self, line: &[u8], bad: &Bad, place: &str, out: &mut String) {
        self.summary.bad += 1;
        let error = match (bad, str::from_utf8(line)) {
            (Bad::Unfit(why), Ok(text)) if self.has_room(text.trim()) => {
                let _ = self.begin(text.trim(), true, out);
                why
            }
            (Bad::Unfit(why) | Bad::Unreadable(why), Ok(text)) => {
                out.push_str("{\"record\":");
                json::string(text, out);
                out.push(',');
                why
            }
            (Bad::Unfit(why) | Bad::Unreadable(why), Err(_)) => {
                out.push_str(&format!("{{\"record_hex\":\"{}\",", json::hex(line)));
                why
            }
        };
        let error = format!("{place}: {error}");
        match self.settings.subject {
            Subject::Field(_) => field_columns(None, &self.columns, out),
            Subject::Messages(_) => {
                json::key(&self.columns.notices, out);
                out.push_str("[]");
            }
        }
        end(Some(&error), &self.columns, out);
        self.bad.push(error);
    }
}

/// Adds the columns of a message; without one, a content that is null.
fn field_columns(message: Option<&Message>, columns: &Columns, out: &mut String) {
    let none = Message::default();
    let found = message.unwrap_or(&none);
    json::key(&columns.content, out);
    match message {
        Some(message) => json::string(&message.content, out),
        None => out.push_str("null"),
    }
    out.push(',');
    json::key(&columns.thoughts, out);
    json::thoughts(found, out);
    out.push(',');
    json::key(&columns.tool_calls, out);
    json::tool_calls(found, out);
    out.push(',');
    json::key(&columns.notices, out);
    json::list(&found.notices, out, |notice, out| {
        json::notice(notice, None, out);
    });
}

fn end(error: Option<&str>, columns: &Columns, out: &mut String) {
    out.push(',');
    json::key(&columns.error, out);
    match error {
        Some(error) => json::string(error, out),
        None => out.push_str("null"),
    }
    out.push('}');
}

/// Why a record is bad.
pub(crate) enum Bad {
    /// It is not a JSON object.
    Unreadable(String),
    /// It is one without the text that was asked for.
    Unfit(String),
}

impl Bad {
    /// The line is not a JSON object.
    fn unreadable(line: &str, error: &serde_json::Error) -> Self {
        Bad::Unreadable(if line.starts_with('[') {
            "a record is an object, not a list; `jq -c '.[]'` makes lines of a list".to_owned()
        } else {
            error.to_string()
        })
    }

    pub(crate) fn why(&self) -> &str {
        match self {
            Bad::Unreadable(why) | Bad::Unfit(why) => why,
        }
    }
}

/// What a record has, found in one pass over it.
pub(crate) struct Found<'a> {
    text: Option<Text<'a>>,
    /// It has a field of the name of an added column.
    replaces: bool,
}

impl<'a> Found<'a> {
    pub(crate) fn in_record(line: &'a str, name: &str, columns: &Columns) -> Result<Self, Bad> {
        let error = match Found::parse(line, name, columns) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let mended = json::without_lone_surrogates(line);
        let found = mended.and_then(|line| {
            let found = Found::parse(&line, name, columns).ok()?;
            Some(Found {
                text: found.text.map(Text::into_owned),
                replaces: found.replaces,
            })
        });
        found.ok_or_else(|| Bad::unreadable(line, &error))
    }

    fn parse(line: &'a str, name: &str, columns: &Columns) -> Result<Self, serde_json::Error> {
        let mut source = serde_json::Deserializer::from_str(line);
        let found = source.deserialize_map(Fields { name, columns })?;
        source.end().map(|()| found)
    }

    /// The text in the field of this name; `None` if it is null.
    pub(crate) fn text(self, name: &str) -> Result<Option<Cow<'a, str>>, Bad> {
        match self.text {
            Some(Text::Is(text)) => Ok(Some(text)),
            Some(Text::Null) => Ok(None),
            Some(Text::Other(what)) => Err(Bad::Unfit(format!(
                "the field `{name}` is {what}, not text"
            ))),
            None => Err(Bad::Unfit(format!("there is no field `{name}`"))),
        }
    }
}

struct Fields<'n> {
    name: &'n str,
    columns: &'n Columns,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
        let mut found = Found {
            text: None,
            replaces: false,
        };
        while let Some(Key(key)) = map.next_key()? {
            found.replaces |= self.columns.has(&key);
            // Of a key that an object has twice, the last one counts.
            if key == self.name {
                found.text = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

//! What directives are.

use super::grown::{Grown, Space};
use crate::Attributes;
use crate::CallErrorCode;
use crate::NoticeCode;
use std::collections::HashMap;
use std::fmt;

/// One directive, as far as it has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    pub(super) what: What,
    /// The tool or the element.
    pub(super) name: String,
    /// The attributes of the element, as written.
    pub(super) attributes: String,
    pub(super) params: Params,
    /// The text, the thought, or the content of an element outside of its parts.
    pub(super) content: Grown,
    pub(super) parent: Option<usize>,
    pub(super) partial: bool,
    pub(super) refusals: Vec<Refusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Text,
    Thought,
    Tool,
    Log,
    Own,
}

/// The kind of a directive, with its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectiveKind<'a> {
    /// Text, trimmed.
    Text {
        /// The text.
        content: &'a str,
    },
    /// A thinking section, if the profile lists any.
    Thought {
        /// Its text, trimmed.
        content: &'a str,
    },
    /// The use of a tool.
    ToolUse {
        /// The tool.
        name: &'a str,
        /// Its parameters.
        params: &'a Params,
    },
    /// A log message.
    LogMessage {
        /// The message: the part of that name, or else the text of the element.
        message: &'a str,
        /// Its level.
        level: Level,
    },
    /// A kind of the user's own: an element of the profile.
    Own {
        /// Its name.
        name: &'a str,
        /// Its attributes.
        attributes: Attributes<'a>,
        /// Its parts.
        params: &'a Params,
        /// The text in it that belongs to no part, trimmed.
        content: &'a str,
        /// The directive that contains it, by its index in the list.
        parent: Option<usize>,
    },
}

impl Directive {
    pub(super) fn new(what: What, name: &str) -> Self {
        Directive {
            what,
            name: name.to_owned(),
            attributes: String::new(),
            params: Params::default(),
            content: Grown::default(),
            parent: None,
            partial: true,
            refusals: Vec::new(),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> DirectiveKind<'_> {
        let (name, content) = (self.name.as_str(), self.content.shown());
        match self.what {
            What::Text => DirectiveKind::Text { content },
            What::Thought => DirectiveKind::Thought { content },
            What::Tool => DirectiveKind::ToolUse {
                name,
                params: &self.params,
            },
            What::Log => DirectiveKind::LogMessage {
                message: self.params.get("message").unwrap_or(content),
                level: self.level().unwrap_or_default(),
            },
            What::Own => DirectiveKind::Own {
                name,
                attributes: Attributes::new(&self.attributes),
                params: &self.params,
                content,
                parent: self.parent,
            },
        }
    }

    /// Its type: `text`, `thought`, `tool_use`, `log_message`, or the name of a kind of the user's
    /// own.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self.what {
            What::Text => "text",
            What::Thought => "thought",
            What::Tool => "tool_use",
            What::Log => LOG,
            What::Own => &self.name,
        }
    }

    /// Whether it may not be acted on: it is still growing, was cut off, or was refused.
    #[must_use]
    pub fn partial(&self) -> bool {
        self.partial
    }

    /// Its text: that of a text or a thought, the message of a log, the content of another kind
    /// outside of its parts; empty for a tool.
    #[must_use]
    pub fn content(&self) -> &str {
        match self.kind() {
            DirectiveKind::LogMessage { message, .. } => message,
            _ => self.content.shown(),
        }
    }

    /// The parameters of a tool, or the parts of an element.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Why it was refused, if it was.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The level of a log message, if it names a known one.
    pub(super) fn level(&self) -> Option<Level> {
        Level::named(self.params.get("level")?)
    }
}

/// The element that is a log message.
pub(super) const LOG: &str = "log_message";

/// The level of a log message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// For whoever looks for a mistake.
    Debug,
    /// Worth knowing.
    #[default]
    Info,
    /// Something may be wrong.
    Warn,
    /// Something is wrong.
    Error,
}

impl Level {
    pub(super) const ALL: [Level; 4] = [Level::Debug, Level::Info, Level::Warn, Level::Error];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let is_named = |level: &Level| level.as_str().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is_named)
    }
}

/// The parameters of a tool, or the parts of an element, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    list: Vec<Param>,
    /// The place of each in the list, by its name: a model may make up thousands of names.
    places: HashMap<String, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Param {
    name: String,
    value: Grown,
    given: usize,
}

impl Params {
    /// The value of this one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.named(name).map(|param| param.value.shown())
    }

    /// How often it was given. The last value counts.
    #[must_use]
    pub fn given(&self, name: &str) -> usize {
        self.named(name).map_or(0, |param| param.given)
    }

    fn named(&self, name: &str) -> Option<&Param> {
        self.places.get(name).map(|&place| &self.list[place])
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Each with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let params = self.list.iter();
        params.map(|param| (param.name.as_str(), param.value.shown()))
    }

    /// Begins a value, or starts it over; returns its index.
    pub(super) fn begin(&mut self, name: &str, space: Space) -> usize {
        let place = self.places.get(name).copied().unwrap_or_else(|| {
            self.places.insert(name.to_owned(), self.list.len());
            self.list.push(Param {
                name: name.to_owned(),
                value: Grown::new(space),
                given: 0,
            });
            self.list.len() - 1
        });
        self.list[place].given += 1;
        self.list[place].value.set("");
        place
    }

    /// The value at this index.
    pub(super) fn value_mut(&mut self, place: usize) -> &mut Grown {
        &mut self.list[place].value
    }

    /// Replaces all values, in this order. Of two with the same name the last one counts. Returns
    /// how many bytes were looked at.
    pub(super) fn settle<'a>(
        &mut self,
        values: impl Iterator<Item = (&'a str, &'a str)>,
        space: impl Fn(&str) -> Space,
    ) -> usize {
        let grown = std::mem::take(self);
        let mut looked = 0;
        for (name, text) in values {
            let place = self.begin(name, space(name));
            let param = &mut self.list[place];
            looked += param.value.set(text);
            param.given = param.given.max(grown.given(name));
        }
        looked
    }

    /// The names of those that were given more than once.
    pub(super) fn repeated(&self) -> impl Iterator<Item = &str> {
        let repeated = self.list.iter().filter(|param| param.given > 1);
        repeated.map(|param| param.name.as_str())
    }
}

/// A reason why the use of a tool was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The kind of problem.
    pub code: CallErrorCode,
    /// In words that can be sent back to the model.
    pub message: String,
    /// The text of the whole use.
    pub raw: String,
}

/// Something the user may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// What it is about.
    pub code: NoticeCode,
    /// In words.
    pub message: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl PartialEq for Grown {
    fn eq(&self, other: &Self) -> bool {
        self.shown() == other.shown()
    }
}

impl Eq for Grown {}

//! How calls are written: a dialect is plain data, read from a small file.
//!
//! Every string that names markup is the literal syntax, with `{name}` or `{argument}` in place of
//! the name:
//!
//! | written | means |
//! |---|---|
//! | `<tool_call>`, `</tool_call>` | a tag: white space before `>` and any case are allowed |
//! | `<invoke name="{name}">` | a tag; the name is the value of that attribute |
//! | `<function={name}>` | a tag; the name is after `=` |
//! | `<{name}>`, `</{name}>` | a tag of that name; only declared ones count |
//! | `<tool_call>{name}` | an opener, then the name as text up to the dialect's next tag |
//! | `<\|tool_call_begin\|>{name}<\|sep\|>` | an opener, the name as text, and its end |
//! | `[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]` | the same, with the id of the call |
//! | `<\|message\|>{skip}<\|tool\|>` | the opener of a wrapper, with a word in it that has no meaning |
//! | `<{x:,}invoke name="{name}">` | a choice: each of its spellings, here with and without `x:` |
//! | with `brackets`: `<\|open\|>call tool="{name}"<\|sep\|>` | a tag like those above |
//! | with `brackets`: `]<]x[>[<{argument}>` | a tag of any name |
//! | anything else, such as `[TOOL_CALLS]` | a literal, byte for byte |

#[doc(hidden)]
pub use crate::policy::spellings::spellings;

/// One way to write calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Dialect {
    /// Its name in a profile.
    pub name: String,
    /// Who writes it, in words.
    #[cfg_attr(feature = "serde", serde(default))]
    pub about: String,
    /// What its tags have in place of `<`, `</` and `>`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub brackets: Option<[String; 3]>,
    /// Whether what opens and closes its calls is ordinary text. Then they count only if the first
    /// tool is declared.
    #[cfg_attr(feature = "serde", serde(default))]
    pub plain: bool,
    /// Whether the names in its attributes may have entities, as in `key="a&amp;b"`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub entities: bool,
    /// What is around the calls, if anything is.
    #[cfg_attr(feature = "serde", serde(default))]
    pub wrapper: Option<Wrapper>,
    /// What opens and closes one call; `None` if the wrapper contains JSON that names it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub call: Option<Head>,
    /// How arguments are written.
    pub arguments: Arguments,
    /// Which mistakes are repaired, each with a notice.
    #[cfg_attr(feature = "serde", serde(default))]
    pub repairs: Vec<Repair>,
}

impl Dialect {
    /// A dialect with this name, whose calls have arguments of this form. It also needs a
    /// [`wrapper`](Self::wrapper) or a [`call`](Self::call).
    ///
    /// ```
    /// use tagstream_core::dialect::{Arguments, Dialect, Head};
    /// use tagstream_core::{CallSettings, Profile};
    ///
    /// let dialect = Dialect::new("shouted", Arguments::json())
    ///     .call(Head::new(["RUN {name}:"], ["END"]));
    /// Profile::new().calls(CallSettings::dialects([dialect])).compile()?;
    /// # Ok::<(), tagstream_core::ProfileError>(())
    /// ```
    pub fn new(name: impl Into<String>, arguments: Arguments) -> Self {
        Dialect {
            name: name.into(),
            arguments,
            ..Self::default()
        }
    }

    /// Sets what is around the calls.
    #[must_use]
    pub fn wrapper(mut self, wrapper: Wrapper) -> Self {
        self.wrapper = Some(wrapper);
        self
    }

    /// Sets what opens and closes one call.
    #[must_use]
    pub fn call(mut self, call: Head) -> Self {
        self.call = Some(call);
        self
    }
}

/// What is around one or more calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Wrapper {
    /// What opens it: any of these.
    pub open: Vec<String>,
    /// What closes it: any of these. With none it ends with its JSON.
    #[cfg_attr(feature = "serde", serde(default))]
    pub close: Vec<String>,
    /// Literals between the calls that have no meaning.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ignore: Vec<String>,
    /// Whether several JSON objects may follow each other in it, with white space between them, each
    /// of them a call.
    #[cfg_attr(feature = "serde", serde(default))]
    pub several: bool,
    /// Whether nothing but the calls themselves shows that they begin. Then they count only at the
    /// start of a line, outside thinking, and only if the first tool is declared. In JSON, what opens
    /// it is the beginning of the JSON.
    #[cfg_attr(feature = "serde", serde(default))]
    pub bare: bool,
}

impl Wrapper {
    /// A wrapper that opens and closes with any of these.
    pub fn new<S: Into<String>>(
        open: impl IntoIterator<Item = S>,
        close: impl IntoIterator<Item = S>,
    ) -> Self {
        Wrapper {
            open: strings(open),
            close: strings(close),
            ..Self::default()
        }
    }
}

/// What opens and closes one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Head {
    /// What opens it, with `{name}` in place of the name: any of these.
    pub open: Vec<String>,
    /// What closes it: any of these. With none it ends where its JSON ends.
    #[cfg_attr(feature = "serde", serde(default))]
    pub close: Vec<String>,
    /// The form of the text in place of the name if it is an id, with `{name}` and `{number}`:
    /// `functions.{name}:{number}`. Either part may be missing.
    #[cfg_attr(feature = "serde", serde(default))]
    pub id: Option<String>,
    /// Namespaces of tools that the model was trained with, such as `browser`: a name in one of them
    /// never means the declared tool after its dot.
    #[cfg_attr(feature = "serde", serde(default))]
    pub own_namespaces: Vec<String>,
}

impl Head {
    /// A call that opens with one of `open`, with `{name}` in place of its name, and closes with
    /// one of `close`.
    pub fn new<S: Into<String>>(
        open: impl IntoIterator<Item = S>,
        close: impl IntoIterator<Item = S>,
    ) -> Self {
        Head {
            open: strings(open),
            close: strings(close),
            ..Self::default()
        }
    }
}

/// How arguments are written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(tag = "style", rename_all = "snake_case", deny_unknown_fields)
)]
#[non_exhaustive]
pub enum Arguments {
    /// A tag for each, with its value as raw text.
    #[non_exhaustive]
    Elements {
        /// What opens one, with `{argument}` in place of its name: any of these.
        open: Vec<String>,
        /// What closes it: any of these.
        close: Vec<String>,
        /// Whether a newline at each end of a value is layout.
        #[cfg_attr(feature = "serde", serde(default))]
        layout: Layout,
        /// The attribute whose value is `true` for a string and `false` for JSON.
        #[cfg_attr(feature = "serde", serde(default))]
        string_attribute: Option<String>,
        /// The attribute with the type of the value: `string`, or any other for JSON.
        #[cfg_attr(feature = "serde", serde(default))]
        type_attribute: Option<String>,
        /// Whether one JSON object may take their place, directly after the opener of the call.
        #[cfg_attr(feature = "serde", serde(default))]
        json: bool,
        /// What opens and what closes one JSON object that may take their place.
        #[cfg_attr(feature = "serde", serde(default))]
        json_in: Option<[String; 2]>,
        /// Whether a value may be between `<![CDATA[` and `]]>`, where no tag counts.
        #[cfg_attr(feature = "serde", serde(default))]
        cdata: bool,
    },
    /// A key followed by a value, each between two tags.
    #[non_exhaustive]
    Pairs {
        /// What opens and what closes a key.
        key: [String; 2],
        /// What opens and what closes a value.
        value: [String; 2],
        /// Whether a newline at each end of a value is layout.
        #[cfg_attr(feature = "serde", serde(default))]
        layout: Layout,
    },
    /// One JSON object.
    #[non_exhaustive]
    Json {
        /// The quote around its strings, if it is not `"`; nothing is escaped in them.
        #[cfg_attr(feature = "serde", serde(default))]
        quote: Option<String>,
        /// Whether its keys may be written without quotes.
        #[cfg_attr(feature = "serde", serde(default))]
        bare_keys: bool,
    },
    /// One JSON object that also contains the name, or a list of such objects.
    #[non_exhaustive]
    Envelope {
        /// The keys that the name may have.
        name: Vec<String>,
        /// The keys that the arguments may have.
        arguments: Vec<String>,
        /// The keys that the id may have.
        #[cfg_attr(feature = "serde", serde(default))]
        id: Vec<String>,
        /// A key whose value is an object with the name and the arguments (`function`).
        #[cfg_attr(feature = "serde", serde(default))]
        inside: Option<String>,
        /// Whether it is written as Python writes it, with single quotes, `True` and `None`.
        #[cfg_attr(feature = "serde", serde(default))]
        python: bool,
    },
    /// Python: the name, and arguments by name between brackets, with literals as their values. Several
    /// calls may follow each other, in a list or not.
    Python,
    /// One JSON object whose only key is the name, with the arguments as its value, or a list of
    /// such objects.
    Keyed,
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments::json()
    }
}

impl Arguments {
    /// [Elements](Arguments::Elements) that open and close with any of these.
    pub fn elements<S: Into<String>>(
        open: impl IntoIterator<Item = S>,
        close: impl IntoIterator<Item = S>,
    ) -> Self {
        Arguments::Elements {
            open: strings(open),
            close: strings(close),
            layout: Layout::default(),
            string_attribute: None,
            type_attribute: None,
            json: false,
            json_in: None,
            cdata: false,
        }
    }

    /// [Pairs](Arguments::Pairs) with these openers and closers of keys and of values.
    pub fn pairs<S: Into<String>>(key: [S; 2], value: [S; 2]) -> Self {
        Arguments::Pairs {
            key: key.map(Into::into),
            value: value.map(Into::into),
            layout: Layout::default(),
        }
    }

    /// One [JSON](Arguments::Json) object.
    #[must_use]
    pub fn json() -> Self {
        Arguments::Json {
            quote: None,
            bare_keys: false,
        }
    }

    /// An [envelope](Arguments::Envelope) with these keys of the name and of the arguments.
    pub fn envelope<S: Into<String>>(
        name: impl IntoIterator<Item = S>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Arguments::Envelope {
            name: strings(name),
            arguments: strings(arguments),
            id: Vec::new(),
            inside: None,
            python: false,
        }
    }

    /// The same arguments, with values on lines of their own.
    #[must_use]
    pub fn on_lines(mut self) -> Self {
        if let Arguments::Elements { layout, .. } | Arguments::Pairs { layout, .. } = &mut self {
            *layout = Layout::Lines;
        }
        self
    }
}

fn strings<S: Into<String>>(list: impl IntoIterator<Item = S>) -> Vec<String> {
    list.into_iter().map(Into::into).collect()
}

/// Whether a newline at each end of a value belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Layout {
    /// Yes.
    #[default]
    Inline,
    /// Values are on lines of their own: one newline at each end is layout.
    Lines,
}

/// A mistake that a dialect repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
    /// A value without its closer ends at the call's closer or at the next argument.
    MissingValueCloser,
    /// A value without its opener begins after its key.
    MissingValueOpener,
    /// A key without its closer ends at the value's opener.
    MissingKeyCloser,
    /// A call without its closer ends at the wrapper's closer or at the next call.
    MissingCallCloser,
    /// A closer that closes nothing is ignored.
    StrayCloser,
}

//! How calls are written: a dialect is plain data, read from a small file.
//!
//! Every string that names markup is the literal syntax, with `{name}` or `{argument}` in place of
//! the name:
//!
//! | written | means |
//! |---|---|
//! | `<tool_call>`, `</tool_call>` | a tag: white space before `>` and any case are allowed |
//! | `<invoke name="{name}">` | a tag; the name is the value of that attribute |
//! | `<function={name}>` | a tag; the name follows `=` |
//! | `<{name}>`, `</{name}>` | a tag of that name; only declared ones count |
//! | `<tool_call>{name}` | an opener, then the name as text up to the dialect's next tag |
//! | `<\|tool_call_begin\|>{name}<\|sep\|>` | an opener, the name as text, and what ends it |
//! | `[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]` | the same with the id of the call |
//! | `<\|message\|>{skip}<\|tool\|>` | what opens a wrapper, with a word without meaning in it |
//! | `<{x:,}invoke name="{name}">` | a choice: each of its spellings, here with and without `x:` |
//! | with `brackets`: `<\|open\|>call tool="{name}"<\|sep\|>` | a tag like those above |
//! | with `brackets`: `]<]x[>[<{argument}>` | a tag of any name |
//! | anything else, such as `[TOOL_CALLS]` | a literal, byte for byte |

/// One way to write calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Dialect {
    /// Its name in a profile.
    pub name: String,
    /// Which models write it, in words.
    #[cfg_attr(feature = "serde", serde(default))]
    pub about: String,
    /// What its tags have in place of `<`, `</` and `>`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub brackets: Option<[String; 3]>,
    /// What encloses the calls, if anything does.
    #[cfg_attr(feature = "serde", serde(default))]
    pub wrapper: Option<Wrapper>,
    /// What opens and closes one call; `None` if the wrapper contains JSON with the name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub call: Option<Head>,
    /// How arguments are written.
    pub arguments: Arguments,
    /// Which mistakes are repaired, each with a notice.
    #[cfg_attr(feature = "serde", serde(default))]
    pub repairs: Vec<Repair>,
}

/// What encloses one or more calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Wrapper {
    /// What opens it: any of these.
    pub open: Vec<String>,
    /// What closes it: any of these. With none it ends where its JSON ends.
    #[cfg_attr(feature = "serde", serde(default))]
    pub close: Vec<String>,
    /// Literals without meaning between the calls.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ignore: Vec<String>,
    /// It may contain several JSON objects with white space between them, each of which is a call.
    #[cfg_attr(feature = "serde", serde(default))]
    pub several: bool,
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
    /// The form of an id in place of the name, with `{name}` and `{number}`:
    /// `functions.{name}:{number}`. A missing part is forgiven.
    #[cfg_attr(feature = "serde", serde(default))]
    pub id: Option<String>,
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
    Elements {
        /// What opens one, with `{argument}` in place of its name: any of these.
        open: Vec<String>,
        /// What closes it: any of these.
        close: Vec<String>,
        /// Whether a newline at each end of a value is layout.
        #[cfg_attr(feature = "serde", serde(default))]
        layout: Layout,
        /// An attribute that tells whether the value is a string (`true`) or JSON (`false`).
        #[cfg_attr(feature = "serde", serde(default))]
        string_attribute: Option<String>,
        /// An attribute with the type of the value: `string`, or any other for JSON.
        #[cfg_attr(feature = "serde", serde(default))]
        type_attribute: Option<String>,
        /// Whether one JSON object may replace them, directly after what opens the call.
        #[cfg_attr(feature = "serde", serde(default))]
        json: bool,
        /// What opens and what closes one JSON object that may replace them.
        #[cfg_attr(feature = "serde", serde(default))]
        json_in: Option<[String; 2]>,
    },
    /// A key followed by a value, each between two tags.
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
    Json {
        /// What encloses its strings, if that is not `"`; nothing is escaped in them.
        #[cfg_attr(feature = "serde", serde(default))]
        quote: Option<String>,
        /// Whether its keys may have no quotes.
        #[cfg_attr(feature = "serde", serde(default))]
        bare_keys: bool,
    },
    /// One JSON object that also holds the name, or a list of them.
    Envelope {
        /// The keys that may have the name.
        name: Vec<String>,
        /// The keys that may have the arguments.
        arguments: Vec<String>,
        /// The keys that may have the id.
        #[cfg_attr(feature = "serde", serde(default))]
        id: Vec<String>,
        /// A key whose value is an object with the name and the arguments (`function`).
        #[cfg_attr(feature = "serde", serde(default))]
        inside: Option<String>,
    },
    /// One JSON object whose only key is the name, with the arguments as its value, or a list of
    /// them.
    Keyed,
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments::Json {
            quote: None,
            bare_keys: false,
        }
    }
}

/// Whether a newline at each end of a value belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Layout {
    /// It does.
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
    /// A closer that closes nothing is skipped.
    StrayCloser,
}

//! How calls are written: a dialect is plain data, read from a small file.
//!
//! Every string that names markup is the literal syntax, with `{name}` or `{argument}` where the
//! name stands:
//!
//! | written | means |
//! |---|---|
//! | `<tool_call>`, `</tool_call>` | a tag: white space before `>` and any case are allowed |
//! | `<invoke name="{name}">` | a tag; the name is the value of that attribute |
//! | `<function={name}>` | a tag; the name stands behind `=` |
//! | `<{name}>`, `</{name}>` | a tag of that name; only declared ones count |
//! | `<tool_call>{name}` | an opener, then the name as text up to the dialect's next tag |
//! | `<\|tool_call_begin\|>{name}<\|sep\|>` | an opener, the name as text, and what ends it |
//! | `[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]` | the same with the id of the call |
//! | `<\|message\|>{skip}<\|tool\|>` | what opens a wrapper, with a word in it that means nothing |
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
    /// What it is called in a profile.
    pub name: String,
    /// Who writes it, in words.
    #[cfg_attr(feature = "serde", serde(default))]
    pub about: String,
    /// What its tags have in place of `<`, `</` and `>`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub brackets: Option<[String; 3]>,
    /// What stands around the calls, if anything does.
    #[cfg_attr(feature = "serde", serde(default))]
    pub wrapper: Option<Wrapper>,
    /// What opens and closes one call; none where the wrapper holds JSON that names it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub call: Option<Head>,
    /// How arguments are written.
    pub arguments: Arguments,
    /// Which mistakes are put right, each with a notice.
    #[cfg_attr(feature = "serde", serde(default))]
    pub repairs: Vec<Repair>,
}

/// What stands around one or more calls.
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
    /// Literals between the calls that mean nothing.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ignore: Vec<String>,
    /// JSON objects may follow each other in it, white space between them, and each is a call.
    #[cfg_attr(feature = "serde", serde(default))]
    pub several: bool,
}

/// What opens and closes one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Head {
    /// What opens it, with `{name}` where the name stands: any of these.
    pub open: Vec<String>,
    /// What closes it: any of these. With none it ends where its JSON ends.
    #[cfg_attr(feature = "serde", serde(default))]
    pub close: Vec<String>,
    /// How the text at the name's place is made up where it is an id, with `{name}` and
    /// `{number}`: `functions.{name}:{number}`. A part that is missing is forgiven.
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
        /// What opens one, with `{argument}` where its name stands: any of these.
        open: Vec<String>,
        /// What closes it: any of these.
        close: Vec<String>,
        /// Whether a newline at each end of a value is layout.
        #[cfg_attr(feature = "serde", serde(default))]
        layout: Layout,
        /// An attribute that says whether the value is a string (`true`) or JSON (`false`).
        #[cfg_attr(feature = "serde", serde(default))]
        string_attribute: Option<String>,
        /// An attribute that says the type of the value: `string`, or any other for JSON.
        #[cfg_attr(feature = "serde", serde(default))]
        type_attribute: Option<String>,
        /// Whether one JSON object may stand in their place, right behind what opens the call.
        #[cfg_attr(feature = "serde", serde(default))]
        json: bool,
        /// What opens and what closes one JSON object that may stand in their place.
        #[cfg_attr(feature = "serde", serde(default))]
        json_in: Option<[String; 2]>,
    },
    /// A key and a value behind each other, each between two tags.
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
        /// What its strings stand between, where that is not `"`; nothing is escaped in them.
        #[cfg_attr(feature = "serde", serde(default))]
        quote: Option<String>,
        /// Whether its keys may have no quotes.
        #[cfg_attr(feature = "serde", serde(default))]
        bare_keys: bool,
    },
    /// One JSON object that also holds the name, or a list of them.
    Envelope {
        /// The keys that the name may stand under.
        name: Vec<String>,
        /// The keys that the arguments may stand under.
        arguments: Vec<String>,
        /// The keys that the id may stand under.
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
    /// Values stand on lines of their own: one newline at each end is layout.
    Lines,
}

/// A mistake that a dialect puts right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
    /// A value without its closer ends at the call's closer or at the next argument.
    MissingValueCloser,
    /// A value without its opener begins behind its key.
    MissingValueOpener,
    /// A key without its closer ends at the value's opener.
    MissingKeyCloser,
    /// A call without its closer ends at the wrapper's closer or at the next call.
    MissingCallCloser,
    /// A closer that closes nothing is passed over.
    StrayCloser,
}

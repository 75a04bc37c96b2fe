//! What is asked of a call that is complete: whether its arguments are right, and what they are.
//!
//! The engine knows where a call and its values begin and end. What they mean (types, schemas)
//! is the business of whoever brings a [`Check`].

use crate::json::escape_into;
use std::{fmt, ops::Range, sync::Arc};

/// The text of a call that is complete.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallText<'a> {
    /// The tool: the declared spelling, or as written if it is not declared.
    pub name: &'a str,
    /// Its arguments as they were written.
    pub arguments: ArgumentsText<'a>,
}

impl<'a> CallText<'a> {
    /// A call of this tool.
    #[must_use]
    pub fn new(name: &'a str, arguments: ArgumentsText<'a>) -> Self {
        CallText { name, arguments }
    }
}

impl<'a> ArgumentText<'a> {
    /// An argument with this text.
    #[must_use]
    pub fn new(name: &'a str, text: &'a str, is_string: Option<bool>) -> Self {
        ArgumentText {
            name,
            text,
            is_string,
        }
    }
}

impl Problem {
    /// Something wrong with a call.
    pub fn new(code: CallErrorCode, argument: Option<&str>, message: impl Into<String>) -> Self {
        Problem {
            code,
            argument: argument.map(Into::into),
            message: message.into(),
        }
    }
}

/// Arguments as they were written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ArgumentsText<'a> {
    /// One text for each, in order; a name may come twice.
    Values(&'a [ArgumentText<'a>]),
    /// The same, in a dialect that writes objects and lists as tags in tags.
    Nested {
        /// One text for each.
        values: &'a [ArgumentText<'a>],
        /// What its tags have in place of `<`, `</` and `>`.
        brackets: [&'a str; 3],
    },
    /// A JSON text.
    Json {
        /// The arguments; they may be wrong, or a string that holds JSON, or empty.
        text: &'a str,
        /// The object that holds the call, where there is one.
        envelope: Option<EnvelopeText<'a>>,
    },
}

impl<'a> ArgumentsText<'a> {
    /// A JSON text by itself.
    #[must_use]
    pub fn json(text: &'a str) -> Self {
        ArgumentsText::Json {
            text,
            envelope: None,
        }
    }
}

/// A JSON object that has the name of a call and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvelopeText<'a> {
    /// All of it.
    pub text: &'a str,
    /// Where the arguments are in it, which are judged by themselves; empty if it has none.
    pub arguments: Range<usize>,
}

impl<'a> EnvelopeText<'a> {
    /// An object with the arguments in this range.
    #[must_use]
    pub fn new(text: &'a str, arguments: Range<usize>) -> Self {
        EnvelopeText { text, arguments }
    }
}

/// One argument as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentText<'a> {
    /// Its name: the declared one, if it came under another name.
    pub name: &'a str,
    /// Its value, without layout.
    pub text: &'a str,
    /// Whether the dialect says that it is a string, or that it is JSON.
    pub is_string: Option<bool>,
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call is valid.
    Valid {
        /// Its arguments, as the text of a JSON object.
        arguments: String,
        /// What was put right, in words: a `repaired` notice each.
        repaired: Vec<String>,
    },
    /// The call is not valid: a `call_error` for each thing wrong.
    Invalid(Vec<Problem>),
}

/// One thing wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which kind of thing.
    pub code: CallErrorCode,
    /// The argument it is about.
    pub argument: Option<String>,
    /// What was seen and what would be right, in words that can be sent back to the model.
    pub message: String,
}

/// What a `call_error` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallErrorCode {
    /// No such tool is declared.
    UnknownTool,
    /// A required argument is missing.
    MissingRequired,
    /// No such argument is declared.
    UnknownArgument,
    /// A value does not fit the declared type.
    TypeMismatch,
    /// The arguments are no JSON.
    InvalidJson,
    /// An argument is not written as the dialect wants it.
    MalformedParameter,
    /// The call is not written as the dialect wants it.
    MalformedCall,
    /// The message ended inside the call.
    IncompleteCall,
    /// The call is too long, or one too many.
    Limit,
}

impl CallErrorCode {
    /// The code as the contract spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CallErrorCode::UnknownTool => "unknown_tool",
            CallErrorCode::MissingRequired => "missing_required",
            CallErrorCode::UnknownArgument => "unknown_argument",
            CallErrorCode::TypeMismatch => "type_mismatch",
            CallErrorCode::InvalidJson => "invalid_json",
            CallErrorCode::MalformedParameter => "malformed_parameter",
            CallErrorCode::MalformedCall => "malformed_call",
            CallErrorCode::IncompleteCall => "incomplete_call",
            CallErrorCode::Limit => "limit",
        }
    }
}

/// Judges calls that are complete.
pub trait Check: fmt::Debug + Send + Sync {
    /// Whether the call is valid, and what its arguments are.
    fn check(&self, call: &CallText<'_>) -> Verdict;
}

/// A [`Check`] that profiles share.
///
/// ```
/// use tagstream_core::{
///     AsWritten, CallErrorCode, CallText, Calls, Check, Checker, Problem, Profile, Verdict,
/// };
///
/// /// Lets nothing be deleted.
/// #[derive(Debug)]
/// struct Careful;
///
/// impl Check for Careful {
///     fn check(&self, call: &CallText<'_>) -> Verdict {
///         if call.name != "delete" {
///             return AsWritten.check(call);
///         }
///         Verdict::Invalid(vec![Problem {
///             code: CallErrorCode::UnknownTool,
///             argument: None,
///             message: "nothing may be deleted here".to_owned(),
///         }])
///     }
/// }
///
/// let profile = Profile::new().calls(Calls::default().checker(Checker::new(Careful)));
/// # assert!(profile.calls.is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Checker(pub Arc<dyn Check>);

impl Checker {
    /// Shares this one.
    pub fn new(check: impl Check + 'static) -> Self {
        Checker(Arc::new(check))
    }

    /// Whether the call is valid, and what its arguments are.
    #[must_use]
    pub fn check(&self, call: &CallText<'_>) -> Verdict {
        self.0.check(call)
    }
}

impl Default for Checker {
    fn default() -> Self {
        Checker::new(AsWritten)
    }
}

impl PartialEq for Checker {
    /// Whether they are one and the same.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Checker {}

/// Takes every call as it was written: values are strings, JSON is not looked into.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsWritten;

impl Check for AsWritten {
    fn check(&self, call: &CallText<'_>) -> Verdict {
        let arguments = match &call.arguments {
            ArgumentsText::Json { text: "", .. } => "{}".to_owned(),
            ArgumentsText::Json { text, .. } => (*text).to_owned(),
            ArgumentsText::Values(values) | ArgumentsText::Nested { values, .. } => {
                object_of_strings(values)
            }
        };
        Verdict::Valid {
            arguments,
            repaired: Vec::new(),
        }
    }
}

/// How many bytes stand around a name and its text in JSON, and around all.
const MARKS: usize = 6;

/// A JSON object with a string for each argument; of two with one name the last counts.
fn object_of_strings(values: &[ArgumentText<'_>]) -> String {
    let room = |value: &ArgumentText<'_>| value.name.len() + value.text.len() + MARKS;
    let mut json = String::with_capacity(MARKS + values.iter().map(room).sum::<usize>());
    json.push('{');
    for (value, counts) in values.iter().zip(last_of_their_names(values)) {
        if !counts {
            continue;
        }
        if json.len() > 1 {
            json.push(',');
        }
        quote(value.name, &mut json);
        json.push(':');
        quote(value.text, &mut json);
    }
    json.push('}');
    json
}

fn last_of_their_names(values: &[ArgumentText<'_>]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|at| values[*at].name);
    let mut last = vec![true; values.len()];
    for pair in order.windows(2) {
        last[pair[0]] = values[pair[0]].name != values[pair[1]].name;
    }
    last
}

/// Writes a text as a JSON string.
fn quote(text: &str, json: &mut String) {
    json.reserve(text.len() + 2);
    json.push('"');
    escape_into(text, json);
    json.push('"');
}

//! Checking a call that is complete: whether its arguments are valid, and what they are.
//!
//! The engine knows where a call and its argument values begin and end. What they mean, their types
//! and schemas, is the business of a [`Check`].

use crate::json::escape_into;
use std::{fmt, ops::Range, sync::Arc};

/// Checks calls that are complete.
pub trait Check: fmt::Debug + Send + Sync {
    /// Whether the call is valid, and what its arguments are.
    fn check(&self, call: &CallText<'_>) -> Verdict;

    /// Whether the value of this argument is a string, namely the text that is written for it,
    /// whatever that is and whatever the other arguments are. If so, a valid call has the value
    /// that was read, and it can be passed on before the call is complete.
    fn is_text(&self, _tool: &str, _argument: &str) -> bool {
        false
    }
}

/// A [`Check`] that profiles share.
///
/// ```
/// use tagstream_core::check::{AsWritten, CallText, Check, Checker, Problem, Verdict};
/// use tagstream_core::{CallErrorCode, CallSettings, Profile};
///
/// /// Refuses to delete anything.
/// #[derive(Debug)]
/// struct Careful;
///
/// impl Check for Careful {
///     fn check(&self, call: &CallText<'_>) -> Verdict {
///         if call.name != "delete" {
///             return AsWritten.check(call);
///         }
///         let message = "deleting is not allowed";
///         Verdict::Invalid(vec![Problem::new(CallErrorCode::UnknownTool, None, message)])
///     }
/// }
///
/// let calls = CallSettings::default().checker(Checker::new(Careful));
/// let profile = Profile::new().calls(calls);
/// # assert!(profile.calls.is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Checker(Arc<dyn Check>);

impl Checker {
    /// Shares this check.
    pub fn new(check: impl Check + 'static) -> Self {
        Checker(Arc::new(check))
    }

    /// Whether the call is valid, and what its arguments are.
    #[must_use]
    pub fn check(&self, call: &CallText<'_>) -> Verdict {
        self.0.check(call)
    }

    /// Whether the value of this argument is the text that is written for it.
    #[must_use]
    pub fn is_text(&self, tool: &str, argument: &str) -> bool {
        self.0.is_text(tool, argument)
    }
}

impl Default for Checker {
    fn default() -> Self {
        Checker::new(AsWritten)
    }
}

impl PartialEq for Checker {
    /// Whether both share the same check.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Checker {}

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

/// Arguments as they were written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ArgumentsText<'a> {
    /// A text for each argument, in order; a name may occur twice.
    Values(&'a [ArgumentText<'a>]),
    /// The same, in a dialect that writes objects and lists as nested tags.
    #[non_exhaustive]
    Nested {
        /// A text for each argument.
        values: &'a [ArgumentText<'a>],
        /// What its tags have in place of `<`, `</` and `>`.
        brackets: [&'a str; 3],
    },
    /// A JSON text.
    #[non_exhaustive]
    Json {
        /// The arguments; they may be invalid, or a string that holds JSON, or empty.
        text: &'a str,
        /// The object that contains the call, if there is one.
        envelope: Option<EnvelopeText<'a>>,
        /// Whether the dialect leaves out quotes, so that words may be strings.
        has_words: bool,
    },
}

impl<'a> ArgumentsText<'a> {
    /// Values in a dialect that writes objects and lists as nested tags.
    #[must_use]
    pub fn nested(values: &'a [ArgumentText<'a>], brackets: [&'a str; 3]) -> Self {
        ArgumentsText::Nested { values, brackets }
    }

    /// A JSON text by itself.
    #[must_use]
    pub fn json(text: &'a str) -> Self {
        ArgumentsText::Json {
            text,
            envelope: None,
            has_words: false,
        }
    }

    /// The arguments in an object that also contains the name.
    #[must_use]
    pub fn json_in(envelope: EnvelopeText<'a>) -> Self {
        ArgumentsText::Json {
            text: &envelope.text[envelope.arguments.clone()],
            envelope: Some(envelope),
            has_words: false,
        }
    }
}

/// One argument as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentText<'a> {
    /// Its name: the declared one, if it came under an alias.
    pub name: &'a str,
    /// Its value, without layout.
    pub text: &'a str,
    /// Whether the dialect marks it as a string (`true`) or as JSON (`false`).
    pub is_string: Option<bool>,
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

/// A JSON object that contains the name of a call and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvelopeText<'a> {
    /// All of it.
    pub text: &'a str,
    /// Where the arguments are in it, which are checked by themselves; empty if it has none.
    pub arguments: Range<usize>,
}

impl<'a> EnvelopeText<'a> {
    /// An object with the arguments in this range.
    #[must_use]
    pub fn new(text: &'a str, arguments: Range<usize>) -> Self {
        EnvelopeText { text, arguments }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The call is valid.
    #[non_exhaustive]
    Valid {
        /// Its arguments, as the text of a JSON object.
        arguments: String,
        /// What was repaired, in words: a `repaired` notice each.
        repaired: Vec<String>,
    },
    /// The call is refused: a `call_error` for each problem.
    Invalid(Vec<Problem>),
}

impl Verdict {
    /// A valid call with these arguments, the text of a JSON object, after these repairs.
    #[must_use]
    pub fn valid(arguments: impl Into<String>, repaired: Vec<String>) -> Self {
        Verdict::Valid {
            arguments: arguments.into(),
            repaired,
        }
    }

    /// A refused call, because of these problems.
    #[must_use]
    pub fn invalid(problems: Vec<Problem>) -> Self {
        Verdict::Invalid(problems)
    }

    /// The arguments of a valid call and what was repaired, or the problems of a refused one.
    ///
    /// # Errors
    /// The call is refused.
    pub fn into_result(self) -> Result<(String, Vec<String>), Vec<Problem>> {
        match self {
            Verdict::Valid {
                arguments,
                repaired,
            } => Ok((arguments, repaired)),
            Verdict::Invalid(problems) => Err(problems),
        }
    }
}

/// One thing that is wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What kind of thing.
    pub code: CallErrorCode,
    /// The argument that is wrong.
    pub argument: Option<String>,
    /// What was found and what was expected, in words that can be sent back to the model.
    pub message: String,
}

impl Problem {
    /// Something wrong with a call, or with one of its arguments.
    pub fn new(code: CallErrorCode, argument: Option<&str>, message: impl Into<String>) -> Self {
        Problem {
            code,
            argument: argument.map(Into::into),
            message: message.into(),
        }
    }
}

/// What is wrong with a call that is refused.
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
    /// The arguments are not valid JSON.
    InvalidJson,
    /// An argument is not written as its dialect requires.
    MalformedParameter,
    /// The call is not written as its dialect requires.
    MalformedCall,
    /// The message ended inside the call.
    IncompleteCall,
    /// The call is too long, or there are too many calls.
    Limit,
}

impl CallErrorCode {
    /// The code as the specification spells it.
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

/// Accepts every call as it was written: values are strings, and JSON is not inspected.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsWritten;

impl Check for AsWritten {
    fn check(&self, call: &CallText<'_>) -> Verdict {
        let arguments = match &call.arguments {
            ArgumentsText::Json { text: "", .. } => "{}".to_owned(),
            ArgumentsText::Json { text, .. } => (*text).to_owned(),
            ArgumentsText::Values(values) | ArgumentsText::Nested { values, .. } => {
                return object_of_strings(values);
            }
        };
        Verdict::valid(arguments, Vec::new())
    }

    fn is_text(&self, _tool: &str, _argument: &str) -> bool {
        true
    }
}

/// The quotes, colon and comma of one entry of a JSON object, in bytes.
const ENTRY_BYTES: usize = 6;

/// A JSON object with a string for each argument; of two with the same name the last one counts.
fn object_of_strings(values: &[ArgumentText<'_>]) -> Verdict {
    let room = |value: &ArgumentText<'_>| value.name.len() + value.text.len() + ENTRY_BYTES;
    let mut json = String::with_capacity(ENTRY_BYTES + values.iter().map(room).sum::<usize>());
    let mut repeated = Vec::new();
    json.push('{');
    for (value, counts) in values.iter().zip(last_of_their_names(values)) {
        if !counts {
            let name = value.name;
            repeated.push(format!(
                "the argument `{name}` was given twice; the last one counts"
            ));
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
    repeated.sort_unstable();
    repeated.dedup();
    Verdict::valid(json, repeated)
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

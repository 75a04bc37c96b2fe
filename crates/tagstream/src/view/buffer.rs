//! The tool-call buffer: calls are put together per content block, and given when the block
//! stops.
//!
//! A stream gives a call in pieces. Acting on a piece is a mistake: half a tag looks like a command.
//! So nothing is executed before the block stops; then its calls are read, checked and put right.
//!
//! ```
//! use tagstream::view::buffer::{BufferOptions, ToolCallBuffer};
//!
//! let mut buffer = ToolCallBuffer::new(&BufferOptions::default())?;
//! for delta in ["<function_calls><invoke name=\"dc_bash\"><parameter name=\"cmd\">ls", " 2>&1"] {
//!     let partial = buffer.process_content_block_delta(0, delta, None);
//!     assert_eq!(partial.name, Some("dc_bash")); // known, but not to be acted on
//! }
//! buffer.process_content_block_delta(0, "</parameter></invoke></function_calls>", None);
//! let results = buffer.process_content_block_stop(0);
//! let call = results[0].as_ref().unwrap();
//! assert_eq!((call.id.as_str(), call.name.as_str()), ("toolu_0", "dc_bash"));
//! assert_eq!(call.arguments["command"], "ls 2>&1"); // recovered from `cmd`
//!
//! buffer.process_delta(1, "{\"name\": \"dc_bash\", \"arguments\": {}}", Some("toolu_a"));
//! let error = buffer.process_stop(1).remove(0).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "Missing required 'command' parameter\n\
//!      line 1, column 1:\n\
//!      {\"name\": \"dc_bash\", \"arguments\": {}}\n\
//!      ^\n\
//!      Write it like this:\n\
//!      {\"name\": \"dc_bash\", \"arguments\": {\"command\":\"value\"}}"
//! );
//! assert!(!buffer.should_break_execution());
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! # What a block may hold
//!
//! | the block | is read as |
//! |---|---|
//! | begins with `{`, or its start names a tool | JSON: the name from `name` or `tool`; the arguments from `arguments`, `parameters`, `params` or `input`, else all of it if the start of the block has named the tool |
//! | anything else | text, in which `<function_calls>` may stand; several `<invoke>` are several calls |
//!
//! A block in which nothing began a call gives nothing. The id of a call is the given one, else
//! `toolu_` and the index of its block; the second call of a block has `_1` behind it, and so on.
//!
//! # Validation
//!
//! Arguments that came under another name are given their own, by [`ToolRules`]; what these
//! require must be there; then the JSON Schema of the tool is asked, if the tool is declared. The
//! built-in rules know shells, screens and editors ([`ToolRules::SOURCE`]).
//!
//! # Break conditions
//!
//! [`should_break_execution`](ToolCallBuffer::should_break_execution) is true once `max_attempts`
//! calls in a row have failed or repeated the very same call. A good call that is another one
//! starts the count anew. Beyond `max_calls` calls, further ones of a message are refused, and
//! that is a reason to break too.

mod attempts;
mod block;
mod diagnose;
mod error;
mod json;
mod rules;
mod validate;
mod xml;

pub use error::{BufferError, BufferErrorKind};
pub use rules::{ToolRule, ToolRules};
pub use validate::Validation;

use crate::dialect;
use crate::tools::Tools;
use crate::{CallSettings, Limits, Policy, Profile, ProfileError};
use attempts::Attempts;
use block::{Block, Policies};
use error::{Place, json_form, xml_form};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use validate::{Validator, Written};

/// How a buffer works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BufferOptions {
    /// The tools there are. With none, every name is accepted.
    pub tools: Tools,
    /// What tools need besides what their schemas say.
    pub rules: ToolRules,
    /// Whether `<invoke>` of a declared tool counts without `<function_calls>` around it.
    pub unwrapped: bool,
    /// So many calls in a row may fail or be repeated.
    pub max_attempts: u32,
    /// So many calls a message may have.
    pub max_calls: Option<u64>,
    /// The limits of the engine. A block's text is kept up to `limits.value`.
    pub limits: Limits,
}

impl Default for BufferOptions {
    fn default() -> Self {
        BufferOptions {
            tools: Tools::default(),
            rules: ToolRules::built_in().clone(),
            unwrapped: false,
            max_attempts: 3,
            max_calls: None,
            limits: Limits::default(),
        }
    }
}

impl BufferOptions {
    /// The defaults, with these tools.
    #[must_use]
    pub fn with_tools(tools: Tools) -> Self {
        BufferOptions {
            tools,
            ..Self::default()
        }
    }
}

/// A call as far as it has come: to be shown, never to be acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialCall<'a> {
    /// The content block.
    pub index: u64,
    /// The id, if one was given.
    pub id: Option<&'a str>,
    /// The tool, as soon as it is known.
    pub name: Option<&'a str>,
    /// The text of the block so far.
    pub text: &'a str,
}

/// A call that is complete and valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BufferedCall {
    /// The content block.
    pub index: u64,
    /// The id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, put right.
    pub arguments: Map<String, Value>,
    /// What was put right, in words.
    pub fixes: Vec<String>,
}

/// What has come of a call: it is complete and valid, or it is an error.
pub type Outcome = Result<BufferedCall, Box<BufferError>>;

/// Puts calls together from the deltas of a stream, and gives them when their block stops.
///
/// See the [module](self). One buffer serves any number of messages: failures in a row are counted
/// across them.
#[derive(Debug)]
pub struct ToolCallBuffer {
    policies: Policies,
    structure: Policy,
    validator: Validator,
    limits: Limits,
    blocks: BTreeMap<u64, Block>,
    attempts: Attempts,
    max_calls: u64,
    /// How many calls this message has had.
    calls: u64,
}

/// A call that has been found in a block, before it is judged.
struct Raw {
    name: Option<String>,
    /// Where it begins in the text of the block.
    at: usize,
    result: Result<(Map<String, Value>, Written), Fault>,
}

/// What is wrong with one.
struct Fault {
    kind: BufferErrorKind,
    message: String,
    at: usize,
}

impl ToolCallBuffer {
    /// A buffer with these options.
    ///
    /// # Errors
    /// The limits cannot work.
    pub fn new(options: &BufferOptions) -> Result<Self, ProfileError> {
        Ok(ToolCallBuffer {
            policies: Policies {
                xml: xml_policy(options)?,
                json: json::name_policy(options.limits)?,
            },
            structure: diagnose::policy()?,
            validator: Validator::new(&options.rules, &options.tools),
            limits: options.limits,
            blocks: BTreeMap::new(),
            attempts: Attempts::new(options.max_attempts),
            max_calls: options.max_calls.unwrap_or(u64::MAX),
            calls: 0,
        })
    }

    /// A block begins, and its start names the tool: what follows are its arguments.
    pub fn process_content_block_start(&mut self, index: u64, tool: &str, tool_id: Option<&str>) {
        self.blocks.insert(index, Block::new(tool_id, Some(tool)));
    }

    /// Takes the next piece of a block; gives what is known of it.
    pub fn process_content_block_delta(
        &mut self,
        index: u64,
        delta: &str,
        tool_id: Option<&str>,
    ) -> PartialCall<'_> {
        let new = || Block::new(None, None);
        let block = self.blocks.entry(index).or_insert_with(new);
        if let Some(id) = tool_id {
            block.id = Some(id.to_owned());
        }
        block.push(delta, &self.policies, self.limits.value);
        PartialCall {
            index,
            id: block.id.as_deref(),
            name: block.name(),
            text: &block.text,
        }
    }

    /// A block is over: gives its calls, each complete and valid or an error. Nothing, if there
    /// was no such block or nothing in it began a call.
    pub fn process_content_block_stop(&mut self, index: u64) -> Vec<Outcome> {
        let Some(mut block) = self.blocks.remove(&index) else {
            return Vec::new();
        };
        let calls = match block.is_json() {
            true => Vec::from_iter(json::read(&block, &self.validator)),
            false => xml::read(&mut block, &self.structure),
        };
        let calls = calls.into_iter().enumerate();
        calls
            .map(|(number, call)| self.judge(index, number, &block, call))
            .collect()
    }

    /// Whether it is time to stop trying.
    #[must_use]
    pub fn should_break_execution(&self) -> bool {
        self.attempts.are_used_up() || self.calls > self.max_calls
    }

    /// Forgets the failures and repetitions so far.
    pub fn reset_attempts(&mut self) {
        self.attempts.reset();
    }

    /// The next message begins: blocks that never stopped are forgotten, and calls are counted
    /// anew.
    pub fn start_message(&mut self) {
        self.blocks.clear();
        self.calls = 0;
    }

    /// Checks the arguments of a call, given as JSON: whether they are right, what there is to
    /// say, and the arguments as they should be.
    #[must_use]
    pub fn validate_tool_parameters(
        &self,
        tool_name: &str,
        params: &Map<String, Value>,
    ) -> Validation {
        self.validator
            .validate(tool_name, params.clone(), Written::Json)
    }

    fn judge(&mut self, index: u64, number: usize, block: &Block, call: Raw) -> Outcome {
        self.calls += 1;
        let id = id(index, number, block);
        let judged = match call.result {
            _ if self.calls > self.max_calls => Err(self.one_too_many(call.at)),
            Ok((arguments, written)) => self.validate(&call.name, arguments, written, call.at),
            Err(fault) => Err((fault, Map::new())),
        };
        match judged {
            Ok((
                name,
                Validation {
                    arguments, fixes, ..
                },
            )) => {
                let text = Value::Object(arguments.clone()).to_string();
                self.attempts.called(&name, &text);
                Ok(BufferedCall {
                    index,
                    id,
                    name,
                    arguments,
                    fixes,
                })
            }
            Err((fault, arguments)) => {
                self.attempts.failed();
                Err(Box::new(
                    self.error(index, id, call.name, fault, &arguments, block),
                ))
            }
        }
    }

    fn validate(
        &self,
        name: &Option<String>,
        arguments: Map<String, Value>,
        written: Written,
        at: usize,
    ) -> Result<(String, Validation), (Fault, Map<String, Value>)> {
        let name = name.clone().unwrap_or_default();
        let validation = self.validator.validate(&name, arguments, written);
        match validation.ok {
            true => Ok((name, validation)),
            false => {
                let kind = BufferErrorKind::Validation;
                let message = validation.message;
                Err((Fault { kind, message, at }, validation.arguments))
            }
        }
    }

    fn one_too_many(&self, at: usize) -> (Fault, Map<String, Value>) {
        let most = self.max_calls;
        let message = format!("A message may have {most} calls; send the others in the next one");
        let kind = BufferErrorKind::Limit;
        (Fault { kind, message, at }, Map::new())
    }

    fn error(
        &self,
        index: u64,
        id: String,
        name: Option<String>,
        fault: Fault,
        arguments: &Map<String, Value>,
        block: &Block,
    ) -> BufferError {
        let tool = name.as_deref();
        let needed = tool.map_or(Vec::new(), |tool| self.validator.needed(tool, arguments));
        let Place {
            line,
            column,
            excerpt,
        } = Place::of_byte(&block.text, fault.at);
        let suggestion = match block.is_json() {
            true => json_form(tool, &needed),
            false => xml_form(tool, &needed),
        };
        BufferError {
            index,
            id,
            name,
            kind: fault.kind,
            message: fault.message,
            line,
            column,
            excerpt,
            suggestion,
        }
    }
}

/// The short names.
impl ToolCallBuffer {
    /// As [`process_content_block_start`](Self::process_content_block_start).
    pub fn process_start(&mut self, index: u64, tool: &str, tool_id: Option<&str>) {
        self.process_content_block_start(index, tool, tool_id);
    }

    /// As [`process_content_block_delta`](Self::process_content_block_delta).
    pub fn process_delta(
        &mut self,
        index: u64,
        delta: &str,
        tool_id: Option<&str>,
    ) -> PartialCall<'_> {
        self.process_content_block_delta(index, delta, tool_id)
    }

    /// As [`process_content_block_stop`](Self::process_content_block_stop).
    pub fn process_stop(&mut self, index: u64) -> Vec<Outcome> {
        self.process_content_block_stop(index)
    }

    /// As [`should_break_execution`](Self::should_break_execution).
    #[must_use]
    pub fn should_break(&self) -> bool {
        self.should_break_execution()
    }
}

/// The id of the call with this number in its block.
fn id(index: u64, number: usize, block: &Block) -> String {
    let id = block.id.clone();
    let id = id.unwrap_or_else(|| format!("toolu_{index}"));
    match number {
        0 => id,
        number => format!("{id}_{number}"),
    }
}

/// Calls in the dialect `function_calls`. Values stay as they were written: they are checked later,
/// once aliases have been resolved.
fn xml_policy(options: &BufferOptions) -> Result<Policy, ProfileError> {
    let built_in = dialect::find("function_calls").expect("it is built in");
    let calls = CallSettings::dialects([built_in.dialect().clone()])
        .tools(options.tools.signatures())
        .unwrapped(options.unwrapped);
    let profile = Profile::new().limits(options.limits).calls(calls);
    profile.compile()
}

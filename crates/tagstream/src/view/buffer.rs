//! The tool-call buffer: collects tool calls per content block, and returns them when the block
//! stops.
//!
//! A stream delivers a call in pieces. Acting on a piece is a mistake: half a tag looks like a
//! command. So nothing can be executed before the block stops. Then its calls are read, checked and
//! repaired.
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
//! # What a block may contain
//!
//! | the block | is read as |
//! |---|---|
//! | begins with `{`, or its start names a tool | JSON: the name from `name` or `tool`; the arguments from `arguments`, `parameters`, `params` or `input`; else all of it if the start of the block has named the tool, or what is beside the name if a declared tool takes it |
//! | anything else | text that may contain `<function_calls>`; several `<invoke>` are several calls |
//!
//! A block in which no call began returns nothing. JSON that merely has a `name`, and no tool of that
//! name is declared, is an answer like any other text. A call in a Markdown fence is an error if the
//! block has no other call, and so is JSON in a list, or in `<tool_call>` at the start of a line: it is
//! probably meant to be one. The id of a call is the given one, or else
//! `toolu_` and the index of its block. The id of the second call of a block has the suffix `_1`,
//! and so on.
//!
//! # Validation
//!
//! [`ToolRules`] rename arguments that were given under an alias, and check those that they
//! require. Then the JSON Schema of the tool is checked, if the tool is declared. Built-in rules
//! exist for shells, screens and editors ([`ToolRules::SOURCE`]).
//!
//! # Break conditions
//!
//! [`should_break_execution`](ToolCallBuffer::should_break_execution) is true once `max_attempts`
//! calls in a row have failed, or have repeated the same call. A valid, different call resets the
//! count. Calls of a message beyond `max_calls` are refused, which is a reason to break too.

mod attempts;
mod block;
mod diagnose;
mod error;
mod extract;
mod fenced;
mod json;
mod rules;
mod validate;
mod xml;

pub use error::{BufferError, BufferErrorKind};
pub use extract::ExtractedCall;
pub use rules::{ToolRule, ToolRules};
pub use validate::Validation;

use crate::dialect;
use crate::position::TextPosition;
use crate::tools::Tools;
use crate::{CallSettings, CallsInside, Limits, Policy, Profile, ProfileError};
use attempts::Attempts;
use block::{Block, Policies};
use error::{json_form, xml_form};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use validate::{Validator, Written};

/// Options of a buffer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BufferOptions {
    /// The declared tools. With `None` every name is accepted, with an empty list none.
    pub tools: Option<Tools>,
    /// What tools require beyond their schemas.
    pub rules: ToolRules,
    /// Whether `<invoke>` of a declared tool counts without `<function_calls>` around it.
    pub unwrapped: bool,
    /// Whether the entities of XML in values (`&lt;`, `&#60;`) are decoded.
    pub decode_entities: bool,
    /// How many calls in a row may fail or be repeated.
    pub max_attempts: u32,
    /// How many calls a message may have.
    pub max_calls: Option<u64>,
    /// The limits of the engine. A block's text is kept up to `limits.value`.
    pub limits: Limits,
}

impl Default for BufferOptions {
    fn default() -> Self {
        BufferOptions {
            tools: None,
            rules: ToolRules::built_in().clone(),
            unwrapped: false,
            decode_entities: false,
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
            tools: Some(tools),
            ..Self::default()
        }
    }
}

/// What is known of a call so far: to be shown, never to be acted on.
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
    /// Its arguments, repaired.
    pub arguments: Map<String, Value>,
    /// What was repaired, in words.
    pub fixes: Vec<String>,
}

/// A call that is complete and valid, or the reason why it is not.
pub type Outcome = Result<BufferedCall, Box<BufferError>>;

/// Collects calls from the deltas of a stream, and returns them when their block stops.
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
    result: Result<Given, Fault>,
}

/// The arguments of such a call, and what was repaired to read them.
struct Given {
    arguments: Map<String, Value>,
    written: Written,
    fixes: Vec<String>,
}

impl Given {
    fn json(arguments: Map<String, Value>, fixes: Vec<String>) -> Self {
        Given {
            arguments,
            written: Written::Json,
            fixes,
        }
    }
}

/// What is wrong with such a call.
struct Fault {
    kind: BufferErrorKind,
    message: String,
    at: usize,
}

impl ToolCallBuffer {
    /// A buffer with these options.
    ///
    /// # Errors
    /// The limits are invalid.
    pub fn new(options: &BufferOptions) -> Result<Self, ProfileError> {
        Ok(ToolCallBuffer {
            policies: Policies {
                xml: xml_policy(options, CallsInside::Ignore)?,
                json: json::name_policy(options.limits)?,
                in_code: xml_policy(options, CallsInside::Promote)?,
            },
            structure: diagnose::policy()?,
            validator: Validator::new(&options.rules, options.tools.as_ref()),
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

    /// Takes the next piece of a block and returns what is known of the call so far.
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

    /// Ends a block and returns its calls, each either complete and valid or an error. Returns
    /// nothing if there was no such block or no call began in it.
    pub fn process_content_block_stop(&mut self, index: u64) -> Vec<Outcome> {
        let Some(mut block) = self.blocks.remove(&index) else {
            return Vec::new();
        };
        let calls = self.read(&mut block).into_iter().enumerate();
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

    /// Begins the next message: forgets blocks that never stopped, and counts calls from 0 again.
    pub fn start_message(&mut self) {
        self.blocks.clear();
        self.calls = 0;
    }

    /// Checks the arguments of a call, given as JSON. The result has whether they are valid, a
    /// message, and the repaired arguments.
    #[must_use]
    pub fn validate_tool_parameters(
        &self,
        tool_name: &str,
        params: &Map<String, Value>,
    ) -> Validation {
        self.validator
            .validate(tool_name, params.clone(), Written::Json)
    }

    /// The calls of a block that has stopped, and what only looks like one.
    fn read(&self, block: &mut Block) -> Vec<Raw> {
        if block.is_json() {
            return Vec::from_iter(json::read(block, &self.validator));
        }
        let mut calls = self.read_text(block);
        if calls.is_empty() {
            calls.extend(json::elsewhere(
                &block.text,
                &self.policies,
                &self.validator,
            ));
        }
        calls
    }

    fn read_text(&self, block: &mut Block) -> Vec<Raw> {
        let mut calls = xml::read(block, &self.structure);
        if calls.is_empty() {
            calls.extend(fenced::read(&block.text, &self.policies, &self.validator));
        }
        calls
    }

    fn judge(&mut self, index: u64, number: usize, block: &Block, call: Raw) -> Outcome {
        self.calls += 1;
        let id = id(index, number, block);
        let judged = match call.result {
            _ if self.calls > self.max_calls => Err(self.one_too_many(call.at)),
            Ok(given) => self.validate(&call.name, given, call.at),
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
        given: Given,
        at: usize,
    ) -> Result<(String, Validation), (Fault, Map<String, Value>)> {
        let name = name.clone().unwrap_or_default();
        let Given {
            arguments,
            written,
            fixes,
        } = given;
        let mut validation = self.validator.validate(&name, arguments, written);
        validation.fixes.splice(..0, fixes);
        if validation.ok {
            return Ok((name, validation));
        }
        let kind = BufferErrorKind::Validation;
        let message = validation.message;
        Err((Fault { kind, message, at }, validation.arguments))
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
        let tool = name.as_deref().map(|name| self.validator.meant(name));
        let needed = tool.map_or(Vec::new(), |tool| self.validator.needed(tool, arguments));
        let TextPosition {
            line,
            column,
            excerpt,
        } = TextPosition::of_byte(&block.text, fault.at);
        // JSON in a fence, or in a list, is in a block of text.
        let is_elsewhere = matches!(fault.kind, BufferErrorKind::InFence | BufferErrorKind::Json);
        let is_json = block.is_json() || is_elsewhere && block.text[fault.at..].starts_with('{');
        let suggestion = if is_json {
            json_form(tool, &needed)
        } else {
            xml_form(tool, &needed)
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
fn xml_policy(options: &BufferOptions, in_code: CallsInside) -> Result<Policy, ProfileError> {
    let built_in = dialect::find("function_calls").expect("it is built in");
    let mut calls = CallSettings::dialects([built_in.dialect().clone()]);
    calls.unwrapped = options.unwrapped;
    calls.decode_entities = options.decode_entities;
    calls.in_code = in_code;
    if let Some(tools) = &options.tools {
        calls = calls.tools(tools.signatures());
    }
    let profile = Profile::new().limits(options.limits).calls(calls);
    profile.compile()
}

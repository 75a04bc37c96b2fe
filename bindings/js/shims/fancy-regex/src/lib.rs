//! `RegExp`, with the interface of the crate `fancy-regex` that `jsonschema` uses.

use std::fmt;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[derive(Clone)]
    type RegExp;

    #[wasm_bindgen(constructor, catch)]
    fn new(pattern: &str, flags: &str) -> Result<RegExp, JsValue>;

    #[wasm_bindgen(method)]
    fn test(this: &RegExp, text: &str) -> bool;
}

/// The pattern is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a regular expression")
    }
}

impl std::error::Error for Error {}

/// A compiled pattern.
#[derive(Clone)]
pub struct Regex {
    pattern: String,
    compiled: RegExp,
}

impl Regex {
    /// With the flag `u`, as JSON Schema recommends; without it for patterns that only the older
    /// syntax allows, such as `\-` outside brackets.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        let compiled = RegExp::new(pattern, "u").or_else(|_| RegExp::new(pattern, ""));
        Ok(Regex {
            pattern: pattern.to_owned(),
            compiled: compiled.map_err(|_| Error)?,
        })
    }

    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        Ok(self.compiled.test(text))
    }
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

/// The limits mean nothing here.
pub struct RegexBuilder(String);

impl RegexBuilder {
    pub fn new(pattern: &str) -> Self {
        RegexBuilder(pattern.to_owned())
    }

    pub fn backtrack_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    pub fn delegate_size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    pub fn delegate_dfa_size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    pub fn build(&self) -> Result<Regex, Error> {
        Regex::new(&self.0)
    }
}

//! A profile from the `response_template` of a model's `tokenizer_config.json`.

use super::parse;
use crate::dialect::{self, Arguments, BuiltIn, Dialect, Head, Wrapper, spellings};
use serde_json::{Map, Value};
use std::fmt::Write;

/// A profile that was made from a `response_template`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromTokenizer {
    source: String,
    notes: Vec<String>,
}

impl FromTokenizer {
    /// The text of the profile's file, in TOML.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What the template says that a profile does not need, each with its key.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Why no profile can be made from a `response_template`: what it says that a profile cannot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.join("; "))]
pub struct TokenizerError {
    kind: TokenizerErrorKind,
    problems: Vec<String>,
}

/// What kind of problem a [`TokenizerError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenizerErrorKind {
    /// The text is not JSON.
    NotJson,
    /// It has no `response_template`.
    NoTemplate,
    /// The template says what a profile cannot.
    NotExpressible,
}

impl TokenizerError {
    /// What kind of problem it is.
    #[must_use]
    pub fn kind(&self) -> TokenizerErrorKind {
        self.kind
    }

    /// Everything that cannot be expressed, each with its key.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

/// Makes a profile from the text of a `tokenizer_config.json`, or of its `response_template` alone.
///
/// Thinking becomes delimiters or tags, and tool calls the built-in dialects that open like them.
///
/// ```
/// let made = tagstream::profile::from_tokenizer(r#"{"response_template": {"fields": {
///     "thinking": {"open": "<think>", "close": "</think>"},
///     "tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "content": "json", "repeats": true},
///     "content": {"close": "<|im_end|>"}
/// }}}"#)?;
/// let profile = tagstream::profile::parse(made.source())?;
/// assert_eq!(profile.thinking.tags, ["think"]);
/// assert_eq!(profile.markers, ["<|im_end|>"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The text is not JSON, has no template, or the template says what a profile cannot.
pub fn from_tokenizer(json: &str) -> Result<FromTokenizer, TokenizerError> {
    let fail = |kind, problem: String| TokenizerError {
        kind,
        problems: vec![problem],
    };
    let config: Value = serde_json::from_str(json.trim_start_matches('\u{feff}'))
        .map_err(|error| fail(TokenizerErrorKind::NotJson, format!("not JSON: {error}")))?;
    let template = config.get("response_template").unwrap_or(&config);
    let Some(fields) = template.get("fields").and_then(Value::as_object) else {
        let problem = "`response_template.fields`: missing; the tokenizer has no template";
        return Err(fail(TokenizerErrorKind::NoTemplate, problem.to_owned()));
    };
    let mut maker = Maker::default();
    maker.top_level(template);
    for (name, field) in fields {
        maker.field(name, field);
    }
    maker.finish()
}

/// Names of fields, and what they hold.
const THINKING: [&str; 4] = ["thinking", "reasoning", "reasoning_content", "thought"];
const CONTENT: [&str; 3] = ["content", "text", "response"];
const CALLS: [&str; 3] = ["tool_calls", "tool_call", "function_calls"];

/// Keys that say how values are put together, which events leave to the reader of them.
const NOT_NEEDED: [&str; 3] = ["repeats", "join", "optional"];

/// Keys that put the parts of a call elsewhere.
const TRANSFORMS: [&str; 2] = ["transform", "transform_each"];

/// The other keys of a field.
const KEYS: [&str; 6] = [
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
];

/// Keys of `content_args` that the check of a call decides by the schema of its tool.
const LEFT_TO_SCHEMAS: [&str; 3] = ["allow_non_json", "value_parser", "merge_duplicates"];

#[derive(Default)]
struct Maker {
    tags: Vec<String>,
    delimiters: Vec<[String; 2]>,
    starts_open: bool,
    ends_before: Vec<String>,
    markers: Vec<String>,
    dialects: Vec<&'static str>,
    unwrapped: bool,
    notes: Vec<String>,
    problems: Vec<String>,
}

impl Maker {
    fn top_level(&mut self, template: &Value) {
        for (key, value) in template.as_object().into_iter().flatten() {
            match key.as_str() {
                "fields" => {}
                "version" if value == 1 => {}
                "version" => {
                    let problem = format!("`{key}`: unknown value {value}; allowed: 1");
                    self.problems.push(problem);
                }
                "defaults" => self.notes.push(format!("`{key}`: not needed: {value}")),
                "start_anchor" | "start_anchor_pattern" => {
                    self.notes
                        .push(format!("`{key}`: the message begins after it: {value}"));
                }
                _ => self.problems.push(format!("`{key}`: unknown key")),
            }
        }
    }

    fn field(&mut self, name: &str, field: &Value) {
        let Some(map) = field.as_object() else {
            return self.problem(name, "", "not an object");
        };
        for key in map.keys().filter(|key| NOT_NEEDED.contains(&key.as_str())) {
            self.notes
                .push(format!("`fields.{name}.{key}`: not needed"));
        }
        for key in map.keys().map(String::as_str) {
            if ![&KEYS[..], &NOT_NEEDED, &TRANSFORMS]
                .concat()
                .contains(&key)
            {
                self.problem(name, key, "unknown key");
            }
        }
        let [open, close] = ["open", "close"].map(|key| self.literals(name, map, key));
        let (Some(open), Some(close)) = (open, close) else {
            return;
        };
        if THINKING.contains(&name) {
            self.thinking(name, map, open, close);
        } else if CONTENT.contains(&name) {
            self.only_text(name, map);
            self.add_markers(open.into_iter().chain(close));
        } else if CALLS.contains(&name) {
            self.calls(name, map, &open, &close);
        } else {
            self.problem(
                name,
                "",
                "a profile has thinking, content and tool calls only",
            );
        }
    }

    fn problem(&mut self, name: &str, key: &str, problem: &str) {
        let dot = if key.is_empty() { "" } else { "." };
        self.problems
            .push(format!("`fields.{name}{dot}{key}`: {problem}"));
    }

    /// The literals under `open` or `close`, or under the pattern in place of it; `None` if they cannot
    /// be literals.
    fn literals(&mut self, name: &str, map: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
        let pattern = format!("{key}_pattern");
        if let Some(text) = map.get(&pattern).and_then(Value::as_str) {
            // What follows the name or the id in the head of a call is the dialect's.
            let head = if CALLS.contains(&name) {
                before_any(text, &["(?P<name>", "(?P<id>"])
            } else {
                text
            };
            let literal = literal(head);
            if literal.is_none() {
                self.problem(name, &pattern, "a pattern that is not one literal text");
            }
            return literal.map(|literal| vec![literal]);
        }
        match map.get(key) {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::String(text)) if !text.is_empty() => Some(vec![text.clone()]),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                let texts = list.iter().filter_map(Value::as_str);
                Some(texts.map(str::to_owned).collect())
            }
            Some(_) => {
                self.problem(name, key, "neither a text nor a list of texts");
                None
            }
        }
    }

    fn add_markers(&mut self, markers: impl Iterator<Item = String>) {
        for marker in markers {
            if !self.markers.contains(&marker) {
                self.markers.push(marker);
            }
        }
    }

    fn only_text(&mut self, name: &str, map: &Map<String, Value>) {
        let content = map.get("content").and_then(Value::as_str).unwrap_or("text");
        if content != "text" {
            let problem = format!("{content:?} cannot be checked here; allowed: \"text\"");
            self.problem(name, "content", &problem);
        }
        if map.contains_key("content_args") {
            self.problem(name, "content_args", "only for tool calls");
        }
        for key in TRANSFORMS.iter().filter(|key| map.contains_key(**key)) {
            self.problem(name, key, "only for tool calls");
        }
    }

    fn thinking(
        &mut self,
        name: &str,
        map: &Map<String, Value>,
        open: Vec<String>,
        close: Vec<String>,
    ) {
        self.only_text(name, map);
        let mut closers = close.into_iter();
        let Some(close) = closers.next() else {
            return self.problem(name, "close", "missing: thinking needs what closes it");
        };
        if open.is_empty() {
            let Some(tag) = close.trim().strip_prefix("</").and_then(tag_name) else {
                let problem = "missing, and what closes thinking is not a closing tag";
                return self.problem(name, "open", problem);
            };
            // The prompt has opened it.
            self.starts_open = true;
            self.tags.push(tag.to_owned());
        }
        for open in open {
            // White space around a tag is trimmed; as part of a literal it would be required.
            match tag(&open).filter(|tag| close.trim() == format!("</{tag}>")) {
                Some(tag) => self.tags.push(tag.to_owned()),
                None => self.delimiters.push([open, close.clone()]),
            }
        }
        // A section has one closer. It also ends before the others, which are removed from the text.
        let others: Vec<_> = closers.collect();
        self.ends_before.extend(others.iter().cloned());
        self.add_markers(others.into_iter());
    }

    /// The built-in dialects that open and close like this.
    fn calls(&mut self, name: &str, map: &Map<String, Value>, open: &[String], close: &[String]) {
        let content = map.get("content").and_then(Value::as_str).unwrap_or("text");
        let Some(first) = open.first() else {
            return self.problem(name, "open", "missing: calls need what opens them");
        };
        let built_in = dialect::built_in().iter();
        let opens = |built_in: &&BuiltIn| {
            let dialect = built_in.dialect();
            is_one_of(open, &openers(dialect)) && fits(&dialect.arguments, content)
        };
        let found: Vec<_> = built_in.filter(opens).collect();
        if found.is_empty() {
            let problem = format!(
                "no built-in dialect opens with {first:?} and has its arguments as {content:?}; \
                 write a dialect file"
            );
            return self.problem(name, "open", &problem);
        }
        let closing = self.closing(name, &found, close);
        let arguments = map.get("content_args").and_then(Value::as_object);
        let fitting = self.fit_arguments(name, arguments, closing);
        let fitting = self.fit_transforms(name, map, fitting);
        let lacks_wrapper = |found: &&BuiltIn| {
            let dialect = found.dialect();
            dialect.wrapper.is_some() && !is_one_of(open, &wrapped_openers(dialect))
        };
        self.unwrapped |= fitting.iter().any(lacks_wrapper);
        self.dialects
            .extend(fitting.iter().map(|found| found.name()));
    }

    /// Those of the dialects that close like this. Calls that end where their JSON does may have anything
    /// after them: it is removed from the text.
    fn closing(
        &mut self,
        name: &str,
        dialects: &[&'static BuiltIn],
        close: &[String],
    ) -> Vec<&'static BuiltIn> {
        let Some(first) = close.first() else {
            return dialects.to_vec();
        };
        let such = |closes: &dyn Fn(&[String]) -> bool| -> Vec<_> {
            let dialects = dialects.iter();
            let found = dialects.filter(|found| closes(&closers(found.dialect())));
            found.copied().collect()
        };
        let closing = such(&|closers| is_one_of(close, closers));
        if !closing.is_empty() {
            return closing;
        }
        let without_closer = such(&<[String]>::is_empty);
        if without_closer.is_empty() {
            let names: Vec<_> = dialects.iter().map(|found| found.name()).collect();
            let problem = format!(
                "the built-in dialects that open so do not close with {first:?}: {}; write a dialect file",
                names.join(", ")
            );
            self.problem(name, "close", &problem);
        } else {
            self.add_markers(close.iter().cloned());
        }
        without_closer
    }

    /// Those of the dialects whose arguments are written like this.
    fn fit_arguments(
        &mut self,
        name: &str,
        arguments: Option<&Map<String, Value>>,
        mut dialects: Vec<&'static BuiltIn>,
    ) -> Vec<&'static BuiltIn> {
        for (key, value) in arguments.into_iter().flatten() {
            let path = format!("content_args.{key}");
            if LEFT_TO_SCHEMAS.contains(&key.as_str()) {
                let note = format!("`fields.{name}.{path}`: the schema of the tool decides");
                self.notes.push(note);
                continue;
            }
            let names: Vec<_> = dialects.iter().map(|found| found.name()).collect();
            dialects.retain(|found| takes(&found.dialect().arguments, key, value));
            if dialects.is_empty() {
                let problem = format!(
                    "{value} is not how the built-in dialects that open so are written: {}; write a dialect file",
                    names.join(", ")
                );
                self.problem(name, &path, &problem);
                return dialects;
            }
        }
        dialects
    }

    /// Those of the dialects whose JSON has the parts of a call under these keys.
    fn fit_transforms(
        &mut self,
        name: &str,
        map: &Map<String, Value>,
        mut dialects: Vec<&'static BuiltIn>,
    ) -> Vec<&'static BuiltIn> {
        for (key, value) in map
            .iter()
            .filter(|(key, _)| TRANSFORMS.contains(&key.as_str()))
        {
            let before = dialects.len();
            dialects.retain(|found| has_keys(&found.dialect().arguments, value));
            if dialects.is_empty() && before > 0 {
                let problem = format!(
                    "no built-in dialect that opens so has a call under these keys: {value}; write a \
                     dialect file"
                );
                self.problem(name, key, &problem);
            } else {
                self.notes
                    .push(format!("`fields.{name}.{key}`: not needed"));
            }
        }
        dialects
    }

    fn finish(mut self) -> Result<FromTokenizer, TokenizerError> {
        // What ends thinking may begin or end the content: it is removed as the end of thinking.
        let mut closers: Vec<_> = self.tags.iter().map(|tag| format!("</{tag}>")).collect();
        closers.extend(self.delimiters.iter().map(|[_, close]| close.clone()));
        self.markers
            .retain(|marker| !closers.iter().any(|closer| closer.trim() == marker.trim()));
        if !self.problems.is_empty() {
            return Err(TokenizerError {
                kind: TokenizerErrorKind::NotExpressible,
                problems: self.problems,
            });
        }
        let mut source = String::from("# Made from the response_template of a tokenizer.\n");
        // Writing to a string never fails.
        if !self.markers.is_empty() {
            let _ = writeln!(source, "\nmarkers = {}", list(&self.markers));
        }
        if !self.tags.is_empty() || !self.delimiters.is_empty() {
            source.push_str("\n[thinking]\n");
            if !self.tags.is_empty() {
                let _ = writeln!(source, "tags = {}", list(&self.tags));
            }
            if !self.delimiters.is_empty() {
                let pairs: Vec<_> = self.delimiters.iter().map(|pair| list(pair)).collect();
                let _ = writeln!(source, "delimiters = [{}]", pairs.join(", "));
            }
            if self.starts_open {
                source.push_str("starts_open = true\n");
            }
            if !self.ends_before.is_empty() {
                let _ = writeln!(source, "ends_before = {}", list(&self.ends_before));
            }
            source.push_str("trim = \"both\"\n");
        }
        if !self.dialects.is_empty() {
            let _ = writeln!(source, "\n[calls]\ndialect = {}", list(&self.dialects));
            if self.unwrapped {
                source.push_str("unwrapped = true\n");
            }
        }
        // What each key says can be expressed, but perhaps not all of it together.
        match parse(&source) {
            Ok(_) => Ok(FromTokenizer {
                source,
                notes: self.notes,
            }),
            Err(error) => {
                let key = error.key().unwrap_or("calls");
                let problem = error.problem();
                Err(TokenizerError {
                    kind: TokenizerErrorKind::NotExpressible,
                    problems: vec![format!(
                        "`fields`: the profile would be refused: `{key}`: {problem}"
                    )],
                })
            }
        }
    }
}

/// Whether one of the texts is one of those without white space.
fn is_one_of(texts: &[String], squeezed_texts: &[String]) -> bool {
    let mut texts = texts.iter().map(|text| squeezed(text));
    texts.any(|text| squeezed_texts.contains(&text))
}

/// What opens the calls of a dialect: a wrapper, a call up to its name, or both, without white space.
fn openers(dialect: &Dialect) -> Vec<String> {
    let mut all = wrapped_openers(dialect);
    all.extend(heads(dialect).iter().map(|head| squeezed(head)));
    all
}

/// What opens a wrapper, alone or with a call in it, without white space.
fn wrapped_openers(dialect: &Dialect) -> Vec<String> {
    let wrappers = all_spellings(dialect.wrapper.iter().flat_map(|wrapper| &wrapper.open));
    let heads = heads(dialect);
    let with_heads = wrappers.iter().flat_map(|wrapper| {
        let with = |head: &String| format!("{wrapper}{head}");
        heads.iter().map(with).collect::<Vec<_>>()
    });
    let alone = wrappers.iter().map(|wrapper| before_name(wrapper));
    let all = alone.map(str::to_owned).chain(with_heads);
    all.map(|opener| squeezed(&opener)).collect()
}

/// What a call begins with before its name, or before the name in what is in the place of it.
fn heads(dialect: &Dialect) -> Vec<String> {
    let id = dialect.call.as_ref().and_then(|call| call.id.as_deref());
    let heads = all_spellings(dialect.call.iter().flat_map(|call| &call.open));
    let heads = heads.iter().flat_map(|head| {
        let before = before_name(head).to_owned();
        let with_id = id.map(|id| before.clone() + before_name(id));
        [Some(before), with_id]
    });
    heads.flatten().collect()
}

/// What closes the wrapper of a dialect, a call in it, or both, without white space.
fn closers(dialect: &Dialect) -> Vec<String> {
    let wrappers = all_spellings(
        dialect
            .wrapper
            .iter()
            .flat_map(|wrapper: &Wrapper| &wrapper.close),
    );
    let calls = all_spellings(dialect.call.iter().flat_map(|call: &Head| &call.close));
    let both = calls.iter().flat_map(|call| {
        let with = |wrapper: &String| format!("{call}{wrapper}");
        wrappers.iter().map(with).collect::<Vec<_>>()
    });
    let both: Vec<_> = both.collect();
    let all = wrappers.into_iter().chain(calls).chain(both);
    all.map(|closer| squeezed(&closer)).collect()
}

fn all_spellings<'a>(patterns: impl Iterator<Item = &'a String>) -> Vec<String> {
    patterns.flat_map(|pattern| spellings(pattern)).collect()
}

/// A pattern up to where its name, or another word, is.
fn before_name(pattern: &str) -> &str {
    before_any(pattern, &["{name}", "{id}", "{skip}"])
}

/// A text up to the first of these.
fn before_any<'a>(text: &'a str, places: &[&str]) -> &'a str {
    let first = places.iter().filter_map(|place| text.find(place)).min();
    &text[..first.unwrap_or(text.len())]
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether a call has its parts where a transform takes them from: under a key of the envelope, or where
/// the dialect has them.
fn has_keys(arguments: &Arguments, transform: &Value) -> bool {
    let is_one_of = |part: &str, keys: &[&str]| {
        place_of(transform, part).is_none_or(|from| keys.contains(&from))
    };
    match arguments {
        Arguments::Envelope {
            name, arguments, ..
        } => is_one_of("name", &texts(name)) && is_one_of("arguments", &texts(arguments)),
        _ => is_one_of("name", &["name"]) && is_one_of("arguments", &["arguments", "content"]),
    }
}

fn texts(keys: &[String]) -> Vec<&str> {
    keys.iter().map(String::as_str).collect()
}

/// The key in `{key}` that a transform takes this part of a call from.
fn place_of<'a>(transform: &'a Value, part: &str) -> Option<&'a str> {
    let map = transform.as_object()?;
    let own = map.get(part).and_then(Value::as_str);
    let own = own.and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
    own.or_else(|| map.values().find_map(|value| place_of(value, part)))
}

/// Whether arguments are written as this key of `content_args` says.
fn takes(arguments: &Arguments, key: &str, value: &Value) -> bool {
    match (key, arguments) {
        ("unquoted_keys", Arguments::Json { bare_keys, .. }) => value == *bare_keys,
        ("unquoted_keys", _) => value == false,
        ("string_delims", Arguments::Json { quote, .. }) => {
            let quote = quote.as_deref().unwrap_or("\"");
            let all = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice);
            all.iter()
                .flat_map(|v| v.as_array().map_or(std::slice::from_ref(v), Vec::as_slice))
                .all(|v| v == quote)
        }
        // The name of the argument is between what opens its tag and the rest of the pattern.
        ("tag_pattern", Arguments::Elements { open, .. }) => {
            let pattern = value.as_str().unwrap_or_default().replace('\\', "");
            let opens = all_spellings(open.iter());
            let mut starts = opens.iter().map(|open| before_any(open, &["{argument}"]));
            starts.any(|start| pattern.contains(start))
        }
        (
            "tag_pattern",
            Arguments::Pairs {
                key: tags,
                value: values,
                ..
            },
        ) => {
            let pattern = value.as_str().unwrap_or_default().replace('\\', "");
            pattern.contains(&tags[0]) && pattern.contains(&values[0])
        }
        _ => false,
    }
}

/// Whether arguments of this style may be what the template calls them.
fn fits(arguments: &Arguments, content: &str) -> bool {
    match content {
        "json" => matches!(
            arguments,
            Arguments::Json { .. } | Arguments::Envelope { .. } | Arguments::Keyed
        ),
        "xml-inline" => matches!(
            arguments,
            Arguments::Elements { .. } | Arguments::Pairs { .. }
        ),
        "text" => true,
        _ => false,
    }
}

/// The name in an opening tag without attributes.
fn tag(open: &str) -> Option<&str> {
    tag_name(open.trim_start().strip_prefix('<')?)
}

/// The name before the end of a tag.
fn tag_name(rest: &str) -> Option<&str> {
    let name = rest.trim_end().strip_suffix('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_:.-".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// The text that a pattern matches, if it matches one text only, optional white space aside.
fn literal(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match (chars.next()?, chars.peek()) {
                ('s' | 'n' | 't', Some('*' | '?')) => {
                    chars.next();
                }
                ('n', _) => text.push('\n'),
                ('t', _) => text.push('\t'),
                (c, _) if c.is_alphanumeric() => return None,
                (c, _) => text.push(c),
            },
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' | '|' => {
                return None;
            }
            c => text.push(c),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A list of texts, in TOML.
fn list(texts: &[impl AsRef<str>]) -> String {
    // A JSON string is a string in TOML too.
    let quoted = texts
        .iter()
        .map(|text| Value::from(text.as_ref()).to_string());
    format!("[{}]", quoted.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::{TokenizerErrorKind, from_tokenizer};

    #[test]
    fn a_template_becomes_a_profile() {
        let made = from_tokenizer(
            r#"{"version": 1, "defaults": {"role": "assistant"}, "fields": {
                "thinking": {"open": "<|channel>thought\n", "close": "<channel|>"},
                "tool_calls": {"open_pattern": "<\\|tool_call>", "close": "<tool_call|>",
                    "content": "json", "content_args": {"unquoted_keys": true}, "repeats": true},
                "content": {"close": ["<turn|>", "<eos>"]}
            }}"#,
        )
        .unwrap();
        let profile = crate::profile::parse(made.source()).unwrap();
        assert_eq!(
            profile.thinking.delimiters,
            [["<|channel>thought\n".to_owned(), "<channel|>".to_owned()]]
        );
        assert_eq!(profile.markers, ["<turn|>", "<eos>"]);
        assert_eq!(profile.calls.unwrap().dialects[0].name, "gemma4");
        assert_eq!(made.notes().len(), 2);
    }

    #[test]
    fn a_section_with_several_closers_ends_before_the_others() {
        let made = from_tokenizer(
            r#"{"fields": {
                "thinking": {"open": "<think>", "close": ["</think>", "<|im_end|>"]},
                "content": {"close": ["<|im_end|>", "<eos>", "<eos>"]}
            }}"#,
        )
        .unwrap();
        let profile = crate::profile::parse(made.source()).unwrap();
        assert_eq!(profile.thinking.tags, ["think"]);
        assert_eq!(profile.thinking.ends_before, ["<|im_end|>"]);
        assert_eq!(profile.markers, ["<|im_end|>", "<eos>"]);
    }

    #[test]
    fn the_arguments_choose_among_dialects_that_open_alike() {
        let calls = |arguments: &str| {
            let fields = format!(
                r#"{{"fields": {{"tool_calls": {{"open": "<tool_call>", "close": "</tool_call>",
                    "content": "xml-inline", "content_args": {arguments}}}}}}}"#
            );
            let made = from_tokenizer(&fields)?;
            let profile = crate::profile::parse(made.source()).unwrap();
            let dialects = profile.calls.unwrap().dialects;
            Ok::<_, super::TokenizerError>(dialects.into_iter().map(|d| d.name).collect::<Vec<_>>())
        };
        let qwen = r#"{"tag_pattern": "<parameter=(?P<key>[^>]+)>(?P<value>.*?)</parameter>"}"#;
        assert_eq!(calls(qwen).unwrap(), ["qwen3-coder"]);
        let glm = r#"{"tag_pattern": "<arg_key>(?P<key>.*?)</arg_key>\\s*<arg_value>(?P<value>.*?)</arg_value>",
            "value_parser": "json"}"#;
        assert!(calls(glm).unwrap().contains(&"glm".to_owned()));
        let error = calls(r#"{"tag_pattern": "<arg name=(.*?)>"}"#).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`fields.tool_calls.content_args.tag_pattern`"),
            "{error}"
        );
    }

    /// The dialects for a field of tool calls.
    fn dialects(tool_calls: &str) -> Vec<String> {
        let dialects = calls(tool_calls).dialects.into_iter();
        dialects.map(|dialect| dialect.name).collect()
    }

    #[test]
    fn what_opens_calls_may_have_several_spellings() {
        let deepseek = r#"{"open": "<｜tool▁calls▁begin｜>", "close": "<｜tool▁calls▁end｜>"}"#;
        assert_eq!(dialects(deepseek), ["deepseek-v3", "deepseek-v3.1"]);
        let head = r#"{"open": "<tool_call>\n<function=", "close": "</function>\n</tool_call>",
            "content": "xml-inline"}"#;
        assert_eq!(dialects(head), ["qwen3-coder"]);
        for open in [
            r#""open": "<|channel|>commentary to=functions.""#,
            r#""open_pattern": "<\\|channel\\|>commentary to=functions\\.(?P<name>\\w+).*?<\\|message\\|>""#,
        ] {
            let harmony = format!(r#"{{{open}, "close": "<|call|>", "content": "json"}}"#);
            assert_eq!(dialects(&harmony), ["harmony"]);
        }
    }

    /// The calls of a profile that was made for a field of tool calls.
    fn calls(tool_calls: &str) -> crate::CallSettings {
        let fields = format!(r#"{{"fields": {{"tool_calls": {tool_calls}}}}}"#);
        let made = from_tokenizer(&fields).unwrap_or_else(|error| panic!("{error}"));
        crate::profile::parse(made.source()).unwrap().calls.unwrap()
    }

    #[test]
    fn calls_may_have_no_wrapper() {
        let invoke = r#"{"open_pattern": "<invoke name=\"(?P<name>[^\"]+)\">", "close": "</invoke>",
            "content": "xml-inline", "content_args": {
                "tag_pattern": "<parameter name=\"(?P<key>[^\"]+)\">(?P<value>.*?)</parameter>"}}"#;
        assert_eq!(dialects(invoke), ["dots", "function_calls", "minimax"]);
        let deepseek = r#"{"open_pattern": "<｜tool▁call▁begin｜>(?P<name>[^<]+)<｜tool▁sep｜>",
            "close": "<｜tool▁call▁end｜>", "content": "json"}"#;
        let function = r#"{"open_pattern": "<function=(?P<name>[^>]+)>", "close": "</function>",
            "content": "xml-inline"}"#;
        for unwrapped in [invoke, deepseek, function] {
            assert!(calls(unwrapped).unwrapped, "{unwrapped}");
        }
        let wrapped = r#"{"open": "<tool_call>", "close": "</tool_call>", "content": "json"}"#;
        let own = r#"{"open_pattern": "<function=(?P<name>\\w+)>", "close": "</function>", "content": "json"}"#;
        for other in [wrapped, own] {
            assert!(!calls(other).unwrapped, "{other}");
        }
    }

    #[test]
    fn a_head_may_begin_with_an_id() {
        for open in [
            r"<\\|tool_call_begin\\|>functions\\.(?P<name>\\w+):(?P<index>\\d+)<\\|tool_call_argument_begin\\|>",
            r"<\\|tool_call_begin\\|>(?P<id>[^<]+)<\\|tool_call_argument_begin\\|>",
        ] {
            let kimi = format!(
                r#"{{"open_pattern": "{open}", "close": "<|tool_call_end|>", "content": "json"}}"#
            );
            // DeepSeek's tokens are spelled like that too.
            assert!(dialects(&kimi).contains(&"kimi-k2".to_owned()), "{open}");
        }
    }

    #[test]
    fn what_closes_calls_without_closers_is_a_marker() {
        let fields = r#"{"tool_calls": {"open": "<|python_tag|>", "close": "<|eom_id|>", "content": "json"},
            "content": {"close": ["<|eot_id|>", "<|eom_id|>"]}}"#;
        let made = from_tokenizer(&format!(r#"{{"fields": {fields}}}"#)).unwrap();
        let profile = crate::profile::parse(made.source()).unwrap();
        assert_eq!(profile.calls.unwrap().dialects[0].name, "llama");
        assert_eq!(profile.markers, ["<|eom_id|>", "<|eot_id|>"]);
    }

    #[test]
    fn what_ends_thinking_may_end_the_content() {
        let fields = r#"{"thinking": {"open": "<|channel|>analysis<|message|>", "close": "<|end|>"},
            "content": {"open": "<|channel|>final<|message|>", "close": ["<|return|>", "<|end|>"]}}"#;
        let made = from_tokenizer(&format!(r#"{{"fields": {fields}}}"#)).unwrap();
        let profile = crate::profile::parse(made.source()).unwrap();
        assert_eq!(
            profile.markers,
            ["<|channel|>final<|message|>", "<|return|>"]
        );
    }

    #[test]
    fn white_space_around_a_tag_is_not_part_of_it() {
        for thinking in [
            r#"{"open": "<think>\n", "close": "\n</think>\n\n"}"#,
            r#"{"open_pattern": "<think>\\s*", "close_pattern": "\\s*</think>\\s*"}"#,
        ] {
            let made =
                from_tokenizer(&format!(r#"{{"fields": {{"thinking": {thinking}}}}}"#)).unwrap();
            let profile = crate::profile::parse(made.source()).unwrap();
            assert_eq!(profile.thinking.tags, ["think"]);
            assert!(profile.thinking.delimiters.is_empty());
        }
        let head = r#"{"open_pattern": "<tool_call>\\s*<function=(?P<name>[^>]+)>",
            "close": "</function>\n</tool_call>", "content": "xml-inline"}"#;
        assert_eq!(dialects(head), ["qwen3-coder"]);
        assert!(!calls(head).unwrapped);
    }

    #[test]
    fn a_transform_takes_the_parts_of_a_call_from_where_the_dialect_has_them() {
        let command = r#"{"open": "<|START_ACTION|>", "close": "<|END_ACTION|>", "content": "json",
            "transform_each": {"type": "function",
                "function": {"name": "{tool_name}", "arguments": "{parameters}"}}}"#;
        assert_eq!(dialects(command), ["cohere"]);
    }

    #[test]
    fn the_prompt_may_have_opened_thinking() {
        let fields = r#"{"thinking": {"close": "</think>"}, "content": {"open": "</think>"}}"#;
        let made = from_tokenizer(&format!(r#"{{"fields": {fields}}}"#)).unwrap();
        let profile = crate::profile::parse(made.source()).unwrap();
        assert_eq!(profile.thinking.tags, ["think"]);
        assert!(profile.thinking.starts_open);
        assert!(profile.markers.is_empty());
    }

    #[test]
    fn another_version_is_refused() {
        let error = from_tokenizer(r#"{"version": 7, "fields": {}}"#).unwrap_err();
        assert_eq!(error.problems(), ["`version`: unknown value 7; allowed: 1"]);
    }

    #[test]
    fn what_cannot_be_expressed_is_named() {
        for (fields, problem) in [
            (
                r#"{"thinking": {"open_pattern": "<think( .*)?>", "close": "</think>"}}"#,
                "`fields.thinking.open_pattern`: a pattern that is not one literal text",
            ),
            (
                r#"{"thinking": {"open": "<think>"}}"#,
                "`fields.thinking.close`: missing: thinking needs what closes it",
            ),
            (
                r#"{"thinking": {"close": "END"}}"#,
                "`fields.thinking.open`: missing, and what closes thinking is not a closing tag",
            ),
            (
                r#"{"thinking": {"open": "<think>", "close": "</think>", "content_args": {"x": 1}}}"#,
                "`fields.thinking.content_args`: only for tool calls",
            ),
            (
                r#"{"tool_calls": {"open": "<", "content": "json"}}"#,
                "`fields.tool_calls.open`: no built-in dialect opens with \"<\" and has its arguments as \
                 \"json\"; write a dialect file",
            ),
            (
                r#"{"tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "content": "json",
                    "transform": {"name": "{tool}", "arguments": "{args}"}}}"#,
                "`fields.tool_calls.transform`: no built-in dialect that opens so has a call under these keys: \
                 {\"name\":\"{tool}\",\"arguments\":\"{args}\"}; write a dialect file",
            ),
            (
                r#"{"tool_calls": {"open": "<nope>", "content": "json"}}"#,
                "`fields.tool_calls.open`: no built-in dialect opens with \"<nope>\" and has its \
                 arguments as \"json\"; write a dialect file",
            ),
            (
                r#"{"tool_calls": {"open": "<tool_call>", "content": "kv-lines"}}"#,
                "`fields.tool_calls.open`: no built-in dialect opens with \"<tool_call>\" and has \
                 its arguments as \"kv-lines\"; write a dialect file",
            ),
            (
                r#"{"tool_calls": {"open": "<tool_call>", "close": "<end>", "content": "json"}}"#,
                "`fields.tool_calls.close`: the built-in dialects that open so do not close with \"<end>\": \
                 granite, hermes, laguna; write a dialect file",
            ),
            (
                r#"{"tool_calls": {"open": "<|tool_call>", "content": "json",
                    "content_args": {"string_delims": ["'"]}}}"#,
                "`fields.tool_calls.content_args.string_delims`: [\"'\"] is not how the built-in dialects that \
                 open so are written: gemma4; write a dialect file",
            ),
            (
                r#"{"content": {"close": ["<eos>", 5]}}"#,
                "`fields.content.close`: neither a text nor a list of texts",
            ),
            (
                r#"{"content": {"close": "<eos>", "strip": true}}"#,
                "`fields.content.strip`: unknown key",
            ),
            (
                r#"{"thinking": {"open": "<a>", "close": "<b>"}, "content": {"open": "<a>"}}"#,
                "`fields`: the profile would be refused: `thinking.delimiters[0][0]`: the literal \"<a>\" is \
                 used twice, here and in `markers[0]`",
            ),
            (
                r#"{"score": {"open": "<score>", "content": "float"}}"#,
                "`fields.score`: a profile has thinking, content and tool calls only",
            ),
            (
                r#"{"content": {"content": "json"}}"#,
                "`fields.content.content`: \"json\" cannot be checked here; allowed: \"text\"",
            ),
        ] {
            let error = from_tokenizer(&format!(r#"{{"fields": {fields}}}"#)).unwrap_err();
            assert_eq!(error.kind(), TokenizerErrorKind::NotExpressible);
            assert_eq!(error.problems(), [problem]);
        }
        let error = from_tokenizer("{").unwrap_err();
        assert_eq!(error.kind(), TokenizerErrorKind::NotJson);
        let error = from_tokenizer("{\"chat_template\": \"x\"}").unwrap_err();
        assert_eq!(error.kind(), TokenizerErrorKind::NoTemplate);
        assert!(error.to_string().contains("no template"), "{error}");
    }
}

//! What looks like a call and was left as text.

use std::array;
use tagstream::dialect::{BuiltIn, Dialect, Wrapper, built_in};
use tagstream::{CallSettings, EventKind, NoticeCode, Profile};
use tagstream_wire::{WireEvent, WireKind};

/// How much text is looked at to tell a call from prose. Every place is judged with as much text, or
/// with all there is, so that the hint does not depend on how the message was cut.
const WINDOW_BYTES: usize = 512;

/// Looks for what may be a call in the text of a message, and finds one at most.
pub(crate) struct Hints {
    clues: Clues,
    answer: Search,
    /// The thoughts, where the user asked for near misses.
    thoughts: Option<Search>,
    is_over: bool,
}

/// Reads on in one kind of text, until something is found.
struct Search {
    place: Place,
    /// The text that has not been looked at.
    text: String,
    /// The character before it.
    before: char,
    /// Whether nothing but spaces is before it in its line.
    begins_line: bool,
    /// Only a hint with a reason counts.
    wants_reason: bool,
    found: Option<Hint>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Answer,
    Thought,
}

struct Hint {
    words: String,
    /// It names the reason, and not only what was left.
    has_reason: bool,
}

/// What to look for.
struct Clues {
    /// By the first byte.
    openers: [Vec<Opener>; 256],
    reading: Reading,
}

/// How calls are read.
#[derive(Default)]
struct Reading {
    dialects: Vec<Dialect>,
    is_on: bool,
    has_tools: bool,
    /// The user wants to know what is almost a call.
    near_misses: bool,
}

/// What a call begins with, before its name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Opener {
    text: String,
    takes_name: bool,
    /// It counts in a wrapper only.
    is_inside: bool,
}

impl Hints {
    pub(crate) fn new(profile: &Profile) -> Self {
        let clues = Clues::new(profile);
        let thoughts = clues.reading.near_misses;
        Hints {
            clues,
            answer: Search::new(Place::Answer),
            thoughts: thoughts.then(|| Search::new(Place::Thought)),
            is_over: false,
        }
    }

    /// Follows the first choice: its text, and notices that say more than a hint.
    pub(crate) fn wire(&mut self, event: &WireEvent<'_>) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        if event.choice > 0 {
            return;
        }
        match kind {
            EventKind::Text(text) => self.text(text),
            // `chat` takes out tags of any name.
            EventKind::ElementStart { .. }
            | EventKind::ElementDelta { .. }
            | EventKind::ElementEnd(_) => self.text(event.raw),
            EventKind::Thought(text) => self.thought(text),
            // What was called in the end had been thought about before.
            EventKind::CallEnd { .. } | EventKind::CallError { .. } => self.thoughts = None,
            EventKind::Notice {
                code: NoticeCode::InCode,
                ..
            } => self.stop(),
            EventKind::Notice {
                code: NoticeCode::NearMiss,
                ..
            } => self.want_reason(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if !self.is_over {
            self.answer.push(text, &self.clues);
        }
    }

    fn thought(&mut self, text: &str) {
        if let Some(thoughts) = self.thoughts.as_mut().filter(|_| !self.is_over) {
            thoughts.push(text, &self.clues);
        }
    }

    /// What is wrong has been reported, in better words.
    pub(crate) fn stop(&mut self) {
        self.is_over = true;
    }

    /// It has been reported that something is not a call: only a hint with a reason says more.
    fn want_reason(&mut self) {
        self.answer.wants_reason = true;
        self.thoughts = None;
    }

    /// The hint at the end of the message.
    pub(crate) fn finish(self) -> Option<String> {
        if self.is_over {
            return None;
        }
        let found = self.answer.finish(&self.clues);
        found.or_else(|| self.thoughts?.finish(&self.clues))
    }
}

impl Search {
    fn new(place: Place) -> Self {
        Search {
            place,
            text: String::new(),
            before: '\n',
            begins_line: true,
            wants_reason: false,
            found: None,
        }
    }

    /// Reads on.
    fn push(&mut self, text: &str, clues: &Clues) {
        if self.found.is_some() {
            return;
        }
        self.text.push_str(text);
        if self.text.len() > 2 * WINDOW_BYTES {
            self.look(self.text.len() - WINDOW_BYTES, clues);
        }
    }

    fn finish(mut self, clues: &Clues) -> Option<String> {
        if self.found.is_none() {
            self.look(self.text.len(), clues);
        }
        let wants_reason = self.wants_reason;
        let found = self.found.filter(|hint| hint.has_reason || !wants_reason);
        found.map(|hint| hint.words)
    }

    /// Looks at the text up to here.
    fn look(&mut self, end: usize, clues: &Clues) {
        let end = self.text.floor_char_boundary(end);
        for (at, c) in self.text[..end].char_indices() {
            let window = self.text.floor_char_boundary(at + WINDOW_BYTES);
            self.found = clues.hint(&self.text[at..window], self);
            if self.found.is_some() {
                break;
            }
            self.begins_line = c == '\n' || self.begins_line && matches!(c, ' ' | '\t');
            self.before = c;
        }
        self.text.drain(..end);
    }
}

impl Clues {
    fn new(profile: &Profile) -> Self {
        let reading = profile.calls.as_ref().map(Reading::of).unwrap_or_default();
        let mut openers = array::from_fn(|_| Vec::new());
        for opener in reading.openers() {
            openers[usize::from(opener.text.as_bytes()[0])].push(opener);
        }
        Clues { openers, reading }
    }

    /// The hint about what this text begins with.
    fn hint(&self, text: &str, search: &Search) -> Option<Hint> {
        let first = text.as_bytes()[0];
        // In a line, JSON without a marker is a word of its own, or inside other JSON; a list is too
        // often something else.
        let is_apart = matches!(search.before, ' ' | '\t' | ':' | ',' | '[');
        let may_be_bare = match first {
            b'{' => search.begins_line || is_apart,
            b'[' => search.begins_line,
            _ => false,
        };
        let bare = may_be_bare.then(|| self.bare(text, search)).flatten();
        bare.or_else(|| self.marked(first, text, search))
    }

    fn marked(&self, first: u8, text: &str, search: &Search) -> Option<Hint> {
        // One in backticks is mentioned, not used; one inside a word is a part of it.
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if search.before == '`' || is_word(search.before) && is_word(char::from(first)) {
            return None;
        }
        let openers = self.openers[usize::from(first)].iter();
        let used = openers.filter(|opener| opener.is_used(text));
        // One may be the beginning of another.
        let opener = used.max_by_key(|opener| opener.text.len())?;
        let looks = format!("`{}` looks like a tool call", opener.text);
        let why = match (self.reading.is_on, opener.is_inside) {
            _ if search.place == Place::Thought => return Some(Hint::in_thought(&looks)),
            (false, _) => "; to read calls, add --dialect auto, or --tools FILE",
            (true, true) => {
                ": it is not in the wrapper of its dialect; with `unwrapped = true` under [calls], such calls of declared tools are read"
            }
            (true, false) => {
                ": what follows it is not a call, or it is in code; see tagstream explain"
            }
        };
        Some(Hint {
            words: format!("{looks}, and was left as text{why}"),
            has_reason: opener.is_inside,
        })
    }

    fn bare(&self, text: &str, search: &Search) -> Option<Hint> {
        // In a line, only what has arguments too is more than data.
        let needs_arguments = !self.reading.is_on || !search.begins_line;
        let (what, reads): (_, fn(&Wrapper) -> bool) = if is_json(text, needs_arguments) {
            ("JSON", begins_with_json)
        } else if is_python(text) {
            ("Python", |wrapper| !begins_with_json(wrapper))
        } else {
            return None;
        };
        let looks = format!("{what} that looks like a tool call");
        if search.place == Place::Thought {
            return Some(Hint::in_thought(&looks));
        }
        let why = self.reading.why_bare_is_text(reads);
        Some(Hint {
            words: format!("{looks} was left as text: {why}"),
            has_reason: false,
        })
    }
}

impl Hint {
    fn in_thought(looks: &str) -> Self {
        Hint {
            words: format!(
                "{looks}, and is part of a thought; with `in_thinking = \"promote\"` under [calls], calls in thoughts are read"
            ),
            has_reason: false,
        }
    }
}

impl Reading {
    fn of(calls: &CallSettings) -> Self {
        Reading {
            dialects: calls.dialects.clone(),
            is_on: true,
            has_tools: !calls.tools.is_empty(),
            near_misses: calls.near_misses,
        }
    }

    /// How calls begin in these dialects, or in all that are built in.
    fn openers(&self) -> Vec<Opener> {
        let mut openers: Vec<_> = if self.is_on {
            self.dialects.iter().flat_map(openers).collect()
        } else {
            let dialects = built_in().iter().map(BuiltIn::dialect);
            let openers = dialects.flat_map(openers);
            // Without a name, what is in a wrapper may be anything.
            let counts = |opener: &Opener| !opener.is_inside || opener.takes_name;
            openers.filter(counts).collect()
        };
        openers.sort_unstable();
        openers.dedup();
        openers
    }

    /// Why a call without any marker is text, and what to do about it.
    fn why_bare_is_text(&self, reads: fn(&Wrapper) -> bool) -> String {
        let is_read = |dialect: &&Dialect| {
            let wrapper = dialect.wrapper.as_ref();
            wrapper.is_some_and(|wrapper| wrapper.bare && reads(wrapper))
        };
        if !self.dialects.iter().any(|dialect| is_read(&dialect)) {
            let dialects = built_in().iter().map(BuiltIn::dialect).filter(is_read);
            let names: Vec<_> = dialects.map(|dialect| dialect.name.as_str()).collect();
            let names = names.join(" or ");
            let tools = if self.has_tools {
                ""
            } else {
                " and --tools FILE"
            };
            return format!(
                "it has no marker before it; such calls are read at the start of a line, with --dialect {names}{tools}"
            );
        }
        let why = if self.has_tools {
            "without a marker before it, a call must be of a declared tool and begin a line outside code"
        } else {
            "without a marker before it, only a call of a declared tool counts; add --tools FILE"
        };
        why.to_owned()
    }
}

fn openers(dialect: &Dialect) -> Vec<Opener> {
    let wrapper = dialect.wrapper.as_ref().filter(|wrapper| !wrapper.bare);
    let wrappers = wrapper.iter().flat_map(|wrapper| &wrapper.open);
    let heads = dialect.call.iter().flat_map(|head| &head.open);
    let wrappers = wrappers.map(|open| (open, false));
    let opens = wrappers.chain(heads.map(|open| (open, wrapper.is_some())));
    let openers = opens.flat_map(|(open, is_inside)| {
        beginnings(open)
            .into_iter()
            .map(move |(text, takes_name)| Opener {
                text,
                takes_name,
                is_inside,
            })
    });
    // Shorter ones are in every text: `<`, `>>>`.
    openers.filter(|opener| opener.text.len() > 4).collect()
}

/// What an opener begins with, and whether a name follows: several where it has a choice, as in
/// `tool{_,-}call`; none where it may be followed by anything.
fn beginnings(open: &str) -> Vec<(String, bool)> {
    let Some((before, (inside, after))) = open
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![(open.to_owned(), false)];
    };
    match inside {
        "skip" => Vec::new(),
        "name" | "id" => vec![(before.to_owned(), true)],
        choices => {
            let each = choices.split(',');
            each.flat_map(|choice| beginnings(&format!("{before}{choice}{after}")))
                .collect()
        }
    }
}

impl Opener {
    /// Whether this text begins with it, and goes on as a call does: with a name, if it takes one, and
    /// with JSON, a tag or the parenthesis of Python. `A call: to action` is prose.
    fn is_used(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(&self.text) else {
            return false;
        };
        let rest = rest.trim_start();
        let after = rest.trim_start_matches(is_of_name);
        let has_name = after.len() < rest.len();
        let rest = after.trim_start_matches(['"', '>']).trim_start();
        let goes_on = rest.starts_with(['{', '[', '<']) || rest.starts_with("]<");
        has_name && after.starts_with('(') || goes_on && (has_name || !self.takes_name)
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/".contains(c)
}

/// Whether a text begins like the JSON of a call. Where nobody asked for calls, it must also have
/// arguments: data may have a name too.
fn is_json(text: &str, needs_arguments: bool) -> bool {
    let json = text.trim_start_matches(|c: char| c == '[' || c.is_ascii_whitespace());
    let Some(key) = json.strip_prefix('{').map(str::trim_start) else {
        return false;
    };
    let keys = ["\"name\"", "\"tool\"", "\"tool_name\"", "\"function\""];
    let rest = keys.iter().find_map(|name| key.strip_prefix(name));
    let has_arguments = || {
        let keys = ["\"arguments\"", "\"parameters\""];
        keys.iter().any(|key| json.contains(key))
    };
    rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        && (!needs_arguments || has_arguments())
}

/// Whether a text begins like a list of calls in Python: `[f()` or `[f(a=`.
fn is_python(text: &str) -> bool {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    let after_word = |text: &str| {
        let rest = text.trim_start_matches(is_of_word);
        (rest.len() < text.len()).then(|| rest.trim_start().to_owned())
    };
    let list = text.strip_prefix('[').map(str::trim_start);
    let call = list.and_then(after_word);
    let inside = call.as_deref().and_then(|call| call.strip_prefix('('));
    inside.map(str::trim_start).is_some_and(|inside| {
        let value = after_word(inside).filter(|rest| !rest.starts_with("=="));
        inside.starts_with(')') || value.is_some_and(|rest| rest.starts_with('='))
    })
}

fn begins_with_json(wrapper: &Wrapper) -> bool {
    wrapper.open.iter().any(|open| open == "{")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tagstream::{Calls, Tools};

    /// The hint about a text, which is the same however the text is cut.
    fn hint(profile: &Profile, text: &str) -> Option<String> {
        let hint_of = |pieces: &mut dyn Iterator<Item = &str>| {
            let mut hints = Hints::new(profile);
            pieces.for_each(|piece| hints.text(piece));
            hints.finish()
        };
        let whole = hint_of(&mut std::iter::once(text));
        assert_eq!(
            hint_of(&mut text.split_inclusive(|_| true)),
            whole,
            "{text}"
        );
        let long = format!("{}\n{text}", "a b ".repeat(WINDOW_BYTES));
        assert_eq!(
            hint_of(&mut std::iter::once(long.as_str())),
            whole,
            "{text}"
        );
        whole
    }

    fn reading(dialect: &str) -> Profile {
        Profile::new().calls(Calls::dialect(dialect).unwrap())
    }

    fn with_tools(dialect: &str) -> Profile {
        let tools = Tools::parse(r#"[{"name": "get", "input_schema": {"type": "object"}}]"#);
        let calls = Calls::dialect(dialect).unwrap();
        Profile::new().calls(calls.tools(&tools.unwrap()))
    }

    #[test]
    fn an_opener_is_found_where_a_call_follows_it() {
        let profile = Profile::new();
        for call in [
            "a <tool_call>{",
            "<tool_call>\n<function=get>",
            "<tool_call>get\n<arg_key>a",
            "call it: functools[{\"name\"",
            "[TOOL_CALLS]get[ARGS]{}",
            "```tool_code\nget(a=1)\n```",
            "<function name=\"get\"><param name=\"a\">",
            "Action: ```json\n[",
            "<|channel|>commentary to=functions.get <|constrain|>json<|message|>{}",
        ] {
            assert!(hint(&profile, call).is_some(), "{call}");
        }
        for prose in [
            "a `<tool_call>` b",
            "an example is `<tool_call>{}</tool_call>`.",
            "use <tool_call> tags",
            "a <tool> b",
            "A call: to action",
            "from functools import x",
            "myfunctools[0]",
            "Set <function name=\"x\"> to that.",
            "<tool_call>",
        ] {
            assert_eq!(hint(&profile, prose), None);
        }
    }

    #[test]
    fn the_whole_opener_is_named() {
        let text = "<|tool_calls_section_begin|><|tool_call_begin|>";
        let hint = hint(&Profile::new(), text).unwrap();
        let named = "`<|tool_calls_section_begin|>` looks";
        assert!(hint.starts_with(named), "{hint}");
    }

    #[test]
    fn an_opener_that_is_left_where_calls_are_read_has_a_reason() {
        let hint_of = |text| hint(&reading("auto"), text).unwrap();
        let in_code = hint_of("```\n<tool_call>{}</tool_call>\n```");
        assert!(in_code.contains("it is in code"), "{in_code}");
        let alone = hint_of("<invoke name=\"get\">\n<parameter name=\"a\">");
        assert!(alone.contains("not in the wrapper"), "{alone}");
    }

    #[test]
    fn bare_json_with_arguments_is_found_where_calls_are_not_read() {
        let profile = Profile::new();
        for call in [
            "{\"name\": \"f\", \"arguments\": {}}",
            "[\n  {\n    \"name\": \"f\",\n    \"arguments\": {}\n  }\n]",
            "[get(a=\"1\")]",
            "[now()]",
        ] {
            assert!(hint(&profile, call).is_some(), "{call}");
        }
        for data in [
            "{\"name\": \"Paris\", \"country\": \"France\"}",
            "{\"arguments\": {}}",
            "[text](https://example.org)",
            "[f(x)]",
        ] {
            assert_eq!(hint(&profile, data), None);
        }
    }

    #[test]
    fn bare_json_is_found_at_the_start_of_a_line() {
        let profile = reading("auto");
        assert!(hint(&profile, "a\n {\"name\": \"f\"").is_some());
        assert!(hint(&profile, "[{\"tool\" : 1").is_some());
        assert!(hint(&profile, "a {\"name\": 1").is_none());
        let json = "{\"name\": \"f\", \"arguments\": {}}";
        for before in [
            "Sure: ",
            "{\"tool_calls\": [",
            "{\"tool_calls\":[1,",
            "a\n\t",
        ] {
            assert!(hint(&profile, &format!("{before}{json}")).is_some());
        }
        // What has another marker is a call of another dialect.
        for before in ["`", "<other>", "f", "\""] {
            assert!(hint(&profile, &format!("{before}{json}")).is_none());
        }
        assert!(hint(&profile, "{\"names\": 1").is_none());
    }

    #[test]
    fn the_flags_for_bare_calls_are_those_that_are_missing() {
        let json = "{\"name\": \"get\", \"arguments\": {}}";
        for (profile, text, end) in [
            (Profile::new(), json, "with --dialect json and --tools FILE"),
            (
                Profile::new(),
                "[get()]",
                "with --dialect pythonic and --tools FILE",
            ),
            (reading("json"), json, "counts; add --tools FILE"),
            (with_tools("auto"), json, "with --dialect json"),
            (with_tools("json"), json, "begin a line outside code"),
            (with_tools("json"), "[get()]", "with --dialect pythonic"),
        ] {
            let hint = hint(&profile, text).unwrap();
            assert!(hint.ends_with(end), "{hint}");
        }
    }
}

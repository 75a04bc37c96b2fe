//! What looks like a call and was left as text.

use tagstream::dialect::{BuiltIn, built_in};
use tagstream::{Profile, names};

/// At most this many bytes at the start of a line are looked at.
const LINE_BYTES: usize = 256;

/// Looks for what may be a call in the text of a message, and finds one at most.
pub(crate) struct Hints {
    search: Search,
    /// How many bytes of text have been seen.
    at: u64,
    found: Option<String>,
    is_over: bool,
}

enum Search {
    /// Calls are not read: looks for their openers. The end of the text so far, in which one may
    /// begin, and the start of the line, which may be JSON without any opener.
    Openers {
        openers: Vec<String>,
        tail: String,
        line: String,
    },
    /// Calls are read: looks for JSON without any opener. The start of the line.
    BareJson { line: String },
}

impl Hints {
    pub(crate) fn new(profile: &Profile) -> Self {
        let search = match profile.calls {
            Some(_) => Search::BareJson {
                line: String::new(),
            },
            None => Search::Openers {
                openers: openers(),
                tail: String::new(),
                line: String::new(),
            },
        };
        Hints {
            search,
            at: 0,
            found: None,
            is_over: false,
        }
    }

    /// Reads on.
    pub(crate) fn text(&mut self, text: &str) {
        if self.is_over {
            return;
        }
        let found = match &mut self.search {
            Search::Openers {
                openers,
                tail,
                line,
            } => find_opener(openers, tail, text).or_else(|| find_json(line, text, is_whole_call)),
            Search::BareJson { line } => find_json(line, text, is_call),
        };
        self.is_over = found.is_some();
        self.found = found;
        self.at += text.len() as u64;
    }

    /// The hint, once.
    pub(crate) fn take(&mut self) -> Option<String> {
        self.found.take()
    }
}

/// How calls begin in the built-in dialects.
fn openers() -> Vec<String> {
    let dialects = built_in().iter().map(BuiltIn::dialect);
    let opens = dialects.flat_map(|dialect| {
        let wrappers = dialect.wrapper.iter().flat_map(|wrapper| &wrapper.open);
        wrappers.chain(dialect.call.iter().flat_map(|head| &head.open))
    });
    let fixed = opens.flat_map(|open| beginnings(open));
    let mut fixed: Vec<_> = fixed.filter(|open| open.len() > 4).collect();
    fixed.sort_unstable();
    fixed.dedup();
    fixed
}

/// What an opener begins with, before its name: several where it has a choice, as in `tool{_,-}call`.
fn beginnings(open: &str) -> Vec<String> {
    let Some((before, rest)) = open.split_once('{') else {
        return vec![open.to_owned()];
    };
    match rest.split_once('}') {
        Some((choices, after)) if choices.contains(',') => {
            let each = choices.split(',');
            each.flat_map(|choice| beginnings(&format!("{choice}{after}")))
                .map(|rest| format!("{before}{rest}"))
                .collect()
        }
        _ => vec![before.to_owned()],
    }
}

fn find_opener(openers: &[String], tail: &mut String, text: &str) -> Option<String> {
    tail.push_str(text);
    // One in backticks is mentioned, not used.
    let is_quoted = |at: usize| tail[..at].ends_with('`');
    let found = openers.iter().filter(|opener| {
        let mut places = tail.match_indices(opener.as_str());
        places.any(|(at, _)| !is_quoted(at))
    });
    // One may be the beginning of another.
    let found = found.max_by_key(|opener| opener.len());
    let hint = found.map(|opener| {
        format!("`{opener}` looks like a tool call, and was left as text; to read calls, add --dialect auto, or --tools FILE")
    });
    let longest = openers.iter().map(String::len).max().unwrap_or(0);
    let keep = tail.floor_char_boundary(tail.len().saturating_sub(longest));
    tail.drain(..keep);
    hint
}

fn find_json(line: &mut String, text: &str, is_call: fn(&str) -> bool) -> Option<String> {
    for piece in text.split_inclusive('\n') {
        let room = LINE_BYTES.saturating_sub(line.len());
        line.push_str(&piece[..piece.floor_char_boundary(room.min(piece.len()))]);
        if is_call(line) {
            return Some(format!(
                "JSON that looks like a tool call was left as text: it has no marker before it; calls without one are read with --dialect {}",
                names::listed(bare_dialects())
            ));
        }
        if piece.ends_with('\n') {
            line.clear();
        }
    }
    None
}

/// The same where nobody asked for calls: data may have a name too.
fn is_whole_call(line: &str) -> bool {
    let keys = ["\"arguments\"", "\"parameters\""];
    let has_arguments = keys.iter().any(|key| line.contains(key));
    has_arguments && is_call(line)
}

/// Whether a line begins like the JSON of a call.
fn is_call(line: &str) -> bool {
    let json = line.trim_start().trim_start_matches(['[', ' ']);
    let Some(key) = json.strip_prefix('{').map(str::trim_start) else {
        return false;
    };
    let keys = ["\"name\"", "\"tool\"", "\"tool_name\"", "\"function\""];
    let rest = keys.iter().find_map(|name| key.strip_prefix(name));
    rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// The dialects in which nothing but JSON shows that a call begins.
fn bare_dialects() -> impl Iterator<Item = &'static str> {
    let bare = built_in().iter().filter(|built_in| !built_in.in_auto());
    bare.map(BuiltIn::name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tagstream::Calls;

    fn hint(profile: &Profile, text: &str) -> Option<String> {
        let mut whole = Hints::new(profile);
        whole.text(text);
        let mut pieces = Hints::new(profile);
        text.split_inclusive(|_| true)
            .for_each(|piece| pieces.text(piece));
        let hint = whole.take();
        assert_eq!(pieces.take().is_some(), hint.is_some(), "{text}");
        hint
    }

    #[test]
    fn an_opener_is_found_unless_it_is_quoted() {
        let profile = Profile::new();
        assert!(hint(&profile, "a <tool_call>{").is_some());
        assert!(hint(&profile, "a `<tool_call>` b").is_none());
        assert!(hint(&profile, "a <tool> b").is_none());
    }

    #[test]
    fn bare_json_with_arguments_is_found_where_calls_are_not_read() {
        let profile = Profile::new();
        assert!(hint(&profile, "{\"name\": \"f\", \"arguments\": {}}").is_some());
        assert!(hint(&profile, "{\"name\": \"Paris\", \"country\": \"France\"}").is_none());
        assert!(hint(&profile, "{\"arguments\": {}}").is_none());
    }

    #[test]
    fn the_whole_opener_is_named() {
        let hint = hint_of_whole("<|tool_calls_section_begin|>");
        assert!(
            hint.starts_with("`<|tool_calls_section_begin|>` "),
            "{hint}"
        );
    }

    fn hint_of_whole(text: &str) -> String {
        let mut hints = Hints::new(&Profile::new());
        hints.text(text);
        hints.take().unwrap()
    }

    #[test]
    fn bare_json_is_found_at_the_start_of_a_line() {
        let profile = Profile::new().calls(Calls::dialect("auto").unwrap());
        assert!(hint(&profile, "a\n {\"name\": \"f\"").is_some());
        assert!(hint(&profile, "[{\"tool\" : 1").is_some());
        assert!(hint(&profile, "a {\"name\": 1").is_none());
        assert!(hint(&profile, "{\"names\": 1").is_none());
    }
}

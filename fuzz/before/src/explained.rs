//! Intended differences between the two engines, each with the row of docs/spec.md 11 that states it.
//!
//! A rule finds the construct that makes the engines differ, and takes it out of the message or out
//! of the profile. The two engines are then compared again, and must agree on the rest. So a rule
//! that is too broad hides nothing except what it takes out.

use serde_json::Value;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use tagstream_testing::random::Event;

/// Where two readings of a message differ first.
pub struct Difference<'d> {
    pub profile: &'d Value,
    /// The message in UTF-8.
    pub message: &'d str,
    /// The events, without what is not compared.
    pub old: &'d [Event],
    pub new: &'d [Event],
    /// The events of this engine as they are, with messages and reasons.
    pub reading: &'d [Event],
    /// The number of the first event that differs.
    pub first: usize,
}

/// What is taken out.
pub enum Edit {
    /// These bytes of the message become another byte each.
    Bytes(Vec<usize>, u8),
    /// This profile takes the place of the other one.
    Profile(Value),
}

struct Rule {
    /// The item in docs/spec.md 11.
    row: &'static str,
    edit: fn(&Difference<'_>) -> Option<Edit>,
    used: AtomicUsize,
}

impl Rule {
    const fn new(row: &'static str, edit: fn(&Difference<'_>) -> Option<Edit>) -> Self {
        let used = AtomicUsize::new(0);
        Rule { row, edit, used }
    }
}

static RULES: [Rule; 25] = [
    Rule::new("11.1 values with a misspelt closing tag", misspelt),
    Rule::new("11.1 envelopes", envelope),
    Rule::new("11.1 text before JSON arguments", text_before_json),
    Rule::new("11.1 an unclosed tag of any name: quotes", any_name_quotes),
    Rule::new("11.1 an unclosed tag of any name: depth", any_name_depth),
    Rule::new("11.1 an unclosed tag of any name", any_name),
    Rule::new(
        "11.2 white space between a call and a tag of any name",
        space_before_any_name,
    ),
    Rule::new(
        "11.2 white space after an element, beside a call",
        space_after_element,
    ),
    Rule::new("11.1 tags in a dialect's own brackets", brackets),
    Rule::new("11.2 brackets at the end of the message", brackets_at_end),
    Rule::new("11.2 a shown section is visible text", shown_anchor),
    Rule::new("11.1 a limit inside a name", limit_in_name),
    Rule::new(
        "11.1 calls after an undecided run of backticks",
        undecided_backticks,
    ),
    Rule::new(
        "11.2 a closer that is dropped in white space before a call",
        dropped_closer,
    ),
    Rule::new("11.2 literals that start with white space", white_literal),
    Rule::new("11.2 a call without a name", nameless),
    Rule::new("11.2 a call whose name is an empty key", nameless_key),
    Rule::new(
        "11.2 a tag that is cut off before JSON arguments",
        cut_off_before_json,
    ),
    Rule::new(
        "11.2 white space that crosses `limits.lookahead` before a call",
        lookahead,
    ),
    Rule::new(
        "11.2 white space before a literal that no longer counts",
        late_literal,
    ),
    Rule::new(
        "11.2 a section that is revealed, with a call in it",
        revealed_call,
    ),
    Rule::new("11.2 a tag that is cut off after an empty wrapper", cut_off),
    Rule::new("11.1 an element after an empty list of calls", empty_list),
    Rule::new("11.2 white space before a marker and text", marker),
    Rule::new("11.1 overlapping brackets", overlapping_brackets),
];

/// What to take out so that the engines agree up to a later place. None if nothing explains the
/// difference.
pub fn explain(difference: &Difference<'_>) -> Option<Edit> {
    RULES.iter().find_map(|rule| {
        let edit = (rule.edit)(difference)?;
        rule.used.fetch_add(1, Ordering::Relaxed);
        Some(edit)
    })
}

/// How often engines differed about a mistake in a call.
static MISTAKES: AtomicUsize = AtomicUsize::new(0);

/// Whether the engines differ in a call in which one of them finds a mistake. What is repaired and
/// what is refused has changed on purpose, so from there on the message is not compared.
pub fn is_about_mistake(difference: &Difference<'_>) -> bool {
    let is_mistake = |event: &Event| match event.kind {
        "call_error" => true,
        "notice" => {
            let fields = event.fields();
            fields["code"] == "repaired" || fields["code"] == "dropped"
        }
        _ => false,
    };
    let has_mistake = |events: &[Event]| {
        let rest = events.iter().skip(difference.first);
        let mut call = rest.take_while(|event| event.kind != "call_end");
        call.any(is_mistake)
    };
    let is_mistake = has_mistake(difference.old) || has_mistake(difference.new);
    MISTAKES.fetch_add(usize::from(is_mistake), Ordering::Relaxed);
    is_mistake
}

/// Prints how often each rule was used.
pub fn report() {
    for rule in &RULES {
        eprintln!("{:9} × {}", rule.used.load(Ordering::Relaxed), rule.row);
    }
    let mistakes = MISTAKES.load(Ordering::Relaxed);
    eprintln!("{mistakes:9} × 11.1 mistakes in calls");
}

impl Difference<'_> {
    fn first_old(&self) -> Option<&Event> {
        self.old.get(self.first)
    }

    fn first_new(&self) -> Option<&Event> {
        self.new.get(self.first)
    }

    /// Up to where the events agree.
    fn at(&self) -> usize {
        let end = self.message.len() as u64;
        let at = match (self.first_old(), self.first_new()) {
            (Some(a), Some(b)) if a.kind == b.kind && a.is_run() && a.span[0] == b.span[0] => {
                a.span[1].min(b.span[1])
            }
            (a, b) => {
                let start = |event: Option<&Event>| event.map_or(end, |event| event.span[0]);
                start(a).min(start(b))
            }
        };
        at as usize
    }

    /// The events of this engine from the first difference on, as they are.
    fn rest(&self) -> impl Iterator<Item = &Event> {
        let at = self.at() as u64;
        self.reading.iter().filter(move |event| event.span[1] >= at)
    }

    /// The bytes of the call that an error is about. Its text may have been cut.
    fn call_bytes(&self, error: &Event) -> Option<Range<usize>> {
        let fields = error.fields();
        let end = error.span[1] as usize;
        let start = self.message.get(..end)?.rfind(fields["raw"].as_str()?)?;
        Some(start..end)
    }

    /// Whether the profile has elements of any name.
    fn has_any_name(&self) -> bool {
        let elements = self.profile["elements"].as_array();
        elements.is_some_and(|elements| elements.iter().any(|element| element["name"] == "*"))
    }

    /// The profile without one of its settings.
    fn without(&self, table: &str, key: &str) -> Option<Edit> {
        let mut profile = self.profile.clone();
        profile.get_mut(table)?.as_object_mut()?.remove(key)?;
        Some(Edit::Profile(profile))
    }

    fn places(&self, range: Range<usize>, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        range.filter(|place| is_wanted(*place)).collect()
    }
}

/// An edit of at least one byte.
fn bytes(places: Vec<usize>, byte: u8) -> Option<Edit> {
    (!places.is_empty()).then_some(Edit::Bytes(places, byte))
}

/// A value with a misspelt closing tag: its `<` is taken out.
fn misspelt(difference: &Difference<'_>) -> Option<Edit> {
    let errors = difference.rest().filter(|event| event.kind == "call_error");
    let (call, tag) = errors
        .filter_map(|error| misspelt_tag(difference, error))
        .next()?;
    let place = difference.message[call.clone()].rfind(tag.trim_end_matches('…'))?;
    bytes(vec![call.start + place], b'x')
}

/// The bytes of a call, and the misspelt tag in it that an error reports.
fn misspelt_tag(difference: &Difference<'_>, error: &Event) -> Option<(Range<usize>, String)> {
    let fields = error.fields();
    let (tag, rest) = fields["message"]
        .as_str()?
        .strip_prefix('`')?
        .split_once("` in the value")?;
    let call = difference.call_bytes(error)?;
    rest.contains("is not its closing tag")
        .then(|| (call, tag.to_owned()))
}

/// A call whose JSON has wrong escapes or control characters: they are taken out.
fn envelope(difference: &Difference<'_>) -> Option<Edit> {
    let before = difference.old.iter().skip(difference.first);
    let mut errors = difference
        .rest()
        .chain(before.clone())
        .filter(|event| event.kind == "call_error");
    let call = errors.find_map(|error| difference.call_bytes(error));
    // A call whose name cannot be read is text where unknown tools are.
    let is_text = || before.clone().any(|event| event.kind == "call_start");
    let range = call.or_else(|| is_text().then_some(0..difference.message.len()))?;
    let text = difference.message.as_bytes();
    let is_wrong = |place: usize| match text[place] {
        b'\\' => !is_escape(&text[place + 1..]),
        byte => byte < b' ',
    };
    bytes(difference.places(range, is_wrong), b' ')
}

/// Whether this follows a backslash in JSON.
fn is_escape(rest: &[u8]) -> bool {
    match rest {
        // A surrogate, which starts with `d8` to `df`, may not have its partner.
        [
            b'u',
            b'd' | b'D',
            b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F',
            ..,
        ] => false,
        [b'u', rest @ ..] => rest.len() >= 4 && rest[..4].iter().all(u8::is_ascii_hexdigit),
        [byte, ..] => br#""\/bfnrt"#.contains(byte),
        [] => false,
    }
}

/// A `<` in the quotes of a tag, which ends a tag of any name: the quote is taken out.
fn any_name_quotes(difference: &Difference<'_>) -> Option<Edit> {
    let text = difference.message.as_bytes();
    let mut quote = None;
    let mut in_tag = false;
    for (place, byte) in text
        .iter()
        .enumerate()
        .filter(|_| difference.has_any_name())
    {
        match (quote, byte) {
            (Some((_, open)), _) if byte == open => quote = None,
            (Some((start, _)), b'<') => return bytes(vec![start], b'x'),
            (None, b'<') => in_tag = true,
            (None, b'>') => in_tag = false,
            (None, b'"' | b'\'') if in_tag => quote = Some((place, byte)),
            _ => {}
        }
    }
    None
}

/// `limits.depth` does not concern tags of any name: it is taken out.
fn any_name_depth(difference: &Difference<'_>) -> Option<Edit> {
    let edit = difference.without("limits", "depth");
    edit.filter(|_| difference.has_any_name())
}

/// The last tag of any name in the text up to the difference: its `<` is taken out.
fn any_name(difference: &Difference<'_>) -> Option<Edit> {
    let text = difference
        .first_old()
        .filter(|event| event.kind == "text" && difference.has_any_name())?;
    let message = difference.message.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || b"_:".contains(byte);
    let is_opener =
        |place: usize| message[place] == b'<' && message.get(place + 1).is_some_and(is_name);
    let places = difference.places(text.span[0] as usize..difference.at(), is_opener);
    bytes(places.last().copied().into_iter().collect(), b'x')
}

/// White space between a call and a tag of any name: the tag's `<` is taken out.
fn space_before_any_name(difference: &Difference<'_>) -> Option<Edit> {
    difference
        .first_old()
        .filter(|event| event.kind == "skip" && difference.has_any_name())?;
    let rest = &difference.message[difference.at()..];
    let tag = rest.len() - rest.trim_start().len();
    let is_tag = tag > 0 && rest[tag..].starts_with('<');
    is_tag.then(|| Edit::Bytes(vec![difference.at() + tag], b'x'))
}

/// White space after an element, or after a closer that is dropped there, dropped by one engine: it
/// is taken out.
fn space_after_element(difference: &Difference<'_>) -> Option<Edit> {
    let before = &difference.new[..difference.first];
    let before = before.iter().rev().find(|event| event.kind != "notice")?;
    let skipped = difference.first_old()?.span[1] as usize;
    [difference.at(), skipped]
        .into_iter()
        .filter(|_| before.kind == "element_end")
        .find_map(|at| {
            let rest = &difference.message[at..];
            let len = rest.len() - rest.trim_start().len();
            bytes((at..at + len).collect(), b'x')
        })
}

/// Text between the head of a call and its JSON: it becomes white space.
fn text_before_json(difference: &Difference<'_>) -> Option<Edit> {
    let is_cause = |event: &Event| {
        let message = event.fields()["message"].as_str().map(str::to_owned);
        event.kind == "call_error"
            && message.is_some_and(|m| m.starts_with("the arguments are not a JSON object"))
    };
    let error = difference.rest().find(|event| is_cause(event))?;
    let message = difference.message.as_bytes();
    let spaces = |range| {
        let places = difference.places(range, |place| message[place] != b' ');
        bytes(places, b' ')
    };
    let in_call = difference.call_bytes(error).and_then(|call| {
        let text = &difference.message[call.clone()];
        let end = text.find('{').unwrap_or(text.len());
        let start = text[..end].rfind('<')?;
        spaces(call.start + start..call.start + end)
    });
    let skipped = difference
        .first_old()
        .filter(|event| event.kind == "skip")
        .map(|text| text.span[0] as usize..text.span[1] as usize);
    skipped.and_then(spaces).or(in_call)
}

/// A call whose name is empty: the quotes around it are taken out.
fn nameless(difference: &Difference<'_>) -> Option<Edit> {
    let start = difference
        .first_old()
        .filter(|event| event.kind == "call_start")?;
    let end = start.span[1] as usize;
    let name = difference.message[..end]
        .rfind("\"\"")
        .filter(|_| start.fields()["name"] == "")?;
    bytes(vec![name, name + 1], b'x')
}

/// A call whose name is an empty key: the quotes around it are taken out.
fn nameless_key(difference: &Difference<'_>) -> Option<Edit> {
    let errors = difference.rest().filter(|event| event.kind == "call_error");
    let mut calls = errors.filter_map(|error| difference.call_bytes(error));
    let name = calls.find_map(|call| {
        let text = &difference.message[call.clone()];
        Some(call.start + text.find("\"\"")?)
    })?;
    bytes(vec![name, name + 1], b'x')
}

/// A tag that the message cuts off where JSON arguments should begin: its `<` is taken out.
fn cut_off_before_json(difference: &Difference<'_>) -> Option<Edit> {
    let code = |event: Option<&Event>| event?.fields()["code"].as_str().map(str::to_owned);
    let old = code(difference.first_old()).filter(|code| code == "invalid_json");
    let new = code(difference.first_new()).filter(|code| code == "incomplete_call");
    let tag = difference
        .message
        .rfind('<')
        .filter(|_| old.is_some() && new.is_some())?;
    bytes(vec![tag], b'x')
}

/// A tag in a dialect's own brackets that the tag grammar reads differently: its slash, its quotes
/// or the bracket in it are taken out.
fn brackets(difference: &Difference<'_>) -> Option<Edit> {
    let message = difference.message;
    for brackets in own_brackets(difference.profile) {
        let [open, close, end] = &brackets;
        let openers = message
            .match_indices(&**open)
            .chain(message.match_indices(&**close));
        let mut tags: Vec<Range<usize>> = openers
            .map(|(at, bracket)| {
                let from = at + bracket.len();
                let len = message[from..].find(&**end);
                from..len.map_or(message.len(), |len| from + len)
            })
            .collect();
        tags.sort_by_key(|tag| tag.start);
        let wrong = tags
            .into_iter()
            .map(|tag| wrong_in_tag(message, tag, &brackets));
        if let Some(places) = wrong.into_iter().find(|places| !places.is_empty()) {
            return bytes(places, b'x');
        }
    }
    None
}

/// The beginning of a bracket that the message cuts off: its first character is taken out.
fn brackets_at_end(difference: &Difference<'_>) -> Option<Edit> {
    let message = difference.message;
    let all = own_brackets(difference.profile).into_iter();
    for bracket in all.flat_map(|[open, close, _]| [open, close]) {
        let first = bracket.chars().next()?;
        let cut = message
            .match_indices(first)
            .find(|(at, _)| bracket.starts_with(&message[*at..]));
        if let Some((at, first)) = cut {
            return bytes((at..at + first.len()).collect(), b'x');
        }
    }
    None
}

/// The opening, closing and end brackets of the dialects that a profile may use.
fn own_brackets(profile: &Value) -> Vec<[String; 3]> {
    let mut all = vec![
        ["<|open|>", "<|close|>", "<|sep|>"].map(String::from),
        ["]<]minimax[>[<", "]<]minimax[>[</", ">"].map(String::from),
    ];
    let own = profile["own_dialects"].as_array().into_iter().flatten();
    all.extend(own.filter_map(|dialect| {
        let bracket = |i: usize| dialect["brackets"][i].as_str().map(str::to_owned);
        Some([bracket(0)?, bracket(1)?, bracket(2)?])
    }));
    all
}

/// What the engines read differently between the brackets of a tag.
fn wrong_in_tag(message: &str, tag: Range<usize>, brackets: &[String; 3]) -> Vec<usize> {
    let text = &message[tag.clone()];
    let firsts: Vec<char> = brackets
        .iter()
        .filter_map(|bracket| bracket.chars().next())
        .collect();
    let inner = text.match_indices(|c| c == '<' || firsts.contains(&c));
    let mut places: Vec<usize> = inner.flat_map(|(at, c)| at..at + c.len()).collect();
    let name = text
        .find([' ', '\t', '\r', '\n', '/'])
        .unwrap_or(text.len());
    if text[name..].starts_with('/') && text.len() > name + 1 {
        places.push(name);
    }
    places.extend(wrong_quotes(text, name));
    places.into_iter().map(|place| tag.start + place).collect()
}

/// Quotes in attributes that do not enclose the value of a named attribute.
fn wrong_quotes(text: &str, attributes: usize) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut quote, mut before, mut is_named) = (None, ' ', false);
    for (place, c) in text
        .char_indices()
        .filter(|(place, _)| *place >= attributes)
    {
        match (quote, c) {
            (Some((_, open)), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if before == '=' && is_named => quote = Some((place, c)),
            (None, '"' | '\'') => places.push(place),
            (None, '=') => is_named = before.is_alphanumeric(),
            _ => {}
        }
        if !c.is_ascii_whitespace() {
            before = c;
        }
    }
    places.extend(quote.map(|(place, _)| place));
    places
}

/// Shown thinking that may only be at the start: it may be anywhere.
fn shown_anchor(difference: &Difference<'_>) -> Option<Edit> {
    let thinking = &difference.profile["thinking"];
    let is_concerned = thinking["mode"] == "show" && thinking["anchor"] == "start";
    difference
        .without("thinking", "anchor")
        .filter(|_| is_concerned)
}

/// A candidate that reaches `limits.tag` inside its name: the limit is taken out.
fn limit_in_name(difference: &Difference<'_>) -> Option<Edit> {
    let limit = difference.profile["limits"]["tag"].as_u64()? as usize;
    let at = difference.at();
    let near = &difference.message.as_bytes()[at.saturating_sub(limit + 3)..at];
    near.iter()
        .find(|byte| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace())?;
    difference.without("limits", "tag")
}

/// Calls that count in code, after a run of backticks: the backticks are taken out.
fn undecided_backticks(difference: &Difference<'_>) -> Option<Edit> {
    let promotes = difference.profile["calls"]["in_code"] == "promote";
    let text = difference.message.as_bytes();
    bytes(
        difference.places(0..difference.at(), |place| promotes && text[place] == b'`'),
        b'x',
    )
}

/// A closer that is dropped with a notice, where there was no notice: it becomes white space.
fn dropped_closer(difference: &Difference<'_>) -> Option<Edit> {
    let at = difference.at() as u64;
    difference
        .first_old()
        .filter(|event| event.kind == "skip")?;
    let notice = |event: &&Event| {
        event.kind == "notice" && event.span[0] == at && event.fields()["code"] == "orphan_close"
    };
    difference
        .new
        .iter()
        .skip(difference.first)
        .take(2)
        .find(notice)?;
    let closer = difference
        .reading
        .iter()
        .find(|event| event.part.as_deref() == Some("orphan_close") && event.span[0] == at)?;
    let is_visible = !closer.text.trim().is_empty();
    bytes(
        (at as usize..closer.span[1] as usize)
            .filter(|_| is_visible)
            .collect(),
        b' ',
    )
}

/// Literals that start with white space in a profile with calls: they are taken out of the profile.
fn white_literal(difference: &Difference<'_>) -> Option<Edit> {
    let occurs = |literal: &Value| {
        let literal = literal.as_str().unwrap_or_default();
        literal.starts_with([' ', '\t', '\r', '\n'])
    };
    let mut profile = difference.profile.clone();
    let mut is_changed = false;
    if let Some(markers) = profile.get_mut("markers").and_then(Value::as_array_mut) {
        let before = markers.len();
        markers.retain(|marker| !occurs(marker));
        is_changed |= markers.len() < before;
    }
    if let Some(thinking) = profile.get_mut("thinking").and_then(Value::as_object_mut) {
        if let Some(pairs) = thinking.get_mut("delimiters").and_then(Value::as_array_mut) {
            let before = pairs.len();
            pairs.retain(|pair| !occurs(&pair[0]) && !occurs(&pair[1]));
            is_changed |= pairs.len() < before;
            if pairs.is_empty() && !thinking.contains_key("tags") {
                thinking.remove("starts_open");
            }
        }
    }
    is_changed.then_some(Edit::Profile(profile))
}

/// White space that may be longer than `limits.lookahead`, with a candidate that fails after it: the
/// limit is taken out.
fn lookahead(difference: &Difference<'_>) -> Option<Edit> {
    let (before, after) = difference.message.split_at(difference.at());
    let is_blank = |text: &str| text.starts_with(char::is_whitespace);
    let touches = is_blank(after) || before.ends_with(char::is_whitespace);
    let edit = difference.without("limits", "lookahead");
    edit.filter(|_| touches)
}

/// Thinking that may only be at the start: it may be anywhere.
fn late_literal(difference: &Difference<'_>) -> Option<Edit> {
    let is_start = difference.profile["thinking"]["anchor"] == "start";
    difference
        .without("thinking", "anchor")
        .filter(|_| is_start)
}

/// A section that is text if it is not closed, with a call in it: it is a thought instead.
fn revealed_call(difference: &Difference<'_>) -> Option<Edit> {
    let reveals = difference.profile["thinking"]["unclosed"] == "reveal";
    let promotes = difference.profile["calls"]["in_thinking"] == "promote";
    difference
        .without("thinking", "unclosed")
        .filter(|_| reveals && promotes)
}

/// The beginning of a tag that the message cuts off: its `<` is taken out.
fn cut_off(difference: &Difference<'_>) -> Option<Edit> {
    let tag = difference.message.rfind('<')?;
    let is_cut = !difference.message[tag..].contains('>') && tag >= difference.at();
    bytes(vec![tag].into_iter().filter(|_| is_cut).collect(), b'x')
}

/// An element after an empty list of calls: its `<` is taken out.
fn empty_list(difference: &Difference<'_>) -> Option<Edit> {
    let before = difference.new.get(difference.first.checked_sub(1)?)?;
    let element = difference.message[..difference.at()].rfind('<');
    bytes(
        element
            .filter(|_| before.kind == "element_end")
            .into_iter()
            .collect(),
        b'x',
    )
}

/// Markers between white space and text: they are taken out of the profile.
fn marker(difference: &Difference<'_>) -> Option<Edit> {
    let skip = difference
        .first_old()
        .filter(|event| event.kind == "skip")?;
    let markers = difference.profile["markers"].as_array()?;
    let is_in = |marker: &Value| marker.as_str().is_some_and(|m| skip.text.contains(m));
    let mut profile = difference.profile.clone();
    profile.as_object_mut()?.remove("markers");
    markers.iter().any(is_in).then_some(Edit::Profile(profile))
}

/// A tag in a dialect's own brackets that begins before the difference: its bracket is taken out.
fn overlapping_brackets(difference: &Difference<'_>) -> Option<Edit> {
    let before = difference.at();
    let all = own_brackets(difference.profile).into_iter();
    let mut brackets = all.flat_map(|[open, close, _]| [open, close]);
    brackets.find_map(|bracket| {
        let at = difference
            .message
            .find(&bracket)
            .filter(|at| *at <= before)?;
        let first = bracket.chars().next()?;
        bytes((at..at + first.len_utf8()).collect(), b'x')
    })
}

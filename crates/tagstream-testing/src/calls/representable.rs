//! Which values a dialect can carry.
//!
//! JSON can carry anything. A raw value has no escapes, so some texts cannot be written. The
//! contract (section 6) decides which:
//!
//! - A closer ends the value if what follows it may follow it. So a closer in a value must be
//!   followed by something else; not by the end of the value either, for then the value's own closer
//!   could be the stray one.
//! - An opener of the same argument balances a closer, and a call's head a call's closer. So these must
//!   come in pairs.
//! - A call's closer that is not balanced ends the value if a wrapper's closer or a call follows it; if
//!   the dialect has no wrapper, always.
//! - The opener of another declared argument ends the value at its start and at the start of a line.
//! - A newline at the end may be layout. `\r` before it would be part of it.
//!
//! Where the contract can be read in two ways this says no. It is the generator's business to find
//! values that are nasty all the same.

use super::nasty::Tool;
use super::raw_writer::{Format, Lines, MINIMAX, formats};
use super::writer::{Call, raw_text};

/// Whether the dialect can carry this call.
pub fn representable(dialect: &str, tools: &[Tool], call: &Call) -> bool {
    let fits =
        |(name, value): &(String, _)| fits(dialect, tools, &call.name, name, &raw_text(value));
    call.json || call.arguments.iter().all(fits)
}

/// Whether the dialect can carry this text as the value of that argument.
pub fn fits(dialect: &str, tools: &[Tool], tool: &str, argument: &str, text: &str) -> bool {
    // Data ends with the first of these, and what begins like data is data.
    if dialect == "minicpm5" && (text.contains("]]>") || text.contains("<![CDATA[")) {
        return false;
    }
    let formats = formats(dialect);
    let reader = Reader {
        formats: &formats,
        tools,
        tool: tools
            .iter()
            .find(|t| t.name == tool)
            .expect("it is declared"),
        argument,
        text,
    };
    let layout_is_clear = formats[0].lines == Lines::Never || !text.ends_with('\r');
    layout_is_clear
        && reader
            .tokens()
            .is_some_and(|tokens| reader.harmless(&tokens))
}

/// A piece of markup of the dialect.
#[derive(Debug)]
struct Token {
    start: usize,
    end: usize,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// The opener of this argument.
    Value(String),
    ValueEnd,
    /// The head of a call of this tool, and whether its wrapper is before it.
    Call(String, bool),
    CallEnd,
    Wrapper,
    WrapperEnd,
    /// What is between calls.
    Frame,
    /// Half of something.
    Half,
}

struct Reader<'a> {
    formats: &'a [Format],
    tools: &'a [Tool],
    tool: &'a Tool,
    argument: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    /// The dialect's markup in the text; none if some of it is neither markup nor clearly text.
    fn tokens(&self) -> Option<Vec<Token>> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut at = 0;
        while let Some(c) = self.text[at..].chars().next() {
            match self.markup(at) {
                Markup::Text => at += c.len_utf8(),
                Markup::Unclear => return None,
                Markup::Token(end, kind) => {
                    let kind = self.in_wrapper(kind, tokens.last(), at);
                    tokens.push(Token {
                        start: at,
                        end,
                        kind,
                    });
                    at = end;
                }
            }
        }
        Some(tokens)
    }

    /// A call's head with its wrapper noted, if that is before it.
    fn in_wrapper(&self, kind: Kind, last: Option<&Token>, at: usize) -> Kind {
        let opens = |last: &Token| {
            let blank = self.text[last.end..at].trim().is_empty();
            blank && matches!(last.kind, Kind::Wrapper | Kind::Frame)
        };
        match kind {
            Kind::Call(name, _) => Kind::Call(name, last.is_some_and(opens)),
            other => other,
        }
    }

    /// What is at this place, by any of the dialect's formats.
    fn markup(&self, at: usize) -> Markup {
        let rest = &self.text[at..];
        if !rest.starts_with(['<', ']']) {
            return Markup::Text;
        }
        let mut unclear = false;
        for format in self.formats {
            for (pattern, kind) in self.patterns(format) {
                match matches(&pattern, rest) {
                    Match::Whole(_, _) if kind == Kind::Half => unclear = true,
                    Match::Whole(length, name) => {
                        return Markup::Token(at + length, kind.named(name));
                    }
                    Match::Begun => unclear = true,
                    Match::No => {}
                }
            }
        }
        if unclear {
            Markup::Unclear
        } else {
            Markup::Text
        }
    }

    fn patterns(&self, format: &Format) -> Vec<(String, Kind)> {
        if format.call[0] == "<{}>" {
            tag_patterns(self.tool, self.argument, self.tools)
        } else if format.argument[0].starts_with(MINIMAX) {
            nested_patterns(format, self.argument)
        } else {
            patterns(format)
        }
    }

    /// Whether none of the markup ends the value.
    fn harmless(&self, tokens: &[Token]) -> bool {
        let (mut values, mut calls) = (0, Vec::new());
        for (i, token) in tokens.iter().enumerate() {
            let next = self.next(tokens, i);
            let harmless = match &token.kind {
                Kind::Value(name) if name == self.argument => {
                    values += 1;
                    true
                }
                Kind::Value(name) => !self.declared(name) || !self.begins_line(token.start),
                Kind::ValueEnd if values > 0 => {
                    values -= 1;
                    true
                }
                // After it, what begins like a tag and is none would make the call a mistake.
                Kind::ValueEnd => {
                    let after = self.text[token.end..].trim_start();
                    next == Next::Text && !after.starts_with('<')
                }
                Kind::Call(name, wrapped) => {
                    calls.push(*wrapped);
                    self.tools.iter().any(|tool| tool.name == *name)
                }
                Kind::CallEnd => self.call_may_end(calls.pop(), &next),
                Kind::Wrapper | Kind::WrapperEnd | Kind::Frame | Kind::Half => true,
            };
            if !harmless {
                return false;
            }
        }
        values == 0 && calls.is_empty()
    }

    /// Whether a call's closer is no end, with a head before it or without. A head without its
    /// wrapper is perhaps none.
    fn call_may_end(&self, head: Option<bool>, next: &Next) -> bool {
        let has_wrapper = self.formats[0].wrapper.is_some();
        match head {
            Some(wrapped) if wrapped || !has_wrapper => true,
            _ => has_wrapper && !matches!(next, Next::Markup),
        }
    }

    fn next(&self, tokens: &[Token], i: usize) -> Next {
        let end = tokens[i].end;
        match tokens.get(i + 1) {
            Some(next) if self.text[end..next.start].trim().is_empty() => Next::Markup,
            None if self.text[end..].trim().is_empty() => Next::End,
            _ => Next::Text,
        }
    }

    fn declared(&self, argument: &str) -> bool {
        self.tool.arguments.iter().any(|name| name == argument)
    }

    fn begins_line(&self, at: usize) -> bool {
        let line = self.text[..at].rsplit('\n').next().unwrap_or("");
        line.trim().is_empty()
    }
}

enum Markup {
    Text,
    Unclear,
    Token(usize, Kind),
}

/// What follows a token, white space aside.
#[derive(PartialEq, Eq)]
enum Next {
    Markup,
    Text,
    End,
}

impl Kind {
    fn named(self, name: Option<String>) -> Kind {
        match (self, name) {
            (Kind::Value(_), Some(name)) => Kind::Value(name),
            (Kind::Call(..), Some(name)) => Kind::Call(name, false),
            (other, _) => other,
        }
    }
}

/// What counts in a value.
fn patterns(format: &Format) -> Vec<(String, Kind)> {
    let wrapper = format.wrapper.iter().flat_map(|[open, close]| {
        let open = (open.clone(), Kind::Wrapper);
        [open, (close.clone(), Kind::WrapperEnd)]
    });
    let second = format
        .other_call_closer
        .map(|close| (close.to_owned(), Kind::CallEnd));
    let frame = format.frame.iter().filter(|frame| !frame.is_empty());
    let mut patterns = vec![
        (format.argument[0].clone(), Kind::Value(String::new())),
        (format.argument[1].clone(), Kind::ValueEnd),
        (format.call[0].clone(), Kind::Call(String::new(), false)),
        (format.call[1].clone(), Kind::CallEnd),
    ];
    patterns.extend(wrapper.chain(second));
    patterns.extend(frame.map(|frame| ((*frame).to_owned(), Kind::Frame)));
    // Half of an opener that has two tags.
    if let Some((_, rest)) = format.argument[0].split_once("{}</") {
        let halves = rest.split_inclusive('>').zip(["</", ""]);
        patterns
            .extend(halves.map(|(tag, before)| (format!("{before}{}", tag.trim()), Kind::Half)));
    }
    patterns
}

/// What counts in the value of an argument where tags of any name may be in it: those of its
/// own name, and that others are markup.
fn nested_patterns(format: &Format, argument: &str) -> Vec<(String, Kind)> {
    let [open, close] = format.argument.clone();
    let own = [
        (
            open.replace("{}", argument),
            Kind::Value(argument.to_owned()),
        ),
        (close.replace("{}", argument), Kind::ValueEnd),
    ];
    let usual = patterns(format).into_iter();
    let usual = usual.filter(|(_, kind)| !matches!(kind, Kind::Value(_) | Kind::ValueEnd));
    let others = [(open, Kind::Frame), (close, Kind::Frame)];
    own.into_iter().chain(usual).chain(others).collect()
}

/// What counts in the value of an argument where the names are tags: only declared ones, and of
/// the closers only its own.
fn tag_patterns(tool: &Tool, argument: &str, tools: &[Tool]) -> Vec<(String, Kind)> {
    let mut patterns = vec![(format!("</{argument}>"), Kind::ValueEnd)];
    for name in &tool.arguments {
        patterns.push((format!("<{name}>"), Kind::Value(name.clone())));
    }
    for Tool { name, .. } in tools {
        patterns.push((format!("<{name}>"), Kind::Call(name.clone(), false)));
        patterns.push((format!("</{name}>"), Kind::CallEnd));
    }
    patterns
}

enum Match {
    /// It is here, this many bytes long, with this name if the pattern has a place for one.
    Whole(usize, Option<String>),
    /// Its first word is here, but then comes something that the writer does not write.
    Begun,
    No,
}

/// Brackets that count only as they are.
const BRACKETS: [&str; 3] = ["<|open|>", "<|close|>", MINIMAX];

/// Whether the text begins with this bracket, but for its case.
fn is_shouted(bracket: &str, text: &str) -> bool {
    let begins = text.get(..bracket.len());
    begins.is_some_and(|b| b != bracket && b.eq_ignore_ascii_case(bracket))
}

/// Whether the text begins with this markup: any case, and white space before `>`.
fn matches(pattern: &str, text: &str) -> Match {
    let word = first_word(pattern);
    if BRACKETS
        .iter()
        .any(|b| pattern.starts_with(b) && is_shouted(b, text))
    {
        return Match::Begun;
    }
    let Some(rest) = strip_word(text, word) else {
        return Match::No;
    };
    if let Some((length, name)) = whole(pattern, text) {
        return Match::Whole(length, name);
    }
    // A tag that a `<` or the end of the text interrupts is not one.
    let goes_on = rest.starts_with(|c: char| c.is_whitespace() || "=/>".contains(c));
    let interrupted = rest.trim_start().is_empty() || rest.trim_start().starts_with('<');
    if goes_on && !interrupted {
        Match::Begun
    } else {
        Match::No
    }
}

/// The markup as far as it is the same for all names and attributes.
fn first_word(pattern: &str) -> &str {
    let end = pattern
        .find(|c: char| "=>\"{".contains(c))
        .unwrap_or(pattern.len());
    pattern[..end].trim_end_matches(" name")
}

/// What follows the word, if the text begins with it and it is not part of a longer one.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let begins = text.get(..word.len())?.eq_ignore_ascii_case(word);
    let rest = &text[word.len()..];
    let longer = rest.starts_with(|c: char| c.is_alphanumeric() || "_-:.".contains(c));
    (begins && !longer).then_some(rest)
}

/// How long the markup is, and the name in it, if the text begins with all of it.
fn whole(pattern: &str, text: &str) -> Option<(usize, Option<String>)> {
    let (mut left, mut name) = (text, None);
    let mut rest = pattern;
    while !rest.is_empty() {
        let attribute = ["{string}", "{type}", "{number}"];
        if let Some(after) = attribute.iter().find_map(|a| rest.strip_prefix(a)) {
            (left, rest) = (&left[left.find('"')?..], after);
        } else if let Some(after) = rest.strip_prefix("{}") {
            let end = left.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)))?;
            name = Some(left[..end].to_owned());
            (left, rest) = (&left[end..], after);
            if after.is_empty() && !left.trim_start().starts_with('<') {
                return None;
            }
        } else {
            (left, rest) = step(left, rest)?;
        }
    }
    Some((text.len() - left.len(), name))
}

/// Passes over one character of the pattern; a line break in it is any white space.
fn step<'a>(text: &'a str, pattern: &'a str) -> Option<(&'a str, &'a str)> {
    let wanted = pattern.chars().next()?;
    let after = &pattern[wanted.len_utf8()..];
    if wanted == '\n' {
        return Some((text.trim_start(), after));
    }
    let text = if wanted == '>' {
        text.trim_start()
    } else {
        text
    };
    let found = text.chars().next()?;
    let same = found.eq_ignore_ascii_case(&wanted);
    same.then(|| (&text[found.len_utf8()..], after))
}

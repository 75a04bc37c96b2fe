//! Messages that would make a careless parser slow or fat.

use serde_json::{Value, json};
use tagstream::Profile;

pub struct Hostile {
    pub name: &'static str,
    pub profile: Profile,
    make: Box<dyn Fn(usize) -> Vec<u8>>,
}

impl Hostile {
    /// About this many bytes of it.
    pub fn message(&self, size: usize) -> Vec<u8> {
        (self.make)(size)
    }
}

/// All of them, in profiles with these limits.
pub fn all(limits: &Value) -> Vec<Hostile> {
    [
        in_tags(),
        in_sections(),
        in_code(),
        in_elements(),
        in_bytes(),
    ]
    .into_iter()
    .flatten()
    .map(|(name, mut profile, make)| {
        profile["limits"] = limits.clone();
        let profile = serde_json::from_value(profile).expect("the profile is good");
        Hostile {
            name,
            profile,
            make,
        }
    })
    .collect()
}

type Make = Box<dyn Fn(usize) -> Vec<u8>>;
type Row = (&'static str, Value, Make);

/// A start, and then the same over and over.
fn endless(start: &'static str, again: &'static str) -> Make {
    Box::new(move |size| {
        let repeated = again.bytes().cycle().take(size.saturating_sub(start.len()));
        start.bytes().chain(repeated).collect()
    })
}

/// A piece for each number, until there is enough.
fn counted(start: &'static str, piece: fn(usize) -> String) -> Make {
    Box::new(move |size| {
        let mut message = start.to_string();
        for n in 0.. {
            if message.len() >= size {
                break;
            }
            message += &piece(n);
        }
        message.into_bytes()
    })
}

fn think(settings: &Value) -> Value {
    let mut profile = json!({"thinking": {"tags": ["think", "thinking"]}});
    for (key, value) in settings.as_object().expect("an object") {
        profile["thinking"][key] = value.clone();
    }
    profile
}

fn in_tags() -> Vec<Row> {
    let plain = || think(&json!({}));
    let literals = json!({"markers": ["aaaaaaaaab", "aaaab", "｜end▁of▁thinking｜"], "thinking": {"delimiters": [["aab", "aaab"]]}});
    vec![
        ("an endless value", plain(), endless("<think a=\"", "x ")),
        ("endless attributes", plain(), endless("<think", " a=b")),
        (
            "an endless name of an attribute",
            plain(),
            endless("<think ", "a"),
        ),
        (
            "an endless closer",
            plain(),
            endless("<think>a</think", " "),
        ),
        ("angle brackets", plain(), endless("", "<")),
        ("openers cut short", plain(), endless("", "<think ")),
        (
            "openers cut short in a value",
            plain(),
            endless("", "<think a=\"<think"),
        ),
        ("closers cut short", plain(), endless("", "</thinkin")),
        (
            "starts of literals",
            literals,
            endless("", "aaaaaaaa｜end▁of▁"),
        ),
        ("orphan closers", plain(), endless("", "</think>")),
    ]
}

fn in_sections() -> Vec<Row> {
    let reveal = || think(&json!({"unclosed": "reveal"}));
    let trim = || think(&json!({"trim": "both"}));
    let opened = think(&json!({"unclosed": "reveal", "starts_open": true, "trim": "both"}));
    vec![
        (
            "white space in a section",
            think(&json!({})),
            endless("<think>", " \n"),
        ),
        (
            "white space in a thought",
            trim(),
            endless("<think>a", " \n"),
        ),
        (
            "white space between words",
            trim(),
            endless("<think>", "a                      "),
        ),
        ("white space before the answer", trim(), endless("", " \n")),
        ("a section to reveal", reveal(), endless("<think>", "abc ")),
        ("sections to reveal", reveal(), endless("", "<think>abc ")),
        (
            "closed sections to reveal",
            reveal(),
            endless("", "<think>abc</think> "),
        ),
        (
            "an unclosed section to hide",
            think(&json!({"unclosed": "hide"})),
            endless("<think>", "abc "),
        ),
        (
            "a section the prompt opened",
            opened,
            endless("", "abc <thinking> "),
        ),
        (
            "sections in sections",
            think(&json!({})),
            endless("", "<think>a"),
        ),
        (
            "repeated openers",
            think(&json!({})),
            endless("", "<think> "),
        ),
        (
            "quoted closers",
            think(&json!({})),
            endless("<think>", "`</think>` "),
        ),
        (
            "a hidden section",
            json!({"hide": ["think"]}),
            endless("<think>", "</thin"),
        ),
    ]
}

fn in_code() -> Vec<Row> {
    let plain = || think(&json!({}));
    vec![
        (
            "longer and longer runs",
            plain(),
            counted("", |n| "`".repeat(n + 1) + " <think> "),
        ),
        (
            "shorter and shorter runs",
            plain(),
            counted("", |n| "`".repeat(200 - n % 200) + " <think/> "),
        ),
        ("a run and openers", plain(), endless("`", "<think> ")),
        ("runs and openers", plain(), endless("", "`` <think> ``` ")),
        (
            "runs without partners",
            plain(),
            counted("", |n| "`".repeat(n % 97 + 1) + "a<thi"),
        ),
        ("an endless fence line", plain(), endless("```", "a")),
        (
            "an endless fence line of words",
            plain(),
            endless("```", "a <think> "),
        ),
        (
            "an endless word after a run",
            plain(),
            endless("a ```", "a"),
        ),
        ("endless backticks", plain(), endless("<think>", "`")),
        ("endless backticks in text", plain(), endless("a", "`")),
        (
            "fences in fences",
            plain(),
            endless("", "```a\n````\n<think>\n~~~\n"),
        ),
        (
            "lines of openers cut short",
            plain(),
            endless("`", "a\n<think "),
        ),
    ]
}

fn in_elements() -> Vec<Row> {
    let nested = || json!({"elements": [{"name": "e", "children": ["e", "p"]}]});
    let raw = || json!({"elements": [{"name": "e"}]});
    let any = || json!({"elements": [{"name": "*"}]});
    vec![
        ("an endless body", raw(), endless("<e>", "abc ")),
        ("an endless body of openers", raw(), endless("", "<e>")),
        (
            "an endless body of closers cut short",
            raw(),
            endless("<e>", "</e"),
        ),
        ("open elements", nested(), endless("", "<e>a")),
        ("elements", nested(), endless("", "<e a=\"b\">abc</e>")),
        ("an endless part", nested(), endless("<e><p>", "abc ")),
        ("parts", nested(), endless("<e>", "<p a=\"b\">abc</p>")),
        ("empty parts", nested(), endless("<e>", "<p/>")),
        (
            "parts with endless attributes",
            nested(),
            endless("<e>", "<p aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/>"),
        ),
        ("an element of any name", any(), endless("<b>", "abc ")),
        ("elements of any name", any(), endless("", "<b>")),
        (
            "elements of many names",
            any(),
            counted("", |n| format!("<b{n}>")),
        ),
        (
            "some closed, and a long one",
            any(),
            counted("", |n| {
                format!(
                    "<a><b></b>{}",
                    "<c>".repeat(n % 50) + "<d e=\"fffffffffffffffffffffffff"
                )
            }),
        ),
        (
            "closing tags that come too late",
            any(),
            counted("", |n| format!("<b{}></b{}>", n + 400, n)),
        ),
        (
            "attributes of any name",
            any(),
            endless("", "<b a=\"c\" d=e f"),
        ),
    ]
}

fn in_bytes() -> Vec<Row> {
    let broken = |bytes: &'static [u8]| -> Make {
        Box::new(move |size| bytes.iter().copied().cycle().take(size).collect())
    };
    vec![
        ("broken bytes", think(&json!({})), broken(b"\xff")),
        (
            "characters cut short",
            think(&json!({})),
            broken(b"\xf0\x9f<think>\xe2\x82"),
        ),
        (
            "prose",
            think(&json!({})),
            endless(
                "",
                "It was the best of times, `a < b`, it was the worst.\n\n",
            ),
        ),
    ]
}

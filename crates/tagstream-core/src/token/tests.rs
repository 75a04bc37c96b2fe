use super::{Candidate, Fate, Grammar, Shape, Tail, Token};
use crate::attributes::{Attribute, Attributes};
use crate::brackets::{AnyName, AttributeRule, Brackets, NameRule};
use crate::lexicon::{Builder, Lexicon, Role};
use crate::policy::pattern::Pattern;

/// `<parameter>`, `</parameter>`, `<function={name}>`, and the same in the brackets.
fn parameters(brackets: &Brackets) -> Lexicon {
    let mut builder = Builder::default();
    for (name, closes, role) in [
        ("parameter", false, Role::Key),
        ("parameter", true, Role::KeyEnd),
        ("function=", false, Role::Value),
    ] {
        builder.pattern(&Pattern::tag(name, closes, brackets), role);
    }
    builder.build()
}

fn brackets(open: &str, close: &str, end: &str) -> Brackets {
    Brackets::new(&[open, close, end].map(str::to_owned))
}

/// The usual brackets, those of `kimi-k3`, and some whose end may begin with a part of itself.
fn all_brackets() -> [Brackets; 4] {
    [
        Brackets::USUAL,
        brackets("<|open|>", "<|close|>", "<|sep|>"),
        brackets("[[", "[[/", "]]"),
        brackets("{", "{/", "::!"),
    ]
}

fn grammar(lexicon: &Lexicon) -> Grammar<'_> {
    Grammar {
        lexicon,
        max_tag: 1024,
    }
}

/// What becomes of a message that begins with a tag or literal.
fn read(lexicon: &Lexicon, text: &str) -> Fate {
    let mut candidate = Candidate::new(0, false, false, lexicon);
    match candidate.read(text.as_bytes(), &grammar(lexicon)).1 {
        Fate::Open => candidate.finish(),
        fate => fate,
    }
}

fn token(lexicon: &Lexicon, text: &str) -> Token {
    match read(lexicon, text) {
        Fate::Found(token) => token,
        fate => panic!("{text:?} is not a tag: {fate:?}"),
    }
}

fn resume(lexicon: &Lexicon, text: &str) -> u64 {
    match read(lexicon, text) {
        Fate::Text { resume, .. } => resume,
        fate => panic!("{text:?} is not text: {fate:?}"),
    }
}

#[test]
fn attributes_are_read_alike_in_all_brackets() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            r#"name="a" u=http://x?q="b"#,
            &[("name", "a"), ("u", r#"http://x?q="b"#)],
        ),
        (r#"a="x>y" b='</'"#, &[("a", "x>y"), ("b", "</")]),
        (
            r#"a = 'x' b c=/d/ e"#,
            &[("a", "x"), ("b", ""), ("c", "/d/"), ("e", "")],
        ),
        (
            r#"="x" 'a' a"b"#,
            &[("x", ""), ("a", ""), ("a", ""), ("b", "")],
        ),
        ("a=", &[("a", "")]),
        ("", &[]),
    ];
    for brackets in all_brackets() {
        let lexicon = parameters(&brackets);
        let Brackets { open, end, .. } = &brackets;
        for (inside, expected) in cases {
            // What looks like the end bracket may not begin in what comes before it.
            for slash in ["", " /"] {
                let text = format!("{open}parameter {inside}{slash}{end}");
                let token = token(&lexicon, &format!("{text} more"));
                assert_eq!(token.end, text.len() as u64, "{text}");
                assert_eq!(token.name(&text), "parameter");
                assert_eq!(token.shape == Shape::SelfClosing, !slash.is_empty());
                let attributes = Attributes::new(token.attributes(&text));
                let seen: Vec<_> = attributes.iter().map(|a| (a.name, a.value)).collect();
                assert_eq!(seen, *expected, "{text}");
            }
        }
    }
}

#[test]
fn an_unquoted_value_ends_before_a_slash_and_the_end_bracket() {
    for brackets in all_brackets() {
        let lexicon = parameters(&brackets);
        let text = format!("{}parameter a=b/c/{}", brackets.open, brackets.end);
        let token = token(&lexicon, &text);
        assert_eq!(token.shape, Shape::SelfClosing);
        assert_eq!(
            Attributes::new(token.attributes(&text)).get("a"),
            Some("b/c")
        );
    }
}

#[test]
fn a_value_may_have_a_part_of_the_end_bracket() {
    let lexicon = parameters(&brackets("[[", "[[/", "]]"));
    let text = "[[parameter a=x]y b=]z]]";
    let found = token(&lexicon, text);
    assert_eq!(found.attributes(text), " a=x]y b=]z");
    let lexicon = parameters(&brackets("{", "{/", "::!"));
    let text = "{function=::::!";
    let found = token(&lexicon, text);
    assert_eq!(
        (found.name(text), found.attributes(text)),
        ("function=", "::")
    );
}

#[test]
fn what_fails_after_its_name_is_text_up_to_the_byte_that_is_not_allowed() {
    let usual = parameters(&Brackets::USUAL);
    assert_eq!(resume(&usual, "<parameter a <b>"), 13);
    assert_eq!(resume(&usual, "<parameter/ >"), 11);
    assert_eq!(resume(&usual, "</parameter x>"), 12);
    assert_eq!(resume(&usual, "<function=a\n>"), 11);
    assert_eq!(resume(&usual, "<parameters>"), 1);
    let own = parameters(&brackets("<|open|>", "<|close|>", "<|sep|>"));
    assert_eq!(
        resume(&own, "<|open|>parameter a<|open|>parameter<|sep|>"),
        19
    );
    assert_eq!(resume(&own, "<|open|>parameter<|se "), 17);
    assert_eq!(resume(&own, "<|open|> parameters<|sep|>"), 1);
}

#[test]
fn what_may_be_read_again_is_not_read_for_good() {
    let lexicon = parameters(&brackets("<|open|>", "<|close|>", "<|sep|>"));
    let text = b"x<|open|>parameter a<|";
    let mut candidate = Candidate::new(101, false, false, &lexicon);
    let (read, fate) = candidate.read(&text[1..], &grammar(&lexicon));
    assert_eq!(read, text.len() - 1);
    assert!(matches!(fate, Fate::Open));
    assert_eq!(candidate.read_for_good(&lexicon, 100, text), text.len() - 2);
}

#[test]
fn it_does_not_matter_where_a_tag_is_cut() {
    for brackets in all_brackets() {
        let lexicon = parameters(&brackets);
        for body in BODIES {
            let text = format!("{}parameter {body}{} tail", brackets.open, brackets.end);
            let whole = format!("{:?}", read(&lexicon, &text));
            for cut in 1..text.len() {
                let mut candidate = Candidate::new(0, false, false, &lexicon);
                let (first, rest) = text.as_bytes().split_at(cut);
                let fate = match candidate.read(first, &grammar(&lexicon)).1 {
                    Fate::Open => candidate.read(rest, &grammar(&lexicon)).1,
                    fate => fate,
                };
                let fate = match fate {
                    Fate::Open => candidate.finish(),
                    fate => fate,
                };
                assert_eq!(format!("{fate:?}"), whole, "{text} cut at {cut}");
            }
        }
    }
}

const BODIES: [&str; 6] = [
    r#"a="b c" d=e/"#,
    "a=]b ]",
    "::::!",
    "<|se",
    "x='<|sep|>]]>::!'",
    "a <b",
];

/// All texts of these pieces, up to a length.
fn texts(pieces: &[&str], most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let to = all.len();
        for i in from..to {
            let text = all[i].clone();
            all.extend(pieces.iter().map(|piece| format!("{text}{piece}")));
        }
        from = to;
    }
    all
}

/// Whatever the tag machine accepts, `Attributes` reads in the same parts: no quote is left open, no
/// value has the end of another, and what is neither a name nor a value means nothing.
#[test]
fn the_tag_machine_and_attributes_agree() {
    for brackets in all_brackets() {
        let (lexicon, end) = (parameters(&brackets), &brackets.end);
        for text in texts(&["a", "=", "\"", "'", " ", "/", "é", ":"], 5) {
            let tag = format!("{}parameter {text}{end}", brackets.open);
            if let Fate::Found(token) = read(&lexicon, &tag) {
                assert_eq!(token.end, tag.len() as u64, "{tag}");
                check_attributes(token.attributes(&tag));
            } else {
                // Only a quote that is open can hide the end bracket.
                let closed = ["\"", "'"].map(|quote| format!("{tag}{quote}{end}"));
                let is_tag = |tag: &String| matches!(read(&lexicon, tag), Fate::Found(_));
                assert!(closed.iter().any(is_tag), "{tag}");
            }
        }
    }
}

fn check_attributes(raw: &str) {
    let offset = |part: &str| part.as_ptr() as usize - raw.as_ptr() as usize;
    let mut rest = 0;
    for Attribute { name, value } in Attributes::new(raw) {
        let gap = &raw[rest..offset(name)];
        assert!(gap.chars().all(|c| " =/\"'".contains(c)), "{raw}: {gap}");
        assert!(name.chars().all(|c| "aé:".contains(c)), "{raw}: {name}");
        rest = offset(name) + name.len();
        if value.is_empty() {
            continue;
        }
        let (before, after) = (
            &raw[rest..offset(value)],
            &raw[offset(value) + value.len()..],
        );
        rest = offset(value) + value.len();
        match before.trim_start().strip_prefix('=').map(str::trim_start) {
            Some("") => {
                assert!(!value.contains(' ') && (after.is_empty() || after.starts_with(' ')));
            }
            Some(quote) => assert!(after.starts_with(quote) && !value.contains(quote), "{raw}"),
            None => panic!("{raw}: {value} has no `=` before it"),
        }
    }
    assert!(raw[rest..].chars().all(|c| " =/\"'".contains(c)), "{raw}");
}

/// Any tag; `node` is a declared element.
fn any_tag() -> Lexicon {
    let mut builder = Builder::default();
    builder.open("node", Role::Element(0));
    let any = AnyName {
        roles: [Some(Role::Kept); 2],
        names: NameRule::Any,
        attributes: AttributeRule::None,
    };
    builder.any_name(&Brackets::USUAL, any);
    builder.build()
}

#[test]
fn a_tail_is_what_may_be_the_beginning_of_a_tag() {
    let lexicon = any_tag();
    for (text, expected) in [
        ("a", None),
        ("a<", Some(1)),
        ("a</", Some(1)),
        ("a</b", Some(1)),
        ("a<b ", Some(1)),
        ("a<br/", Some(1)),
        ("a<br /", Some(1)),
        ("a<br /x", None),
        ("a<b x", None),
        ("a</b x", None),
        ("a<b>", None),
        ("a< ", None),
        ("a<1", None),
        ("a<｜tool▁call", Some(1)),
        ("a<b<c", Some(3)),
        ("a<NODE x=\"<b> ", Some(1)),
        ("a<node x=y\"z", Some(1)),
        ("a<node x=y\"z>", None),
        ("a<node x=1 <", Some(11)),
        ("a<nodes x", None),
    ] {
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let mut tail = Tail::default();
            tail.read(&text[..cut], 0, &lexicon);
            tail.read(text, cut, &lexicon);
            assert_eq!(tail.start(), expected, "{text:?} cut at {cut}");
        }
    }
}

#[test]
fn a_tail_that_is_too_long_is_shown() {
    let lexicon = any_tag();
    let mut tail = Tail::default();
    let mut text = format!("<node a=\"{}", "x".repeat(16_374));
    tail.read(&text, 0, &lexicon);
    assert_eq!(tail.start(), Some(0));
    let from = text.len();
    text.push('x');
    tail.read(&text, from, &lexicon);
    assert_eq!(tail.start(), None);
}

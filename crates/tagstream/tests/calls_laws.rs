//! Four of the laws for calls, on messages that are salads of each dialect's own markup.
//!
//! Round trips have well written calls. Here nothing is: openers without closers, closers without
//! openers, halves of both, JSON that breaks off, names that no tool has.

use peak_alloc::PeakAlloc;
use std::sync::Mutex;
use tagstream::{
    CallSettings, CallsInThinking, CallsInside, Engine, Event, EventKind, OrphanClose, Policy,
    Profile, Thinking, ToolSignature,
};
use tagstream::{Dialect, Limits, UnknownTool, dialect::Arguments};
use tagstream_testing::calls::files::{self, DialectFile};
use tagstream_testing::calls::rng::Rng;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;
/// The heap is counted for the whole process.
static TURN: Mutex<()> = Mutex::new(());

const MESSAGES: u64 = 250;

/// The pieces that a salad of this dialect is made of.
fn ingredients(dialect: &Dialect) -> Vec<String> {
    let common = [
        "<think>",
        "</think>",
        "`",
        "```\n",
        "\n",
        " ",
        "\r\n",
        "x",
        "text ",
        "{",
        "}",
        "[",
        "]",
        "{\"",
        "\"",
        "\\",
        ",",
        ":",
        "{\"name\": \"f\", \"arguments\": {\"a\": 1}}",
        "\"name\": \"f\"",
        "&lt;",
        "&",
        "<",
        "</",
        "f",
        "f:0",
        "g",
        "é",
        "</f>",
        "<f>",
        "<a>",
        "</a>",
        "<b>",
        ";",
    ];
    let mut all: Vec<String> = common.iter().map(|piece| (*piece).to_owned()).collect();
    let mut markup: Vec<String> = Vec::new();
    let wrapper = dialect.wrapper.iter();
    markup
        .extend(wrapper.flat_map(|w| [w.open.clone(), w.close.clone(), w.ignore.clone()].concat()));
    let call = dialect.call.iter();
    markup.extend(call.flat_map(|c| [c.open.clone(), c.close.clone()].concat()));
    match &dialect.arguments {
        Arguments::Elements {
            open,
            close,
            json,
            json_in,
            ..
        } => {
            markup.extend([open.clone(), close.clone()].concat());
            markup.extend(json_in.iter().flatten().cloned());
            if *json || json_in.is_some() {
                markup.extend(["{\"a\":\"x\"}", "{ \"", "{"].map(str::to_owned));
            }
        }
        Arguments::Pairs { key, value, .. } => markup.extend(key.iter().chain(value).cloned()),
        Arguments::Json {
            quote: Some(quote), ..
        } => {
            let pieces = [quote, "{a:", "a", "b :", &format!("{{b:{quote}"), ",zz:[1,"];
            markup.extend(pieces.map(str::to_owned));
        }
        _ => {}
    }
    for text in markup {
        for (name, argument) in [("f", "a"), ("nope", "b"), ("f", "zz")] {
            all.push(filled(&text, name, argument));
        }
    }
    all
}

/// A pattern with something at each of its places.
fn filled(pattern: &str, name: &str, argument: &str) -> String {
    let text = pattern
        .replace("{name}", name)
        .replace("{argument}", argument);
    text.replace("{id}", "i1").replace("{skip}", name)
}

fn salad(rng: &mut Rng, ingredients: &[String]) -> String {
    let mut message = String::new();
    for _ in 0..2 + rng.below(14) {
        let piece = rng.pick(ingredients);
        // Markup of the dialect is at the end of the list, and should be in most messages.
        let piece = if rng.one_in(2) {
            &ingredients[ingredients.len() - 1 - rng.below(ingredients.len() / 2)]
        } else {
            piece
        };
        let cut = if rng.one_in(12) {
            piece.floor_char_boundary(rng.below(piece.len() + 1))
        } else {
            piece.len()
        };
        message.push_str(&piece[..cut]);
    }
    message
}

fn policy(rng: &mut Rng, dialects: Vec<Dialect>) -> Policy {
    let mut calls = CallSettings::dialects(dialects);
    if !rng.one_in(4) {
        calls = calls
            .tool(ToolSignature::new("f", ["a", "b"]))
            .tool(ToolSignature::new("g", ["a"; 0]));
    }
    calls.unwrapped = rng.one_in(2);
    calls.decode_entities = rng.one_in(4);
    calls.in_thinking = [
        CallsInThinking::Ignore,
        CallsInThinking::Promote,
        CallsInThinking::End,
    ][rng.below(3)];
    calls.missing_end = rng.one_in(2);
    calls.in_code = if rng.one_in(4) {
        CallsInside::Promote
    } else {
        CallsInside::Ignore
    };
    calls.orphan_close = if rng.one_in(3) {
        OrphanClose::Drop
    } else {
        OrphanClose::Keep
    };
    calls.max_calls = rng.one_in(5).then_some(1);
    calls.unknown_tool = *rng.pick(&[UnknownTool::Report, UnknownTool::Text, UnknownTool::Pass]);
    let mut profile = Profile::new()
        .calls(calls)
        .thinking(Thinking::tags(["think"]));
    if rng.one_in(3) {
        profile.thinking.starts_open = true;
    }
    if rng.one_in(4) {
        let limits = Limits::default().value(24).lookahead(12).span(20).tag(40);
        profile = profile.limits(limits);
    }
    profile.compile().expect("the profile is good")
}

/// What came out: events with runs joined, white space and all.
#[derive(Debug, Default, PartialEq)]
struct Reading {
    events: Vec<(String, String)>,
    wrong: Vec<String>,
}

fn read(policy: &Policy, message: &str, pieces: &[&str]) -> Reading {
    let mut reading = Reading::default();
    let mut at = 0;
    let mut open = None;
    let mut sink = |event: Event<'_>| {
        let span = event.span;
        if span.start != at || span.end < span.start {
            reading.wrong.push(format!("{event:?} is not at {at}"));
        }
        at = span.end;
        let raw = &message[span.start as usize..span.end as usize];
        let (kind, text) = match event.kind {
            EventKind::Text(text) => ("text".to_owned(), text),
            EventKind::Thought(text) => ("thought".to_owned(), text),
            EventKind::Skip { .. } => ("skip".to_owned(), event.raw),
            EventKind::CallDelta {
                index,
                argument,
                text,
                ..
            } => {
                if open != Some(index) {
                    reading
                        .wrong
                        .push(format!("{event:?} belongs to no open call"));
                }
                (format!("delta {index} {argument:?}"), text)
            }
            EventKind::CallStart { index, .. } => {
                open = Some(index);
                (format!("{:?}", event.kind), "")
            }
            EventKind::CallEnd { index, .. } => {
                if open.take() != Some(index) {
                    reading
                        .wrong
                        .push(format!("{event:?} ends what has not begun"));
                }
                (format!("{:?}", event.kind), "")
            }
            EventKind::CallError { .. } => {
                open = None;
                (format!("{:?}", event.kind), "")
            }
            _ => (format!("{:?}", event.kind), ""),
        };
        if matches!(
            event.kind,
            EventKind::Text(_) | EventKind::Thought(_) | EventKind::Skip { .. }
        ) && text != raw
        {
            reading.wrong.push(format!("{event:?} is not {raw:?}"));
        }
        match reading.events.last_mut() {
            _ if kind == "skip" => {}
            Some((last, all)) if *last == kind && !text.is_empty() => all.push_str(text),
            _ => reading.events.push((kind, text.to_owned())),
        }
    };
    let mut engine = Engine::new(policy);
    for piece in pieces {
        engine.push(piece, &mut sink);
    }
    engine.finish(&mut sink);
    if at != message.len() as u64 {
        reading
            .wrong
            .push(format!("the spans end at {at} of {}", message.len()));
    }
    if open.is_some() {
        reading
            .wrong
            .push("a call has begun and not ended".to_owned());
    }
    reading
}

fn characters(message: &str) -> Vec<&str> {
    message
        .char_indices()
        .map(|(i, c)| &message[i..i + c.len_utf8()])
        .collect()
}

fn cut_in_two(message: &str) -> impl Iterator<Item = Vec<&str>> {
    let places = message.char_indices().map(|(i, _)| i);
    places.map(|i| vec![&message[..i], &message[i..]])
}

/// Every dialect alone, and all that share an opener together.
fn worlds() -> Vec<(String, Vec<Dialect>)> {
    let files = files::all();
    let one = |file: &DialectFile| (file.stem.clone(), vec![file.dialect.clone()]);
    let mut worlds: Vec<_> = files.iter().map(one).collect();
    worlds.push((
        "auto".to_owned(),
        files.iter().map(|f| f.dialect.clone()).collect(),
    ));
    worlds
}

#[test]
fn no_cut_changes_a_salad_and_no_byte_is_lost() {
    let _turn = TURN.lock();
    for (name, dialects) in worlds() {
        let pieces: Vec<String> = dialects.iter().flat_map(ingredients).collect();
        for seed in 0..MESSAGES {
            let mut rng = Rng::new(seed);
            let policy = policy(&mut rng, dialects.clone());
            let message = salad(&mut rng, &pieces);
            let whole = read(&policy, &message, &[&message]);
            assert!(
                whole.wrong.is_empty(),
                "{name} {seed}: {message:?}\n{:#?}",
                whole.wrong
            );
            let cuts = cut_in_two(&message).chain([characters(&message)]);
            for pieces in cuts {
                let cut = read(&policy, &message, &pieces);
                assert_eq!(whole, cut, "{name} {seed}: {message:?} in {pieces:?}");
            }
        }
    }
}

/// Messages that would take quadratic time or space if anything were read again and again.
fn hostile(dialect: &Dialect, n: usize) -> Vec<String> {
    let pieces = ingredients(dialect);
    let markup = &pieces[pieces.len() * 2 / 3..];
    let opening: String = {
        let wrapper = dialect.wrapper.iter().filter_map(|w| w.open.first());
        let call = dialect.call.iter().filter_map(|c| c.open.first());
        let argument = match &dialect.arguments {
            Arguments::Elements { open, .. } => open.first().cloned(),
            Arguments::Pairs { key, value, .. } => {
                Some(format!("{}a{}{}", key[0], key[1], value[0]))
            }
            _ => Some("{\"name\":\"f\",\"arguments\":{\"a\":\"".to_owned()),
        };
        let all = wrapper.chain(call).cloned().chain(argument);
        all.map(|text| filled(&text, "f", "a")).collect()
    };
    let repeat = |text: &str| text.repeat(n / text.len() + 1);
    let mut messages: Vec<String> = Vec::new();
    for piece in markup {
        messages.push(repeat(piece));
        messages.push(format!("{opening}{}", repeat(piece)));
        messages.push(format!("{opening}{}", repeat(&format!("{piece} \n"))));
    }
    messages.push(format!("{opening}{}", repeat(" \n")));
    messages.push(format!("{opening}\"}}}}{}", repeat(" \n")));
    let another = "{\"name\":\"f\",\"arguments\":{}}\n";
    messages.push(format!("{opening}\"}}}}{}", repeat(another)));
    messages.push(format!("{opening}{}", repeat("a\n")));
    messages.push(repeat(&format!("{opening}x")));
    messages
}

fn tools() -> CallSettings {
    CallSettings::default().tool(ToolSignature::new("f", ["a", "b"]))
}

fn steps(policy: &Policy, message: &str) -> u64 {
    let mut engine = Engine::new(policy);
    for piece in message.as_bytes().chunks(7) {
        engine.push_bytes(piece, |_| ());
    }
    engine.steps()
}

#[test]
fn work_is_linear_whatever_is_repeated() {
    let _turn = TURN.lock();
    for file in files::all() {
        for unwrapped in [false, true] {
            let mut calls = tools();
            calls.unwrapped = unwrapped;
            calls.dialects = vec![file.dialect.clone()];
            let policy = Profile::new().calls(calls).compile().expect("it is good");
            let sizes = [4 << 10, 16 << 10];
            let [small, large] = sizes.map(|n| hostile(&file.dialect, n));
            for (small, large) in small.iter().zip(&large) {
                let per_byte = |m: &str| steps(&policy, m) as f64 / m.len() as f64;
                let (a, b) = (per_byte(small), per_byte(large));
                let shown = &large[..large.floor_char_boundary(120)];
                assert!(
                    b < 12.0 && b < a * 1.5 + 1.0,
                    "{}: {a} {b}: {shown:?}",
                    file.stem
                );
            }
        }
    }
}

#[test]
fn memory_is_bounded_whatever_is_repeated() {
    let _turn = TURN.lock();
    let limits = Limits::default()
        .value(4096)
        .lookahead(2048)
        .span(512)
        .tag(1024);
    for file in files::all() {
        let mut calls = tools();
        calls.unwrapped = true;
        calls.dialects = vec![file.dialect.clone()];
        let profile = Profile::new().calls(calls).limits(limits);
        let policy = profile.compile().expect("it is good");
        for message in hostile(&file.dialect, 1 << 18) {
            HEAP.reset_peak_usage();
            let before = HEAP.current_usage();
            let mut engine = Engine::new(&policy);
            for piece in message.as_bytes().chunks(64) {
                engine.push_bytes(piece, |_| ());
            }
            engine.finish(|_| ());
            let used = HEAP.peak_usage() - before;
            let shown = &message[..message.floor_char_boundary(120)];
            assert!(used < 96 << 10, "{}: {used} bytes: {shown:?}", file.stem);
        }
    }
}

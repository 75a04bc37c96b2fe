//! The laws, checked on one message in one cut: for the fuzzer, and for what it has found.
//!
//! A failure prints the profile and the chunks in a form that can be pasted into
//! `regressions.rs`.

use crate::ev::{Ev, add};
use crate::{Collected, describe, lossy, oracle, run};
use tagstream::{Engine, NoticeCode, Policy, Profile, Span};

/// The events do not depend on the cut: not at the end, and not at any cut before.
pub fn chunking(profile: &Profile, pieces: &[&[u8]]) {
    let message = pieces.concat();
    let policy = profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    let mut out = Collected::default();
    let (mut shown, mut fed) = (Vec::new(), 0);
    for piece in pieces {
        let old = out.events.len();
        engine.push_bytes(piece, |event| out.take(&event));
        fed += piece.len();
        show(&mut shown, &out.events[old..]);
        let (beginning, snapshots) = beginning(&policy, &message[..fed]);
        same(profile, pieces, &shown, &beginning, fed);
        let open: Vec<Ev> = engine.open_elements().map(Ev::snapshot).collect();
        same(profile, pieces, &open, &snapshots, fed);
    }
    engine.finish(|event| out.take(&event));
    let whole = run(profile, [&message]);
    same(profile, pieces, &out.joined(), &whole.joined(), fed);
    let broken = NoticeCode::InvalidUtf8;
    let (one, other) = (out.notices(broken), whole.notices(broken));
    if one != other {
        let problem = format!("{one} notices of broken bytes, or {other}");
        fail(profile, pieces, &problem);
    }
}

/// What the beginning of a message shows, and the elements that are open then.
fn beginning(policy: &Policy, bytes: &[u8]) -> (Vec<Ev>, Vec<Ev>) {
    let mut engine = Engine::new(policy);
    let mut out = Collected::default();
    engine.push_bytes(bytes, |event| out.take(&event));
    let mut shown = Vec::new();
    show(&mut shown, &out.events);
    let open = engine.open_elements().map(Ev::snapshot).collect();
    (shown, open)
}

/// Adds what a user sees. When something is skipped, and where a notice of broken bytes is,
/// depends on the cut.
fn show(shown: &mut Vec<Ev>, events: &[(Span, Ev)]) {
    let hidden = |ev: &Ev| matches!(ev, Ev::Skip(_) | Ev::Notice(NoticeCode::InvalidUtf8));
    for (_, ev) in events.iter().filter(|(_, ev)| !hidden(ev)) {
        add(shown, ev.clone());
    }
}

/// The spans tile the message, and what begins ends.
pub fn lossless(profile: &Profile, pieces: &[&[u8]]) {
    let out = run(profile, pieces);
    let checked = out.check_spans(&lossy(pieces));
    if let Err(problem) = checked.and_then(|()| balanced(&out)) {
        fail(profile, pieces, &problem);
    }
}

/// Every thought and every element ends, the innermost first, with the text it was given.
fn balanced(out: &Collected) -> Result<(), String> {
    let mut thinks = false;
    let mut open: Vec<Deltas> = Vec::new();
    for (_, event) in &out.events {
        let right = match event {
            Ev::ThoughtStart { .. } => !std::mem::replace(&mut thinks, true) && open.is_empty(),
            Ev::Thought(_) => thinks,
            Ev::ThoughtEnd { .. } => std::mem::replace(&mut thinks, false),
            Ev::ElementStart { id, parent, .. } => {
                let right = !thinks && *parent == open.last().map(|deltas| deltas.id);
                open.push(Deltas::new(*id));
                right
            }
            Ev::ElementDelta { id, part, text } => match open.last_mut() {
                Some(deltas) => deltas.add(*id, part.is_some(), text),
                None => false,
            },
            Ev::ElementEnd(element) => open.pop().is_some_and(|deltas| deltas.makes(element)),
            Ev::Text(_) => !thinks && open.is_empty(),
            Ev::CallStart { .. } | Ev::CallDelta { .. } | Ev::CallEnd(_) | Ev::CallError(_) => {
                open.is_empty()
            }
            Ev::Notice(_) | Ev::Skip(_) => true,
        };
        if !right {
            return Err(format!("{event:?} is out of place"));
        }
    }
    if thinks || !open.is_empty() {
        Err("something has not ended".into())
    } else {
        Ok(())
    }
}

/// The text that an open element has been given.
struct Deltas {
    id: u64,
    body: String,
    parts: String,
}

impl Deltas {
    fn new(id: u64) -> Self {
        Deltas {
            id,
            body: String::new(),
            parts: String::new(),
        }
    }

    fn add(&mut self, id: u64, part: bool, text: &str) -> bool {
        let to = if part {
            &mut self.parts
        } else {
            &mut self.body
        };
        to.push_str(text);
        id == self.id
    }

    fn makes(self, element: &super::ev::Element) -> bool {
        let parts: String = element
            .parts
            .iter()
            .map(|part| part.text.as_str())
            .collect();
        let body = element.body.as_deref().unwrap_or("");
        self.id == element.id && self.body == body && self.parts == parts
    }
}

/// What is held stays under the limits, and work in proportion to bytes.
pub fn bounded(profile: &Profile, pieces: &[&[u8]]) {
    let policy = profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    let mut fed = 0;
    for piece in pieces {
        engine.push_bytes(piece, |_| ());
        fed += piece.len();
        let (held, most) = (engine.held().len(), most_held(profile));
        if held > most {
            fail(
                profile,
                pieces,
                &format!("{held} bytes are held after {fed}, more than {most}"),
            );
        }
    }
    let (steps, most) = (engine.steps(), most_steps(profile, lossy(pieces).len()));
    if steps > most {
        fail(
            profile,
            pieces,
            &format!("{steps} steps for {fed} bytes, more than {most}"),
        );
    }
}

/// Whatever waits begins with markup and may end with markup. It may be read ahead to twice
/// that, in steps of no less than 64 bytes.
fn most_held(profile: &Profile) -> usize {
    let limits = &profile.limits;
    let pairs = profile.thinking.delimiters.iter().flatten();
    let literal = pairs.chain(&profile.markers).map(String::len).max();
    let markup = limits.tag.max(literal.unwrap_or(0));
    // A span that is not closed yet may end with a run as long as the limit.
    let waits = limits.span.saturating_mul(2).max(limits.lookahead);
    markup
        .saturating_mul(2)
        .saturating_add(waits)
        .saturating_mul(2)
        .saturating_add(64)
}

/// A byte may be read muted, then aloud, and once more by the token it belongs to, and again for
/// each run of backticks that is open.
fn most_steps(profile: &Profile, bytes: usize) -> u64 {
    let runs = (2 * profile.limits.span.min(bytes) as u64).isqrt();
    (16 + runs) * (bytes as u64 + 1)
}

/// The whole message has the meaning that the oracle computes.
pub fn meaning(profile: &Profile, message: &[u8]) {
    let text = String::from_utf8_lossy(message);
    let wanted = oracle::meaning(profile, &text);
    let got = run(profile, [message]).joined();
    same(profile, &[message], &got, &wanted, message.len());
}

fn same(profile: &Profile, pieces: &[&[u8]], got: &[Ev], wanted: &[Ev], fed: usize) {
    if got != wanted {
        let (got, wanted) = (describe(got), describe(wanted));
        fail(
            profile,
            pieces,
            &format!("after {fed} bytes{got}\n  and not{wanted}"),
        );
    }
}

fn fail(profile: &Profile, pieces: &[&[u8]], problem: &str) -> ! {
    let profile = serde_json::to_string(profile).expect("a profile can be written");
    let pieces: Vec<String> = pieces
        .iter()
        .map(|piece| piece.escape_ascii().to_string())
        .collect();
    panic!("{problem}\n  in {pieces:?}\n  with {profile}");
}

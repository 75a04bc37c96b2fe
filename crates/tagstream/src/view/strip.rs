//! A message without its tags, with white space preserved or collapsed.

use super::collapse::strip_inline_xml_tags;
use crate::{Element, Engine, Profile, ThinkingMode, UnclosedThinking};
use crate::{Event, EventKind};

/// What happens to white space where tags are stripped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Whitespace {
    /// Every run of it becomes one space, and it is removed at the ends.
    #[default]
    Collapse,
    /// It is kept. A tag leaves a space only if two words would otherwise touch. Tags in code are
    /// kept too.
    Preserve,
}

/// The text without its tags and their content.
///
/// ```
/// use tagstream::view::{Whitespace, strip_inline_xml_tags_with};
///
/// let text = "# Plan\n\n<thinking>hm</thinking>One<br/>two, and `<b>` is quoted\n";
/// assert_eq!(
///     strip_inline_xml_tags_with(text, Whitespace::Preserve),
///     "# Plan\n\nOne two, and `<b>` is quoted\n"
/// );
/// ```
#[must_use]
pub fn strip_inline_xml_tags_with(text: &str, whitespace: Whitespace) -> String {
    match whitespace {
        Whitespace::Collapse => strip_inline_xml_tags(text),
        Whitespace::Preserve => preserving(text),
    }
}

fn preserving(text: &str) -> String {
    let policy = Strip::profile(&Profile::new()).compile();
    let policy = policy.expect("a profile with one element is valid");
    let (mut strip, mut stripped) = (Strip::default(), String::new());
    let mut sink = |event: Event<'_>| stripped.extend(strip.pieces(&event));
    let mut engine = Engine::new(&policy);
    engine.push(text, &mut sink);
    engine.finish(&mut sink);
    stripped
}

/// Turns events into the text that is left, with [`Whitespace::Preserve`], as it streams.
///
/// ```
/// use tagstream::view::Strip;
/// use tagstream::{Engine, Event, Profile};
///
/// let policy = Strip::profile(&Profile::new()).compile()?;
/// let (mut strip, mut left) = (Strip::default(), String::new());
/// let mut sink = |event: Event<'_>| left.extend(strip.pieces(&event));
/// let mut engine = Engine::new(&policy);
/// for chunk in ["Hello<thi", "nking>x</thinking>", "World"] {
///     engine.push(chunk, &mut sink);
/// }
/// engine.finish(&mut sink);
/// assert_eq!(left, "Hello World");
/// # Ok::<(), tagstream::ProfileError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Strip {
    last: Option<char>,
    gap: bool,
}

impl Strip {
    /// A profile in which every tag counts, all in the same way. Literals are not tags: what they
    /// enclose follows the given profile, unless they enclose nothing.
    #[must_use]
    pub fn profile(given: &Profile) -> Profile {
        let mut profile = Profile::new().element(Element::named("*"));
        profile.code = given.code;
        profile.limits = given.limits;
        profile.markers.clone_from(&given.markers);
        let delimiters = &given.thinking.delimiters;
        profile.thinking.delimiters.clone_from(delimiters);
        profile.thinking.mode = ThinkingMode::Hide;
        profile.thinking.unclosed = UnclosedThinking::Reveal;
        profile
    }

    /// What is left of an event: a space where one is needed, and the text.
    pub fn pieces<'a>(&mut self, event: &Event<'a>) -> [&'a str; 2] {
        match event.kind {
            EventKind::Text(text) => self.text(text),
            EventKind::Notice { .. } => ["", ""],
            _ => {
                self.gap = true;
                ["", ""]
            }
        }
    }

    fn text<'a>(&mut self, text: &'a str) -> [&'a str; 2] {
        let Some(first) = text.chars().next() else {
            return ["", ""];
        };
        let ends_word = |c: char| c.is_alphanumeric() || ".,;:!?".contains(c);
        let touches = self.gap && first.is_alphanumeric() && self.last.is_some_and(ends_word);
        self.last = text.chars().next_back();
        self.gap = false;
        [if touches { " " } else { "" }, text]
    }
}

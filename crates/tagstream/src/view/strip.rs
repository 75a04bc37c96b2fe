//! A message without its tags, with any policy on white space.

use super::collapse::strip_inline_xml_tags;
use super::inline::{InlineSplitter, THOUGHT_TAGS};
use crate::{Engine, Profile, TextCleaner, ThinkingMode, Whitespace};

/// The text without its tags and their content.
///
/// | white space | what is left of `a <b>x</b> c` |
/// |---|---|
/// | [`Split`](Whitespace::Split), as [`split_inline_xml`](super::split_inline_xml) has it | `ac` |
/// | [`Preserve`](Whitespace::Preserve) | `a  c` |
/// | [`Collapse`](Whitespace::Collapse), as [`strip_inline_xml_tags`] does it | `a c` |
/// | [`AsIs`](Whitespace::AsIs) | `a  c`; without white space around the tag, `ac` |
///
/// Tags in Markdown code stay, and closing tags that close nothing do not; with `Collapse` it is the
/// other way round.
///
/// ```
/// use tagstream::Whitespace;
/// use tagstream::view::strip_inline_xml_tags_with;
///
/// let text = "# Plan\n\n<thinking>hm</thinking>One<br/>two, and `<b>` is quoted\n";
/// assert_eq!(
///     strip_inline_xml_tags_with(text, Whitespace::Preserve),
///     "# Plan\n\nOne two, and `<b>` is quoted\n"
/// );
/// ```
#[must_use]
pub fn strip_inline_xml_tags_with(text: &str, whitespace: Whitespace) -> String {
    if whitespace == Whitespace::Collapse {
        return strip_inline_xml_tags(text);
    }
    let policy = strip_profile(&Profile::new())
        .compile()
        .expect("its names are distinct");
    let (mut cleaner, mut left) = (TextCleaner::new(whitespace), String::new());
    let mut engine = Engine::new(&policy);
    engine.push(text, |event| {
        cleaner.event(&event, |piece| left.push_str(piece));
    });
    engine.finish(|event| cleaner.event(&event, |piece| left.push_str(piece)));
    cleaner.finish(|piece| left.push_str(piece));
    left
}

/// A profile in which every tag counts, for a [`TextCleaner`].
///
/// It is that of an [`InlineSplitter`], with thoughts dropped. Those in the tags and literals of the
/// given profile and in [`THOUGHT_TAGS`] may be of any length, and one without a closing tag reaches to
/// the end.
///
/// ```
/// use tagstream::view::strip_profile;
/// use tagstream::{Engine, Event, Profile, TextCleaner, Whitespace};
///
/// let policy = strip_profile(&Profile::new()).compile()?;
/// let (mut cleaner, mut left) = (TextCleaner::new(Whitespace::Preserve), String::new());
/// let mut sink = |event: Event<'_>| cleaner.event(&event, |piece| left.push_str(piece));
/// let mut engine = Engine::new(&policy);
/// for chunk in ["Hello<thi", "nking>x</thinking>", "World"] {
///     engine.push(chunk, &mut sink);
/// }
/// engine.finish(&mut sink);
/// assert_eq!(left, "Hello World");
/// # Ok::<(), tagstream::ProfileError>(())
/// ```
#[must_use]
pub fn strip_profile(given: &Profile) -> Profile {
    let mut profile = Profile::new();
    profile.code = given.code;
    profile.limits = given.limits;
    profile.markers.clone_from(&given.markers);
    profile.thinking.tags.clone_from(&given.thinking.tags);
    let delimiters = &given.thinking.delimiters;
    profile.thinking.delimiters.clone_from(delimiters);
    profile.thinking.mode = ThinkingMode::Hide;
    InlineSplitter::extend(profile)
}

/// These tags and [`THOUGHT_TAGS`], each once.
pub(super) fn with_thought_tags(tags: &[String]) -> Vec<String> {
    let mut all = tags.to_vec();
    for tag in THOUGHT_TAGS {
        if !tags.iter().any(|other| other.eq_ignore_ascii_case(tag)) {
            all.push(tag.to_owned());
        }
    }
    all
}

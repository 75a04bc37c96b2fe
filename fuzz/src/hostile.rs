//! Any profile at all, of so few names and signs that they collide.

use arbitrary::{Arbitrary, Result, Unstructured};
use tagstream::{
    CodeStyle, Element, Limits, OrphanClose, Profile, Thinking, ThinkingAnchor, ThinkingMode,
    ThinkingNesting, ThinkingTrim, UnclosedThinking,
};

const NAMES: &[&str] = &["a", "b", "ab", "aa", "A", "é", "a-1", "*", "", "a b", "<"];
const SIGNS: &[&str] = &[
    "<", ">", "/", "a", "b", "`", "~", "|", " ", "\n", "é", "<a", "</a", "\"", "\u{1}", "",
];

/// A profile, which may be impossible.
#[derive(Debug)]
pub struct Hostile(pub Profile);

impl<'a> Arbitrary<'a> for Hostile {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut profile = Profile::new()
            .code(*u.choose(&[CodeStyle::Markdown, CodeStyle::None])?)
            .thinking(thinking(u)?)
            .limits(limits(u)?);
        profile.markers = some(u, literal)?;
        profile.hide = some(u, name)?;
        profile.hide_in_thinking = u.ratio(1, 4)?;
        if u.ratio(1, 4)? {
            profile.unwrap = some(u, name)?;
        }
        profile.elements = some(u, element)?;
        Ok(Hostile(profile))
    }
}

fn element(u: &mut Unstructured<'_>) -> Result<Element> {
    let mut element = Element::named(name(u)?).children(some(u, name)?);
    if u.ratio(1, 4)? {
        element.orphan_close = OrphanClose::Drop;
    }
    element.nests = !u.ratio(1, 4)?;
    Ok(element)
}

fn thinking(u: &mut Unstructured<'_>) -> Result<Thinking> {
    let mut thinking = Thinking::tags(some(u, name)?);
    thinking.delimiters = some(u, |u| Ok([literal(u)?, literal(u)?]))?;
    if u.ratio(1, 4)? {
        thinking.answers = some(u, |u| Ok([literal(u)?, literal(u)?]))?;
    }
    if u.ratio(1, 4)? {
        thinking.ends_before = some(u, literal)?;
    }
    thinking.mode = *u.choose(&[
        ThinkingMode::Extract,
        ThinkingMode::Hide,
        ThinkingMode::Show,
    ])?;
    thinking.starts_open = u.ratio(1, 4)?;
    thinking.anchor = *u.choose(&[ThinkingAnchor::Anywhere, ThinkingAnchor::Start])?;
    thinking.unclosed = *u.choose(&[
        UnclosedThinking::Thought,
        UnclosedThinking::Reveal,
        UnclosedThinking::Hide,
    ])?;
    thinking.orphan_close = *u.choose(&[OrphanClose::Drop, OrphanClose::Keep])?;
    thinking.trim = *u.choose(&[
        ThinkingTrim::None,
        ThinkingTrim::Answer,
        ThinkingTrim::Thought,
        ThinkingTrim::Both,
    ])?;
    thinking.nesting = *u.choose(&[ThinkingNesting::Count, ThinkingNesting::First])?;
    Ok(thinking)
}

/// Mostly so small that short messages reach them.
fn limits(u: &mut Unstructured<'_>) -> Result<Limits> {
    let mut limit = || -> Result<usize> {
        Ok(match u.arbitrary::<u8>()? {
            byte @ 0..=31 => usize::from(byte),
            byte @ 32..=250 => usize::from(byte % 12 + 1),
            251 | 252 => 100,
            253 => 1 << 16,
            254 | 255 => usize::MAX,
        })
    };
    Ok(Limits::default()
        .tag(limit()?)
        .span(limit()?)
        .lookahead(limit()?)
        .value(limit()?)
        .depth(limit()?))
}

/// Up to three of something.
fn some<'a, T>(
    u: &mut Unstructured<'a>,
    mut one: impl FnMut(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = u.int_in_range(0..=3)?;
    (0..count).map(|_| one(u)).collect()
}

fn name(u: &mut Unstructured<'_>) -> Result<String> {
    Ok((*u.choose(NAMES)?).to_owned())
}

fn literal(u: &mut Unstructured<'_>) -> Result<String> {
    let signs = [u.choose(SIGNS)?, u.choose(SIGNS)?, u.choose(SIGNS)?];
    Ok(signs.into_iter().copied().collect())
}

//! A profile, checked and compiled.

use crate::brackets::{AnyName, AttributeRule, Brackets, NameRule};
use crate::lexicon::{Builder, Lexicon, Number, Role, fold, number};
use crate::policy::call::CallRules;
use crate::profile::{
    CodeStyle, Element, Limits, OrphanClose, Profile, ThinkingAnchor, ThinkingMode,
    ThinkingNesting, ThinkingTrim, UnclosedThinking,
};
use crate::token::Grammar;
use std::{collections::HashMap, error::Error, fmt, sync::Arc};

/// A compiled profile: immutable, cheap to clone, shared by any number of engines.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) rules: Arc<Rules>,
}

/// What the engine asks.
#[derive(Debug)]
pub(crate) struct Rules {
    /// What counts in text; without thinking once the answer has begun, if that is anchored.
    pub(crate) text: Lexicon,
    pub(crate) anchored_text: Option<Lexicon>,
    /// Markup in Markdown code is text.
    pub(crate) code: bool,
    pub(crate) trim_answer: bool,
    pub(crate) sections: Vec<SectionRule>,
    /// The section that the prompt has opened, if it has.
    pub(crate) prompted: Option<Number>,
    pub(crate) elements: Vec<ElementRule>,
    /// What counts in the body of an element of any name.
    pub(crate) any_body: Lexicon,
    /// Any tag, for what may be the beginning of one at the end of a body that grows.
    pub(crate) any_tag: Lexicon,
    pub(crate) calls: Option<CallRules>,
    /// What counts in code: calls, where they are promoted from it.
    pub(crate) code_calls: Option<Lexicon>,
    pub(crate) limits: Limits,
}

/// A thinking section, or one that is listed to be hidden.
#[derive(Debug)]
pub(crate) struct SectionRule {
    /// The profile's spelling; none for the section that the prompt opens.
    pub(crate) tag: Option<Box<str>>,
    pub(crate) mode: ThinkingMode,
    pub(crate) unclosed: UnclosedThinking,
    /// Whether nothing may be said of the section before its closer is seen.
    pub(crate) waits: bool,
    pub(crate) trims: bool,
    pub(crate) nests: bool,
    pub(crate) lexicon: Lexicon,
    /// What counts behind the very start, if that is less.
    pub(crate) late_lexicon: Option<Lexicon>,
}

#[derive(Debug)]
pub(crate) struct ElementRule {
    pub(crate) name: Box<str>,
    pub(crate) lexicon: Lexicon,
    pub(crate) parts: Vec<PartRule>,
}

#[derive(Debug)]
pub(crate) struct PartRule {
    pub(crate) name: Box<str>,
    pub(crate) lexicon: Lexicon,
}

impl Policy {
    pub(crate) fn new(profile: &Profile) -> Result<Self, ProfileError> {
        check::profile(profile)?;
        let calls = profile.calls.as_ref().map(CallRules::new).transpose()?;
        if let Some(calls) = &profile.calls {
            dialects::check_openers(calls, profile.code)?;
        }
        Ok(Policy {
            rules: Arc::new(Rules::new(profile, calls)),
        })
    }

    /// The limits of its profile.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.rules.limits
    }
}

impl Rules {
    /// How tags are read where this counts.
    pub(crate) fn grammar<'a>(&self, lexicon: &'a Lexicon) -> Grammar<'a> {
        Grammar {
            lexicon,
            own_name: b"",
            max_tag: self.limits.tag.min(u32::MAX as usize),
        }
    }

    pub(crate) fn section(&self, number: Number) -> &SectionRule {
        &self.sections[number as usize]
    }

    pub(crate) fn element(&self, number: Number) -> &ElementRule {
        &self.elements[number as usize]
    }

    /// The rules of calls. Only places that calls lead to ask for them.
    pub(crate) fn calls(&self) -> &CallRules {
        self.calls.as_ref().expect("only calls lead here")
    }

    fn new(profile: &Profile, calls: Option<CallRules>) -> Self {
        let thinks = !is_moot(profile);
        let calls_ref = calls.as_ref();
        let promoted = calls_ref.filter(|calls| calls.in_thinking);
        let mut sections = Vec::new();
        if thinks {
            let tags = profile.thinking.tags.iter();
            sections.extend(tags.map(|tag| {
                let lexicon = tag_lexicon(profile, tag, promoted);
                SectionRule::thinking(profile, tag, lexicon)
            }));
            let delimiters = profile.thinking.delimiters.iter();
            sections.extend(delimiters.map(|[open, close]| {
                let mut builder = markers(profile);
                builder.literal(close, Role::End);
                add_openers(promoted, &mut builder);
                SectionRule::thinking(profile, open, with_hidden(profile, builder))
            }));
        }
        let hidden = profile.hide.iter();
        sections.extend(hidden.map(|tag| SectionRule::hidden(profile, tag)));
        let prompted = (thinks && profile.thinking.starts_open).then(|| {
            sections.push(SectionRule::prompted(profile, promoted));
            number(sections.len() - 1)
        });
        let anchored = thinks && profile.thinking.anchor == ThinkingAnchor::Start;
        let numbers: HashMap<_, _> = declared(profile).map(|e| fold(&e.name)).zip(0..).collect();
        let elements = declared(profile).map(|element| ElementRule::new(element, &numbers));
        Rules {
            text: text_lexicon(profile, thinks, calls_ref),
            anchored_text: anchored.then(|| text_lexicon(profile, false, calls_ref)),
            code: profile.code == CodeStyle::Markdown,
            trim_answer: profile.thinking.trim.answer()
                && profile.thinking.mode != ThinkingMode::Show,
            sections,
            prompted,
            elements: elements.collect(),
            any_body: any_body(),
            any_tag: any_tag(profile),
            code_calls: calls_ref.filter(|calls| calls.in_code).map(|calls| {
                let mut builder = Builder::default();
                calls.add_openers(&mut builder);
                builder.build()
            }),
            calls,
            limits: profile.limits,
        }
    }
}

/// Whether thinking need not be told from text: it is shown as it came, and nothing is listed
/// that counts in text but not in thinking.
fn is_moot(profile: &Profile) -> bool {
    profile.thinking.mode == ThinkingMode::Show
        && profile.elements.is_empty()
        && profile.calls.is_none()
}

/// The number of the first section that is hidden by name: they come behind thinking.
fn first_hidden(profile: &Profile) -> usize {
    match is_moot(profile) {
        true => 0,
        false => profile.thinking.tags.len() + profile.thinking.delimiters.len(),
    }
}

/// What counts in text: thinking as long as it may begin.
fn text_lexicon(profile: &Profile, thinks: bool, calls: Option<&CallRules>) -> Lexicon {
    let thinking = &profile.thinking;
    let drops = thinking.orphan_close == OrphanClose::Drop;
    let mut builder = Builder::default();
    builder.code = profile.code == CodeStyle::Markdown;
    let any = profile.elements.iter().find(|e| e.name == "*");
    if let Some(any) = any {
        let drops = any.orphan_close == OrphanClose::Drop;
        let roles = [Some(Role::AnyElement), drops.then_some(Role::Orphan)];
        builder.any_name(
            &Brackets::USUAL,
            elements_of_any_name(roles, NameRule::Ascii),
        );
    }
    if thinks {
        let drops = drops && thinking.mode != ThinkingMode::Show;
        let orphan = if drops { Role::Orphan } else { Role::Kept };
        for (i, tag) in thinking.tags.iter().enumerate() {
            builder.open(tag, Role::Section(number(i)));
            builder.close(tag, orphan);
        }
        for (i, [open, _]) in thinking.delimiters.iter().enumerate() {
            builder.literal(open, Role::Section(number(thinking.tags.len() + i)));
        }
        for [_, close] in &thinking.delimiters {
            builder.literal(close, orphan);
        }
    } else if any.is_some() {
        // What no longer counts as thinking is not an element either.
        for tag in &thinking.tags {
            builder.open(tag, Role::Kept);
        }
    }
    for tag in &profile.hide {
        builder.close(tag, if drops { Role::Orphan } else { Role::Kept });
    }
    for (element, number) in declared(profile).zip(0..) {
        builder.open(&element.name, Role::Element(number));
        if element.orphan_close == OrphanClose::Drop {
            builder.close(&element.name, Role::Orphan);
        }
    }
    for marker in &profile.markers {
        builder.literal(marker, Role::Marker);
    }
    let mut builder = add_hidden(profile, builder);
    add_openers(calls, &mut builder);
    if let Some(calls) = calls {
        calls.add_orphans(&mut builder);
    }
    builder.build()
}

/// The elements that have a name.
fn declared(profile: &Profile) -> impl Iterator<Item = &Element> {
    profile.elements.iter().filter(|e| e.name != "*")
}

/// How elements of any name are read, with these roles of their opening and closing tags.
fn elements_of_any_name(roles: [Option<Role>; 2], names: NameRule) -> AnyName {
    AnyName {
        roles,
        names,
        attributes: AttributeRule::WithValues,
    }
}

/// What counts in the body of an element of any name: the tags of its own name.
fn any_body() -> Lexicon {
    let mut builder = Builder::default();
    let roles = [Role::Again, Role::End].map(Some);
    builder.any_name(&Brackets::USUAL, elements_of_any_name(roles, NameRule::Own));
    builder.build()
}

/// Any tag; only those of declared elements may have attributes.
fn any_tag(profile: &Profile) -> Lexicon {
    let mut builder = Builder::default();
    for (element, number) in declared(profile).zip(0..) {
        builder.open(&element.name, Role::Element(number));
    }
    let any = AnyName {
        roles: [Some(Role::Kept); 2],
        names: NameRule::Any,
        attributes: AttributeRule::None,
    };
    builder.any_name(&Brackets::USUAL, any);
    builder.build()
}

fn add_openers(calls: Option<&CallRules>, builder: &mut Builder) {
    if let Some(calls) = calls {
        calls.add_openers(builder);
    }
}

fn markers(profile: &Profile) -> Builder {
    let mut builder = Builder::default();
    for marker in &profile.markers {
        builder.literal(marker, Role::Marker);
    }
    builder
}

fn add_hidden(profile: &Profile, mut builder: Builder) -> Builder {
    for (i, tag) in profile.hide.iter().enumerate() {
        builder.open(tag, Role::Section(number(first_hidden(profile) + i)));
    }
    builder
}

/// Hidden sections count inside thinking that is shown, or if the profile asks for it.
fn with_hidden(profile: &Profile, builder: Builder) -> Lexicon {
    if profile.hide_in_thinking || profile.thinking.mode == ThinkingMode::Show {
        add_hidden(profile, builder).build()
    } else {
        builder.build()
    }
}

fn tag_lexicon(profile: &Profile, tag: &str, calls: Option<&CallRules>) -> Lexicon {
    let mut builder = markers(profile);
    builder.open(tag, Role::Again);
    builder.close(tag, Role::End);
    add_openers(calls, &mut builder);
    with_hidden(profile, builder)
}

impl SectionRule {
    fn thinking(profile: &Profile, tag: &str, lexicon: Lexicon) -> Self {
        let thinking = &profile.thinking;
        let shown = thinking.mode == ThinkingMode::Show;
        SectionRule {
            tag: Some(tag.into()),
            mode: thinking.mode,
            unclosed: thinking.unclosed,
            waits: match thinking.unclosed {
                UnclosedThinking::Thought => false,
                UnclosedThinking::Reveal => !shown,
                UnclosedThinking::Hide => thinking.mode == ThinkingMode::Extract,
            },
            trims: thinking.trim.thought() && !shown,
            nests: thinking.nesting == ThinkingNesting::Count,
            lexicon,
            late_lexicon: None,
        }
    }

    /// Ends at the first closer of any kind of thinking. Openers mean something only at its very
    /// start, where they repeat what the prompt has said.
    fn prompted(profile: &Profile, calls: Option<&CallRules>) -> Self {
        let thinking = &profile.thinking;
        let lexicon = |start: bool| {
            let mut builder = markers(profile);
            for tag in &thinking.tags {
                builder.close(tag, Role::End);
            }
            for [_, close] in &thinking.delimiters {
                builder.literal(close, Role::End);
            }
            for tag in thinking.tags.iter().filter(|_| start) {
                builder.open(tag, Role::Again);
            }
            for [open, _] in thinking.delimiters.iter().filter(|_| start) {
                builder.literal(open, Role::Again);
            }
            add_openers(calls, &mut builder);
            with_hidden(profile, builder)
        };
        SectionRule {
            tag: None,
            nests: false,
            late_lexicon: Some(lexicon(false)),
            ..Self::thinking(profile, "", lexicon(true))
        }
    }

    fn hidden(profile: &Profile, tag: &str) -> Self {
        let mut builder = markers(profile);
        builder.open(tag, Role::Again);
        builder.close(tag, Role::End);
        SectionRule {
            tag: Some(tag.into()),
            mode: ThinkingMode::Hide,
            unclosed: UnclosedThinking::Thought,
            waits: false,
            trims: ThinkingTrim::None.thought(),
            nests: true,
            lexicon: builder.build(),
            late_lexicon: None,
        }
    }
}

impl ElementRule {
    fn new(element: &Element, numbers: &HashMap<Box<[u8]>, Number>) -> Self {
        let mut builder = Builder::default();
        let mut parts = Vec::new();
        builder.close(&element.name, Role::End);
        for child in &element.children {
            if let Some(number) = numbers.get(&fold(child)) {
                builder.open(child, Role::Element(*number));
            } else {
                builder.open(child, Role::Part(number(parts.len())));
                parts.push(PartRule::new(child, &element.name));
            }
        }
        // Unless it may be its own child.
        builder.open(&element.name, Role::Again);
        ElementRule {
            name: element.name.as_str().into(),
            lexicon: builder.build(),
            parts,
        }
    }
}

impl PartRule {
    fn new(name: &str, parent: &str) -> Self {
        let mut builder = Builder::default();
        builder.close(name, Role::End);
        builder.close(parent, Role::EndParent);
        PartRule {
            name: name.into(),
            lexicon: builder.build(),
        }
    }
}

/// Why a profile cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    kind: ProfileErrorKind,
    key: String,
    problem: String,
}

/// What is wrong with a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProfileErrorKind {
    /// A name cannot be the name of a tag.
    Name,
    /// A literal, or a pattern of a dialect, cannot match anything.
    Literal,
    /// Something is listed twice.
    Duplicate,
    /// Something is missing without which a setting cannot work.
    Missing,
    /// Two settings exclude each other.
    Conflict,
    /// A number is too small, or a list or a text too long.
    Limit,
}

impl ProfileError {
    pub(crate) fn new(
        kind: ProfileErrorKind,
        key: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        ProfileError {
            kind,
            key: key.into(),
            problem: problem.into(),
        }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> ProfileErrorKind {
        self.kind
    }

    /// The key that is wrong, as a path: `thinking.tags[1]`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong and what is allowed, in words.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.key, self.problem)
    }
}

impl Error for ProfileError {}

pub(crate) mod call;
mod check;
mod dialects;
pub(crate) mod pattern;
mod spellings;
mod syntax;

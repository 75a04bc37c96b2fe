//! A profile, checked and compiled.

pub(crate) mod call;
mod check;
pub(crate) mod pattern;
pub(crate) mod spellings;
mod syntax;

use crate::brackets::{AnyName, AttributeRule, Brackets, NameRule};
use crate::lexicon::{Builder, Lexicon, Number, Role, fold, number};
use crate::line::is_space;
use crate::policy::call::CallRules;
use crate::profile::{
    CodeNotices, CodeStyle, Element, Limits, OrphanClose, Profile, Thinking, ThinkingAnchor,
    ThinkingMode, ThinkingNesting, UnclosedThinking,
};
use crate::token::Grammar;
use std::{collections::HashMap, error::Error, fmt, sync::Arc};

/// A compiled profile: immutable, cheap to clone, shared by any number of engines.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) rules: Arc<Rules>,
}

/// The rules of the engine.
#[derive(Debug)]
pub(crate) struct Rules {
    /// What counts in text.
    pub(crate) text: Lexicon,
    /// What counts in text once the answer has begun, if thinking counts only before it.
    pub(crate) anchored_text: Option<Lexicon>,
    /// Markup in Markdown code is text.
    pub(crate) code: bool,
    pub(crate) trim_answer: bool,
    pub(crate) sections: Vec<SectionRule>,
    /// The section that the prompt has opened.
    pub(crate) prompted: Option<Number>,
    pub(crate) elements: Vec<ElementRule>,
    /// Tags of any name, for those that are read ahead.
    pub(crate) any_tags: Lexicon,
    /// Any tag, for what may be the beginning of one at the end of a body that grows.
    pub(crate) snapshot_tags: Lexicon,
    pub(crate) calls: Option<CallRules>,
    /// A fence at the start of a line may open calls.
    pub(crate) fence_opens_calls: bool,
    /// Literals that are removed.
    pub(crate) markers: Vec<Box<str>>,
    /// What counts in code: calls, where they are promoted from it.
    pub(crate) code_calls: Option<Lexicon>,
    /// The elements and calls whose tags make a notice in a fence.
    pub(crate) fenced: Option<Lexicon>,
    /// Whether they make one in a fence that is closed, too.
    pub(crate) notices_closed_fences: bool,
    pub(crate) limits: Limits,
}

/// A thinking section, or one that is listed to be hidden.
#[derive(Debug)]
pub(crate) struct SectionRule {
    /// The profile's spelling; none for the section that the prompt opens.
    pub(crate) tag: Option<Box<str>>,
    pub(crate) mode: ThinkingMode,
    pub(crate) unclosed: UnclosedThinking,
    /// Nothing of the section is emitted before its closer is found.
    pub(crate) waits: bool,
    pub(crate) trims: bool,
    pub(crate) nests: bool,
    /// It is text without its delimiters.
    pub(crate) is_answer: bool,
    pub(crate) lexicon: Lexicon,
    /// What counts after the very start, if that is less.
    pub(crate) late_lexicon: Option<Lexicon>,
}

#[derive(Debug)]
pub(crate) struct ElementRule {
    pub(crate) name: Box<str>,
    pub(crate) lexicon: Lexicon,
    pub(crate) parts: Vec<PartRule>,
    /// The elements that may be directly inside.
    pub(crate) children: Vec<Number>,
    /// Elements of its name may be inside.
    pub(crate) nests: bool,
}

#[derive(Debug)]
pub(crate) struct PartRule {
    pub(crate) name: Box<str>,
    pub(crate) lexicon: Lexicon,
}

impl Policy {
    pub(crate) fn new(profile: &Profile) -> Result<Self, ProfileError> {
        check::profile(profile)?;
        let calls = profile.calls.as_ref();
        let calls = calls.map(|calls| CallRules::new(calls, profile.code, &profile.markers));
        let calls = calls.transpose()?;
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
            max_tag: self.limits.tag.min(u32::MAX as usize),
        }
    }

    pub(crate) fn section(&self, number: Number) -> &SectionRule {
        &self.sections[number as usize]
    }

    pub(crate) fn element(&self, number: Number) -> &ElementRule {
        &self.elements[number as usize]
    }

    /// The rules of calls, for the frames that only calls open.
    pub(crate) fn calls(&self) -> &CallRules {
        self.calls.as_ref().expect("only calls lead here")
    }

    fn new(profile: &Profile, calls: Option<CallRules>) -> Self {
        let thinking = &profile.thinking;
        let compiler = Compiler::new(profile, calls.as_ref());
        let mut sections = compiler.sections();
        let prompted = (compiler.thinks && thinking.starts_open).then(|| {
            sections.push(compiler.prompted_section());
            number(sections.len() - 1)
        });
        let is_anchored = compiler.thinks && thinking.anchor == ThinkingAnchor::Start;
        Rules {
            text: compiler.text(compiler.thinks),
            anchored_text: is_anchored.then(|| compiler.text(false)),
            code: profile.code == CodeStyle::Markdown,
            trim_answer: thinking.trim.answer() && thinking.mode != ThinkingMode::Show,
            sections,
            prompted,
            elements: compiler.elements(),
            any_tags: any_tags(),
            snapshot_tags: compiler.snapshot_tags(),
            code_calls: compiler.code_calls(),
            fenced: compiler.fenced(),
            fence_opens_calls: calls.as_ref().is_some_and(CallRules::open_with_fence),
            notices_closed_fences: profile.code_notices == CodeNotices::All,
            calls,
            markers: profile.markers.iter().map(|m| m.as_str().into()).collect(),
            limits: profile.limits,
        }
    }
}

/// Puts the rules of a profile together.
struct Compiler<'p> {
    profile: &'p Profile,
    calls: Option<&'p CallRules>,
    /// Thinking sections are distinguished from text. This is not needed if they are shown as they
    /// arrive and everything that counts in text counts in them too.
    thinks: bool,
}

impl<'p> Compiler<'p> {
    fn new(profile: &'p Profile, calls: Option<&'p CallRules>) -> Self {
        let is_shown = profile.thinking.mode == ThinkingMode::Show;
        Compiler {
            profile,
            calls,
            thinks: !is_shown || !profile.elements.is_empty() || calls.is_some(),
        }
    }

    // Text.

    /// What counts in text; without thinking once that can no longer start.
    fn text(&self, thinks: bool) -> Lexicon {
        let mut builder = Builder::default();
        builder.code = self.profile.code == CodeStyle::Markdown;
        self.add_any_element(&mut builder);
        if thinks {
            self.add_thinking(&mut builder);
        } else if self.any_element().is_some() {
            // What no longer counts as thinking is not an element either, nor the end of one.
            for tag in &self.profile.thinking.tags {
                builder.open(tag, Role::Kept);
                builder.close(tag, Role::Kept);
            }
        }
        for tag in &self.profile.hide {
            builder.close(tag, self.orphan());
        }
        for (element, number) in self.named_elements().zip(0..) {
            builder.open(&element.name, Role::Element(number));
            if element.orphan_close == OrphanClose::Drop {
                builder.close(&element.name, Role::Orphan);
            }
        }
        self.add_answers(&mut builder);
        // A marker may open a call, which is then longer than the marker.
        if let Some(calls) = self.calls {
            calls.add_literal_openers(&mut builder);
        }
        self.add_markers(&mut builder);
        self.add_unwrapped(&mut builder);
        self.add_hidden(&mut builder);
        if let Some(calls) = self.calls {
            calls.add_openers(&mut builder);
            calls.add_orphans(&mut builder);
        }
        builder.build()
    }

    fn add_thinking(&self, builder: &mut Builder) {
        let thinking = &self.profile.thinking;
        let is_shown = thinking.mode == ThinkingMode::Show;
        let orphan = if is_shown { Role::Kept } else { self.orphan() };
        for (i, tag) in thinking.tags.iter().enumerate() {
            builder.open(tag, Role::Section(number(i)));
            builder.close(tag, orphan);
        }
        for (i, [open, _]) in thinking.delimiters.iter().enumerate() {
            builder.literal(open, Role::Section(number(thinking.tags.len() + i)));
        }
        for [_, close] in &thinking.delimiters {
            let role = match orphan {
                Role::Kept if close.bytes().all(is_space) => Role::KeptSpace,
                role => role,
            };
            builder.literal(close, role);
        }
    }

    /// What the closer of a section does that closes nothing.
    fn orphan(&self) -> Role {
        match self.profile.thinking.orphan_close {
            OrphanClose::Drop => Role::Orphan,
            OrphanClose::Keep => Role::Kept,
        }
    }

    fn add_markers(&self, builder: &mut Builder) {
        for marker in &self.profile.markers {
            builder.literal(marker, Role::Marker);
        }
    }

    /// Adds the tags that are removed from text.
    fn add_unwrapped(&self, builder: &mut Builder) {
        for tag in &self.profile.unwrap {
            builder.open(tag, Role::Marker);
            builder.close(tag, Role::Marker);
        }
    }

    /// Adds the openers of hidden sections, which have their numbers after those of thinking.
    fn add_hidden(&self, builder: &mut Builder) {
        let first = self.sections_before_hidden();
        for (i, tag) in self.profile.hide.iter().enumerate() {
            builder.open(tag, Role::Section(number(first + i)));
        }
    }

    /// Adds what opens answers, which have their numbers after those of hidden sections.
    fn add_answers(&self, builder: &mut Builder) {
        let first = self.sections_before_hidden() + self.profile.hide.len();
        for (i, [open, _]) in self.profile.thinking.answers.iter().enumerate() {
            builder.literal(open, Role::Section(number(first + i)));
        }
    }

    /// How many thinking sections there are.
    fn sections_before_hidden(&self) -> usize {
        let thinking = &self.profile.thinking;
        if self.thinks {
            thinking.tags.len() + thinking.delimiters.len()
        } else {
            0
        }
    }

    /// Adds what ends a section before it. A marker that begins so ends it too, although it is longer.
    fn add_ends(&self, builder: &mut Builder) {
        let ends = &self.profile.thinking.ends_before;
        let ends_it = |marker: &&String| ends.iter().any(|end| marker.starts_with(end.as_str()));
        for literal in ends
            .iter()
            .chain(self.profile.markers.iter().filter(ends_it))
        {
            builder.literal(literal, Role::EndBefore(0));
        }
    }

    /// Where a section ends before an opener of calls, that is read in the text after it.
    fn drop_openers_at_ends(&self, builder: &mut Builder) {
        let ends = &self.profile.thinking.ends_before;
        builder.retain_literals(|literal, role| {
            let begins = |end: &String| literal.starts_with(end.as_bytes());
            !(matches!(role, Role::Call(_)) && ends.iter().any(begins))
        });
    }

    fn code_calls(&self) -> Option<Lexicon> {
        let calls = self.calls.filter(|calls| calls.in_code)?;
        let mut builder = Builder::default();
        calls.add_openers(&mut builder);
        Some(builder.build())
    }

    /// What makes a notice in a fence: opening tags of elements and of calls. Where calls count in
    /// code, it is read for them instead.
    fn fenced(&self) -> Option<Lexicon> {
        let profile = self.profile;
        let has_text = profile.code == CodeStyle::Markdown && self.code_calls().is_none();
        if profile.code_notices == CodeNotices::None || !has_text {
            return None;
        }
        let mut builder = Builder::default();
        builder.code = true;
        for (element, number) in self.named_elements().zip(0..) {
            builder.open(&element.name, Role::Element(number));
        }
        if let Some(calls) = self.calls {
            calls.add_openers(&mut builder);
            builder.keep_usual_tags();
        }
        Some(builder.build())
    }

    // Sections.

    /// All sections that have an opener in the message: tags and delimiters of thinking, then hidden
    /// sections.
    fn sections(&self) -> Vec<SectionRule> {
        let Profile { thinking, hide, .. } = self.profile;
        let mut sections = Vec::new();
        for tag in thinking.tags.iter().filter(|_| self.thinks) {
            let lexicon = self.in_thinking(|builder| {
                builder.open(tag, Role::Again);
                builder.close(tag, Role::End);
            });
            sections.push(self.thinking_section(Some(tag), lexicon));
        }
        for [open, close] in thinking.delimiters.iter().filter(|_| self.thinks) {
            let lexicon = self.in_thinking(|builder| builder.literal(close, Role::End));
            sections.push(self.thinking_section(Some(open), lexicon));
        }
        sections.extend(hide.iter().map(|tag| self.hidden_section(tag)));
        sections.extend(thinking.answers.iter().map(|pair| self.answer(pair)));
        sections
    }

    /// What counts in a thinking section, besides its own tags or literals.
    fn in_thinking(&self, add_own: impl FnOnce(&mut Builder)) -> Lexicon {
        let mut builder = Builder::default();
        self.add_ends(&mut builder);
        if let Some(calls) = self.calls.filter(|calls| calls.in_thinking) {
            calls.add_literal_openers(&mut builder);
        }
        self.add_markers(&mut builder);
        add_own(&mut builder);
        if let Some(calls) = self.calls.filter(|calls| calls.in_thinking) {
            calls.add_openers(&mut builder);
            // A call in code is quoted there.
            builder.code = self.profile.code == CodeStyle::Markdown && !calls.in_code;
        }
        self.drop_openers_at_ends(&mut builder);
        if self.profile.hide_in_thinking || self.profile.thinking.mode == ThinkingMode::Show {
            self.add_unwrapped(&mut builder);
            self.add_hidden(&mut builder);
        }
        builder.build()
    }

    fn thinking_section(&self, tag: Option<&String>, lexicon: Lexicon) -> SectionRule {
        let thinking = &self.profile.thinking;
        let is_shown = thinking.mode == ThinkingMode::Show;
        SectionRule {
            tag: tag.map(|tag| tag.as_str().into()),
            mode: thinking.mode,
            unclosed: thinking.unclosed,
            waits: match thinking.unclosed {
                UnclosedThinking::Thought => false,
                UnclosedThinking::Reveal => !is_shown,
                UnclosedThinking::Hide => thinking.mode == ThinkingMode::Extract,
            },
            trims: thinking.trim.thought() && !is_shown,
            is_answer: false,
            nests: thinking.nesting == ThinkingNesting::Count,
            lexicon,
            late_lexicon: None,
        }
    }

    /// The section that the prompt has opened. It ends at the first closer of any kind of thinking.
    /// Openers count only at its very start, where they repeat what the prompt has said.
    fn prompted_section(&self) -> SectionRule {
        let Thinking {
            tags, delimiters, ..
        } = &self.profile.thinking;
        let lexicon = |is_start: bool| {
            self.in_thinking(|builder| {
                tags.iter().for_each(|tag| builder.close(tag, Role::End));
                for [_, close] in delimiters {
                    builder.literal(close, Role::End);
                }
                for tag in tags.iter().filter(|_| is_start) {
                    builder.open(tag, Role::Again);
                }
                for [open, _] in delimiters.iter().filter(|_| is_start) {
                    builder.literal(open, Role::Again);
                }
            })
        };
        SectionRule {
            nests: false,
            late_lexicon: Some(lexicon(false)),
            ..self.thinking_section(None, lexicon(true))
        }
    }

    fn hidden_section(&self, tag: &str) -> SectionRule {
        let mut builder = Builder::default();
        self.add_markers(&mut builder);
        builder.open(tag, Role::Again);
        builder.close(tag, Role::End);
        SectionRule {
            tag: Some(tag.into()),
            mode: ThinkingMode::Hide,
            unclosed: UnclosedThinking::Thought,
            waits: false,
            trims: false,
            nests: true,
            is_answer: false,
            lexicon: builder.build(),
            late_lexicon: None,
        }
    }

    fn answer(&self, [open, close]: &[String; 2]) -> SectionRule {
        let mut builder = Builder::default();
        builder.literal(close, Role::End);
        // A message of another kind may end in the same way.
        for [_, close] in &self.profile.thinking.delimiters {
            builder.literal(close, Role::End);
        }
        self.add_ends(&mut builder);
        self.add_markers(&mut builder);
        SectionRule {
            is_answer: true,
            nests: false,
            lexicon: builder.build(),
            ..self.hidden_section(open)
        }
    }

    // Elements.

    fn named_elements(&self) -> impl Iterator<Item = &'p Element> {
        self.profile.elements.iter().filter(|e| e.name != "*")
    }

    /// The element of any name.
    fn any_element(&self) -> Option<&'p Element> {
        self.profile.elements.iter().find(|e| e.name == "*")
    }

    fn add_any_element(&self, builder: &mut Builder) {
        if let Some(any) = self.any_element() {
            let drops = any.orphan_close == OrphanClose::Drop;
            let roles = [Some(Role::AnyElement), drops.then_some(Role::Orphan)];
            builder.any_name(&Brackets::USUAL, any_element(roles));
        }
    }

    fn elements(&self) -> Vec<ElementRule> {
        let names = self.named_elements().map(|element| fold(&element.name));
        let numbers: HashMap<_, _> = names.zip(0..).collect();
        let all: Vec<_> = self.named_elements().collect();
        let rule = |element: &&Element| ElementRule::new(element, &all, &numbers);
        all.iter().map(rule).collect()
    }

    /// Any tag; only those of declared elements may have attributes.
    fn snapshot_tags(&self) -> Lexicon {
        let mut builder = Builder::default();
        for (element, number) in self.named_elements().zip(0..) {
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
}

/// How elements of any name are read, with these roles of their opening and closing tags.
fn any_element(roles: [Option<Role>; 2]) -> AnyName {
    AnyName {
        roles,
        names: NameRule::Ascii,
        attributes: AttributeRule::WithValues,
    }
}

/// Opening and closing tags of any name.
fn any_tags() -> Lexicon {
    let mut builder = Builder::default();
    let roles = [Role::AnyElement, Role::End].map(Some);
    builder.any_name(&Brackets::USUAL, any_element(roles));
    builder.build()
}

impl ElementRule {
    fn new(element: &Element, all: &[&Element], numbers: &HashMap<Box<[u8]>, Number>) -> Self {
        let mut builder = Builder::default();
        let (mut parts, mut children) = (Vec::new(), Vec::new());
        builder.close(&element.name, Role::End);
        for child in &element.children {
            if let Some(number) = numbers.get(&fold(child)) {
                children.push(*number);
                builder.open(child, Role::Element(*number));
            } else {
                builder.open(child, Role::Part(number(parts.len())));
                parts.push(PartRule::new(child, &element.name));
            }
        }
        if element.nests {
            // Unless it may be its own child.
            builder.open(&element.name, Role::Again);
        } else {
            let ends_before = |other: &Element| Role::EndBefore(numbers[&fold(&other.name)]);
            for other in all.iter().filter(|other| !element.has_child(&other.name)) {
                builder.open(&other.name, ends_before(other));
            }
            for parent in all.iter().filter(|parent| parent.has_child(&element.name)) {
                builder.close(&parent.name, ends_before(parent));
            }
        }
        ElementRule {
            name: element.name.as_str().into(),
            lexicon: builder.build(),
            parts,
            children,
            nests: element.nests,
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
    fn new(kind: ProfileErrorKind, key: impl Into<String>, problem: impl Into<String>) -> Self {
        ProfileError {
            kind,
            key: key.into(),
            problem: problem.into(),
        }
    }

    /// The same problem, of a key in the table with this key.
    fn inside(mut self, table: &str) -> Self {
        self.key = format!("{table}.{}", self.key);
        self
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

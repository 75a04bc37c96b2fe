//! A dialect's strings, read: what opens and closes what, as entries of lexicons.

use super::call::{ANY, HeadRule, NAMED, NameAt, Style, ToolRule};
use super::pattern::{Opening, Pattern};
use super::spellings::spellings;
use super::{ProfileError, ProfileErrorKind};
use crate::brackets::{AnyName, AttributeRule, Brackets, NameRule};
use crate::dialect::{Arguments, Dialect, Layout};
use crate::lexicon::{Builder, Lexicon, Number, Role};
use std::sync::Arc;

/// The strings of a dialect, read.
#[derive(Debug)]
pub(super) struct Syntax {
    /// What opens a wrapper, and what must follow it behind text that means nothing.
    pub(super) wrapper_open: Vec<(Pattern, Option<Pattern>)>,
    pub(super) wrapper_close: Vec<Pattern>,
    pub(super) ignore: Vec<Box<str>>,
    pub(super) call_open: Vec<Opening>,
    pub(super) call_close: Vec<Pattern>,
    /// The call's closer has the name of its tool.
    pub(super) closes_by_name: bool,
    pub(super) id: Option<(Box<str>, Box<str>)>,
    pub(super) style: Style,
    pub(super) argument: Option<Opening>,
    pub(super) arguments_open: Vec<Opening>,
    pub(super) value_close: Vec<Pattern>,
    /// What opens and closes a key, and what opens a value.
    pub(super) pairs: Option<[Pattern; 3]>,
    pub(super) layout: Layout,
    pub(super) says_string: Option<SaysString>,
    /// One JSON object may stand in place of the arguments: by itself, or between these.
    pub(super) json: bool,
    pub(super) json_in: Option<[Pattern; 2]>,
    /// The brackets of its tags, if they are none of the usual ones.
    pub(super) brackets: Option<Brackets>,
}

impl Syntax {
    pub(super) fn read(dialect: &Dialect, key: &str) -> Result<Self, ProfileError> {
        let refuse = |key: String| {
            move |problem: String| ProfileError::new(ProfileErrorKind::Literal, key, problem)
        };
        let brackets = dialect.brackets.as_ref().map(Brackets::new);
        let own = brackets.as_ref();
        let openings = |list: &[String], place: &str, key: String| {
            let read = |(i, text): (usize, String)| {
                Opening::read(&text, place, own).map_err(refuse(format!("{key}[{i}]")))
            };
            let all = list.iter().enumerate();
            all.flat_map(|(i, text)| spellings(text).into_iter().map(move |text| (i, text)))
                .map(read)
                .collect::<Result<Vec<_>, _>>()
        };
        let pattern = |text: &String| Pattern::read(text, own);
        let patterns = |list: &[String]| all_spellings(list).iter().map(pattern).collect();
        let wrapper = dialect.wrapper.clone().unwrap_or_default();
        let head = dialect.call.clone().unwrap_or_default();
        let named = |list: &[String]| list.iter().any(|text| text.contains("{name}"));
        let mut syntax = Syntax {
            wrapper_open: all_spellings(&wrapper.open)
                .iter()
                .map(|text| skipping(text, own))
                .collect(),
            wrapper_close: patterns(&wrapper.close),
            ignore: all_spellings(&wrapper.ignore)
                .into_iter()
                .map(Into::into)
                .collect(),
            call_open: openings(&head.open, "{name}", format!("{key}.call.open"))?,
            call_close: match named(&head.close) {
                true => Vec::new(),
                false => patterns(&head.close),
            },
            closes_by_name: named(&head.close),
            id: head.id.as_deref().and_then(id_pattern),
            style: Style::Json,
            argument: None,
            arguments_open: Vec::new(),
            value_close: Vec::new(),
            pairs: None,
            layout: Layout::Inline,
            says_string: None,
            json: false,
            json_in: None,
            brackets: brackets.clone(),
        };
        match &dialect.arguments {
            Arguments::Json { .. } => {}
            Arguments::Envelope { .. } | Arguments::Keyed => syntax.style = Style::Envelope,
            Arguments::Elements {
                open,
                close,
                layout,
                string_attribute,
                type_attribute,
                json,
                json_in,
            } => {
                syntax.style = Style::Elements;
                syntax.arguments_open =
                    openings(open, "{argument}", format!("{key}.arguments.open"))?;
                syntax.argument = syntax.arguments_open.first().cloned();
                syntax.value_close = patterns(close);
                syntax.layout = *layout;
                syntax.says_string = SaysString::new(string_attribute, type_attribute);
                syntax.json = *json;
                syntax.json_in = json_in.as_ref().map(|pair| pair.each_ref().map(pattern));
            }
            Arguments::Pairs {
                key: [key_open, key_close],
                value: [open, close],
                layout,
            } => {
                syntax.style = Style::Pairs;
                syntax.pairs = Some([key_open, key_close, open].map(pattern));
                syntax.value_close = vec![pattern(close)];
                syntax.layout = *layout;
            }
        }
        Ok(syntax)
    }

    /// What opens a call of this dialect, one for each tool where its tag is the tool's name.
    pub(super) fn heads(&self, dialect: Number, tools: &[ToolRule]) -> Vec<(Pattern, HeadRule)> {
        let none = Arc::new(Builder::default().build());
        let head = |name| HeadRule {
            dialect,
            name,
            is_bare: false,
            lexicon: Arc::clone(&none),
            after_id: Arc::clone(&none),
            next: None,
        };
        let mut heads = Vec::new();
        let mut texts: Vec<&Pattern> = Vec::new();
        for opening in &self.call_open {
            match opening {
                Opening::Attribute { tag, attribute } => {
                    heads.push((tag.clone(), head(NameAt::Attribute(attribute.clone()))));
                }
                Opening::After { tag } => heads.push((tag.clone(), head(NameAt::After))),
                Opening::Named(own) => {
                    let brackets = own.as_ref().unwrap_or(&Brackets::USUAL);
                    heads.extend(tools.iter().zip(0..).map(|(tool, number)| {
                        let tag = Pattern::tag(&tool.name, false, brackets);
                        (tag, head(NameAt::Tag(number)))
                    }));
                }
                Opening::Text { opener, .. } if texts.contains(&opener) => {}
                Opening::Text { opener, .. } => {
                    texts.push(opener);
                    let head = HeadRule {
                        is_bare: self.style == Style::Json && self.is_bare(opener),
                        lexicon: Arc::new(self.behind_name(opener)),
                        after_id: Arc::new(self.after_id(opener)),
                        ..head(NameAt::Text)
                    };
                    heads.push((opener.clone(), head));
                }
            }
        }
        heads
    }

    /// Whether nothing but the JSON ends a name behind this opener.
    fn is_bare(&self, opener: &Pattern) -> bool {
        let bare = |opening: &Opening| match opening {
            Opening::Text {
                opener: other,
                separator: None,
                ..
            } => other == opener,
            _ => false,
        };
        self.call_open.iter().any(bare)
    }

    /// What ends a name that is text: separators, or the next tag of the dialect.
    pub(super) fn behind_name(&self, opener: &Pattern) -> Lexicon {
        let mut builder = Builder::default();
        for opening in &self.call_open {
            match opening {
                Opening::Text {
                    opener: other,
                    separator,
                    after_id,
                } if other == opener => match separator {
                    Some(separator) if after_id.is_some() => {
                        builder.pattern(&self.pattern(separator), Role::Id);
                    }
                    Some(separator) => {
                        builder.pattern(&self.pattern(separator), Role::Separator);
                    }
                    None => self.add_arguments(&mut builder, None),
                },
                _ => {}
            }
        }
        // A call may end without arguments, also where a separator is missing.
        self.add_call_end(&mut builder, None);
        builder.build()
    }

    /// What ends an id that follows the name behind this opener.
    fn after_id(&self, opener: &Pattern) -> Lexicon {
        let mut builder = Builder::default();
        for opening in &self.call_open {
            match opening {
                Opening::Text {
                    opener: other,
                    after_id: Some(end),
                    ..
                } if other == opener => builder.pattern(&self.pattern(end), Role::Separator),
                _ => {}
            }
        }
        builder.build()
    }

    fn pattern(&self, text: &str) -> Pattern {
        Pattern::read(text, self.brackets.as_ref())
    }

    /// Adds what opens a wrapper, where one is open already.
    pub(super) fn add_wrapper_again(&self, builder: &mut Builder) {
        for (pattern, _) in &self.wrapper_open {
            builder.pattern(pattern, Role::Again);
        }
    }

    pub(super) fn add_wrapper_end(&self, builder: &mut Builder) {
        for pattern in &self.wrapper_close {
            builder.pattern(pattern, Role::WrapperEnd);
        }
        for literal in &self.ignore {
            builder.literal(literal, Role::Marker);
        }
    }

    pub(super) fn add_call_end(&self, builder: &mut Builder, tool: Option<&ToolRule>) {
        for pattern in &self.call_close {
            builder.pattern(pattern, Role::CallEnd);
        }
        if let Some(tool) = tool {
            self.add_named_end(builder, tool, Role::CallEnd);
        }
    }

    /// Adds the closing tag that has the name of a tool, if calls have one.
    pub(super) fn add_named_end(&self, builder: &mut Builder, tool: &ToolRule, role: Role) {
        if self.closes_by_name {
            let brackets = self.brackets.as_ref().unwrap_or(&Brackets::USUAL);
            builder.pattern(&Pattern::tag(&tool.name, true, brackets), role);
        }
    }

    /// Adds what opens JSON that stands in place of the arguments.
    pub(super) fn add_json_open(&self, builder: &mut Builder) {
        if let Some([open, _]) = &self.json_in {
            builder.pattern(open, Role::Value);
        }
    }

    /// Adds what closes it.
    pub(super) fn add_json_end(&self, builder: &mut Builder) {
        if let Some([_, close]) = &self.json_in {
            builder.pattern(close, Role::ValueEnd(ANY));
        }
    }

    pub(super) fn add_arguments(&self, builder: &mut Builder, tool: Option<&ToolRule>) {
        for opening in &self.arguments_open {
            match opening {
                Opening::Attribute { tag, .. } | Opening::After { tag } => {
                    builder.pattern(tag, Role::Argument(ANY));
                }
                Opening::Named(Some(own)) => {
                    let roles = [Role::Argument(NAMED), Role::ValueEnd(NAMED)];
                    builder.any_name(
                        own,
                        AnyName {
                            roles: roles.map(Some),
                            names: NameRule::Ascii,
                            attributes: AttributeRule::Any,
                        },
                    );
                }
                _ => {
                    for (name, number) in tool.iter().flat_map(|tool| &tool.names) {
                        builder.open(name, Role::Argument(*number));
                        builder.close(name, Role::ValueEnd(*number));
                    }
                }
            }
        }
        for pattern in self.value_close.iter().filter(|p| !p.is_named()) {
            builder.pattern(pattern, Role::ValueEnd(ANY));
        }
        if let Some([key, key_close, value]) = &self.pairs {
            builder.pattern(key, Role::Key);
            builder.pattern(key_close, Role::KeyEnd);
            builder.pattern(value, Role::Value);
        }
    }
}

/// An attribute that says whether a value is a string or JSON.
#[derive(Clone, Debug)]
pub(crate) struct SaysString {
    pub(crate) attribute: Box<str>,
    /// Its value is the name of a type; else it is `true` or `false`.
    is_type: bool,
}

impl SaysString {
    fn new(string: &Option<String>, is_type: &Option<String>) -> Option<Self> {
        let attribute = string.as_deref().or(is_type.as_deref())?;
        Some(SaysString {
            attribute: attribute.into(),
            is_type: string.is_none(),
        })
    }

    /// Whether this value of the attribute says that it is a string.
    pub(crate) fn is_string(&self, value: &str) -> bool {
        match self.is_type {
            true => value.trim() == "string",
            false => value.trim() != "false",
        }
    }
}

impl Pattern {
    /// Whether it is `</{argument}>`.
    pub(super) fn is_named(&self) -> bool {
        matches!(self, Pattern::Literal(text) if text.contains("{argument}"))
    }
}

fn all_spellings(list: &[String]) -> Vec<String> {
    list.iter().flat_map(|text| spellings(text)).collect()
}

/// What opens a wrapper, and what follows it behind `{skip}`.
fn skipping(text: &str, brackets: Option<&Brackets>) -> (Pattern, Option<Pattern>) {
    match text.split_once("{skip}") {
        Some((before, behind)) => {
            let read = |part| Pattern::read(part, brackets);
            (read(before), Some(read(behind)))
        }
        None => (Pattern::read(text, brackets), None),
    }
}

/// What stands before and behind the name in `functions.{name}:{number}`.
fn id_pattern(text: &str) -> Option<(Box<str>, Box<str>)> {
    let (before, behind) = text.split_once("{name}")?;
    let behind = behind.strip_suffix("{number}").unwrap_or(behind);
    Some((before.into(), behind.into()))
}

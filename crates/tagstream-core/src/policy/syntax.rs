//! The strings of a dialect, read: what opens and closes what, as entries of lexicons.

use super::call::{ANY_NAME, HeadRule, NAME_ELSEWHERE, NameAt, Style, ToolRule};
use super::pattern::{NameEnd, Opening, Pattern};
use super::spellings::spellings;
use super::{ProfileError, ProfileErrorKind};
use crate::brackets::{AnyName, AttributeRule, Brackets, NameRule};
use crate::dialect::{Arguments, Dialect};
use crate::lexicon::{Builder, Lexicon, Number, Role};
use std::sync::Arc;

/// The strings of a dialect, read.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) style: Style,
    /// What opens a wrapper, and what must follow it after a word without meaning.
    pub(super) wrapper_open: Vec<(Pattern, Option<Pattern>)>,
    pub(super) wrapper_close: Vec<Pattern>,
    ignore: Vec<String>,
    call_open: Vec<Opening>,
    call_close: Vec<Pattern>,
    /// The closing tag of a call has the name of its tool, between these brackets.
    named_close: Option<Brackets>,
    pub(super) arguments_open: Vec<Opening>,
    value_close: Vec<Pattern>,
    /// What opens and closes a key, and what opens a value.
    pairs: Option<[Pattern; 3]>,
    /// What encloses a JSON object in place of the arguments.
    json_in: Option<[Pattern; 2]>,
}

/// Reads the strings of one dialect.
struct Reader {
    /// The brackets of its tags, if they are its own.
    brackets: Option<Brackets>,
}

impl Reader {
    fn pattern(&self, text: &str) -> Pattern {
        Pattern::read(text, self.brackets.as_ref())
    }

    /// All spellings of a list, without those that have `placeholder`: they are tags with names that
    /// are added where the names are known.
    fn patterns(&self, list: &[String], placeholder: &str) -> Vec<Pattern> {
        let all = all_spellings(list).filter(|text| !text.contains(placeholder));
        all.map(|text| self.pattern(&text)).collect()
    }

    fn openings(
        &self,
        list: &[String],
        placeholder: &str,
        key: &str,
    ) -> Result<Vec<Opening>, ProfileError> {
        let mut openings = Vec::new();
        for (i, text) in list.iter().enumerate() {
            for text in spellings(text) {
                let opening = Opening::read(&text, placeholder, self.brackets.as_ref());
                openings.push(opening.map_err(|problem| {
                    let key = format!("{key}[{i}]");
                    ProfileError::new(ProfileErrorKind::Literal, key, problem)
                })?);
            }
        }
        Ok(openings)
    }

    /// What opens a wrapper, and what follows it after `{skip}`.
    fn wrapper_opener(&self, text: &str) -> (Pattern, Option<Pattern>) {
        match text.split_once("{skip}") {
            Some((before, after)) => (self.pattern(before), Some(self.pattern(after))),
            None => (self.pattern(text), None),
        }
    }
}

impl Syntax {
    /// Reads a dialect that has been checked. The keys of errors are relative to it.
    pub(super) fn read(dialect: &Dialect) -> Result<Self, ProfileError> {
        let brackets = dialect.brackets.as_ref().map(Brackets::new);
        let reader = Reader { brackets };
        let wrapper = dialect.wrapper.clone().unwrap_or_default();
        let head = dialect.call.clone().unwrap_or_default();
        let has_named_close = head.close.iter().any(|text| text.contains("{name}"));
        let mut syntax = Syntax {
            style: Style::of(&dialect.arguments),
            wrapper_open: all_spellings(&wrapper.open)
                .map(|text| reader.wrapper_opener(&text))
                .collect(),
            wrapper_close: reader.patterns(&wrapper.close, "{name}"),
            ignore: all_spellings(&wrapper.ignore).collect(),
            call_open: reader.openings(&head.open, "{name}", "call.open")?,
            call_close: reader.patterns(&head.close, "{name}"),
            named_close: None,
            arguments_open: Vec::new(),
            value_close: Vec::new(),
            pairs: None,
            json_in: None,
        };
        match &dialect.arguments {
            Arguments::Elements {
                open,
                close,
                json_in,
                ..
            } => {
                syntax.arguments_open = reader.openings(open, "{argument}", "arguments.open")?;
                syntax.value_close = reader.patterns(close, "{argument}");
                let pair = json_in.as_ref().map(<[String; 2]>::each_ref);
                syntax.json_in = pair.map(|pair| pair.map(|text| reader.pattern(text)));
            }
            Arguments::Pairs {
                key: [key, key_close],
                value: [value, value_close],
                ..
            } => {
                syntax.pairs = Some([key, key_close, value].map(|text| reader.pattern(text)));
                syntax.value_close = vec![reader.pattern(value_close)];
            }
            Arguments::Json { .. }
            | Arguments::Envelope { .. }
            | Arguments::Keyed
            | Arguments::Python => {}
        }
        if has_named_close {
            syntax.named_close = Some(reader.brackets.unwrap_or(Brackets::USUAL));
        }
        Ok(syntax)
    }

    pub(super) fn call_closes(&self) -> bool {
        !self.call_close.is_empty() || self.named_close.is_some()
    }

    /// Whether what counts in a call depends on its tool.
    pub(super) fn depends_on_tool(&self) -> bool {
        let is_named = self.arguments_open.first() == Some(&Opening::Named(None));
        is_named || self.named_close.is_some()
    }

    /// What opens a call of this dialect, one for each tool where its tag is the tool's name.
    pub(super) fn heads(&self, dialect: Number, tools: &[ToolRule]) -> Vec<(Pattern, HeadRule)> {
        let nothing = Arc::new(Lexicon::default());
        let head = |name| HeadRule {
            dialect,
            name,
            is_bare: false,
            lexicon: Arc::clone(&nothing),
            after_id: Arc::clone(&nothing),
            before_name: None,
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
                    heads.push((opener.clone(), self.text_head(opener, head(NameAt::Text))));
                }
            }
        }
        heads
    }

    /// Completes the head of a call whose name is text after this opener.
    fn text_head(&self, opener: &Pattern, mut head: HeadRule) -> HeadRule {
        let mut name_end = Builder::default();
        let mut id_end = Builder::default();
        let mut first_id_end = Builder::default();
        let ends = self.call_open.iter().filter_map(|opening| match opening {
            Opening::Text {
                opener: other,
                after_id,
                end,
            } if other == opener => Some((after_id, end)),
            _ => None,
        });
        let mut has_first_id = false;
        for (after_id, end) in ends {
            if let Some(after_id) = after_id {
                first_id_end.pattern(after_id, Role::Separator);
                has_first_id = true;
            }
            match end {
                NameEnd::Arguments => {
                    head.is_bare = self.style == Style::Json;
                    self.add_arguments(&mut name_end, None);
                }
                NameEnd::Separator(separator) => name_end.pattern(separator, Role::Separator),
                NameEnd::Id(separator, end) => {
                    name_end.pattern(separator, Role::Id);
                    id_end.pattern(end, Role::Separator);
                }
            }
        }
        // A call may end without arguments, even where a separator is missing.
        self.add_call_end(&mut name_end, None);
        head.lexicon = Arc::new(name_end.build());
        head.after_id = Arc::new(id_end.build());
        head.before_name = has_first_id.then(|| Arc::new(first_id_end.build()));
        head
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
        if let Some(brackets) = &self.named_close {
            builder.pattern(&Pattern::tag(&tool.name, true, brackets), role);
        }
    }

    /// Adds what opens JSON in place of the arguments.
    pub(super) fn add_json_open(&self, builder: &mut Builder) {
        if let Some([open, _]) = &self.json_in {
            builder.pattern(open, Role::Value);
        }
    }

    /// Adds what closes it.
    pub(super) fn add_json_end(&self, builder: &mut Builder) {
        if let Some([_, close]) = &self.json_in {
            builder.pattern(close, Role::ValueEnd(NAME_ELSEWHERE));
        }
    }

    /// Adds what opens an argument whatever its name is.
    pub(super) fn add_argument_openers(&self, builder: &mut Builder) {
        for opening in &self.arguments_open {
            if let Opening::Attribute { tag, .. } | Opening::After { tag } = opening {
                builder.pattern(tag, Role::Argument(NAME_ELSEWHERE));
            }
        }
        if let Some([key, ..]) = &self.pairs {
            builder.pattern(key, Role::Key);
        }
    }

    /// Adds `<parameter>` where an argument is opened by `<parameter={argument}>`: models write its
    /// name as the content.
    pub(super) fn add_nameless_arguments(&self, builder: &mut Builder) {
        for opening in &self.arguments_open {
            if let Opening::After { tag } = opening
                && let Some(tag) = tag.without_equals()
            {
                builder.pattern(&tag, Role::Key);
            }
        }
    }

    pub(super) fn add_arguments(&self, builder: &mut Builder, tool: Option<&ToolRule>) {
        self.add_argument_openers(builder);
        for opening in &self.arguments_open {
            match opening {
                Opening::Attribute { .. } | Opening::After { .. } => {}
                Opening::Named(Some(own)) => builder.any_name(own, any_argument()),
                Opening::Named(None) | Opening::Text { .. } => {
                    if tool.is_some_and(|tool| tool.any_argument) {
                        builder.any_name(&Brackets::USUAL, any_argument());
                    }
                    for (name, number) in tool.iter().flat_map(|tool| &tool.names) {
                        builder.open(name, Role::Argument(*number));
                        builder.close(name, Role::ValueEnd(*number));
                    }
                }
            }
        }
        for pattern in &self.value_close {
            builder.pattern(pattern, Role::ValueEnd(NAME_ELSEWHERE));
        }
        if let Some([_, key_close, value]) = &self.pairs {
            builder.pattern(key_close, Role::KeyEnd);
            builder.pattern(value, Role::Value);
        }
    }
}

/// Tags of any name, each an argument.
fn any_argument() -> AnyName {
    AnyName {
        roles: [Role::Argument(ANY_NAME), Role::ValueEnd(ANY_NAME)].map(Some),
        names: NameRule::Ascii,
        attributes: AttributeRule::Any,
    }
}

fn all_spellings(list: &[String]) -> impl Iterator<Item = String> {
    list.iter().flat_map(|text| spellings(text))
}

//! Dialects and tools, compiled to the rules of the engine.

mod dialect;

use super::pattern::Pattern;
use super::syntax::Syntax;
use super::{ProfileError, check};
use crate::check::Checker;
use crate::dialect::Dialect;
use crate::lexicon::{Builder, Lexicon, Number, Role, number};
use crate::profile::{
    CallSettings, CallsInThinking, CallsInside, CodeStyle, OrphanClose, RefusedCalls, UnknownTool,
};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use dialect::{DialectRule, EnvelopeKeys, Style};

/// All that the engine knows about calls.
#[derive(Debug)]
pub(crate) struct CallRules {
    pub(crate) openers: Vec<Opener>,
    /// What opens calls.
    opening: Lexicon,
    pub(crate) heads: Vec<HeadRule>,
    pub(crate) dialects: Vec<DialectRule>,
    pub(crate) tools: Arc<[ToolRule]>,
    /// No list of tools is given.
    pub(crate) any_tool: bool,
    by_name: HashMap<Box<str>, Number>,
    /// Namespaces of tools that are not the user's.
    own_namespaces: Vec<Box<str>>,
    /// Openers count in thinking, and what they do there.
    pub(crate) in_thinking: bool,
    pub(crate) ends_thinking: bool,
    pub(crate) missing_end: bool,
    /// Calls count in code too.
    pub(crate) in_code: bool,
    pub(crate) unknown_tool: UnknownTool,
    /// The text of a refused call is shown.
    pub(crate) shows_refused: bool,
    /// An opener that is text makes a notice.
    pub(crate) near_misses: bool,
    pub(crate) decode_entities: bool,
    unwrapped: bool,
    drops_orphans: bool,
    pub(crate) max_calls: u64,
    pub(crate) id_prefix: Box<str>,
    pub(crate) checker: Checker,
}

/// What may start with one opening tag or literal. Several dialects may share it.
#[derive(Debug)]
pub(crate) struct Opener {
    pattern: Pattern,
    /// The wrapper that it opens, for each dialect.
    pub(crate) wraps: Vec<Number>,
    /// The call whose name is in it.
    pub(crate) named: Option<Number>,
    /// The call whose name follows it as text.
    pub(crate) text: Option<Number>,
    /// The dialect whose JSON names the call, and the one whose calls are Python.
    pub(crate) envelope: Option<Number>,
    pub(crate) python: Option<Number>,
    /// It is not markup: it counts only for declared tools.
    pub(crate) is_plain: bool,
    /// It is part of the call: it counts only where a line begins.
    pub(crate) is_bare: bool,
    /// What must follow it after a word without meaning.
    pub(crate) skip: Option<Arc<Lexicon>>,
    /// What may follow it.
    pub(crate) lexicon: Arc<Lexicon>,
    /// The same in text that follows it, where another opener counts too.
    pub(crate) in_text: Arc<Lexicon>,
}

impl Opener {
    /// Whether it must begin a line: it is a word that prose has too.
    pub(crate) fn begins_line(&self) -> bool {
        let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
        self.is_plain && matches!(&self.pattern, Pattern::Literal(text) if is_word(text))
    }

    /// Whether it continues what the prompt has written, by its form: it counts only at the start of the
    /// message.
    pub(crate) fn continues_prompt(&self) -> bool {
        matches!(&self.pattern, Pattern::Literal(text) if text.starts_with(' '))
    }

    /// Whether it is a special token, by its form: nobody writes that in prose.
    pub(crate) fn is_special(&self) -> bool {
        let is_special = |text: &str| text.starts_with("<|") || text.starts_with("<｜");
        let text = match &self.pattern {
            Pattern::Literal(text) => &**text,
            Pattern::Tag { brackets, .. } => return is_special(&brackets.open),
        };
        let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
        let inside = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        is_special(text) && text.ends_with('>')
            || inside.is_some_and(|name| !name.is_empty() && name.bytes().all(is_capital))
    }

    /// Whether it is a tag with a prefix, as in `<minimax:tool_call>`: in prose it is hardly followed by
    /// a call.
    pub(crate) fn has_prefix(&self) -> bool {
        matches!(&self.pattern, Pattern::Tag { name, .. } if name.contains(':') && !name.ends_with(':'))
    }
}

/// The openers while dialects are added.
#[derive(Default)]
struct Openers {
    list: Vec<Opener>,
    by_pattern: HashMap<Pattern, usize>,
    /// A lexicon without entries, for the many that nothing may follow.
    nothing: Arc<Lexicon>,
}

impl Openers {
    /// The opener with this pattern.
    fn get(&mut self, pattern: &Pattern) -> &mut Opener {
        let next = self.list.len();
        let index = *self.by_pattern.entry(pattern.folded()).or_insert(next);
        if index == next {
            self.list.push(Opener {
                pattern: pattern.clone(),
                wraps: Vec::new(),
                named: None,
                text: None,
                envelope: None,
                python: None,
                is_plain: true,
                is_bare: false,
                skip: None,
                lexicon: Arc::clone(&self.nothing),
                in_text: Arc::clone(&self.nothing),
            });
        }
        &mut self.list[index]
    }

    /// What opens calls.
    fn lexicon(&self) -> Lexicon {
        let mut builder = Builder::default();
        for (opener, number) in self.list.iter().zip(0..) {
            builder.pattern(&opener.pattern, Role::Call(number));
        }
        builder.build_shared()
    }
}

/// What opens one call.
#[derive(Debug)]
pub(crate) struct HeadRule {
    pub(crate) dialect: Number,
    pub(crate) name: NameAt,
    /// What ends a name that is text.
    pub(crate) lexicon: Arc<Lexicon>,
    /// JSON ends it too.
    pub(crate) is_bare: bool,
    /// What ends an id after the name.
    pub(crate) after_id: Arc<Lexicon>,
    /// What ends an id before the name, if there is one.
    pub(crate) before_name: Option<Arc<Lexicon>>,
    /// The head to try next, where another dialect has the same one without a wrapper.
    pub(crate) next: Option<Number>,
}

/// Where the name of a call or an argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameAt {
    Attribute(Box<str>),
    After,
    /// The tag is the name of this tool or argument.
    Tag(Number),
    /// The tag is the name, whatever it is.
    Name,
    Text,
}

#[derive(Debug)]
pub(crate) struct ToolRule {
    pub(crate) name: Box<str>,
    pub(crate) arguments: Vec<Box<str>>,
    /// Every name that an argument is accepted under, with its number.
    pub(crate) names: Vec<(Box<str>, Number)>,
    /// Others are accepted too.
    pub(crate) any_argument: bool,
}

impl CallRules {
    pub(crate) fn new(
        calls: &CallSettings,
        code: CodeStyle,
        markers: &[String],
    ) -> Result<Self, ProfileError> {
        check::tools(calls)?;
        let tools: Arc<[_]> = calls.tools.iter().map(ToolRule::new).collect();
        let mut rules = CallRules {
            by_name: tools.iter().map(|t| t.name.clone()).zip(0..).collect(),
            own_namespaces: own_namespaces(calls),
            openers: Vec::new(),
            opening: Lexicon::default(),
            heads: Vec::new(),
            dialects: Vec::new(),
            tools,
            any_tool: calls.any_tool && calls.tools.is_empty(),
            in_thinking: calls.in_thinking != CallsInThinking::Ignore,
            ends_thinking: calls.in_thinking == CallsInThinking::End,
            missing_end: calls.missing_end,
            in_code: calls.in_code == CallsInside::Promote,
            unknown_tool: calls.unknown_tool,
            shows_refused: calls.refused == RefusedCalls::Text,
            near_misses: calls.near_misses,
            decode_entities: calls.decode_entities,
            unwrapped: calls.unwrapped,
            drops_orphans: calls.orphan_close == OrphanClose::Drop,
            max_calls: calls.max_calls.unwrap_or(u64::MAX),
            id_prefix: calls.id_prefix.as_str().into(),
            checker: calls.checker.clone(),
        };
        let mut openers = Openers::default();
        let mut bare = Vec::new();
        for (i, dialect) in calls.dialects.iter().enumerate() {
            let syntax = check::dialect(dialect, code).and_then(|()| Syntax::read(dialect));
            let syntax = syntax.map_err(|error| error.inside(&format!("calls.dialects[{i}]")))?;
            bare.extend(rules.add(syntax, dialect, markers, &mut openers));
        }
        rules.add_bare_heads(bare, &mut openers);
        rules.opening = openers.lexicon();
        for opener in &mut openers.list {
            if !opener.wraps.is_empty() || opener.text.is_some() {
                opener.lexicon = Arc::new(rules.after(opener, markers));
            }
            if !opener.wraps.is_empty() {
                let mut in_text = Builder::default();
                in_text.add_all(&opener.lexicon);
                in_text.add_all(&rules.opening);
                opener.in_text = Arc::new(in_text.build());
            }
        }
        rules.openers = openers.list;
        Ok(rules)
    }

    pub(crate) fn dialect(&self, number: Number) -> &DialectRule {
        &self.dialects[number as usize]
    }

    pub(crate) fn head(&self, number: Number) -> &HeadRule {
        &self.heads[number as usize]
    }

    pub(crate) fn opener(&self, number: Number) -> &Opener {
        &self.openers[number as usize]
    }

    /// The first head of a dialect, for calls that lack one.
    pub(crate) fn head_of(&self, dialect: Number) -> Option<Number> {
        let mut heads = self.heads.iter();
        heads.position(|head| head.dialect == dialect).map(number)
    }

    /// What opens the wrapper of a dialect.
    pub(crate) fn opener_of(&self, dialect: Number) -> Option<Number> {
        let mut openers = self.openers.iter();
        let opener = openers.position(|opener| opener.wraps.contains(&dialect));
        opener.map(number)
    }

    pub(crate) fn tool_rule(&self, number: Number) -> &ToolRule {
        &self.tools[number as usize]
    }

    /// The number of the tool with this name. Models put a namespace before it, or the name itself:
    /// what is after the last dot counts if the whole is not declared.
    pub(crate) fn tool(&self, name: &str) -> Option<Number> {
        let exact = self.by_name.get(name);
        exact.or_else(|| self.in_namespace(name)).copied()
    }

    /// The declared tool after a namespace; `None` if that may be meant to be a tool too, or is the
    /// model's own.
    fn in_namespace(&self, name: &str) -> Option<&Number> {
        let (namespace, last) = name.rsplit_once('.')?;
        let is_other = |part: &str| part != last && self.by_name.contains_key(part);
        let is_own = |part: &str| self.own_namespaces.iter().any(|own| **own == *part);
        let mut parts = namespace.split('.');
        // law: namespace
        let has_other_reading = parts.any(|part| is_other(part) || is_own(part));
        self.by_name.get(last).filter(|_| !has_other_reading)
    }

    /// The name of a tool whose tag was written like this: of two that differ only in case, the one
    /// with the same spelling.
    pub(crate) fn spelled(&self, name: &str, tool: Number) -> &str {
        let declared = &self.tool_rule(tool).name;
        match self.tool(name).map(|tool| &self.tool_rule(tool).name) {
            Some(exact) if exact.eq_ignore_ascii_case(declared) => exact,
            _ => declared,
        }
    }

    /// Whether a name in its wrapper is accepted at once.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    /// Whether a fence may open calls.
    pub(crate) fn open_with_fence(&self) -> bool {
        let mut literals = self.opening.literals.iter();
        literals.any(|(literal, _)| literal.starts_with(b"```"))
    }

    /// Adds the literals among what opens calls.
    pub(crate) fn add_literal_openers(&self, builder: &mut Builder) {
        builder.add_literals(&self.opening, Some);
    }

    /// Adds what opens calls.
    pub(crate) fn add_openers(&self, builder: &mut Builder) {
        builder.add_all(&self.opening);
    }

    /// Adds the closers that may be in text without an opener.
    pub(crate) fn add_orphans(&self, builder: &mut Builder) {
        let drops = self.drops_orphans;
        for dialect in &self.dialects {
            // What is ordinary text closes calls, or nothing.
            let drops = drops && !dialect.is_plain;
            let role_of = |role| match role {
                Role::CallEnd | Role::ValueEnd(_) | Role::WrapperEnd if drops => Some(Role::Orphan),
                Role::WrapperEnd => Some(Role::WrapperEnd),
                _ => None,
            };
            if drops || self.unwrapped || dialect.style == Style::Envelope {
                builder.add_closers(&dialect.closers, role_of);
            }
            if drops {
                dialect.add_orphans_by_name(builder);
            }
        }
    }

    /// Adds a dialect. Returns the heads that open calls without a wrapper.
    fn add(
        &mut self,
        syntax: Syntax,
        dialect: &Dialect,
        markers: &[String],
        openers: &mut Openers,
    ) -> Vec<(Pattern, Number)> {
        let own_number = number(self.dialects.len());
        let first = number(self.heads.len());
        let heads = syntax.heads(own_number, &self.tools);
        for (pattern, after) in &syntax.wrapper_open {
            let opener = openers.get(pattern);
            opener.wraps.push(own_number);
            if let Some(after) = after {
                let mut skip = Builder::default();
                skip.pattern(after, Role::Separator);
                opener.skip = Some(Arc::new(skip.build()));
            }
            opener.is_bare = dialect.wrapper.as_ref().is_some_and(|w| w.bare);
            opener.is_plain &= opener.is_bare || dialect.plain;
            match syntax.style {
                Style::Envelope => {
                    opener.envelope.get_or_insert(own_number);
                }
                Style::Python => {
                    opener.python.get_or_insert(own_number);
                }
                _ => {}
            }
        }
        let rule = DialectRule::new(syntax, dialect, markers, &heads, first, &self.tools);
        let wrapped = rule.has_wrapper;
        self.dialects.push(rule);
        let (patterns, heads): (Vec<_>, Vec<_>) = heads.into_iter().unzip();
        self.heads.extend(heads);
        if wrapped && !self.unwrapped {
            return Vec::new();
        }
        patterns.into_iter().zip(first..).collect()
    }

    /// Of several heads with the same opener, those that need no JSON after them are tried first:
    /// where nothing follows, the call has no arguments.
    fn add_bare_heads(&mut self, mut bare: Vec<(Pattern, Number)>, openers: &mut Openers) {
        bare.sort_by_key(|(_, head)| self.style_of(*head) == Style::Json);
        for (pattern, head) in bare {
            let is_text = self.head(head).name == NameAt::Text;
            let opener = openers.get(&pattern);
            opener.is_plain &= self.dialect(self.head(head).dialect).is_plain;
            let first = if is_text {
                &mut opener.text
            } else {
                &mut opener.named
            };
            match *first {
                None => *first = Some(head),
                Some(first) => self.try_last(first, head),
            }
        }
    }

    fn style_of(&self, head: Number) -> Style {
        self.dialect(self.head(head).dialect).style
    }

    /// Puts a head at the end of those that begin with `first`.
    fn try_last(&mut self, first: Number, head: Number) {
        let last = self.heads_from(first).last().unwrap_or(first);
        self.heads[last as usize].next = Some(head);
    }

    /// A head and those to try after it.
    fn heads_from(&self, first: impl Into<Option<Number>>) -> impl Iterator<Item = Number> {
        std::iter::successors(first.into(), |head| self.head(*head).next)
    }

    /// What may follow an opener: whatever its wrappers may hold.
    fn after(&self, opener: &Opener, markers: &[String]) -> Lexicon {
        let mut builder = Builder::default();
        for dialect in &opener.wraps {
            builder.add_all(&self.dialect(*dialect).wrapper);
        }
        for head in self.heads_from(opener.text) {
            let head = self.head(head);
            // The id before the name may be empty.
            if let Some(after_id) = &head.before_name {
                builder.add_all(after_id);
            }
            let dialect = self.dialect(head.dialect);
            dialect.add_after_name(&mut builder, markers);
        }
        builder.build()
    }
}

impl ToolRule {
    fn new(tool: &crate::profile::ToolSignature) -> Self {
        let arguments: Vec<Box<str>> = tool.arguments.iter().map(|a| a.as_str().into()).collect();
        let own = arguments.iter().cloned().zip(0..);
        let alias = |(other, name): &(String, String)| {
            let argument = tool.arguments.iter().position(|a| a == name)?;
            Some((other.as_str().into(), number(argument)))
        };
        let names = own.chain(tool.aliases.iter().filter_map(alias)).collect();
        ToolRule {
            name: tool.name.as_str().into(),
            arguments,
            names,
            any_argument: tool.any_argument,
        }
    }

    /// The number of the argument that is accepted under this name.
    pub(crate) fn argument(&self, name: &str) -> Option<Number> {
        let found = self.names.iter().find(|(other, _)| **other == *name);
        found.map(|(_, number)| *number)
    }
}

/// The namespaces of tools that the models of these dialects were trained with.
fn own_namespaces(calls: &CallSettings) -> Vec<Box<str>> {
    let heads = calls.dialects.iter().flat_map(|dialect| &dialect.call);
    let names = heads.flat_map(|head| &head.own_namespaces);
    names.map(|name| name.as_str().into()).collect()
}

/// The number of an argument whose name is not the name of its tag, as in `<parameter=city>`.
pub(crate) const NAME_ELSEWHERE: Number = Number::MAX;
/// The number of an argument whose tag has its name, whatever that is: declared or not.
pub(crate) const ANY_NAME: Number = Number::MAX - 1;

//! Dialects and tools, compiled to what the engine asks.

mod dialect;

use super::pattern::Token;
use super::syntax::Syntax;
use super::{ProfileError, dialects, same_name};
use crate::check::Checker;
use crate::dialect::Dialect;
use crate::lexicon::{Builder, Lexicon, Number, Role};
use crate::profile::{Calls, Inside, OrphanClose, UnknownTool};
use std::collections::HashMap;

pub(crate) use dialect::{DialectRule, EnvelopeKeys, Style};

/// All that the engine knows of calls.
#[derive(Debug)]
pub(crate) struct CallRules {
    pub(crate) openers: Vec<Opener>,
    pub(crate) heads: Vec<HeadRule>,
    pub(crate) dialects: Vec<DialectRule>,
    pub(crate) tools: Vec<ToolRule>,
    by_name: HashMap<Box<str>, u16>,
    pub(crate) in_thinking: bool,
    /// Calls count in code too.
    pub(crate) in_code: bool,
    pub(crate) unknown_tool: UnknownTool,
    pub(crate) decode_entities: bool,
    unwrapped: bool,
    drops_orphans: bool,
    pub(crate) max_calls: u64,
    pub(crate) id_prefix: Box<str>,
    pub(crate) checker: Checker,
}

/// What may begin where one token opens. Several dialects may share it.
#[derive(Debug)]
pub(crate) struct Opener {
    token: Token,
    /// The wrapper that it opens, for each dialect.
    pub(crate) wraps: Vec<u16>,
    /// The call whose name stands in it.
    pub(crate) named: Option<u16>,
    /// The call whose name follows it as text.
    pub(crate) text: Option<u16>,
    /// The dialect whose JSON names the call.
    pub(crate) envelope: Option<u16>,
    /// What must follow it behind text that means nothing.
    pub(crate) skip: Option<Lexicon>,
    /// What may follow it.
    pub(crate) lexicon: Lexicon,
}

/// What opens one call.
#[derive(Debug)]
pub(crate) struct HeadRule {
    pub(crate) dialect: u16,
    pub(crate) name: NameAt,
    /// What ends a name that is text.
    pub(crate) lexicon: Lexicon,
    /// JSON ends it too.
    pub(crate) is_bare: bool,
    /// What ends an id behind the name.
    pub(crate) after_id: Lexicon,
    /// The head to try next, where another dialect has the same one without a wrapper.
    pub(crate) next: Option<u16>,
}

/// Where the name of a call or an argument stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameAt {
    Attribute(Box<str>),
    After,
    /// The tag is the name of this tool or argument.
    Tag(u16),
    /// The tag is the name, whatever it is.
    Name,
    Text,
}

#[derive(Debug)]
pub(crate) struct ToolRule {
    pub(crate) name: Box<str>,
    pub(crate) arguments: Vec<Box<str>>,
    /// Every name that an argument may come under, with its number.
    pub(crate) names: Vec<(Box<str>, u16)>,
}

impl CallRules {
    pub(crate) fn new(calls: &Calls) -> Result<Self, ProfileError> {
        dialects::check(calls)?;
        let tools: Vec<_> = calls.tools.iter().map(ToolRule::new).collect();
        let names = tools.iter().enumerate();
        let mut rules = CallRules {
            by_name: names.map(|(i, t)| (t.name.clone(), i as u16)).collect(),
            openers: Vec::new(),
            heads: Vec::new(),
            dialects: Vec::new(),
            tools,
            in_thinking: calls.in_thinking == Inside::Promote,
            in_code: calls.in_code == Inside::Promote,
            unknown_tool: calls.unknown_tool,
            decode_entities: calls.decode_entities,
            unwrapped: calls.unwrapped,
            drops_orphans: calls.orphan_close == OrphanClose::Drop,
            max_calls: calls.max_calls.unwrap_or(u64::MAX),
            id_prefix: calls.id_prefix.as_str().into(),
            checker: calls.checker.clone(),
        };
        let mut bare = Vec::new();
        for (i, dialect) in calls.dialects.iter().enumerate() {
            let syntax = Syntax::read(dialect, &format!("calls.dialects[{i}]"))?;
            bare.extend(rules.add(&syntax, dialect));
        }
        rules.add_bare_heads(bare);
        let followers: Vec<_> = rules.openers.iter().map(|o| rules.behind(o)).collect();
        for (opener, builder) in rules.openers.iter_mut().zip(followers) {
            opener.lexicon = builder;
        }
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

    /// What opens the wrapper of a dialect.
    pub(crate) fn opener_of(&self, dialect: Number) -> Option<Number> {
        let mut openers = self.openers.iter();
        let opener = openers.position(|opener| opener.wraps.contains(&dialect));
        opener.map(|opener| opener as Number)
    }

    pub(crate) fn tool_rule(&self, number: Number) -> &ToolRule {
        &self.tools[number as usize]
    }

    /// The number of the tool with this name.
    pub(crate) fn tool(&self, name: &str) -> Option<u16> {
        self.by_name.get(name).copied()
    }

    /// The name of a tool whose tag was written like this: of two that differ in case only, the one
    /// that is spelled so.
    pub(crate) fn spelled(&self, name: &str, tool: u16) -> &str {
        let usual = &self.tools[usize::from(tool)].name;
        match self
            .tool(name)
            .map(|tool| &self.tools[usize::from(tool)].name)
        {
            Some(exact) if exact.eq_ignore_ascii_case(usual) => exact,
            _ => usual,
        }
    }

    /// Whether a name is accepted at once where it stands in its wrapper.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Adds what opens calls, where they count.
    pub(crate) fn add_openers(&self, builder: &mut Builder) {
        for (i, opener) in self.openers.iter().enumerate() {
            builder.token(&opener.token, Role::Call(i as u16));
        }
    }

    /// Adds closers that may have no opener, in text.
    pub(crate) fn add_orphans(&self, builder: &mut Builder) {
        let role = match self.drops_orphans {
            true => Role::Orphan,
            false => Role::WrapperEnd,
        };
        let counts = |dialect: &&DialectRule| {
            self.drops_orphans || self.unwrapped || dialect.style == Style::Envelope
        };
        for dialect in self.dialects.iter().filter(counts) {
            let is_orphan = |role: &Role| match role {
                Role::WrapperEnd => true,
                Role::Bracket(..) | Role::Quote => false,
                _ => self.drops_orphans,
            };
            for tags in &dialect.closers.bracketed {
                let own = builder.bracketed(&tags.brackets);
                for (name, _) in tags.closes.iter().filter(|(_, r)| is_orphan(r)) {
                    own.add(&String::from_utf8_lossy(name), true, role);
                }
            }
            for list in [&dialect.closers.closes, &dialect.closers.literals] {
                let closes = list.iter().filter(|(_, r)| is_orphan(r));
                for (name, _) in closes {
                    let text = String::from_utf8_lossy(name);
                    match std::ptr::eq(list, &dialect.closers.closes) {
                        true => builder.close_once(&text, role),
                        false => builder.literal(&text, role),
                    }
                }
            }
            if self.drops_orphans {
                dialect.add_orphans_by_name(builder);
            }
        }
    }

    /// Adds a dialect; gives the heads that open calls without a wrapper.
    fn add(&mut self, syntax: &Syntax, dialect: &Dialect) -> Vec<(Token, u16)> {
        let number = self.dialects.len() as u16;
        let first = self.heads.len() as u16;
        let heads = syntax.heads(number, &self.tools);
        let rule = DialectRule::new(syntax, dialect, &heads, first, &self.tools);
        let wrapped = rule.has_wrapper;
        for (token, behind) in &syntax.wrapper_open {
            let opener = self.opener_for(token);
            opener.wraps.push(number);
            if let Some(behind) = behind {
                let mut skip = Builder::default();
                skip.token(behind, Role::Separator);
                opener.skip = Some(skip.build());
            }
            if rule.style == Style::Envelope {
                opener.envelope.get_or_insert(number);
            }
        }
        self.dialects.push(rule);
        let (tokens, heads): (Vec<_>, Vec<_>) = heads.into_iter().unzip();
        self.heads.extend(heads);
        match !wrapped || self.unwrapped {
            true => tokens.into_iter().zip(first..).collect(),
            false => Vec::new(),
        }
    }

    /// Of several heads that open alike, those are tried first that need no JSON behind them: where
    /// nothing follows, the call has no arguments.
    fn add_bare_heads(&mut self, mut bare: Vec<(Token, u16)>) {
        bare.sort_by_key(|(_, head)| self.style_of(*head) == Style::Json);
        for (token, head) in bare {
            let is_text = self.heads[usize::from(head)].name == NameAt::Text;
            let opener = self.opener_for(&token);
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

    fn style_of(&self, head: u16) -> Style {
        let dialect = self.heads[usize::from(head)].dialect;
        self.dialects[usize::from(dialect)].style
    }

    /// Puts a head at the end of those that begin with `first`.
    fn try_last(&mut self, first: u16, head: u16) {
        let mut last = first;
        while let Some(next) = self.heads[usize::from(last)].next {
            last = next;
        }
        self.heads[usize::from(last)].next = Some(head);
    }

    fn opener_for(&mut self, token: &Token) -> &mut Opener {
        let known = self.openers.iter().position(|o| o.token.is_like(token));
        let i = known.unwrap_or_else(|| {
            self.openers.push(Opener {
                token: token.clone(),
                wraps: Vec::new(),
                named: None,
                text: None,
                envelope: None,
                skip: None,
                lexicon: Builder::default().build(),
            });
            self.openers.len() - 1
        });
        &mut self.openers[i]
    }

    /// What may follow an opener: whatever its wrappers may hold.
    fn behind(&self, opener: &Opener) -> Lexicon {
        let mut builder = Builder::default();
        for dialect in &opener.wraps {
            builder.add_all(&self.dialects[usize::from(*dialect)].wrapper);
        }
        let next = |head: &u16| self.heads[usize::from(*head)].next;
        for head in std::iter::successors(opener.text, next) {
            let dialect = usize::from(self.heads[usize::from(head)].dialect);
            builder.add_all(&self.dialects[dialect].closers);
        }
        builder.build()
    }
}

impl Token {
    fn is_like(&self, other: &Token) -> bool {
        match (self, other) {
            (Token::Open(a), Token::Open(b)) => same_name(a, b),
            (
                Token::Bracketed { brackets, name, .. },
                Token::Bracketed {
                    brackets: others,
                    name: other,
                    ..
                },
            ) => brackets == others && same_name(name, other),
            (a, b) => a == b,
        }
    }
}

impl ToolRule {
    fn new(tool: &crate::profile::Tool) -> Self {
        let arguments: Vec<Box<str>> = tool.arguments.iter().map(|a| a.as_str().into()).collect();
        let own = arguments.iter().cloned().zip(0..);
        let alias = |(other, name): &(String, String)| {
            let number = tool.arguments.iter().position(|a| a == name)?;
            Some((other.as_str().into(), number as u16))
        };
        let names = own.chain(tool.aliases.iter().filter_map(alias)).collect();
        ToolRule {
            name: tool.name.as_str().into(),
            arguments,
            names,
        }
    }

    /// The number of the argument that may come under this name.
    pub(crate) fn argument(&self, name: &str) -> Option<u16> {
        let found = self.names.iter().find(|(other, _)| **other == *name);
        found.map(|(_, number)| *number)
    }
}

/// The number of an argument whose name is not in its tag's name.
pub(crate) const ANY: u16 = u16::MAX;
/// The number of an argument whose tag has its name, whatever that is.
pub(crate) const NAMED: u16 = u16::MAX - 1;

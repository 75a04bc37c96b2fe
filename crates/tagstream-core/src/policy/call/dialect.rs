//! One dialect, compiled: what counts where in its calls.

use super::{HeadRule, NameAt, ToolRule};
use crate::brackets::Brackets;
use crate::dialect::{Arguments, Dialect, Layout, Repair};
use crate::json::relaxed::Relaxed;
use crate::lexicon::{Builder, Lexicon, Number, Role};
use crate::policy::pattern::{Opening, Pattern};
use crate::policy::syntax::{SaysString, Syntax};
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub(crate) struct DialectRule {
    pub(crate) style: Style,
    pub(crate) layout: Layout,
    pub(crate) says_string: Option<SaysString>,
    /// One JSON object may stand in place of the arguments, right behind the head.
    pub(crate) json: bool,
    /// Where the name of an argument stands.
    pub(crate) argument: NameAt,
    pub(crate) has_wrapper: bool,
    /// The wrapper has a closer, and the call has one.
    pub(crate) wrapper_closes: bool,
    /// Behind JSON that holds a call, more such JSON may follow.
    pub(crate) several: bool,
    pub(crate) call_closes: bool,
    /// Before and behind the name in the text of an id.
    pub(crate) id: Option<(Box<str>, Box<str>)>,
    pub(crate) repairs: Vec<Repair>,
    /// What counts in the wrapper, and behind a call that is broken.
    pub(crate) wrapper: Lexicon,
    pub(crate) closers: Lexicon,
    /// What counts in a call, by tool where arguments are tags of their own.
    inside: Insides,
    pub(crate) keys: Option<EnvelopeKeys>,
    /// How JSON is written, where that is not as JSON is written.
    pub(crate) relaxed: Option<Relaxed>,
    /// The brackets of the tags that a value may hold, where they belong to it.
    pub(crate) nested: Option<Brackets>,
}

/// What counts in the calls of each tool, put together when the first one is read: a profile may
/// have many tools that are never called.
#[derive(Debug)]
struct Insides {
    syntax: Syntax,
    heads: Lexicon,
    tools: Arc<[ToolRule]>,
    /// One for each tool, or one for all if there are no `tools`.
    list: Vec<OnceLock<Box<Inner>>>,
}

/// What counts between the arguments of a call and in their values.
#[derive(Debug)]
struct Inner {
    between: Lexicon,
    value: Lexicon,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Elements,
    Pairs,
    Json,
    Envelope,
}

/// The keys of a JSON object that holds a call.
#[derive(Debug)]
pub(crate) struct EnvelopeKeys {
    pub(crate) name: Vec<Box<str>>,
    pub(crate) arguments: Vec<Box<str>>,
    pub(crate) id: Vec<Box<str>>,
    pub(crate) inside: Option<Box<str>>,
    /// The only key is the name, and its value the arguments.
    pub(crate) by_key: bool,
}

/// What opens the calls of a dialect, whose heads are numbered from `first` on.
fn openers(heads: &[(Pattern, HeadRule)], first: Number) -> Lexicon {
    let mut builder = Builder::default();
    for ((pattern, _), number) in heads.iter().zip(first..) {
        builder.pattern(pattern, Role::Head(number));
    }
    builder.build_shared()
}

/// What counts in the wrapper, between calls.
fn wrapper(syntax: &Syntax, heads: &Lexicon) -> Lexicon {
    let mut wrapper = Builder::default();
    wrapper.add_all(heads);
    syntax.add_wrapper_end(&mut wrapper);
    if syntax.style != Style::Envelope {
        syntax.add_wrapper_again(&mut wrapper);
    }
    wrapper.build()
}

/// What counts in JSON, and behind a call that is broken.
fn closers(syntax: &Syntax, heads: &Lexicon, relaxed: Option<&Relaxed>) -> Lexicon {
    let mut closers = Builder::default();
    syntax.add_call_end(&mut closers, None);
    syntax.add_wrapper_end(&mut closers);
    syntax.add_json_end(&mut closers);
    closers.add_all(heads);
    if let Some(relaxed) = relaxed {
        relaxed.add_to(&mut closers);
    }
    if syntax.style == Style::Envelope {
        syntax.add_wrapper_again(&mut closers);
    }
    closers.build()
}

impl Insides {
    fn new(syntax: Syntax, heads: Lexicon, tools: &Arc<[ToolRule]>) -> Self {
        let by_tool = syntax.argument == Some(Opening::Named(None)) || syntax.closes_by_name;
        let tools = if by_tool {
            Arc::clone(tools)
        } else {
            Arc::default()
        };
        Insides {
            list: (0..tools.len().max(1)).map(|_| OnceLock::new()).collect(),
            syntax,
            heads,
            tools,
        }
    }

    fn get(&self, tool: Option<Number>) -> &Inner {
        let index = tool.filter(|_| !self.tools.is_empty()).unwrap_or(0) as usize;
        let inner = || Inner::new(&self.syntax, &self.heads, self.tools.get(index));
        self.list[index].get_or_init(|| Box::new(inner()))
    }
}

impl Inner {
    fn new(syntax: &Syntax, heads: &Lexicon, tool: Option<&ToolRule>) -> Self {
        let mut value = Builder::default();
        syntax.add_arguments(&mut value, tool);
        syntax.add_call_end(&mut value, tool);
        value.add_all(heads);
        let value = value.build();
        let mut between = Builder::default();
        // Where an argument has the name of its tool, this closes the call.
        syntax.add_call_end(&mut between, tool);
        between.add_all(&value);
        syntax.add_json_open(&mut between);
        syntax.add_wrapper_end(&mut between);
        syntax.add_wrapper_again(&mut between);
        Inner {
            between: between.build(),
            value,
        }
    }
}

impl DialectRule {
    pub(super) fn new(
        syntax: Syntax,
        dialect: &Dialect,
        heads: &[(Pattern, HeadRule)],
        first: Number,
        tools: &Arc<[ToolRule]>,
    ) -> Self {
        let relaxed = match &dialect.arguments {
            Arguments::Json { quote, bare_keys } => Relaxed::new(quote.as_deref(), *bare_keys),
            _ => None,
        };
        let heads = openers(heads, first);
        DialectRule {
            style: syntax.style,
            layout: syntax.layout,
            says_string: syntax.says_string.clone(),
            json: syntax.json,
            argument: match &syntax.argument {
                Some(Opening::Attribute { attribute, .. }) => NameAt::Attribute(attribute.clone()),
                Some(Opening::After { .. }) => NameAt::After,
                Some(Opening::Named(Some(_))) => NameAt::Name,
                _ => NameAt::Text,
            },
            has_wrapper: !syntax.wrapper_open.is_empty(),
            wrapper_closes: !syntax.wrapper_close.is_empty(),
            several: dialect.wrapper.as_ref().is_some_and(|w| w.several),
            call_closes: !syntax.call_close.is_empty() || syntax.closes_by_name,
            id: syntax.id.clone(),
            repairs: dialect.repairs.clone(),
            wrapper: wrapper(&syntax, &heads),
            closers: closers(&syntax, &heads, relaxed.as_ref()),
            keys: EnvelopeKeys::new(&dialect.arguments),
            relaxed,
            nested: match &syntax.argument {
                Some(Opening::Named(own)) => own.clone(),
                _ => None,
            },
            inside: Insides::new(syntax, heads, tools),
        }
    }

    /// Adds the closing tags of calls that are the names of their tools.
    pub(super) fn add_orphans_by_name(&self, builder: &mut Builder) {
        for tool in self.inside.tools.iter() {
            self.inside
                .syntax
                .add_named_end(builder, tool, Role::Orphan);
        }
    }

    pub(crate) fn repairs(&self, repair: Repair) -> bool {
        self.repairs.contains(&repair)
    }

    pub(crate) fn between(&self, tool: Option<Number>) -> &Lexicon {
        &self.inside.get(tool).between
    }

    pub(crate) fn value(&self, tool: Option<Number>) -> &Lexicon {
        &self.inside.get(tool).value
    }
}

impl EnvelopeKeys {
    fn new(arguments: &Arguments) -> Option<Self> {
        let boxed = |keys: &[String]| keys.iter().map(|key| key.as_str().into()).collect();
        match arguments {
            Arguments::Envelope {
                name,
                arguments,
                id,
                inside,
            } => Some(EnvelopeKeys {
                name: boxed(name),
                arguments: boxed(arguments),
                id: boxed(id),
                inside: inside.as_deref().map(Into::into),
                by_key: false,
            }),
            Arguments::Keyed => Some(EnvelopeKeys {
                name: Vec::new(),
                arguments: Vec::new(),
                id: Vec::new(),
                inside: None,
                by_key: true,
            }),
            _ => None,
        }
    }
}

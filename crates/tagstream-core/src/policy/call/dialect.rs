//! One dialect, compiled: what counts where in its calls.

use super::{HeadRule, NameAt, ToolRule};
use crate::brackets::Brackets;
use crate::dialect::{Arguments, Dialect, Layout, Repair};
use crate::json::relaxed::Relaxed;
use crate::lexicon::{Builder, Lexicon, Number, Role};
use crate::policy::pattern::{Opening, Pattern};
use crate::policy::syntax::Syntax;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub(crate) struct DialectRule {
    pub(crate) style: Style,
    /// What opens and closes its calls is ordinary text.
    pub(crate) is_plain: bool,
    pub(crate) layout: Layout,
    pub(crate) says_string: Option<SaysString>,
    /// One JSON object may be in place of the arguments, directly after the head.
    pub(crate) json: bool,
    /// Its JSON is written as Python writes it.
    pub(crate) python: bool,
    /// A value may be between `<![CDATA[` and `]]>`.
    pub(crate) cdata: bool,
    /// The names in its attributes may have entities.
    decodes_attributes: bool,
    /// Where the name of an argument is.
    pub(crate) argument: NameAt,
    pub(crate) has_wrapper: bool,
    /// The wrapper has a closer, and the call has one.
    pub(crate) wrapper_closes: bool,
    pub(crate) call_closes: bool,
    /// More JSON that holds a call may follow the first.
    pub(crate) several: bool,
    /// The text before and after the name in an id.
    pub(crate) id: Option<(Box<str>, Box<str>)>,
    pub(crate) repairs: Vec<Repair>,
    /// What counts in the wrapper, between calls.
    pub(crate) wrapper: Lexicon,
    /// What counts in JSON, and after a call that is broken.
    pub(crate) closers: Lexicon,
    pub(crate) keys: Option<EnvelopeKeys>,
    /// How its JSON departs from JSON.
    pub(crate) relaxed: Option<Relaxed>,
    /// The brackets of the tags that belong to a value.
    pub(crate) nested: Option<Brackets>,
    insides: Insides,
}

/// What counts in the calls of each tool, put together when the first one is read: a profile may
/// have many tools that are never called.
#[derive(Debug)]
struct Insides {
    syntax: Syntax,
    heads: Lexicon,
    tools: Arc<[ToolRule]>,
    /// One for each tool, or one for all if there are no `tools`.
    list: Vec<OnceLock<Box<Inside>>>,
}

/// What counts between the arguments of a call and in their values.
#[derive(Debug)]
struct Inside {
    between: Lexicon,
    value: Lexicon,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Elements,
    Pairs,
    Json,
    Envelope,
    Python,
}

impl Style {
    pub(crate) fn of(arguments: &Arguments) -> Self {
        match arguments {
            Arguments::Elements { .. } => Style::Elements,
            Arguments::Pairs { .. } => Style::Pairs,
            Arguments::Json { .. } => Style::Json,
            Arguments::Envelope { .. } | Arguments::Keyed => Style::Envelope,
            Arguments::Python => Style::Python,
        }
    }
}

/// An attribute that says whether a value is a string or JSON.
#[derive(Clone, Debug)]
pub(crate) struct SaysString {
    pub(crate) attribute: Box<str>,
    /// Its value is the name of a type; otherwise it is `true` or `false`.
    is_type: bool,
}

impl SaysString {
    fn new(arguments: &Arguments) -> Option<Self> {
        let Arguments::Elements {
            string_attribute,
            type_attribute,
            ..
        } = arguments
        else {
            return None;
        };
        let attribute = string_attribute.as_ref().or(type_attribute.as_ref())?;
        Some(SaysString {
            attribute: attribute.as_str().into(),
            is_type: string_attribute.is_none(),
        })
    }

    /// Whether this value of the attribute says that it is a string.
    pub(crate) fn is_string(&self, value: &str) -> bool {
        if self.is_type {
            value.trim() == "string"
        } else {
            value.trim() != "false"
        }
    }
}

/// The keys of a JSON object that holds a call.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeKeys {
    pub(crate) name: Vec<Box<str>>,
    pub(crate) arguments: Vec<Box<str>>,
    pub(crate) id: Vec<Box<str>>,
    pub(crate) inside: Option<Box<str>>,
    /// The only key is the name, and its value the arguments.
    pub(crate) by_key: bool,
}

impl DialectRule {
    /// Compiles a dialect whose heads have the numbers from `first_head` on.
    pub(super) fn new(
        syntax: Syntax,
        dialect: &Dialect,
        markers: &[String],
        heads: &[(Pattern, HeadRule)],
        first_head: Number,
        tools: &Arc<[ToolRule]>,
    ) -> Self {
        let (layout, json) = match &dialect.arguments {
            Arguments::Elements { layout, json, .. } => (*layout, *json),
            Arguments::Pairs { layout, .. } => (*layout, false),
            _ => (Layout::Inline, false),
        };
        let relaxed = match &dialect.arguments {
            Arguments::Json { quote, bare_keys } => Relaxed::new(quote.as_deref(), *bare_keys),
            _ => None,
        };
        let (argument, nested) = match syntax.arguments_open.first() {
            Some(Opening::Attribute { attribute, .. }) => {
                (NameAt::Attribute(attribute.clone()), None)
            }
            Some(Opening::After { .. }) => (NameAt::After, None),
            Some(Opening::Named(Some(own))) => (NameAt::Name, Some(own.clone())),
            _ => (NameAt::Text, None),
        };
        let id = dialect.call.as_ref().and_then(|head| head.id.as_deref());
        let heads = openers(heads, first_head);
        let closers = closers(&syntax, &heads, relaxed.as_ref(), markers);
        DialectRule {
            style: syntax.style,
            is_plain: dialect.plain || dialect.wrapper.as_ref().is_some_and(|w| w.bare),
            layout,
            says_string: SaysString::new(&dialect.arguments),
            json,
            python: matches!(dialect.arguments, Arguments::Envelope { python: true, .. }),
            cdata: matches!(dialect.arguments, Arguments::Elements { cdata: true, .. }),
            decodes_attributes: dialect.entities,
            argument,
            has_wrapper: !syntax.wrapper_open.is_empty(),
            wrapper_closes: !syntax.wrapper_close.is_empty(),
            call_closes: syntax.call_closes(),
            several: dialect.wrapper.as_ref().is_some_and(|w| w.several),
            id: id.and_then(around_name),
            repairs: dialect.repairs.clone(),
            wrapper: wrapper(&syntax, &heads, markers),
            closers,
            keys: EnvelopeKeys::new(&dialect.arguments),
            relaxed,
            nested,
            insides: Insides::new(syntax, heads, tools),
        }
    }

    /// Adds the closing tags of calls that are the names of their tools.
    pub(super) fn add_orphans_by_name(&self, builder: &mut Builder) {
        let Insides { syntax, tools, .. } = &self.insides;
        for tool in tools.iter() {
            syntax.add_named_end(builder, tool, Role::Orphan);
        }
    }

    pub(crate) fn repairs(&self, repair: Repair) -> bool {
        self.repairs.contains(&repair)
    }

    /// Adds what may follow the name of a call.
    pub(super) fn add_after_name(&self, builder: &mut Builder, markers: &[String]) {
        let Insides { syntax, heads, .. } = &self.insides;
        add_closers(builder, syntax, heads, self.relaxed.as_ref());
        add_markers(builder, markers);
        syntax.add_argument_openers(builder);
    }

    /// A name in a tag, as it is meant.
    pub(crate) fn decoded<'t>(&self, name: &'t str) -> Cow<'t, str> {
        if self.decodes_attributes {
            crate::entities::decode(name)
        } else {
            name.into()
        }
    }

    /// Whether the tags of arguments are their names, of which only the declared ones count.
    pub(crate) fn has_named_tags(&self) -> bool {
        let opening = self.insides.syntax.arguments_open.first();
        opening == Some(&Opening::Named(None))
    }

    /// What counts between the arguments of a call.
    pub(crate) fn between(&self, tool: Option<Number>) -> &Lexicon {
        &self.insides.get(tool).between
    }

    /// What counts in the value of an argument.
    pub(crate) fn value(&self, tool: Option<Number>) -> &Lexicon {
        &self.insides.get(tool).value
    }
}

/// The text before and after the name in `functions.{name}:{number}`.
fn around_name(id: &str) -> Option<(Box<str>, Box<str>)> {
    let (before, after) = id.split_once("{name}")?;
    let after = after.strip_suffix("{number}").unwrap_or(after);
    Some((before.into(), after.into()))
}

/// What opens the calls of a dialect.
fn openers(heads: &[(Pattern, HeadRule)], first: Number) -> Lexicon {
    let mut builder = Builder::default();
    for ((pattern, _), number) in heads.iter().zip(first..) {
        builder.pattern(pattern, Role::Head(number));
    }
    builder.build_shared()
}

fn wrapper(syntax: &Syntax, heads: &Lexicon, markers: &[String]) -> Lexicon {
    let mut wrapper = Builder::default();
    wrapper.add_all(heads);
    syntax.add_wrapper_end(&mut wrapper);
    if syntax.style != Style::Envelope {
        syntax.add_wrapper_again(&mut wrapper);
    }
    syntax.add_argument_openers(&mut wrapper);
    add_markers(&mut wrapper, markers);
    wrapper.build()
}

/// Adds the markers of the profile, unless the dialect gives them a meaning.
fn add_markers(builder: &mut Builder, markers: &[String]) {
    for marker in markers {
        builder.literal(marker, Role::Marker);
    }
}

fn closers(
    syntax: &Syntax,
    heads: &Lexicon,
    relaxed: Option<&Relaxed>,
    markers: &[String],
) -> Lexicon {
    let mut closers = Builder::default();
    add_closers(&mut closers, syntax, heads, relaxed);
    // Calls in Python may be in the brackets that open them.
    if syntax.style != Style::Python {
        syntax.add_wrapper_again(&mut closers);
    }
    add_markers(&mut closers, markers);
    closers.build()
}

fn add_closers(builder: &mut Builder, syntax: &Syntax, heads: &Lexicon, relaxed: Option<&Relaxed>) {
    syntax.add_call_end(builder, None);
    syntax.add_wrapper_end(builder);
    syntax.add_json_end(builder);
    builder.add_all(heads);
    if let Some(relaxed) = relaxed {
        relaxed.add_to(builder);
    }
}

impl Insides {
    fn new(syntax: Syntax, heads: Lexicon, tools: &Arc<[ToolRule]>) -> Self {
        let tools = if syntax.depends_on_tool() {
            Arc::clone(tools)
        } else {
            Arc::default()
        };
        Insides {
            list: (0..=tools.len()).map(|_| OnceLock::new()).collect(),
            syntax,
            heads,
            tools,
        }
    }

    fn get(&self, tool: Option<Number>) -> &Inside {
        // The last is that of a tool that is not declared, and of all where they do not differ.
        let declared = tool.filter(|_| !self.tools.is_empty());
        let index = declared.map_or(self.tools.len(), |tool| tool as usize);
        self.list[index].get_or_init(|| Box::new(self.inside(self.tools.get(index))))
    }

    fn inside(&self, tool: Option<&ToolRule>) -> Inside {
        let syntax = &self.syntax;
        let mut value = Builder::default();
        syntax.add_arguments(&mut value, tool);
        syntax.add_call_end(&mut value, tool);
        value.add_all(&self.heads);
        let value = value.build();
        let mut between = Builder::default();
        // Where an argument has the name of its tool, this closes the call.
        syntax.add_call_end(&mut between, tool);
        between.add_all(&value);
        syntax.add_json_open(&mut between);
        syntax.add_nameless_arguments(&mut between);
        syntax.add_wrapper_end(&mut between);
        syntax.add_wrapper_again(&mut between);
        Inside {
            between: between.build(),
            value,
        }
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
                ..
            } => Some(EnvelopeKeys {
                name: boxed(name),
                arguments: boxed(arguments),
                id: boxed(id),
                inside: inside.as_deref().map(Into::into),
                by_key: false,
            }),
            Arguments::Keyed => Some(EnvelopeKeys {
                by_key: true,
                ..EnvelopeKeys::default()
            }),
            _ => None,
        }
    }
}

//! A dialect's strings, read: what opens and closes what, as entries of lexicons.

use super::ProfileError;
use super::call::{ANY, HeadRule, NameAt, Style, ToolRule};
use super::pattern::{Opening, Token};
use crate::dialect::{Arguments, Dialect, Layout};
use crate::lexicon::{Builder, Lexicon, Role};

/// The strings of a dialect, read.
pub(super) struct Syntax {
    pub(super) wrapper_open: Vec<Token>,
    pub(super) wrapper_close: Vec<Token>,
    pub(super) ignore: Vec<Box<str>>,
    pub(super) call_open: Vec<Opening>,
    pub(super) call_close: Vec<Token>,
    /// The call's closer has the name of its tool.
    pub(super) closes_by_name: bool,
    pub(super) id: Option<(Box<str>, Box<str>)>,
    pub(super) style: Style,
    pub(super) argument: Option<Opening>,
    pub(super) arguments_open: Vec<Opening>,
    pub(super) value_close: Vec<Token>,
    /// What opens and closes a key, and what opens a value.
    pub(super) pairs: Option<[Token; 3]>,
    pub(super) layout: Layout,
    pub(super) string_attribute: Option<Box<str>>,
}

impl Syntax {
    pub(super) fn read(dialect: &Dialect, key: &str) -> Result<Self, ProfileError> {
        let refuse = |key: String| move |problem: String| ProfileError { key, problem };
        let openings = |list: &[String], place: &str, key: String| {
            let read = |(i, text): (usize, &String)| {
                Opening::read(text, place).map_err(refuse(format!("{key}[{i}]")))
            };
            list.iter()
                .enumerate()
                .map(read)
                .collect::<Result<Vec<_>, _>>()
        };
        let tokens = |list: &[String]| list.iter().map(|text| Token::read(text)).collect();
        let wrapper = dialect.wrapper.clone().unwrap_or_default();
        let head = dialect.call.clone().unwrap_or_default();
        let named = |list: &[String]| list.iter().any(|text| text.contains("{name}"));
        let mut syntax = Syntax {
            wrapper_open: tokens(&wrapper.open),
            wrapper_close: tokens(&wrapper.close),
            ignore: wrapper
                .ignore
                .iter()
                .map(|text| text.as_str().into())
                .collect(),
            call_open: openings(&head.open, "{name}", format!("{key}.call.open"))?,
            call_close: match named(&head.close) {
                true => Vec::new(),
                false => tokens(&head.close),
            },
            closes_by_name: named(&head.close),
            id: head.id.as_deref().and_then(id_pattern),
            style: Style::Json,
            argument: None,
            arguments_open: Vec::new(),
            value_close: Vec::new(),
            pairs: None,
            layout: Layout::Inline,
            string_attribute: None,
        };
        match &dialect.arguments {
            Arguments::Json => {}
            Arguments::Envelope { .. } => syntax.style = Style::Envelope,
            Arguments::Elements {
                open,
                close,
                layout,
                string_attribute,
            } => {
                syntax.style = Style::Elements;
                syntax.arguments_open =
                    openings(open, "{argument}", format!("{key}.arguments.open"))?;
                syntax.argument = syntax.arguments_open.first().cloned();
                syntax.value_close = tokens(close);
                syntax.layout = *layout;
                syntax.string_attribute = string_attribute.as_deref().map(Into::into);
            }
            Arguments::Pairs {
                key: [key_open, key_close],
                value: [open, close],
                layout,
            } => {
                syntax.style = Style::Pairs;
                syntax.pairs = Some([key_open, key_close, open].map(|text| Token::read(text)));
                syntax.value_close = vec![Token::read(close)];
                syntax.layout = *layout;
            }
        }
        Ok(syntax)
    }

    /// What opens a call of this dialect, one for each tool where its tag is the tool's name.
    pub(super) fn heads(&self, dialect: u16, tools: &[ToolRule]) -> Vec<(Token, HeadRule)> {
        let mut heads = Vec::new();
        let mut add = |token: Token, name: NameAt, lexicon: Lexicon| {
            let head = HeadRule {
                dialect,
                name,
                lexicon,
            };
            heads.push((token, head));
        };
        let none = || Builder::default().build();
        let mut texts: Vec<&Token> = Vec::new();
        for opening in &self.call_open {
            match opening {
                Opening::Attribute { tag, attribute } => {
                    let name = NameAt::Attribute(attribute.clone());
                    add(Token::Open(tag.clone()), name, none());
                }
                Opening::Behind { tag } => {
                    add(Token::Open(tag.clone()), NameAt::Behind, none());
                }
                Opening::Named => {
                    for (i, tool) in tools.iter().enumerate() {
                        add(
                            Token::Open(tool.name.clone()),
                            NameAt::Tag(i as u16),
                            none(),
                        );
                    }
                }
                Opening::Text { opener, .. } if texts.contains(&opener) => {}
                Opening::Text { opener, .. } => {
                    texts.push(opener);
                    add(opener.clone(), NameAt::Text, self.behind_name(opener));
                }
            }
        }
        heads
    }

    /// What ends a name that is text: separators, or else the next tag of the dialect.
    pub(super) fn behind_name(&self, opener: &Token) -> Lexicon {
        let mut builder = Builder::default();
        for opening in &self.call_open {
            match opening {
                Opening::Text {
                    opener: other,
                    separator,
                } if other == opener => match separator {
                    Some(separator) => builder.token(&Token::read(separator), Role::Separator),
                    None => {
                        self.add_arguments(&mut builder, None);
                        self.add_call_end(&mut builder, None);
                    }
                },
                _ => {}
            }
        }
        builder.build()
    }

    pub(super) fn add_wrapper_end(&self, builder: &mut Builder) {
        for token in &self.wrapper_close {
            builder.token(token, Role::WrapperEnd);
        }
        for literal in &self.ignore {
            builder.literal(literal, Role::Marker);
        }
    }

    pub(super) fn add_call_end(&self, builder: &mut Builder, tool: Option<&ToolRule>) {
        for token in &self.call_close {
            builder.token(token, Role::CallEnd);
        }
        if let (true, Some(tool)) = (self.closes_by_name, tool) {
            builder.close_once(&tool.name, Role::CallEnd);
        }
    }

    pub(super) fn add_arguments(&self, builder: &mut Builder, tool: Option<&ToolRule>) {
        for opening in &self.arguments_open {
            match opening {
                Opening::Attribute { tag, .. } | Opening::Behind { tag } => {
                    builder.open_once(tag, Role::Argument(ANY));
                }
                _ => {
                    for (name, number) in tool.iter().flat_map(|tool| &tool.names) {
                        builder.open_once(name, Role::Argument(*number));
                        builder.close_once(name, Role::ValueEnd(*number));
                    }
                }
            }
        }
        for token in self.value_close.iter().filter(|token| !token.is_named()) {
            builder.token(token, Role::ValueEnd(ANY));
        }
        if let Some([key, key_close, value]) = &self.pairs {
            builder.token(key, Role::Key);
            builder.token(key_close, Role::KeyEnd);
            builder.token(value, Role::Value);
        }
    }
}

impl Token {
    /// Whether it is `</{argument}>`.
    pub(super) fn is_named(&self) -> bool {
        matches!(self, Token::Literal(text) if text.contains("{argument}"))
    }
}

/// What stands before and behind the name in `functions.{name}:{number}`.
fn id_pattern(text: &str) -> Option<(Box<str>, Box<str>)> {
    let (before, behind) = text.split_once("{name}")?;
    let behind = behind.strip_suffix("{number}").unwrap_or(behind);
    Some((before.into(), behind.into()))
}

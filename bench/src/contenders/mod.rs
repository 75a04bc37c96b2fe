//! The contenders. Each reads the pieces of a message and adds up what came out.

mod bare;
mod dynamo_v1;
mod dynamo_v2;
mod lol;
mod reasoning;
mod tags;
mod xml;

use crate::message::Message;

pub use tags::{policy, stream};

pub const TAGSTREAM: &str = "tagstream";
pub const MEMCHR: &str = "memchr alone";
pub const VISIT: &str = "bare visit";

/// Reads the pieces of a message.
type Run = dyn Fn(&[&str]) -> Tally;

/// One row of a table.
pub struct Contender {
    pub name: &'static str,
    pub kind: Kind,
    pub run: Box<Run>,
}

/// What may be asked of a contender.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It separates thought and answer.
    Parser,
    /// It only touches the bytes: a floor to compare with.
    Floor,
    /// The same, and it is told where the thought ends, so that it can only take whole messages.
    WholeFloor,
}

impl Contender {
    fn new(name: &'static str, kind: Kind, run: impl Fn(&[&str]) -> Tally + 'static) -> Self {
        Contender {
            name,
            kind,
            run: Box::new(run),
        }
    }
}

/// All of them, for this message.
pub fn all(message: &Message) -> Vec<Contender> {
    use Kind::{Floor, Parser, WholeFloor};
    use tagstream::CodeStyle;

    let thought = message.thought.end;
    vec![
        Contender::new(TAGSTREAM, Parser, tags::reader(CodeStyle::Markdown)),
        Contender::new("tagstream, code off", Parser, tags::reader(CodeStyle::None)),
        Contender::new(MEMCHR, Floor, bare::memchr_alone),
        Contender::new("bare copy, one string", Floor, bare::copy_into_one),
        Contender::new("bare copy, each piece", Floor, bare::copy_each),
        Contender::new(VISIT, WholeFloor, move |pieces| {
            bare::visit(pieces, thought)
        }),
        Contender::new("reasoning-parser 1.10.0", Parser, reasoning::run),
        Contender::new("dynamo-parsers 11.0.1", Parser, dynamo_v1::run),
        Contender::new("dynamo-parsers-v2 0.9.6", Parser, dynamo_v2::run),
        Contender::new("lol_html 3.0.3", Parser, lol::run),
        Contender::new("quick-xml 0.42.0", Parser, xml::run),
    ]
}

/// What came out: lengths by kind, and a byte of each event, so that no one can skip the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub thought: usize,
    pub text: usize,
    /// Markup that came out as such.
    pub rest: usize,
    pub seen: usize,
}

impl Tally {
    #[inline]
    fn thought(&mut self, bytes: &[u8]) {
        self.thought += bytes.len();
        self.read(bytes);
    }

    #[inline]
    fn text(&mut self, bytes: &[u8]) {
        self.text += bytes.len();
        self.read(bytes);
    }

    #[inline]
    fn rest(&mut self, bytes: &[u8]) {
        self.rest += bytes.len();
        self.read(bytes);
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) {
        if let Some(&byte) = bytes.first() {
            self.seen = self.seen.wrapping_add(usize::from(byte));
        }
    }

    /// Whether thought and text are as long as they are in the message.
    pub fn is_right(&self, message: &Message) -> bool {
        self.thought == message.thought.len() && self.text == message.answer().len()
    }
}

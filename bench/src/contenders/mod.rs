//! The contenders for thinking extraction. Each reads the chunks of a message and reports what is
//! thought and what is answer.

mod bare;
#[cfg(feature = "peers")]
mod peers;

use std::rc::Rc;

use crate::measure::Cut;
use crate::message::Message;
use crate::own::thinking::Thinking;

pub const TAGSTREAM: &str = "tagstream";
pub const MEMCHR: &str = "memchr alone";
pub const VISIT: &str = "bare visit";

/// A parser that separates thoughts from the answer.
pub trait Reader {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S);
}

/// Takes what a parser emits.
pub trait Sink {
    fn thought(&mut self, bytes: &[u8]);
    fn text(&mut self, bytes: &[u8]);
    /// Markup that is emitted as such.
    fn markup(&mut self, bytes: &[u8]);
}

/// Reads the chunks of a message.
type Run<T> = Box<dyn Fn(&[&str]) -> T>;

/// One row of a table.
pub struct Contender {
    pub name: &'static str,
    pub kind: Kind,
    /// Adds up what comes out.
    pub run: Run<Tally>,
    /// Keeps what comes out.
    pub keep: Run<Sections>,
}

/// What may be asked of a contender.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It separates thoughts from the answer.
    Parser,
    /// It only touches the bytes: a floor to compare with.
    Floor,
    /// A floor that is given the end of the thought, so that it can only take whole messages.
    WholeFloor,
}

impl Contender {
    fn parser(name: &'static str, reader: impl Reader + 'static) -> Self {
        let reader = Rc::new(reader);
        let keeper = Rc::clone(&reader);
        Contender {
            name,
            kind: Kind::Parser,
            run: Box::new(move |chunks| {
                let mut tally = Tally::default();
                reader.read(chunks, &mut tally);
                tally
            }),
            keep: Box::new(move |chunks| {
                let mut sections = Sections::default();
                keeper.read(chunks, &mut sections);
                sections
            }),
        }
    }

    fn floor(
        name: &'static str,
        kind: Kind,
        run: impl Fn(&[&str]) -> Tally + 'static,
    ) -> Contender {
        Contender {
            name,
            kind,
            run: Box::new(run),
            keep: Box::new(|_| Sections::default()),
        }
    }

    /// Whether it can read a message cut like this.
    pub fn takes(&self, cut: Cut) -> bool {
        cut.size.is_none() || self.kind != Kind::WholeFloor
    }

    pub fn is_parser(&self) -> bool {
        self.kind == Kind::Parser
    }
}

/// All of them, for this message.
pub fn all(message: &Message) -> Vec<Contender> {
    use Kind::{Floor, WholeFloor};

    let thought = message.thought.end;
    let mut all = vec![
        Contender::parser(TAGSTREAM, Thinking::new()),
        Contender::parser("tagstream, code off", Thinking::without_code()),
        Contender::floor(MEMCHR, Floor, bare::memchr_alone),
        Contender::floor("bare copy, one string", Floor, bare::copy_into_one),
        Contender::floor("bare copy, each chunk", Floor, bare::copy_each),
        Contender::floor(VISIT, WholeFloor, move |chunks| {
            bare::visit(chunks, thought)
        }),
    ];
    all.extend(peers());
    all
}

#[cfg(feature = "peers")]
fn peers() -> Vec<Contender> {
    vec![
        Contender::parser("reasoning-parser 1.10.0", peers::ReasoningParser),
        Contender::parser("dynamo-parsers 11.0.1", peers::DynamoV1),
        Contender::parser("dynamo-parsers-v2 0.9.6", peers::DynamoV2),
        Contender::parser("smg-symphony 0.1.0", peers::Symphony),
        Contender::parser("lol_html 3.0.3", peers::LolHtml),
        Contender::parser("quick-xml 0.42.0", peers::QuickXml),
    ]
}

#[cfg(not(feature = "peers"))]
fn peers() -> Vec<Contender> {
    Vec::new()
}

/// What came out: lengths by kind, and a byte of each event, so that no contender can skip the
/// text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub thought: usize,
    pub text: usize,
    pub markup: usize,
    pub seen: usize,
}

impl Sink for Tally {
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
    fn markup(&mut self, bytes: &[u8]) {
        self.markup += bytes.len();
        self.read(bytes);
    }
}

impl Tally {
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

/// The thoughts and the answer, each joined.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sections {
    pub thought: Vec<u8>,
    pub text: Vec<u8>,
}

impl Sink for Sections {
    fn thought(&mut self, bytes: &[u8]) {
        self.thought.extend_from_slice(bytes);
    }

    fn text(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn markup(&mut self, _: &[u8]) {}
}

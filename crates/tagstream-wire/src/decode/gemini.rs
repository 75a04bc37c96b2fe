//! Gemini's `streamGenerateContent`, as events or as a list, and `generateContent`.

use super::delta::{CallPiece, Delta, Each, Joins, Slot};
use super::number::{flag, number};
use super::partial::{Partial, Piece};
use super::tell;
use super::text::{Text, arguments, list};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    candidates: Vec<Candidate<'a>>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt_feedback: Option<Feedback<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default, deserialize_with = "number")]
    index: Option<u64>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(default, deserialize_with = "flag")]
    thought: bool,
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCall<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    /// Pieces of arguments, where those stream.
    #[serde(default, deserialize_with = "list")]
    partial_args: Vec<Piece>,
    /// More of it comes.
    #[serde(default, deserialize_with = "flag")]
    will_continue: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow)]
    block_reason: Option<Text<'a>>,
}

/// What must be known of the frames before.
#[derive(Debug, Default)]
pub(crate) struct Gemini {
    /// The reasons of choices that seem to be over. Some versions say so in every frame, so that
    /// only the end of the stream shows that it was true.
    over: Vec<(u64, String)>,
    /// The calls of which more comes.
    open: Vec<Open>,
    /// How many calls came in pieces.
    count: u64,
    /// Arguments that come in pieces have no more bytes.
    limit: usize,
}

/// A call that comes in pieces.
#[derive(Debug)]
struct Open {
    choice: u64,
    index: u64,
    id: Option<String>,
    partial: Partial,
}

/// No message has more open at once: the first of them gets no more pieces, and is not complete.
const MOST_OPEN: usize = 16;
/// No request asks for more choices, and no reason has more bytes.
const MOST_OVER: usize = 1024;
const LONGEST_REASON: usize = 256;
/// Where the numbers of calls begin that come in pieces, so that they are no text's.
const FIRST: u64 = 1 << 32;

impl Gemini {
    /// With this limit for arguments that come in pieces.
    pub(crate) fn new(limit: usize) -> Self {
        Gemini {
            limit,
            ..Self::default()
        }
    }

    /// What a frame adds.
    pub(crate) fn read<'a>(
        &mut self,
        data: &'a str,
        each: Each<'_, 'a>,
    ) -> Result<(), serde_json::Error> {
        let response: Response<'a> = serde_json::from_str(data)?;
        tell::error(response.error, each);
        let blocked = response.prompt_feedback.and_then(|f| f.block_reason);
        if let Some(reason) = Text::given(blocked) {
            let message = format!("the prompt was blocked: {reason}").into();
            each(Delta::Error { message });
        }
        for (place, candidate) in response.candidates.into_iter().enumerate() {
            self.candidate(candidate, place as u64, each);
        }
        tell::usage(response.usage_metadata, each);
        Ok(())
    }

    /// The stream is over, and so are the choices that said so.
    pub(crate) fn finish(&mut self, each: Each<'_, 'static>) {
        for (choice, reason) in std::mem::take(&mut self.over) {
            let reason = reason.into();
            each(Delta::Finish { choice, reason });
        }
    }

    fn candidate<'a>(&mut self, candidate: Candidate<'a>, place: u64, each: Each<'_, 'a>) {
        let choice = candidate.index.unwrap_or(place);
        let parts = candidate.content.map(|content| content.parts);
        for part in parts.unwrap_or_default() {
            self.part(part, choice, each);
        }
        if let Some(reason) = Text::given(candidate.finish_reason) {
            self.is_over(choice, &reason);
        }
    }

    fn is_over(&mut self, choice: u64, reason: &str) {
        self.over.retain(|(other, _)| *other != choice);
        if self.over.len() < MOST_OVER {
            let end = reason.floor_char_boundary(LONGEST_REASON);
            self.over.push((choice, reason[..end].to_owned()));
        }
    }

    fn part<'a>(&mut self, part: Part<'a>, choice: u64, each: Each<'_, 'a>) {
        let slot = Slot { choice, block: 0 };
        match part.thought {
            true => tell::reasoning(slot, Some(part.text), each),
            false => tell::text(slot, Some(part.text), each),
        }
        if let Some(function) = part.function_call {
            self.call(function, choice, each);
        }
    }

    fn call<'a>(&mut self, function: FunctionCall<'a>, choice: u64, each: Each<'_, 'a>) {
        let streams = function.will_continue || !function.partial_args.is_empty();
        match self.find(&function, choice) {
            Some(at) => self.go_on(at, function, each),
            None if streams => {
                self.make_room(each);
                let at = self.begin(&function, choice, each);
                self.go_on(at, function, each);
            }
            None => each(Delta::Call {
                choice,
                call: CallPiece {
                    index: None,
                    id: Text::given(function.id),
                    name: Text::given(function.name),
                    arguments: arguments(function.args),
                    joins: Joins::Nothing,
                },
            }),
        }
    }

    /// The call that a piece goes on with: the one with its id, or the last, if it has no name.
    fn find(&self, function: &FunctionCall<'_>, choice: u64) -> Option<usize> {
        let id = function
            .id
            .as_ref()
            .map(|id| &*id.0)
            .filter(|id| !id.is_empty());
        let is_named = function
            .name
            .as_ref()
            .is_some_and(|name| !name.0.is_empty());
        self.open.iter().rposition(|open| {
            let is_it = match (id, open.id.as_deref()) {
                (Some(id), Some(known)) => id == known,
                _ => !is_named,
            };
            open.choice == choice && is_it
        })
    }

    fn make_room<'a>(&mut self, each: Each<'_, 'a>) {
        if self.open.len() >= MOST_OPEN {
            let Open { choice, index, .. } = self.open.remove(0);
            let slot = Slot {
                choice,
                block: index,
            };
            each(Delta::BlockEnd { slot });
        }
    }

    fn begin<'a>(&mut self, function: &FunctionCall<'a>, choice: u64, each: Each<'_, 'a>) -> usize {
        let index = FIRST + self.count;
        self.count += 1;
        let id = Text::given(function.id.clone());
        let whole = function
            .args
            .map(RawValue::get)
            .filter(|json| json.starts_with('{'));
        self.open.push(Open {
            choice,
            index,
            id: id.as_deref().map(str::to_owned),
            partial: Partial::new(whole, self.limit),
        });
        // Without its end, what follows is not JSON, and the call not complete.
        let call = CallPiece {
            index: Some(index),
            id,
            name: Text::given(function.name.clone()),
            arguments: "{".into(),
            joins: Joins::ByRule,
        };
        each(Delta::Call { choice, call });
        self.open.len() - 1
    }

    fn go_on<'a>(&mut self, at: usize, function: FunctionCall<'a>, each: Each<'_, 'a>) {
        let open = &mut self.open[at];
        for piece in function.partial_args {
            open.partial.add(piece);
        }
        if function.will_continue {
            return;
        }
        let Open {
            choice,
            index,
            partial,
            ..
        } = self.open.remove(at);
        let json = partial.json().unwrap_or_default();
        let rest = json.get(1..).unwrap_or("").to_owned();
        let call = CallPiece::more(index, rest.into());
        each(Delta::Call { choice, call });
        let slot = Slot {
            choice,
            block: index,
        };
        each(Delta::BlockEnd { slot });
    }
}

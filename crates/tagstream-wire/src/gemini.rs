//! Gemini's `streamGenerateContent`, as events or as a list, and `generateContent`.

use crate::delta::{CallPiece, Delta, Each, Joins, Slot};
use crate::text::{Text, arguments, error, list};
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
    #[serde(default)]
    thought: bool,
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
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
    /// only the end of the stream tells that it was true.
    over: Vec<(u64, String)>,
}

impl Gemini {
    /// What a frame adds.
    pub(crate) fn read<'a>(
        &mut self,
        data: &'a str,
        each: Each<'_, 'a>,
    ) -> Result<(), serde_json::Error> {
        let response: Response<'a> = serde_json::from_str(data)?;
        if let Some(raw) = response.error {
            each(Delta::Error {
                message: error(raw),
            });
        }
        let blocked = response.prompt_feedback.and_then(|f| f.block_reason);
        if let Some(reason) = Text::given(blocked) {
            let message = format!("the prompt was blocked: {reason}").into();
            each(Delta::Error { message });
        }
        for (place, candidate) in response.candidates.into_iter().enumerate() {
            self.candidate(candidate, place as u64, each);
        }
        if let Some(usage) = response.usage_metadata {
            let usage = usage.get().into();
            each(Delta::Usage { usage });
        }
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
            part.read(choice, each);
        }
        if let Some(reason) = Text::given(candidate.finish_reason) {
            self.over.retain(|(other, _)| *other != choice);
            self.over.push((choice, reason.into_owned()));
        }
    }
}

impl<'a> Part<'a> {
    fn read(self, choice: u64, each: Each<'_, 'a>) {
        let slot = Slot { choice, block: 0 };
        match Text::given(Some(self.text)) {
            Some(text) if self.thought => each(Delta::Reasoning { slot, text }),
            Some(text) => each(Delta::Text { slot, text }),
            None => {}
        }
        if let Some(function) = self.function_call {
            let call = CallPiece {
                index: None,
                id: Text::given(function.id),
                name: Text::given(function.name),
                arguments: arguments(function.args),
                joins: Joins::Nothing,
            };
            each(Delta::Call { choice, call });
        }
    }
}

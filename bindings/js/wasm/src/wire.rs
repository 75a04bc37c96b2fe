//! Provider streams: read into events, or rewritten.

use crate::options;
use crate::profile::{Call, RawProfile, Whole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tagstream::EventKind;
use tagstream::tools::Tools;
use tagstream::wire::rewrite::{CallMode, Options, OrphanClose, Refused, Rewriter, Thinking};
use tagstream::wire::{
    Aggregate, Aggregator, Endpoint, Format, Notice, Request, Session, WireEvent, WireKind,
};
use wasm_bindgen::prelude::*;

fn format(name: &str) -> Result<Format, JsValue> {
    let format = name.parse::<Format>();
    format.map_err(|error| options::refuse("format", &error.to_string(), None, None))
}

/// Reads a provider's stream.
#[wasm_bindgen]
pub struct RawSession(Option<Session>);

#[wasm_bindgen]
impl RawSession {
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &RawProfile, from: &str) -> Result<RawSession, JsValue> {
        let session = Session::new(&profile.loaded.profile, format(from)?);
        let session = session.map_err(|error| options::of_profile(&error))?;
        Ok(RawSession(Some(session)))
    }

    /// The events of these bytes, as a JSON list.
    pub fn push(&mut self, chunk: &[u8]) -> String {
        let mut list = List::default();
        if let Some(session) = &mut self.0 {
            session.push(chunk, &mut |event| list.add(&event));
        }
        list.end()
    }

    /// The rest of them.
    pub fn finish(&mut self) -> String {
        let mut list = List::default();
        if let Some(session) = self.0.take() {
            session.finish(&mut |event| list.add(&event));
        }
        list.end()
    }

    /// The format, as far as it is known.
    pub fn format(&self) -> String {
        let format = self.0.as_ref().map_or(Format::Auto, Session::format);
        format.name().to_owned()
    }
}

#[derive(Default)]
struct List(String);

impl List {
    fn add(&mut self, event: &WireEvent<'_>) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        let json = serde_json::to_string(&event.with_span()).unwrap_or_default();
        let WireKind::Message(EventKind::CallEnd { arguments, .. }) = event.event else {
            return self.0.push_str(&json);
        };
        // The object, with one more key.
        self.0.push_str(json.trim_end_matches('}'));
        let arguments = serde_json::to_string(arguments).unwrap_or_default();
        self.0
            .push_str(&format!(",\"arguments_json\":{arguments}}}"));
    }

    fn end(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "[]" } else { "]" });
        self.0
    }
}

/// The messages of a whole stream or body, as a JSON list.
#[wasm_bindgen]
pub fn aggregate(
    profile: &RawProfile,
    from: &str,
    data: &[u8],
    whitespace: &str,
) -> Result<String, JsValue> {
    let session = Session::new(&profile.loaded.profile, format(from)?);
    let mut session = session.map_err(|error| options::of_profile(&error))?;
    let mut aggregator = Aggregator::new().whitespace(options::whitespace(whitespace)?);
    session.push(data, &mut |event| aggregator.event(&event));
    session.finish(&mut |event| aggregator.event(&event));
    let messages = aggregator.finish();
    let messages: Vec<_> = messages.iter().map(Choice::from).collect();
    Ok(serde_json::to_string(&messages).unwrap_or_default())
}

/// A message of a stream. Its arguments are texts, so that no number in them changes.
#[derive(Serialize)]
struct Choice<'m> {
    choice: u64,
    #[serde(flatten)]
    message: Whole<'m, Notice>,
    finish_reason: Option<&'m str>,
    usage: &'m Option<Map<String, Value>>,
}

impl<'m> From<&'m Aggregate> for Choice<'m> {
    fn from(read: &'m Aggregate) -> Self {
        let calls = read.tool_calls.iter().map(|call| Call {
            id: &call.id,
            name: &call.name,
            arguments_json: call.arguments.get(),
        });
        Choice {
            choice: read.choice,
            message: Whole {
                content: &read.content,
                thoughts: &read.thoughts,
                tool_calls: calls.collect(),
                notices: &read.notices,
            },
            finish_reason: read.finish_reason.as_deref(),
            usage: &read.usage,
        }
    }
}

/// What a request says about its answer, as JSON: the format, the tools that can be called and
/// whether it is streamed. `None` if it does not ask for a message.
///
/// There are no tools if the server runs all of them, or if they cannot be understood: that is for
/// the server to judge.
#[wasm_bindgen]
pub fn request(path: &str, body: &str) -> Option<String> {
    let endpoint = Endpoint::of_path(path)?;
    let request = Request::read(endpoint, body)?;
    let is_callable = |json: &String| Tools::parse(json).is_ok_and(|tools| !tools.is_empty());
    let read = json!({
        "format": endpoint.format.name(),
        "streams": request.streams,
        "tools": request.tools.filter(is_callable),
    });
    Some(read.to_string())
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RewriteOptions {
    thinking: Option<String>,
    reasoning_field: Option<String>,
    calls: Option<String>,
    refused: Option<String>,
}

/// Rewrites a provider's stream: thinking and calls in their proper fields.
#[wasm_bindgen]
pub struct RawRewriter {
    rewriter: Option<Rewriter>,
    notices: String,
}

#[wasm_bindgen]
impl RawRewriter {
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &RawProfile, from: &str, rewrite: &str) -> Result<RawRewriter, JsValue> {
        let mut options = rewrite_options(rewrite)?;
        if profile.loaded.sets_orphan_close {
            options.orphan_close = OrphanClose::AsProfile;
        }
        let rewriter = Rewriter::new(&profile.loaded.profile, format(from)?, options);
        let rewriter =
            rewriter.map_err(|error| options::refuse("format", &error.to_string(), None, None))?;
        Ok(RawRewriter {
            rewriter: Some(rewriter),
            notices: "[]".to_owned(),
        })
    }

    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.push(chunk, &mut out);
        }
        out
    }

    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(rewriter) = self.rewriter.take() {
            let notices = rewriter.finish(&mut out);
            self.notices = serde_json::to_string(&notices).unwrap_or_default();
        }
        out
    }

    /// The notices that have not been taken, as a JSON list.
    pub fn notices(&mut self) -> String {
        match &mut self.rewriter {
            Some(rewriter) => serde_json::to_string(&rewriter.take_notices()).unwrap_or_default(),
            None => std::mem::replace(&mut self.notices, "[]".to_owned()),
        }
    }
}

fn rewrite_options(text: &str) -> Result<Options, JsValue> {
    let read: RewriteOptions = serde_json::from_str(text)
        .map_err(|error| options::refuse("options", &error.to_string(), None, None))?;
    let mut options = Options::default();
    options.reasoning_field = read.reasoning_field;
    if let Some(name) = read.thinking {
        let allowed = [
            ("move", Thinking::Move),
            ("hide", Thinking::Hide),
            ("keep", Thinking::Keep),
        ];
        options.thinking = options::one_of("thinking", &name, &allowed)?;
    }
    if let Some(name) = read.calls {
        let allowed = [("whole", CallMode::Whole), ("stream", CallMode::Stream)];
        options.calls = options::one_of("calls", &name, &allowed)?;
    }
    if let Some(name) = read.refused {
        let allowed = [("show", Refused::Show), ("drop", Refused::Drop)];
        options.refused = options::one_of("refused", &name, &allowed)?;
    }
    Ok(options)
}

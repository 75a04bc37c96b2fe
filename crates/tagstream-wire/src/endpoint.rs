//! Requests: which format a path has, and what a request says about its answer.

use crate::format::Format;
use crate::json::{Patch, Tape, Value, string};

/// An endpoint of a provider that answers with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The format of its answers.
    pub format: Format,
    streams: Streams,
}

/// Whether an answer is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Streams {
    /// If the request says `"stream": true`.
    IfAsked,
    /// Unless the request says `"stream": false`.
    UnlessRefused,
    Always,
    Never,
}

/// How the path of an endpoint ends.
const PATHS: [(&str, Format, Streams); 8] = [
    ("/chat/completions", Format::OpenAi, Streams::IfAsked),
    ("/completions", Format::OpenAi, Streams::IfAsked),
    ("/responses", Format::Responses, Streams::IfAsked),
    ("/messages", Format::Anthropic, Streams::IfAsked),
    (":generateContent", Format::Gemini, Streams::Never),
    (":streamGenerateContent", Format::Gemini, Streams::Always),
    ("/api/chat", Format::Ollama, Streams::UnlessRefused),
    ("/api/generate", Format::Ollama, Streams::UnlessRefused),
];

impl Endpoint {
    /// The endpoint at this path, without its query; `None` for all that do not answer with messages.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let found = PATHS.iter().find(|(end, ..)| path.ends_with(end));
        found.map(|(_, format, streams)| Endpoint {
            format: *format,
            streams: *streams,
        })
    }
}

/// The name of the model in a path of Gemini's, with or without its query:
/// `…/models/NAME:generateContent`.
#[must_use]
pub fn model_in_path(path: &str) -> Option<&str> {
    let path = path.split('?').next()?;
    let (_, rest) = path.rsplit_once("/models/")?;
    let (model, verb) = rest.rsplit_once(':')?;
    (!verb.contains('/')).then_some(model)
}

/// What a request says about its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The model, if the body names one.
    pub model: Option<String>,
    /// Whether the answer is streamed.
    pub streams: bool,
    /// The declared tools, as a JSON object with them alone; `None` if there are none, or if the
    /// request forbids calls.
    pub tools: Option<String>,
}

impl Request {
    /// Reads the body of a request; `None` if it is not a JSON object.
    #[must_use]
    pub fn read(endpoint: Endpoint, body: &str) -> Option<Self> {
        let mut tape = Tape::default();
        let root = tape.read(body).ok()?.root();
        if !root.is_object() {
            return None;
        }
        let asked = root.get("stream").map(|stream| stream.raw() == "true");
        let streams = match endpoint.streams {
            Streams::IfAsked => asked.unwrap_or(false),
            Streams::UnlessRefused => asked.unwrap_or(true),
            Streams::Always => true,
            Streams::Never => false,
        };
        Some(Request {
            model: root.given("model").map(Into::into),
            streams,
            tools: tools(root).filter(|_| !forbids_calls(root)),
        })
    }
}

fn tools(root: Value<'_>) -> Option<String> {
    let keys = ["tools", "functions"];
    let found = keys.iter().find_map(|key| Some((key, root.get(key)?)));
    found
        .filter(|(_, tools)| !tools.is_empty())
        .map(|(key, tools)| format!("{{\"{key}\":{}}}", tools.raw()))
}

/// Whether a request says that the model must not call tools: `tool_choice` of OpenAI and Anthropic,
/// or the mode of Gemini.
fn forbids_calls(root: Value<'_>) -> bool {
    let choice = root.get("tool_choice");
    let config = root.get("toolConfig").or_else(|| root.get("tool_config"));
    let calling = config.and_then(|config| config.get("functionCallingConfig"));
    root.says("tool_choice", "none")
        || choice.is_some_and(|choice| choice.is_object() && choice.says("type", "none"))
        || calling.is_some_and(|calling| calling.says("mode", "NONE"))
}

/// The body of a request with another model; everything else stays as it was written.
#[must_use]
pub fn with_model(body: &str, model: &str) -> Option<String> {
    let mut tape = Tape::default();
    let doc = tape.read(body).ok()?;
    let mut patch = Patch::default();
    patch.set(doc.root(), "model", &string(model), false);
    Some(patch.json(doc))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, body: &str) -> Request {
        Request::read(Endpoint::of_path(path).unwrap(), body).unwrap()
    }

    #[test]
    fn paths_name_formats() {
        for (path, format) in [
            ("/v1/chat/completions", Format::OpenAi),
            ("/v1/completions", Format::OpenAi),
            ("/v1/responses", Format::Responses),
            ("/v1/messages", Format::Anthropic),
            ("/v1beta/models/m:streamGenerateContent", Format::Gemini),
            ("/v1beta/models/m:generateContent", Format::Gemini),
            ("/api/chat", Format::Ollama),
            ("/api/generate", Format::Ollama),
        ] {
            assert_eq!(Endpoint::of_path(path).unwrap().format, format, "{path}");
        }
        for path in [
            "/",
            "/v1/models",
            "/v1/messages/count_tokens",
            "/api/tags",
            "/v1/responses/resp_1",
        ] {
            assert_eq!(Endpoint::of_path(path), None, "{path}");
        }
        assert_eq!(
            model_in_path("/v1beta/models/gemini-3:generateContent"),
            Some("gemini-3")
        );
        for path in [
            "/v1/chat/completions?a=/models/m:x",
            "/models/m:1/v1/chat/completions",
        ] {
            assert_eq!(model_in_path(path), None, "{path}");
        }
    }

    #[test]
    fn a_request_says_what_its_answer_is() {
        let request = read(
            "/v1/messages",
            r#"{"model":"m","stream":true,"tools":[{"name":"f"}]}"#,
        );
        assert_eq!(request.model.as_deref(), Some("m"));
        assert!(request.streams);
        assert_eq!(
            request.tools.as_deref(),
            Some(r#"{"tools":[{"name":"f"}]}"#)
        );
        assert!(read("/api/chat", "{}").streams);
        assert!(!read("/api/chat", r#"{"stream":false}"#).streams);
        assert!(!read("/v1/chat/completions", "{}").streams);
    }

    #[test]
    fn a_request_that_forbids_calls_declares_no_tools() {
        for body in [
            r#"{"tools":[{}],"tool_choice":"none"}"#,
            r#"{"tools":[{}],"tool_choice":{"type":"none"}}"#,
            r#"{"tools":[{}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}"#,
            r#"{"tools":[]}"#,
        ] {
            assert_eq!(read("/v1/messages", body).tools, None, "{body}");
        }
    }

    #[test]
    fn only_the_model_is_renamed() {
        let body = "{ \"model\" : \"a\",\n \"n\": 1.50, \"big\": 99999999999999999999 }";
        let expected = body.replace("\"a\"", "\"b/c\"");
        assert_eq!(with_model(body, "b/c").as_deref(), Some(&*expected));
        assert_eq!(with_model("[", "b"), None);
    }
}

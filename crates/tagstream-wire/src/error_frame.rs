//! Errors and keep-alives in the format of a client, for servers that answer in place of a provider.

use crate::format::Format;
use crate::json::string;

/// Why an answer, or the rest of one, does not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// The HTTP status that it has, or would have if the answer had not begun.
    pub status: u16,
    /// A word for programs: `upstream_timeout`.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
}

impl ServerError {
    /// The body of an answer with its status, in the client's format.
    #[must_use]
    pub fn body(&self, format: Format) -> String {
        let (code, message) = (string(self.code), string(&self.message));
        match format {
            Format::Anthropic => {
                let kind = self.anthropic_type();
                format!(r#"{{"type":"error","error":{{"type":"{kind}","message":{message}}}}}"#)
            }
            Format::Gemini => {
                let (status, name) = (self.status, self.gemini_status());
                format!(r#"{{"error":{{"code":{status},"message":{message},"status":"{name}"}}}}"#)
            }
            Format::Ollama => format!(r#"{{"error":{message}}}"#),
            _ => {
                let kind = self.openai_type();
                format!(
                    r#"{{"error":{{"message":{message},"type":"{kind}","param":null,"code":{code}}}}}"#
                )
            }
        }
    }

    fn openai_type(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            400..=499 => "invalid_request_error",
            _ => "server_error",
        }
    }

    fn anthropic_type(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            404 => "not_found_error",
            413 => "request_too_large",
            400..=499 => "invalid_request_error",
            504 => "timeout_error",
            _ => "api_error",
        }
    }

    fn gemini_status(&self) -> &'static str {
        match self.status {
            401 => "UNAUTHENTICATED",
            404 => "NOT_FOUND",
            400..=499 => "INVALID_ARGUMENT",
            504 => "DEADLINE_EXCEEDED",
            _ => "UNAVAILABLE",
        }
    }
}

/// What keeps the connection of a streamed answer alive: an event that clients of Anthropic know, a
/// comment in the server-sent events of OpenAI; nothing where the format has no frame that says nothing, or
/// its clients read each frame as JSON, as those of Gemini do.
#[must_use]
pub fn keep_alive(format: Format) -> Option<&'static str> {
    match format {
        Format::Anthropic => Some("event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        Format::OpenAi | Format::Responses => Some(": keep-alive\n\n"),
        Format::Gemini | Format::Ollama | Format::Auto | Format::Text => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_error() {
        let error = ServerError {
            status: 504,
            code: "upstream_timeout",
            message: "no \"answer\"".to_owned(),
        };
        for (format, body) in [
            (
                Format::OpenAi,
                r#"{"error":{"message":"no \"answer\"","type":"server_error","param":null,"code":"upstream_timeout"}}"#,
            ),
            (
                Format::Anthropic,
                r#"{"type":"error","error":{"type":"timeout_error","message":"no \"answer\""}}"#,
            ),
            (
                Format::Gemini,
                r#"{"error":{"code":504,"message":"no \"answer\"","status":"DEADLINE_EXCEEDED"}}"#,
            ),
            (Format::Ollama, r#"{"error":"no \"answer\""}"#),
        ] {
            assert_eq!(error.body(format), body);
        }
    }
}

//! The format of a response, by the path of its request.

use super::Format;

/// The last segments of the paths under which servers stream messages, in lower case.
const PATHS: [(&str, Format); 9] = [
    ("/chat/completions", Format::OpenAi),
    ("/completions", Format::OpenAi),
    ("/responses", Format::Responses),
    ("/messages", Format::Anthropic),
    ("/api/chat", Format::Ollama),
    ("/api/generate", Format::Ollama),
    (":streamgeneratecontent", Format::Gemini),
    (":generatecontent", Format::Gemini),
    (":streamrawpredict", Format::Anthropic),
];

impl Format {
    /// The format in which a server answers requests to this path; `None` if it is not one under
    /// which messages are streamed. The query, if there is one, is ignored.
    ///
    /// ```
    /// use tagstream_wire::Format;
    ///
    /// assert_eq!(Format::for_path("/v1/chat/completions"), Some(Format::OpenAi));
    /// assert_eq!(Format::for_path("/v1/models"), None);
    /// ```
    #[must_use]
    pub fn for_path(path: &str) -> Option<Format> {
        let path = path.split(['?', '#']).next().unwrap_or("");
        let path = path.trim_end_matches('/').to_ascii_lowercase();
        let known = PATHS.iter().find(|(end, _)| path.ends_with(end));
        known.map(|(_, format)| *format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_providers_have_their_formats() {
        let cases = [
            ("/v1/chat/completions", Some(Format::OpenAi)),
            (
                "/openai/deployments/x/chat/completions?api-version=1",
                Some(Format::OpenAi),
            ),
            ("/v1/completions/", Some(Format::OpenAi)),
            ("/v1/responses", Some(Format::Responses)),
            ("/v1/messages", Some(Format::Anthropic)),
            (
                "/v1beta/models/g:streamGenerateContent?alt=sse",
                Some(Format::Gemini),
            ),
            ("/v1beta/models/g:generateContent", Some(Format::Gemini)),
            ("/api/chat", Some(Format::Ollama)),
            ("/api/generate", Some(Format::Ollama)),
            ("/v1/messages/count_tokens", None),
            ("/v1/responses/r_1", None),
            ("/v1/embeddings", None),
            ("/", None),
            ("", None),
        ];
        for (path, format) in cases {
            assert_eq!(Format::for_path(path), format, "{path}");
        }
    }
}

//! What a request asks for: its model, its tools, whether it wants a stream. One that is not understood
//! passes unchanged.

use super::decode::{DecodeError, decode};
use super::{Outbound, Outgoing};
use crate::config::Mode;
use crate::failure::{no_route, too_large};
use crate::live::Live;
use bytes::Bytes;
use http::header;
use std::sync::Arc;
use tagstream_wire::{Endpoint, Request, ServerError, model_in_path, with_model};

/// A request whose body was received.
pub(super) struct Unread {
    pub(super) live: Arc<Live>,
    /// `None`: only its model is of interest.
    pub(super) endpoint: Option<Endpoint>,
    pub(super) raw: Bytes,
}

impl Unread {
    pub(super) fn read(self, mut outbound: Outbound) -> Result<Outbound, ServerError> {
        let understood = self.text(&outbound)?.and_then(|text| {
            // All bodies name the model in the same way.
            let endpoint = self
                .endpoint
                .or_else(|| Endpoint::of_path("/completions"))?;
            Some((Request::read(endpoint, &text)?, text))
        });
        match understood {
            None => outbound.body = Outgoing::Known(self.raw),
            Some((request, text)) => self.route(request, text, &mut outbound)?,
        }
        Ok(outbound)
    }

    /// The body without its encoding; `None` if it cannot be read.
    fn text(&self, outbound: &Outbound) -> Result<Option<String>, ServerError> {
        let limit = self.live.config.limits.request;
        let encoding = outbound.headers.get(header::CONTENT_ENCODING);
        let decoded = match encoding.map(|encoding| encoding.to_str().unwrap_or("?")) {
            None | Some("identity") => Ok(self.raw.to_vec()),
            Some(encoding) => decode(&self.raw, encoding, limit),
        };
        match decoded {
            Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
            Err(DecodeError::TooLong) => Err(too_large(limit)),
            Err(DecodeError::Invalid | DecodeError::Unknown) => Ok(None),
        }
    }

    fn route(
        self,
        request: Request,
        mut text: String,
        outbound: &mut Outbound,
    ) -> Result<(), ServerError> {
        let in_path = model_in_path(&outbound.path_and_query).map(str::to_owned);
        if let Some(model) = request.model.or_else(|| in_path.clone()) {
            match self.live.config.route(&model) {
                Some(route) => outbound.route = route,
                None if self.endpoint.is_some() => return Err(no_route(&model)),
                None => {}
            }
            outbound.model = model;
        }
        let route = self.live.route(outbound.route);
        match (&route.rename, in_path) {
            (Some(name), Some(model)) => renamed_path(&mut outbound.path_and_query, &model, name),
            (Some(name), None) => text = with_model(&text, name).unwrap_or(text),
            (None, _) if self.endpoint.is_none() || route.mode == Mode::Off => {
                outbound.body = Outgoing::Known(self.raw);
                return Ok(());
            }
            (None, _) => {}
        }
        outbound.headers.remove(header::CONTENT_ENCODING);
        outbound.headers.remove(header::CONTENT_LENGTH);
        outbound.body = Outgoing::Known(Bytes::from(text));
        outbound.streams = request.streams;
        if let Some(endpoint) = self.endpoint.filter(|_| route.mode != Mode::Off) {
            let plans = &self.live.plans;
            outbound.reading = plans.get(outbound.route, route, endpoint.format, request.tools);
        }
        Ok(())
    }
}

/// Replaces the model in a path of Gemini's.
fn renamed_path(path: &mut String, model: &str, name: &str) {
    let named = format!("/models/{model}:");
    let end = path.find('?').unwrap_or(path.len());
    if let Some(at) = path[..end].rfind(&named) {
        path.replace_range(at..at + named.len(), &format!("/models/{name}:"));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_the_model_of_a_path_is_renamed() {
        let mut path = "/v1beta/models/m:generateContent?m=/models/m:".to_owned();
        super::renamed_path(&mut path, "m", "other");
        assert_eq!(path, "/v1beta/models/other:generateContent?m=/models/m:");
    }
}

//! What a request asks for: its model, its tools, whether it wants a stream. One that is not understood
//! passes unchanged.

use super::decode::{DecodeError, decode_all};
use super::{Outbound, Outgoing};
use crate::config::Mode;
use crate::failure::{no_route, too_large};
use crate::headers;
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

/// What happens to a request that cannot be read.
enum Unreadable {
    /// It passes unchanged, for this reason.
    Passes(&'static str),
    Refused(ServerError),
}

impl Unread {
    pub(super) fn read(self, mut outbound: Outbound) -> Result<Outbound, ServerError> {
        let text = self.text(&outbound);
        match text.and_then(|text| Ok((self.request(&text)?, text))) {
            Ok((request, text)) => self.route(request, text, &mut outbound)?,
            Err(Unreadable::Refused(error)) => return Err(error),
            Err(Unreadable::Passes(reason)) => {
                outbound.unread = self.endpoint.map(|_| reason);
                outbound.body = Outgoing::Known(self.raw);
            }
        }
        Ok(outbound)
    }

    /// The body without its encodings.
    fn text(&self, outbound: &Outbound) -> Result<String, Unreadable> {
        let limit = self.live.config.limits.request;
        let encodings = headers::content_encodings(&outbound.headers);
        match decode_all(&self.raw, &encodings, limit) {
            Ok(bytes) => String::from_utf8(bytes)
                .map_err(|_| Unreadable::Passes("the body of the request is not UTF-8")),
            Err(DecodeError::TooLong) => Err(Unreadable::Refused(too_large(limit))),
            Err(DecodeError::Invalid) => Err(Unreadable::Passes(
                "the body of the request cannot be decompressed",
            )),
            Err(DecodeError::Unknown) => Err(Unreadable::Passes(
                "the content encoding of the request is not known",
            )),
        }
    }

    fn request(&self, text: &str) -> Result<Request, Unreadable> {
        // All bodies name the model in the same way.
        let endpoint = self.endpoint.or_else(|| Endpoint::of_path("/completions"));
        let request = endpoint.and_then(|endpoint| Request::read(endpoint, text));
        // A byte order mark and too many brackets are in the way too.
        request.ok_or(Unreadable::Passes(
            "the body of the request is not a JSON object that can be read",
        ))
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

//! Why a request is refused or its answer breaks off, in words and as an answer of the client's format.

use crate::record::clipped;
use crate::upstream::OutBody;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy;
use std::error::Error;
use std::io;
use tagstream_wire::{Format, ServerError};

/// The code of a connection to an upstream that failed.
pub(crate) const UNREACHABLE: &str = "upstream_unreachable";

/// The code of a request whose client left while it sent its body: not the upstream's failure.
pub(crate) const CLIENT_LEFT: &str = "client_disconnected";

pub(crate) fn failure(status: u16, code: &'static str, message: impl Into<String>) -> ServerError {
    ServerError {
        status,
        code,
        message: message.into(),
    }
}

pub(crate) fn too_large(limit: usize) -> ServerError {
    let message = format!("the request is larger than {limit} bytes");
    failure(413, "request_too_large", message)
}

pub(crate) fn no_route(model: &str) -> ServerError {
    let model = clipped(model);
    let message = format!("no route of this proxy fits the model `{model}`");
    failure(404, "model_not_found", message)
}

pub(crate) fn late_first_byte() -> ServerError {
    let message = "the model server sent nothing in time";
    failure(504, "upstream_first_byte_timeout", message)
}

pub(crate) fn late_end() -> ServerError {
    let message = "the model server took too long for its whole answer";
    failure(504, "upstream_total_timeout", message)
}

pub(crate) fn truncated() -> ServerError {
    let message = "the model server ended its answer before it was complete";
    failure(502, "upstream_truncated", message)
}

/// An answer that broke off.
pub(crate) fn broken(error: &(dyn Error + 'static)) -> ServerError {
    let message = format!("the connection to the model server broke: {}", root(error));
    failure(502, "upstream_broken", message)
}

/// A request whose body cannot be read.
pub(crate) fn unread(error: &(dyn Error + 'static)) -> ServerError {
    let kind = root(error).downcast_ref::<io::Error>().map(io::Error::kind);
    let code = match kind {
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => "invalid_body",
        _ => CLIENT_LEFT,
    };
    failure(400, code, "the request broke off")
}

/// A request that could not be sent.
pub(crate) fn unsent(error: &legacy::Error) -> ServerError {
    let hyper = error
        .source()
        .and_then(|source| source.downcast_ref::<hyper::Error>());
    if hyper.is_some_and(hyper::Error::is_user) {
        return unread(error);
    }
    if error.is_connect() {
        let message = format!("the model server cannot be reached: {}", root(error));
        return failure(502, UNREACHABLE, message);
    }
    broken(error)
}

/// The first cause: what is above it repeats the kind of the error.
fn root<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

/// The answer to a request that is refused or cannot be passed on.
pub(crate) fn error_response(error: &ServerError, format: Format) -> Response<OutBody> {
    let mut response = Response::new(whole(Bytes::from(error.body(format))));
    *response.status_mut() = StatusCode::from_u16(error.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A body that is known.
pub(crate) fn whole(bytes: Bytes) -> OutBody {
    let body = Full::from(bytes).map_err(|never| match never {});
    body.boxed_unsync()
}

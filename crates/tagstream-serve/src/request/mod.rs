//! A request on its way to an upstream: who may send it, what it asks for, where it goes.

mod admit;
mod collect;
mod decode;
mod understand;

use crate::failure::whole;
use crate::headers;
use crate::live::Live;
use crate::plans::Reading;
use crate::upstream::{BoxError, OutBody};
use bytes::Bytes;
use collect::collect;
use http::{HeaderMap, HeaderValue, Method, Request, header, request};
use http_body::Body;
use http_body_util::BodyExt;
use std::sync::Arc;
use tagstream_wire::{Endpoint, Format, ServerError};
use understand::Unread;

/// A larger body, or one that decompression may make larger, is read on a thread where that keeps no
/// other request waiting.
const LARGE_BYTES: usize = 128 << 10;

/// What is sent to an upstream, and what its answer is read with.
pub(crate) struct Outbound {
    pub(crate) method: Method,
    pub(crate) path_and_query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Outgoing,
    /// The number of its route.
    pub(crate) route: usize,
    pub(crate) model: String,
    /// `None`: the answer passes unchanged.
    pub(crate) reading: Option<Arc<Reading>>,
    /// Why it is not understood, though its path is that of an endpoint.
    pub(crate) unread: Option<&'static str>,
    /// Whether it asks for a stream.
    pub(crate) streams: bool,
    /// The keys and cookies that came with it.
    pub(crate) secrets: Vec<Vec<u8>>,
}

/// A body that can be sent more than once, or only once.
pub(crate) enum Outgoing {
    Known(Bytes),
    Stream(Option<OutBody>),
}

impl Outgoing {
    /// A body that passes as it comes. An empty one can be sent again.
    fn unread<B>(body: B) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        if body.is_end_stream() {
            return Outgoing::Known(Bytes::new());
        }
        Outgoing::Stream(Some(body.map_err(Into::into).boxed_unsync()))
    }

    /// Whether it has bytes, but nobody knows how many.
    fn has_no_length(&self) -> bool {
        match self {
            Outgoing::Stream(Some(body)) => body.size_hint().exact().is_none(),
            _ => false,
        }
    }

    pub(crate) fn take(&mut self) -> OutBody {
        match self {
            Outgoing::Known(bytes) => whole(bytes.clone()),
            Outgoing::Stream(body) => body.take().unwrap_or_else(|| whole(Bytes::new())),
        }
    }
}

/// Reads a request, as far as it is understood, and decides where it goes.
pub(crate) async fn read<B>(
    live: &Arc<Live>,
    endpoint: Option<Endpoint>,
    request: Request<B>,
) -> Result<Outbound, ServerError>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let (parts, body) = request.into_parts();
    admit::check(live, &parts)?;
    let mut outbound = Outbound::new(parts, live);
    if endpoint.is_none() && !is_about_a_model(live, &outbound) {
        outbound.body = Outgoing::unread(body);
        return Ok(outbound);
    }
    let raw = collect(body, &live.config).await?;
    let unread = Unread {
        live: Arc::clone(live),
        endpoint,
        raw,
    };
    let is_encoded = outbound.headers.contains_key(header::CONTENT_ENCODING);
    if unread.raw.len() <= LARGE_BYTES && !is_encoded {
        return unread.read(outbound);
    }
    let reading = tokio::task::spawn_blocking(move || unread.read(outbound));
    reading
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Whether a request that is not for an endpoint may still name a model that decides its route:
/// `count_tokens`, embeddings.
fn is_about_a_model(live: &Live, outbound: &Outbound) -> bool {
    /// Those of JSON, and what clients send that do not think of it.
    const TYPES: [&str; 4] = [
        "application/json",
        "application/x-www-form-urlencoded",
        "text/plain",
        "",
    ];
    let headers = &outbound.headers;
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let is_short = length.is_none_or(|length| length <= live.config.limits.request);
    let may_be_json = TYPES.contains(&headers::content_type(headers).as_str());
    outbound.method == Method::POST && may_be_json && is_short && live.config.needs_model()
}

impl Outbound {
    /// A request that goes where all those go that name no model.
    fn new(parts: request::Parts, live: &Live) -> Self {
        let path_and_query = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        Outbound {
            method: parts.method,
            path_and_query: path_and_query.to_owned(),
            secrets: headers::secrets(&parts.headers, parts.uri.query()),
            headers: parts.headers,
            body: Outgoing::Stream(None),
            route: live.config.route_without_model(),
            model: String::new(),
            reading: None,
            unread: None,
            streams: false,
        }
    }

    /// Headers as the upstream gets them.
    pub(crate) fn prepare_headers(&mut self, live: &Live, format: Format, id: &str) {
        let headers = &mut self.headers;
        let accepts_trailers = headers::accepts_trailers(headers);
        headers::remove_hop_by_hop(headers);
        if accepts_trailers && self.reading.is_none() {
            // Without `Connection: te`, for which hyper would remove it again on HTTP/2.
            headers.insert(header::TE, HeaderValue::from_static("trailers"));
        }
        // hyper has asked the client for its body.
        headers.remove(header::EXPECT);
        if matches!(self.body, Outgoing::Known(_)) {
            headers.remove(header::TRAILER);
        }
        if self.body.has_no_length() {
            // Without it, hyper sends no body with `GET`.
            let chunked = HeaderValue::from_static("chunked");
            headers.insert(header::TRANSFER_ENCODING, chunked);
        }
        headers.remove(header::HOST);
        // With keys of clients, what they send is a key of this proxy, and not for anyone else.
        let forwards_key = live.client_keys.is_empty();
        let target = live.target(self.route);
        target.adapt(headers, format, forwards_key);
        if target.has_secret() || !forwards_key {
            self.path_and_query = headers::without_credentials(&self.path_and_query);
        }
        if self.reading.is_some() {
            let identity = HeaderValue::from_static("identity");
            headers.insert(header::ACCEPT_ENCODING, identity);
        }
        if let Ok(id) = HeaderValue::try_from(id) {
            headers.insert("x-request-id", id);
        }
    }
}

//! A model server: where it is, what its requests need, and the connections to it.

mod connect;
mod send;

pub(crate) use connect::roots;
pub(crate) use send::{Sent, send};

use crate::config::{Config, Upstream};
use crate::headers;
use bytes::Bytes;
use connect::Timed;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::time::Duration;
use tagstream_wire::Format;

/// An error that ends the connection of a client, for answers that have no frame for it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A body on its way to an upstream or to a client.
pub type OutBody = UnsyncBoxBody<Bytes, BoxError>;

/// A connection is not used again after this time. Servers close theirs after 5 seconds and more.
const IDLE_CONNECTION: Duration = Duration::from_secs(4);
/// What an upstream may send ahead of the client, on HTTP/2.
const WINDOW_BYTES: u32 = 128 << 10;
/// The same for all streams of a connection. It is larger than all of them together, so that clients that
/// do not read keep no others waiting.
const CONNECTION_WINDOW_BYTES: u32 = 1 << 30;

/// A model server.
#[derive(Debug)]
pub(crate) struct Target {
    base: Uri,
    client: Client<Timed, OutBody>,
    secret: Option<String>,
    add: HeaderMap,
    drop: Vec<HeaderName>,
}

/// The parts of an upstream's URL.
pub(crate) fn base(url: &str) -> Result<Uri, String> {
    let allowed = "allowed: http://HOST:PORT or https://HOST, with or without a path";
    let uri: Uri = url
        .parse()
        .map_err(|error| format!("`{url}` is not a URL ({error}); {allowed}"))?;
    let is_known = matches!(uri.scheme_str(), Some("http" | "https"));
    // A fragment is not even kept when a URL is parsed.
    let has_more = uri.query().is_some() || url.contains('#');
    if !is_known || uri.authority().is_none() || has_more {
        return Err(format!("`{url}` cannot be used; {allowed}"));
    }
    if uri.port().is_none() && uri.authority().is_some_and(has_port) {
        return Err(format!("`{url}` has no port from 0 to 65535; {allowed}"));
    }
    if uri.authority().is_some_and(|at| at.as_str().contains('@')) {
        // Not shown: it is printed nowhere else either.
        return Err(format!(
            "a URL must not contain a name or a password; keys belong in `secret_env`; {allowed}"
        ));
    }
    Ok(uri)
}

/// Whether anything is written in the place of a port.
fn has_port(authority: &Authority) -> bool {
    let host = authority.host();
    let after = authority.as_str().rsplit_once(host);
    after.is_some_and(|(_, rest)| rest.starts_with(':'))
}

impl Target {
    pub(crate) fn new(upstream: &Upstream, config: &Config) -> Result<Self, String> {
        let connector = Timed::new(
            upstream.ca_file.as_deref(),
            seconds(config.timeouts.connect),
        )?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION)
            .http2_only(upstream.http2)
            .http2_initial_stream_window_size(WINDOW_BYTES)
            .http2_initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .build(connector);
        Ok(Target {
            base: base(&upstream.url)?,
            client,
            secret: upstream.secret_env.as_deref().map(secret).transpose()?,
            add: added(upstream)?,
            drop: dropped(upstream)?,
        })
    }

    /// The address of a request, of which only path and query count.
    pub(crate) fn uri(&self, path_and_query: &str) -> Result<Uri, http::Error> {
        let prefix = self.base.path().trim_end_matches('/');
        let mut parts = self.base.clone().into_parts();
        parts.path_and_query = Some(format!("{prefix}{path_and_query}").parse()?);
        Ok(Uri::from_parts(parts)?)
    }

    /// Whether the client's key is replaced by one for this server.
    pub(crate) fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// Headers that are set for this server. The client's key stays only if it is meant for the server.
    pub(crate) fn adapt(&self, headers: &mut HeaderMap, format: Format, forwards_key: bool) {
        for name in &self.drop {
            headers.remove(name);
        }
        match &self.secret {
            Some(secret) => headers::replace_credential(headers, secret, format),
            None if forwards_key => {}
            None => headers::remove_credentials(headers),
        }
        for (name, value) in &self.add {
            headers.insert(name.clone(), value.clone());
        }
    }

    /// What the proxy adds to requests, and must not be captured if the server repeats it.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = Vec<u8>> {
        let own = self.secret.iter().map(|secret| secret.as_bytes().to_vec());
        let added = self.add.values().map(|value| value.as_bytes().to_vec());
        own.chain(added)
    }

    pub(crate) async fn send(
        &self,
        request: Request<OutBody>,
    ) -> Result<Response<Incoming>, legacy::Error> {
        self.client.request(request).await
    }
}

/// A number of seconds, of any size.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(1_000_000_000))
}

/// The value of an environment variable; its name may be shown, its value never.
pub(crate) fn secret(variable: &str) -> Result<String, String> {
    let value = std::env::var(variable)
        .map_err(|_| format!("the environment variable `{variable}` is not set"))?;
    let value = value.trim().to_owned();
    if value.is_empty() {
        return Err(format!("the environment variable `{variable}` is empty"));
    }
    Ok(value)
}

fn added(upstream: &Upstream) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &upstream.add_headers {
        let key: HeaderName = name
            .parse()
            .map_err(|_| format!("`{name}` is not a header"))?;
        let value: Result<HeaderValue, _> = value.parse();
        let value = value.map_err(|_| format!("the value of `{name}` is not allowed"))?;
        headers.insert(key, value);
    }
    Ok(headers)
}

fn dropped(upstream: &Upstream) -> Result<Vec<HeaderName>, String> {
    let names = upstream.drop_headers.iter();
    let names = names.map(|name| {
        name.parse()
            .map_err(|_| format!("`{name}` is not a header"))
    });
    names.collect()
}

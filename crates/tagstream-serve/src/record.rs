//! What is known about one request. When it is dropped, the request is over: it is counted and logged
//! then, and whatever was still open is cancelled with it.

use crate::capture::Tap;
use crate::config::Mode;
use crate::failure::{CLIENT_LEFT, UNREACHABLE};
use crate::live::Live;
use crate::metrics::Metrics;
use crate::request::Outbound;
use http::{HeaderMap, Method, Request, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};
use tagstream_wire::rewrite::Found;
use tagstream_wire::{Endpoint, ServerError};

/// The status in logs and metrics of a request whose client left before it had one.
const CLIENT_CLOSED: u16 = 499;

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The answer has not begun.
    Headers,
    /// The status is known, but no byte of the body.
    FirstByte,
    Stream,
    /// The answer is not streamed, and its body is being read.
    Body,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Headers => "headers",
            Phase::FirstByte => "first_byte",
            Phase::Stream => "stream",
            Phase::Body => "body",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: String,
    method: Method,
    /// Without its query, which may contain a key.
    path: String,
    pub(crate) format: &'static str,
    route: String,
    model: String,
    dialect: String,
    is_observed: bool,
    status: u16,
    phase: Phase,
    outcome: Option<&'static str>,
    /// Why the answer passes unchanged, though the path is that of an endpoint.
    pub(crate) unread: Option<&'static str>,
    pub(crate) found: Found,
    pub(crate) tap: Option<Tap>,
    begun: Instant,
    first_byte: Option<Duration>,
    held: i64,
    is_active: bool,
    metrics: Arc<Metrics>,
}

impl Record {
    pub(crate) fn new<B>(
        metrics: &Arc<Metrics>,
        id: &str,
        request: &Request<B>,
        endpoint: Option<Endpoint>,
    ) -> Self {
        Record {
            id: id.to_owned(),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            format: endpoint.map_or("other", |endpoint| endpoint.format.name()),
            route: String::new(),
            model: String::new(),
            dialect: String::new(),
            is_observed: false,
            status: CLIENT_CLOSED,
            phase: Phase::Headers,
            outcome: None,
            unread: None,
            found: Found::default(),
            tap: None,
            begun: Instant::now(),
            first_byte: None,
            held: 0,
            is_active: false,
            metrics: Arc::clone(metrics),
        }
    }

    /// It is known where the request goes.
    pub(crate) fn routed(&mut self, live: &Live, outbound: &Outbound) {
        let route = live.route(outbound.route);
        self.route = match route.model.as_str() {
            "*" => "default".to_owned(),
            name => name.to_owned(),
        };
        self.model.clone_from(&outbound.model);
        self.unread = outbound.unread;
        self.is_observed = route.mode == Mode::Observe;
        if let Some(reading) = &outbound.reading {
            self.dialect.clone_from(&reading.dialect);
        }
    }

    /// The answer has begun.
    pub(crate) fn answer(&mut self, status: StatusCode, phase: Phase) {
        self.status = status.as_u16();
        self.phase = phase;
        self.is_active = true;
        self.metrics.streams_active.inc();
    }

    /// Bytes of the body were read.
    pub(crate) fn read(&mut self, data: &[u8]) {
        if let Some(tap) = &mut self.tap {
            tap.push(data);
        }
        if self.first_byte.is_some() {
            return;
        }
        if self.phase == Phase::FirstByte {
            self.phase = Phase::Stream;
        }
        let time = self.begun.elapsed();
        self.first_byte = Some(time);
        self.metrics.first_byte.observe(time.as_secs_f64());
    }

    /// This many bytes were read of which nothing is written yet.
    pub(crate) fn held(&mut self, bytes: u64) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        if bytes != self.held {
            self.metrics.held_bytes.inc_by(bytes - self.held);
            self.held = bytes;
        }
    }

    /// The proxy itself refuses the request.
    pub(crate) fn refuse(&mut self, error: &ServerError) {
        if error.code == CLIENT_LEFT {
            return;
        }
        self.status = error.status;
        self.outcome = Some(error.code);
    }

    /// The upstream did not complete its answer.
    pub(crate) fn fail(&mut self, error: &ServerError) {
        if error.code == CLIENT_LEFT {
            return;
        }
        let phase = match error.code {
            UNREACHABLE => "connect",
            _ => self.phase.name(),
        };
        self.metrics.upstream_failure(phase);
        self.outcome = Some(error.code);
        if matches!(self.phase, Phase::Headers | Phase::Body) {
            self.status = error.status;
        }
    }

    /// The answer is complete.
    pub(crate) fn done(&mut self) {
        self.outcome = Some("ok");
    }

    fn count(&self) {
        let (metrics, found) = (&self.metrics, self.found);
        if self.is_active {
            metrics.streams_active.dec();
        }
        if self.outcome.is_none() {
            metrics.disconnect(self.phase.name());
        }
        metrics.request(&self.route, self.format, self.status, self.begun.elapsed());
        metrics.repairs("thinking", found.thoughts);
        metrics.repairs("call", found.calls);
        metrics.calls(&self.dialect, "valid", found.calls);
        metrics.calls(&self.dialect, "refused", found.refused);
    }

    fn log(&self) {
        tracing::info!(
            id = %self.id,
            method = %self.method,
            path = %self.path,
            route = %self.route,
            format = self.format,
            // Clients choose it: as a string, it is escaped and stays on its line.
            model = clipped(&self.model),
            status = self.status,
            outcome = self.outcome.unwrap_or("client_disconnected"),
            ms = self.begun.elapsed().as_millis() as u64,
            first_byte_ms = self.first_byte.map(|time| time.as_millis() as u64),
            thoughts = self.found.thoughts,
            calls = self.found.calls,
            refused = self.found.refused,
            observed = self.is_observed,
            unread = self.unread,
            "request"
        );
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.outcome.is_none() && self.metrics.has_stopped() {
            self.outcome = Some("cut_off");
        }
        self.held(0);
        self.count();
        self.log();
        if let Some(tap) = self.tap.take() {
            tap.finish(self);
        }
    }
}

/// The start of a name that may be of any length.
pub(crate) fn clipped(name: &str) -> &str {
    const MAX_BYTES: usize = 200;
    &name[..name.floor_char_boundary(MAX_BYTES)]
}

/// The id that the client gave, if it is fit for logs, or a new one.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let given = headers.get("x-request-id").and_then(|id| id.to_str().ok());
    given.filter(|id| is_fit(id)).map_or_else(
        || {
            let time = UNIX_EPOCH.elapsed().unwrap_or_default().as_micros();
            format!("{time:x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed))
        },
        str::to_owned,
    )
}

fn is_fit(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
}

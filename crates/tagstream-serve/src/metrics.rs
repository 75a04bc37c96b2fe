//! Counters, for Prometheus.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

type Labels = Vec<(&'static str, String)>;

/// All counters of a proxy.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    pub(crate) requests: Family<Labels, Counter>,
    pub(crate) duration: Histogram,
    pub(crate) first_byte: Histogram,
    pub(crate) streams_active: Gauge,
    pub(crate) held_bytes: Gauge,
    repairs: Family<Labels, Counter>,
    calls: Family<Labels, Counter>,
    upstream_failures: Family<Labels, Counter>,
    disconnects: Family<Labels, Counter>,
    /// What is in flight is cut off.
    has_stopped: AtomicBool,
}

const SECONDS: [f64; 14] = [
    0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0,
];

impl Default for Metrics {
    fn default() -> Self {
        let mut all = Metrics {
            registry: Registry::with_prefix("tagstream"),
            requests: Family::default(),
            duration: Histogram::new(SECONDS),
            first_byte: Histogram::new(SECONDS),
            streams_active: Gauge::default(),
            held_bytes: Gauge::default(),
            repairs: Family::default(),
            calls: Family::default(),
            upstream_failures: Family::default(),
            disconnects: Family::default(),
            has_stopped: AtomicBool::new(false),
        };
        let registry = &mut all.registry;
        registry.register(
            "http_requests",
            "Requests that are over",
            all.requests.clone(),
        );
        registry.register(
            "http_request_duration_seconds",
            "Time of a request",
            all.duration.clone(),
        );
        registry.register(
            "http_first_byte_seconds",
            "Time to the first byte of an answer",
            all.first_byte.clone(),
        );
        registry.register(
            "http_streams_active",
            "Answers in flight",
            all.streams_active.clone(),
        );
        registry.register(
            "http_held_bytes",
            "Bytes read of which nothing is written yet",
            all.held_bytes.clone(),
        );
        registry.register(
            "repairs",
            "What was found in texts and repaired, or would be",
            all.repairs.clone(),
        );
        registry.register("calls", "Calls found in texts", all.calls.clone());
        registry.register(
            "upstream_failures",
            "Answers that upstreams did not complete",
            all.upstream_failures.clone(),
        );
        registry.register(
            "disconnects",
            "Clients that left before the end",
            all.disconnects.clone(),
        );
        all
    }
}

impl Metrics {
    /// All of them, in Prometheus' text format.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    pub(crate) fn request(&self, route: &str, format: &str, code: u16, time: Duration) {
        let labels = vec![
            ("route", route.to_owned()),
            ("format", format.to_owned()),
            ("code", code.to_string()),
        ];
        self.requests.get_or_create(&labels).inc();
        self.duration.observe(time.as_secs_f64());
    }

    pub(crate) fn repairs(&self, kind: &str, count: u64) {
        if count > 0 {
            self.repairs
                .get_or_create(&vec![("kind", kind.to_owned())])
                .inc_by(count);
        }
    }

    pub(crate) fn calls(&self, dialect: &str, outcome: &str, count: u64) {
        if count > 0 {
            let labels = vec![
                ("dialect", dialect.to_owned()),
                ("outcome", outcome.to_owned()),
            ];
            self.calls.get_or_create(&labels).inc_by(count);
        }
    }

    pub(crate) fn upstream_failure(&self, phase: &'static str) {
        self.upstream_failures
            .get_or_create(&vec![("phase", phase.to_owned())])
            .inc();
    }

    /// From now on, requests end because the proxy does.
    pub(crate) fn stop(&self) {
        self.has_stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn disconnect(&self, phase: &'static str) {
        self.disconnects
            .get_or_create(&vec![("phase", phase.to_owned())])
            .inc();
    }
}

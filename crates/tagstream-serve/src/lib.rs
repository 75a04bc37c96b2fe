//! A reverse proxy for language-model servers that repairs their streams.
//!
//! ```text
//! request → route → upstream → answer (Rewriter) → client
//! ```
//!
//! ```
//! use bytes::Bytes;
//! use http_body_util::Empty;
//! use tagstream_serve::{Config, Mode, Proxy};
//!
//! # async fn embedded() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = Config::for_upstream("http://127.0.0.1:8000");
//! config.routes[0].mode = Mode::Observe;
//! let proxy = Proxy::new(config)?;
//! let request = http::Request::get("/v1/models").body(Empty::<Bytes>::new())?;
//! let response = proxy.answer(request).await;
//! println!("{}\n{}", response.status(), proxy.metrics().text());
//! # Ok(())
//! # }
//! ```
//!
//! [`Proxy`] is a `tower` service that can be embedded; [`Server`] adds listeners, signals and the admin
//! listener. The formats of providers are read and written by `tagstream-wire` alone.

mod answer;
mod capture;
mod config;
mod demo;
mod failure;
mod headers;
mod live;
mod log;
mod metrics;
mod plans;
mod proxy;
mod record;
mod redact;
mod request;
mod server;
mod upstream;

pub use config::{
    Config, Limits, LogFormat, Mode, Problem, Retry, Route, Thoughts, Timeouts, Tls, Upstream, load,
};
pub use demo::start_demo;
pub use log::log_to_stderr;
pub use metrics::Metrics;
pub use proxy::Proxy;
pub use server::{Reload, Server, stop_signal};
pub use upstream::{BoxError, OutBody};

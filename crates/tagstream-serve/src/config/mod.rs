//! The configuration: the keys of the file and their defaults.
//!
//! The comments of the fields are the reference in `docs/serve.md`: `UPDATE_DOCS=1 cargo test -p
//! tagstream-serve --test docs` writes it anew.

mod check;
mod read;
mod routes;

pub use check::Problem;
pub use read::load;

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The configuration of the proxy. Only `upstreams` has no default.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Address that clients connect to.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// Address of `/healthz`, `/readyz` and `/metrics`.
    #[serde(deserialize_with = "address")]
    pub admin_listen: SocketAddr,
    /// Environment variables with keys, one of which a client must have; they are not forwarded. Without
    /// it, any client may connect.
    pub client_keys_env: Vec<String>,
    /// Format of the logs on standard error, one line for each request: `human` or `json`.
    pub log: LogFormat,
    /// Folder for the raw streams of messages in which something was repaired or refused: at most 1000
    /// files of 1 MiB, without keys, that only the user of the process can read. It is created if it does
    /// not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<PathBuf>,
    /// Certificate and key, to serve TLS with HTTP/1.1 and HTTP/2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// Size limits.
    pub limits: Limits,
    /// When a request is sent again.
    pub retry: Retry,
    /// The model servers, by name.
    pub upstreams: BTreeMap<String, Upstream>,
    /// Which model goes where. The first exact name counts, then the first pattern that fits, then the
    /// default. May be left out if there is one upstream.
    pub routes: Vec<Route>,
}

/// Reads an address; the error names what was written, so that its key is found.
fn address<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(from)?;
    let allowed = "an IP address and a port, such as `127.0.0.1:8089` or `[::1]:8089`";
    let wrong = |_| D::Error::invalid_value(Unexpected::Str(&text), &allowed);
    text.parse().map_err(wrong)
}

/// Reads a number of seconds; the error names what was written, so that its key is found.
fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    let wrong = || {
        let written = value.as_str().map_or(value.to_string(), str::to_owned);
        D::Error::custom(format!(
            "`{written}` is not a number of seconds, expected a number up to 1e9"
        ))
    };
    value.as_f64().ok_or_else(wrong)
}

/// The format of the logs.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LogFormat {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
}

/// A certificate.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// File with the certificate chain, in PEM.
    #[serde(default)]
    pub cert: PathBuf,
    /// File with the private key, in PEM.
    #[serde(default)]
    pub key: PathBuf,
}

/// Time limits, in seconds. 0 is allowed only where its meaning is given.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Timeouts {
    /// For a connection to an upstream, TLS included.
    #[serde(deserialize_with = "seconds")]
    pub connect: f64,
    /// From the request to the first byte of the answer's body.
    #[serde(deserialize_with = "seconds")]
    pub first_byte: f64,
    /// Between two reads of an answer.
    #[serde(deserialize_with = "seconds")]
    pub idle: f64,
    /// From the request to the end of the answer.
    #[serde(deserialize_with = "seconds")]
    pub total: f64,
    /// For a client that takes nothing of what is sent to it, on HTTP/1.1.
    #[serde(deserialize_with = "seconds")]
    pub client: f64,
    /// Between two keep-alives while an event stream is silent: `event: ping` for Anthropic, a comment for
    /// OpenAI's formats, none for Gemini and Ollama; 0: none.
    #[serde(deserialize_with = "seconds")]
    pub keep_alive: f64,
    /// For requests in flight after `SIGTERM`; what is not over then is cut off. 0: at once.
    #[serde(deserialize_with = "seconds")]
    pub drain: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: 10.0,
            first_byte: 600.0,
            idle: 300.0,
            total: 3600.0,
            client: 300.0,
            keep_alive: 0.0,
            drain: 30.0,
        }
    }
}

/// Size limits, of which none can be 0.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a request that is read, decompressed; a longer one is refused with status 413.
    pub request: usize,
    /// Bytes of an answer that is not streamed; a longer one passes unchanged.
    pub response: usize,
    /// Sets of tools that are kept compiled, at most, and 2 MiB of their declarations. Each takes 1 to 2 MB
    /// where a route looks for all dialects, and 0.2 to 0.3 MB with a preset that has one.
    pub tools_cache: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            request: 64 << 20,
            response: 16 << 20,
            tools_cache: 32,
        }
    }
}

/// When a request is sent again. Only requests whose body was read or is empty are.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Retry {
    /// How often a request is sent again, at most, after a connection that failed before the first byte.
    /// One whose body passes without being read, such as an upload, is never sent again.
    pub times: u32,
    /// Whether it is sent again after the statuses 408, 429 and 5xx too.
    pub on_status: bool,
    /// Pause before the first retry, in seconds; it doubles with each. 0: none.
    #[serde(deserialize_with = "seconds")]
    pub backoff: f64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            times: 0,
            on_status: false,
            backoff: 0.5,
        }
    }
}

/// A model server.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Upstream {
    /// Its URL, with `http` or `https`; its path is put before that of requests.
    pub url: String,
    /// Environment variable with its key, which replaces the client's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// Whether it speaks HTTP/2 without TLS.
    #[serde(default)]
    pub http2: bool,
    /// File with the certificates of further authorities, in PEM. The certificate of a server counts
    /// too, if it is not marked as that of an authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// Headers to add to requests; they replace the client's. Keys belong in `secret_env`.
    #[serde(default)]
    pub add_headers: BTreeMap<String, String>,
    /// Headers to drop from requests.
    #[serde(default)]
    pub drop_headers: Vec<String>,
}

/// Which requests go where, and what happens to their answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Route {
    /// Name of a model, or a pattern with `*` for anything; `*` alone is the default route.
    #[serde(default = "any_model")]
    pub model: String,
    /// Name of the upstream.
    pub upstream: String,
    /// Preset that says what to look for. Without it and `profile_file`: thinking in the tags of all
    /// presets, and calls in any dialect, but only of tools that the request declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// File with a profile, in place of a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_file: Option<PathBuf>,
    /// Name of the model that the upstream gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename: Option<String>,
    /// What happens to answers: `repair`; `observe`: they pass unchanged, and what would be repaired is
    /// counted; `off`: they pass unchanged.
    #[serde(default)]
    pub mode: Mode,
    /// What happens to thinking: `move` to the field that the format has for it, `hide`, or `keep` in the
    /// text.
    #[serde(default)]
    pub thinking: Thoughts,
    /// Field that thinking is moved to in OpenAI's format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_field: Option<String>,
}

fn any_model() -> String {
    "*".to_owned()
}

/// What happens to answers.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// They are repaired.
    #[default]
    Repair,
    /// They pass unchanged; what would be repaired is counted and logged.
    Observe,
    /// They pass unchanged.
    Off,
}

/// What happens to thinking.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Thoughts {
    /// It is moved to the format's field for it.
    #[default]
    Move,
    /// It is dropped.
    Hide,
    /// It stays in the text.
    Keep,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8089)),
            admin_listen: SocketAddr::from(([127, 0, 0, 1], 8090)),
            client_keys_env: Vec::new(),
            log: LogFormat::Human,
            capture: None,
            tls: None,
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            retry: Retry::default(),
            upstreams: BTreeMap::new(),
            routes: Vec::new(),
        }
    }
}

impl Upstream {
    /// The server at this URL.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Upstream {
            url: url.to_owned(),
            secret_env: None,
            http2: false,
            ca_file: None,
            add_headers: BTreeMap::new(),
            drop_headers: Vec::new(),
        }
    }
}

impl Route {
    /// The default route, to this upstream.
    #[must_use]
    pub fn to(upstream: &str) -> Self {
        Route {
            model: any_model(),
            upstream: upstream.to_owned(),
            preset: None,
            profile_file: None,
            rename: None,
            mode: Mode::Repair,
            thinking: Thoughts::Move,
            reasoning_field: None,
        }
    }
}

impl Config {
    /// The configuration for one upstream, with defaults for everything else.
    #[must_use]
    pub fn for_upstream(url: &str) -> Self {
        let mut config = Config::default();
        let name = "default";
        config.upstreams.insert(name.to_owned(), Upstream::at(url));
        config.routes.push(Route::to(name));
        config
    }

    /// The whole configuration, defaults included, in TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

//! What cannot work, though each key can be read.

use super::{Config, Route, Upstream};
use crate::headers::{CREDENTIALS, is_framing};
use crate::plans;
use crate::server::tls::Acceptor;
use crate::upstream::{base, roots, secret};
use http::{HeaderName, HeaderValue};
use std::fmt;
use std::path::Path;

const MAX_SECONDS: f64 = 1e9;

/// A value that cannot work.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The key, as a path.
    pub key: String,
    /// What is wrong, and what is allowed.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.key, self.text)
    }
}

impl std::error::Error for Problem {}

impl Problem {
    pub(crate) fn new(key: impl Into<String>, text: impl fmt::Display) -> Self {
        Problem {
            key: key.into(),
            text: text.to_string(),
        }
    }
}

type Checked = Result<(), Problem>;

impl Config {
    /// Whether it can work.
    ///
    /// # Errors
    /// The first value that cannot.
    pub fn check(&self) -> Checked {
        self.check_present()?;
        self.check_own()?;
        for (name, upstream) in &self.upstreams {
            check_upstream(&format!("upstreams.{name}"), upstream)?;
        }
        for (index, route) in self.routes.iter().enumerate() {
            let key = format!("routes[{index}]");
            self.check_route(&key, route)?;
            if self.routes[..index]
                .iter()
                .any(|other| other.model == route.model)
            {
                let problem = format!("another route is for `{}` too", route.model);
                return Err(Problem::new(format!("{key}.model"), problem));
            }
        }
        if let Some(tls) = &self.tls {
            check_path("tls.cert", &tls.cert, "file in PEM")?;
            check_path("tls.key", &tls.key, "file in PEM")?;
            Acceptor::new(tls)?;
        }
        for (index, variable) in self.client_keys_env.iter().enumerate() {
            let key = format!("client_keys_env[{index}]");
            secret(variable).map_err(|problem| Problem::new(key, problem))?;
        }
        self.check_times()?;
        self.check_limits()
    }

    fn check_present(&self) -> Checked {
        if self.upstreams.is_empty() {
            let problem = "there is no upstream; write a table [upstreams.NAME] with its `url`";
            return Err(Problem::new("upstreams", problem));
        }
        if self.routes.is_empty() {
            let problem = "with several upstreams, write a table [[routes]] with an `upstream`";
            return Err(Problem::new("routes", problem));
        }
        Ok(())
    }

    /// What the process itself needs: its addresses and its folder.
    fn check_own(&self) -> Checked {
        // With port 0, each gets a port of its own.
        if self.listen == self.admin_listen && self.listen.port() != 0 {
            let problem = "is the same address as `listen`; allowed: another one";
            return Err(Problem::new("admin_listen", problem));
        }
        let Some(folder) = &self.capture else {
            return Ok(());
        };
        check_path("capture", folder, "folder")?;
        std::fs::create_dir_all(folder).map_err(|error| {
            let problem = format!(
                "{}: {error}; allowed: the path of a folder",
                folder.display()
            );
            Problem::new("capture", problem)
        })
    }

    fn check_route(&self, key: &str, route: &Route) -> Checked {
        if !self.upstreams.contains_key(&route.upstream) {
            let names = self.upstreams.keys().map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let problem = format!("unknown upstream `{}`; allowed: {names}", route.upstream);
            return Err(Problem::new(format!("{key}.upstream"), problem));
        }
        if route.model.is_empty() {
            let problem = "is empty; allowed: the name of a model, or a pattern with `*`";
            return Err(Problem::new(format!("{key}.model"), problem));
        }
        if route.rename.as_deref() == Some("") {
            let problem = "is empty; allowed: the name of a model";
            return Err(Problem::new(format!("{key}.rename"), problem));
        }
        if route.preset.is_some() && route.profile_file.is_some() {
            let problem = "a route has a preset or a file, not both";
            return Err(Problem::new(format!("{key}.profile_file"), problem));
        }
        plans::check(route)
            .map_err(|(field, problem)| Problem::new(format!("{key}.{field}"), problem))
    }

    fn check_times(&self) -> Checked {
        let times = &self.timeouts;
        for (key, time) in [
            ("timeouts.connect", times.connect),
            ("timeouts.first_byte", times.first_byte),
            ("timeouts.idle", times.idle),
            ("timeouts.total", times.total),
            ("timeouts.client", times.client),
        ] {
            let is_right = time > 0.0 && time <= MAX_SECONDS;
            check_number(key, time, is_right, "seconds, more than 0 and at most 1e9")?;
        }
        // 0 has a meaning for these.
        for (key, time) in [
            ("timeouts.keep_alive", times.keep_alive),
            ("timeouts.drain", times.drain),
            ("retry.backoff", self.retry.backoff),
        ] {
            let is_right = (0.0..=MAX_SECONDS).contains(&time);
            check_number(key, time, is_right, "seconds from 0 to 1e9")?;
        }
        Ok(())
    }

    fn check_limits(&self) -> Checked {
        for (key, limit) in [
            ("limits.request", self.limits.request),
            ("limits.response", self.limits.response),
            ("limits.tools_cache", self.limits.tools_cache),
        ] {
            check_number(key, limit, limit > 0, "1 or more")?;
        }
        Ok(())
    }
}

fn check_number(key: &str, number: impl fmt::Display, is_right: bool, allowed: &str) -> Checked {
    if is_right {
        return Ok(());
    }
    let problem = format!("{number} is out of range; allowed: {allowed}");
    Err(Problem::new(key, problem))
}

fn check_path(key: &str, path: &Path, what: &str) -> Checked {
    if path.as_os_str().is_empty() {
        let problem = format!("is missing; allowed: the path of a {what}");
        return Err(Problem::new(key, problem));
    }
    Ok(())
}

fn check_upstream(key: &str, upstream: &Upstream) -> Checked {
    base(&upstream.url).map_err(|problem| Problem::new(format!("{key}.url"), problem))?;
    if let Some(variable) = &upstream.secret_env {
        let value = secret(variable);
        let value = value.and_then(|value| {
            let problem = format!("the value of `{variable}` is not allowed in a header");
            HeaderValue::try_from(value).map_err(|_| problem)
        });
        value.map_err(|problem| Problem::new(format!("{key}.secret_env"), problem))?;
    }
    if let Some(file) = &upstream.ca_file {
        let checked = roots(Some(file));
        checked.map_err(|problem| Problem::new(format!("{key}.ca_file"), problem))?;
    }
    for (name, value) in &upstream.add_headers {
        let checked = check_header(name, value);
        checked.map_err(|problem| Problem::new(format!("{key}.add_headers.{name}"), problem))?;
    }
    for (index, name) in upstream.drop_headers.iter().enumerate() {
        if HeaderName::try_from(name).is_err() {
            let key = format!("{key}.drop_headers[{index}]");
            return Err(Problem::new(key, "not the name of a header"));
        }
    }
    Ok(())
}

fn check_header(name: &str, value: &str) -> Result<(), &'static str> {
    let name = HeaderName::try_from(name).map_err(|_| "not the name of a header")?;
    if CREDENTIALS.contains(&name.as_str()) {
        return Err("keys belong in an environment variable; set `secret_env`");
    }
    if is_framing(&name) {
        return Err("this header is about one connection or the length of a body");
    }
    HeaderValue::try_from(value).map_err(|_| "the value is not allowed in a header")?;
    Ok(())
}

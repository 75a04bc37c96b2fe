//! What cannot work, though each key can be read.

use super::{Config, Route, Upstream};
use crate::headers::{CREDENTIALS, is_framing};
use crate::plans;
use crate::server::tls::Acceptor;
use crate::upstream::{base, roots, secret};
use http::{HeaderName, HeaderValue};
use std::fmt;

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
            Acceptor::new(tls)?;
        }
        for (index, variable) in self.client_keys_env.iter().enumerate() {
            let key = format!("client_keys_env[{index}]");
            secret(variable).map_err(|problem| Problem::new(key, problem))?;
        }
        self.check_times()
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

    fn check_route(&self, key: &str, route: &Route) -> Checked {
        if !self.upstreams.contains_key(&route.upstream) {
            let names = self.upstreams.keys().map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let problem = format!("unknown upstream `{}`; allowed: {names}", route.upstream);
            return Err(Problem::new(format!("{key}.upstream"), problem));
        }
        if route.preset.is_some() && route.profile_file.is_some() {
            let problem = "a route has a preset or a file, not both";
            return Err(Problem::new(format!("{key}.profile_file"), problem));
        }
        plans::check(route)
            .map_err(|(field, problem)| Problem::new(format!("{key}.{field}"), problem))
    }

    fn check_times(&self) -> Checked {
        let times = [
            ("timeouts.connect", self.timeouts.connect),
            ("timeouts.first_byte", self.timeouts.first_byte),
            ("timeouts.idle", self.timeouts.idle),
            ("timeouts.total", self.timeouts.total),
            ("timeouts.client", self.timeouts.client),
            ("timeouts.keep_alive", self.timeouts.keep_alive),
            ("timeouts.drain", self.timeouts.drain),
            ("retry.backoff", self.retry.backoff),
        ];
        let wrong = times.iter().find(|(_, time)| !(0.0..=1e9).contains(time));
        wrong.map_or(Ok(()), |(key, time)| {
            let problem = format!("{time} is out of range; allowed: seconds from 0 to 1e9");
            Err(Problem::new(*key, problem))
        })
    }
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

//! A configuration in use: connections, compiled plans and keys. A request keeps the one that it began
//! with.

use crate::config::{Config, Problem, Route};
use crate::headers;
use crate::plans::Plans;
use crate::server::tls::Acceptor;
use crate::upstream::{Target, secret};
use http::HeaderMap;
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;

#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) plans: Plans,
    pub(crate) tls: Option<Acceptor>,
    pub(crate) client_keys: Vec<String>,
    targets: BTreeMap<String, Target>,
}

impl Live {
    pub(crate) fn new(config: Config) -> Result<Self, Problem> {
        config.check()?;
        let mut targets = BTreeMap::new();
        for (name, upstream) in &config.upstreams {
            let target = Target::new(upstream, &config);
            let target = target.map_err(|text| Problem::new(format!("upstreams.{name}"), text))?;
            targets.insert(name.clone(), target);
        }
        let tls = config.tls.as_ref().map(Acceptor::new).transpose()?;
        let keys = config.client_keys_env.iter();
        let keys = keys
            .map(|variable| secret(variable))
            .collect::<Result<_, _>>();
        Ok(Live {
            client_keys: keys.map_err(|text| Problem::new("client_keys_env", text))?,
            plans: Plans::new(config.limits.tools_cache),
            tls,
            targets,
            config,
        })
    }

    pub(crate) fn route(&self, number: usize) -> &Route {
        &self.config.routes[number]
    }

    /// The upstream of a route; each has one.
    pub(crate) fn target(&self, route: usize) -> &Target {
        &self.targets[&self.route(route).upstream]
    }

    /// Whether a client may connect. All keys are compared, each in constant time.
    pub(crate) fn admits(&self, headers: &HeaderMap, query: Option<&str>) -> bool {
        let mut fits = subtle::Choice::from(u8::from(self.client_keys.is_empty()));
        for given in headers::credentials(headers, query) {
            for key in &self.client_keys {
                fits |= key.as_bytes().ct_eq(&given);
            }
        }
        fits.into()
    }
}

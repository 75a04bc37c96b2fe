//! Which route a request takes.

use super::{Config, Route};

impl Config {
    /// The route of a model: the first with exactly this name, else the first pattern that fits, else
    /// the default.
    #[must_use]
    pub fn route(&self, model: &str) -> Option<usize> {
        self.find(|name| name == model)
            .or_else(|| self.find(|name| name != "*" && glob(name, model)))
            .or_else(|| self.find(|name| name == "*"))
    }

    /// The route of a request without a model, which is not about an answer of one: the default, else
    /// the first.
    #[must_use]
    pub fn route_without_model(&self) -> usize {
        self.find(|name| name == "*").unwrap_or(0)
    }

    /// Whether the route of a request depends on its model, or changes it.
    pub(crate) fn needs_model(&self) -> bool {
        let is_plain = |route: &Route| route.model == "*" && route.rename.is_none();
        !self.routes.iter().all(is_plain)
    }

    fn find(&self, fits: impl Fn(&str) -> bool) -> Option<usize> {
        self.routes.iter().position(|route| fits(&route.model))
    }
}

/// Whether a name fits a pattern, in which `*` is anything.
fn glob(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match name.split_once(part) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("qwen*", "qwen3-8b", true),
            ("*coder*", "qwen3-coder-30b", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXc", false),
            ("a*b*c", "abc", true),
            ("a**c", "ac", true),
            ("*b", "ab", true),
            ("*b", "ba", false),
            ("ab*bc", "abc", false),
        ] {
            assert_eq!(glob(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn an_exact_name_comes_before_a_pattern_and_the_default_last() {
        let mut config = Config::for_upstream("http://x");
        for model in ["q*", "qwen"] {
            let mut route = Route::to("default");
            route.model = model.to_owned();
            config.routes.push(route);
        }
        let routes = ["qwen", "q3", "x", ""].map(|model| config.route(model));
        assert_eq!(routes, [Some(2), Some(1), Some(0), Some(0)]);
        assert!(config.needs_model());
        config.routes.remove(0);
        assert_eq!(config.route("x"), None);
        assert_eq!(config.route_without_model(), 0);
    }
}

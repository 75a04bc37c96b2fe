//! A configuration from a file.

use super::check::Problem;
use super::{Config, Route};
use std::path::{Path, PathBuf};
use tagstream::file::{FileError, Source};

impl Config {
    /// Reads a configuration from TOML.
    ///
    /// # Errors
    /// An unknown key or value, or a value that cannot work: with the key, the line and what is
    /// allowed.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        Config::parse_in(text, Path::new(""))
    }

    /// Reads a configuration whose files are looked for in this folder.
    fn parse_in(text: &str, folder: &Path) -> Result<Self, FileError> {
        let source = Source::new(text);
        let mut config: Config = source.read()?;
        for path in config.paths() {
            // One that is missing stays missing.
            if !path.as_os_str().is_empty() {
                *path = folder.join(&*path);
            }
        }
        config.add_only_route();
        let checked = config.check();
        checked.map_err(|Problem { key, text }| source.error(&key, &text))?;
        Ok(config)
    }

    /// All paths of files and folders.
    fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let tls = self.tls.iter_mut();
        let tls = tls.flat_map(|tls| [&mut tls.cert, &mut tls.key]);
        let upstreams = self.upstreams.values_mut();
        let upstreams = upstreams.filter_map(|upstream| upstream.ca_file.as_mut());
        let routes = self.routes.iter_mut();
        let routes = routes.filter_map(|route| route.profile_file.as_mut());
        let capture = self.capture.iter_mut();
        capture.chain(tls).chain(upstreams).chain(routes)
    }

    /// One upstream needs no route.
    fn add_only_route(&mut self) {
        if self.routes.is_empty() && self.upstreams.len() == 1 {
            let names = self.upstreams.keys();
            self.routes = names.map(|name| Route::to(name)).collect();
        }
    }
}

/// Reads a configuration from a file. Files that it names are looked for in its own folder.
///
/// # Errors
/// The file cannot be read, or is not a configuration: with the key, the line and what is allowed.
pub fn load(file: &Path) -> Result<Config, String> {
    let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| problem(&error))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    Config::parse_in(&text, folder).map_err(|error| problem(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "[upstreams.local]\nurl = \"http://127.0.0.1:8000\"\n";

    #[test]
    fn an_error_names_the_key_the_line_and_what_is_allowed() {
        let mut wrong = Vec::new();
        for (text, message) in [
            (
                "lisen = 1",
                "line 1: `lisen`: unknown key `lisen` (did you mean `listen`?); allowed: `listen`, ",
            ),
            ("", "`upstreams`: there is no upstream"),
            (
                "[upstreams.a]\nurl = 'ftp://x'",
                "line 2: `upstreams.a.url`: `ftp://x` cannot be used; allowed: http://HOST:PORT",
            ),
            (
                "[upstreams.a]\nurl = 'http://me:secret@x'",
                "line 2: `upstreams.a.url`: a URL must not contain a name or a password; keys belong in `secret_env`",
            ),
            (
                "[upstreams.a]\nurl = 'http://x'\nadd_headers = { Content-Length = '1' }",
                "line 3: `upstreams.a.add_headers.Content-Length`: this header is about one connection",
            ),
            (
                "[upstreams.a]\nurl = 'http://x'\nsecret_env = 'NOT_SET'",
                "line 3: `upstreams.a.secret_env`: the environment variable `NOT_SET` is not set",
            ),
            (
                "[upstreams.a]\nurl = 'http://x'\nadd_headers = { 'a b' = '1' }",
                "line 3: `upstreams.a.add_headers.a b`: not the name of a header",
            ),
            (
                "[upstreams.a]\nurl = 'http://x'\nadd_headers = { x-api-key = '1' }",
                "line 3: `upstreams.a.add_headers.x-api-key`: keys belong in an environment variable; set `secret_env`",
            ),
            (
                "[upstreams.a]\nurl = 'http://x'\ndrop_headers = ['a', 'b c']",
                "line 3: `upstreams.a.drop_headers[1]`: not the name of a header",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'b'"),
                "line 4: `routes[0].upstream`: unknown upstream `b`; allowed: `local`",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\nmode = 'x'"),
                "line 5: `routes[0].mode`: unknown value `x`; allowed: `repair`, `observe`, `off`",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\npreset = 'x'"),
                "line 5: `routes[0].preset`: ",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\nprofile_file = 'missing.toml'"),
                "line 5: `routes[0].profile_file`: missing.toml: ",
            ),
            (
                &format!("{START}[timeouts]\nidle = -1"),
                "line 4: `timeouts.idle`: -1 is out of range; allowed: seconds, more than 0 and at most 1e9",
            ),
            (
                &format!("{START}[timeouts]\nconnect = 0"),
                "line 4: `timeouts.connect`: 0 is out of range; allowed: seconds, more than 0",
            ),
            (
                &format!("{START}[timeouts]\nkeep_alive = -1"),
                "line 4: `timeouts.keep_alive`: -1 is out of range; allowed: seconds from 0 to 1e9",
            ),
            (
                &format!("{START}[timeouts]\nidle = nan"),
                "line 4: `timeouts.idle`: `nan` is not a number of seconds; allowed: a number up to 1e9",
            ),
            (
                &format!("{START}[limits]\nrequest = 0"),
                "line 4: `limits.request`: 0 is out of range; allowed: 1 or more",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\nmodel = ''"),
                "line 5: `routes[0].model`: is empty; allowed: the name of a model, or a pattern with `*`",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\nrename = ''"),
                "line 5: `routes[0].rename`: is empty; allowed: the name of a model",
            ),
            (
                &format!("admin_listen = '127.0.0.1:8089'\n{START}"),
                "line 1: `admin_listen`: is the same address as `listen`; allowed: another one",
            ),
            (
                &format!("capture = 'Cargo.toml/captured'\n{START}"),
                "line 1: `capture`: Cargo.toml/captured: Not a directory",
            ),
            (
                &format!("capture = ''\n{START}"),
                "line 1: `capture`: is missing; allowed: the path of a folder",
            ),
            (
                &format!("{START}[tls]\ncert = 'tests/data/cert.pem'"),
                "line 3: `tls.key`: is missing; allowed: the path of a file in PEM",
            ),
            (
                "[upstreams.a]\nurl = 'http://x/v1#part'",
                "line 2: `upstreams.a.url`: `http://x/v1#part` cannot be used; allowed: http://HOST:PORT",
            ),
            (
                &format!("{START}[retry]\nbackoff = inf"),
                "line 4: `retry.backoff`: `inf` is not a number of seconds; allowed: a number up to 1e9",
            ),
            (
                &format!("{START}[retry]\ntimes = -1"),
                "line 4: `retry.times`: wrong value: integer `-1`; allowed: a whole number, 0 or more",
            ),
            (
                &format!("listen = 'nope'\n{START}"),
                "line 1: `listen`: wrong value: string \"nope\"; allowed: an IP address and a port, such as `127.0.0.1:8089`",
            ),
            (
                &format!("admin_listen = 'localhost:80'\n{START}"),
                "line 1: `admin_listen`: wrong value: string \"localhost:80\"; allowed: an IP address and a port",
            ),
            (
                &format!("{START}[tls]\ncert = 'missing.pem'\nkey = 'missing.pem'"),
                "line 4: `tls.cert`: missing.pem: No such file",
            ),
            (
                &format!("{START}[tls]\ncert = 'Cargo.toml'\nkey = 'missing.pem'"),
                "line 4: `tls.cert`: Cargo.toml: there is no certificate in it; allowed: a file in PEM",
            ),
            (
                &format!("{START}[tls]\ncert = 'tests/data/cert.pem'\nkey = 'missing.pem'"),
                "line 5: `tls.key`: missing.pem: No such file",
            ),
            (
                &format!("{START}[tls]\ncert = 'tests/data/cert.pem'\nkey = 'Cargo.toml'"),
                "line 5: `tls.key`: Cargo.toml: there is no key in it; allowed: a file in PEM",
            ),
            (
                "[[routes]]\nupstream = 'a'",
                "`upstreams`: there is no upstream",
            ),
            (
                &format!("{START}ca_file = 'missing.pem'"),
                "line 3: `upstreams.local.ca_file`: missing.pem: No such file",
            ),
            (
                &format!("{START}ca_file = 'Cargo.toml'"),
                "line 3: `upstreams.local.ca_file`: Cargo.toml: there is no certificate in it; allowed: a file in PEM",
            ),
            (
                "[upstreams.a]\nurl = 'http://x:99999'",
                "line 2: `upstreams.a.url`: `http://x:99999` has no port from 0 to 65535; allowed: http://HOST:PORT",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\n[[routes]]\nupstream = 'local'"),
                "line 5: `routes[1].model`: another route is for `*` too",
            ),
            (
                &format!("{START}[[routes]]\nupstream = 'local'\nreasoning_field = 'content'"),
                "line 5: `routes[0].reasoning_field`: clients use the field `content` for something else",
            ),
            (
                &format!("{START}[upstreams.b]\nurl = 'http://y'"),
                "`routes`: with several upstreams, write a table [[routes]]",
            ),
            (
                &format!("client_keys_env = ['NOT_SET']\n{START}"),
                "line 1: `client_keys_env[0]`: the environment variable `NOT_SET` is not set",
            ),
        ] {
            let error = Config::parse(text).unwrap_err().to_string();
            if !error.contains(message) {
                wrong.push(format!("{error}\nnot {message}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_effective_configuration_is_one_and_one_upstream_needs_no_route() {
        let config = Config::parse(START).unwrap();
        assert_eq!(config.routes.len(), 1);
        let again = Config::parse(&config.to_toml()).unwrap();
        assert_eq!(again.to_toml(), config.to_toml());
    }
}

//! `serve` as a process: what it says, its signals, its logs.
#![cfg(all(unix, feature = "serve"))]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::thread::JoinHandle;

/// A running proxy, which is ended when it is dropped.
struct Proxy {
    process: Child,
    log: BufReader<ChildStderr>,
    address: String,
    admin: String,
    /// The line that it prints at its start.
    greeting: String,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tagstream"));
    command.arg("serve").args(args).env_remove("RUST_LOG");
    command
}

fn output(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

impl Proxy {
    fn start(args: &[&str]) -> Self {
        Self::start_with(&mut command(args))
    }

    fn start_with(command: &mut Command) -> Self {
        let addresses = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        Self::start_at(command, &addresses)
    }

    fn start_at(command: &mut Command, addresses: &[&str]) -> Self {
        command.args(addresses);
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("listening on") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "it does not start");
        }
        let between = |start: &str, end: &str| {
            let rest = line.split_once(start).unwrap_or_else(|| panic!("{line}")).1;
            rest.split_once(end).unwrap().0.to_owned()
        };
        let address = between("listening on http://", ",");
        let admin = between("metrics are on http://", "/metrics");
        Proxy {
            process,
            log,
            address,
            admin,
            greeting: line,
        }
    }

    fn exchange(address: &str, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn ask(&self, path: &str, body: &str) -> String {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-hidden\r\nx-api-key: sk-hidden\r\napi-key: sk-hidden\r\nx-goog-api-key: sk-hidden\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        Self::exchange(&self.address, &(head + body))
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Reads the log to its end meanwhile: a process waits if nobody reads what it writes.
    fn rest_of_log(&self) -> JoinHandle<String> {
        let rest = self.log.get_ref().as_fd().try_clone_to_owned().unwrap();
        std::thread::spawn(move || std::io::read_to_string(File::from(rest)).unwrap())
    }

    /// Reads the log until this text comes.
    fn log_until(&mut self, what: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(what) {
            let read = self.log.read_line(&mut seen).unwrap();
            assert!(read > 0, "no `{what}` in {seen}");
        }
        seen
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

const CHAT: &str = "/v1/chat/completions";
const UPSTREAM: &str = "[upstreams.a]\nurl = \"http://127.0.0.1:1\"\n";

#[test]
fn check_prints_the_effective_configuration_or_what_is_wrong() {
    let good = file("good.toml", UPSTREAM);
    let done = output(&["--check", "--config", good.to_str().unwrap()]);
    assert!(done.status.success());
    let printed = text(&done.stdout);
    for line in [
        "listen = \"127.0.0.1:8089\"",
        "[timeouts]\nconnect = 10.0",
        "mode = \"repair\"",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let bad = file("bad.toml", &format!("{UPSTREAM}[limits]\nrequests = 1\n"));
    let done = output(&["--check", "--config", bad.to_str().unwrap()]);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains(
            "line 4: `limits.requests`: unknown key `requests` (did you mean `request`?)"
        ) && said.contains("`request`"),
        "{said}"
    );
}

#[test]
fn the_demo_answers_in_every_format_and_logs_no_key() {
    let mut proxy = Proxy::start(&["--demo", "--log", "json"]);
    let greeting: serde_json::Value = serde_json::from_str(&proxy.greeting).unwrap();
    assert_eq!(greeting["level"], "INFO", "{greeting}");
    let start = format!("listening on http://{}, ", proxy.address);
    assert!(
        greeting["message"].as_str().unwrap().starts_with(&start),
        "{greeting}"
    );
    let tools = r#""tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]"#;
    for (path, ask, repaired) in [
        (
            CHAT,
            format!(r#"{{"model":"m","stream":true,{tools}}}"#),
            r#""tool_calls":["#,
        ),
        (
            CHAT,
            r#"{"model":"m"}"#.to_owned(),
            r#""reasoning_content":"The user greets me.""#,
        ),
        (
            "/v1/completions",
            r#"{"model":"m","stream":true}"#.to_owned(),
            r#""text":"Hello!"#,
        ),
        (
            "/v1/responses",
            r#"{"model":"m","stream":true}"#.to_owned(),
            "response.reasoning_text.delta",
        ),
        (
            "/v1/messages?beta=true",
            r#"{"model":"m","stream":true}"#.to_owned(),
            "thinking_delta",
        ),
        (
            "/v1/messages/count_tokens",
            r#"{"model":"m"}"#.to_owned(),
            "input_tokens",
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse&key=sk-hidden",
            "{}".to_owned(),
            r#""thought":true"#,
        ),
        (
            "/v1beta/models/m:streamGenerateContent",
            "{}".to_owned(),
            r#""thought":true"#,
        ),
        ("/api/chat", r#"{"model":"m"}"#.to_owned(), r#""thinking":"#),
        (
            "/api/generate",
            r#"{"model":"m","stream":false}"#.to_owned(),
            r#""thinking":"The user greets me.""#,
        ),
        ("/v1/models", String::new(), r#""id":"demo""#),
    ] {
        let answer = proxy.ask(path, &ask);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        assert!(answer.contains(repaired), "{path}: {answer}");
        assert!(
            !answer.contains("think>") && !answer.contains("\"error\":{"),
            "{path}: {answer}"
        );
    }
    let health = Proxy::exchange(
        &proxy.admin,
        "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    assert!(health.ends_with("ok\n"), "{health}");
    proxy.signal("TERM");
    let mut log = String::new();
    proxy.log.read_to_string(&mut log).unwrap();
    assert!(proxy.process.wait().unwrap().success());
    assert!(!log.contains("sk-hidden"), "{log}");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let requests: Vec<_> = lines
        .iter()
        .filter(|line| line["message"] == "request")
        .collect();
    assert_eq!(requests.len(), 11, "{log}");
    let first = requests[0];
    assert_eq!(
        (first["status"].as_u64(), first["outcome"].as_str()),
        (Some(200), Some("ok")),
        "{log}"
    );
    assert_eq!(
        (first["thoughts"].as_u64(), first["calls"].as_u64()),
        (Some(1), Some(1)),
        "{log}"
    );
    assert!(
        first["id"].as_str().is_some_and(|id| !id.is_empty()),
        "{log}"
    );
}

#[test]
fn a_hangup_reloads_and_a_bad_file_is_reported() {
    let config = file("reload.toml", UPSTREAM);
    let mut proxy = Proxy::start(&["--config", config.to_str().unwrap()]);
    std::fs::write(
        &config,
        format!("{UPSTREAM}[[routes]]\nmodel = \"only\"\nupstream = \"a\"\n"),
    )
    .unwrap();
    proxy.signal("HUP");
    proxy.log_until("reloaded");
    assert!(
        proxy
            .ask(CHAT, r#"{"model":"m"}"#)
            .starts_with("HTTP/1.1 404 ")
    );
    std::fs::write(&config, format!("{UPSTREAM}mode = 1\n")).unwrap();
    proxy.signal("HUP");
    let log = proxy.log_until("the old configuration stays");
    assert!(
        log.contains("reload.toml: line 3: `upstreams.a.mode`: unknown key `mode`"),
        "{log}"
    );
    assert!(
        proxy
            .ask(CHAT, r#"{"model":"m"}"#)
            .starts_with("HTTP/1.1 404 ")
    );
}

#[test]
fn a_missing_file_is_reported_with_its_key_at_the_start_and_on_a_hangup() {
    let config = file("tls.toml", UPSTREAM);
    let mut proxy = Proxy::start(&["--config", config.to_str().unwrap()]);
    let wrong = format!("{UPSTREAM}[tls]\ncert = \"none.pem\"\nkey = \"none.pem\"\n");
    std::fs::write(&config, wrong).unwrap();
    let done = output(&["--check", "--config", config.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(2));
    proxy.signal("HUP");
    for said in [
        text(&done.stderr),
        proxy.log_until("the old configuration stays"),
    ] {
        assert!(
            said.contains("tls.toml: line 4: `tls.cert`: ") && said.contains("none.pem: No such"),
            "{said}"
        );
    }
}

#[test]
fn the_start_line_says_what_happens_to_answers() {
    for (name, modes, doing) in [
        ("repair", &["repair"][..], ", repairing answers of "),
        ("observe", &["observe"], ", observing answers of "),
        ("off", &["off"], ", passing on answers of "),
        (
            "all",
            &["off", "repair"],
            ", repairing, passing on answers of ",
        ),
    ] {
        let routes = modes.iter().map(|mode| {
            format!("[[routes]]\nmodel = \"{mode}\"\nupstream = \"a\"\nmode = \"{mode}\"\n")
        });
        let routes: String = routes.collect();
        let config = file(&format!("mode-{name}.toml"), &format!("{UPSTREAM}{routes}"));
        let proxy = Proxy::start(&["--config", config.to_str().unwrap()]);
        assert!(proxy.greeting.contains(doing), "{}", proxy.greeting);
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let model = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", model.local_addr().unwrap());
    let mut proxy = Proxy::start(&["--upstream", &url]);
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    let ask = format!("POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}");
    client.write_all(ask.as_bytes()).unwrap();
    let _waiting = model.accept().unwrap();
    proxy.signal("TERM");
    proxy.log_until("draining");
    proxy.signal("TERM");
    // Far sooner than the limit for draining, which is 30 seconds.
    let log = proxy.log_until(" request ");
    assert!(
        log.contains("cut_off") && !log.contains("time limit"),
        "{log}"
    );
    assert!(proxy.process.wait().unwrap().success());
}

#[test]
fn keys_that_are_removed_by_a_reload_are_a_warning() {
    let keys = "client_keys_env = [\"CARGO_PKG_NAME\"]\n";
    let config = file("keys.toml", &format!("{keys}{UPSTREAM}"));
    let args = [
        "--config",
        config.to_str().unwrap(),
        "--listen",
        "0.0.0.0:0",
    ];
    let mut proxy = Proxy::start_at(&mut command(&args), &["--admin-listen", "127.0.0.1:0"]);
    std::fs::write(&config, UPSTREAM).unwrap();
    proxy.signal("HUP");
    let log = proxy.log_until("any client may connect");
    assert!(log.contains("WARN") && log.contains("0.0.0.0:"), "{log}");
}

#[test]
fn an_address_that_others_can_reach_is_a_warning_unless_clients_have_keys() {
    let (anywhere, here) = ("0.0.0.0:0", "127.0.0.1:0");
    let keys = "client_keys_env = [\"CARGO_PKG_NAME\"]\n";
    for (name, listen, admin, more, warning) in [
        ("open", anywhere, here, "", Some("any client may connect")),
        ("keys", anywhere, here, keys, None),
        (
            "admin",
            here,
            anywhere,
            keys,
            Some("warning: the admin listener 0.0.0.0:"),
        ),
    ] {
        let warns = warning.is_some();
        let config = file(
            &format!("open-{name}.toml"),
            &format!("listen = \"{listen}\"\nadmin_listen = \"{admin}\"\n{more}{UPSTREAM}"),
        );
        let mut child = command(&["--config", config.to_str().unwrap()])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        log.read_line(&mut said).unwrap();
        assert!(said.contains("listening on http://"), "{said}");
        let pid = child.id().to_string();
        // What is said at the start is said before any signal is handled.
        if warns {
            log.read_line(&mut said).unwrap();
        }
        assert!(
            Command::new("kill")
                .args(["-s", "TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        log.read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        assert_eq!(said.contains("warning: "), warns, "{said}");
        assert!(said.contains(warning.unwrap_or("")), "{said}");
    }
}

#[test]
fn a_warning_at_the_start_is_json_if_the_log_is() {
    let args = ["--demo", "--log", "json", "--listen", "0.0.0.0:0"];
    let mut proxy = Proxy::start_at(&mut command(&args), &["--admin-listen", "127.0.0.1:0"]);
    let line = proxy.log_until("any client may connect");
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["level"], "WARN", "{line}");
}

#[test]
fn a_request_that_is_not_understood_is_logged_with_the_reason() {
    let mut proxy = Proxy::start(&["--upstream", "http://127.0.0.1:1"]);
    let open = "[".repeat(20_000);
    let close = "]".repeat(20_000);
    for ask in [
        "\u{feff}{}".to_owned(),
        format!("{{\"tools\":{open}{close}}}"),
        "[]".to_owned(),
    ] {
        proxy.ask(CHAT, &ask);
        let log = proxy.log_until(" request ");
        let reason = "unread=\"the body of the request is not a JSON object that can be read\"";
        assert!(log.contains(reason), "{log}");
    }
    // Nobody expects to understand it.
    proxy.ask("/v1/files", "[]");
    assert!(!proxy.log_until(" request ").contains("unread"));
}

#[test]
fn streams_are_captured_if_that_is_asked_for() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("captured");
    let _ = std::fs::remove_dir_all(&folder);
    let mut proxy = Proxy::start(&["--demo", "--capture", folder.to_str().unwrap()]);
    proxy.ask(CHAT, r#"{"model":"m","stream":true}"#);
    proxy.signal("TERM");
    proxy.process.wait().unwrap();
    let mut files = std::fs::read_dir(&folder).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(file.to_str().unwrap().ends_with(".openai.raw"), "{file:?}");
}

#[test]
fn a_request_is_one_line_of_the_log_whatever_its_model_is_called() {
    let route = "[[routes]]\nmodel = \"m*\"\nupstream = \"a\"\n";
    let config = file("named.toml", &format!("{UPSTREAM}{route}"));
    let mut proxy = Proxy::start(&["--config", config.to_str().unwrap()]);
    let long = "x".repeat(10_000);
    let forged = r"m\n2000-01-01T00:00:00Z  INFO forged\u001b[31m";
    for (name, status) in [(forged, "HTTP/1.1 502 "), ("x", "HTTP/1.1 404 ")] {
        let answer = proxy.ask(CHAT, &format!(r#"{{"model":"{name}{long}"}}"#));
        assert!(answer.starts_with(status), "{answer}");
        assert!(answer.len() < 1000, "{answer}");
    }
    proxy.signal("TERM");
    let mut log = String::new();
    proxy.log.read_to_string(&mut log).unwrap();
    let mut lines = log.lines().filter(|line| line.contains("forged"));
    let line = lines.next().unwrap();
    assert!(
        line.contains("upstream_unreachable") && line.len() < 1000 && !line.contains('\u{1b}'),
        "{log}"
    );
    assert_eq!(lines.next(), None, "{log}");
}

/// The client's key goes through two proxies, between which is HTTP/2.
#[test]
fn no_key_is_logged_even_if_everything_is() {
    let start = |args: &[&str]| Proxy::start_with(command(args).env("RUST_LOG", "trace"));
    let model = start(&["--demo"]);
    let config = file(
        "traced.toml",
        &format!(
            "[upstreams.a]\nurl = \"http://{}\"\nhttp2 = true\n",
            model.address
        ),
    );
    let proxy = start(&["--config", config.to_str().unwrap()]);
    let logs = [proxy.rest_of_log(), model.rest_of_log()];
    let answer = proxy.ask(
        "/v1/messages?key=sk-hidden",
        r#"{"model":"m","stream":true}"#,
    );
    assert!(answer.contains("thinking_delta"), "{answer}");
    proxy.signal("TERM");
    model.signal("TERM");
    for log in logs {
        let log = log.join().unwrap();
        assert!(log.contains("TRACE") && log.contains(" request "), "{log}");
        assert!(!log.contains("sk-hidden"), "{log}");
    }
}

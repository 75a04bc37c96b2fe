//! `serve`: a proxy that repairs the streams of a model server.

use crate::failure::{Failure, say};
use crate::output::Output;
use crate::stream::Outcome;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tagstream_serve::{
    Config, LogFormat, Mode, Proxy, Reload, Server, load, start_demo, stop_signal,
};

/// Time for files that are being written at the end.
const LAST_WRITES: Duration = Duration::from_secs(5);

#[derive(Clone, clap::Args)]
#[command(after_help = "\
Examples:
  tagstream serve --upstream http://127.0.0.1:8000
  tagstream serve --demo
  tagstream serve --config tagstream.toml --check")]
pub(crate) struct ServeArgs {
    /// URL of the model server
    #[arg(
        long,
        value_name = "URL",
        required_unless_present_any = ["config", "demo"],
        conflicts_with = "config"
    )]
    upstream: Option<String>,

    /// Use a built-in model server that plays recorded answers
    #[arg(long, conflicts_with_all = ["upstream", "config"])]
    demo: bool,

    /// Read the configuration from this file, in TOML; SIGHUP reads it again
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Address that clients connect to [default: 127.0.0.1:8089]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// Address of /healthz, /readyz and /metrics [default: 127.0.0.1:8090]
    #[arg(long, value_name = "ADDRESS")]
    admin_listen: Option<SocketAddr>,

    /// Check the configuration, print it with all defaults, and exit
    #[arg(long)]
    check: bool,

    /// Write raw streams of repaired or refused messages to this folder, with keys removed
    #[arg(long, value_name = "DIR")]
    capture: Option<PathBuf>,

    /// Format of the logs
    #[arg(long, value_name = "FORMAT", value_parser = ["human", "json"])]
    log: Option<String>,
}

pub(crate) fn run(args: &ServeArgs) -> Result<Outcome, Failure> {
    let config = args.config().map_err(Failure::because)?;
    if args.check {
        Proxy::new(config.clone()).map_err(Failure::because)?;
        let mut out = Output::new();
        out.text(&config.to_toml());
        out.flush()?;
        return Ok(Outcome::Done);
    }
    tagstream_serve::log_to_stderr(config.log);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(Failure::because)?;
    runtime
        .block_on(serve(config, args))
        .map_err(Failure::because)?;
    // Captured streams are still written.
    runtime.shutdown_timeout(LAST_WRITES);
    Ok(Outcome::Done)
}

async fn serve(mut config: Config, args: &ServeArgs) -> Result<(), String> {
    if args.demo {
        let demo = start_demo().await.map_err(|error| error.to_string())?;
        for upstream in config.upstreams.values_mut() {
            upstream.url = format!("http://{demo}");
        }
    }
    let (stop, first) = (stop_signal(), stop_signal());
    let server = Server::bind(config.clone(), args.reload()).await;
    let server = server.map_err(|problem| problem.to_string())?;
    let (address, admin) = server.addresses().map_err(|error| error.to_string())?;
    announce(
        &config,
        &greeting(&config, address, admin),
        server.warnings(),
    );
    // Who asks twice does not want to wait.
    tokio::select! {
        () = server.run(stop) => {}
        () = async { first.await; stop_signal().await } => {}
    }
    Ok(())
}

/// Reports the start in the format of the logs.
fn announce(config: &Config, greeting: &str, warnings: Vec<String>) {
    let is_json = config.log == LogFormat::Json;
    if is_json {
        tracing::info!("{greeting}");
    } else {
        say(greeting);
    }
    for warning in warnings {
        if is_json {
            tracing::warn!("{warning}");
        } else {
            say(&format!("warning: {warning}"));
        }
    }
}

/// What is said at the start.
fn greeting(config: &Config, address: SocketAddr, admin: SocketAddr) -> String {
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let doing = [
        (Mode::Repair, "repairing"),
        (Mode::Observe, "observing"),
        (Mode::Off, "passing on"),
    ];
    let has = |mode| config.routes.iter().any(|route| route.mode == mode);
    let doing = doing.iter().filter(|(mode, _)| has(*mode));
    let doing: Vec<_> = doing.map(|(_, word)| *word).collect();
    let doing = doing.join(", ");
    let urls = config.upstreams.values();
    let urls: Vec<_> = urls.map(|upstream| upstream.url.as_str()).collect();
    let urls = urls.join(", ");
    format!(
        "listening on {scheme}://{address}, {doing} answers of {urls}; metrics are on http://{admin}/metrics"
    )
}

impl ServeArgs {
    /// The configuration of the file, with what the command line sets.
    fn config(&self) -> Result<Config, String> {
        let mut config = match (&self.config, &self.upstream) {
            (Some(file), _) => load(file)?,
            (None, Some(url)) => Config::for_upstream(url),
            // The upstream of the demo has no address yet.
            (None, None) => Config::for_upstream("http://127.0.0.1:1"),
        };
        config.listen = self.listen.unwrap_or(config.listen);
        config.admin_listen = self.admin_listen.unwrap_or(config.admin_listen);
        config.capture = self.capture.clone().or(config.capture);
        config.log = match self.log.as_deref() {
            Some("json") => LogFormat::Json,
            Some(_) => LogFormat::Human,
            None => config.log,
        };
        config.check().map_err(|problem| problem.to_string())?;
        Ok(config)
    }

    /// Reads the file again, if there is one.
    fn reload(&self) -> Option<Reload> {
        self.config.as_ref()?;
        let args = self.clone();
        Some(Box::new(move || args.config()))
    }
}

//! Logs on standard error.

use crate::config::LogFormat;
use tracing_subscriber::EnvFilter;

/// Writes logs to standard error: one line for each request. `RUST_LOG` changes what is logged.
pub fn log_to_stderr(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let builder = builder.with_target(false);
    // A subscriber that is set already stays.
    let _ = match format {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Human => builder.with_ansi(false).try_init(),
    };
}

//! `SIGTERM` and `SIGHUP`.

use super::Reload;
use crate::config::Config;
use crate::proxy::Proxy;

/// Ready when the process is asked to end.
pub async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Reads the configuration again with each `SIGHUP`; never ready.
pub(super) async fn reload_on_hangup(proxy: Proxy, reload: Option<Reload>) {
    #[cfg(unix)]
    if let Ok(mut hangups) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())
    {
        while hangups.recv().await.is_some() {
            match &reload {
                Some(reload) => replace(&proxy, reload),
                None => tracing::warn!("there is no file to read the configuration from"),
            }
        }
    }
    std::future::pending::<()>().await;
}

#[cfg_attr(not(unix), expect(dead_code))]
fn replace(proxy: &Proxy, reload: &Reload) {
    let before = proxy.live();
    let config = match reload() {
        Ok(config) => config,
        Err(problem) => {
            return tracing::error!(problem, "not reloaded; the old configuration stays");
        }
    };
    let fixed = |config: &Config| (config.listen, config.admin_listen, config.log);
    let is_changed = fixed(&config) != fixed(&before.config);
    match proxy.reload(config) {
        Ok(()) if is_changed => {
            tracing::warn!(
                "reloaded; `listen`, `admin_listen` and `log` change only with a restart"
            );
        }
        Ok(()) => tracing::info!("reloaded"),
        Err(problem) => tracing::error!(%problem, "not reloaded; the old configuration stays"),
    }
}

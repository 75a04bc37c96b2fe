//! `SIGTERM` and `SIGHUP`.

use super::{Reload, warnings};
use crate::config::Config;
use crate::proxy::Proxy;
use std::net::SocketAddr;

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

/// Reads the configuration again with each `SIGHUP`.
#[cfg_attr(not(unix), expect(dead_code))]
pub(super) struct Hangups {
    pub(super) proxy: Proxy,
    pub(super) reload: Option<Reload>,
    /// Of the proxy and its admin listener.
    pub(super) addresses: Option<(SocketAddr, SocketAddr)>,
}

impl Hangups {
    /// Never ready.
    pub(super) async fn handle(self) {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            if let Ok(mut hangups) = signal(SignalKind::hangup()) {
                while hangups.recv().await.is_some() {
                    self.replace();
                }
            }
        }
        std::future::pending::<()>().await;
    }

    #[cfg_attr(not(unix), expect(dead_code))]
    fn replace(&self) {
        let Some(reload) = &self.reload else {
            return tracing::warn!("there is no file to read the configuration from");
        };
        let before = self.proxy.live();
        let config = match reload() {
            Ok(config) => config,
            Err(problem) => {
                return tracing::error!(problem, "not reloaded; the old configuration stays");
            }
        };
        let fixed = |config: &Config| (config.listen, config.admin_listen, config.log);
        let is_changed = fixed(&config) != fixed(&before.config);
        match self.proxy.reload(config) {
            Ok(()) if is_changed => {
                tracing::warn!(
                    "reloaded; `listen`, `admin_listen` and `log` change only with a restart"
                );
            }
            Ok(()) => tracing::info!("reloaded"),
            Err(problem) => {
                return tracing::error!(%problem, "not reloaded; the old configuration stays");
            }
        }
        let addresses = self.addresses.iter();
        for warning in
            addresses.flat_map(|(address, admin)| warnings(&self.proxy, *address, *admin))
        {
            tracing::warn!("{warning}");
        }
    }
}

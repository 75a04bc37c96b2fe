//! `SIGTERM` and `SIGHUP`.

use super::{Reload, warnings};
use crate::config::Config;
use crate::proxy::Proxy;
use std::net::SocketAddr;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ready when the process is asked to end, at any time after this call.
///
/// # Panics
/// There is no runtime.
pub fn stop_signal() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async {
        #[cfg(unix)]
        if let [Ok(mut terminate), Ok(mut interrupt)] = signals {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Reads the configuration again with each `SIGHUP`.
#[cfg_attr(not(unix), expect(dead_code))]
pub(super) struct Hangups {
    proxy: Proxy,
    reload: Option<Reload>,
    /// Registered before anyone can know that the process runs: otherwise a signal would end it.
    #[cfg(unix)]
    signals: Option<Signal>,
    /// Of the proxy and its admin listener.
    pub(super) addresses: Option<(SocketAddr, SocketAddr)>,
}

impl Hangups {
    pub(super) fn new(proxy: Proxy, reload: Option<Reload>) -> Self {
        Hangups {
            proxy,
            reload,
            #[cfg(unix)]
            signals: signal(SignalKind::hangup()).ok(),
            addresses: None,
        }
    }

    /// Never ready.
    #[cfg_attr(not(unix), expect(unused_mut))]
    pub(super) async fn handle(mut self) {
        #[cfg(unix)]
        if let Some(mut signals) = self.signals.take() {
            while signals.recv().await.is_some() {
                self.replace();
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

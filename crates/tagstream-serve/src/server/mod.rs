//! Listeners, and an end that lets requests in flight end.

mod admin;
mod connection;
mod patient;
mod signals;
pub(crate) mod tls;

pub use signals::stop_signal;

use crate::config::{Config, Problem};
use crate::proxy::Proxy;
use crate::upstream::seconds;
use connection::Connections;
use signals::Hangups;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;

/// Pause after a connection that cannot be accepted, because there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Reads the configuration again.
pub type Reload = Box<dyn Fn() -> Result<Config, String> + Send + Sync>;

/// A proxy with its listeners.
pub struct Server {
    proxy: Proxy,
    listener: TcpListener,
    admin: TcpListener,
    hangups: Hangups,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Binds the listeners. `reload` is called on `SIGHUP`.
    ///
    /// # Errors
    /// An address is taken, or the configuration cannot work.
    pub async fn bind(config: Config, reload: Option<Reload>) -> Result<Self, Problem> {
        let (listen, admin_listen) = (config.listen, config.admin_listen);
        let proxy = Proxy::new(config)?;
        let mut hangups = Hangups::new(proxy.clone(), reload);
        let listener = bind("listen", listen).await?;
        let admin = bind("admin_listen", admin_listen).await?;
        hangups.addresses = listener.local_addr().ok().zip(admin.local_addr().ok());
        Ok(Server {
            hangups,
            proxy,
            listener,
            admin,
        })
    }

    /// The proxy.
    #[must_use]
    pub fn proxy(&self) -> &Proxy {
        &self.proxy
    }

    /// The addresses of the proxy and of its admin listener.
    ///
    /// # Errors
    /// The system does not know them.
    pub fn addresses(&self) -> io::Result<(SocketAddr, SocketAddr)> {
        Ok((self.listener.local_addr()?, self.admin.local_addr()?))
    }

    /// What may be a mistake: listeners that others can reach.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let addresses = self.addresses();
        addresses.map_or(Vec::new(), |(address, admin)| {
            warnings(&self.proxy, address, admin)
        })
    }

    /// Serves until `stop` is ready. Then no connection is accepted any more, and requests in flight may
    /// end, for as long as the configuration allows; the rest is cut off.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let is_ready = Arc::new(AtomicBool::new(true));
        let admin = admin::serve(self.admin, self.proxy.clone(), Arc::clone(&is_ready));
        let mut connections = Connections::new(self.proxy.clone());
        let serve = async {
            accept(&self.listener, &mut connections, stop).await;
            is_ready.store(false, Ordering::Relaxed);
            drop(self.listener);
            let limit = seconds(self.proxy.live().config.timeouts.drain);
            connections.drain(limit).await;
        };
        tokio::select! {
            () = serve => {}
            () = admin => {}
            () = self.hangups.handle() => {}
        }
    }
}

fn warnings(proxy: &Proxy, address: SocketAddr, admin: SocketAddr) -> Vec<String> {
    let is_open = |address: SocketAddr| !address.ip().to_canonical().is_loopback();
    let mut warnings = Vec::new();
    if is_open(address) && proxy.live().client_keys.is_empty() {
        warnings.push(format!(
            "{address} can be reached from other machines, and any client may connect; set `client_keys_env`"
        ));
    }
    if is_open(admin) {
        warnings.push(format!(
            "the admin listener {admin} can be reached from other machines, and has neither keys nor TLS"
        ));
    }
    warnings
}

async fn bind(key: &str, address: SocketAddr) -> Result<TcpListener, Problem> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| Problem::new(key, format!("cannot listen on {address}: {error}")))
}

async fn accept(
    listener: &TcpListener,
    connections: &mut Connections,
    stop: impl Future<Output = ()>,
) {
    tokio::pin!(stop);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => connections.add(stream),
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            () = &mut stop => break,
        }
    }
}

//! TLS for clients.

use crate::config::{Problem, Tls};
use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Accepts connections with TLS, for HTTP/1.1 and HTTP/2.
#[derive(Clone)]
pub(crate) struct Acceptor(TlsAcceptor);

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Acceptor")
    }
}

impl Acceptor {
    pub(crate) fn new(tls: &Tls) -> Result<Self, Problem> {
        let certs = certificates(&tls.cert).map_err(|text| Problem::new("tls.cert", text))?;
        let key = PrivateKeyDer::from_pem_file(&tls.key);
        let key = key.map_err(|error| unreadable(&tls.key, "key", error));
        let key = key.map_err(|text| Problem::new("tls.key", text))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(certs, key));
        let mut config = config.map_err(|error| Problem::new("tls", error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Acceptor(TlsAcceptor::from(Arc::new(config))))
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

/// The certificates in a file, of which there is at least one.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certs = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let certs: Vec<_> = certs.map_err(|error| unreadable(path, "certificate", error))?;
    if certs.is_empty() {
        return Err(unreadable(path, "certificate", pem::Error::NoItemsFound));
    }
    Ok(certs)
}

/// What is wrong with a file in which something is looked for.
fn unreadable(path: &Path, what: &str, error: pem::Error) -> String {
    let problem = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => format!("there is no {what} in it; allowed: a file in PEM"),
        error => format!("{error}; allowed: a file in PEM"),
    };
    format!("{}: {problem}", path.display())
}

//! What clients connect to: the upstream itself, nginx, tagstream.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::sleep;

pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    pub(crate) admin: Option<SocketAddr>,
    /// Whether all bytes must be as they were sent.
    pub(crate) is_raw: bool,
    process: Option<Child>,
}

impl Target {
    pub(crate) fn pid(&self) -> Option<u32> {
        self.process.as_ref().and_then(Child::id)
    }

    pub(crate) async fn stop(mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill().await;
        }
    }

    pub(crate) fn direct(upstream: SocketAddr) -> Self {
        Target {
            name: "direct",
            address: upstream,
            admin: None,
            is_raw: true,
            process: None,
        }
    }

    /// nginx as people configure it for streams; `None` if it is not installed.
    pub(crate) async fn nginx(upstream: SocketAddr) -> Option<Self> {
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx"]
            .into_iter()
            .find(|path| Path::new(path).exists())?;
        let address = free().await;
        let folder = folder("nginx");
        let config = format!(
            "daemon off; worker_processes 2; pid {0}/pid; error_log {0}/error.log;\n\
             events {{ worker_connections 8192; }}\n\
             http {{ access_log /dev/null; client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0}; uwsgi_temp_path {0}; scgi_temp_path {0};\n\
             upstream model {{ server {upstream}; keepalive 64; }}\n\
             server {{ listen {address}; location / {{ proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_buffering off; }} }} }}\n",
            folder.display(),
        );
        let file = folder.join("nginx.conf");
        std::fs::write(&file, config).expect("a file");
        let process = Command::new(program)
            .arg("-c")
            .arg(&file)
            .kill_on_drop(true)
            .stderr(Stdio::null())
            .spawn();
        let target = Target {
            name: "nginx",
            address,
            admin: None,
            is_raw: true,
            process: Some(process.expect("nginx starts")),
        };
        target.ready().await;
        Some(target)
    }

    /// `tagstream serve`, in this mode.
    pub(crate) async fn tagstream(
        name: &'static str,
        mode: &str,
        more: &str,
        upstream: SocketAddr,
    ) -> Self {
        let (address, admin) = (free().await, free().await);
        let config = format!(
            "listen = \"{address}\"\nadmin_listen = \"{admin}\"\n{more}\n[upstreams.bench]\nurl = \"http://{upstream}\"\n[[routes]]\nupstream = \"bench\"\nmode = \"{mode}\"\n"
        );
        let file = folder(mode).join("tagstream.toml");
        std::fs::write(&file, config).expect("a file");
        let program = std::env::var("TAGSTREAM").unwrap_or_else(|_| "tagstream".to_owned());
        let process = Command::new(program)
            .args(["serve", "--config"])
            .arg(&file)
            .kill_on_drop(true)
            .stderr(Stdio::null())
            .spawn();
        let process = process.expect("tagstream starts; TAGSTREAM is its path");
        let target = Target {
            name,
            address,
            admin: Some(admin),
            is_raw: mode != "repair",
            process: Some(process),
        };
        target.ready().await;
        target
    }

    async fn ready(&self) {
        for _ in 0..200 {
            if TcpStream::connect(self.address).await.is_ok() {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
        panic!("{} does not listen", self.name);
    }
}

async fn free() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    listener.local_addr().expect("an address")
}

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("tagstream-bench-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

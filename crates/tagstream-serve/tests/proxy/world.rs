//! A proxy, its upstream and its clients.

use std::net::SocketAddr;
use std::time::Duration;
use tagstream_serve::{Config, Proxy, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const ASK: &str = r#"{"model":"m","stream":true,"messages":[]}"#;
pub(crate) const DONE: &str = "data: [DONE]\n\n";
/// A test that waits for longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    pub(crate) upstream: TcpListener,
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
    pub(crate) proxy: Proxy,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) running: JoinHandle<()>,
}

/// A configuration for an upstream that the test plays.
pub(crate) fn config(upstream: &TcpListener) -> Config {
    let mut config = Config::for_upstream(&format!("http://{}", upstream.local_addr().unwrap()));
    config.listen.set_port(0);
    config.admin_listen.set_port(0);
    config
}

pub(crate) async fn world(change: impl FnOnce(&mut Config)) -> World {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = config(&upstream);
    change(&mut config);
    let server = Server::bind(config, None).await.unwrap();
    let (address, admin) = server.addresses().unwrap();
    let proxy = server.proxy().clone();
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(server.run(async { drop(stopped.await) }));
    World {
        upstream,
        address,
        admin,
        proxy,
        stop: Some(stop),
        running,
    }
}

impl World {
    /// A client that has sent a request with this body.
    pub(crate) async fn ask(&self, path: &str, headers: &str, body: &str) -> Peer {
        self.ask_bytes(path, headers, body.as_bytes()).await
    }

    pub(crate) async fn ask_bytes(&self, path: &str, headers: &str, body: &[u8]) -> Peer {
        let length = body.len();
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n");
        let mut client = self.connect().await;
        client.send(&[head.as_bytes(), body].concat()).await;
        client
    }

    pub(crate) async fn connect(&self) -> Peer {
        Peer::new(TcpStream::connect(self.address).await.unwrap())
    }

    /// The next connection to the upstream.
    pub(crate) async fn upstream_peer(&self) -> Peer {
        let accepted = timeout(PATIENCE, self.upstream.accept()).await;
        Peer::new(accepted.expect("a request comes").unwrap().0)
    }

    /// The next connection to the upstream, and the request that came on it.
    pub(crate) async fn accept(&self) -> (Peer, String) {
        let mut peer = self.upstream_peer().await;
        let request = peer.request().await;
        (peer, request)
    }

    /// What the client gets when the upstream answers with these bytes and closes.
    pub(crate) async fn exchange(&self, path: &str, ask: &str, answer: &str) -> String {
        let mut client = self.ask(path, "connection: close\r\n", ask).await;
        let (mut upstream, _) = self.accept().await;
        upstream.send(answer.as_bytes()).await;
        drop(upstream);
        client.rest().await
    }

    pub(crate) fn metric(&self, line: &str) -> String {
        let text = self.proxy.metrics().text();
        let found = text.lines().find_map(|found| found.strip_prefix(line));
        found.unwrap_or("").trim().to_owned()
    }

    pub(crate) async fn admin(&self, path: &str) -> String {
        let mut client = Peer::new(TcpStream::connect(self.admin).await.unwrap());
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        client.send(request.as_bytes()).await;
        client.rest().await
    }
}

/// One end of a connection, with what was read and not taken yet.
pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

impl Peer {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        let read = Vec::new();
        Peer { stream, read }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        // The other side may have closed; then the test sees that in what it reads.
        let _ = self.stream.write_all(bytes).await;
    }

    pub(crate) async fn chunk(&mut self, data: &str) {
        self.send(chunk(data).as_bytes()).await;
    }

    /// Reads more; `false` at the end.
    async fn more(&mut self) -> bool {
        let read = timeout(PATIENCE, self.stream.read_buf(&mut self.read)).await;
        let read = read.unwrap_or_else(|_| panic!("no more after {}", self.seen()));
        read.is_ok_and(|count| count > 0)
    }

    fn seen(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// Reads until this text comes; what was read, with it.
    pub(crate) async fn until(&mut self, end: &str) -> String {
        loop {
            if let Some(at) = self.seen().find(end) {
                let taken: Vec<u8> = self.read.drain(..at + end.len()).collect();
                return String::from_utf8(taken).unwrap();
            }
            assert!(self.more().await, "no `{end}` in {}", self.seen());
        }
    }

    /// Reads to the end.
    pub(crate) async fn rest(&mut self) -> String {
        while self.more().await {}
        let seen = self.seen();
        self.read.clear();
        seen
    }

    /// Waits until the other side has closed the connection.
    pub(crate) async fn closed(&mut self) {
        while self.more().await {}
    }

    /// A request with its body.
    pub(crate) async fn request(&mut self) -> String {
        let head = self.until("\r\n\r\n").await;
        let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.more().await, "the request is complete");
        }
        let body: Vec<u8> = self.read.drain(..length).collect();
        head + &String::from_utf8_lossy(&body)
    }
}

/// A header of a message.
pub(crate) fn header<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let head = message.split("\r\n\r\n").next()?;
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
}

pub(crate) fn head(kind: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n")
}

pub(crate) fn events() -> String {
    head("text/event-stream")
}

pub(crate) fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// An answer in one chunk, with its end.
pub(crate) fn streamed(kind: &str, data: &str) -> String {
    head(kind) + &chunk(data) + "0\r\n\r\n"
}

/// An answer with its length.
pub(crate) fn sized(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// The body of a message, without the framing of its transfer.
pub(crate) fn body(message: &str) -> String {
    let (head, mut rest) = message.split_once("\r\n\r\n").expect("a head");
    if header(head, "transfer-encoding").is_none() {
        return rest.to_owned();
    }
    let mut body = String::new();
    while let Some((size, data)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        body.push_str(&data[..size]);
        rest = data.get(size + 2..).unwrap_or("");
    }
    body
}

/// A frame with a piece of text, in OpenAI's format.
pub(crate) fn content(text: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
    )
}

/// The frames that end an answer in OpenAI's format.
pub(crate) fn finish() -> String {
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned()
        + DONE
}

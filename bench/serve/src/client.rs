//! A client that reads a stream, and checks every byte of it.

use crate::sample::{Sum, now};
use crate::upstream::{Script, Sums};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a client has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) sums: Sums,
    /// From the moment at which a token was sent to that at which it was read, in nanoseconds.
    pub(crate) latencies: Vec<u64>,
    pub(crate) is_done: bool,
    pub(crate) is_error: bool,
    /// Whether the connection was closed before the end of the body.
    pub(crate) is_cut: bool,
}

impl Seen {
    /// What there is to say about an answer that is wrong.
    pub(crate) fn summary(&self) -> String {
        format!(
            "status {}, {} tokens, done {}, error {}, cut {}",
            self.status, self.sums.tokens, self.is_done, self.is_error, self.is_cut
        )
    }
}

/// Sends a request and reads its answer, or only this many tokens of it.
pub(crate) async fn read(
    address: SocketAddr,
    script: Script,
    most_tokens: Option<u64>,
) -> std::io::Result<Seen> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let body = script.to_json();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut reader = Reader::default();
    let mut bytes = Vec::with_capacity(4096);
    loop {
        bytes.clear();
        let count = stream.read_buf(&mut bytes).await?;
        reader.push(&bytes[..count]);
        let has_enough = most_tokens.is_some_and(|most| reader.seen.sums.tokens >= most);
        if count == 0 || reader.is_over || has_enough {
            reader.seen.is_cut = !reader.is_over;
            return Ok(reader.seen);
        }
    }
}

/// Reads an answer piece by piece.
#[derive(Debug, Default)]
struct Reader {
    seen: Seen,
    /// Bytes that are not understood yet: of the head, of a chunk's size, of a frame.
    head: Vec<u8>,
    has_head: bool,
    is_chunked: bool,
    size: Vec<u8>,
    left: usize,
    frame: Vec<u8>,
    is_over: bool,
}

impl Reader {
    fn push(&mut self, mut bytes: &[u8]) {
        if !self.has_head {
            self.head.extend_from_slice(bytes);
            let Some(end) = find(&self.head, b"\r\n\r\n") else {
                return;
            };
            let rest = self.head.split_off(end + 4);
            self.read_head();
            return self.push_body(&rest);
        }
        self.push_body(std::mem::take(&mut bytes));
    }

    fn read_head(&mut self) {
        let head = String::from_utf8_lossy(&self.head).to_ascii_lowercase();
        self.has_head = true;
        self.is_chunked = head.contains("transfer-encoding: chunked");
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        self.seen.status = status.unwrap_or(0);
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        self.left = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    }

    fn push_body(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_over {
            if self.left > 0 {
                let (data, rest) = bytes.split_at(bytes.len().min(self.left));
                self.left -= data.len();
                self.data(data);
                self.is_over = !self.is_chunked && self.left == 0;
                bytes = rest;
                continue;
            }
            let (byte, rest) = (bytes[0], &bytes[1..]);
            bytes = rest;
            match byte {
                b'\n' if !self.size.is_empty() => self.begin_chunk(),
                b'\r' | b'\n' => {}
                byte => self.size.push(byte),
            }
        }
    }

    fn begin_chunk(&mut self) {
        let size = std::str::from_utf8(&self.size).unwrap_or("");
        self.left = usize::from_str_radix(size, 16).unwrap_or(0);
        self.is_over = self.left == 0;
        self.size.clear();
    }

    fn data(&mut self, data: &[u8]) {
        self.seen.sums.raw.add(data);
        self.frame.extend_from_slice(data);
        while let Some(end) = find(&self.frame, b"\n\n") {
            let rest = self.frame.split_off(end + 2);
            let frame = std::mem::replace(&mut self.frame, rest);
            self.read_frame(&String::from_utf8_lossy(&frame));
        }
    }

    fn read_frame(&mut self, frame: &str) {
        self.seen.is_done |= frame == "data: [DONE]\n\n";
        self.seen.is_error |= frame.starts_with("data: {\"error\":");
        // `content` and `reasoning_content` end alike.
        let Some((_, text)) = frame.split_once("content\":\"") else {
            return;
        };
        let text = text.split('"').next().unwrap_or("");
        self.seen.sums.text.add(text.as_bytes());
        for token in text.split('t').filter(|token| !token.is_empty()) {
            self.seen.sums.tokens += 1;
            let sent = token.get(..16).and_then(|time| time.parse::<u64>().ok());
            self.seen
                .latencies
                .extend(sent.map(|sent| now().saturating_sub(sent)));
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Whether all text that was sent has come, and if the bytes may not change, all bytes.
pub(crate) fn is_same(seen: &Seen, sent: Option<Sums>, is_raw: bool) -> bool {
    let Some(sent) = sent else { return false };
    let Sums { raw, text, .. } = sent;
    let same = |a: Sum, b: Sum| a == b;
    same(seen.sums.text, text) && (!is_raw || same(seen.sums.raw, raw))
}

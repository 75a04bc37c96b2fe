//! A model server that streams tokens at a steady rate, with the time at which each was sent in it, and
//! with faults if it is asked for them.

use crate::sample::{Random, Sum, now};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{MissedTickBehavior, interval, sleep};

/// What a request asks for; it is written into the request, as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) id: u64,
    pub(crate) tokens: u64,
    /// Microseconds between two tokens; 0: all at once.
    pub(crate) pause: u64,
    /// Whether a part of the tokens is thinking.
    pub(crate) thinks: bool,
    pub(crate) fault: u64,
}

pub(crate) const FAULTS: [&str; 10] = [
    "none",
    "killed in a frame",
    "ends too early",
    "stalls",
    "error status",
    "wrong content type",
    "single bytes",
    "garbage after the end",
    "reset",
    "half-closed",
];

impl Script {
    pub(crate) fn to_json(self) -> String {
        format!(
            "{{\"model\":\"m\",\"stream\":true,\"messages\":[],\"tools\":[{{\"type\":\"function\",\"function\":{{\"name\":\"now\",\"parameters\":{{\"type\":\"object\"}}}}}}],\"script\":[{},{},{},{},{}]}}",
            self.id,
            self.tokens,
            self.pause,
            u64::from(self.thinks),
            self.fault
        )
    }

    fn of_json(json: &str) -> Option<Self> {
        let list = json.split_once("\"script\":[")?.1.split_once(']')?.0;
        let mut numbers = list.split(',').filter_map(|number| number.parse().ok());
        Some(Script {
            id: numbers.next()?,
            tokens: numbers.next()?,
            pause: numbers.next()?,
            thinks: numbers.next()? == 1,
            fault: numbers.next()?,
        })
    }
}

/// What was sent for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// Of the body, byte for byte.
    pub(crate) raw: Sum,
    /// Of the texts of all tokens, without tags.
    pub(crate) text: Sum,
    pub(crate) tokens: u64,
}

/// The server.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    sent: Arc<Mutex<HashMap<u64, Sums>>>,
}

impl Upstream {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let upstream = Upstream {
            address: listener.local_addr().expect("an address"),
            sent: Arc::default(),
        };
        let server = upstream.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                // A client or proxy that leaves ends it.
                tokio::spawn(async move { server.connection(stream).await.ok() });
            }
        });
        upstream
    }

    /// What was sent for a request, once.
    pub(crate) fn take(&self, id: u64) -> Option<Sums> {
        self.sent.lock().expect("no panic").remove(&id)
    }

    async fn connection(self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut read = Vec::new();
        while let Some(script) = request(&mut stream, &mut read).await? {
            let mut play = Play {
                stream: &mut stream,
                sums: Sums::default(),
            };
            let end = play.answer(script).await?;
            let sums = play.sums;
            // Known before the client can have read the end.
            self.sent.lock().expect("no panic").insert(script.id, sums);
            let Some(end) = end else { break };
            stream.write_all(end).await?;
        }
        Ok(())
    }
}

/// Reads the next request; `None` at the end.
async fn request(stream: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<Option<Script>> {
    loop {
        let text = String::from_utf8_lossy(read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.parse::<usize>().ok())?
            });
            let length = length.unwrap_or(0);
            if body.len() >= length {
                read.drain(..head.len() + 4 + length);
                return Ok(Some(Script::of_json(body).unwrap_or_default()));
            }
        }
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
}

struct Play<'s> {
    stream: &'s mut TcpStream,
    sums: Sums,
}

impl Play<'_> {
    /// Writes an answer, but for its last bytes, which are returned; `None` if it is never completed.
    async fn answer(&mut self, script: Script) -> std::io::Result<Option<&'static [u8]>> {
        let fault = FAULTS[script.fault as usize % FAULTS.len()];
        if fault == "error status" {
            let head = b"HTTP/1.1 503 Busy\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
            self.stream.write_all(head).await?;
            return Ok(Some(b""));
        }
        let kind = match fault {
            "wrong content type" => "application/json",
            _ => "text/event-stream",
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes()).await?;
        self.tokens(script, fault).await?;
        match fault {
            "killed in a frame" | "reset" | "half-closed" => {
                self.stream.write_all(b"40\r\ndata: {\"choi").await?;
                self.break_off(fault).await?;
                return Ok(None);
            }
            "stalls" => sleep(Duration::from_secs(600)).await,
            "ends too early" => {}
            _ => self.finish(fault).await?,
        }
        Ok(Some(b"0\r\n\r\n"))
    }

    /// Prepares the connection for its end, which comes when it is dropped.
    async fn break_off(&mut self, fault: &str) -> std::io::Result<()> {
        match fault {
            "reset" => self.stream.set_zero_linger(),
            "half-closed" => {
                self.stream.shutdown().await?;
                // Until the other side gives up.
                self.stream.read(&mut [0]).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    async fn tokens(&mut self, script: Script, fault: &str) -> std::io::Result<()> {
        let mut clock = interval(Duration::from_micros(script.pause.max(1)));
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let mut random = Random(script.id);
        if script.pause > 0 {
            sleep(Duration::from_micros(random.below(script.pause))).await;
            clock.reset_immediately();
        }
        if script.thinks {
            self.frame("<think>", fault).await?;
        }
        for number in 0..script.tokens {
            if script.thinks && number == script.tokens / 3 {
                self.frame("</think>", fault).await?;
            }
            if script.pause > 0 {
                clock.tick().await;
            }
            let token = format!("t{:016}{}", now(), &"abcdefgh"[..random.below(8) as usize]);
            self.sums.text.add(token.as_bytes());
            self.sums.tokens += 1;
            self.frame(&token, fault).await?;
        }
        Ok(())
    }

    async fn frame(&mut self, text: &str, fault: &str) -> std::io::Result<()> {
        let frame = format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        );
        self.body(&frame, fault).await
    }

    async fn finish(&mut self, fault: &str) -> std::io::Result<()> {
        let end = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        self.body(end, fault).await?;
        if fault == "garbage after the end" {
            self.body("\u{0}garbage\n", fault).await?;
        }
        Ok(())
    }

    async fn body(&mut self, data: &str, fault: &str) -> std::io::Result<()> {
        self.sums.raw.add(data.as_bytes());
        let size = if fault == "single bytes" {
            1
        } else {
            data.len()
        };
        for piece in data.as_bytes().chunks(size) {
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            self.stream.write_all(&chunk).await?;
        }
        Ok(())
    }
}

//! Clients and an upstream that misbehave at random, for a long time: memory stays flat, no stream is
//! stuck, and the counters add up.

use crate::client::{Seen, is_same, read};
use crate::options::Options;
use crate::process::usage;
use crate::sample::Random;
use crate::targets::Target;
use crate::upstream::{FAULTS, Script, Upstream};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

/// An answer that takes longer is stuck: all time limits of the proxy are shorter.
const STUCK: Duration = Duration::from_secs(60);
const LIMITS: &str = "[timeouts]\nidle = 3.0\nfirst_byte = 30.0\ntotal = 50.0\nkeep_alive = 0.3\n";

/// What happened, by name.
type Counts = BTreeMap<String, u64>;

pub(crate) async fn run(options: &Options) -> bool {
    let upstream = Upstream::start().await;
    let target = Target::tagstream("tagstream", "repair", LIMITS, upstream.address).await;
    let (address, admin) = (target.address, target.admin.expect("an admin listener"));
    let pid = target.pid().expect("a process");
    let counts: Arc<Mutex<Counts>> = Arc::default();
    let end = Instant::now() + Duration::from_secs(options.seconds);
    let mut clients = JoinSet::new();
    for client in 0..options.streams as u64 {
        let one = Client {
            address,
            upstream: upstream.clone(),
            counts: Arc::clone(&counts),
            random: Random(client),
            rate: options.rate,
        };
        clients.spawn(one.run(client, end));
    }
    let memory = watch(pid, options, &counts, end).await;
    clients.join_all().await;
    let counts = counts.lock().expect("no panic").clone();
    let is_good = report(&counts, &memory, admin).await;
    target.stop().await;
    is_good
}

struct Client {
    address: SocketAddr,
    upstream: Upstream,
    counts: Arc<Mutex<Counts>>,
    random: Random,
    rate: u64,
}

impl Client {
    async fn run(mut self, client: u64, end: Instant) {
        let mut number = 0;
        while Instant::now() < end {
            number += 1;
            self.once(client * 100_000_000 + number).await;
        }
    }

    async fn once(&mut self, id: u64) {
        let fault = self.random.below(FAULTS.len() as u64);
        // Each byte of them is a write.
        let most = if FAULTS[fault as usize] == "single bytes" {
            10
        } else {
            200
        };
        let script = Script {
            id,
            tokens: 1 + self.random.below(most),
            pause: 1_000_000 / self.rate,
            thinks: self.random.below(2) == 0,
            fault,
        };
        // One in five leaves early.
        let leaves = (self.random.below(5) == 0).then(|| self.random.below(script.tokens));
        let seen = timeout(STUCK, read(self.address, script, leaves)).await;
        let sent = self.upstream.take(id);
        let outcome = match seen {
            Err(_) => "STUCK".to_owned(),
            Ok(Err(error)) => format!("WRONG: {error}"),
            Ok(Ok(_)) if leaves.is_some() => "left".to_owned(),
            Ok(Ok(seen)) => {
                let fault = FAULTS[script.fault as usize];
                if is_right(fault, &seen) && (!seen.is_done || is_same(&seen, sent, false)) {
                    fault.to_owned()
                } else {
                    format!("WRONG: {fault}: {}", seen.summary())
                }
            }
        };
        *self
            .counts
            .lock()
            .expect("no panic")
            .entry(outcome)
            .or_default() += 1;
    }
}

/// Whether an answer is what the fault makes of it.
fn is_right(fault: &str, seen: &Seen) -> bool {
    match fault {
        "error status" => seen.status == 503,
        "killed in a frame" | "ends too early" | "stalls" | "half-closed" => {
            seen.is_error && !seen.is_done && !seen.is_cut
        }
        // It may overtake even the head of the answer.
        "reset" => (seen.is_error || seen.status == 502) && !seen.is_done && !seen.is_cut,
        _ => seen.is_done && !seen.is_error && !seen.is_cut,
    }
}

/// Prints a line now and then; returns the memory over time.
async fn watch(pid: u32, options: &Options, counts: &Mutex<Counts>, end: Instant) -> Vec<u64> {
    let mut memory = Vec::new();
    let mut clock = interval(Duration::from_secs(5));
    while Instant::now() < end {
        clock.tick().await;
        memory.push(usage(pid).memory);
        let counts = counts.lock().expect("no panic");
        let requests: u64 = counts.values().sum();
        let wrong: u64 = counts
            .iter()
            .filter(|(name, _)| is_failure(name))
            .map(|(_, count)| count)
            .sum();
        let left = end.saturating_duration_since(Instant::now()).as_secs();
        println!(
            "{} clients, {requests} requests, {wrong} wrong, {:.1} MB, {left} s left",
            options.streams,
            memory.last().map_or(0.0, |bytes| *bytes as f64 / 1e6)
        );
    }
    memory
}

fn is_failure(name: &str) -> bool {
    name.starts_with("WRONG") || name == "STUCK"
}

async fn report(counts: &Counts, memory: &[u64], admin: SocketAddr) -> bool {
    for (name, count) in counts {
        println!("{count:>8}  {name}");
    }
    let requests: u64 = counts.values().sum();
    let metrics = settled(admin, requests).await;
    // The first third is for caches and connections to grow.
    let (early, late) = (highest(memory, 1, 3), highest(memory, 2, 3));
    let checks = [
        (
            "no answer is wrong or stuck",
            !counts.keys().any(|name| is_failure(name)),
        ),
        (
            "every request is counted once",
            sum(&metrics, "tagstream_http_requests_total") == requests,
        ),
        (
            "no stream is active",
            sum(&metrics, "tagstream_http_streams_active") == 0,
        ),
        (
            "nothing is held",
            sum(&metrics, "tagstream_http_held_bytes") == 0,
        ),
        (
            "failures are those of the upstream",
            are_failures_counted(&metrics, counts),
        ),
        (
            "disconnects are at most those of clients",
            sum(&metrics, "tagstream_disconnects_total")
                <= counts.get("left").copied().unwrap_or(0),
        ),
        ("memory is flat", late <= early + early / 5 + 2_000_000),
    ];
    println!(
        "memory: at most {:.1} MB in the second third, {:.1} MB in the last",
        early as f64 / 1e6,
        late as f64 / 1e6
    );
    for (name, is_true) in checks {
        println!("{}  {name}", if is_true { "ok    " } else { "FAILED" });
    }
    checks.iter().all(|(_, is_true)| *is_true)
}

/// Those who left may have seen a fault before.
fn are_failures_counted(metrics: &str, counts: &Counts) -> bool {
    let faults = [
        "killed in a frame",
        "ends too early",
        "stalls",
        "reset",
        "half-closed",
    ];
    let least: u64 = faults.iter().filter_map(|fault| counts.get(*fault)).sum();
    let counted = sum(metrics, "tagstream_upstream_failures_total");
    (least..=least + counts.get("left").copied().unwrap_or(0)).contains(&counted)
}

fn highest(memory: &[u64], part: usize, of: usize) -> u64 {
    let third = memory.len() / of;
    memory[part * third..((part + 1) * third).max(part * third)]
        .iter()
        .copied()
        .max()
        .unwrap_or(0)
}

fn sum(metrics: &str, name: &str) -> u64 {
    let lines = metrics.lines().filter(|line| line.starts_with(name));
    lines
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// The metrics, once all requests are over.
async fn settled(admin: SocketAddr, requests: u64) -> String {
    let mut text = String::new();
    for _ in 0..100 {
        text = metrics(admin).await.unwrap_or_default();
        if sum(&text, "tagstream_http_requests_total") >= requests
            && sum(&text, "tagstream_http_streams_active") == 0
        {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    text
}

async fn metrics(admin: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(admin).await?;
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}

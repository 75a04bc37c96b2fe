//! Many steady streams at once, through each target in turn.

use crate::client::{is_same, read};
use crate::options::Options;
use crate::process::{Usage, usage};
use crate::sample::percentile;
use crate::targets::Target;
use crate::upstream::{Script, Upstream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Connections that ask again and again, for requests per second.
const ASKING: usize = 64;

/// What was measured for a target.
struct Figures {
    name: &'static str,
    p50: Duration,
    p99: Duration,
    tokens: u64,
    cpu_per_token: Duration,
    memory_per_stream: u64,
    requests_per_second: f64,
    wrong: usize,
}

pub(crate) async fn run(options: &Options) -> bool {
    let upstream = Upstream::start().await;
    let Options {
        streams,
        seconds,
        rate,
        ..
    } = *options;
    println!(
        "{streams} streams of {rate} tokens per second for {seconds} s, through each target in turn"
    );
    let direct = measure(Target::direct(upstream.address), &upstream, options, false).await;
    let nginx = match Target::nginx(upstream.address).await {
        Some(target) => Some(measure(target, &upstream, options, false).await),
        None => {
            println!("nginx is not installed: no comparison with it");
            None
        }
    };
    let off = Target::tagstream("tagstream, mode off", "off", "", upstream.address).await;
    let off = measure(off, &upstream, options, false).await;
    let repair = Target::tagstream("tagstream, repair", "repair", "", upstream.address).await;
    let repair = measure(repair, &upstream, options, true).await;
    let all: Vec<&Figures> = [Some(&direct), nginx.as_ref(), Some(&off), Some(&repair)]
        .into_iter()
        .flatten()
        .collect();
    print_table(&all, &direct);
    if let Some(nginx) = &nginx {
        print_goals(&direct, nginx, &off, &repair);
    }
    all.iter().all(|figures| figures.wrong == 0)
}

async fn measure(target: Target, upstream: &Upstream, options: &Options, thinks: bool) -> Figures {
    let address = target.address;
    let usage = |pid: Option<u32>| pid.map(usage).unwrap_or_default();
    // The first request compiles and connects.
    let _ = read(
        address,
        Script {
            id: u64::MAX,
            tokens: 1,
            ..Script::default()
        },
        None,
    )
    .await;
    upstream.take(u64::MAX);
    let idle = usage(target.pid());
    let mut clients = JoinSet::new();
    let tokens = options.seconds * options.rate;
    for id in 0..options.streams as u64 {
        let script = Script {
            id,
            tokens,
            pause: 1_000_000 / options.rate,
            thinks,
            fault: 0,
        };
        clients.spawn(async move { (id, read(address, script, None).await) });
    }
    // In the middle, all streams are open.
    let middle = tokio::time::sleep(Duration::from_secs(options.seconds.div_ceil(2)));
    middle.await;
    let open = usage(target.pid());
    let (mut latencies, mut wrong) = (Vec::new(), 0);
    while let Some(Ok((id, seen))) = clients.join_next().await {
        let sent = upstream.take(id);
        match seen {
            Ok(seen) if seen.is_done && is_same(&seen, sent, target.is_raw) => {
                latencies.extend(seen.latencies)
            }
            other => {
                wrong += 1;
                if wrong == 1 {
                    let seen = other.map(|seen| seen.summary());
                    println!(
                        "{}: stream {id} is wrong: {seen:?}, sent {sent:?}",
                        target.name
                    );
                }
            }
        }
    }
    let end = usage(target.pid());
    latencies.sort_unstable();
    let figures = Figures {
        name: target.name,
        p50: percentile(&latencies, 0.5),
        p99: percentile(&latencies, 0.99),
        tokens: latencies.len() as u64,
        cpu_per_token: cpu_per(end, idle, latencies.len() as u64),
        memory_per_stream: open.memory.saturating_sub(idle.memory) / options.streams as u64,
        requests_per_second: requests_per_second(&target, upstream).await,
        wrong,
    };
    println!(
        "{}: {} tokens, {wrong} streams wrong",
        figures.name, figures.tokens
    );
    target.stop().await;
    figures
}

fn cpu_per(end: Usage, start: Usage, tokens: u64) -> Duration {
    let nanos = end.cpu.saturating_sub(start.cpu).as_nanos() as u64;
    Duration::from_nanos(nanos / tokens.max(1))
}

/// Short answers, one after the other on each of some connections.
async fn requests_per_second(target: &Target, upstream: &Upstream) -> f64 {
    let count = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let mut clients = JoinSet::new();
    for client in 0..ASKING as u64 {
        let (count, address, upstream) = (Arc::clone(&count), target.address, upstream.clone());
        clients.spawn(async move {
            for number in 0.. {
                if begun.elapsed() > Duration::from_secs(3) {
                    break;
                }
                let id = 1_000_000 * (client + 1) + number;
                let seen = read(
                    address,
                    Script {
                        id,
                        tokens: 5,
                        ..Script::default()
                    },
                    None,
                )
                .await;
                upstream.take(id);
                count.fetch_add(
                    u64::from(seen.is_ok_and(|seen| seen.is_done)),
                    Ordering::Relaxed,
                );
            }
        });
    }
    clients.join_all().await;
    count.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}

fn print_table(all: &[&Figures], direct: &Figures) {
    println!(
        "\n| | latency p50 | p99 | added p50 | added p99 | CPU per token | memory per stream | requests/s | wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for figures in all {
        let added = |time: Duration, base: Duration| micros(time) - micros(base);
        println!(
            "| {} | {:.0} µs | {:.0} µs | {:.0} µs | {:.0} µs | {:.1} µs | {:.1} KB | {:.0} | {} |",
            figures.name,
            micros(figures.p50),
            micros(figures.p99),
            added(figures.p50, direct.p50),
            added(figures.p99, direct.p99),
            micros(figures.cpu_per_token),
            figures.memory_per_stream as f64 / 1000.0,
            figures.requests_per_second,
            figures.wrong,
        );
    }
}

fn print_goals(direct: &Figures, nginx: &Figures, off: &Figures, repair: &Figures) {
    let cpu =
        |figures: &Figures| micros(figures.cpu_per_token) / micros(nginx.cpu_per_token).max(0.001);
    let added = |figures: &Figures| (micros(figures.p99) - micros(direct.p99)).max(1.0);
    println!("\n| goal | measured | at most | |");
    println!("|---|---|---|---|");
    let goals = [
        ("CPU per token, mode off, in nginx's", cpu(off), 2.0),
        ("CPU per token, repair, in nginx's", cpu(repair), 3.0),
        (
            "memory per stream, repair, in KB",
            repair.memory_per_stream as f64 / 1000.0,
            60.0,
        ),
        (
            "added latency p99, repair, in nginx's",
            added(repair) / added(nginx),
            2.0,
        ),
    ];
    for (name, measured, most) in goals {
        let verdict = if measured <= most {
            "reached"
        } else {
            "missed"
        };
        println!("| {name} | {measured:.2} | {most} | {verdict} |");
    }
}

//! CPU time and memory of a process and its children, from /proc.

use std::fs;
use std::time::Duration;

/// The kernel counts CPU time in these, on every Linux.
const TICK: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    /// Resident bytes that are not shared with files.
    pub(crate) memory: u64,
}

/// What a process and its children have used.
pub(crate) fn usage(pid: u32) -> Usage {
    let mut all = Usage::default();
    for pid in with_children(pid) {
        all.cpu += cpu(pid);
        all.memory += memory(pid);
    }
    all
}

fn fields(pid: u32) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in parentheses, may contain anything.
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    rest.split(' ').map(str::to_owned).collect()
}

fn with_children(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |pid: &u32| {
        fields(*pid)
            .get(1)
            .is_some_and(|field| *field == parent.to_string())
    };
    pids.filter(|pid| *pid == parent || is_child(pid)).collect()
}

fn cpu(pid: u32) -> Duration {
    let fields = fields(pid);
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok());
    TICK * (ticks(11).unwrap_or(0) + ticks(12).unwrap_or(0))
}

fn memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

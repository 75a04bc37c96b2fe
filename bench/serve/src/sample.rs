//! Latencies, and the sums by which bytes are compared.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nanoseconds since the start of the process.
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

/// A running hash (FNV-1a) and the number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    hash: u64,
    pub(crate) bytes: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Sum {
            hash: 0xcbf2_9ce4_8422_2325,
            bytes: 0,
        }
    }
}

impl Sum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self.bytes += bytes.len() as u64;
    }
}

/// The value below which this part of the sorted values is.
pub(crate) fn percentile(sorted: &[u64], part: f64) -> Duration {
    let at = ((sorted.len().saturating_sub(1)) as f64 * part).round() as usize;
    Duration::from_nanos(sorted.get(at).copied().unwrap_or(0))
}

/// Numbers that are random enough.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

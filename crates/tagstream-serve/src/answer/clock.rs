//! Time limits of an answer, and keep-alives during silence.

use crate::config::Timeouts;
use crate::failure::{failure, late_end, late_first_byte};
use crate::upstream::seconds;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tagstream_wire::ServerError;
use tokio::time::{Instant, Sleep, sleep_until};

/// When an answer is late.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadlines {
    first_byte: Instant,
    total: Instant,
    idle: Duration,
}

impl Deadlines {
    pub(crate) fn from_now(timeouts: &Timeouts) -> Self {
        let now = Instant::now();
        Deadlines {
            first_byte: now + seconds(timeouts.first_byte),
            total: now + seconds(timeouts.total),
            idle: seconds(timeouts.idle),
        }
    }

    /// When an answer must have begun, and what it is otherwise.
    pub(crate) fn beginning(&self) -> (Instant, ServerError) {
        if self.total < self.first_byte {
            (self.total, late_end())
        } else {
            (self.first_byte, late_first_byte())
        }
    }
}

/// What is sent while an upstream is silent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepAlive {
    pub(crate) pause: Duration,
    pub(crate) frame: &'static str,
}

/// What time brings.
pub(crate) enum Due {
    KeepAlive(&'static str),
    Failed(ServerError),
}

/// Watches an answer.
#[derive(Debug)]
pub(crate) struct Watch {
    deadlines: Deadlines,
    pub(crate) keep_alive: Option<KeepAlive>,
    has_read: bool,
    /// Since when nothing has come, though it was asked for. A client that does not read for a while is
    /// not a silent upstream.
    silent_since: Option<Instant>,
    last_sent: Instant,
    /// Fires at the next deadline or before it: it is not set anew for each read.
    timer: Pin<Box<Sleep>>,
}

impl Watch {
    pub(crate) fn new(deadlines: Deadlines) -> Self {
        Watch {
            deadlines,
            keep_alive: None,
            has_read: false,
            silent_since: None,
            last_sent: Instant::now(),
            timer: Box::pin(sleep_until(deadlines.first_byte.min(deadlines.total))),
        }
    }

    /// Bytes were read.
    pub(crate) fn read(&mut self) {
        self.has_read = true;
        self.silent_since = None;
    }

    /// Bytes were sent.
    pub(crate) fn sent(&mut self) {
        if self.keep_alive.is_some() {
            self.last_sent = Instant::now();
        }
    }

    /// Polled while nothing comes: ready when the answer is late, or a keep-alive is due.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Due> {
        let since = *self.silent_since.get_or_insert_with(Instant::now);
        loop {
            let silence = self.silence(since);
            let next = self.next(silence);
            if next < self.timer.deadline() {
                self.timer.as_mut().reset(next);
            }
            ready!(self.timer.as_mut().poll(cx));
            let now = Instant::now();
            if let Some(error) = self.late(now, silence) {
                return Poll::Ready(Due::Failed(error));
            }
            self.timer.as_mut().reset(next);
            if let Some(KeepAlive { pause, frame }) = self.keep_alive
                && now >= self.last_sent + pause
            {
                self.last_sent = now;
                return Poll::Ready(Due::KeepAlive(frame));
            }
        }
    }

    /// When silence since this moment is too long.
    fn silence(&self, since: Instant) -> Instant {
        if self.has_read {
            since + self.deadlines.idle
        } else {
            self.deadlines.first_byte
        }
    }

    fn next(&self, silence: Instant) -> Instant {
        let limit = silence.min(self.deadlines.total);
        match self.keep_alive {
            Some(keep_alive) => limit.min(self.last_sent + keep_alive.pause),
            None => limit,
        }
    }

    fn late(&self, now: Instant, silence: Instant) -> Option<ServerError> {
        if now >= self.deadlines.total {
            return Some(late_end());
        }
        if now < silence {
            return None;
        }
        if !self.has_read {
            return Some(late_first_byte());
        }
        let message = "the model server stopped sending";
        Some(failure(504, "upstream_idle_timeout", message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    fn watch(idle: f64, keep_alive: f64) -> Watch {
        let timeouts = Timeouts {
            idle,
            ..Timeouts::default()
        };
        let mut watch = Watch::new(Deadlines::from_now(&timeouts));
        watch.keep_alive = (keep_alive > 0.0).then(|| KeepAlive {
            pause: seconds(keep_alive),
            frame: ":",
        });
        watch
    }

    async fn code(watch: &mut Watch) -> &'static str {
        match poll_fn(|cx| watch.poll(cx)).await {
            Due::Failed(error) => error.code,
            Due::KeepAlive(frame) => frame,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_limit_counts_from_its_own_start() {
        let begun = Instant::now();
        let mut watch = watch(300.0, 0.0);
        assert_eq!(code(&mut watch).await, "upstream_first_byte_timeout");
        assert_eq!(begun.elapsed().as_secs(), 600);
        watch.read();
        assert_eq!(code(&mut watch).await, "upstream_idle_timeout");
        assert_eq!(begun.elapsed().as_secs(), 900);
        // The client reads nothing for an hour, so nothing was asked for.
        watch.read();
        tokio::time::advance(Duration::from_secs(2400)).await;
        let waiting = tokio::time::timeout(Duration::from_secs(299), code(&mut watch));
        assert!(
            waiting.await.is_err(),
            "an upstream that was not asked is not late"
        );
        watch.read();
        assert_eq!(code(&mut watch).await, "upstream_total_timeout");
        assert_eq!(begun.elapsed().as_secs(), 3600);
    }

    #[tokio::test(start_paused = true)]
    async fn keep_alives_come_during_silence_only() {
        let begun = Instant::now();
        let mut watch = watch(25.0, 10.0);
        watch.read();
        watch.sent();
        for expected in [10, 20] {
            assert_eq!(code(&mut watch).await, ":");
            assert_eq!(begun.elapsed().as_secs(), expected);
        }
        assert_eq!(code(&mut watch).await, "upstream_idle_timeout");
        assert_eq!(begun.elapsed().as_secs(), 25);
    }
}

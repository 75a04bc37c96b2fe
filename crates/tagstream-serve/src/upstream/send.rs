//! Sends a request, and again where that is allowed: only before the first byte of an answer.

use super::{OutBody, seconds};
use crate::answer::Deadlines;
use crate::config::Retry;
use crate::failure::{failure, unsent};
use crate::live::Live;
use crate::request::{Outbound, Outgoing};
use http::{Request, Response};
use hyper::body::Incoming;
use std::time::Duration;
use tagstream_wire::ServerError;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A request that has an answer.
pub(crate) struct Sent {
    pub(crate) response: Response<Incoming>,
    pub(crate) deadlines: Deadlines,
}

pub(crate) async fn send(live: &Live, outbound: &mut Outbound) -> Result<Sent, ServerError> {
    let retry = &live.config.retry;
    let deadlines = Deadlines::from_now(&live.config.timeouts);
    let (limit, late) = deadlines.beginning();
    let mut tries = 0;
    loop {
        let request = request(live, outbound)?;
        let sent = timeout_at(limit, live.target(outbound.route).send(request)).await;
        let is_last = tries >= retry.times || !matches!(outbound.body, Outgoing::Known(_));
        match sent {
            Ok(Ok(response)) if is_last || !is_passing(&response, retry) => {
                return Ok(Sent {
                    response,
                    deadlines,
                });
            }
            Ok(Err(error)) if is_last => return Err(unsent(&error)),
            Err(_) => return Err(late),
            // The answer, or the connection, is dropped and the request is sent again.
            Ok(_) => {}
        }
        let pause = pause(retry.backoff, tries);
        sleep_until((Instant::now() + pause).min(limit)).await;
        tries += 1;
    }
}

/// The pause after this many retries.
fn pause(backoff: f64, tries: u32) -> Duration {
    seconds(backoff).saturating_mul(2_u32.saturating_pow(tries))
}

/// Whether the status says that it may be another one soon.
fn is_passing(response: &Response<Incoming>, retry: &Retry) -> bool {
    retry.on_status && matches!(response.status().as_u16(), 408 | 429 | 500..=599)
}

fn request(live: &Live, outbound: &mut Outbound) -> Result<Request<OutBody>, ServerError> {
    let uri = live.target(outbound.route).uri(&outbound.path_and_query);
    let uri = uri.map_err(|_| failure(400, "invalid_path", "the path is not allowed"))?;
    let mut request = Request::new(outbound.body.take());
    *request.method_mut() = outbound.method.clone();
    *request.uri_mut() = uri;
    request.headers_mut().clone_from(&outbound.headers);
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_twice_the_one_before() {
        let pauses = [0, 1, 2, 3].map(|tries| pause(0.5, tries).as_millis());
        assert_eq!(pauses, [500, 1000, 2000, 4000]);
        assert!(pause(0.5, u32::MAX) > Duration::from_secs(1 << 30));
    }
}

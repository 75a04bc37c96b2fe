//! An answer of an upstream on its way to the client.

mod body;
mod clock;
mod whole;

pub(crate) use clock::Deadlines;

use crate::capture::Tap;
use crate::config::Mode;
use crate::headers;
use crate::live::Live;
use crate::record::{Phase, Record};
use crate::request::Outbound;
use crate::upstream::{OutBody, Sent, seconds};
use body::{AnswerBody, Work};
use clock::{KeepAlive, Watch};
use http::{Response, response};
use http_body_util::BodyExt;
use tagstream_wire::{Format, keep_alive};
use whole::Whole;

/// Passes an answer on, repaired where the route says so.
pub(crate) async fn pass_on(
    live: &Live,
    outbound: Outbound,
    sent: Sent,
    format: Format,
    mut record: Record,
) -> Response<OutBody> {
    let (mut parts, upstream) = sent.response.into_parts();
    headers::remove_hop_by_hop(&mut parts.headers);
    let mut watch = Watch::new(sent.deadlines);
    let reading = outbound.reading.as_ref().filter(|_| is_understood(&parts));
    let Some(reading) = reading else {
        if outbound.reading.is_some() && parts.status.is_success() && is_encoded(&parts) {
            record.unread = Some("the answer has a content encoding");
        }
        record.answer(parts.status, Phase::FirstByte);
        let body = AnswerBody::new(upstream, Work::Pass, watch, record);
        return Response::from_parts(parts, body.boxed_unsync());
    };
    record.tap = tap(live, &outbound);
    let mut rewriter = reading.plan.rewriter();
    if headers::content_type(&parts.headers).contains("json") {
        rewriter.expect_json();
    }
    let is_observed = live.route(outbound.route).mode == Mode::Observe;
    if !is_observed && is_whole(&parts, outbound.streams) {
        record.answer(parts.status, Phase::Body);
        let whole = Whole {
            upstream,
            watch,
            record,
            rewriter,
        };
        return whole
            .answer(parts, format, live.config.limits.response)
            .await;
    }
    record.answer(parts.status, Phase::FirstByte);
    let work = if is_observed {
        Work::Observe(Box::new(rewriter))
    } else {
        watch.keep_alive = keep_alive_of(live, &parts, format);
        headers::for_repaired(&mut parts.headers);
        headers::for_stream(&mut parts.headers);
        Work::Repair(Box::new(rewriter))
    };
    let is_stream = is_stream(&parts);
    let mut body = AnswerBody::new(upstream, work, watch, record);
    body.is_stream = is_stream;
    Response::from_parts(parts, body.boxed_unsync())
}

/// Whether an answer can be a message: it succeeded, has a body, is not encoded, and is not of another type.
fn is_understood(parts: &response::Parts) -> bool {
    const TYPES: [&str; 8] = [
        "",
        "text/event-stream",
        "application/json",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/octet-stream",
        "text/plain",
    ];
    let has_body = !matches!(parts.status.as_u16(), 204 | 205);
    (parts.status.is_success() && has_body)
        && !is_encoded(parts)
        && TYPES.contains(&headers::content_type(&parts.headers).as_str())
}

/// Whether an answer is compressed, which nobody has asked for.
fn is_encoded(parts: &response::Parts) -> bool {
    !headers::content_encodings(&parts.headers).is_empty()
}

/// Whether an answer comes as a whole: a server may stream to one who did not ask for it.
fn is_whole(parts: &response::Parts, streams: bool) -> bool {
    !streams && !is_stream(parts)
}

/// Whether the type of an answer says that it is streamed.
fn is_stream(parts: &response::Parts) -> bool {
    let kind = headers::content_type(&parts.headers);
    kind == "text/event-stream" || kind.contains("ndjson") || kind == "application/jsonl"
}

fn keep_alive_of(live: &Live, parts: &response::Parts, format: Format) -> Option<KeepAlive> {
    let pause = live.config.timeouts.keep_alive;
    let is_events = headers::content_type(&parts.headers) == "text/event-stream";
    let frame = keep_alive(format).filter(|_| is_events && pause > 0.0)?;
    let pause = seconds(pause);
    Some(KeepAlive { pause, frame })
}

/// Keeps the bytes of an answer, if that is wanted.
fn tap(live: &Live, outbound: &Outbound) -> Option<Tap> {
    let folder = live.config.capture.as_ref()?;
    let target = live.target(outbound.route);
    let given = outbound.secrets.iter().cloned();
    Some(Tap::new(folder, given.chain(target.secrets()).collect()))
}

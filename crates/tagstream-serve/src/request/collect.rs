//! The body of a request, with limits.

use crate::config::Config;
use crate::failure::{failure, too_large, unread};
use crate::upstream::{BoxError, seconds};
use bytes::Bytes;
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tagstream_wire::ServerError;

pub(super) async fn collect<B>(body: B, config: &Config) -> Result<Bytes, ServerError>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let limit = config.limits.request;
    let reading = Limited::new(body, limit).collect();
    let read = tokio::time::timeout(seconds(config.timeouts.total), reading).await;
    match read {
        Ok(Ok(all)) => Ok(all.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(limit)),
        Ok(Err(error)) => Err(unread(&*error)),
        Err(_) => Err(failure(408, "request_timeout", "the request took too long")),
    }
}

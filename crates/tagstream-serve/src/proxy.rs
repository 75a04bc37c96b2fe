//! The proxy as a `tower` service: request → route → upstream → body → client.

use crate::answer;
use crate::config::{Config, Problem};
use crate::failure::error_response;
use crate::live::Live;
use crate::metrics::Metrics;
use crate::record::{Record, request_id};
use crate::request;
use crate::upstream::{BoxError, OutBody, send};
use arc_swap::ArcSwap;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response};
use http_body::Body;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tagstream_wire::{Endpoint, Format};
use tower_service::Service;

/// The proxy. Clones share everything.
#[derive(Clone, Debug)]
pub struct Proxy {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    live: ArcSwap<Live>,
    metrics: Arc<Metrics>,
}

impl Proxy {
    /// A proxy with this configuration.
    ///
    /// # Errors
    /// The configuration cannot work: a file cannot be read, a variable is not set.
    pub fn new(config: Config) -> Result<Self, Problem> {
        let live = ArcSwap::from_pointee(Live::new(config)?);
        let metrics = Arc::default();
        let shared = Arc::new(Shared { live, metrics });
        Ok(Proxy { shared })
    }

    /// Replaces the configuration. Requests in flight keep theirs.
    ///
    /// # Errors
    /// As [`Proxy::new`]; then the old configuration stays.
    pub fn reload(&self, config: Config) -> Result<(), Problem> {
        self.shared.live.store(Arc::new(Live::new(config)?));
        Ok(())
    }

    /// Its counters.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    pub(crate) fn live(&self) -> Arc<Live> {
        self.shared.live.load_full()
    }

    /// Answers a request.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<OutBody>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let id = request_id(request.headers());
        let is_post = request.method() == Method::POST;
        let endpoint = Endpoint::of_path(request.uri().path()).filter(|_| is_post);
        let record = Record::new(&self.shared.metrics, &id, &request, endpoint);
        let mut response = exchange(&self.live(), endpoint, request, record).await;
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().entry("x-request-id").or_insert(id);
        }
        response
    }
}

/// One request and its answer.
async fn exchange<B>(
    live: &Arc<Live>,
    endpoint: Option<Endpoint>,
    request: Request<B>,
    mut record: Record,
) -> Response<OutBody>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let format = endpoint.map_or(Format::Auto, |endpoint| endpoint.format);
    let mut outbound = match request::read(live, endpoint, request).await {
        Ok(outbound) => outbound,
        Err(error) => {
            record.refuse(&error);
            return error_response(&error, format);
        }
    };
    record.routed(live, &outbound);
    outbound.prepare_headers(live, format, &record.id);
    match send(live, &mut outbound).await {
        Ok(sent) => answer::pass_on(live, outbound, sent, format, record).await,
        Err(error) => {
            record.fail(&error);
            error_response(&error, format)
        }
    }
}

impl<B> Service<Request<B>> for Proxy
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<OutBody>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let proxy = self.clone();
        Box::pin(async move { Ok(proxy.answer(request).await) })
    }
}

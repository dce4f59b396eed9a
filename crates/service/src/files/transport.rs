//! How requests reach an S3-compatible service: with our TLS, and a deadline for as long as nothing moves rather than
//! for the whole request, which may be large and the line slow.

use crate::error_chain::find;
use async_trait::async_trait;
use bytes::Bytes;
use domain::number::saturating;
use futures_util::{StreamExt as _, stream};
use http_body_util::{BodyDataStream, BodyExt as _};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use reqwest::header::CONTENT_LENGTH;
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// How long nothing may move: no piece of the body is taken, and no answer comes.
const STALLED_AFTER: Duration = Duration::from_secs(10);
/// A body is given to the connection in pieces of this size.
const SLICE: usize = 64 * 1024;
/// What has been given to the connection may still lie in the buffers of the system, which tells nothing of how it goes
/// on there. A line is taken to carry this many bytes a second at least.
const SLOWEST_LINE: usize = 64 * 1024;
/// More of an answer that refuses is not read.
const MAX_ERROR_BYTES: usize = 16 * 1024;

/// S3's word for a bucket that is not there.
pub const NO_SUCH_BUCKET: &str = "NoSuchBucket";

/// Carries requests.
#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
    /// For what tells the key of this machine's role,
    direct: reqwest::Client,
    /// which is what has an address that begins with this.
    metadata: Arc<str>,
}

/// A request on which nothing moved for too long.
#[derive(Debug, thiserror::Error)]
#[error("nothing moved for {0:?}")]
pub struct StalledError(pub Duration);

/// An answer that no repetition turns into another one.
#[derive(Debug, thiserror::Error)]
#[error("the service answers {status}{}{code}{}{message}", separator(.code), separator(.message))]
pub struct RejectedResponse {
    /// Its status.
    pub status: StatusCode,
    /// The service's word for it, such as `NoSuchBucket`; empty where it has none.
    pub code: String,
    /// The service's sentence.
    pub message: String,
}

fn separator(next: &str) -> &'static str {
    if next.is_empty() { "" } else { ": " }
}

impl Transport {
    /// Sends with the first of these clients, and with the second one what goes to the address of the metadata.
    #[must_use]
    pub fn new([client, direct]: [reqwest::Client; 2], metadata: &str) -> Self {
        Self { client, direct, metadata: format!("{metadata}/").into() }
    }
}

impl HttpConnector for Transport {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let uri = parts.uri.to_string();
        let client = if uri.starts_with(&*self.metadata) { &self.direct } else { &self.client };
        let url = Url::parse(&uri);
        let url = url.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        let progress = Arc::new(Progress::of(body.content_length()));
        if progress.length > 0 {
            // A stream does not tell its length.
            request.headers_mut().insert(CONTENT_LENGTH, progress.length.into());
            *request.body_mut() = Some(sliced(body, progress.clone()));
        }
        let response: hyper::Response<reqwest::Body> =
            progress.with_stall_timeout(client.execute(request)).await?.into();
        let (parts, body) = response.into_parts();
        let body = HttpResponseBody::new(body.map_err(failed));
        judged(HttpResponse::from_parts(parts, body)).await
    }
}

/// How far a request's body has got.
struct Progress {
    length: usize,
    taken: AtomicUsize,
    moved: Notify,
}

impl Progress {
    fn of(length: usize) -> Self {
        Self { length, taken: AtomicUsize::new(0), moved: Notify::new() }
    }

    fn took(&self, bytes: usize) {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        self.moved.notify_one();
    }

    /// How long nothing may move from here on.
    fn patience(&self) -> Duration {
        if self.taken.load(Ordering::Relaxed) < self.length {
            return STALLED_AFTER;
        }
        let seconds = saturating(self.length.div_ceil(SLOWEST_LINE), u64::MAX);
        STALLED_AFTER.saturating_add(Duration::from_secs(seconds))
    }

    /// The answer, unless nothing moves for too long before it comes.
    async fn with_stall_timeout(
        &self,
        sent: impl Future<Output = reqwest::Result<reqwest::Response>>,
    ) -> Result<reqwest::Response, HttpError> {
        let mut sent = pin!(sent);
        loop {
            let patience = self.patience();
            tokio::select! {
                biased;
                answer = &mut sent => return answer.map_err(failed),
                () = self.moved.notified() => {}
                () = sleep(patience) => {
                    return Err(HttpError::new(HttpErrorKind::Timeout, StalledError(patience)));
                }
            }
        }
    }
}

/// The body in pieces, each of which is counted when the connection takes it.
fn sliced(body: HttpRequestBody, progress: Arc<Progress>) -> reqwest::Body {
    let slices = BodyDataStream::new(body).flat_map(move |bytes| {
        let progress = progress.clone();
        stream::iter(bytes.into_iter().flat_map(slices)).map(move |slice| {
            progress.took(slice.len());
            Ok::<_, HttpError>(slice)
        })
    });
    reqwest::Body::wrap_stream(slices)
}

fn slices(mut bytes: Bytes) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || {
        let slice = bytes.split_to(bytes.len().min(SLICE));
        (!slice.is_empty()).then_some(slice)
    })
}

/// The answer, unless it is a permanent refusal.
async fn judged(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let status = response.status();
    let passing = [
        StatusCode::NOT_MODIFIED,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::CONFLICT,
        StatusCode::PRECONDITION_FAILED,
        StatusCode::RANGE_NOT_SATISFIABLE,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    let for_good = status.is_redirection()
        || status.is_client_error()
        || status == StatusCode::NOT_IMPLEMENTED;
    if !for_good || passing.contains(&status) {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    #[expect(
        clippy::disallowed_methods,
        reason = "without its body an answer is judged by its status"
    )]
    let body = timeout(STALLED_AFTER, beginning(body)).await.unwrap_or_default();
    let refused = RejectedResponse::read(status, &String::from_utf8_lossy(&body));
    // A file that is not there is for anyone who asked for it to judge.
    if status == StatusCode::NOT_FOUND && refused.code != NO_SUCH_BUCKET {
        return Ok(HttpResponse::from_parts(parts, body.into()));
    }
    Err(HttpError::new(HttpErrorKind::Unknown, refused))
}

/// What comes of an answer's body, up to a bound.
async fn beginning(body: HttpResponseBody) -> Vec<u8> {
    let (mut read, mut chunks) = (Vec::new(), body.bytes_stream());
    while let Some(Ok(chunk)) = chunks.next().await {
        read.extend(chunk);
        if read.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    read
}

impl RejectedResponse {
    fn read(status: StatusCode, body: &str) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "what explains nothing is judged by its status"
        )]
        let said: S3Error = quick_xml::de::from_str(body).unwrap_or_default();
        Self { status, code: said.code, message: said.message }
    }
}

/// An error as S3 writes it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct S3Error {
    code: String,
    message: String,
}

/// A failure as the store's client wants it: whether the request may be sent again depends on its kind.
fn failed(error: reqwest::Error) -> HttpError {
    HttpError::new(kind(&error), error.without_url())
}

fn kind(error: &reqwest::Error) -> HttpErrorKind {
    if error.is_timeout() {
        return HttpErrorKind::Timeout;
    }
    if error.is_connect() {
        return HttpErrorKind::Connect;
    }
    if error.is_decode() {
        return HttpErrorKind::Decode;
    }
    let closed = |error: &hyper::Error| {
        error.is_closed() || error.is_incomplete_message() || error.is_body_write_aborted()
    };
    if find::<hyper::Error>(error).is_some_and(closed) {
        return HttpErrorKind::Request;
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(ErrorKind::TimedOut) => HttpErrorKind::Timeout,
        Some(
            ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof,
        ) => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(body: &str) -> (String, String) {
        let read = RejectedResponse::read(StatusCode::FORBIDDEN, body);
        (read.code, read.message)
    }

    proptest! {
        /// What a bucket says of its refusal is read as it was written, among whatever else.
        #[test]
        fn a_refusal_is_read_as_it_was_written(
            code in "[A-Za-z]{1,20}",
            message in "([ -~é<>&\"']{0,20}[!-~])?",
            before in "(<RequestId>[A-F0-9]{0,8}</RequestId>|<Resource/>|<!-- x -->|<HostId><a b=\"c\"/></HostId>){0,3}",
        ) {
            let message = message.trim_start().to_owned();
            let escaped = quick_xml::escape::escape(&message);
            let body = format!("<?xml version=\"1.0\"?><Error>{before}<Code>{code}</Code><Message>{escaped}</Message></Error>");
            prop_assert_eq!(read(&body), (code, message));
        }

        #[test]
        fn whatever_a_bucket_says_is_read_or_nothing(
            said in "(<(/?(Error|Code|Message|x)|!\\[CDATA\\[|!DOCTYPE|\\?xml)[ />]?|&(amp|lt|#x41|#0|x);|[a-z<>]|\\]\\]>){0,40}|\\PC{0,60}",
        ) {
            let (code, message) = read(&said);
            prop_assert!(code.len() + message.len() <= 4 * said.len());
        }
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = "<x>".repeat(MAX_ERROR_BYTES / 3);
        assert_eq!(read(&deep), (String::new(), String::new()));
        assert_eq!(read(&format!("<Error>{deep}")), (String::new(), String::new()));
    }
}

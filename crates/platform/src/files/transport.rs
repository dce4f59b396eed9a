//! HTTP transport for an S3-compatible service. It uses our TLS settings, and a time limit for a
//! stalled connection instead of one for the whole request, because a file may be large and the
//! connection slow.

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

/// The maximum time without progress: no piece of the body is sent and no answer comes.
const STALLED_AFTER: Duration = Duration::from_secs(10);
/// Size of the pieces in which a body is given to the connection.
const SLICE: usize = 64 * 1024;
/// The assumed minimum speed of a connection, in bytes per second. When the connection has taken
/// the whole body, some of it may still be in buffers of the operating system. The progress of
/// those is not visible.
const SLOWEST_LINE: usize = 64 * 1024;
/// Maximum number of bytes read of an error response.
const MAX_ERROR_BYTES: usize = 16 * 1024;

/// The error code of S3 for a missing bucket.
pub const NO_SUCH_BUCKET: &str = "NoSuchBucket";

#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
    /// The client for requests to the metadata service, which issues the credentials of this
    /// machine's role.
    direct: reqwest::Client,
    /// The beginning of the metadata service's URLs.
    metadata: Arc<str>,
}

/// The error for a request that made no progress for too long.
#[derive(Debug, thiserror::Error)]
#[error("the request made no progress for {0:?}")]
pub struct StalledError(pub Duration);

/// An error response that a retry does not change.
#[derive(Debug, thiserror::Error)]
#[error("the service answers {status}{}{code}{}{message}", separator(.code), separator(.message))]
pub struct RejectedResponse {
    pub status: StatusCode,
    /// The service's error code, such as `NoSuchBucket`. Empty if it sent none.
    pub code: String,
    /// The service's explanation.
    pub message: String,
}

fn separator(next: &str) -> &'static str {
    if next.is_empty() { "" } else { ": " }
}

impl Transport {
    /// Creates a transport. The second client sends the requests to the metadata service, the first
    /// one all others.
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
        let progress = Arc::new(UploadProgress::new(body.content_length()));
        if progress.length > 0 {
            // The length must be set explicitly, because a stream does not have one.
            request.headers_mut().insert(CONTENT_LENGTH, progress.length.into());
            *request.body_mut() = Some(sliced(body, progress.clone()));
        }
        let response: hyper::Response<reqwest::Body> =
            progress.with_stall_timeout(client.execute(request)).await?.into();
        let (parts, body) = response.into_parts();
        let body = HttpResponseBody::new(body.map_err(failed));
        check_status(HttpResponse::from_parts(parts, body)).await
    }
}

/// The progress of sending a request's body.
struct UploadProgress {
    length: usize,
    taken: AtomicUsize,
    moved: Notify,
}

impl UploadProgress {
    fn new(length: usize) -> Self {
        Self { length, taken: AtomicUsize::new(0), moved: Notify::new() }
    }

    fn took(&self, bytes: usize) {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        self.moved.notify_one();
    }

    /// Returns the time that the request may still wait without progress.
    fn patience(&self) -> Duration {
        if self.taken.load(Ordering::Relaxed) < self.length {
            return STALLED_AFTER;
        }
        let seconds = saturating(self.length.div_ceil(SLOWEST_LINE), u64::MAX);
        STALLED_AFTER.saturating_add(Duration::from_secs(seconds))
    }

    /// Waits for the answer, or fails if the request makes no progress for too long.
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

/// Splits the body into pieces, each of which is counted when the connection takes it.
fn sliced(body: HttpRequestBody, progress: Arc<UploadProgress>) -> reqwest::Body {
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

/// Returns the answer, or an error if it is a permanent refusal.
async fn check_status(response: HttpResponse) -> Result<HttpResponse, HttpError> {
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
    // The caller decides what a missing file means.
    if status == StatusCode::NOT_FOUND && refused.code != NO_SUCH_BUCKET {
        return Ok(HttpResponse::from_parts(parts, body.into()));
    }
    Err(HttpError::new(HttpErrorKind::Unknown, refused))
}

/// Reads the beginning of an answer's body.
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
        let error: S3Error = quick_xml::de::from_str(body).unwrap_or_default();
        Self { status, code: error.code, message: error.message }
    }
}

/// An error in S3's format.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct S3Error {
    code: String,
    message: String,
}

/// Converts a failure into the error type of the store's client. The client decides by the kind of
/// the error whether to retry.
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
        /// A bucket's refusal is parsed correctly, whatever else the answer contains.
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

//! Receives request bodies. The size, the type and the encoding are checked before the content.

use super::Input;
use actix_web::HttpRequest;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{self, Bytes};
use auth::digest::{Digest, DigestBuilder};
use domain::number::saturating;
use domain::time::seconds_in_words;
use futures_util::StreamExt as _;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use std::fs::File;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// The time that a body may take to arrive, and the additional time for each mebibyte of its
/// maximum size after the first.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const LONGER_A_MEBIBYTE: Duration = Duration::from_secs(4);
const MEBIBYTE: usize = 1024 * 1024;
/// Maximum memory that is allocated only because a client announces a length. Thousands of clients
/// may announce a mebibyte and send nothing, so more is allocated only for bytes that have arrived.
const TRUSTED: usize = 8 * 1024;
/// Number of bytes that are written to the disk at a time.
const CHUNK_BYTES: usize = 256 * 1024;
/// Maximum number of bytes of a too large body that are read and discarded. Without this, a client
/// that is still writing could not read the error.
const MAX_DRAINED_BYTES: usize = 16 * MEBIBYTE;

/// The source that the input is decoded from.
pub enum InputBody {
    Query(String),
    Json(Bytes),
    /// A JSON text in an unnamed file, and its digest.
    OnDisk(File, Digest),
    /// The request has no body.
    Absent,
}

impl InputBody {
    /// Returns a digest by which bodies are compared.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Query(text) => Digest::new(text.as_bytes()),
            Self::Json(bytes) => Digest::new(bytes),
            Self::OnDisk(_, digest) => *digest,
            Self::Absent => Digest::new(b""),
        }
    }
}

/// Receives the body of a request, in memory or on the disk.
pub async fn receive<I: Input>(
    deps: &ServerDeps,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<InputBody, Problem> {
    let headers = request.headers();
    let announced = length(headers);
    if announced.is_some_and(|length| length > I::MAX_BODY_BYTES) {
        drain(payload).await;
        return Err(Problem::payload_too_large(I::MAX_BODY_BYTES));
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Problem::unsupported_media_type(
            "Compressed bodies are not supported; send plain JSON.",
        ));
    }
    let typed = is_json(headers);
    let chunked = headers.contains_key(header::TRANSFER_ENCODING);
    if announced.unwrap_or_default() == 0 && !chunked {
        // A request that announces JSON but has an empty body is invalid JSON.
        return match headers.contains_key(header::CONTENT_TYPE) {
            false => Ok(InputBody::Absent),
            true if typed => Ok(InputBody::Json(Bytes::new())),
            true => Err(wrong_type()),
        };
    }
    if !typed {
        return Err(wrong_type());
    }
    let mebibytes = saturating(I::MAX_BODY_BYTES / MEBIBYTE, u32::MAX);
    let within = BODY_TIMEOUT + LONGER_A_MEBIBYTE * mebibytes.saturating_sub(1);
    let mut incoming = Incoming { payload, left: I::MAX_BODY_BYTES };
    let collected = async {
        if I::BUFFERED_ON_DISK {
            return incoming.onto_disk(deps).await;
        }
        let mut bytes = web::BytesMut::with_capacity(announced.unwrap_or_default().min(TRUSTED));
        while let Some(chunk) = incoming.next().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(InputBody::Json(bytes.freeze()))
    };
    let body = tokio::time::timeout(within, collected).await;
    match body.map_err(|_| too_slow(within))? {
        Ok(body) => Ok(body),
        Err(BodyError::TooLarge) => {
            drain(incoming.payload).await;
            Err(Problem::payload_too_large(I::MAX_BODY_BYTES))
        }
        Err(BodyError::Problem(problem)) => Err(problem),
    }
}

fn too_slow(within: Duration) -> Problem {
    let seconds = seconds_in_words(within.as_secs());
    Problem::bad_request(&format!("The body took longer than {seconds} to arrive."))
}

/// A body that is arriving, and the number of bytes that it may still have.
struct Incoming {
    payload: web::Payload,
    left: usize,
}

/// The reason why a body was not received.
enum BodyError {
    TooLarge,
    Problem(Problem),
}

impl From<std::io::Error> for BodyError {
    fn from(error: std::io::Error) -> Self {
        tracing::error!(%error, "a request body cannot be written to the disk");
        Self::Problem(Problem::unavailable())
    }
}

impl Incoming {
    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        let Some(chunk) = self.payload.next().await else { return Ok(None) };
        let early = |_| BodyError::Problem(Problem::bad_request("The body ended early."));
        let chunk = chunk.map_err(early)?;
        self.left = self.left.checked_sub(chunk.len()).ok_or(BodyError::TooLarge)?;
        Ok(Some(chunk))
    }

    /// Writes the body to a file in pieces, so that at most one piece is in memory. The writes run
    /// on threads that may block on the disk.
    async fn onto_disk(&mut self, deps: &ServerDeps) -> Result<InputBody, BodyError> {
        let mut file = tokio::fs::File::from_std(deps.files.temporary().await?);
        let mut digesting = DigestBuilder::default();
        // The buffer starts empty and grows with the bytes that arrive, whatever length was
        // announced.
        let mut piece = Vec::new();
        loop {
            let chunk = self.next().await?;
            if let Some(chunk) = &chunk {
                digesting.update(chunk);
                piece.extend_from_slice(chunk);
            }
            if piece.len() >= CHUNK_BYTES || chunk.is_none() {
                file.write_all(&piece).await?;
                piece.clear();
            }
            if chunk.is_none() {
                break;
            }
        }
        file.flush().await?;
        Ok(InputBody::OnDisk(file.into_std().await, digesting.finish()))
    }
}

fn wrong_type() -> Problem {
    Problem::unsupported_media_type("Send the body as JSON, with Content-Type: application/json.")
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether the content type is `application/json`, without a charset or with UTF-8, the only one
/// that JSON can have.
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE);
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(value) = value.to_str() else { return false };
    let (kind, parameters) = value.split_once(';').unwrap_or((value, ""));
    let charset = parameters.trim().to_ascii_lowercase();
    kind.trim().eq_ignore_ascii_case("application/json")
        && matches!(charset.as_str(), "" | "charset=utf-8" | "charset=\"utf-8\"")
}

async fn drain(mut payload: web::Payload) {
    let mut left = MAX_DRAINED_BYTES;
    let rest = async {
        while let Some(Ok(chunk)) = payload.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                return;
            }
        }
    };
    // The wait is limited, so a client that is too slow may not read the answer.
    drop(tokio::time::timeout(Duration::from_secs(5), rest).await);
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    fn headers(name: &header::HeaderName, values: &[String]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    proptest! {
        /// A content type is JSON if it is sent once, in any case, and with no charset other than
        /// UTF-8.
        #[test]
        fn only_json_is_json(
            kinds in prop::collection::vec(
                "(application|APPLICATION|text)/(json|Json|x-json|json5|problem\\+json)( ?; ?(charset=(utf-8|UTF-8|\"utf-8\"|utf8|latin1)|boundary=x|))?|[ -~]{0,20}",
                0..3,
            ),
        ) {
            let is = is_json(&headers(&header::CONTENT_TYPE, &kinds));
            let [kind] = kinds.as_slice() else {
                prop_assert!(!is);
                return Ok(());
            };
            let lower = kind.to_ascii_lowercase().replace(' ', "");
            let plain = lower.strip_prefix("application/json");
            let plain = plain.map(|it| it.strip_prefix(';').unwrap_or(it).replace('"', ""));
            prop_assert_eq!(is, plain.is_some_and(|it| it.is_empty() || it == "charset=utf-8"), "{}", kind);
        }

        /// A content length is parsed as the number that is written, or not at all.
        #[test]
        fn a_length_is_a_number_or_none(written in "[0-9]{0,22}|[ -~]{0,6}") {
            let read = length(&headers(&header::CONTENT_LENGTH, std::slice::from_ref(&written)));
            let digits = written.trim_start_matches('+').trim_start_matches('0');
            prop_assert!(read.is_none_or(|it| it.to_string().trim_start_matches('0') == digits), "{}", written);
        }
    }
}

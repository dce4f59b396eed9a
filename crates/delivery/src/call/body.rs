//! Receives a body: its size, type and encoding are judged before its content.

use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{self, Bytes};
use auth::digest::Digest;
use futures_util::StreamExt as _;
use std::time::Duration;

/// The most bytes of a JSON body.
pub const BODY_MOST: usize = 1024 * 1024;
/// How long a body may take to come in.
const BODY_WITHIN: Duration = Duration::from_secs(30);
/// What is read and thrown away of a body that is too large, so that a client which is still
/// writing gets to read why it was refused.
const DRAINED_MOST: usize = 16 * BODY_MOST;

/// What the input is decoded from.
pub enum Body {
    /// A query string.
    Query(String),
    /// A JSON text.
    Json(Bytes),
    /// Nothing came.
    Absent,
}

impl Body {
    /// Tells one body from another.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Query(text) => Digest::of(text.as_bytes()),
            Self::Json(bytes) => Digest::of(bytes),
            Self::Absent => Digest::of(b""),
        }
    }
}

/// Receives the body of a request.
pub async fn receive(request: &HttpRequest, mut payload: web::Payload) -> Result<Body, Problem> {
    let headers = request.headers();
    let announced = length(headers);
    if announced.is_some_and(|length| length > BODY_MOST) {
        drain(payload).await;
        return Err(Problem::payload_too_large(BODY_MOST));
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Problem::unsupported_media_type(
            "Compressed bodies are not taken; send plain JSON.",
        ));
    }
    let typed = is_json(headers);
    let chunked = headers.contains_key(header::TRANSFER_ENCODING);
    if announced.unwrap_or_default() == 0 && !chunked {
        // Whoever says that JSON comes and sends nothing has sent broken JSON.
        return match headers.contains_key(header::CONTENT_TYPE) {
            false => Ok(Body::Absent),
            true if typed => Ok(Body::Json(Bytes::new())),
            true => Err(wrong_type()),
        };
    }
    if !typed {
        return Err(wrong_type());
    }
    let mut bytes = web::BytesMut::with_capacity(announced.unwrap_or_default());
    let collected = async {
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| Problem::bad_request("The body ended early."))?;
            if bytes.len() + chunk.len() > BODY_MOST {
                return Ok::<bool, Problem>(true);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(false)
    };
    let late = |_| Problem::bad_request("The body took longer than 30 seconds to come in.");
    let too_large = tokio::time::timeout(BODY_WITHIN, collected).await.map_err(late)??;
    if too_large {
        drain(payload).await;
        return Err(Problem::payload_too_large(BODY_MOST));
    }
    Ok(Body::Json(bytes.freeze()))
}

fn wrong_type() -> Problem {
    Problem::unsupported_media_type("Send the body as JSON, with Content-Type: application/json.")
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// `application/json`, with or without a charset, which can only be UTF-8.
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE);
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let value = value.to_str().unwrap_or_default();
    let (kind, parameters) = value.split_once(';').unwrap_or((value, ""));
    let charset = parameters.trim().to_ascii_lowercase();
    kind.trim().eq_ignore_ascii_case("application/json")
        && matches!(charset.as_str(), "" | "charset=utf-8" | "charset=\"utf-8\"")
}

async fn drain(mut payload: web::Payload) {
    let mut left = DRAINED_MOST;
    let rest = async {
        while let Some(Ok(chunk)) = payload.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                return;
            }
        }
    };
    // Whoever dawdles does not get to read the answer.
    drop(tokio::time::timeout(Duration::from_secs(5), rest).await);
}

//! `GET {base_url}/media/{id}/{filename}`: media files, for anyone who knows the URL
//! (`docs/contract.md#upload-media`, `docs/security.md` 33).

use crate::browser::refuse;
use actix_web::body::SizedStream;
use actix_web::http::header::{self, ByteRangeSpec, EntityTag, HttpDate, Range};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use api_types::UNRESERVED;
use auth::digest::hex;
use domain::id::MediaId;
use domain::media::ascii_name;
use domain::time::Timestamp;
use futures_util::{Stream, StreamExt as _, stream};
use http_layer::deps::ServerDeps;
use http_layer::list_headers::{MAX_LIST_HEADER_BYTES, is_known};
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use percent_encoding::utf8_percent_encode;
use persistence::records::Media;
use platform::error_chain::chain;
use platform::files::{StoreError, is_name_in_address};
use service::media;
use std::future;
use std::sync::Arc;
use std::time::SystemTime;

pub const MEDIA_PATH: &str = "/media/{id}/{name}";

/// One year, because the file of an id never changes.
const FOREVER: &str = "public, max-age=31536000, immutable";
/// Prevents a file that a browser displays from running scripts and loading anything.
const SANDBOX: &str = "sandbox; default-src 'none'";

/// Serves a file, or one range of its bytes.
pub async fn serve(request: HttpRequest, deps: web::Data<Arc<ServerDeps>>) -> HttpResponse {
    match give(&request, deps.get_ref()).await {
        Ok(response) => response,
        Err(problem) => refuse(&request, &problem),
    }
}

async fn give(request: &HttpRequest, deps: &ServerDeps) -> Result<HttpResponse, Problem> {
    let nowhere = || Problem::not_found("file");
    let id = request.match_info().get("id").and_then(|id| id.parse::<MediaId>().ok());
    let found = media::public(deps, id.ok_or_else(nowhere)?).await?.ok_or_else(nowhere)?;
    // The name must be the one in the URL that the upload returned.
    let (_, name) = request.uri().path().rsplit_once('/').unwrap_or_default();
    if !is_name_in_address(name, &found.file_name) {
        return Err(nowhere());
    }
    let size = found.size;
    let tag = EntityTag::new_strong(hex(&found.sha256));
    if is_known(request, &tag) {
        return Ok(head(StatusCode::NOT_MODIFIED, &found, &tag).finish());
    }
    let Ok(wanted) = wanted(request, size, &tag) else {
        let mut refused = Problem::range_not_satisfiable(size).response(&request_id(request));
        refused.headers_mut().insert(header::CONTENT_RANGE, content_range(None, size)?);
        return Ok(refused);
    };
    let mut response = match &wanted {
        Some((first, last)) => {
            let mut response = head(StatusCode::PARTIAL_CONTENT, &found, &tag);
            response.insert_header((
                header::CONTENT_RANGE,
                content_range(Some((*first, *last)), size)?,
            ));
            response
        }
        None => head(StatusCode::OK, &found, &tag),
    };
    let part = wanted.map_or(0..size, |(first, last)| first..last + 1);
    let length = part.end - part.start;
    if request.method() == Method::HEAD {
        let nothing = futures_util::stream::empty::<Result<web::Bytes, std::io::Error>>();
        return Ok(response.body(SizedStream::new(length, nothing)));
    }
    let read = deps.files.read(found.id, part).await;
    let read = read.map_err(|error| deps.files.reports.failed(&error, deps.clock.steady()))?;
    Ok(response.body(SizedStream::new(length, whole_or_logged(read, length, found.id))))
}

/// Passes the stream on and logs why it ends early. The response has already begun then, so only
/// the log, under the request's id, can give the reason.
fn whole_or_logged(
    stream: impl Stream<Item = Result<web::Bytes, StoreError>>,
    length: u64,
    media: MediaId,
) -> impl Stream<Item = Result<web::Bytes, StoreError>> {
    let (span, mut left) = (tracing::Span::current(), length);
    let mut failed = false;
    let end = stream::once(future::ready(None));
    stream.map(Some).chain(end).filter_map(move |next| {
        match &next {
            Some(Ok(bytes)) => left = left.saturating_sub(bytes.len() as u64),
            Some(Err(error)) => {
                failed = true;
                let error = chain(error);
                span.in_scope(
                    || tracing::error!(error, %media, "a media file could not be read to its end"),
                );
            }
            None if left > 0 && !failed => {
                span.in_scope(|| tracing::error!(left, %media, "a media file is shorter than its stored size"));
            }
            None => {}
        }
        future::ready(next)
    })
}

fn content_range(part: Option<(u64, u64)>, size: u64) -> Result<header::HeaderValue, Problem> {
    let text = match part {
        Some((first, last)) => format!("bytes {first}-{last}/{size}"),
        None => format!("bytes */{size}"),
    };
    header::HeaderValue::from_str(&text).map_err(|error| Problem::internal(&error))
}

/// Returns the first and the last byte of the requested range, or `None` for the whole file. A
/// request for several ranges gets the whole file, as RFC 9110 section 14.2 allows.
///
/// # Errors
///
/// If the range contains no byte of the file (416).
fn wanted(request: &HttpRequest, size: u64, tag: &EntityTag) -> Result<Option<(u64, u64)>, ()> {
    let headers = request.headers();
    let of_another = headers.get(header::IF_RANGE).is_some_and(|value| {
        let known = value.to_str().ok().and_then(|text| text.parse::<EntityTag>().ok());
        !known.is_some_and(|known| known.strong_eq(tag))
    });
    if of_another || request.method() != Method::GET {
        return Ok(None);
    }
    let value = headers.get(header::RANGE).filter(|value| value.len() <= MAX_LIST_HEADER_BYTES);
    let value = value.and_then(|value| value.to_str().ok());
    let Some(Ok(Range::Bytes(parts))) = value.map(str::parse) else { return Ok(None) };
    let [part] = parts.as_slice() else { return Ok(None) };
    if matches!(part, ByteRangeSpec::FromTo(first, last) if first > last) {
        return Ok(None);
    }
    part.to_satisfiable_range(size).map(Some).ok_or(())
}

/// Returns a response with the headers that every response about a file has.
fn head(status: StatusCode, media: &Media, tag: &EntityTag) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    let made = SystemTime::UNIX_EPOCH + media.created_at.since(Timestamp::from_micros(0));
    let shown = ["image/", "audio/", "video/"].iter().any(|it| media.content_type.starts_with(it));
    let (name, ascii) =
        (utf8_percent_encode(&media.file_name, UNRESERVED), ascii_name(&media.file_name));
    let disposition = if shown { "inline" } else { "attachment" };
    response
        .insert_header((header::CONTENT_TYPE, media.content_type.as_str()))
        .insert_header((header::CACHE_CONTROL, FOREVER))
        .insert_header((header::ETAG, tag.to_string()))
        .insert_header((header::LAST_MODIFIED, HttpDate::from(made)))
        .insert_header((header::ACCEPT_RANGES, "bytes"))
        .insert_header((header::CONTENT_SECURITY_POLICY, SANDBOX))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header(("cross-origin-resource-policy", "cross-origin"))
        .insert_header((
            header::CONTENT_DISPOSITION,
            // Both parameters (RFC 6266 section 4.3): old clients read only the first.
            format!("{disposition}; filename=\"{ascii}\"; filename*=UTF-8''{name}"),
        ));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    fn part(range: &str, size: u64) -> Result<Option<(u64, u64)>, ()> {
        let request = TestRequest::default().insert_header((header::RANGE, range));
        wanted(&request.to_http_request(), size, &EntityTag::new_strong("abc".to_owned()))
    }

    proptest! {
        /// The cases of RFC 9110 section 14.1.2.
        #[test]
        fn one_range_is_what_it_says(first: u64, last: u64, size: u64, small: bool) {
            let fit = |it: u64| if small { it % 20 } else { it };
            let (first, last, size) = (fit(first), fit(last), fit(size));
            let from = if first < size { Ok(Some((first, size - 1))) } else { Err(()) };
            prop_assert_eq!(part(&format!("bytes={first}-"), size), from);
            let from_to = match (first <= last, first < size) {
                (false, _) => Ok(None),
                (true, true) => Ok(Some((first, last.min(size - 1)))),
                (true, false) => Err(()),
            };
            prop_assert_eq!(part(&format!("bytes={first}-{last}"), size), from_to);
            let suffix = match (last, size) {
                (0, _) | (_, 0) => Err(()),
                _ => Ok(Some((size - last.min(size), size - 1))),
            };
            prop_assert_eq!(part(&format!("bytes=-{last}"), size), suffix);
        }

        #[test]
        fn whatever_is_asked_no_byte_beyond_the_end_is_read(
            range in "bytes=[0-9,-]{0,44}|(bytes)?[ -~]{0,30}",
            size in prop_oneof![0..40_u64, any::<u64>()],
        ) {
            if let Ok(Some((first, last))) = part(&range, size) {
                prop_assert!(first <= last && last < size, "{} of {}", range, size);
            }
        }
    }
}

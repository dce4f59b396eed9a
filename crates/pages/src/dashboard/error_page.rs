//! Error pages in the dashboard's frame, so that a member who is signed in keeps the navigation.
//! Other visitors get a page with only the error.

use super::frame::{Frame, MemberContext};
use super::{HOME, sidebar};
use crate::browser::{ErrorWords, PageError, PagePolicy, accepts_page, is_person, refuse};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;

/// The beginning of the paths of Connect. Its pages may be shown in the popup of an application,
/// which has no room for the dashboard.
const CONNECT: &str = "/connect/";

#[derive(Template)]
#[template(path = "error.html")]
struct FramedError {
    frame: Frame,
    title: &'static str,
    sentences: Vec<String>,
    /// The text that the member typed and that was not sent.
    unsent: Option<String>,
    /// The path and the title of the page that the button leads to.
    way_on: (&'static str, &'static str),
    request_id: String,
}

/// Returns the page for an error that the handler of a page returned, with the request id.
pub async fn error_page(
    error: &actix_web::Error,
    request: &HttpRequest,
    deps: &ServerDeps,
) -> Option<HttpResponse> {
    let error = error.as_error::<PageError>()?;
    if let Some(words) = error.words()
        && let Some(page) = framed(request, deps, words).await
    {
        return Some(page);
    }
    Some(error.page(&request_id(request)))
}

/// Returns the answer to a request for a path that does not exist.
pub async fn unknown_path(request: &HttpRequest, deps: &ServerDeps) -> HttpResponse {
    if is_person(request)
        && let Some(page) = framed(request, deps, ErrorWords::not_found()).await
    {
        return page;
    }
    refuse(request, &Problem::not_found("path"))
}

/// Returns the error page in the dashboard's frame. Returns `None` if no member is signed in, or if
/// the frame cannot be loaded.
async fn framed(
    request: &HttpRequest,
    deps: &ServerDeps,
    words: ErrorWords,
) -> Option<HttpResponse> {
    if request.path().starts_with(CONNECT) || !accepts_page(request) {
        return None;
    }
    let member_context = match MemberContext::of_error_page(request, deps).await {
        Ok(member_context) => member_context?,
        Err(error) => {
            tracing::debug!(%error, "the frame of an error page cannot be loaded");
            return None;
        }
    };
    let nearest = sidebar::nearest(request.path(), member_context.authority.role);
    let way_on = nearest.map_or((HOME, "Home"), |page| (page.path, page.title));
    let tab = if way_on.0 == HOME { "" } else { way_on.0 };
    let ErrorWords { status, title, sentences, unsent } = words;
    let (frame, request_id) = (member_context.frame(tab), request_id(request));
    let page = FramedError { frame, title, sentences, unsent, way_on, request_id };
    Some(PagePolicy::Dashboard.page(status, &page))
}

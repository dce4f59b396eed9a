//! A page on its way out, with the headers of `docs/security.md` 5 to 8.

use actix_web::cookie::Cookie;
use actix_web::http::header::{Accept, Header as _, Quality};
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError, web};
use askama::Template;
use http_layer::list_headers::is_short;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;

/// Nothing runs or loads but what is ours. No `form-action`: with it Chromium would send the form and then
/// block the redirect to the application, so that the code would be made and lost.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Security headers of a page outside the dashboard: where it may be framed and opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePolicy {
    /// In the popup, perhaps: nothing may sever it from the page that opened it.
    InPopup,
    /// The popup's last page, whose address nobody needs to know.
    Relay,
    /// In the dashboard.
    Dashboard,
}

impl PagePolicy {
    /// Sends a page.
    pub fn page(self, status: StatusCode, page: &impl Template) -> HttpResponse {
        match page.render() {
            Ok(text) => self.head(status).body(text),
            Err(error) => {
                tracing::error!(%error, "a page cannot be rendered");
                HttpResponse::InternalServerError().finish()
            }
        }
    }

    fn head(self, status: StatusCode) -> HttpResponseBuilder {
        let (opener, referrer) = match self {
            Self::InPopup => ("unsafe-none", "same-origin"),
            Self::Relay => ("unsafe-none", "no-referrer"),
            Self::Dashboard => ("same-origin", "same-origin"),
        };
        let mut response = HttpResponse::build(status);
        response
            .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
            .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
            .insert_header((header::X_FRAME_OPTIONS, "DENY"))
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((header::REFERRER_POLICY, referrer))
            .insert_header(("cross-origin-opener-policy", opener))
            .insert_header((header::CACHE_CONTROL, "no-store"));
        response
    }
}

/// A page that is not shown.
#[derive(Debug)]
pub enum PageError {
    /// Something went wrong on our side.
    Here(Problem),
    /// The page is for those who have signed in.
    SignIn(Box<SignInRequired>),
    /// The form is not one of ours, or was open for too long; where to find it again.
    Form(String),
    /// There is nothing at this address, or nothing of this member's.
    NotFound,
    /// The form names an action that this page does not have.
    UnknownAction,
}

impl<E: Into<Problem>> From<E> for PageError {
    fn from(error: E) -> Self {
        Self::Here(error.into())
    }
}

impl std::fmt::Display for PageError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Here(problem) => problem.code.as_str(),
            Self::SignIn(_) => "not signed in",
            Self::Form(_) => "not a form of ours",
            Self::NotFound => "not found",
            Self::UnknownAction => "unknown action",
        })
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Here(problem) => problem.code.status(),
            Self::SignIn(first) => first.status(),
            Self::Form(_) => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::UnknownAction => StatusCode::BAD_REQUEST,
        }
    }

    fn error_response(&self) -> HttpResponse {
        self.page("")
    }
}

impl PageError {
    /// The page in place of the one that is not shown.
    fn page(&self, request_id: &str) -> HttpResponse {
        match self {
            Self::SignIn(first) => first.response(),
            Self::Here(_) => {
                let sentence = "An error occurred on our side. Wait a moment, then try again.";
                let status = self.status_code();
                let title = "Something went wrong";
                say(status, title, &[sentence], request_id)
            }
            Self::Form(back) => expired(back, request_id),
            Self::NotFound => not_found(StatusCode::NOT_FOUND, request_id),
            Self::UnknownAction => {
                let sentence = "The form asked for an action that this page does not have. Nothing was \
                                changed. Go back, reload the page and try again.";
                say(self.status_code(), "Nothing was changed", &[sentence], request_id)
            }
        }
    }
}

/// The page for an error that a handler of a page has returned, with the id of the request: the handler's error does not
/// know it.
#[must_use]
pub fn error_page(error: &actix_web::Error, request_id: &str) -> Option<HttpResponse> {
    error.as_error::<PageError>().map(|error| error.page(request_id))
}

/// Somebody has to sign in before they go on.
#[derive(Debug)]
pub struct SignInRequired {
    /// What they come back to, sealed for their browser.
    pub sealed: String,
    /// What their sign-in form proves, if they submitted a form when their session had ended; what they
    /// typed is too long for an address.
    pub form_token: Option<String>,
    /// What the browser is to remember.
    pub cookie: Option<Cookie<'static>>,
}

/// The page that says that a session has ended.
#[derive(Template)]
#[template(path = "people/session_ended.html")]
struct SessionEnded<'a> {
    token: &'a str,
    sealed: &'a str,
}

impl SignInRequired {
    const fn status(&self) -> StatusCode {
        match self.form_token {
            Some(_) => StatusCode::UNAUTHORIZED,
            None => StatusCode::SEE_OTHER,
        }
    }

    fn response(&self) -> HttpResponse {
        let mut response = match &self.form_token {
            Some(token) => {
                let page = SessionEnded { token, sealed: &self.sealed };
                PagePolicy::Dashboard.page(self.status(), &page)
            }
            None => redirect(&format!("/login?return={}", self.sealed)),
        };
        if let Some(cookie) = &self.cookie
            && let Err(error) = response.add_cookie(cookie)
        {
            tracing::error!(%error, "a cookie cannot be set");
        }
        response
    }
}

/// Says that a form was not taken, and leads back to where it stands.
#[must_use]
pub fn expired_form(request: &HttpRequest, back: &str) -> HttpResponse {
    expired(back, &request_id(request))
}

fn expired(back: &str, request_id: &str) -> HttpResponse {
    let title = "This form has expired";
    let sentences = ["Nothing was changed. Reload the page and try again."];
    let link = Some((back, "Reload the page"));
    let page = Message { title, sentences: &sentences, link, request_id };
    PagePolicy::InPopup.page(StatusCode::FORBIDDEN, &page)
}

fn not_found(status: StatusCode, request_id: &str) -> HttpResponse {
    let title = "Page not found";
    let sentences =
        ["There is no page at this URL. It may have been deleted, or the link may be wrong."];
    let page = Message { title, sentences: &sentences, link: Some(HOME), request_id };
    PagePolicy::Dashboard.page(status, &page)
}

/// Answers with a problem: as a page where a person looks, and else as JSON.
#[must_use]
pub fn refuse(request: &HttpRequest, problem: &Problem) -> HttpResponse {
    let id = request_id(request);
    let answer = problem.response(&id);
    if !is_person(request) {
        return answer;
    }
    let mut page = match answer.status() {
        status @ (StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => not_found(status, &id),
        status => say(status, "Something went wrong", &[problem.sentence()], &id),
    };
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = answer.headers().get(&name) {
            page.headers_mut().insert(name, value.clone());
        }
    }
    page
}

/// Whether a browser asks for a page: programs ask for JSON, or for anything.
fn is_person(request: &HttpRequest) -> bool {
    let reads = request.method() == Method::GET || request.method() == Method::HEAD;
    let of_programs = ["/api/", "/channel/"].iter().any(|it| request.path().starts_with(it));
    let read = is_short(request.headers(), header::ACCEPT).then(|| Accept::parse(request));
    let asks = read.and_then(Result::ok).is_some_and(|accept| {
        accept.iter().any(|it| it.item.essence_str() == "text/html" && it.quality > Quality::ZERO)
    });
    reads && !of_programs && asks
}

/// An address that takes forms only.
#[must_use]
pub fn form_only(path: &str) -> actix_web::Resource {
    web::resource(path).default_service(web::to(async |request: HttpRequest| {
        refuse(&request, &Problem::method_not_allowed("POST"))
    }))
}

/// Where there is always a way on.
const HOME: (&str, &str) = ("/", "Go to the dashboard");

/// A page that only says something.
#[derive(Template)]
#[template(path = "message.html")]
pub struct Message<'a> {
    /// Its heading.
    pub title: &'a str,
    /// What happened, and what to do.
    pub sentences: &'a [&'a str],
    /// Where to go from here, and what that is called.
    pub link: Option<(&'a str, &'a str)>,
    /// The id of the request, for whoever asks about an error; empty where nothing went wrong.
    pub request_id: &'a str,
}

/// Says what went wrong with a request, and leads to the dashboard.
#[must_use]
pub fn message(
    request: &HttpRequest,
    status: StatusCode,
    title: &str,
    sentences: &[&str],
) -> HttpResponse {
    say(status, title, sentences, &request_id(request))
}

fn say(status: StatusCode, title: &str, sentences: &[&str], request_id: &str) -> HttpResponse {
    PagePolicy::InPopup.page(status, &Message { title, sentences, link: Some(HOME), request_id })
}

/// Sends a browser elsewhere: 303, so that a form is never sent on (`docs/security.md` 4).
#[must_use]
pub fn redirect(to: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, to))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header(("cross-origin-opener-policy", "unsafe-none"))
        .finish()
}

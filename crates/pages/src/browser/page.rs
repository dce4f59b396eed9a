//! Responses with pages, with the headers of `docs/security.md` 5 to 8.

use actix_web::cookie::Cookie;
use actix_web::http::header::{Accept, Header as _, Quality};
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError, web};
use askama::Template;
use domain::role::{Forbidden, Role};
use http_layer::list_headers::is_short;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use service::actor::ActionError;

/// The content security policy of pages: only our own scripts, styles, fonts and images load.
///
/// There is no `form-action`. With it, Chromium would submit the form and then block the redirect
/// to the application, so the authorization code would be issued and lost.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      font-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The content security policy of the dashboard. Its scripts fetch pages and play media, and its
/// forms lead to pages of this service only.
const DASHBOARD_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                                img-src 'self' blob:; font-src 'self'; media-src 'self' blob:; \
                                connect-src 'self'; manifest-src 'self'; form-action 'self'; \
                                base-uri 'none'; frame-ancestors 'none'";

/// The kind of a page, which decides its security headers: opener, referrer and content policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePolicy {
    /// A page that may be shown in the Connect popup. The popup's link to the page that opened it
    /// must be kept.
    InPopup,
    /// A page whose URL must not leak as a referrer, for example the last page of the popup.
    Relay,
    Dashboard,
}

impl PagePolicy {
    /// Renders a page.
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
        let (opener, referrer, policy) = match self {
            Self::InPopup => ("unsafe-none", "same-origin", POLICY),
            Self::Relay => ("unsafe-none", "no-referrer", POLICY),
            Self::Dashboard => ("same-origin", "same-origin", DASHBOARD_POLICY),
        };
        let mut response = HttpResponse::build(status);
        response
            .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
            .insert_header((header::CONTENT_SECURITY_POLICY, policy))
            .insert_header((header::X_FRAME_OPTIONS, "DENY"))
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((header::REFERRER_POLICY, referrer))
            .insert_header(("cross-origin-opener-policy", opener))
            .insert_header((header::CACHE_CONTROL, "no-store"));
        response
    }
}

/// The reason why a page is not shown.
#[derive(Debug)]
pub enum PageError {
    /// An error on our side.
    Here(Problem),
    /// The visitor must sign in first.
    SignIn(Box<SignInRequired>),
    /// The form was rejected or has expired. Contains the path of the page with the form.
    Form(String),
    /// The object does not exist or is not visible to this member.
    NotFound,
    /// The conversation does not exist, was deleted, or is not visible to this member.
    NoConversation,
    /// The form names an action that this page does not have.
    UnknownAction,
    /// The member's role does not allow the action.
    Forbidden(Forbidden),
    /// The member's role does not include the page.
    OtherRole(Role),
    /// The conversation to which a text was to be sent cannot be opened. Contains the reason and the
    /// text, which the page shows.
    Unsent(Box<Self>, String),
    /// The member belongs to no organization. Contains the CSRF token of the sign-out form.
    NoOrganization(String),
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
            Self::Form(_) => "the form was rejected or has expired",
            Self::NotFound => "not found",
            Self::NoConversation => "no such conversation",
            Self::UnknownAction => "unknown action",
            Self::Forbidden(_) | Self::OtherRole(_) => "the role does not allow it",
            Self::Unsent(..) => "the conversation cannot be opened",
            Self::NoOrganization(_) => "no organization",
        })
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Here(problem) => problem.code.status(),
            Self::SignIn(first) => first.status(),
            Self::Form(_) | Self::Forbidden(_) | Self::OtherRole(_) | Self::NoOrganization(_) => {
                StatusCode::FORBIDDEN
            }
            Self::Unsent(reason, _) => reason.status_code(),
            Self::NotFound | Self::NoConversation => StatusCode::NOT_FOUND,
            Self::UnknownAction => StatusCode::BAD_REQUEST,
        }
    }

    fn error_response(&self) -> HttpResponse {
        self.page("")
    }
}

/// The text of an error page, and its status.
#[derive(Debug)]
pub struct ErrorWords {
    pub status: StatusCode,
    pub title: &'static str,
    /// Sentences on what happened and what to do.
    pub sentences: Vec<String>,
    /// The text that the member typed and that was not sent.
    pub unsent: Option<String>,
}

impl ErrorWords {
    /// Returns the text for a URL without a page.
    pub fn not_found() -> Self {
        let sentence =
            "There is no page at this URL. It may have been deleted, or the link may be wrong.";
        Self {
            status: StatusCode::NOT_FOUND,
            title: "Page not found",
            sentences: vec![sentence.to_owned()],
            unsent: None,
        }
    }

    /// Returns the page with this text, without the dashboard's frame.
    fn page(&self, request_id: &str) -> HttpResponse {
        let sentences = self.sentences.iter().chain(&self.unsent);
        let sentences: Vec<&str> = sentences.map(String::as_str).collect();
        say(self.status, self.title, &sentences, request_id)
    }
}

impl PageError {
    /// Returns the text of the error page, which a signed-in member sees in the dashboard's frame.
    /// Returns `None` for an error with a page of its own. Also returns `None` for an error of the
    /// server, because the same error may keep the frame from being loaded.
    pub fn words(&self) -> Option<ErrorWords> {
        let (title, sentences) = match self {
            Self::Here(_) | Self::SignIn(_) | Self::Form(_) | Self::NoOrganization(_) => {
                return None;
            }
            Self::NotFound => return Some(ErrorWords::not_found()),
            Self::Unsent(reason, text) => return Some(unsent(reason, text)),
            Self::NoConversation => {
                let sentence =
                    "It was deleted, it is assigned to somebody else, or the link is wrong.";
                ("You can’t open this conversation", vec![sentence.to_owned()])
            }
            Self::UnknownAction => {
                let sentence = "The form asked for an action that this page does not have. Nothing was \
                                changed. Go back, reload the page and try again.";
                ("Nothing was changed", vec![sentence.to_owned()])
            }
            Self::Forbidden(Forbidden { by_restriction: true, .. }) => {
                let sentences = [
                    "In this organization only owners and developers manage API keys and connect apps.",
                    "Nothing was changed. Ask an owner to do it, or to change your role.",
                ];
                ("Your role doesn’t allow this", Vec::from(sentences.map(str::to_owned)))
            }
            Self::Forbidden(Forbidden { role, .. }) => {
                let sentence =
                    format!("Your role is {}, which doesn’t include this.", role.title());
                let advice = "Nothing was changed. Ask an owner to do it, or to change your role.";
                ("Your role doesn’t allow this", vec![sentence, advice.to_owned()])
            }
            Self::OtherRole(role) => {
                let sentence =
                    format!("Your role is {}, which doesn’t include this page.", role.title());
                let advice = "Ask an owner to change your role.";
                ("Your role doesn’t include this page", vec![sentence, advice.to_owned()])
            }
        };
        Some(ErrorWords { status: self.status_code(), title, sentences, unsent: None })
    }

    /// Returns the error page without the dashboard's frame.
    pub fn page(&self, request_id: &str) -> HttpResponse {
        match (self, self.words()) {
            (Self::SignIn(first), _) => first.response(),
            (Self::Form(back), _) => expired(back, request_id),
            (Self::NoOrganization(token), _) => {
                PagePolicy::Dashboard.page(self.status_code(), &NoOrganization { token })
            }
            (_, Some(words)) => words.page(request_id),
            (_, None) => {
                let sentence = "Nothing that you entered was saved. Wait a moment, then try again.";
                let status = self.status_code();
                say(status, "Something went wrong on our side", &[sentence], request_id)
            }
        }
    }
}

/// Returns the text of the page for a message or a note that was not sent, because its conversation
/// cannot be opened.
fn unsent(reason: &PageError, text: &str) -> ErrorWords {
    let why = match reason {
        PageError::OtherRole(role) => {
            format!("Your role is {}, which doesn’t include this page.", role.title())
        }
        _ => "It was deleted, or it is assigned to somebody else.".to_owned(),
    };
    let advice = "Nothing was sent. Copy your text if you need it.";
    ErrorWords {
        status: reason.status_code(),
        title: "You can’t open this conversation anymore",
        sentences: vec![why, advice.to_owned()],
        unsent: Some(text.to_owned()),
    }
}

/// A visitor must sign in before they continue.
#[derive(Debug)]
pub struct SignInRequired {
    /// The page to return to after sign-in, encrypted for this browser.
    pub sealed: String,
    /// The CSRF token for the sign-in form, if the visitor submitted a form after the session had
    /// ended. The encrypted input is then too long for a URL, so a form posts it.
    pub form_token: Option<String>,
    /// The session cookie, if the browser does not have it yet.
    pub cookie: Option<Cookie<'static>>,
}

/// The page for a form that was submitted after the session had ended.
#[derive(Template)]
#[template(path = "signed_out/session_ended.html")]
struct SessionEnded<'a> {
    token: &'a str,
    sealed: &'a str,
}

/// The page for a member who belongs to no organization.
#[derive(Template)]
#[template(path = "signed_out/no_organization.html")]
struct NoOrganization<'a> {
    token: &'a str,
}

/// Converts a refusal because of the member's role into the error that has its own page. All other
/// errors are returned for the page to show.
pub fn permitted<T, E>(done: Result<T, ActionError<E>>) -> Result<Result<T, E>, PageError> {
    match done {
        Ok(done) => Ok(Ok(done)),
        Err(ActionError::Failed(error)) => Ok(Err(error)),
        Err(ActionError::Forbidden(forbidden)) => Err(PageError::Forbidden(forbidden)),
    }
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

/// Returns the page for a form that was rejected. It links to the page with the form at `back`.
#[must_use]
pub fn expired_form(request: &HttpRequest, back: &str) -> HttpResponse {
    expired(back, &request_id(request))
}

fn expired(back: &str, request_id: &str) -> HttpResponse {
    let title = "This form has expired";
    let sentences = ["Nothing was changed. Reload the page and try again."];
    let link = Some((back, "Reload the page"));
    let page = PlainPage { status: "", title, sentences: &sentences, link, request_id };
    PagePolicy::InPopup.page(StatusCode::FORBIDDEN, &page)
}

fn form_only_page(request_id: &str) -> HttpResponse {
    let sentence =
        "This URL only receives a form. Go to the page with the form and submit it there.";
    say(StatusCode::METHOD_NOT_ALLOWED, "This is not a page", &[sentence], request_id)
}

/// Returns a problem as a page if a browser asks for one, and otherwise as JSON.
#[must_use]
pub fn refuse(request: &HttpRequest, problem: &Problem) -> HttpResponse {
    let id = request_id(request);
    let answer = problem.response(&id);
    if !is_person(request) {
        return answer;
    }
    let mut page = match answer.status() {
        StatusCode::NOT_FOUND => ErrorWords::not_found().page(&id),
        StatusCode::METHOD_NOT_ALLOWED => form_only_page(&id),
        status => say(status, "Something went wrong", &[problem.message()], &id),
    };
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = answer.headers().get(&name) {
            page.headers_mut().insert(name, value.clone());
        }
    }
    page
}

/// Whether a browser asks for a page.
pub fn is_person(request: &HttpRequest) -> bool {
    let reads = request.method() == Method::GET || request.method() == Method::HEAD;
    reads && accepts_page(request)
}

/// Whether the client accepts a page. Programs accept JSON or anything.
pub fn accepts_page(request: &HttpRequest) -> bool {
    let of_programs = ["/api/", "/channel/"].iter().any(|it| request.path().starts_with(it));
    let read = is_short(request.headers(), header::ACCEPT).then(|| Accept::parse(request));
    let accepts = read.and_then(Result::ok).is_some_and(|accept| {
        accept.iter().any(|it| it.item.essence_str() == "text/html" && it.quality > Quality::ZERO)
    });
    !of_programs && accepts
}

/// Creates a resource that accepts only POST.
#[must_use]
pub fn form_only(path: &str) -> actix_web::Resource {
    web::resource(path).default_service(web::to(async |request: HttpRequest| {
        refuse(&request, &Problem::method_not_allowed("POST"))
    }))
}

/// The link on message pages that have no link of their own.
const HOME: (&str, &str) = ("/", "Go to the dashboard");

/// A page with a message and nothing else.
#[derive(Template)]
#[template(path = "message.html")]
pub struct PlainPage<'a> {
    /// The HTTP status, if the reader can use it, such as 500. Otherwise empty.
    pub status: &'a str,
    pub title: &'a str,
    /// Sentences on what happened and what to do.
    pub sentences: &'a [&'a str],
    /// Target and text of a link.
    pub link: Option<(&'a str, &'a str)>,
    /// The request id to quote to support. Empty if nothing went wrong.
    pub request_id: &'a str,
}

/// Returns a page that says what went wrong and links to the dashboard.
///
/// In the popup of a Connect request the dashboard would be the wrong place, see
/// [`end_of_request`].
#[must_use]
pub fn message(
    request: &HttpRequest,
    status: StatusCode,
    title: &str,
    sentences: &[&str],
) -> HttpResponse {
    say(status, title, sentences, &request_id(request))
}

/// Returns the page that ends a Connect request. It may be shown in the popup that the application
/// opened, so it has no link to the dashboard.
#[must_use]
pub fn end_of_request(
    request: &HttpRequest,
    status: StatusCode,
    title: &str,
    sentences: &[&str],
) -> HttpResponse {
    let request_id = &request_id(request);
    let number = status.as_str().to_owned();
    let page = PlainPage { status: &number, title, sentences, link: None, request_id };
    PagePolicy::InPopup.page(status, &page)
}

fn say(status: StatusCode, title: &str, sentences: &[&str], request_id: &str) -> HttpResponse {
    let number = if status.is_server_error() { status.as_str() } else { "" };
    let page = PlainPage { status: number, title, sentences, link: Some(HOME), request_id };
    PagePolicy::InPopup.page(status, &page)
}

/// Redirects a browser with 303, so that the target never gets the submitted form
/// (`docs/security.md` 4).
#[must_use]
pub fn redirect(to: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, to))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header(("cross-origin-opener-policy", "unsafe-none"))
        .finish()
}

//! A page on its way out, with the headers of `security.md` 5 to 8.

use crate::problem::Problem;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use askama::Template;

/// Nothing runs or loads but what is ours. No `form-action`: with it Chromium would send the form and then
/// block the redirect to the application, so that the code would be made and lost.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Where a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// In the popup, perhaps: nothing may sever it from the page that opened it.
    InPopup,
    /// The popup's last page, whose address nobody needs to know.
    Relay,
    /// In the dashboard.
    Dashboard,
}

impl Alone {
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
pub enum Failed {
    /// Something went wrong on our side.
    Here(Problem),
    /// The page is for those who have signed in.
    SignIn,
    /// The form is not one of ours, or was open for too long.
    Form,
}

impl<E: Into<Problem>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Here(error.into())
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Here(problem) => problem.code.as_str(),
            Self::SignIn => "not signed in",
            Self::Form => "not a form of ours",
        })
    }
}

impl ResponseError for Failed {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Here(problem) => problem.code.status(),
            Self::SignIn => StatusCode::SEE_OTHER,
            Self::Form => StatusCode::FORBIDDEN,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let sentence = match self {
            Self::SignIn => return redirect("/login"),
            Self::Here(_) => {
                "Something went wrong on our side. Wait a moment, and load this page again."
            }
            Self::Form => {
                "This form did not come from a page of ours, or had been open for too long. Nothing \
                 was changed. Go back, load the page again and repeat it."
            }
        };
        message(self.status_code(), "This did not work", &[sentence])
    }
}

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
}

/// Says something, and nothing else.
#[must_use]
pub fn message(status: StatusCode, title: &str, sentences: &[&str]) -> HttpResponse {
    Alone::InPopup.page(status, &Message { title, sentences, link: None })
}

/// Sends a browser elsewhere: 303, so that a form is never sent on (`security.md` 4).
#[must_use]
pub fn redirect(to: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, to))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header(("cross-origin-opener-policy", "unsafe-none"))
        .finish()
}

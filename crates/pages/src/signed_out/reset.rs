//! `/reset/{token}`: a member who forgot the password chooses a new one, with a link that an
//! operator or another member created. The link alone identifies the member, so these pages do not
//! use a session.

use crate::browser::{FieldErrors, Form, PageError, PagePolicy, PlainPage, message, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::password::{self, MIN_PASSWORD_LENGTH};
use auth::session::SessionToken;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::Member;
use service::password_reset::{self, ResetError};
use std::sync::Arc;

const DONE: &str = "/reset/done";

const PASSWORD: &str = "password";
const REPEATED: &str = "again";

#[derive(Template)]
#[template(path = "signed_out/reset.html")]
struct Reset<'a> {
    action: String,
    email: &'a str,
    least: usize,
    errors: FieldErrors,
}

/// A valid link and the member whose password it changes.
struct ResetByLink {
    token: SessionToken,
    member: Member,
}

impl ResetByLink {
    /// Finds a link that has not expired and was not used. Opening a link does not use it up,
    /// because programs that show previews open links too.
    async fn find(deps: &ServerDeps, token: &str) -> Result<Option<Self>, Problem> {
        let Some(token) = SessionToken::parse(token) else { return Ok(None) };
        let member = password_reset::member(deps, &token).await?;
        Ok(member.map(|member| Self { token, member }))
    }

    fn page(&self, errors: FieldErrors) -> HttpResponse {
        let status =
            if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
        let page = Reset {
            action: format!("/reset/{}", self.token.reveal()),
            email: &self.member.email,
            least: MIN_PASSWORD_LENGTH,
            errors,
        };
        PagePolicy::Relay.page(status, &page)
    }
}

pub async fn show(
    request: HttpRequest,
    token: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let found = ResetByLink::find(&deps, &token).await?;
    let page = found.map(|link| link.page(FieldErrors::default()));
    Ok(page.unwrap_or_else(|| link_expired(&request)))
}

pub async fn submit(
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let Some(link) = ResetByLink::find(&deps, &token).await? else {
        return Ok(link_expired(&request));
    };
    // The path contains the secret token of the link, so the form needs no CSRF token.
    let form = Form::read_if(&request, payload, |_| true).await;
    let form = form.map_err(|_| PageError::Form(request.path().to_owned()))?;
    let (chosen, again) = (form.value(PASSWORD).to_owned(), form.value(REPEATED));
    let mut errors = FieldErrors::default();
    if let Err(refused) = password::check(&chosen) {
        errors.add(PASSWORD, refused);
    }
    if chosen != again {
        errors.add(REPEATED, "The passwords do not match. Enter the same one twice.");
    }
    if !errors.is_empty() {
        return Ok(link.page(errors));
    }
    match password_reset::choose(&deps, &link.token, chosen).await {
        Ok(true) => Ok(redirect(DONE)),
        Ok(false) => Ok(link_expired(&request)),
        Err(ResetError::Password(refused)) => Ok(link.page(FieldErrors::one(PASSWORD, refused))),
        Err(ResetError::Database(error)) => Err(error.into()),
        Err(error) => Err(Problem::internal(&error).into()),
    }
}

/// Shows the page after the change.
pub async fn done() -> HttpResponse {
    let (title, sentences) = ("Password changed", ["Sign in with the new password."]);
    let link = Some(("/login", "Sign in"));
    let page = PlainPage { status: "", title, sentences: &sentences, link, request_id: "" };
    PagePolicy::Relay.page(StatusCode::OK, &page)
}

/// Returns the page for a link that has expired, was used or never existed.
fn link_expired(request: &HttpRequest) -> HttpResponse {
    let sentences = [
        "A link to choose a password works once, for an hour, and only until a newer one is created.",
        "Ask the person who gave you this link for a new one.",
    ];
    message(request, StatusCode::NOT_FOUND, "This link no longer works", &sentences)
}

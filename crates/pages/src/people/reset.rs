//! `/reset/{token}`: a member who forgot the password chooses another, by a link that an operator made. The link alone
//! proves who it is, so these pages know no session.

use crate::browser::{FieldErrors, Form, Message, PageError, PagePolicy, message, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::password::{self, MIN_PASSWORD_LENGTH};
use auth::session::SessionToken;
use http_layer::deps::Deps;
use http_layer::problem::Problem;
use persistence::records::Member;
use service::password_reset::{self, ResetError};
use std::sync::Arc;

const DONE: &str = "/reset/done";

/// The fields of the form.
const PASSWORD: &str = "password";
const REPEATED: &str = "again";

/// The page.
#[derive(Template)]
#[template(path = "people/reset.html")]
struct Reset<'a> {
    action: String,
    email: &'a str,
    least: usize,
    errors: FieldErrors,
}

/// A link that works.
struct Link {
    token: SessionToken,
    member: Member,
}

impl Link {
    /// The link of this address, if it is not too old and was not used. Looking at it uses nothing up: programs that
    /// show a preview of a link look, too.
    async fn find(deps: &Deps, token: &str) -> Result<Option<Self>, Problem> {
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

/// Shows the page.
pub async fn show(
    request: HttpRequest,
    token: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let found = Link::find(&deps, &token).await?;
    let page = found.map(|link| link.page(FieldErrors::default()));
    Ok(page.unwrap_or_else(|| link_expired(&request)))
}

/// Changes the password.
pub async fn submit(
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let Some(link) = Link::find(&deps, &token).await? else {
        return Ok(link_expired(&request));
    };
    // Only the page itself knows its address, so the form needs no other proof.
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

/// The password is changed.
pub async fn done() -> HttpResponse {
    let (title, sentences) = ("Password changed", ["Sign in with the new password."]);
    let link = Some(("/login", "Sign in"));
    let page = Message { title, sentences: &sentences, link, request_id: "" };
    PagePolicy::Relay.page(StatusCode::OK, &page)
}

/// One page for a link that is too old, was used, or never was.
fn link_expired(request: &HttpRequest) -> HttpResponse {
    let sentences = [
        "A link to choose a password works once, for an hour, and only until a newer one is created.",
        "Ask the person who gave you this link for a new one.",
    ];
    message(request, StatusCode::NOT_FOUND, "This link no longer works", &sentences)
}

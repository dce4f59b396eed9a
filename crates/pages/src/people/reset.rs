//! `/reset/{token}`: a member who forgot the password chooses another, by a link that an operator made. The link alone
//! proves who it is, so these pages know no session.

use crate::browser::{Form, Message, PageError, PagePolicy, message, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::password::MIN_PASSWORD_LENGTH;
use auth::session::SessionToken;
use persistence::records::Member;
use service::password_reset::{self, ResetError};
use std::sync::Arc;
use web_core::deps::Deps;
use web_core::problem::Problem;

const DONE: &str = "/reset/done";

/// The page.
#[derive(Template)]
#[template(path = "people/reset.html")]
struct Reset<'a> {
    action: String,
    email: &'a str,
    least: usize,
    problem: Option<&'a str>,
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

    fn page(&self, status: StatusCode, problem: Option<&str>) -> HttpResponse {
        let page = Reset {
            action: format!("/reset/{}", self.token.reveal()),
            email: &self.member.email,
            least: MIN_PASSWORD_LENGTH,
            problem,
        };
        PagePolicy::Relay.page(status, &page)
    }
}

/// Shows the page.
pub async fn show(
    token: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let found = Link::find(&deps, &token).await?;
    Ok(found.map_or_else(link_expired, |link| link.page(StatusCode::OK, None)))
}

/// Changes the password.
pub async fn submit(
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let Some(link) = Link::find(&deps, &token).await? else { return Ok(link_expired()) };
    // Only the page itself knows its address, so the form needs no other proof.
    let form = Form::read_if(&request, payload, |_| true).await;
    let form = form.map_err(|_| PageError::Form(request.path().to_owned()))?;
    let (chosen, again) = (form.value("password").to_owned(), form.value("again"));
    if chosen != again {
        let problem = "The passwords do not match. Enter the same one twice.";
        return Ok(link.page(StatusCode::UNPROCESSABLE_ENTITY, Some(problem)));
    }
    match password_reset::choose(&deps, &link.token, chosen).await {
        Ok(true) => Ok(redirect(DONE)),
        Ok(false) => Ok(link_expired()),
        Err(ResetError::Password(refused)) => {
            let problem = format!("This password cannot be used: {refused}.");
            Ok(link.page(StatusCode::UNPROCESSABLE_ENTITY, Some(&problem)))
        }
        Err(ResetError::Database(error)) => Err(error.into()),
        Err(error) => Err(Problem::internal(&error).into()),
    }
}

/// The password is changed.
pub async fn done() -> HttpResponse {
    let sentences = ["Your password is changed. Sign in with the new one."];
    let link = Some(("/login", "Sign in"));
    PagePolicy::Relay.page(StatusCode::OK, &Message { title: "Done", sentences: &sentences, link })
}

/// One page for a link that is too old, was used, or never was.
fn link_expired() -> HttpResponse {
    let sentences = [
        "A link to choose a password works once, for an hour, and only until a newer one is created.",
        "Ask the person who gave you this link for a new one.",
    ];
    message(StatusCode::NOT_FOUND, "This link no longer works", &sentences)
}

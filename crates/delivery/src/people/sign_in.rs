//! `/login` and `/logout`.

use crate::browser::{Alone, Failed, Form, Visitor, caller, expired_form, redirect};
use crate::deps::Deps;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::password::PASSWORD_MOST;
use domain::application::{RedirectUri, origin};
use domain::id::ConsentId;
use std::sync::Arc;

const PURPOSE: &str = "sign-in";
/// The same words for every cause.
const WRONG: &str = "That email and password do not go together. Check both and try again.";

/// The sign-in page.
#[derive(Template)]
#[template(path = "people/sign_in.html")]
struct SignIn<'a> {
    token: String,
    /// What is to be decided afterwards: an id of something that is kept here.
    consent: Option<String>,
    /// The application that it is about.
    application: Option<String>,
    /// Where the popup's opener is, if this is the popup.
    opener: Option<String>,
    problem: Option<&'a str>,
    email: &'a str,
}

/// What a member is to decide after signing in.
struct Pending {
    id: ConsentId,
    application: String,
    opener: Option<String>,
}

/// Shows the page.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let visitor = Visitor::of(&request, &deps).await?;
    let query = request.query_string().strip_prefix("consent=");
    let pending = pending(&deps, &visitor, query.unwrap_or_default()).await?;
    if visitor.member.is_some() {
        return Ok(redirect(&onwards(pending.as_ref())));
    }
    Ok(page(&visitor, StatusCode::OK, pending.as_ref(), None, ""))
}

/// Signs in.
pub async fn submit(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let mut visitor = Visitor::of(&request, &deps).await?;
    let Ok(form) = Form::read(&request, payload, &visitor, PURPOSE).await else {
        let pending = None;
        let problem = "This page had been open for too long. Try again.";
        return Ok(page(&visitor, StatusCode::FORBIDDEN, pending, Some(problem), ""));
    };
    let pending = pending(&deps, &visitor, form.value("consent")).await?;
    let email = form.value("email").trim().to_lowercase();
    let again =
        |status, problem: &str| page(&visitor, status, pending.as_ref(), Some(problem), &email);
    let address = caller(&request, &deps.settings.trusted_proxies);
    if let Err(wait) = deps.doorkeeper.admit(&email, address) {
        let seconds = domain::time::whole_seconds(wait);
        let problem = format!("Too many tries. Wait {seconds} seconds and try again.");
        return Ok(again(StatusCode::TOO_MANY_REQUESTS, &problem));
    }
    let password = form.value("password").to_owned();
    // No address has a character that does not print, and no database takes each of them.
    let found = if email.chars().any(char::is_control) {
        None
    } else {
        deps.db.member_of_email(email.clone()).await?
    };
    let stored = found.as_ref().map(|member| member.password_hash.clone());
    let right = password.len() <= PASSWORD_MOST && deps.doorkeeper.knows(password, stored).await;
    let Some(member) = found.filter(|_| right) else {
        return Ok(again(StatusCode::UNAUTHORIZED, WRONG));
    };
    visitor.sign_in(&deps, &member).await?;
    Ok(visitor.seen_off(redirect(&onwards(pending.as_ref()))))
}

/// Signs out.
pub async fn leave(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let visitor = Visitor::of(&request, &deps).await?;
    if Form::read(&request, payload, &visitor, "sign-out").await.is_err() {
        return Ok(expired_form("/"));
    }
    deps.db.end_session(visitor.digest()).await?;
    Ok(redirect("/login"))
}

fn onwards(pending: Option<&Pending>) -> String {
    pending.map_or_else(|| "/".to_owned(), |pending| format!("/connect/consent/{}", pending.id))
}

async fn pending(deps: &Deps, visitor: &Visitor, id: &str) -> Result<Option<Pending>, Problem> {
    let Ok(id) = id.parse::<ConsentId>() else { return Ok(None) };
    let Some((consent, application)) = crate::connect::open_consent(deps, visitor, id).await?
    else {
        return Ok(None);
    };
    let opener = RedirectUri::parse(&consent.redirect_uri).ok().filter(|_| consent.popup);
    let opener = opener.map(|address| origin(&address));
    Ok(Some(Pending { id, application: application.name, opener }))
}

fn page(
    visitor: &Visitor,
    status: StatusCode,
    pending: Option<&Pending>,
    problem: Option<&str>,
    email: &str,
) -> HttpResponse {
    let page = SignIn {
        token: visitor.form_token(PURPOSE),
        consent: pending.map(|pending| pending.id.to_string()),
        application: pending.map(|pending| pending.application.clone()),
        opener: pending.and_then(|pending| pending.opener.clone()),
        problem,
        email,
    };
    visitor.seen_off(Alone::InPopup.page(status, &page))
}

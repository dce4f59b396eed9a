//! `/login` and `/logout`.

use crate::browser::{
    Form, PageError, PagePolicy, ReturnTo, SIGN_IN, SIGN_OUT, SupportContact, Visitor, device,
    expired_form, last_organization, redirect, session_client,
};
use crate::connect::Pending;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::application::origin;
use domain::id::OrganizationId;
use domain::role::MemberAction;
use domain::time::{seconds_in_words, whole_seconds};
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use platform::login_throttle::LoginThrottle;
use service::actor::record_session;
use service::sessions::{self, SignInAttempt, SignInError};
use service::setup;
use std::sync::Arc;

/// The page after a sign-in that did not begin on another page.
const HOME: &str = "/";
/// The error for an unknown email address and for a wrong password.
const WRONG: &str = "Incorrect email or password. Check both and try again.";

#[derive(Template)]
#[template(path = "signed_out/sign_in.html")]
struct SignIn<'a> {
    token: String,
    /// The request for consent to decide after sign-in, encrypted.
    consent: Option<String>,
    /// The name of the application that asks for consent.
    application: Option<String>,
    /// The origin of the page that opened the popup, if this is the popup.
    opener: Option<String>,
    /// The page to return to, encrypted.
    return_to: &'a str,
    problem: Option<&'a str>,
    email: &'a str,
    /// Whether nobody can sign in yet.
    setup_needed: bool,
    /// The contact for a forgotten password.
    contact: Option<SupportContact>,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let visitor = Visitor::of(&request, &deps).await?;
    let query = request.query_string().strip_prefix("consent=");
    let pending = Pending::find(&deps, &visitor, query.unwrap_or_default()).await?;
    if visitor.member.is_some() {
        let to = match &pending {
            Some(pending) => pending.onwards(&deps, &visitor).await?,
            None => HOME.to_owned(),
        };
        return Ok(redirect(&to));
    }
    let carried = request.query_string().strip_prefix("return=").unwrap_or_default();
    page(&deps, &visitor, StatusCode::OK, pending.as_ref(), carried, None, "").await
}

pub async fn submit(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let mut visitor = Visitor::of(&request, &deps).await?;
    let Ok(form) = Form::read(&request, payload, &visitor, SIGN_IN).await else {
        let problem = "This page was open for too long. Try again.";
        return page(&deps, &visitor, StatusCode::FORBIDDEN, None, "", Some(problem), "").await;
    };
    let pending = Pending::find(&deps, &visitor, form.value("consent")).await?;
    let email = form.value("email").trim().to_lowercase();
    let carried = form.value("return");
    let to = ReturnTo::open(&visitor, carried);
    if to.is_some() && email.is_empty() {
        // A form without an email address comes from the page about an ended session.
        return page(&deps, &visitor, StatusCode::OK, pending.as_ref(), carried, None, "").await;
    }
    let again = async |status, problem: &str| {
        page(&deps, &visitor, status, pending.as_ref(), carried, Some(problem), &email).await
    };
    let address = caller(&request, &deps.config.trusted_proxies);
    let device = device::known(&deps, request.headers(), &email);
    let password = form.value("password").to_owned();
    let attempt = SignInAttempt { email: &email, password, address, device };
    let member = match sessions::verify(&deps, attempt).await {
        Ok(member) => member,
        Err(SignInError::Throttled(wait)) => {
            let seconds = whole_seconds(wait);
            let wait = seconds_in_words(seconds);
            let problem = format!("Too many attempts. Wait {wait} and try again.");
            return Ok(later(again(StatusCode::TOO_MANY_REQUESTS, &problem).await?, seconds));
        }
        Err(SignInError::Overloaded) => {
            let seconds = whole_seconds(LoginThrottle::BUSY_FOR);
            let problem = "Many people are signing in right now. Wait a moment and try again.";
            return Ok(later(again(StatusCode::SERVICE_UNAVAILABLE, problem).await?, seconds));
        }
        Err(SignInError::Incorrect) => return again(StatusCode::UNAUTHORIZED, WRONG).await,
        Err(SignInError::Database(error)) => return Err(error.into()),
    };
    let asked = |digest| pending.as_ref().and_then(|pending| pending.to_keep(digest));
    visitor.sign_in(&deps, &member, session_client(&request, &deps), asked).await?;
    let chosen = match last_organization(&deps, request.headers()) {
        Some(id)
            if sessions::choose_organization(&deps, member.id, visitor.digest(), id).await? =>
        {
            Some(id)
        }
        _ => None,
    };
    let organizations = sessions::organizations(&deps, member.id).await?;
    let signed_in = MemberAction::SignedIn;
    record_session(&deps, &member, &organizations, address, signed_in).await;
    let chosen = chosen.or_else(|| organizations.first().map(|it| it.organization.id));
    let to = onwards(&deps, &visitor, chosen, pending, to).await?;
    let mut response = visitor.attach_session_cookie(redirect(&to));
    device::remember(&deps, device, &email, &mut response);
    Ok(response)
}

/// Returns the path where a member continues after sign-in: the pending request for consent, the
/// page to return to, or the home page.
async fn onwards(
    deps: &ServerDeps,
    visitor: &Visitor,
    chosen: Option<OrganizationId>,
    pending: Option<Pending>,
    to: Option<ReturnTo>,
) -> Result<String, PageError> {
    match (pending, to) {
        (Some(pending), _) => Ok(pending.path(deps)?),
        (None, Some(to)) => Ok(to.address(deps, visitor, chosen).await?),
        (None, None) => Ok(HOME.to_owned()),
    }
}

/// Adds `Retry-After` to a response.
fn later(mut response: HttpResponse, seconds: u64) -> HttpResponse {
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    response
}

pub async fn leave(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let visitor = Visitor::of(&request, &deps).await?;
    let Ok(form) = Form::read(&request, payload, &visitor, SIGN_OUT).await else {
        return Ok(expired_form(&request, "/"));
    };
    // After "Not you?" on the consent page, the next member continues with the same request.
    let pending = Pending::find(&deps, &visitor, form.value("consent")).await?;
    sessions::end(&deps, visitor.digest()).await?;
    if let Some((member, organizations)) = &visitor.member {
        let address = caller(&request, &deps.config.trusted_proxies);
        let signed_out = MemberAction::SignedOut;
        record_session(&deps, member, organizations, address, signed_out).await;
    }
    let to = match pending {
        Some(pending) => pending.for_another_member(&deps, &visitor)?,
        None => "/login".to_owned(),
    };
    Ok(redirect(&to))
}

async fn page(
    deps: &ServerDeps,
    visitor: &Visitor,
    status: StatusCode,
    pending: Option<&Pending>,
    carried: &str,
    problem: Option<&str>,
    email: &str,
) -> Result<HttpResponse, PageError> {
    // A value that was not encrypted for this browser is not put into the form again.
    let return_to = ReturnTo::open(visitor, carried).map_or("", |_| carried);
    let opener = pending.filter(|pending| pending.consent.popup);
    let page = SignIn {
        token: visitor.form_token(SIGN_IN),
        consent: pending.map(|pending| pending.sealed(deps)).transpose()?,
        application: pending.map(|pending| pending.application.name.clone()),
        opener: opener.map(|it| origin(&it.consent.redirect_uri)),
        return_to,
        problem,
        email,
        setup_needed: setup::is_needed(deps).await?,
        contact: SupportContact::of(&deps.config.support_contact),
    };
    Ok(visitor.attach_session_cookie(PagePolicy::InPopup.page(status, &page)))
}

//! `/setup/{token}`: the first member enters their name and the name of their organization, on two
//! screens. The second screen carries the input of the first one, encrypted, so nothing is created
//! before the end.

use crate::browser::{
    FieldErrors, Form, PageError, PagePolicy, PlainPage, Visitor, device, redirect, session_client,
};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::password::{self, MIN_PASSWORD_LENGTH};
use domain::email::EmailAddress;
use domain::name::{MAX_NAME_LENGTH, Name};
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use serde::{Deserialize, Serialize};
use service::setup::{self, FirstMember, SetupError};
use std::sync::Arc;

const NAME: &str = "name";
const EMAIL: &str = "email";
const PASSWORD: &str = "password";
const ORGANIZATION: &str = "organization";
const SANDBOX: &str = "sandbox";
/// The hidden field of the second screen with the encrypted input of the first one.
const CARRIED: &str = "carried";
/// The button of the second screen that leads back to the first one.
const BACK: &str = "back";
/// The page after the setup.
const HOME: &str = "/";

#[derive(Template)]
#[template(path = "signed_out/setup.html")]
struct MemberScreen<'a> {
    action: &'a str,
    name: &'a str,
    email: &'a str,
    max_length: usize,
    least: usize,
    errors: FieldErrors,
}

#[derive(Template)]
#[template(path = "signed_out/setup_organization.html")]
struct OrganizationScreen<'a> {
    action: &'a str,
    carried: &'a str,
    organization: &'a str,
    sandbox: bool,
    max_length: usize,
    errors: FieldErrors,
}

/// The input of the first screen.
#[derive(Serialize, Deserialize)]
struct Carried {
    name: String,
    email: String,
    password_hash: String,
}

/// Returns the encryption purpose, which binds the input to one link.
fn purpose(token: &str) -> String {
    format!("setup of {token}")
}

fn status(errors: &FieldErrors) -> StatusCode {
    if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
}

fn member_screen(
    request: &HttpRequest,
    name: &str,
    email: &str,
    errors: FieldErrors,
) -> HttpResponse {
    let page = MemberScreen {
        action: request.path(),
        name,
        email,
        max_length: MAX_NAME_LENGTH,
        least: MIN_PASSWORD_LENGTH,
        errors,
    };
    PagePolicy::Relay.page(status(&page.errors), &page)
}

fn organization_screen(
    request: &HttpRequest,
    carried: &str,
    organization: &str,
    sandbox: bool,
    errors: FieldErrors,
) -> HttpResponse {
    let page = OrganizationScreen {
        action: request.path(),
        carried,
        organization,
        sandbox,
        max_length: MAX_NAME_LENGTH,
        errors,
    };
    PagePolicy::Relay.page(status(&page.errors), &page)
}

pub async fn show(
    request: HttpRequest,
    token: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    if !setup::is_open(&deps, &deps.client_state, &token).await? {
        return closed(&request, &deps).await;
    }
    Ok(member_screen(&request, "", "", FieldErrors::default()))
}

pub async fn submit(
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    if !setup::is_open(&deps, &deps.client_state, &token).await? {
        return closed(&request, &deps).await;
    }
    // The path contains the secret token of the link, so the form needs no CSRF token.
    let form = Form::read_if(&request, payload, |_| true).await;
    let form = form.map_err(|_| PageError::Form(request.path().to_owned()))?;
    if form.value(CARRIED).is_empty() {
        return name_member(&request, &deps, &token, &form).await;
    }
    let opened = deps.client_state.open(form.value(CARRIED), &purpose(&token)).ok();
    let carried = opened.and_then(|bytes| serde_json::from_slice::<Carried>(&bytes).ok());
    let Some(carried) = carried else { return Err(PageError::Form(request.path().to_owned())) };
    if !form.value(BACK).is_empty() {
        // The password is entered again, because only its hash is carried.
        let Carried { name, email, .. } = &carried;
        return Ok(member_screen(&request, name, email, FieldErrors::default()));
    }
    name_organization(&request, &deps, &token, &form, carried).await
}

/// Checks the first screen and shows the second one.
async fn name_member(
    request: &HttpRequest,
    deps: &ServerDeps,
    token: &str,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let mut errors = FieldErrors::default();
    let name = Name::parse(form.value(NAME)).map_err(|why| errors.add(NAME, why)).ok();
    let email = EmailAddress::parse(form.value(EMAIL)).map_err(|why| errors.add(EMAIL, why)).ok();
    let password = form.value(PASSWORD).to_owned();
    if let Err(refused) = password::check(&password) {
        errors.add(PASSWORD, refused);
    }
    let (Some(name), Some(email), true) = (name, email, errors.is_empty()) else {
        return Ok(member_screen(request, form.value(NAME), form.value(EMAIL), errors));
    };
    let hashed = setup::hash_password(deps, password).await;
    let password_hash = hashed.map_err(|error| Problem::internal(&error))?;
    let (name, email) = (name.to_string(), email.to_string());
    let carried = serde_json::to_vec(&Carried { name, email, password_hash });
    let carried = carried.map_err(|error| Problem::internal(&error))?;
    let sealed = deps.client_state.seal(&carried, &purpose(token), deps.entropy.bytes());
    let sealed = sealed.map_err(|error| Problem::internal(&error))?;
    Ok(organization_screen(request, &sealed, "", true, FieldErrors::default()))
}

/// Checks the second screen, creates everything, and signs the member in.
async fn name_organization(
    request: &HttpRequest,
    deps: &ServerDeps,
    token: &str,
    form: &Form,
    carried: Carried,
) -> Result<HttpResponse, PageError> {
    let (typed, sandbox) = (form.value(ORGANIZATION), form.value(SANDBOX) == "yes");
    let organization = match Name::parse(typed) {
        Ok(organization) => organization,
        Err(why) => {
            let errors = FieldErrors::one(ORGANIZATION, why);
            return Ok(organization_screen(request, form.value(CARRIED), typed, sandbox, errors));
        }
    };
    let (name, email) = (Name::parse(&carried.name), EmailAddress::parse(&carried.email));
    let (Ok(name), Ok(email)) = (name, email) else {
        return Err(PageError::Form(request.path().to_owned()));
    };
    let password_hash = carried.password_hash;
    let first = FirstMember { name, email, password_hash, organization, sandbox };
    let address = caller(request, &deps.config.trusted_proxies);
    let member = match setup::finish(deps, &deps.client_state, token, first, address).await {
        Ok(member) => member,
        Err(SetupError::Closed) => return closed(request, deps).await,
        Err(SetupError::Database(error)) => return Err(error.into()),
    };
    let mut visitor = Visitor::of(request, deps).await?;
    visitor.sign_in(deps, &member, session_client(request, deps), |_| None).await?;
    let mut response = visitor.attach_session_cookie(redirect(HOME));
    device::remember(deps, None, &member.email, &mut response);
    Ok(response)
}

/// Returns the page for a link that does not work.
async fn closed(request: &HttpRequest, deps: &ServerDeps) -> Result<HttpResponse, PageError> {
    let (sentences, link) = if setup::is_needed(deps).await? {
        let sentences = [
            "A setup link works for an hour, until the first member exists.",
            "Restart the server for a new link, or run switchboard admin setup-link.",
        ];
        (sentences, ("/login", "Go to sign-in"))
    } else {
        let sentences = [
            "Switchboard is set up already: a setup link works until the first member exists.",
            "Sign in, or ask an owner to invite you.",
        ];
        (sentences, ("/login", "Sign in"))
    };
    let request_id = &request_id(request);
    let title = "This setup link no longer works";
    let page = PlainPage { status: "", title, sentences: &sentences, link: Some(link), request_id };
    Ok(PagePolicy::Relay.page(StatusCode::NOT_FOUND, &page))
}

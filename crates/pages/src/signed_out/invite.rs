//! `/invite/{token}`: somebody accepts an invitation to an organization. A new member chooses a
//! name and a password; a member of another organization signs in first.

use crate::browser::{
    FieldErrors, Form, PageError, PagePolicy, ReturnTo, SIGN_OUT, Visitor, device, message,
    redirect, remember_organization, session_client,
};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::password::{self, MIN_PASSWORD_LENGTH};
use auth::session::SessionToken;
use domain::name::{MAX_NAME_LENGTH, Name};
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::Member;
use service::invitations::{self, AcceptError, OpenInvitation};
use service::{sessions, setup};
use std::sync::Arc;

const NAME: &str = "name";
const PASSWORD: &str = "password";
/// The page after joining.
const HOME: &str = "/";

#[derive(Template)]
#[template(path = "signed_out/invite.html")]
struct NewMemberPage<'a> {
    action: &'a str,
    organization: &'a str,
    role: &'static str,
    email: &'a str,
    name: &'a str,
    max_length: usize,
    least: usize,
    errors: FieldErrors,
}

#[derive(Template)]
#[template(path = "signed_out/join.html")]
struct KnownMemberPage<'a> {
    action: &'a str,
    /// The CSRF token of the form that accepts.
    token: String,
    /// The CSRF token of the sign-out form.
    sign_out: String,
    organization: &'a str,
    role: &'static str,
    email: &'a str,
    /// The email address of the member who is signed in.
    member: &'a str,
}

struct InvitationByLink {
    token: SessionToken,
    open: OpenInvitation,
}

impl InvitationByLink {
    async fn find(deps: &ServerDeps, token: &str) -> Result<Option<Self>, Problem> {
        let Some(token) = SessionToken::parse(token) else { return Ok(None) };
        let open = invitations::find(deps, &token).await?;
        Ok(open.map(|open| Self { token, open }))
    }

    fn form_for_new(&self, request: &HttpRequest, name: &str, errors: FieldErrors) -> HttpResponse {
        let status =
            if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
        let page = NewMemberPage {
            action: request.path(),
            organization: &self.open.organization.name,
            role: self.open.invitation.role.title(),
            email: &self.open.invitation.email,
            name,
            max_length: MAX_NAME_LENGTH,
            least: MIN_PASSWORD_LENGTH,
            errors,
        };
        PagePolicy::Relay.page(status, &page)
    }

    /// Returns the page for a signed-in member: to join the organization, or to sign in as another
    /// member.
    fn form_for_known(
        &self,
        request: &HttpRequest,
        visitor: &Visitor,
        member: &Member,
    ) -> HttpResponse {
        let is_theirs = member.email == self.open.invitation.email;
        let page = KnownMemberPage {
            action: request.path(),
            token: visitor.form_token(self.token.reveal()),
            sign_out: visitor.form_token(SIGN_OUT),
            organization: &self.open.organization.name,
            role: self.open.invitation.role.title(),
            email: &self.open.invitation.email,
            member: &member.email,
        };
        let status = if is_theirs { StatusCode::OK } else { StatusCode::FORBIDDEN };
        PagePolicy::Dashboard.page(status, &page)
    }
}

pub async fn show(
    request: HttpRequest,
    token: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let Some(link) = InvitationByLink::find(&deps, &token).await? else {
        return Ok(closed(&request));
    };
    let visitor = Visitor::of(&request, &deps).await?;
    if let Some((member, _)) = &visitor.member {
        return Ok(link.form_for_known(&request, &visitor, member));
    }
    if link.open.is_known {
        return Err(visitor.sign_in_first(&deps, &ReturnTo::page(request.path()), false)?);
    }
    Ok(link.form_for_new(&request, "", FieldErrors::default()))
}

pub async fn submit(
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let Some(link) = InvitationByLink::find(&deps, &token).await? else {
        return Ok(closed(&request));
    };
    let visitor = Visitor::of(&request, &deps).await?;
    let known = visitor.member.as_ref().map(|(member, _)| member.clone());
    // Without a session, the path proves that the form is ours, because it contains the secret
    // token of the link.
    let proves = |form: &Form| {
        known.is_none() || visitor.is_form_token(link.token.reveal(), form.value("token"))
    };
    let form = Form::read_if(&request, payload, proves).await;
    let form = form.map_err(|_| PageError::Form(request.path().to_owned()))?;
    let address = caller(&request, &deps.config.trusted_proxies);
    let Some(member) = known else { return join_as_new(&request, &deps, &link, &form).await };
    match invitations::accept_as(&deps, &link.token, &link.open, &member, address).await {
        Ok(()) => {
            let id = link.open.organization.id;
            sessions::choose_organization(&deps, member.id, visitor.digest(), id).await?;
            let mut response = redirect(HOME);
            remember_organization(&deps, id, &mut response);
            Ok(response)
        }
        Err(AcceptError::ForSomebodyElse) => Ok(link.form_for_known(&request, &visitor, &member)),
        Err(AcceptError::Closed | AcceptError::IsKnown) => Ok(closed(&request)),
        Err(AcceptError::Database(error)) => Err(error.into()),
    }
}

async fn join_as_new(
    request: &HttpRequest,
    deps: &ServerDeps,
    link: &InvitationByLink,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let mut errors = FieldErrors::default();
    let name = Name::parse(form.value(NAME)).map_err(|why| errors.add(NAME, why)).ok();
    let password = form.value(PASSWORD).to_owned();
    if let Err(refused) = password::check(&password) {
        errors.add(PASSWORD, refused);
    }
    let (Some(name), true) = (name, errors.is_empty()) else {
        return Ok(link.form_for_new(request, form.value(NAME), errors));
    };
    let hashed = setup::hash_password(deps, password).await;
    let hash = hashed.map_err(|error| Problem::internal(&error))?;
    let address = caller(request, &deps.config.trusted_proxies);
    let joined =
        invitations::accept_as_new(deps, &link.token, &link.open, &name, hash, address).await;
    let member = match joined {
        Ok(member) => member,
        // Somebody created the member meanwhile. The link still works after they sign in.
        Err(AcceptError::IsKnown) => return Ok(redirect(request.path())),
        Err(AcceptError::Closed | AcceptError::ForSomebodyElse) => return Ok(closed(request)),
        Err(AcceptError::Database(error)) => return Err(error.into()),
    };
    let mut visitor = Visitor::of(request, deps).await?;
    visitor.sign_in(deps, &member, session_client(request, deps), |_| None).await?;
    let mut response = visitor.attach_session_cookie(redirect(HOME));
    device::remember(deps, None, &member.email, &mut response);
    Ok(response)
}

/// Returns the page for a link that has expired, was used, was withdrawn or never existed.
fn closed(request: &HttpRequest) -> HttpResponse {
    let sentences = [
        "An invitation works once, for 7 days, and only until a newer one is created.",
        "If you have joined already, sign in. Otherwise ask the person who invited you for a new link.",
    ];
    message(request, StatusCode::NOT_FOUND, "This invitation no longer works", &sentences)
}

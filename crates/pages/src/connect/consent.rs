//! The consent page and the member's decision (`docs/contract.md#consent`, `docs/security.md` 9 to
//! 11).

use super::Pending;
use super::authorize::removed;
use super::outcome::{HandshakeOutcome, send_on};
use crate::browser::{
    FieldErrors, Form, PageError, PagePolicy, SIGN_OUT, StateLabel, Visitor, end_of_request,
    expired_form, message, redirect, selected_scopes,
};
use crate::dashboard::{CapsFields, review};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::application::{ApprovalError, origin};
use domain::connection::ConnectionCaps;
use domain::id::{AccountId, OrganizationId};
use domain::key::RateLimit;
use domain::keyword::Keyword as _;
use domain::plan::BillingRefusal;
use domain::role::MemberAction;
use domain::scope::ScopeSet;
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use service::actor::Actor;
use service::connect::CONSENT_TTL;
use service::connect::decision::{self, ApprovalRefusal, ApproveError, Decision};
use service::handshake_log::record_faulty_request;
use service::usage;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "connect/consent.html")]
struct ConsentPage<'a> {
    id: String,
    token: String,
    application: &'a str,
    publisher: Option<String>,
    published: bool,
    verified: bool,
    review: StateLabel,
    description: Option<&'a str>,
    /// The origin of the page that opened the popup, if this is the popup.
    opener: Option<String>,
    organizations: Vec<(String, &'a str)>,
    organization: String,
    organization_name: &'a str,
    /// Name, description and whether the scope is selected.
    scopes: Vec<(&'static str, &'static str, bool)>,
    numbers: Vec<Number>,
    /// The email address of the member who decides.
    member: &'a str,
    /// The CSRF token of the sign-out form.
    sign_out: String,
    /// The host that the browser returns to.
    back_to: &'a str,
    /// The reason why calls would be refused even after the member has allowed the connection, or
    /// `None`.
    billing: Option<&'static str>,
    refusal: Option<ShownRefusal>,
    errors: FieldErrors,
    /// The caps that the member sets.
    caps: CapsFields,
}

struct Number {
    id: String,
    name: String,
    digits: String,
    default: bool,
    chosen: bool,
}

/// The reason why the member cannot allow the request for this organization, and advice.
struct ShownRefusal {
    title: &'static str,
    advice: String,
    /// The path and the text of a link to the page where the member can remove the reason.
    link: Option<(&'static str, &'static str)>,
}

/// The consent page: the pending decision and the visitor who makes it.
struct DecisionPage<'a> {
    visitor: &'a Visitor,
    decision: Decision<'a>,
}

pub async fn show(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let visitor = Visitor::of(&request, &deps).await?;
    let Some(pending) = Pending::find(&deps, &visitor, &id).await? else {
        return Ok(visitor.attach_session_cookie(expired(&request)));
    };
    let (consent, application) = (&pending.consent, &pending.application);
    if let Some(refused) = removed(&request, application, consent)? {
        return Ok(visitor.attach_session_cookie(refused));
    }
    if visitor.member.is_none() {
        return Ok(visitor.attach_session_cookie(redirect(&pending.sign_in_path(&deps)?)));
    }
    if let Some(fault) = pending.fault {
        record_faulty_request(&deps, application.id, fault).await;
        return Ok(send_on(
            &deps.config.base_url,
            consent,
            &application.name,
            &HandshakeOutcome::Faulty(fault, fault.description(pending.unregistered)),
        ));
    }
    if let Some(path) = pending.elsewhere(&deps, &visitor).await? {
        return Ok(redirect(&path));
    }
    let chosen = request.query_string().strip_prefix("organization=");
    let chosen = chosen.and_then(|id| id.parse::<OrganizationId>().ok());
    let chosen = chosen.and_then(|id| visitor.membership_of(id)).or_else(|| visitor.membership());
    let Some(membership) = chosen else { return Ok(no_organization(&request)) };
    let decision = decision::load(&deps, consent, application, membership).await?;
    let shown = DecisionPage { visitor: &visitor, decision };
    shown.page(&deps, StatusCode::OK, SubmittedChoice::default()).await
}

/// Accepts or denies the request.
pub async fn decide(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let visitor = Visitor::of(&request, &deps).await?;
    let Ok(form) = Form::read(&request, payload, &visitor, &id).await else {
        return Ok(expired_form(&request, request.path()));
    };
    let pending = Pending::find(&deps, &visitor, &id).await?;
    let Some(pending) = pending.filter(Pending::is_kept) else {
        return Ok(visitor.attach_session_cookie(expired(&request)));
    };
    let (consent, application) = (&pending.consent, &pending.application);
    if let Some(refused) = removed(&request, application, consent)? {
        return Ok(visitor.attach_session_cookie(refused));
    }
    if form.value("decision") == "cancel" {
        if !decision::deny(&deps, consent).await? {
            return Ok(expired(&request));
        }
        return Ok(send_on(
            &deps.config.base_url,
            consent,
            &application.name,
            &HandshakeOutcome::Denied,
        ));
    }
    let organization = form.value("organization").parse().ok();
    let membership = organization.and_then(|id| visitor.membership_of(id));
    let (Some(membership), Some((member, _))) = (membership, &visitor.member) else {
        return Ok(not_yours(&request));
    };
    let actor = Actor {
        deps: &deps,
        organization: membership.organization.id,
        member: member.id,
        authority: membership.authority,
        address: caller(&request, &deps.config.trusted_proxies),
    };
    let decision = decision::load(&deps, consent, application, membership).await?;
    let shown = DecisionPage { visitor: &visitor, decision };
    if form.value("decision") != "allow" {
        return shown.page(&deps, StatusCode::FORBIDDEN, SubmittedChoice::default()).await;
    }
    let account = form.value("account").parse::<AccountId>().ok();
    let caps = match CapsFields::parse(&form, RateLimit::default(), deps.clock.now()) {
        Ok(caps) => caps,
        Err(caps) => {
            let scopes = Some(selected_scopes(&form));
            let (caps, errors) = (Some(caps), FieldErrors::default());
            let submitted = SubmittedChoice { scopes, account, errors, caps };
            return shown.page(&deps, StatusCode::UNPROCESSABLE_ENTITY, submitted).await;
        }
    };
    match decision::approve(&actor, &shown.decision, account, selected_scopes(&form), caps).await {
        Ok(code) => Ok(send_on(
            &deps.config.base_url,
            consent,
            &application.name,
            &HandshakeOutcome::Code(code),
        )),
        Err(ApproveError::Refused(_)) => {
            shown.page(&deps, StatusCode::FORBIDDEN, SubmittedChoice::default()).await
        }
        Err(ApproveError::ForeignNumber) => Ok(not_yours(&request)),
        Err(ApproveError::NoScope) => {
            let errors = FieldErrors::one("scope", "Choose at least one permission, or cancel.");
            let scopes = Some(ScopeSet::default());
            let caps = Some(CapsFields::of(&form));
            let submitted = SubmittedChoice { scopes, account, errors, caps };
            shown.page(&deps, StatusCode::UNPROCESSABLE_ENTITY, submitted).await
        }
        Err(ApproveError::Answered) => Ok(expired(&request)),
        Err(ApproveError::Unreadable(error)) => Err(error.into()),
        Err(ApproveError::Database(error)) => Err(error.into()),
    }
}

/// The selection in a form that was rejected.
#[derive(Default)]
struct SubmittedChoice {
    scopes: Option<ScopeSet>,
    account: Option<AccountId>,
    errors: FieldErrors,
    caps: Option<CapsFields>,
}

impl DecisionPage<'_> {
    fn refusal(&self) -> Option<ShownRefusal> {
        let Decision { application, organization, .. } = &self.decision;
        let refused = |title, advice| ShownRefusal { title, advice, link: None };
        self.decision.refusal().map(|refusal| match refusal {
            ApprovalRefusal::Application(ApprovalError::NotApprovedYet) => refused(
                "This application is not approved yet.",
                "It can be connected once the operator of this service has verified it.".to_owned(),
            ),
            ApprovalRefusal::Application(ApprovalError::OfAnotherOrganization) => refused(
                "This application belongs to another organization.",
                self.of_another_organization(),
            ),
            ApprovalRefusal::Forbidden(_) => refused(
                "Your role doesn’t allow connecting apps here.",
                format!(
                    "In {} only owners and developers connect apps. Ask one of them to do it.",
                    organization.name
                ),
            ),
            ApprovalRefusal::NoNumber => {
                let (advice, link) = self.without_number(&application.name);
                ShownRefusal { title: "This organization has no number yet.", advice, link }
            }
        })
    }

    /// Returns advice for an organization without a number, and a link.
    fn without_number(&self, application: &str) -> (String, Option<(&'static str, &'static str)>) {
        let Decision { organization, authority, .. } = &self.decision;
        let name = &organization.name;
        let open = self.visitor.membership();
        let is_open = open.is_some_and(|it| it.organization.id == organization.id);
        let needed = "An application is connected to a number.";
        if authority.check(MemberAction::NumberConnected).is_err() {
            let advice = format!(
                "{needed} Ask an owner of {name} to add one, then start again from {application}."
            );
            return (advice, None);
        }
        if is_open {
            let advice = format!("{needed} Add one to {name} in a new tab, then reload this page.");
            return (advice, Some(("/numbers/new", "Add a number")));
        }
        // The page for a new number adds it to the organization that is open in the dashboard, so
        // it does not fit another organization.
        let advice = format!(
            "{needed} Choose {name} in the dashboard, add one under Numbers, then reload this page."
        );
        (advice, Some(("/numbers", "Open the dashboard")))
    }

    fn of_another_organization(&self) -> String {
        let several = self.visitor.member.as_ref().is_some_and(|(_, all)| all.len() > 1);
        let choose = "If you are a member of that organization, choose it above; otherwise ask";
        format!(
            "It is not published, so only the organization that registered it can connect it. {} the \
             publisher of {} to publish it.",
            if several { choose } else { "Ask" },
            self.decision.application.name
        )
    }

    async fn page(
        &self,
        deps: &ServerDeps,
        status: StatusCode,
        submitted: SubmittedChoice,
    ) -> Result<HttpResponse, PageError> {
        let Decision { consent, application, organization, accounts, .. } = &self.decision;
        let publisher = decision::publisher(deps, application).await?;
        let billing = usage::find_refusal(deps, organization).await?.map(billing);
        let back_to = origin(&consent.redirect_uri);
        let (_, back_to) = back_to.split_once("://").unwrap_or(("", &back_to));
        let opener = consent.popup.then(|| origin(&consent.redirect_uri));
        let organizations = self.visitor.member.iter().flat_map(|(_, all)| all);
        let default = organization.default_account_id;
        let first = submitted.account.or(default);
        let first = first.or_else(|| accounts.first().map(|it| it.id));
        let is_selected = |scope| submitted.scopes.is_none_or(|scopes| scopes.contains(scope));
        let numbers = accounts.iter().map(|account| Number {
            id: account.id.to_string(),
            name: account.display_name.clone(),
            digits: account.phone_number.clone(),
            default: Some(account.id) == default,
            chosen: Some(account.id) == first,
        });
        let asked = self.decision.requested_scopes()?;
        let scopes = asked.iter().map(|it| (it.as_str(), it.plain_description(), is_selected(it)));
        let id = consent.id.to_string();
        let page = ConsentPage {
            token: self.visitor.form_token(&id),
            id,
            application: &application.name,
            publisher,
            published: application.published,
            verified: application.verified,
            review: review(application.verified),
            description: application.description.as_deref(),
            opener,
            organizations: organizations
                .map(|it| (it.organization.id.to_string(), it.organization.name.as_str()))
                .collect(),
            organization: organization.id.to_string(),
            organization_name: &organization.name,
            scopes: scopes.collect(),
            numbers: numbers.collect(),
            member: self.visitor.member.as_ref().map_or("", |(member, _)| member.email.as_str()),
            sign_out: self.visitor.form_token(SIGN_OUT),
            back_to,
            billing,
            refusal: self.refusal(),
            errors: submitted.errors,
            caps: submitted.caps.unwrap_or_else(|| CapsFields::stored(&ConnectionCaps::default())),
        };
        let status = if self.refusal().is_some() { StatusCode::FORBIDDEN } else { status };
        Ok(PagePolicy::InPopup.page(status, &page))
    }
}

/// Describes why an organization's calls are refused. The member can still allow the connection.
const fn billing(why: BillingRefusal) -> &'static str {
    match why {
        BillingRefusal::SubscriptionRequired => "has no active subscription.",
        BillingRefusal::PlanUpgradeRequired => "has a plan without API access.",
    }
}

fn expired(request: &HttpRequest) -> HttpResponse {
    let minutes = CONSENT_TTL.as_secs() / 60;
    let sentence = format!("It was already answered, or is older than {minutes} minutes.");
    let next = "Close this window, or go back to the application, and start again there.";
    let sentences = [sentence.as_str(), next];
    end_of_request(request, StatusCode::GONE, "This request has expired", &sentences)
}

fn not_yours(request: &HttpRequest) -> HttpResponse {
    let sentences =
        ["You are not a member of that organization, or the number is not one of its numbers."];
    message(request, StatusCode::FORBIDDEN, "Access was not granted", &sentences)
}

fn no_organization(request: &HttpRequest) -> HttpResponse {
    let sentences =
        ["You are signed in, but belong to no organization. Ask the person who invited you."];
    message(request, StatusCode::FORBIDDEN, "No organization", &sentences)
}

//! The consent page, and the decision (`docs/contract.md#consent`, `docs/security.md` 9 to 11).

use super::authorize::removed;
use super::outcome::{HandshakeOutcome, send_on};
use super::{CONSENT_TTL, Pending};
use crate::browser::{
    FieldErrors, Form, PageError, PagePolicy, Visitor, expired_form, message, redirect,
};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::code;
use domain::application::{ApprovalError, Publication, RedirectUri, origin};
use domain::id::{AccountId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};
use persistence::rows::{Account, Application, Consent, IssuedCode, Organization, UnreadableRow};
use service::handshake_log::note_request;
use std::sync::Arc;
use web_core::deps::Deps;

#[derive(Template)]
#[template(path = "connect/consent.html")]
struct Page<'a> {
    id: String,
    token: String,
    application: &'a str,
    publisher: Option<String>,
    published: bool,
    verified: bool,
    description: Option<&'a str>,
    /// Where the popup's opener is, if this is the popup.
    opener: Option<String>,
    organizations: Vec<(String, &'a str)>,
    organization: String,
    organization_name: &'a str,
    /// Word, plain words, whether it is ticked.
    scopes: Vec<(&'static str, &'static str, bool)>,
    numbers: Vec<Number>,
    /// Why it cannot be allowed here, and what to do.
    refusal: Option<(&'static str, String)>,
    errors: FieldErrors,
}

struct Number {
    id: String,
    name: String,
    digits: String,
    default: bool,
    chosen: bool,
}

/// What is to be decided, and by whom.
struct Decision<'a> {
    visitor: &'a Visitor,
    consent: &'a Consent,
    application: &'a Application,
    organization: &'a Organization,
    accounts: Vec<Account>,
}

/// Shows what is asked.
pub async fn show(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let visitor = Visitor::of(&request, &deps).await?;
    let Some(pending) = Pending::find(&deps, &visitor, &id).await? else {
        return Ok(visitor.attach_session_cookie(expired()));
    };
    let (consent, application) = (&pending.consent, &pending.application);
    if let Some(refused) = removed(application, consent) {
        return Ok(visitor.attach_session_cookie(refused));
    }
    if visitor.member.is_none() {
        return Ok(visitor.attach_session_cookie(redirect(&pending.sign_in_path(&deps)?)));
    }
    if let Some(fault) = pending.fault {
        note_request(&deps, *application.id, fault).await;
        return Ok(send_on(consent, &application.name, &HandshakeOutcome::Faulty(fault)));
    }
    if let Some(path) = pending.elsewhere(&deps, &visitor).await? {
        return Ok(redirect(&path));
    }
    let chosen = request.query_string().strip_prefix("organization=");
    let chosen = chosen.and_then(|id| id.parse::<OrganizationId>().ok());
    let chosen =
        chosen.and_then(|id| visitor.organization_of(id)).or_else(|| visitor.organization());
    let Some(organization) = chosen else { return Ok(no_number_page()) };
    let accounts = deps.db.organization(*organization.id).accounts().await?;
    let decision = Decision { visitor: &visitor, consent, application, organization, accounts };
    decision.page(&deps, StatusCode::OK, SubmittedChoice::default()).await
}

/// Takes the decision.
pub async fn decide(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let visitor = Visitor::of(&request, &deps).await?;
    let Ok(form) = Form::read(&request, payload, &visitor, &id).await else {
        return Ok(expired_form(request.path()));
    };
    let pending = Pending::find(&deps, &visitor, &id).await?;
    let Some(pending) = pending.filter(Pending::is_kept) else {
        return Ok(visitor.attach_session_cookie(expired()));
    };
    let (consent, application) = (&pending.consent, &pending.application);
    if let Some(refused) = removed(application, consent) {
        return Ok(visitor.attach_session_cookie(refused));
    }
    let now = deps.clock.now();
    if form.value("decision") == "cancel" {
        if !deps.db.answer_consent(*consent.id, visitor.digest(), now, None).await? {
            return Ok(expired());
        }
        return Ok(send_on(consent, &application.name, &HandshakeOutcome::Denied));
    }
    let organization = form.value("organization").parse().ok();
    let Some(organization) = organization.and_then(|id| visitor.organization_of(id)) else {
        return Ok(not_yours());
    };
    let accounts = deps.db.organization(*organization.id).accounts().await?;
    let account = form.value("account").parse::<AccountId>().ok();
    let account = account.and_then(|id| accounts.iter().find(|it| *it.id == id)).cloned();
    let decision = Decision { visitor: &visitor, consent, application, organization, accounts };
    if form.value("decision") != "allow" || decision.refusal().is_some() {
        return decision.page(&deps, StatusCode::FORBIDDEN, SubmittedChoice::default()).await;
    }
    let Some(account) = account else { return Ok(not_yours()) };
    // Only narrowing: a scope that was not asked for has no effect here.
    let ticked: ScopeSet = form.values("scope").filter_map(Scope::from_keyword).collect();
    let granted: ScopeSet = decision.asked()?.iter().filter(|it| ticked.contains(*it)).collect();
    if granted.is_empty() {
        let errors = FieldErrors::one("scope", "Choose at least one permission, or cancel.");
        let ticked = SubmittedChoice { scopes: Some(granted), account: Some(*account.id), errors };
        return decision.page(&deps, StatusCode::UNPROCESSABLE_ENTITY, ticked).await;
    }
    decision.allow(&deps, &account, granted).await
}

/// What was ticked in a form that was refused.
#[derive(Default)]
struct SubmittedChoice {
    scopes: Option<ScopeSet>,
    account: Option<AccountId>,
    errors: FieldErrors,
}

impl Decision<'_> {
    /// What was asked for, as far as it is still registered.
    fn asked(&self) -> Result<ScopeSet, UnreadableRow> {
        let registered = self.application.registered_scopes()?;
        let asked = self.consent.asked_scopes()?;
        Ok(asked.iter().filter(|scope| registered.contains(*scope)).collect())
    }

    /// Why it cannot be allowed here.
    fn refusal(&self) -> Option<(&'static str, String)> {
        let publication = Publication {
            owner: self.application.organization_id.map(|id| *id),
            published: self.application.published,
            verified: self.application.verified,
        };
        match publication.admits(*self.organization.id) {
            Err(ApprovalError::NotApprovedYet) => Some((
                "This application is not approved yet.",
                "It can be connected once the operator of this service has verified it.".to_owned(),
            )),
            Err(ApprovalError::OfAnotherOrganization) => Some((
                "This application belongs to another organization.",
                self.of_another_organization(),
            )),
            Ok(()) if self.accounts.is_empty() => Some((
                "This organization has no number yet.",
                format!(
                    "An application is connected to a number. Ask the operator of this service to connect \
                     one to {}, then start again from {}.",
                    self.organization.name, self.application.name
                ),
            )),
            Ok(()) => None,
        }
    }

    fn of_another_organization(&self) -> String {
        let several = self.visitor.member.as_ref().is_some_and(|(_, all)| all.len() > 1);
        let choose = "If you are a member of that organization, choose it above; otherwise ask";
        format!(
            "It is not published, so only the organization that registered it can connect it. {} the \
             publisher of {} to publish it.",
            if several { choose } else { "Ask" },
            self.application.name
        )
    }

    async fn page(
        &self,
        deps: &Deps,
        status: StatusCode,
        ticked: SubmittedChoice,
    ) -> Result<HttpResponse, PageError> {
        let publisher = match self.application.organization_id {
            Some(id) => deps.db.organization(*id).find().await?.map(|it| it.name),
            None => None,
        };
        let opener = RedirectUri::parse(&self.consent.redirect_uri).ok();
        let opener = opener.filter(|_| self.consent.popup).map(|address| origin(&address));
        let organizations = self.visitor.member.iter().flat_map(|(_, all)| all);
        let default = self.organization.default_account_id.map(|id| *id);
        let first = ticked.account.or(default);
        let first = first.or_else(|| self.accounts.first().map(|it| *it.id));
        let is_ticked = |scope| ticked.scopes.is_none_or(|scopes| scopes.contains(scope));
        let numbers = self.accounts.iter().map(|account| Number {
            id: account.id.to_string(),
            name: account.display_name.clone(),
            digits: account.phone_number.clone(),
            default: Some(*account.id) == default,
            chosen: Some(*account.id) == first,
        });
        let asked = self.asked()?;
        let scopes = asked.iter().map(|it| (it.as_str(), it.plain_description(), is_ticked(it)));
        let id = self.consent.id.to_string();
        let page = Page {
            token: self.visitor.form_token(&id),
            id,
            application: &self.application.name,
            publisher,
            published: self.application.published,
            verified: self.application.verified,
            description: self.application.description.as_deref(),
            opener,
            organizations: organizations.map(|it| (it.id.to_string(), it.name.as_str())).collect(),
            organization: self.organization.id.to_string(),
            organization_name: &self.organization.name,
            scopes: scopes.collect(),
            numbers: numbers.collect(),
            refusal: self.refusal(),
            errors: ticked.errors,
        };
        let status = if self.refusal().is_some() { StatusCode::FORBIDDEN } else { status };
        Ok(PagePolicy::InPopup.page(status, &page))
    }

    /// Makes a code, once, however often the form is sent.
    async fn allow(
        &self,
        deps: &Deps,
        account: &Account,
        granted: ScopeSet,
    ) -> Result<HttpResponse, PageError> {
        let now = deps.clock.now();
        let code = code::code(deps.entropy.bytes());
        let scopes: Vec<&str> = granted.iter().map(Scope::as_str).collect();
        let issued = IssuedCode {
            digest: code::digest(&code).as_bytes().to_vec(),
            application_id: self.application.id,
            redirect_uri: self.consent.redirect_uri.clone(),
            challenge: self.consent.challenge.clone().unwrap_or_default(),
            organization_id: self.organization.id,
            account_id: Some(account.id),
            scopes: scopes.join(" "),
            issued_at: now.into(),
            consumed_at: None,
        };
        let (id, digest) = (*self.consent.id, self.visitor.digest());
        if !deps.db.answer_consent(id, digest, now, Some(issued)).await? {
            return Ok(expired());
        }
        Ok(send_on(self.consent, &self.application.name, &HandshakeOutcome::Code(code)))
    }
}

fn expired() -> HttpResponse {
    let minutes = CONSENT_TTL.as_secs() / 60;
    let sentence = format!("It was answered already, or is older than {minutes} minutes.");
    let sentences = [sentence.as_str(), "Go back to the application and start again."];
    message(StatusCode::GONE, "This request has expired", &sentences)
}

fn not_yours() -> HttpResponse {
    let sentences = ["That organization or number is not one of yours. Nothing was allowed."];
    message(StatusCode::FORBIDDEN, "Nothing was allowed", &sentences)
}

fn no_number_page() -> HttpResponse {
    let sentences =
        ["You are signed in, but belong to no organization. Ask the person who invited you."];
    message(StatusCode::FORBIDDEN, "No organization", &sentences)
}

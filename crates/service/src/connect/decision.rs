//! A member's decision about an application's request (`docs/contract.md#consent`,
//! `docs/security.md` 9 to 11).

use crate::actor::{Actor, AuditObject};
use auth::code;
use domain::application::{ApprovalError, Publication};
use domain::connection::ConnectionCaps;
use domain::id::AccountId;
use domain::keyword::Keyword as _;
use domain::role::{Authority, Forbidden, MemberAction};
use domain::scope::{Scope, ScopeSet};
use persistence::Result;
use persistence::records::{
    Account, Application, Consent, IssuedCode, Membership, Organization, UnreadableRow,
};
use platform::Deps;

/// A request to decide, and the organization that it concerns.
pub struct Decision<'a> {
    /// The request.
    pub consent: &'a Consent,
    /// The application that made the request.
    pub application: &'a Application,
    /// The organization that the member acts for.
    pub organization: &'a Organization,
    /// The member's authority in the organization.
    pub authority: Authority,
    /// The accounts of the organization.
    pub accounts: Vec<Account>,
}

/// The reason why an organization cannot approve an application at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalRefusal {
    /// The application may not be connected by this organization.
    #[error(transparent)]
    Application(#[from] ApprovalError),
    /// The organization has no account to connect.
    #[error("the organization has no number")]
    NoNumber,
    /// The member's role does not allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
}

/// The reason why no code is issued.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// The organization cannot approve the application.
    #[error(transparent)]
    Refused(#[from] ApprovalRefusal),
    /// The account does not belong to the organization.
    #[error("the organization has no such number")]
    ForeignNumber,
    /// None of the requested scopes is granted.
    #[error("no permission is granted")]
    NoScope,
    /// The request was already answered.
    #[error("the request was answered already")]
    Answered,
    /// A stored row cannot be read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableRow),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Loads the data for a decision of the organization.
pub async fn load<'a>(
    deps: &Deps,
    consent: &'a Consent,
    application: &'a Application,
    membership: &'a Membership,
) -> Result<Decision<'a>> {
    let Membership { organization, authority } = membership;
    let accounts = deps.db.organization(organization.id).accounts().await?;
    Ok(Decision { consent, application, organization, authority: *authority, accounts })
}

impl Decision<'_> {
    /// Returns the requested scopes that the application still has registered.
    pub fn requested_scopes(&self) -> std::result::Result<ScopeSet, UnreadableRow> {
        let registered = self.application.registered_scopes()?;
        let asked = self.consent.asked_scopes()?;
        Ok(asked.iter().filter(|scope| registered.contains(*scope)).collect())
    }

    /// Returns the reason why the organization cannot approve the application, if there is one.
    #[must_use]
    pub fn refusal(&self) -> Option<ApprovalRefusal> {
        let publication = Publication {
            owner: self.application.organization_id,
            published: self.application.published,
            verified: self.application.verified,
        };
        match publication.admits(self.organization.id) {
            Err(refused) => Some(refused.into()),
            Ok(()) if self.accounts.is_empty() => Some(ApprovalRefusal::NoNumber),
            Ok(()) => self
                .authority
                .check(MemberAction::ConnectionAllowed)
                .err()
                .map(ApprovalRefusal::from),
        }
    }
}

/// Returns the name of the organization that registered the application, if there is one.
pub async fn publisher(deps: &Deps, application: &Application) -> Result<Option<String>> {
    let Some(id) = application.organization_id else { return Ok(None) };
    Ok(deps.db.organization(id).find().await?.map(|it| it.name))
}

/// Approves the request for one of the organization's accounts and issues a code. Only the
/// first answer to a request counts. The member can only narrow the request: a scope that was
/// not requested has no effect.
pub async fn approve(
    actor: &Actor<'_>,
    decision: &Decision<'_>,
    account: Option<AccountId>,
    selected: ScopeSet,
    caps: ConnectionCaps,
) -> std::result::Result<String, ApproveError> {
    if let Some(refusal) = decision.refusal() {
        return Err(refusal.into());
    }
    let account = account.and_then(|id| decision.accounts.iter().find(|it| it.id == id));
    let account = account.ok_or(ApproveError::ForeignNumber)?;
    let granted: ScopeSet =
        decision.requested_scopes()?.iter().filter(|it| selected.contains(*it)).collect();
    if granted.is_empty() {
        return Err(ApproveError::NoScope);
    }
    let deps = actor.deps;
    let now = deps.clock.now();
    let code = code::code(deps.entropy.bytes());
    let scopes: Vec<&str> = granted.iter().map(Scope::as_str).collect();
    let challenge = decision.consent.challenge.clone();
    let none = || UnreadableRow::new("challenge", &decision.consent.id, "there is none");
    let issued = IssuedCode {
        digest: code::digest(&code).as_bytes().to_vec(),
        application_id: decision.application.id,
        redirect_uri: decision.consent.redirect_uri.clone(),
        challenge: challenge.ok_or_else(none)?,
        organization_id: decision.organization.id,
        account_id: Some(account.id),
        scopes: scopes.join(" "),
        issued_at: now,
        consumed_at: None,
        rate_limit: Some(caps.rate_limit),
        messages_per_month: caps.messages_per_month,
        expires_at: caps.expires_at,
    };
    if answer(deps, decision.consent, Some(issued)).await? {
        let object = AuditObject::new(decision.application.id, &decision.application.name);
        actor.record(MemberAction::ConnectionAllowed, object).await;
        Ok(code)
    } else {
        Err(ApproveError::Answered)
    }
}

/// Denies the request. Returns `false` if it was already answered.
pub async fn deny(deps: &Deps, consent: &Consent) -> Result<bool> {
    answer(deps, consent, None).await
}

/// Records the answer. The caller has found the request by its session, so the request belongs to
/// that session.
async fn answer(deps: &Deps, consent: &Consent, code: Option<IssuedCode>) -> Result<bool> {
    let (id, session) = (consent.id, consent.session_digest.clone());
    deps.db.answer_consent(id, session, deps.clock.now(), code).await
}

//! A member's decision about what an application asks (`docs/contract.md#consent`, `docs/security.md` 9 to 11).

use crate::Deps;
use auth::code;
use domain::application::{ApprovalError, Publication};
use domain::id::AccountId;
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};
use persistence::Result;
use persistence::records::{
    Account, Application, Consent, IssuedCode, Organization, UnreadableRow,
};

/// What is to be decided, and for which organization.
pub struct Decision<'a> {
    /// What is asked.
    pub consent: &'a Consent,
    /// Who asks.
    pub application: &'a Application,
    /// The organization that the member works for.
    pub organization: &'a Organization,
    /// Its numbers.
    pub accounts: Vec<Account>,
}

/// Why an application cannot be allowed by an organization, whatever its members choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The application may not be connected.
    #[error(transparent)]
    Application(#[from] ApprovalError),
    /// The organization has no number to connect it to.
    #[error("the organization has no number")]
    NoNumber,
}

/// Why no code is issued.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// The application cannot be allowed here.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The number is none of the organization's.
    #[error("the number is none of the organization's")]
    ForeignNumber,
    /// Nothing of what was asked for is granted.
    #[error("no permission is granted")]
    NoScope,
    /// It was answered already.
    #[error("the request was answered already")]
    Answered,
    /// What is stored cannot be read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableRow),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl<'a> Decision<'a> {
    /// What is to be decided for that organization.
    pub async fn of(
        deps: &Deps,
        (consent, application): (&'a Consent, &'a Application),
        organization: &'a Organization,
    ) -> Result<Self> {
        let accounts = deps.db.organization(organization.id).accounts().await?;
        Ok(Self { consent, application, organization, accounts })
    }

    /// What was asked for, as far as it is still registered.
    pub fn asked(&self) -> std::result::Result<ScopeSet, UnreadableRow> {
        let registered = self.application.registered_scopes()?;
        let asked = self.consent.asked_scopes()?;
        Ok(asked.iter().filter(|scope| registered.contains(*scope)).collect())
    }

    /// Why it cannot be allowed here.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        let publication = Publication {
            owner: self.application.organization_id,
            published: self.application.published,
            verified: self.application.verified,
        };
        match publication.admits(self.organization.id) {
            Err(refused) => Some(refused.into()),
            Ok(()) => self.accounts.is_empty().then_some(Refusal::NoNumber),
        }
    }

    /// The name of the organization that published the application, if one did.
    pub async fn publisher(&self, deps: &Deps) -> Result<Option<String>> {
        let Some(id) = self.application.organization_id else { return Ok(None) };
        Ok(deps.db.organization(id).find().await?.map(|it| it.name))
    }

    /// Allows it for one of the organization's numbers: makes a code, once, however often this is asked of the same
    /// request. Only narrowing: a scope that was not asked for has no effect.
    pub async fn approve(
        &self,
        deps: &Deps,
        account: Option<AccountId>,
        selected: ScopeSet,
    ) -> std::result::Result<String, ApproveError> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal.into());
        }
        let account = account.and_then(|id| self.accounts.iter().find(|it| it.id == id));
        let account = account.ok_or(ApproveError::ForeignNumber)?;
        let granted: ScopeSet = self.asked()?.iter().filter(|it| selected.contains(*it)).collect();
        if granted.is_empty() {
            return Err(ApproveError::NoScope);
        }
        let now = deps.clock.now();
        let code = code::code(deps.entropy.bytes());
        let scopes: Vec<&str> = granted.iter().map(Scope::as_str).collect();
        let challenge = self.consent.challenge.clone();
        let none = || UnreadableRow::of("challenge", &self.consent.id, "there is none");
        let issued = IssuedCode {
            digest: code::digest(&code).as_bytes().to_vec(),
            application_id: self.application.id,
            redirect_uri: self.consent.redirect_uri.clone(),
            challenge: challenge.ok_or_else(none)?,
            organization_id: self.organization.id,
            account_id: Some(account.id),
            scopes: scopes.join(" "),
            issued_at: now,
            consumed_at: None,
        };
        if answer(deps, self.consent, Some(issued)).await? {
            Ok(code)
        } else {
            Err(ApproveError::Answered)
        }
    }
}

/// Does not allow what is asked; `false` if it was answered already.
pub async fn deny(deps: &Deps, consent: &Consent) -> Result<bool> {
    answer(deps, consent, None).await
}

/// The request is its session's: whoever found it has shown that.
async fn answer(deps: &Deps, consent: &Consent, code: Option<IssuedCode>) -> Result<bool> {
    let (id, session) = (consent.id, consent.session_digest.clone());
    deps.db.answer_consent(id, session, deps.clock.now(), code).await
}

//! Callers of operations, and the checks that admit them.

use super::{Access, FurtherCalls, LimitStatus, gates, pair};
use actix_web::http::header::HeaderMap;
use domain::id::{KeyId, OrganizationId};
use domain::scope::ScopeSet;
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Application, Caller, CallerWithUsage, KeyUsage, Owner};
use persistence::{Reader, Seen};
use std::ops::Deref;
use tracing::field::display;

/// A type of caller, with the checks that admit it.
pub trait Admit: Sized {
    /// Runs the checks that need only the headers of a request.
    fn admit(
        deps: &ServerDeps,
        headers: &HeaderMap,
        access: Access,
        now: Timestamp,
        limit_status: &mut LimitStatus,
    ) -> impl Future<Output = Result<Self, Problem>>;

    /// Returns the owner and the id of the key, within which idempotency keys are unique.
    fn name(&self) -> (Owner, KeyId);
}

/// The holder of an API key. The key is authenticated, the organization has a subscription, and the
/// call is within its limits.
pub struct KeyHolder {
    row: Caller,
    seen: Seen,
    scopes: ScopeSet,
    /// The number of calls that were counted today, including this one.
    pub calls_today: u32,
}

impl Deref for KeyHolder {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.row
    }
}

impl KeyHolder {
    #[must_use]
    pub const fn scopes(&self) -> ScopeSet {
        self.scopes
    }

    /// Counts the further calls of a request that stands for several calls.
    pub async fn admit_more(
        &self,
        deps: &ServerDeps,
        calls: usize,
        now: Timestamp,
    ) -> Result<FurtherCalls, Problem> {
        gates::pass_further(deps, &self.row, calls, now).await
    }

    /// Returns a reader for the organization's lists and histories. They contain everything that
    /// was answered before this call.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader { organization: self.row.organization.id, seen: self.seen }
    }
}

impl Admit for KeyHolder {
    async fn admit(
        deps: &ServerDeps,
        headers: &HeaderMap,
        access: Access,
        now: Timestamp,
        limit_status: &mut LimitStatus,
    ) -> Result<Self, Problem> {
        let (row, seen) = pair::authenticate(deps, headers, now).await?;
        Self::pass(deps, row, seen, access, now, limit_status).await
    }

    fn name(&self) -> (Owner, KeyId) {
        (Owner::Organization(self.row.organization.id), self.row.key.id)
    }
}

impl KeyHolder {
    /// Runs the checks that follow authentication.
    async fn pass(
        deps: &ServerDeps,
        row: Caller,
        seen: Seen,
        access: Access,
        now: Timestamp,
        limit_status: &mut LimitStatus,
    ) -> Result<Self, Problem> {
        let span = tracing::Span::current();
        span.record("key", display(row.key.id));
        span.record("organization", display(row.organization.id));
        let scopes = row.key.granted_scopes()?;
        let calls_today = gates::pass(deps, &row, scopes, access, now, limit_status).await?;
        Ok(Self { row, seen, scopes, calls_today })
    }
}

/// The holder of a key, with the key's usage.
pub struct KeyOverview {
    holder: KeyHolder,
    /// The account that the key sends from, and the number of messages that the organization has
    /// sent this month.
    pub usage: KeyUsage,
}

impl Deref for KeyOverview {
    type Target = KeyHolder;

    fn deref(&self) -> &KeyHolder {
        &self.holder
    }
}

impl Admit for KeyOverview {
    async fn admit(
        deps: &ServerDeps,
        headers: &HeaderMap,
        access: Access,
        now: Timestamp,
        limit_status: &mut LimitStatus,
    ) -> Result<Self, Problem> {
        let found = pair::authenticate_with_usage(deps, headers, now).await?;
        let CallerWithUsage { caller, usage } = found;
        let holder =
            KeyHolder::pass(deps, caller, Seen::default(), access, now, limit_status).await?;
        Ok(Self { holder, usage })
    }

    fn name(&self) -> (Owner, KeyId) {
        self.holder.name()
    }
}

/// An authenticated application. Billing and scopes do not apply to it
/// (`docs/contract.md#connections`).
pub struct ApplicationHolder {
    row: Application,
}

impl Deref for ApplicationHolder {
    type Target = Application;

    fn deref(&self) -> &Application {
        &self.row
    }
}

impl Admit for ApplicationHolder {
    async fn admit(
        deps: &ServerDeps,
        headers: &HeaderMap,
        _access: Access,
        _now: Timestamp,
        _limit_status: &mut LimitStatus,
    ) -> Result<Self, Problem> {
        let row = pair::application(deps, headers).await?;
        tracing::Span::current().record("application", display(row.id));
        Ok(Self { row })
    }

    fn name(&self) -> (Owner, KeyId) {
        (Owner::Application(self.row.id), KeyId::from_uuid(*self.row.id.uuid()))
    }
}

/// The holder of a key or of an application's own credentials. Both can own webhook endpoints. The
/// endpoints of a key belong to the key's organization.
pub enum KeyOrApplicationHolder {
    Key(Box<KeyHolder>),
    /// An application, and the organization that registered it.
    Application(Box<ApplicationHolder>, OrganizationId),
}

impl KeyOrApplicationHolder {
    #[must_use]
    pub fn owner(&self) -> Owner {
        match self {
            Self::Key(holder) => Owner::Organization(holder.row.organization.id),
            Self::Application(holder, _) => Owner::Application(holder.row.id),
        }
    }

    /// Returns the organization that owns the endpoints or the application.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        match self {
            Self::Key(holder) => holder.row.organization.id,
            Self::Application(_, organization) => *organization,
        }
    }

    /// Returns the position in the primary's log that lists must include.
    #[must_use]
    pub fn seen(&self) -> Seen {
        match self {
            Self::Key(holder) => holder.seen,
            Self::Application(..) => Seen::UNKNOWN,
        }
    }
}

impl Admit for KeyOrApplicationHolder {
    async fn admit(
        deps: &ServerDeps,
        headers: &HeaderMap,
        access: Access,
        now: Timestamp,
        limit_status: &mut LimitStatus,
    ) -> Result<Self, Problem> {
        if !pair::names_application(headers) {
            let holder = KeyHolder::admit(deps, headers, access, now, limit_status).await?;
            // An endpoint would receive the events of every number.
            if holder.key.account_id.is_some() {
                return Err(Problem::key_is_bound());
            }
            return Ok(Self::Key(Box::new(holder)));
        }
        let holder = ApplicationHolder::admit(deps, headers, access, now, limit_status).await?;
        gates::pass_application(deps, holder.name().1, limit_status).await?;
        let registered_by = holder.row.organization_id;
        let organization = registered_by
            .ok_or_else(|| Problem::not_found("organization that registered the application"))?;
        Ok(Self::Application(Box::new(holder), organization))
    }

    fn name(&self) -> (Owner, KeyId) {
        match self {
            Self::Key(holder) => holder.name(),
            Self::Application(holder, _) => holder.name(),
        }
    }
}

/// The holder of a key, or an application that reads the events of its connections.
pub enum EventReader {
    Key(Box<KeyHolder>),
    Application(Box<ApplicationHolder>),
}

impl Admit for EventReader {
    async fn admit(
        deps: &ServerDeps,
        headers: &HeaderMap,
        access: Access,
        now: Timestamp,
        limit_status: &mut LimitStatus,
    ) -> Result<Self, Problem> {
        if !pair::names_application(headers) {
            let holder = KeyHolder::admit(deps, headers, access, now, limit_status).await?;
            return Ok(Self::Key(Box::new(holder)));
        }
        let holder = ApplicationHolder::admit(deps, headers, access, now, limit_status).await?;
        gates::pass_application(deps, holder.name().1, limit_status).await?;
        Ok(Self::Application(Box::new(holder)))
    }

    fn name(&self) -> (Owner, KeyId) {
        match self {
            Self::Key(holder) => holder.name(),
            Self::Application(holder) => holder.name(),
        }
    }
}

//! The first run: while nobody can sign in, the operator's terminal shows a link with which the
//! first member and their organization are created (`docs/contract.md#first-run`).
//!
//! A link is sealed with the key that all instances of a database share, so every instance and the
//! command line can create one, and nothing is stored. A link works for an hour. The transaction
//! that creates the first member checks that there is none, so only one link can be used, and only once.

use crate::actor::{Actor, AuditObject};
use auth::password::{self, PasswordError};
use auth::seal::{ClientStateKey, SealError};
use domain::account::{ChannelKind, HealthState};
use domain::email::EmailAddress;
use domain::id::{AccountId, MemberId, OrganizationId};
use domain::name::Name;
use domain::plan::SubscriptionStatus;
use domain::role::{Authority, MemberAction, Role};
use domain::time::Timestamp;
use persistence::Db;
use persistence::records::{Account, FirstSetup, Member, Organization, Plan};
use platform::Deps;
use platform::clock::Clock;
use platform::entropy::Entropy;
use std::net::IpAddr;
use std::time::Duration;
use tokio::task::JoinError;

/// The lifetime of a link.
pub const SETUP_LINK_TTL: Duration = Duration::from_hours(1);
/// The sealing purpose of a link.
const PURPOSE: &str = "setup";
/// The name of the plan of the first organization: API access, and no limits.
pub const FIRST_PLAN: &str = "Self-hosted";
/// The number of the first organization's sandbox account, and its name.
const SANDBOX_NUMBER: &str = "+12025550119";
const SANDBOX_NAME: &str = "Sandbox";

/// The input of both screens of the setup.
pub struct FirstMember {
    pub name: Name,
    pub email: EmailAddress,
    /// The hash that [`hash_password`] returned.
    pub password_hash: String,
    /// The name of the organization.
    pub organization: Name,
    /// Whether the organization gets a sandbox number.
    pub sandbox: bool,
}

/// The reason why the setup did not happen.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The link has expired, is not one, or a member exists.
    #[error("this setup link no longer works")]
    Closed,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// The reason why a password was not hashed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The task was aborted.
    #[error("the task was aborted: {0}")]
    Task(#[from] JoinError),
}

/// Creates a link that starts with `base_url`.
pub fn link(
    key: &ClientStateKey,
    clock: &Clock,
    entropy: &Entropy,
    base_url: &str,
) -> Result<String, SealError> {
    let state = clock.now().micros().to_be_bytes();
    let token = key.seal(&state, PURPOSE, entropy.bytes())?;
    Ok(format!("{base_url}/setup/{token}"))
}

/// Whether nobody can sign in yet.
pub async fn is_needed(deps: &Deps) -> persistence::Result<bool> {
    has_no_member(&deps.db).await
}

/// Whether nobody can sign in yet. For the command line, which has only a database.
pub async fn has_no_member(db: &Db) -> persistence::Result<bool> {
    Ok(!db.operator().has_members().await?)
}

/// Whether a link works now.
pub async fn is_open(deps: &Deps, key: &ClientStateKey, token: &str) -> persistence::Result<bool> {
    Ok(is_current(deps, key, token) && is_needed(deps).await?)
}

fn is_current(deps: &Deps, key: &ClientStateKey, token: &str) -> bool {
    let Ok(state) = key.open(token, PURPOSE) else { return false };
    let Ok(micros) = <[u8; 8]>::try_from(state.as_slice()) else { return false };
    let created_at = Timestamp::from_micros(i64::from_be_bytes(micros));
    deps.clock.now().since(created_at) < SETUP_LINK_TTL
}

/// Hashes a password, which is slow on purpose.
pub async fn hash_password(deps: &Deps, password: String) -> Result<String, HashError> {
    let salt = deps.entropy.bytes();
    Ok(tokio::task::spawn_blocking(move || password::hash(&password, salt)).await??)
}

/// Creates the first member and their organization, with an active plan. Of several concurrent
/// callers exactly one succeeds.
pub async fn finish(
    deps: &Deps,
    key: &ClientStateKey,
    token: &str,
    first: FirstMember,
    address: Option<IpAddr>,
) -> Result<Member, SetupError> {
    if !is_current(deps, key, token) {
        return Err(SetupError::Closed);
    }
    let now = deps.clock.now();
    let (member_id, id): (MemberId, OrganizationId) = (deps.id(now), deps.id(now));
    let member = Member {
        id: member_id,
        email: first.email.to_string(),
        name: first.name.to_string(),
        password_hash: first.password_hash,
        created_at: now,
        last_active_at: None,
    };
    let organization = Organization {
        id,
        name: first.organization.to_string(),
        subscription_status: SubscriptionStatus::None,
        plan_id: None,
        default_account_id: None,
        created_at: now,
    };
    let plan = Plan {
        id: deps.id(now),
        name: FIRST_PLAN.to_owned(),
        api_access: true,
        api_calls_per_day: None,
        messages_per_month: None,
        created_at: now,
    };
    let account = first.sandbox.then(|| sandbox_account(deps.id(now), id, now));
    let setup = FirstSetup { member: member.clone(), organization, plan, account };
    match deps.db.set_up(setup).await {
        Ok(true) => {}
        Ok(false) => return Err(SetupError::Closed),
        Err(error) if error.is_duplicate() => return Err(SetupError::Closed),
        Err(error) => return Err(error.into()),
    }
    let authority = Authority { role: Role::Owner, keys_restricted: false, support_limited: false };
    let actor = Actor { deps, organization: id, member: member_id, authority, address };
    let object = AuditObject::new(id, first.organization.as_str());
    actor.record(MemberAction::OrganizationCreated, object).await;
    Ok(member)
}

fn sandbox_account(id: AccountId, organization: OrganizationId, now: Timestamp) -> Account {
    Account {
        id,
        organization_id: organization,
        phone_number: SANDBOX_NUMBER.to_owned(),
        display_name: SANDBOX_NAME.to_owned(),
        channel: ChannelKind::Sandbox,
        connected_at: now,
        phone_number_id: None,
        waba_id: None,
        access_token: None,
        health: HealthState::Ok,
        health_reason: None,
        health_message: None,
        health_since: None,
        quality: None,
        messaging_limit: None,
        probe_due_at: None,
        probe_conversation: None,
        restriction: None,
        restriction_message: None,
        restricted_at: None,
        restricted_until: None,
        held_by_status: false,
        pace: None,
        paced_at: None,
        last_callback_at: None,
    }
}

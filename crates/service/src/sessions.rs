//! Sign-in of members, and their sessions (`docs/security.md` 12).

use auth::password::MAX_PASSWORD_BYTES;
use auth::session::{MAX_IDLE, SessionToken};
use domain::email::MAX_EMAIL_BYTES;
use domain::id::{MemberId, OrganizationId};
use persistence::records::{Consent, Member, Membership, Session};
use persistence::{Result, Seen};
use platform::Deps;
use platform::login_throttle::{DeviceId, OverloadedError};
use std::net::IpAddr;
use std::time::Duration;

/// Minimum time between two records of a session's use.
const LAST_USED_INTERVAL: Duration = Duration::from_mins(1);
/// Minimum time between two records of a member's activity.
const LAST_ACTIVE_INTERVAL: Duration = Duration::from_mins(5);
/// Maximum number of characters of a `User-Agent` that are stored.
const MAX_USER_AGENT_LENGTH: usize = 300;

/// A session with its member and the member's organizations, and the position up to which the
/// primary had written.
pub type SignedIn = (Session, Option<(Member, Vec<Membership>)>, Seen);

/// The browser of a new session, as the list of sessions shows it.
#[derive(Clone, Debug, Default)]
pub struct SessionClient {
    pub user_agent: Option<String>,
    /// The IP address of the client.
    pub address: Option<IpAddr>,
}

/// An attempt to sign in.
pub struct SignInAttempt<'a> {
    /// The email address in lower case.
    pub email: &'a str,
    pub password: String,
    /// The IP address of the client.
    pub address: Option<IpAddr>,
    /// The browser, if this member has signed in with it before.
    pub device: Option<DeviceId>,
}

/// The reason why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// There were too many attempts. The next one is allowed after this time.
    #[error("too many attempts; the next one is allowed in {0:?}")]
    Throttled(Duration),
    /// Too many passwords are being checked.
    #[error("too many passwords are being checked")]
    Overloaded,
    /// There is no such member, or the password is wrong.
    #[error("the email address or the password is wrong")]
    Incorrect,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Finds the active session of a browser's token, with its member.
pub async fn find(deps: &Deps, digest: Vec<u8>) -> Result<Option<SignedIn>> {
    let now = deps.clock.now();
    let (found, seen) = deps.db.session_and_seen(digest, now.minus(MAX_IDLE)).await?;
    let Some(session) = found else { return Ok(None) };
    let Some(member) = session.member_id else { return Ok(None) };
    if now.since(session.seen_at) > LAST_USED_INTERVAL {
        deps.db.touch_session(session.digest.clone(), now).await?;
    }
    let found = deps.db.member(member).find_with_organizations().await?;
    if let Some((known, _)) = &found
        && known.last_active_at.is_none_or(|at| now.since(at) > LAST_ACTIVE_INTERVAL)
    {
        deps.db.member(member).touch_member(now).await?;
    }
    Ok(Some((session, found, seen)))
}

/// Verifies a member's email address and password. An unknown member takes as long as a known one.
pub async fn verify(
    deps: &Deps,
    attempt: SignInAttempt<'_>,
) -> std::result::Result<Member, SignInError> {
    let SignInAttempt { email, password, address, device } = attempt;
    deps.login_throttle.admit(email, address, device).map_err(SignInError::Throttled)?;
    // No email address has control characters, and not every database accepts them.
    let found = if email.len() > MAX_EMAIL_BYTES || email.chars().any(char::is_control) {
        None
    } else {
        deps.db.member_of_email(email.to_owned()).await?
    };
    let stored = found.as_ref().map(|member| member.password_hash.clone());
    let right = if password.len() > MAX_PASSWORD_BYTES {
        false
    } else {
        let verified = deps.login_throttle.verify_password(password, stored).await;
        verified.map_err(|OverloadedError| SignInError::Overloaded)?
    };
    found.filter(|_| right).ok_or(SignInError::Incorrect)
}

/// Begins a session of a member and ends the previous session. Without a previous session, the
/// browser is identified by `anonymous`, the digest of its token. `asked` receives the new digest
/// and returns the request for consent to store with the session, if there is one.
pub async fn begin(
    deps: &Deps,
    member: &Member,
    before: Option<&Session>,
    anonymous: Vec<u8>,
    client: SessionClient,
    asked: impl FnOnce(Vec<u8>) -> Option<Consent>,
) -> Result<(SessionToken, Session)> {
    let now = deps.clock.now();
    let token = SessionToken::new(deps.entropy.bytes());
    let digest = token.digest().as_bytes().to_vec();
    let carried = before.map_or(Some(anonymous), |session| session.anonymous_digest.clone());
    let session = Session {
        digest: digest.clone(),
        member_id: Some(member.id),
        organization_id: None,
        created_at: now,
        seen_at: now,
        anonymous_digest: carried,
        user_agent: client.user_agent.map(|it| it.chars().take(MAX_USER_AGENT_LENGTH).collect()),
        address: client.address.map(|it| it.to_string()),
    };
    let before = before.map(|session| session.digest.clone());
    deps.db.sign_in(before, session.clone(), asked(digest)).await?;
    Ok((token, session))
}

pub async fn end(deps: &Deps, digest: Vec<u8>) -> Result<()> {
    deps.db.end_session(digest).await
}

/// Switches a session to another organization of its member. Returns `false` if the member does not
/// belong to it.
pub async fn choose_organization(
    deps: &Deps,
    member: MemberId,
    digest: Vec<u8>,
    organization: OrganizationId,
) -> Result<bool> {
    deps.db.member(member).choose_organization(digest, organization).await
}

/// Lists the organizations of a member. The first one is used unless the member chooses another.
pub async fn organizations(deps: &Deps, member: MemberId) -> Result<Vec<Membership>> {
    let found = deps.db.member(member).find_with_organizations().await?;
    Ok(found.map(|(_, organizations)| organizations).unwrap_or_default())
}

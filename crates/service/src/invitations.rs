//! Accepting an invitation to an organization.

use crate::actor::{Actor, AuditObject, INVITATION_TTL};
use auth::session::SessionToken;
use domain::id::MemberId;
use domain::name::Name;
use domain::role::{Authority, MemberAction};
use domain::time::Timestamp;
use persistence::records::{Invitation, Invitee, Member, Organization};
use platform::Deps;
use std::net::IpAddr;

/// An open invitation.
pub struct OpenInvitation {
    pub invitation: Invitation,
    pub organization: Organization,
    /// Whether a member with this email address exists already. They have to sign in before they
    /// join.
    pub is_known: bool,
}

/// The reason why an invitation was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The link has expired or was used.
    #[error("this invitation no longer works")]
    Closed,
    /// The invitation is for another email address than the member's.
    #[error("the invitation is for another email address")]
    ForSomebodyElse,
    /// A member with this email address exists already. They must sign in to accept.
    #[error("somebody signs in with this email address already")]
    IsKnown,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

fn cutoff(deps: &Deps) -> Timestamp {
    deps.clock.now().minus(INVITATION_TTL)
}

/// Returns the invitation of a link, if it is neither expired nor used. Calling this does not use
/// up the link.
pub async fn find(
    deps: &Deps,
    token: &SessionToken,
) -> persistence::Result<Option<OpenInvitation>> {
    let digest = token.digest().as_bytes().to_vec();
    let found = deps.db.invitation(digest, cutoff(deps)).await?;
    let Some((invitation, organization)) = found else { return Ok(None) };
    let is_known = deps.db.member_of_email(invitation.email.clone()).await?.is_some();
    Ok(Some(OpenInvitation { invitation, organization, is_known }))
}

/// Accepts an invitation as a new member, with the hash of their password.
pub async fn accept_as_new(
    deps: &Deps,
    token: &SessionToken,
    open: &OpenInvitation,
    name: &Name,
    password_hash: String,
    address: Option<IpAddr>,
) -> Result<Member, AcceptError> {
    let now = deps.clock.now();
    let id: MemberId = deps.id(now);
    let member = Member {
        id,
        email: open.invitation.email.clone(),
        name: name.to_string(),
        password_hash,
        created_at: now,
        last_active_at: None,
    };
    accept(deps, token, open, Invitee::New(member.clone()), id, address).await?;
    Ok(member)
}

/// Accepts an invitation as a member of other organizations.
pub async fn accept_as(
    deps: &Deps,
    token: &SessionToken,
    open: &OpenInvitation,
    member: &Member,
    address: Option<IpAddr>,
) -> Result<(), AcceptError> {
    if member.email != open.invitation.email {
        return Err(AcceptError::ForSomebodyElse);
    }
    accept(deps, token, open, Invitee::Known(member.id), member.id, address).await
}

async fn accept(
    deps: &Deps,
    token: &SessionToken,
    open: &OpenInvitation,
    invitee: Invitee,
    member: MemberId,
    address: Option<IpAddr>,
) -> Result<(), AcceptError> {
    let (now, digest) = (deps.clock.now(), token.digest().as_bytes().to_vec());
    match deps.db.accept_invitation(digest, cutoff(deps), invitee, now).await {
        Ok(true) => {}
        Ok(false) => return Err(AcceptError::Closed),
        Err(error) if error.is_duplicate() => return Err(AcceptError::IsKnown),
        Err(error) => return Err(error.into()),
    }
    let OpenInvitation { invitation, organization, .. } = open;
    let authority =
        Authority { role: invitation.role, keys_restricted: false, support_limited: false };
    let actor = Actor { deps, organization: organization.id, member, authority, address };
    let object = AuditObject::named(format!("{} ({})", invitation.email, invitation.role));
    actor.record(MemberAction::InvitationAccepted, object).await;
    Ok(())
}

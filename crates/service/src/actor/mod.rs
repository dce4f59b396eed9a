//! Actions of members. Each one is checked against the member's role and recorded in the audit log
//! (`docs/contract.md#roles`).

mod agents;
mod applications;
mod contacts;
mod endpoints;
mod inbox;
mod keys;
mod members;
mod messages;
mod numbers;
mod own_account;
mod saved_replies;
mod templates;

pub use agents::MemberAgents;
pub use applications::MemberApplications;
pub use contacts::MemberContacts;
pub use endpoints::MemberEndpoints;
pub use inbox::MemberInbox;
pub use keys::MemberKeys;
pub use members::{
    INVITATION_TTL, InvitationLink, MAX_LISTED_MEMBERS, MemberError, OrganizationMembers,
};
pub use messages::{CancelError, ComposedFrom, MemberMessages};
pub use numbers::MemberNumbers;
pub use own_account::{ChangePasswordError, OwnAccount};
pub use templates::{MemberTemplateChangeError, MemberTemplateError, MemberTemplates};

use crate::visibility;
use domain::id::{AuditEntryId, MemberId, OrganizationId};
use domain::role::{Authority, Forbidden, MemberAction, VisibleConversations};
use persistence::Reader;
use persistence::records::{AuditEntry, Member, Membership, PersonKey};
use platform::Deps;
use std::fmt::Display;
use std::net::IpAddr;

/// A member who acts for one of their organizations.
#[derive(Clone, Copy)]
pub struct Actor<'a> {
    pub deps: &'a Deps,
    pub organization: OrganizationId,
    pub member: MemberId,
    pub authority: Authority,
    /// The IP address of the client.
    pub address: Option<IpAddr>,
}

impl Actor<'_> {
    /// Returns a filter for the conversations that the member may see.
    #[must_use]
    pub fn visible(&self) -> VisibleConversations {
        self.authority.visible_to(self.member)
    }

    /// Whether the member may see all conversations with a person.
    pub(crate) async fn sees(&self, person: PersonKey) -> persistence::Result<bool> {
        let visible = self.visible();
        if visible == VisibleConversations::All {
            return Ok(true);
        }
        let reader = Reader::from_primary(self.organization);
        let found = self.deps.db.reads(reader).list_conversations(person).await?;
        let of = found.iter().map(|it| it.conversation.id);
        Ok(visibility::hidden(self.deps, reader, visible, of).await?.is_empty())
    }
}

/// The object of an action, as the audit log shows it.
pub(crate) struct AuditObject {
    id: Option<String>,
    name: String,
}

impl AuditObject {
    pub(crate) fn new(id: impl Display, name: impl Into<String>) -> Self {
        Self { id: Some(id.to_string()), name: name.into() }
    }

    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self { id: None, name: name.into() }
    }
}

/// The reason why an action was not performed.
#[derive(Debug, thiserror::Error)]
pub enum ActionError<E> {
    /// The member's role does not allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    #[error("{0}")]
    Failed(E),
}

impl Actor<'_> {
    /// Runs `work` if the member's role allows the action, and records the action. `object` returns
    /// `None` if `work` found nothing to act on.
    pub(crate) async fn perform<T, E>(
        &self,
        action: MemberAction,
        work: impl Future<Output = Result<T, E>>,
        object: impl FnOnce(&T) -> Option<AuditObject>,
    ) -> Result<T, ActionError<E>> {
        self.authority.check(action)?;
        let done = work.await.map_err(ActionError::Failed)?;
        if let Some(object) = object(&done) {
            self.record(action, object).await;
        }
        Ok(done)
    }

    pub(crate) async fn record(&self, action: MemberAction, object: AuditObject) {
        let Actor { deps, organization, member, address, .. } = *self;
        record(deps, organization, member, address, action, object).await;
    }
}

/// Records an action that has happened. If the entry cannot be stored, it is written to the log and
/// the action still succeeds, because its result, such as a secret, could not be shown again.
async fn record(
    deps: &Deps,
    organization: OrganizationId,
    member: MemberId,
    address: Option<IpAddr>,
    action: MemberAction,
    object: AuditObject,
) {
    let now = deps.clock.now();
    let id: AuditEntryId = deps.id(now);
    let entry = AuditEntry {
        organization_id: organization,
        id,
        member_id: member,
        action,
        object_id: object.id,
        object_name: object.name,
        address: address.map(|address| address.to_string()),
        at: now,
    };
    let stored = deps.db.insert_audit_entry(entry.clone()).await;
    if let Err(error) = stored {
        let AuditEntry { organization_id, member_id, object_id, address, .. } = entry;
        tracing::error!(
            %error, %organization_id, %member_id, %action, object_id, address,
            "an action of a member is not in the audit log"
        );
    }
}

/// Records in each of a member's organizations that the member signed in or out.
pub async fn record_session(
    deps: &Deps,
    member: &Member,
    organizations: &[Membership],
    address: Option<IpAddr>,
    action: MemberAction,
) {
    for it in organizations {
        let object = AuditObject::new(member.id, member.display_name());
        record(deps, it.organization.id, member.id, address, action, object).await;
    }
}

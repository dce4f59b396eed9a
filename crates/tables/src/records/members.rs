//! Members of organizations, invitations, and the audit log.
use crate::records::{Account, Member, Organization, Plan};
use crate::schema::{audit_entries, invitations};
use domain::id::{AuditEntryId, MemberId, OrganizationId};
use domain::role::{Authority, MemberAction, Role};
use domain::time::Timestamp;

/// An organization of a member, and the member's role in it.
#[derive(Clone, Debug)]
pub struct Membership {
    pub organization: Organization,
    pub authority: Authority,
}

/// A member of an organization, as the list of members shows them.
#[derive(Clone, Debug)]
pub struct ListedMember {
    pub member: Member,
    pub role: Role,
    pub joined_at: Timestamp,
}

/// The result of a change of a member's role, or of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleChange {
    Changed,
    /// The person is not a member of the organization.
    NoMember,
    /// The organization would be left without an owner.
    LastOwner,
}

record! {
    /// A one-time link with which the person who has this email address becomes a member.
    pub struct Invitation of invitations {
        pub organization_id: OrganizationId,
        pub email: String,
        pub role: Role,
        pub digest: Vec<u8>,
        pub created_by: MemberId,
        pub created_at: Timestamp,
    }
}

/// The person who accepts an invitation.
#[derive(Clone, Debug)]
pub enum Invitee {
    /// A new member, to be created.
    New(Member),
    /// An existing member.
    Known(MemberId),
}

record! {
    /// An action of a member.
    pub struct AuditEntry of audit_entries {
        pub organization_id: OrganizationId,
        pub id: AuditEntryId,
        pub member_id: MemberId,
        pub action: MemberAction,
        pub object_id: Option<String>,
        pub object_name: String,
        pub address: Option<String>,
        pub at: Timestamp,
    }
}

/// The first member of the installation, with their organization.
#[derive(Clone, Debug)]
pub struct FirstSetup {
    pub member: Member,
    /// The organization, without a plan and without a default account.
    pub organization: Organization,
    /// The plan to subscribe to. A plan that already has this name is used instead.
    pub plan: Plan,
    /// The organization's first account, if it gets one.
    pub account: Option<Account>,
}

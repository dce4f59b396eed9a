//! Operations on members, their sessions and one-time links.
use super::operations;
use crate::Db;
use crate::operations::{MemberDb, OperatorDb, OrganizationDb};
use crate::records::{
    AuditEntry, Consent, FirstSetup, Invitation, Invitee, ListFilter, ListedMember, Member,
    Membership, Organization, PasswordReset, RoleChange, Session,
};
use domain::id::{self, AuditEntryId, MemberId, OrganizationId};
use domain::role::Role;
use domain::time::Timestamp;

operations! {
    Db;
    /// Returns a session that was used since `cutoff`.
    read sessions::session(digest: Vec<u8>, cutoff: Timestamp) -> Option<Session>;
    /// Records that a session is used.
    write sessions::touch_session(digest: Vec<u8>, at: Timestamp) -> ();
    /// Creates a session of a member in place of the previous one, and stores the consent that the
    /// member is asked for.
    write sessions::sign_in(before: Option<Vec<u8>>, new: Session, asked: Option<Consent>) -> ();
    write sessions::end_session(digest: Vec<u8>) -> ();
    /// Returns a member by the email address.
    read sessions::member_of_email(email: String) -> Option<Member>;
    /// Stores a one-time link for setting another password.
    write password_resets::insert_password_reset(new: PasswordReset) -> ();
    /// Returns the member to whom a one-time link belongs.
    read password_resets::member_of_reset(digest: Vec<u8>, cutoff: Timestamp) -> Option<Member>;
    /// Sets a member's password and ends the member's sessions.
    write password_resets::reset_password(digest: Vec<u8>, cutoff: Timestamp, password_hash: String) -> bool;
    /// Returns the invitation of a one-time link, with its organization.
    read invitations::invitation(digest: Vec<u8>, cutoff: Timestamp) -> Option<(Invitation, Organization)>;
    /// Uses an invitation. A duplicate error means that somebody has the email address by now.
    write invitations::accept_invitation(digest: Vec<u8>, cutoff: Timestamp, invitee: Invitee, at: Timestamp) -> bool;
    /// Stores an invitation, in place of an earlier one to the same email address.
    write invitations::insert_invitation(new: Invitation) -> ();
    write audit::insert_audit_entry(new: AuditEntry) -> ();
    /// Creates the first member with their organization. Returns `false`, or a duplicate error, if
    /// a member exists.
    write members::set_up(new: FirstSetup) -> bool;
}

operations! {
    OrganizationDb<organization>;
    write members::insert_member(new: Member, role: Role) -> ();
    /// Adds a member to another organization. Returns `false` if nobody has this email address.
    write members::add_membership(email: String, role: Role, at: Timestamp) -> bool;
    /// Returns the organization's members, in the order in which they joined it.
    read members::members_of(most: i64) -> Vec<ListedMember>;
    read members::member_of_organization(member: MemberId) -> Option<ListedMember>;
    /// Gives a member another role, or removes the member.
    write members::change_role(member: MemberId, role: Option<Role>) -> RoleChange;
    /// Sets whether only owners and developers may manage the organization's keys.
    write members::restrict_keys(restricted: bool) -> ();
    /// Returns the organization's invitations that were not accepted, the oldest first.
    read invitations::invitations_of(most: i64) -> Vec<Invitation>;
    /// Deletes an invitation. Returns `false` if there is none to this email address.
    write invitations::delete_invitation(email: String) -> bool;
    /// Returns the organization's audit entries after one of them, the newest first.
    read audit::audit_entries(after: Option<AuditEntryId>, limit: i64) -> Vec<AuditEntry>;
}

operations! {
    MemberDb<member>;
    /// Switches a session to another organization of the member.
    write sessions::choose_organization(digest: Vec<u8>, organization: OrganizationId) -> bool;
    /// Returns a member and the member's organizations.
    read members::find_with_organizations() -> Option<(Member, Vec<Membership>)>;
    /// Records that the member is active.
    write members::touch_member(at: Timestamp) -> ();
    write members::rename_member(name: String) -> ();
    /// Replaces the member's password if its hash is still `known`, and ends all sessions of the
    /// member except `kept`. Returns `false` if the password was changed meanwhile.
    write members::change_password(known: String, new: String, kept: Vec<u8>) -> bool;
    /// Returns the member's sessions that were used since `cutoff`, the last used first.
    read sessions::sessions_of(cutoff: Timestamp, most: i64) -> Vec<Session>;
    /// Ends all sessions of the member, and returns how many.
    write sessions::end_sessions() -> usize;
    /// Ends one of the member's sessions. Returns `false` if there is none with this digest.
    write sessions::end_session_of(digest: Vec<u8>) -> bool;
}

operations! {
    OperatorDb;
    /// Whether anybody can sign in.
    read members::has_members() -> bool;
    /// Deletes some of the audit entries from before `cutoff`, and returns how many.
    write_after retention::delete_expired_audit_entries(cutoff: Timestamp, portion: i64) -> usize;
    /// Returns the number of sessions that were used since `cutoff`.
    read sessions::count_sessions(cutoff: Timestamp) -> i64;
    /// Deletes some of the sessions that nobody uses, and returns how many.
    write_after sessions::delete_expired_sessions(cutoff: Timestamp, portion: i64) -> usize;
    /// Returns a page of the members, with their organizations.
    read listing::list_members(list_filter: ListFilter<id::Member>) -> Vec<(Member, Vec<Organization>)>;
}

//! Operations on members, their sessions and one-time links.
use super::{
    DbFuture, MemberDb, OperatorDb, OrganizationDb, all_tenants_query, tenant_query, unscoped_query,
};
use crate::Db;
use crate::records::{
    AuditEntry, Consent, FirstSetup, Invitation, Invitee, ListFilter, ListedMember, Member,
    Membership, Organization, PasswordReset, RoleChange, Session,
};
use domain::id::{self, AuditEntryId, MemberId, OrganizationId};
use domain::role::Role;
use domain::time::Timestamp;

impl Db {
    /// Returns the session with this digest, if it was used since `cutoff`.
    pub fn session(&self, digest: Vec<u8>, cutoff: Timestamp) -> DbFuture<'_, Option<Session>> {
        unscoped_query!(self, read, sessions::session(digest, cutoff))
    }

    /// Stores `at` as the time at which a session was last used.
    pub fn touch_session(&self, digest: Vec<u8>, at: Timestamp) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, sessions::touch_session(digest, at))
    }

    /// Creates a session of a member, which replaces the session `before`. `asked` is a consent
    /// that the member has to answer after signing in.
    pub fn sign_in(
        &self,
        before: Option<Vec<u8>>,
        new: Session,
        asked: Option<Consent>,
    ) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, sessions::sign_in(before, new, asked))
    }

    pub fn end_session(&self, digest: Vec<u8>) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, sessions::end_session(digest))
    }

    /// Returns a member by the email address.
    pub fn member_of_email(&self, email: String) -> DbFuture<'_, Option<Member>> {
        unscoped_query!(self, read, sessions::member_of_email(email))
    }

    /// Stores a one-time link for setting another password.
    pub fn insert_password_reset(&self, new: PasswordReset) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, password_resets::insert_password_reset(new))
    }

    /// Returns the member to whom a one-time link belongs.
    pub fn member_of_reset(
        &self,
        digest: Vec<u8>,
        cutoff: Timestamp,
    ) -> DbFuture<'_, Option<Member>> {
        unscoped_query!(self, read, password_resets::member_of_reset(digest, cutoff))
    }

    /// Sets a member's password and ends the member's sessions.
    pub fn reset_password(
        &self,
        digest: Vec<u8>,
        cutoff: Timestamp,
        password_hash: String,
    ) -> DbFuture<'_, bool> {
        unscoped_query!(self, write, password_resets::reset_password(digest, cutoff, password_hash))
    }

    /// Returns the invitation of a one-time link, with its organization.
    pub fn invitation(
        &self,
        digest: Vec<u8>,
        cutoff: Timestamp,
    ) -> DbFuture<'_, Option<(Invitation, Organization)>> {
        unscoped_query!(self, read, invitations::invitation(digest, cutoff))
    }

    /// Uses an invitation. Fails with a unique violation if the email address belongs to a member
    /// by now.
    pub fn accept_invitation(
        &self,
        digest: Vec<u8>,
        cutoff: Timestamp,
        invitee: Invitee,
        at: Timestamp,
    ) -> DbFuture<'_, bool> {
        unscoped_query!(self, write, invitations::accept_invitation(digest, cutoff, invitee, at))
    }

    /// Stores an invitation, in place of an earlier one to the same email address.
    pub fn insert_invitation(&self, new: Invitation) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, invitations::insert_invitation(new))
    }

    pub fn insert_audit_entry(&self, new: AuditEntry) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, audit::insert_audit_entry(new))
    }

    /// Creates the first member with their organization. Returns `false`, or fails with a unique
    /// violation, if a member exists.
    pub fn set_up(&self, new: FirstSetup) -> DbFuture<'_, bool> {
        unscoped_query!(self, write, members::set_up(new))
    }
}

impl<'a> OrganizationDb<'a> {
    pub fn insert_member(self, new: Member, role: Role) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, members::insert_member(new, role))
    }

    /// Adds a member to another organization. Returns `false` if nobody has this email address.
    pub fn add_membership(self, email: String, role: Role, at: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, members::add_membership(email, role, at))
    }

    /// Returns the organization's members, in the order in which they joined it.
    pub fn members_of(self, most: i64) -> DbFuture<'a, Vec<ListedMember>> {
        tenant_query!(self.organization, read, members::members_of(most))
    }

    pub fn member_of_organization(self, member: MemberId) -> DbFuture<'a, Option<ListedMember>> {
        tenant_query!(self.organization, read, members::member_of_organization(member))
    }

    /// Gives a member another role, or removes the member. If the member may no longer use the
    /// inbox, their conversations are unassigned. If there are very many, a worker unassigns the
    /// rest later.
    pub fn change_role(
        self,
        member: MemberId,
        role: Option<Role>,
        at: Timestamp,
    ) -> DbFuture<'a, RoleChange> {
        tenant_query!(self.organization, write, members::change_role(member, role, at))
    }

    /// Sets whether members with the role support see only conversations that are assigned to them
    /// or to nobody.
    pub fn limit_support(self, limited: bool) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, members::limit_support(limited))
    }

    /// Sets whether only owners and developers may manage the organization's keys.
    pub fn restrict_keys(self, restricted: bool) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, members::restrict_keys(restricted))
    }

    /// Returns the organization's invitations that were not accepted, the oldest first.
    pub fn invitations_of(self, most: i64) -> DbFuture<'a, Vec<Invitation>> {
        tenant_query!(self.organization, read, invitations::invitations_of(most))
    }

    /// Deletes an invitation. Returns `false` if there is none to this email address.
    pub fn delete_invitation(self, email: String) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, invitations::delete_invitation(email))
    }

    /// Returns the organization's audit entries that follow one of them, the newest first.
    pub fn audit_entries(
        self,
        after: Option<AuditEntryId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<AuditEntry>> {
        tenant_query!(self.organization, read, audit::audit_entries(after, limit))
    }
}

impl<'a> MemberDb<'a> {
    /// Switches a session to another organization of the member.
    pub fn choose_organization(
        self,
        digest: Vec<u8>,
        organization: OrganizationId,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.member, write, sessions::choose_organization(digest, organization))
    }

    /// Returns a member and the member's organizations.
    pub fn find_with_organizations(self) -> DbFuture<'a, Option<(Member, Vec<Membership>)>> {
        tenant_query!(self.member, read, members::find_with_organizations())
    }

    /// Records that the member is active.
    pub fn touch_member(self, at: Timestamp) -> DbFuture<'a, ()> {
        tenant_query!(self.member, write, members::touch_member(at))
    }

    pub fn rename_member(self, name: String) -> DbFuture<'a, ()> {
        tenant_query!(self.member, write, members::rename_member(name))
    }

    /// Replaces the member's password if its hash is still `known`, and ends all sessions of the
    /// member except `kept`. Returns `false` if the password was changed meanwhile.
    pub fn change_password(self, known: String, new: String, kept: Vec<u8>) -> DbFuture<'a, bool> {
        tenant_query!(self.member, write, members::change_password(known, new, kept))
    }

    /// Returns the member's sessions that were used since `cutoff`, the last used first.
    pub fn sessions_of(self, cutoff: Timestamp, most: i64) -> DbFuture<'a, Vec<Session>> {
        tenant_query!(self.member, read, sessions::sessions_of(cutoff, most))
    }

    /// Ends all sessions of the member, and returns how many.
    pub fn end_sessions(self) -> DbFuture<'a, usize> {
        tenant_query!(self.member, write, sessions::end_sessions())
    }

    /// Ends one of the member's sessions. Returns `false` if there is none with this digest.
    pub fn end_session_of(self, digest: Vec<u8>) -> DbFuture<'a, bool> {
        tenant_query!(self.member, write, sessions::end_session_of(digest))
    }
}

impl<'a> OperatorDb<'a> {
    /// Whether anybody can sign in.
    pub fn has_members(self) -> DbFuture<'a, bool> {
        all_tenants_query!(self, read, members::has_members())
    }

    /// Deletes up to `portion` of the audit entries from before `cutoff`, and returns how many.
    pub fn delete_expired_audit_entries(
        self,
        cutoff: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_audit_entries(cutoff, portion)
        )
    }

    /// Returns the number of sessions that were used since `cutoff`.
    pub fn count_sessions(self, cutoff: Timestamp) -> DbFuture<'a, i64> {
        all_tenants_query!(self, read, sessions::count_sessions(cutoff))
    }

    /// Deletes up to `portion` of the sessions that were not used since `cutoff`, and returns how
    /// many.
    pub fn delete_expired_sessions(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, sessions::delete_expired_sessions(cutoff, portion))
    }

    /// Returns a page of the members, with their organizations.
    pub fn list_members(
        self,
        list_filter: ListFilter<id::Member>,
    ) -> DbFuture<'a, Vec<(Member, Vec<Organization>)>> {
        all_tenants_query!(self, read, listing::list_members(list_filter))
    }
}

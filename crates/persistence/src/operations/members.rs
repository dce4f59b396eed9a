//! Operations on members, their sessions and one-time links.
use super::operations;
use crate::Db;
use crate::operations::{MemberDb, OperatorDb, OrganizationDb};
use crate::records::{Consent, ListFilter, Member, Organization, PasswordReset, Session};
use domain::id::{self, OrganizationId};
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
}

operations! {
    OrganizationDb<organization>;
    write members::insert_member(new: Member) -> ();
    /// Adds a member to another organization. Returns `false` if nobody has this email address.
    write members::add_membership(email: String, at: Timestamp) -> bool;
}

operations! {
    MemberDb<member>;
    /// Switches a session to another organization of the member.
    write sessions::choose_organization(digest: Vec<u8>, organization: OrganizationId) -> bool;
    /// Returns a member and the member's organizations.
    read sessions::find_with_organizations() -> Option<(Member, Vec<Organization>)>;
}

operations! {
    OperatorDb;
    /// Returns the number of sessions that were used since `cutoff`.
    read sessions::count_sessions(cutoff: Timestamp) -> i64;
    /// Deletes some of the sessions that nobody uses, and returns how many.
    write_after sessions::delete_expired_sessions(cutoff: Timestamp, portion: i64) -> usize;
    /// Returns a page of the members, with their organizations.
    read listing::list_members(list_filter: ListFilter<id::Member>) -> Vec<(Member, Vec<Organization>)>;
}

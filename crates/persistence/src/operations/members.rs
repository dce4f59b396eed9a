//! Members, their sessions and one-time links.
use super::operations;
use crate::Db;
use crate::operations::{MemberDb, OperatorDb, OrganizationDb};
use crate::records::{Consent, ListFilter, Member, Organization, PasswordReset, Session};
use domain::id::{self, OrganizationId};
use domain::time::Timestamp;

operations! {
    Db;
    /// A session that is still in use.
    read sessions::session(digest: Vec<u8>, cutoff: Timestamp) -> Option<Session>;
    /// Notes that a session is used.
    write sessions::touch_session(digest: Vec<u8>, at: Timestamp) -> ();
    /// Begins a session of a member, in place of the one before, and keeps what is asked of them.
    write sessions::sign_in(before: Option<Vec<u8>>, new: Session, asked: Option<Consent>) -> ();
    /// Ends a session.
    write sessions::end_session(digest: Vec<u8>) -> ();
    /// A member by the email address.
    read sessions::member_of_email(email: String) -> Option<Member>;
    /// Keeps a one-time link to another password.
    write password_resets::insert_password_reset(new: PasswordReset) -> ();
    /// The member whose one-time link this is.
    read password_resets::member_of_reset(digest: Vec<u8>, cutoff: Timestamp) -> Option<Member>;
    /// Gives a member another password, and ends their sessions.
    write password_resets::reset_password(digest: Vec<u8>, cutoff: Timestamp, password_hash: String) -> bool;
}

operations! {
    OrganizationDb<organization>;
    /// Makes a member.
    write members::insert_member(new: Member) -> ();
    /// Makes a member one of another organization too; `false` if nobody has that email address.
    write members::add_membership(email: String, at: Timestamp) -> bool;
}

operations! {
    MemberDb<member>;
    /// Works for another organization.
    write sessions::choose_organization(digest: Vec<u8>, organization: OrganizationId) -> bool;
    /// A member and their organizations.
    read sessions::find_with_organizations() -> Option<(Member, Vec<Organization>)>;
}

operations! {
    OperatorDb;
    /// How many sessions were used since `cutoff`.
    read sessions::count_sessions(cutoff: Timestamp) -> i64;
    /// Forgets a portion of the sessions that nobody uses; returns how many.
    write_after sessions::forget_sessions(cutoff: Timestamp, portion: i64) -> usize;
    /// A page of the members, with their organizations.
    read listing::list_members(list_filter: ListFilter<id::Member>) -> Vec<(Member, Vec<Organization>)>;
}

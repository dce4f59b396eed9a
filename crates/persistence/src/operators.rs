//! What operators may ask of the database.
use crate::operations::operations;
use crate::rows::{
    Account, Application, Endpoint, Key, Member, Organization, PasswordReset, Plan, Sought,
};
use crate::{Db, Result, postgres, sqlite};
use domain::id;
use domain::time::Timestamp;

operations! {
    /// A page of the organizations, with their plans.
    read listing::list_organizations(sought: Sought<id::Organization>) -> Vec<(Organization, Option<Plan>)>;
    /// A page of the members, with their organizations.
    read listing::list_members(sought: Sought<id::Member>) -> Vec<(Member, Vec<Organization>)>;
    /// A page of the numbers, with their organizations.
    read listing::list_accounts(sought: Sought<id::Account>) -> Vec<(Account, Organization)>;
    /// A page of the plans.
    read listing::list_plans(sought: Sought<id::Plan>) -> Vec<Plan>;
    /// A page of the keys, with their organizations.
    read listing::list_keys(sought: Sought<id::Key>) -> Vec<(Key, Organization)>;
    /// A page of the applications, with their publishers.
    read listing::list_applications(sought: Sought<id::Application>) -> Vec<(Application, Option<Organization>)>;
    /// A page of the webhook endpoints.
    read listing::list_endpoints(sought: Sought<id::WebhookEndpoint>) -> Vec<Endpoint>;
    /// Keeps a one-time link to another password.
    write password_resets::insert_password_reset(new: PasswordReset) -> ();
    /// The member whose one-time link this is.
    read password_resets::member_of_reset(digest: Vec<u8>, cutoff: Timestamp) -> Option<Member>;
    /// Gives a member another password, and ends their sessions.
    write password_resets::reset_password(digest: Vec<u8>, cutoff: Timestamp, password_hash: String) -> bool;
    /// The beats of all servers that are entered.
    read instances::beats() -> Vec<(id::InstanceId, i64)>;
    /// A key that all servers of this database share, if it has been made.
    read server_keys::kept_server_key(name: &'static str) -> Option<Vec<u8>>;
    /// The numbers on the Cloud API.
    read accounts::accounts_on_clouds(most: i64) -> Vec<Account>;
}

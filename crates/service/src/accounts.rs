//! The numbers of organizations.

use crate::Deps;
use domain::id::{AccountId, OrganizationId};
use persistence::Result;
use persistence::records::Account;

/// The numbers of an organization, in the order in which they were connected.
pub async fn of(deps: &Deps, organization: OrganizationId) -> Result<Vec<Account>> {
    deps.db.organization(organization).accounts().await
}

/// The number of an id, if it is the organization's.
pub async fn find(
    deps: &Deps,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<Account>> {
    deps.db.organization(organization).account(id).await
}

//! The accounts of organizations.

use domain::id::{AccountId, OrganizationId};
use persistence::records::Account;
use persistence::{Reader, Result};
use platform::Deps;

/// Lists the accounts of an organization in the order in which they were connected.
pub async fn list(deps: &Deps, reader: Reader) -> Result<Vec<Account>> {
    deps.db.reads(reader).accounts().await
}

/// Finds one of the organization's accounts.
pub async fn find(
    deps: &Deps,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<Account>> {
    deps.db.organization(organization).account(id).await
}

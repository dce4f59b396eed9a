//! The accounts of organizations.

use crate::Deps;
use domain::id::{AccountId, OrganizationId};
use persistence::records::Account;
use persistence::{Reader, Result};

/// Lists the accounts of an organization in the order in which they were connected.
pub async fn of(deps: &Deps, reader: Reader) -> Result<Vec<Account>> {
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

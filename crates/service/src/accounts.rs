//! The numbers of organizations.

use crate::Deps;
use domain::id::{AccountId, OrganizationId};
use persistence::records::Account;
use persistence::{Reader, Result};

/// The numbers of an organization, in the order in which they were connected.
pub async fn of(deps: &Deps, reader: Reader) -> Result<Vec<Account>> {
    deps.db.reads(reader).accounts().await
}

/// The number of an id, if it is the organization's.
pub async fn find(
    deps: &Deps,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<Account>> {
    deps.db.organization(organization).account(id).await
}

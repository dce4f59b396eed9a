//! Third-party applications.

use super::{Admin, AdminError};
use crate::applications::{self, CreatedApplication};
use domain::application::Terms;
use domain::id::OrganizationId;

impl Admin<'_> {
    /// Registers an application. Without an organization it is a platform application.
    pub async fn create_application(
        &self,
        organization: Option<OrganizationId>,
        terms: &Terms,
        published: bool,
    ) -> Result<CreatedApplication, persistence::Error> {
        applications::insert(self.deps, organization, terms, published).await
    }

    /// Gives an application the Verified badge.
    pub async fn verify_application(&self, client_id: &str) -> Result<(), AdminError> {
        self.set_verified(client_id, true).await
    }

    /// Removes the Verified badge from an application. A platform application can then not be
    /// connected any more, but its connections stay.
    pub async fn unverify_application(&self, client_id: &str) -> Result<(), AdminError> {
        self.set_verified(client_id, false).await
    }

    async fn set_verified(&self, client_id: &str, verified: bool) -> Result<(), AdminError> {
        if !self.deps.db.operator().verify_application(client_id.to_owned(), verified).await? {
            return Err(AdminError::NoApplication(client_id.to_owned()));
        }
        Ok(())
    }
}

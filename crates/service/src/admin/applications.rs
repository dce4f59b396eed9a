//! Third-party applications.

use super::{Admin, AdminError};
use crate::applications::{Applications, CreatedApplication, register};
use domain::application::Terms;
use domain::id::OrganizationId;

impl Admin<'_> {
    #[must_use]
    pub const fn applications(&self, organization: OrganizationId) -> Applications<'_> {
        let Self { db, clock, entropy, .. } = *self;
        Applications { db, clock, entropy, organization }
    }

    /// Registers an application. Without an organization it is a platform application.
    pub async fn create_application(
        &self,
        organization: Option<OrganizationId>,
        terms: &Terms,
        published: bool,
    ) -> Result<CreatedApplication, persistence::Error> {
        register(self.db, self.clock, self.entropy, organization, terms, published).await
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
        if !self.db.operator().verify_application(client_id.to_owned(), verified).await? {
            return Err(AdminError::NoApplication(client_id.to_owned()));
        }
        Ok(())
    }
}

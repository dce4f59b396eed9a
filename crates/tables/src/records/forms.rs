//! Submitted forms of the dashboard.
use crate::schema::forms::form_results;
use domain::id::OrganizationId;
use domain::time::Timestamp;

/// The identity of a submitted form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormKey {
    /// The organization that the member works for.
    pub organization: OrganizationId,
    /// The digest of the member's session.
    pub session: Vec<u8>,
    /// The form's id, derived from its token and the path that it was submitted to.
    pub id: String,
}

record! {
    /// The result of a submitted form.
    pub struct FormResult of form_results {
        pub organization_id: OrganizationId,
        pub session_digest: Vec<u8>,
        pub id: String,
        pub location: Option<String>,
        pub notice: Option<Vec<u8>>,
        pub created_at: Timestamp,
    }
}

impl FormResult {
    /// Creates the record of a form that is submitted now.
    #[must_use]
    pub fn new(
        key: FormKey,
        location: Option<String>,
        notice: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Self {
        let FormKey { organization, session, id } = key;
        Self {
            organization_id: organization,
            session_digest: session,
            id,
            location,
            notice,
            created_at: now,
        }
    }
}

//! Submitted forms of the dashboard.
use crate::schema::forms::form_results;
use domain::id::OrganizationId;
use domain::time::Timestamp;

/// Which form was submitted: of whom, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormKey {
    /// The organization that the member works for.
    pub organization: OrganizationId,
    /// The digest of the member's session.
    pub session: Vec<u8>,
    /// Follows from the form's token and from where it was submitted.
    pub id: String,
}

record! {
    /// What a submitted form led to.
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
    /// A form that is submitted now, with what is known of its result.
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

//! Submitted forms of the dashboard.
use crate::schema::forms::form_results;
use crate::types::Col;
use diesel::prelude::*;
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

/// What a submitted form led to.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = form_results, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct FormResult {
    pub organization_id: Col<OrganizationId>,
    pub session_digest: Vec<u8>,
    pub id: String,
    pub location: Option<String>,
    pub notice: Option<Vec<u8>>,
    pub created_at: Col<Timestamp>,
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
            organization_id: organization.into(),
            session_digest: session,
            id,
            location,
            notice,
            created_at: now.into(),
        }
    }
}

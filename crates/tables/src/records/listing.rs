//! Lists for operators.
use domain::id::{Id, Kind, OrganizationId};

/// A filter for rows of one kind. Each condition that is set narrows the result.
#[derive(Clone, Debug)]
pub struct ListFilter<K: Kind> {
    /// Only the row with this id.
    pub id: Option<Id<K>>,
    /// Only rows whose name, address or number equals this text.
    pub text: Option<String>,
    /// Only rows of this organization.
    pub organization: Option<OrganizationId>,
    /// Only rows with greater ids.
    pub after: Option<Id<K>>,
    /// The maximum number of rows; at least 1.
    pub limit: i64,
}

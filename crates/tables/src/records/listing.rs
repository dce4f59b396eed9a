//! What operators ask for.
use domain::id::{Id, Kind, OrganizationId};

/// Which rows of a kind are asked for: each condition that is given narrows them down.
#[derive(Clone, Debug)]
pub struct ListFilter<K: Kind> {
    /// The one with this id.
    pub id: Option<Id<K>>,
    /// Those that are known by exactly this name, address or number.
    pub text: Option<String>,
    /// Those of this organization.
    pub organization: Option<OrganizationId>,
    /// Those whose ids come after this one.
    pub after: Option<Id<K>>,
    /// Maximum number of rows; at least 1.
    pub limit: i64,
}

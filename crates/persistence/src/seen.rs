//! What the primary had written when a request came in. A standby that has replayed that shows at least all that was
//! answered before the request, by whichever server: what the caller wrote, and what it has been told of (decision 103).
use domain::id::OrganizationId;

/// A place in the primary's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The timeline: a standby that is promoted begins another.
    pub(crate) timeline: i32,
    /// The bytes before it.
    pub(crate) bytes: i64,
}

/// What the primary had written when a request came in, if that is known. Where it is not, only the primary is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(pub(crate) Option<Position>);

impl Seen {
    /// Only the primary is read.
    pub const UNKNOWN: Self = Self(None);
}

/// Who reads lists and histories of an organization.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Whose they are.
    pub organization: OrganizationId,
    /// What they have to show.
    pub seen: Seen,
}

impl Reader {
    /// One who reads from the primary, and so sees all that is committed.
    #[must_use]
    pub const fn of_primary(organization: OrganizationId) -> Self {
        Self { organization, seen: Seen::UNKNOWN }
    }
}

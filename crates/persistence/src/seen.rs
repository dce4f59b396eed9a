//! The primary's log position when a request came in. A standby that has replayed the log up to
//! this position has all data that any instance wrote or returned before the request (decision
//! 103).
use domain::id::OrganizationId;

/// A position in the primary's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of the timeline. A standby that is promoted begins a new timeline.
    pub(crate) timeline: i32,
    /// The number of bytes of the log before the position.
    pub(crate) bytes: i64,
}

/// The primary's log position when a request came in, if known. If it is unknown, all reads go to
/// the primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(pub(crate) Option<Position>);

impl Seen {
    /// No position: all reads go to the primary.
    pub const UNKNOWN: Self = Self(None);
}

/// A caller that reads lists and histories of one organization.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub organization: OrganizationId,
    /// The position that a standby must have replayed to answer this caller.
    pub seen: Seen,
}

impl Reader {
    /// Returns a reader that reads from the primary and so sees everything that is committed.
    #[must_use]
    pub const fn from_primary(organization: OrganizationId) -> Self {
        Self { organization, seen: Seen::UNKNOWN }
    }
}

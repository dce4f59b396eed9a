//! Lists, a page at a time (`docs/contract.md#pagination`).

use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::Serialize;
use std::str::FromStr;

/// The entries of a page where nobody says how many.
pub const LIMIT_DEFAULT: i64 = 50;
/// Minimum number of entries in a page.
pub const MIN_LIMIT: i64 = 1;
/// Maximum number of entries to return.
pub const MAX_LIMIT: i64 = 100;
/// Far enough for any list, and small enough to add to.
pub const MAX_OFFSET: i64 = 1_000_000_000;

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Maximum number of entries.
    pub limit: i64,
    /// Number of entries to skip.
    pub offset: i64,
}

impl Window {
    /// Reads `limit` and `offset`: out of range is a fault, never silently clamped.
    pub fn parse(limit: Option<i64>, offset: Option<i64>, faults: &mut Violations) -> Option<Self> {
        let offset = offset.unwrap_or_default();
        let limit = parse_limit(limit, faults);
        let mut right = true;
        if !(0..=MAX_OFFSET).contains(&offset) {
            let message = format!("must be 0 to {MAX_OFFSET}");
            faults.add(&Field::root("offset"), Fault::OutOfRange, message);
            right = false;
        }
        right.then_some(Self { limit: limit?, offset })
    }
}

fn parse_limit(limit: Option<i64>, faults: &mut Violations) -> Option<i64> {
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    let right = (MIN_LIMIT..=MAX_LIMIT).contains(&limit);
    if !right {
        let message = format!("must be {MIN_LIMIT} to {MAX_LIMIT}");
        faults.add(&Field::root("limit"), Fault::OutOfRange, message);
    }
    right.then_some(limit)
}

/// From where on a list is wanted that only ever grows at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Maximum number of entries.
    pub limit: i64,
    /// The entry after which to begin.
    pub after: i64,
}

impl Cursor {
    /// Reads `limit` and `after`.
    pub fn parse(limit: Option<i64>, after: Option<i64>, faults: &mut Violations) -> Option<Self> {
        let after = after.unwrap_or_default();
        let limit = parse_limit(limit, faults);
        if after < 0 {
            faults.add(&Field::root("after"), Fault::OutOfRange, "must be 0 or more");
            return None;
        }
        Some(Self { limit: limit?, after })
    }

    /// The entries to look for: one more than wanted, which says whether more remain.
    #[must_use]
    pub const fn one_more(self) -> i64 {
        self.limit + 1
    }

    /// Leaves the one more out; returns whether it was there.
    pub fn cut<T>(self, found: &mut Vec<T>) -> bool {
        #[expect(clippy::disallowed_methods, reason = "a parsed limit is 1 to 100")]
        let limit = usize::try_from(self.limit).unwrap_or_default();
        let more = found.len() > limit;
        found.truncate(limit);
        more
    }
}

/// From where on a list is wanted that is in the order of its ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdCursor<I> {
    /// Maximum number of entries.
    pub limit: i64,
    /// The id after which to begin; none from the first on.
    pub after: Option<I>,
}

/// A part of such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPage<T> {
    /// The entries.
    pub data: Vec<T>,
    /// Whether there are more entries after this page.
    pub has_more: bool,
}

impl<I: FromStr + Ord + Copy> IdCursor<I> {
    /// Reads `limit` and `after`.
    pub fn parse(limit: Option<i64>, after: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let limit = parse_limit(limit, faults);
        let Ok(after) = after.map(str::parse).transpose() else {
            let message = "must be the id of an entry of the list";
            faults.add(&Field::root("after"), Fault::InvalidFormat, message);
            return None;
        };
        Some(Self { limit: limit?, after })
    }

    /// The part of a short list that is wanted.
    #[must_use]
    pub fn page<T>(self, mut all: Vec<T>, id: impl Fn(&T) -> I) -> IdPage<T> {
        all.retain(|it| self.after.is_none_or(|after| id(it) > after));
        all.sort_by_key(&id);
        let has_more = Cursor { limit: self.limit, after: 0 }.cut(&mut all);
        IdPage { data: all, has_more }
    }
}

/// What part of a growing list this is, and how to go on.
///
/// Not the `offset` of other lists: entries are added while somebody reads, and the oldest are forgotten, so
/// an offset would pass over some and repeat others. Nor a `total`, which would cost a count of them all.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CursorPagination {
    /// The `limit` of the request.
    pub limit: i64,
    /// The `after` of the request.
    pub after: i64,
    /// Whether there are more entries after this page.
    pub has_more: bool,
    /// The value of `after` for the next request.
    pub next_after: i64,
}

impl CursorPagination {
    /// The page after `cursor` that ends with the entry `last`.
    #[must_use]
    pub fn of(cursor: Cursor, last: Option<i64>, has_more: bool) -> Self {
        let Cursor { limit, after } = cursor;
        Self { limit, after, has_more, next_after: last.unwrap_or(after) }
    }
}

/// What part of a list this is, and how to get the next.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pagination {
    /// The `limit` of the request.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT))]
    pub limit: i64,
    /// Number of entries that were skipped.
    #[schemars(range(min = 0))]
    pub offset: i64,
    /// Total number of entries.
    #[schemars(range(min = 0))]
    pub total: i64,
    /// Whether there are more entries after this page.
    pub has_more: bool,
    /// The `offset` of the next page; null on the last.
    #[schemars(range(min = 1))]
    pub next_offset: Option<i64>,
}

impl Pagination {
    /// The page of `window` in a list of `total`.
    #[must_use]
    pub fn of(window: Window, total: i64) -> Self {
        let next = window.offset + window.limit;
        let has_more = next < total;
        Self {
            limit: window.limit,
            offset: window.offset,
            total,
            has_more,
            next_offset: has_more.then_some(next),
        }
    }
}

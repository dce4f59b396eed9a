//! Pagination of lists (`docs/contract.md#pagination`). There are two kinds of list, each with one
//! type for its answer:
//!
//! - by offset ([`Window`], [`Pagination`]): lists of which a client can read any page;
//! - by position ([`PositionPagination`]): long lists. The position is the id of an entry or a place
//!   in the list ([`IdCursor`]), and that of an event is its sequence ([`Cursor`]).
//!
//! The list of events also has [`CursorPagination`], an older form of the same values.

use crate::schema::IdOf;
use domain::id::{Id, Kind};
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Number of entries in a page, if the request does not say.
pub const LIMIT_DEFAULT: i64 = 50;
/// Minimum number of entries in a page.
pub const MIN_LIMIT: i64 = 1;
/// Maximum number of entries in a page.
pub const MAX_LIMIT: i64 = 100;
/// Maximum offset: enough for any list, and small enough to add to without an overflow.
pub const MAX_OFFSET: i64 = 1_000_000_000;

/// The page of a list that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Maximum number of entries.
    pub limit: i64,
    /// Number of entries to skip.
    pub offset: i64,
}

impl Window {
    /// Parses `limit` and `offset`. A value out of range is a violation; it is never clamped.
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

/// Cursor of an append-only list: the sequence to start after, and the page size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Maximum number of entries.
    pub limit: i64,
    /// The sequence to start after.
    pub after: i64,
}

impl Cursor {
    /// Parses `limit` and `after`, and adds each violation to `faults`.
    pub fn parse(limit: Option<i64>, after: Option<i64>, faults: &mut Violations) -> Option<Self> {
        let after = after.unwrap_or_default();
        let limit = parse_limit(limit, faults);
        if after < 0 {
            faults.add(&Field::root("after"), Fault::OutOfRange, "must be 0 or more");
            return None;
        }
        Some(Self { limit: limit?, after })
    }

    /// Returns the number of entries to query: one more than the page has, to find out whether more
    /// remain.
    #[must_use]
    pub const fn one_more(self) -> i64 {
        self.limit + 1
    }

    /// Removes the extra entry. Returns whether there was one.
    pub fn truncate<T>(self, found: &mut Vec<T>) -> bool {
        #[expect(clippy::disallowed_methods, reason = "a parsed limit is 1 to 100")]
        let limit = usize::try_from(self.limit).unwrap_or_default();
        let more = found.len() > limit;
        found.truncate(limit);
        more
    }
}

/// Cursor of a list that is ordered by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdCursor<I> {
    /// Maximum number of entries.
    pub limit: i64,
    /// The id to start after; none for the first page.
    pub after: Option<I>,
}

/// A page of a list that is ordered by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPage<T> {
    /// The entries of the page.
    pub data: Vec<T>,
    /// Whether there are more entries after this page.
    pub has_more: bool,
}

impl<I: FromStr> IdCursor<I> {
    /// Parses `limit` and `after`, and adds each violation to `faults`.
    pub fn parse(limit: Option<i64>, after: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let limit = parse_limit(limit, faults);
        let Ok(after) = after.map(str::parse).transpose() else {
            let message = "must be the id of an entry of the list";
            faults.add(&Field::root("after"), Fault::InvalidFormat, message);
            return None;
        };
        Some(Self { limit: limit?, after })
    }
}

impl<I: Ord + Copy> IdCursor<I> {
    /// Returns the requested page. `all` holds every entry of the list.
    #[must_use]
    pub fn page<T>(self, mut all: Vec<T>, id: impl Fn(&T) -> I) -> IdPage<T> {
        all.retain(|it| self.after.is_none_or(|after| id(it) > after));
        all.sort_by_key(&id);
        let has_more = Cursor { limit: self.limit, after: 0 }.truncate(&mut all);
        IdPage { data: all, has_more }
    }
}

/// A position in a list that is ordered by time and id, in the form of `after` and `next_after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeCursor<K: Kind> {
    /// The time of the entry.
    pub at: Timestamp,
    /// The id of the entry.
    pub id: Id<K>,
}

/// The error for a text that is not a [`TimeCursor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidCursor;

impl fmt::Display for InvalidCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("must be the next_after of a page of this list")
    }
}

impl std::error::Error for InvalidCursor {}

impl<K: Kind> fmt::Display for TimeCursor<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.id, self.at.micros())
    }
}

impl<K: Kind> FromStr for TimeCursor<K> {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (id, micros) = text.split_once('.').ok_or(InvalidCursor)?;
        let id = id.parse().map_err(|_| InvalidCursor)?;
        let micros = micros.parse().map_err(|_| InvalidCursor)?;
        Ok(Self { at: Timestamp::from_micros(micros), id })
    }
}

/// How to get the next page of a list by position. Its fields stand beside `data`. `P` is an
/// `Option`, except in a list whose last page has a position, too, because the list goes on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PositionPagination<P> {
    /// Whether there may be more entries after this page.
    has_more: bool,
    /// The value of `after` for the next page. If the list ends with this page, it is null.
    next_after: P,
}

/// How to get the next page of a list that is ordered by id.
pub type IdPagination<K> = PositionPagination<Option<IdOf<K>>>;

impl<P> PositionPagination<Option<P>> {
    /// Returns the pagination of the last page.
    #[must_use]
    pub const fn last_page() -> Self {
        Self { has_more: false, next_after: None }
    }

    /// Returns the pagination of a page. The list continues after `next_after`. On the last page
    /// `next_after` is `None`.
    #[must_use]
    pub const fn at(next_after: Option<P>) -> Self {
        Self { has_more: next_after.is_some(), next_after }
    }
}

impl<K: Kind> IdPagination<K> {
    /// Returns the pagination of a page. The list continues after the entry `next_after`. On the
    /// last page `next_after` is `None`.
    #[must_use]
    pub fn new(next_after: Option<Id<K>>) -> Self {
        Self::at(next_after.map(IdOf))
    }
}

/// An older form of `has_more` and `next_after`, with the `limit` and the `after` of the request. It
/// stays for clients that read it.
///
/// There is no `offset`, because entries are added and the oldest are deleted while you read: an
/// offset would skip some entries and repeat others. There is no `total`, because it would need a
/// count of all entries.
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
    /// Returns the pagination of the page after `cursor` that ends with the entry `last`.
    #[must_use]
    pub fn new(cursor: Cursor, last: Option<i64>, has_more: bool) -> Self {
        let Cursor { limit, after } = cursor;
        Self { limit, after, has_more, next_after: last.unwrap_or(after) }
    }

    /// Returns the same values in the form of other lists by position. The last page has a position,
    /// too: a reader continues from there when there are new entries.
    #[must_use]
    pub const fn position(&self) -> PositionPagination<i64> {
        PositionPagination { has_more: self.has_more, next_after: self.next_after }
    }
}

/// The position of the page in the list, and how to get the next page.
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
    /// The `offset` of the next page; null on the last page.
    #[schemars(range(min = 1))]
    pub next_offset: Option<i64>,
}

impl Pagination {
    /// Returns the pagination of the page `window` of a list of `total` entries.
    #[must_use]
    pub fn new(window: Window, total: i64) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::{Conversation, ConversationId};

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let at = Timestamp::from_micros(1_800_000_000_123_456);
        let id = ConversationId::new(at, [7; 10]);
        let cursor = TimeCursor { at, id };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for wrong in ["", "conv_1", "conv_1.2", ".", &id.to_string()] {
            assert_eq!(wrong.parse::<TimeCursor<Conversation>>(), Err(InvalidCursor), "{wrong}");
        }
    }
}

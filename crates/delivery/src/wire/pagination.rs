//! Lists, a page at a time (`contract.md` 1).

use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::Serialize;

const LIMIT_DEFAULT: i64 = 50;
const LIMIT_MOST: i64 = 100;
/// Far enough for any list, and small enough to add to.
const OFFSET_MOST: i64 = 1_000_000_000;

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The most entries.
    pub limit: i64,
    /// How many to pass over.
    pub offset: i64,
}

impl Window {
    /// Reads `limit` and `offset`: out of range is a fault, never silently clamped.
    pub fn parse(limit: Option<i64>, offset: Option<i64>, faults: &mut Violations) -> Option<Self> {
        let (limit, offset) = (limit.unwrap_or(LIMIT_DEFAULT), offset.unwrap_or_default());
        let mut right = true;
        if !(1..=LIMIT_MOST).contains(&limit) {
            let message = format!("must be 1 to {LIMIT_MOST}");
            faults.add(&Field::root("limit"), Fault::OutOfRange, message);
            right = false;
        }
        if !(0..=OFFSET_MOST).contains(&offset) {
            let message = format!("must be 0 to {OFFSET_MOST}");
            faults.add(&Field::root("offset"), Fault::OutOfRange, message);
            right = false;
        }
        right.then_some(Self { limit, offset })
    }
}

/// What part of a list this is, and how to get the next.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pagination {
    /// The most entries a page was allowed.
    pub limit: i64,
    /// How many were passed over.
    pub offset: i64,
    /// How many there are in all.
    pub total: i64,
    /// Whether more remain.
    pub has_more: bool,
    /// The `offset` of the next page; null on the last.
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

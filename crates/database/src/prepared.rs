//! Prepared statements of SQLite that are identified by the place in the program where they are
//! executed.
use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use std::marker::PhantomData;

/// A query whose SQL text never varies. Its prepared statement is kept and found by `Place`, so
/// that the text need not be built again. Diesel does this for other queries, but not for `UPDATE`
/// and `ON CONFLICT DO UPDATE`.
pub struct Prepared<Place, Query> {
    query: Query,
    place: PhantomData<Place>,
}

impl<Place: 'static, Q: QueryFragment<Sqlite>> Prepared<Place, Q> {
    /// Wraps the query of this place.
    pub fn new(query: Q) -> Self {
        #[cfg(debug_assertions)]
        texts::check::<Place>(&query);
        Self { query, place: PhantomData }
    }
}

impl<Place: 'static, Q> QueryId for Prepared<Place, Q> {
    type QueryId = Place;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<Place, Q: Query> Query for Prepared<Place, Q> {
    type SqlType = Q::SqlType;
}

impl<Place, Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Prepared<Place, Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &Sqlite) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Place, Q, Conn> diesel::RunQueryDsl<Conn> for Prepared<Place, Q> {}

/// Checks that a place always has the same SQL text. With two texts, the wrong statement would run.
/// Any test that executes the place twice detects this.
#[cfg(debug_assertions)]
mod texts {
    use super::{QueryFragment, Sqlite};
    use diesel::query_builder::QueryBuilder as _;
    use diesel::sqlite::query_builder::SqliteQueryBuilder;
    use std::any::TypeId;
    use std::cell::RefCell;
    use std::collections::HashMap;

    thread_local! {
        static TEXTS: RefCell<HashMap<TypeId, String>> = RefCell::default();
    }

    pub fn check<Place: 'static>(query: &impl QueryFragment<Sqlite>) {
        let mut builder = SqliteQueryBuilder::new();
        if query.to_sql(&mut builder, &Sqlite).is_err() {
            return;
        }
        let text = builder.finish();
        TEXTS.with_borrow_mut(|texts| {
            let first = texts.entry(TypeId::of::<Place>()).or_insert_with(|| text.clone());
            assert_eq!(*first, text, "a prepared statement has two texts");
        });
    }
}

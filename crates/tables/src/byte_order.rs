//! Sort orders that are the same in every database, whatever its collation.
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{Column, QueryResult};

/// A text column ordered by bytes, which is also the order of strings in Rust. Statements that lock
/// several rows must lock them in one order. Sends sort their rows in Rust, so the database has to
/// use the same order.
#[derive(Clone, Copy, Debug)]
pub struct InBytes<C>(pub C);

impl<C: Column> QueryId for InBytes<C>
where
    C: QueryId,
{
    type QueryId = InBytes<C::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = C::HAS_STATIC_QUERY_ID;
}

impl<C: Column<SqlType = Nullable<Text>>> Expression for InBytes<C> {
    type SqlType = Nullable<Text>;
}

impl<C: Column<SqlType = Nullable<Text>> + SelectableExpression<QS>, QS> SelectableExpression<QS>
    for InBytes<C>
{
}

impl<C: Column<SqlType = Nullable<Text>> + AppearsOnTable<QS>, QS> AppearsOnTable<QS>
    for InBytes<C>
{
}

impl<C: Column, GB> ValidGrouping<GB> for InBytes<C> {
    type IsAggregate = is_aggregate::No;
}

impl<C: QueryFragment<Pg>> QueryFragment<Pg> for InBytes<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" COLLATE \"C\"");
        Ok(())
    }
}

/// SQLite orders by bytes by default.
impl<C: QueryFragment<Sqlite>> QueryFragment<Sqlite> for InBytes<C> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

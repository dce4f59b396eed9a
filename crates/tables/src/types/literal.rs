//! Keywords in the text of a statement.
use super::Label;
use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use domain::keyword::Keyword;

/// A keyword as a literal instead of a parameter, for statements that use a partial index. If the
/// keyword is a parameter, neither SQLite nor PostgreSQL's generic plan knows that the index
/// contains all wanted rows.
#[derive(Clone, Copy, Debug)]
pub struct Literal<W>(pub W);

impl<W> Expression for Literal<W> {
    type SqlType = Label;
}

impl<W, Source> AppearsOnTable<Source> for Literal<W> {}

impl<W, Source> SelectableExpression<Source> for Literal<W> {}

impl<W> ValidGrouping<()> for Literal<W> {
    type IsAggregate = is_aggregate::Never;
}

// The text varies with the value, so statements are cached by their text.
impl<W> QueryId for Literal<W> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<W: Keyword, Db: Backend> QueryFragment<Db> for Literal<W> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // Keywords are constants of the domain and consist of letters and underscores, so they need
        // no escaping.
        out.push_sql("'");
        out.push_sql(self.0.as_str());
        out.push_sql("'");
        Ok(())
    }
}

/// The condition that a number is positive, with a literal zero, for statements that need a partial
/// index with this condition.
#[derive(Clone, Copy, Debug)]
pub struct Positive<C>(pub C);

impl<C> Expression for Positive<C> {
    type SqlType = diesel::sql_types::Bool;
}

impl<C: AppearsOnTable<Source>, Source> AppearsOnTable<Source> for Positive<C> {}

impl<C: SelectableExpression<Source>, Source> SelectableExpression<Source> for Positive<C> {}

impl<C: ValidGrouping<()>> ValidGrouping<()> for Positive<C> {
    type IsAggregate = C::IsAggregate;
}

impl<C: QueryId> QueryId for Positive<C> {
    type QueryId = Positive<C::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = C::HAS_STATIC_QUERY_ID;
}

impl<C: QueryFragment<Db>, Db: Backend> QueryFragment<Db> for Positive<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(");
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" > 0)");
        Ok(())
    }
}

//! SQL types that differ between the two databases, and columns of the domain's keywords.
//!
//! Each SQL type has an encoding for each database, so that the schema, the records and the queries
//! have the same text for both. Because these SQL types belong to this crate, the domain's types
//! can be column values although `domain` does not depend on diesel.

mod literal;
mod values;

pub use literal::{Literal, Positive};

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::{AsExpression, TypedExpressionType};
use diesel::internal::derives::as_expression::Bound;
use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Integer, SqlOrd, SqlType, Text};
use diesel::sqlite::Sqlite;
use std::fmt;
use std::ops::Deref;

/// `uuid` on PostgreSQL, a 16-byte `BLOB` on SQLite.
// The OID is given instead of the type's name, because diesel-async would look up a name in the
// catalog on each connection.
#[derive(Clone, Copy, Debug, SqlType, QueryId)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951), sqlite_type(name = "Binary"))]
pub struct Uid;

/// `timestamptz` on PostgreSQL, microseconds since 1970 in an `INTEGER` on SQLite.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185), sqlite_type(name = "Long"))]
pub struct Utc;

impl SqlOrd for Utc {}

/// `json` on PostgreSQL (not `jsonb`, which would reorder the fields), `TEXT` on SQLite.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 114, array_oid = 199), sqlite_type(name = "Text"))]
pub struct Doc;

/// A keyword of the domain, in a text column.
#[derive(Clone, SqlType, QueryId)]
#[diesel(postgres_type(oid = 25, array_oid = 1009), sqlite_type(name = "Text"))]
pub struct Label;

/// A non-negative integer: `integer` on PostgreSQL, `INTEGER` on SQLite.
#[derive(Clone, SqlType, QueryId)]
#[diesel(postgres_type(oid = 23, array_oid = 1007), sqlite_type(name = "Integer"))]
pub struct Count;

/// A number of bytes: `bigint` on PostgreSQL, `INTEGER` on SQLite.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 20, array_oid = 1016), sqlite_type(name = "Long"))]
pub struct Size;

/// A wrapper for a value of the domain that is written in a statement. Diesel's `AsExpression` can
/// only be implemented for a type of this crate. Values that are read need no wrapper, because the
/// SQL types belong to this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uid)]
#[diesel(sql_type = Utc)]
#[diesel(sql_type = Label)]
#[diesel(sql_type = Integer)]
#[diesel(sql_type = Count)]
#[diesel(sql_type = Size)]
pub struct Col<T: fmt::Debug>(pub T);

impl<T: fmt::Debug> From<T> for Col<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: fmt::Debug> Deref for Col<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

macro_rules! col {
    ($($Sql:ty),+) => {
        $(
            impl<Db: Backend, T: ToSql<$Sql, Db> + fmt::Debug> ToSql<$Sql, Db> for Col<T> {
                fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
                    self.0.to_sql(out)
                }
            }

            impl<Db: Backend, T: FromSql<$Sql, Db> + fmt::Debug> FromSql<$Sql, Db> for Col<T> {
                fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
                    T::from_sql(raw).map(Self)
                }
            }
        )+
    };
}
col!(Uid, Utc, Label, Count, Size);

impl<Db: Backend> ToSql<Integer, Db> for Col<u32>
where
    u32: ToSql<Count, Db>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        ToSql::<Count, Db>::to_sql(&self.0, out)
    }
}

impl<Db: Backend> FromSql<Integer, Db> for Col<u32>
where
    u32: FromSql<Count, Db>,
{
    fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
        <u32 as FromSql<Count, Db>>::from_sql(raw).map(Self)
    }
}

/// A field of a record, for an insert.
#[derive(Debug)]
pub struct FieldRef<'record, T>(pub &'record T);

impl<T, Sql: SqlType + TypedExpressionType> AsExpression<Sql> for FieldRef<'_, T> {
    type Expression = Bound<Sql, Self>;

    fn as_expression(self) -> Self::Expression {
        Bound::new(self)
    }
}

impl<Db: Backend, Sql, T: ToSql<Sql, Db> + fmt::Debug> ToSql<Sql, Db> for FieldRef<'_, T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        self.0.to_sql(out)
    }
}

/// A JSON text, stored and returned unchanged. This crate does not parse it.
#[derive(Clone, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Doc)]
pub struct Document(pub String);

impl ToSql<Doc, Pg> for Document {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(self.0.as_str(), out)
    }
}

impl FromSql<Doc, Pg> for Document {
    fn from_sql(raw: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(<String as FromSql<Text, Pg>>::from_sql(raw)?))
    }
}

impl ToSql<Doc, Sqlite> for Document {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Text, Sqlite>::to_sql(self.0.as_str(), out)
    }
}

impl FromSql<Doc, Sqlite> for Document {
    fn from_sql(raw: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(<String as FromSql<Text, Sqlite>>::from_sql(raw)?))
    }
}

/// A number of attempts. An invalid number is read as zero and logged, because one such row must
/// not stop a queue that organizations share. The number only decides how long the next wait is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = Integer)]
pub struct Attempts(u32);

impl From<u32> for Attempts {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

impl Deref for Attempts {
    type Target = u32;

    fn deref(&self) -> &u32 {
        &self.0
    }
}

impl ToSql<Integer, Pg> for Attempts {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Integer, Pg>::to_sql(&i32::try_from(self.0)?, &mut out.reborrow())
    }
}

impl ToSql<Integer, Sqlite> for Attempts {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(i32::try_from(self.0)?);
        Ok(IsNull::No)
    }
}

impl<Db: Backend> FromSql<Integer, Db> for Attempts
where
    i32: FromSql<Integer, Db>,
{
    fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
        let stored = <i32 as FromSql<Integer, Db>>::from_sql(raw)?;
        let read = u32::try_from(stored);
        Ok(Self(read.unwrap_or_else(|error| {
            tracing::error!(stored, %error, "the stored number of attempts is invalid and is read as zero");
            0
        })))
    }
}

//! Values whose column type differs between the two databases, and the domain's words.
//!
//! Each is ONE diesel SQL type with an encoding per backend, so the schema, the rows and the
//! queries are the same text for both. Being our own, these SQL types also let the domain's types go
//! into columns as they are, although domain knows nothing of diesel.
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Binary, Integer, SqlType, Text};
use diesel::sqlite::Sqlite;
use domain::application::RedirectUri;
use domain::id::{Id, Kind};
use domain::key::RateLimit;
use domain::keyword::Keyword;
use domain::time::Timestamp;
use std::fmt;
use std::ops::Deref;
use uuid::Uuid;

/// `uuid` on PostgreSQL, a 16-byte `BLOB` on SQLite.
// Naming the oid (not the type's name) spares diesel-async a catalogue lookup per connection.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951), sqlite_type(name = "Binary"))]
pub struct Uid;

/// `timestamptz` on PostgreSQL, microseconds since 1970 in an `INTEGER` on SQLite.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185), sqlite_type(name = "Long"))]
pub struct Utc;

/// `json` on PostgreSQL (not `jsonb`, which would reorder what we hand back), `TEXT` on SQLite.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 114, array_oid = 199), sqlite_type(name = "Text"))]
pub struct Doc;

/// One of the domain's words, in a text column.
#[derive(Clone, SqlType, QueryId)]
#[diesel(postgres_type(oid = 25, array_oid = 1009), sqlite_type(name = "Text"))]
pub struct Label;

/// A value of the domain in a column. Domain knows nothing of diesel, and diesel's traits can only be
/// given to a type of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uid)]
#[diesel(sql_type = Utc)]
#[diesel(sql_type = Label)]
#[diesel(sql_type = Text)]
#[diesel(sql_type = Integer)]
#[diesel(sql_type = BigInt)]
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

impl<K: Kind> ToSql<Uid, Pg> for Col<Id<K>> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Binary, Pg>::to_sql(self.0.uuid().as_bytes(), out)
    }
}

impl<K: Kind> FromSql<Uid, Pg> for Col<Id<K>> {
    fn from_sql(raw: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Id::from_uuid(Uuid::from_slice(raw.as_bytes())?)))
    }
}

impl<K: Kind> ToSql<Uid, Sqlite> for Col<Id<K>> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Binary, Sqlite>::to_sql(self.0.uuid().as_bytes().as_slice(), out)
    }
}

impl<K: Kind> FromSql<Uid, Sqlite> for Col<Id<K>> {
    fn from_sql(mut raw: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Id::from_uuid(Uuid::from_slice(raw.read_blob())?)))
    }
}

/// 2000-01-01T00:00:00Z, where PostgreSQL counts from, in microseconds since 1970.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;

impl ToSql<Utc, Pg> for Col<Timestamp> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<BigInt, Pg>::to_sql(&(self.0.micros() - POSTGRES_EPOCH), &mut out.reborrow())
    }
}

impl FromSql<Utc, Pg> for Col<Timestamp> {
    fn from_sql(raw: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let since = <i64 as FromSql<BigInt, Pg>>::from_sql(raw)?;
        Ok(Self(Timestamp::from_micros(since.saturating_add(POSTGRES_EPOCH))))
    }
}

impl ToSql<Utc, Sqlite> for Col<Timestamp> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.micros());
        Ok(IsNull::No)
    }
}

impl FromSql<Utc, Sqlite> for Col<Timestamp> {
    fn from_sql(raw: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Timestamp::from_micros(<i64 as FromSql<BigInt, Sqlite>>::from_sql(raw)?)))
    }
}

/// A JSON text that is kept and handed back as it is: what it means is not this crate's business.
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

impl<W: Keyword + fmt::Debug> ToSql<Label, Pg> for Col<W> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(self.0.as_str(), out)
    }
}

impl<W: Keyword + fmt::Debug> ToSql<Label, Sqlite> for Col<W> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Text, Sqlite>::to_sql(self.0.as_str(), out)
    }
}

/// A word that is none is an error, not a guess.
impl<W: Keyword + fmt::Debug, Db: Backend> FromSql<Label, Db> for Col<W>
where
    String: FromSql<Text, Db>,
{
    fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
        let word = <String as FromSql<Text, Db>>::from_sql(raw)?;
        let known = W::from_keyword(&word).map(Self);
        known.ok_or_else(|| format!("{word:?} is no {}", std::any::type_name::<W>()).into())
    }
}

impl ToSql<Text, Pg> for Col<RedirectUri> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(self.0.as_str(), out)
    }
}

impl ToSql<Text, Sqlite> for Col<RedirectUri> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Text, Sqlite>::to_sql(self.0.as_str(), out)
    }
}

impl<Db: Backend> FromSql<Text, Db> for Col<RedirectUri>
where
    String: FromSql<Text, Db>,
{
    fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(RedirectUri::parse(&<String as FromSql<Text, Db>>::from_sql(raw)?)?))
    }
}

/// Numbers of the domain in columns of the databases' signed integers. A number that is none of the domain's is an
/// error, not a guess.
macro_rules! number {
    ($Number:ty as $Sql:ty: $column:ty, $write:expr, $read:expr) => {
        impl ToSql<$Sql, Pg> for Col<$Number> {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                let number: $column = $write(self.0)?;
                ToSql::<$Sql, Pg>::to_sql(&number, &mut out.reborrow())
            }
        }

        impl ToSql<$Sql, Sqlite> for Col<$Number> {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                let number: $column = $write(self.0)?;
                out.set_value(number);
                Ok(IsNull::No)
            }
        }

        impl<Db: Backend> FromSql<$Sql, Db> for Col<$Number>
        where
            $column: FromSql<$Sql, Db>,
        {
            fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
                let number = <$column as FromSql<$Sql, Db>>::from_sql(raw)?;
                let read = $read(number);
                Ok(Self(read.map_err(|why| format!("{number} in a column: {why}"))?))
            }
        }
    };
}

/// How often something was tried. A count that is none is read as zero and logged, not refused: it only decides
/// how long the next wait is, and one such row must not stop a queue that organizations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
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
            tracing::error!(stored, %error, "a count of attempts cannot be read; it counts as none");
            0
        })))
    }
}

number!(u32 as Integer: i32, i32::try_from, u32::try_from);
number!(u64 as BigInt: i64, i64::try_from, u64::try_from);
number!(RateLimit as Integer: i32, |limit: RateLimit| i32::try_from(limit.number()), |number| {
    RateLimit::parse(i64::from(number))
});

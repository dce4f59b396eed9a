//! Values whose column type differs between the two databases, and the domain's words.
//!
//! Each is ONE diesel SQL type with an encoding per backend, so the schema, the rows and the
//! queries are the same text for both. Being our own, these SQL types also let the domain's types go
//! into columns as they are, although domain knows nothing of diesel.
use auth::handshake::HandshakeFault;
use diesel::backend::Backend;
use diesel::deserialize::Queryable;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::{AsExpression, TypedExpressionType};
use diesel::internal::derives::as_expression::Bound;
use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Binary, Integer, SqlType, Text};
use diesel::sqlite::Sqlite;
use domain::account::{AccountQuality, ChannelKind, HealthReason, HealthState};
use domain::application::RedirectUri;
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::connection::{ConnectionState, EndReason};
use domain::content::MessageKind;
use domain::conversation::Source;
use domain::event::EventKind;

use domain::id::{Id, Kind};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword;
use domain::media::MediaState;
use domain::message::{Direction, Failure, Status};
use domain::plan::{Meter, SubscriptionStatus};
use domain::template::{
    Category, ParameterFormat, RejectionReason, TemplateQuality, TemplateStatus,
};
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, DisabledReason, EndpointState};
use std::any::type_name;
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

/// A whole number from 0: `integer` on PostgreSQL, `INTEGER` on SQLite.
#[derive(Clone, SqlType, QueryId)]
#[diesel(postgres_type(oid = 23, array_oid = 1007), sqlite_type(name = "Integer"))]
pub struct Count;

/// A number of bytes: `bigint` on PostgreSQL, `INTEGER` on SQLite.
#[derive(SqlType, QueryId)]
#[diesel(postgres_type(oid = 20, array_oid = 1016), sqlite_type(name = "Long"))]
pub struct Size;

/// A value in a statement. Records need no wrapper to be read, because the SQL types are this crate's; but diesel's
/// `AsExpression` can only be implemented for a type of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uid)]
#[diesel(sql_type = Utc)]
#[diesel(sql_type = Label)]
#[diesel(sql_type = Integer)]
#[diesel(sql_type = Count)]
#[diesel(sql_type = Size)]
pub(crate) struct Col<T: fmt::Debug>(pub(crate) T);

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

/// A field of a record that is inserted.
#[derive(Debug)]
pub struct Field<'record, T>(pub(crate) &'record T);

impl<T, Sql: SqlType + TypedExpressionType> AsExpression<Sql> for Field<'_, T> {
    type Expression = Bound<Sql, Self>;

    fn as_expression(self) -> Self::Expression {
        Bound::new(self)
    }
}

impl<Db: Backend, Sql, T: ToSql<Sql, Db> + fmt::Debug> ToSql<Sql, Db> for Field<'_, T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        self.0.to_sql(out)
    }
}

/// Lets a type of the domain be selected from columns of an SQL type.
macro_rules! column_value {
    ($Value:ty as $Sql:ty $(, for $($parameters:tt)+)?) => {
        impl<$($($parameters)+,)? Db: Backend> Queryable<$Sql, Db> for $Value
        where
            Self: FromSql<$Sql, Db>,
        {
            type Row = Self;

            fn build(row: Self) -> deserialize::Result<Self> {
                Ok(row)
            }
        }
    };
}

column_value!(Id<K> as Uid, for K: Kind);

impl<K: Kind> ToSql<Uid, Pg> for Id<K> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Binary, Pg>::to_sql(self.uuid().as_bytes(), out)
    }
}

impl<K: Kind> FromSql<Uid, Pg> for Id<K> {
    fn from_sql(raw: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::from_uuid(Uuid::from_slice(raw.as_bytes())?))
    }
}

impl<K: Kind> ToSql<Uid, Sqlite> for Id<K> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Binary, Sqlite>::to_sql(self.uuid().as_bytes().as_slice(), out)
    }
}

impl<K: Kind> FromSql<Uid, Sqlite> for Id<K> {
    fn from_sql(mut raw: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::from_uuid(Uuid::from_slice(raw.read_blob())?))
    }
}

/// 2000-01-01T00:00:00Z, where PostgreSQL counts from, in microseconds since 1970.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;

column_value!(Timestamp as Utc);

impl ToSql<Utc, Pg> for Timestamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<BigInt, Pg>::to_sql(&(self.micros() - POSTGRES_EPOCH), &mut out.reborrow())
    }
}

impl FromSql<Utc, Pg> for Timestamp {
    fn from_sql(raw: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let since = <i64 as FromSql<BigInt, Pg>>::from_sql(raw)?;
        Ok(Self::from_micros(since.saturating_add(POSTGRES_EPOCH)))
    }
}

impl ToSql<Utc, Sqlite> for Timestamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.micros());
        Ok(IsNull::No)
    }
}

impl FromSql<Utc, Sqlite> for Timestamp {
    fn from_sql(raw: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::from_micros(<i64 as FromSql<BigInt, Sqlite>>::from_sql(raw)?))
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

/// Keywords of the domain in text columns. A word that is none of theirs is an error, not a guess.
macro_rules! keyword_values {
    ($($Keyword:ty),+ $(,)?) => {
        $(
            column_value!($Keyword as Label);

            impl ToSql<Label, Pg> for $Keyword {
                fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                    ToSql::<Text, Pg>::to_sql(self.as_str(), out)
                }
            }

            impl ToSql<Label, Sqlite> for $Keyword {
                fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                    ToSql::<Text, Sqlite>::to_sql(self.as_str(), out)
                }
            }

            impl<Db: Backend> FromSql<Label, Db> for $Keyword
            where
                String: FromSql<Text, Db>,
            {
                fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
                    keyword(&<String as FromSql<Text, Db>>::from_sql(raw)?)
                }
            }
        )+
    };
}

fn keyword<W: Keyword>(word: &str) -> deserialize::Result<W> {
    W::from_keyword(word).ok_or_else(|| format!("{word:?} is no {}", type_name::<W>()).into())
}

keyword_values!(
    AccountQuality,
    CallbackKind,
    Category,
    ChannelKind,
    ConnectionState,
    DeadLetterReason,
    DeliveryState,
    Direction,
    DisabledReason,
    EndReason,
    EndpointState,
    EventKind,
    Failure,
    HandshakeFault,
    HealthReason,
    HealthState,
    KeyKind,
    KeyState,
    MediaState,
    MessageKind,
    Meter,
    ParameterFormat,
    RejectionReason,
    Source,
    Status,
    SubscriptionStatus,
    TemplateQuality,
    TemplateStatus,
);

column_value!(RedirectUri as Label);

impl ToSql<Label, Pg> for RedirectUri {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(self.as_str(), out)
    }
}

impl ToSql<Label, Sqlite> for RedirectUri {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        ToSql::<Text, Sqlite>::to_sql(self.as_str(), out)
    }
}

impl<Db: Backend> FromSql<Label, Db> for RedirectUri
where
    String: FromSql<Text, Db>,
{
    fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::parse(&<String as FromSql<Text, Db>>::from_sql(raw)?)?)
    }
}

/// Numbers of the domain in columns of the databases' signed integers. A number that is none of the domain's is an
/// error, not a guess.
macro_rules! number {
    ($Number:ty as $Sql:ty, $Native:ty: $column:ty, $write:expr, $read:expr) => {
        impl ToSql<$Sql, Pg> for $Number {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                let number: $column = $write(*self)?;
                ToSql::<$Native, Pg>::to_sql(&number, &mut out.reborrow())
            }
        }

        impl ToSql<$Sql, Sqlite> for $Number {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                let number: $column = $write(*self)?;
                out.set_value(number);
                Ok(IsNull::No)
            }
        }

        impl<Db: Backend> FromSql<$Sql, Db> for $Number
        where
            $column: FromSql<$Native, Db>,
        {
            fn from_sql(raw: Db::RawValue<'_>) -> deserialize::Result<Self> {
                let number = <$column as FromSql<$Native, Db>>::from_sql(raw)?;
                let read = $read(number);
                Ok(read.map_err(|why| format!("{number} in a column: {why}"))?)
            }
        }
    };
}

number!(u32 as Count, Integer: i32, i32::try_from, u32::try_from);
number!(u64 as Size, BigInt: i64, i64::try_from, u64::try_from);
column_value!(RateLimit as Count);
number!(RateLimit as Count, Integer: i32, |limit: RateLimit| i32::try_from(limit.number()), |number| {
    RateLimit::parse(i64::from(number))
});

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

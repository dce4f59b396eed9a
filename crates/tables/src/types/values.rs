//! The domain's types as column values. They are implemented here because `domain` does not depend
//! on diesel and the SQL types belong to this crate.
use super::{Count, Label, Size, Uid, Utc};
use auth::handshake::HandshakeFault;
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, Queryable};
use diesel::pg::Pg;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Binary, Integer, Text};
use diesel::sqlite::Sqlite;
use domain::account::{AccountQuality, ChannelKind, HealthReason, HealthState};
use domain::agent::{AgentEntryKind, AgentKind, AgentMode, TurnState};
use domain::application::RedirectUri;
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::connection::{ConnectionState, EndReason};
use domain::contact::DeletionStage;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::event::EventKind;
use domain::id::{Id, Kind};
use domain::inbox::{ConversationStatus, PauseCause};
use domain::instance::WorkKind;
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword;
use domain::media::{FetchStep, MediaState};
use domain::message::{Direction, Failure, MessageStatus, ScheduleState};
use domain::plan::{Meter, SubscriptionStatus};
use domain::role::{MemberAction, Role};
use domain::template::{
    Category, ParameterFormat, RejectionReason, TemplateQuality, TemplateStatus,
};
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, DisabledReason, EndpointState, ReportedHealth};
use std::any::type_name;
use uuid::Uuid;

/// Lets a domain type be selected from columns of an SQL type.
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

/// 2000-01-01T00:00:00Z, the start of PostgreSQL's timestamps, in microseconds since 1970.
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

/// Implements text columns for keywords of the domain. A stored text that is not one of the
/// keywords is an error.
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
    W::from_keyword(word)
        .ok_or_else(|| format!("{word:?} is not a valid {}", type_name::<W>()).into())
}

keyword_values!(
    AccountQuality,
    AgentKind,
    AgentEntryKind,
    AgentMode,
    CallbackKind,
    Category,
    ChannelKind,
    ConnectionState,
    ConversationStatus,
    DeadLetterReason,
    DeletionStage,
    DeliveryState,
    Direction,
    DisabledReason,
    ReportedHealth,
    EndReason,
    EndpointState,
    EventKind,
    Failure,
    FetchStep,
    HandshakeFault,
    HealthReason,
    HealthState,
    KeyKind,
    KeyState,
    MediaState,
    MemberAction,
    MessageKind,
    Meter,
    ParameterFormat,
    PauseCause,
    RejectionReason,
    Role,
    ScheduleState,
    MessageSource,
    MessageStatus,
    SubscriptionStatus,
    TemplateQuality,
    TemplateStatus,
    TurnState,
    WorkKind,
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

/// Implements signed integer columns for numbers of the domain. A number outside the domain's range
/// is an error.
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
                Ok(read.map_err(|why| format!("the column holds {number}: {why}"))?)
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

//! Places in the primary's log, and what a standby has replayed of it.
use super::Conn;
use super::queries::sessions::session_beside;
use crate::Result;
use crate::cached::Cached;
use crate::records::Session;
use crate::schema::write_checks;
use crate::seen::{Position, Seen};
use crate::types::{Col, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection as _};
use domain::time::Timestamp;

/// What is on the primary's disk: all that has been answered is before it. A server that is a primary no longer has none.
/// The name of a file of the log begins with its timeline.
const POSITION: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
                        THEN pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint END AS bytes, \
                        CASE WHEN NOT pg_is_in_recovery() THEN ('x' || \
                        left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int END AS timeline";

/// Waits up to ten milliseconds until the position is replayed. In a `CASE`, since PostgreSQL is free to evaluate the parts
/// of an `AND` in any order.
const REPLAYED: &str = "SELECT pg_is_in_recovery() AS is_standby, \
     pg_is_in_recovery() AND EXISTS (SELECT 1 FROM write_checks WHERE id = $1 AND at = $2) AS follows, \
     (SELECT count(*) FROM generate_series(1, 10) WHERE CASE \
     WHEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') < $3 THEN pg_sleep(0.001) IS NOT NULL \
     ELSE false END) < 10 AS is_reached, \
     coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint AS bytes";

/// How a standby that follows the primary's timeline is known: by a row that the primary wrote there and nowhere else.
/// Positions alone would not tell: two servers that were promoted have both gone on from the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timeline {
    pub id: i32,
    marked_at: Timestamp,
}

/// Where the primary is.
pub(super) struct Look {
    pub position: Position,
    pub timeline: Timeline,
}

#[derive(QueryableByName)]
struct Written {
    #[diesel(sql_type = Nullable<BigInt>)]
    bytes: Option<i64>,
    #[diesel(sql_type = Nullable<Integer>)]
    timeline: Option<i32>,
}

/// What a standby has replayed.
#[derive(Clone, Copy, QueryableByName)]
pub(super) struct Replayed {
    /// Whether it is a standby.
    #[diesel(sql_type = Bool)]
    pub is_standby: bool,
    /// Whether it is one of the primary that is meant.
    #[diesel(sql_type = Bool)]
    pub follows: bool,
    /// Whether it has come to the position.
    #[diesel(sql_type = Bool)]
    pub is_reached: bool,
    /// How far it is.
    #[diesel(sql_type = BigInt)]
    pub bytes: i64,
}

/// What the primary has written by now, as part of a look-up: where it cannot say, only the primary is read.
pub(super) async fn position_if_known(conn: &mut &Conn) -> Result<Seen> {
    Ok(position(conn).await.unwrap_or_else(|error| {
        tracing::debug!(%error, "the primary did not say how far it is");
        Seen::UNKNOWN
    }))
}

async fn position(conn: &mut &Conn) -> Result<Seen> {
    let written: Written = Cached(diesel::sql_query(POSITION)).get_result(conn).await?;
    let position = written.bytes.zip(written.timeline);
    Ok(Seen(position.map(|(bytes, timeline)| Position { timeline, bytes })))
}

/// A session that is still in use, and what the primary has written by now.
pub(crate) async fn session_and_seen(
    conn: &mut Conn,
    digest: Vec<u8>,
    cutoff: Timestamp,
) -> Result<(Option<Session>, Seen)> {
    let (mut shared, mut beside): (&Conn, &Conn) = (conn, conn);
    let session = session_beside(&mut shared, digest, cutoff);
    let (seen, session) = tokio::try_join!(biased; position_if_known(&mut beside), session)?;
    Ok((session, seen))
}

/// Where the primary is, which marks its timeline if nobody has; nothing if it is no primary.
pub(super) async fn look(conn: &mut Conn) -> Result<Option<Look>> {
    let Seen(Some(before)) = position(&mut &*conn).await? else { return Ok(None) };
    let timeline = mark(conn, before.timeline).await?;
    // A standby that has come to this position has the mark.
    let Seen(Some(position)) = position(&mut &*conn).await? else { return Ok(None) };
    Ok((position.timeline == timeline.id).then_some(Look { position, timeline }))
}

/// Rows below zero are timelines: one row for each that the database has had while a standby was read from.
async fn mark(conn: &mut Conn, timeline: i32) -> Result<Timeline> {
    let row = write_checks::table.find(-timeline).select(write_checks::at);
    let found: Option<Col<Timestamp>> = row.get_result(conn).await.optional()?;
    let marked_at = if let Some(at) = found {
        at
    } else {
        let mark = "INSERT INTO write_checks (id, at) VALUES ($1, clock_timestamp()) \
                    ON CONFLICT (id) DO NOTHING";
        diesel::sql_query(mark).bind::<Integer, _>(-timeline).execute(conn).await?;
        row.get_result(conn).await?
    };
    Ok(Timeline { id: timeline, marked_at: marked_at.0 })
}

/// What a standby has replayed, once it has come to the position or ten milliseconds are over.
pub(super) async fn replayed(
    conn: &mut Conn,
    position: Position,
    timeline: Timeline,
) -> Result<Replayed> {
    let asked = diesel::sql_query(REPLAYED)
        .bind::<Integer, _>(-timeline.id)
        .bind::<Utc, _>(Col(timeline.marked_at))
        .bind::<BigInt, _>(position.bytes);
    Ok(Cached(asked).get_result(conn).await?)
}

/// Begins a transaction in which each statement sees what is committed when it begins.
pub(super) async fn begin_reading(conn: &mut Conn) -> Result<()> {
    Ok(conn.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY").await?)
}

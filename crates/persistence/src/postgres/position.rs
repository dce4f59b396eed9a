//! Positions in the primary's log, and the position that a standby has replayed.
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

/// Reads the log position up to which the primary has flushed its log to disk, and the timeline.
/// All writes that were reported to callers are before this position. For a server in recovery both
/// are null. The first 8 digits of the name of a log file are its timeline.
const POSITION: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
                        THEN pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint END AS bytes, \
                        CASE WHEN NOT pg_is_in_recovery() THEN ('x' || \
                        left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int END AS timeline";

/// Waits up to 10 ms for the standby to replay the log up to a position. The comparison is in a
/// `CASE`, because PostgreSQL may evaluate the parts of an `AND` in any order.
const REPLAYED: &str = "SELECT pg_is_in_recovery() AS is_standby, \
     pg_is_in_recovery() AND EXISTS (SELECT 1 FROM write_checks WHERE id = $1 AND at = $2) AS follows, \
     (SELECT count(*) FROM generate_series(1, 10) WHERE CASE \
     WHEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') < $3 THEN pg_sleep(0.001) IS NOT NULL \
     ELSE false END) < 10 AS is_reached, \
     coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint AS bytes";

/// The mark of a timeline: a row that the primary of this timeline wrote. A standby that has
/// replayed the row follows this primary. A position alone is not enough, because two servers that
/// were promoted from the same primary may have the same timeline number and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PostgresTimeline {
    pub id: i32,
    marked_at: Timestamp,
}

/// The position and timeline that were read from the primary.
pub(super) struct Look {
    pub position: Position,
    pub timeline: PostgresTimeline,
}

#[derive(QueryableByName)]
struct WritePosition {
    #[diesel(sql_type = Nullable<BigInt>)]
    bytes: Option<i64>,
    #[diesel(sql_type = Nullable<Integer>)]
    timeline: Option<i32>,
}

/// The answer of a standby about its replay.
#[derive(Clone, Copy, QueryableByName)]
pub(super) struct Replayed {
    /// Whether the server is a standby.
    #[diesel(sql_type = Bool)]
    pub is_standby: bool,
    /// Whether the standby follows the expected primary.
    #[diesel(sql_type = Bool)]
    pub follows: bool,
    /// Whether the standby has replayed the log up to the position.
    #[diesel(sql_type = Bool)]
    pub is_reached: bool,
    /// The number of bytes of the log that the standby has replayed.
    #[diesel(sql_type = BigInt)]
    pub bytes: i64,
}

/// Returns the primary's log position, for a lookup that also reads something else. If the position
/// cannot be read, returns `Seen::UNKNOWN`, and the caller's reads go to the primary.
pub(super) async fn position_if_known(conn: &mut &Conn) -> Result<Seen> {
    Ok(position(conn).await.unwrap_or_else(|error| {
        tracing::debug!(%error, "the primary's log position could not be read");
        Seen::UNKNOWN
    }))
}

async fn position(conn: &mut &Conn) -> Result<Seen> {
    let written: WritePosition = Cached(diesel::sql_query(POSITION)).get_result(conn).await?;
    let position = written.bytes.zip(written.timeline);
    Ok(Seen(position.map(|(bytes, timeline)| Position { timeline, bytes })))
}

/// Returns a session that was used since `cutoff`, and the primary's log position.
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

/// Returns the primary's position and timeline, and creates the timeline's mark if there is none.
/// Returns `None` if the server is not a primary.
pub(super) async fn read_position(conn: &mut Conn) -> Result<Option<Look>> {
    let Seen(Some(before)) = position(&mut &*conn).await? else { return Ok(None) };
    let timeline = mark(conn, before.timeline).await?;
    // The mark was written before this position, so a standby that has replayed the position has
    // the mark.
    let Seen(Some(position)) = position(&mut &*conn).await? else { return Ok(None) };
    Ok((position.timeline == timeline.id).then_some(Look { position, timeline }))
}

/// Returns the mark of a timeline, and creates it if there is none. Rows with negative ids are
/// marks: one for each timeline during which a standby was in use.
async fn mark(conn: &mut Conn, timeline: i32) -> Result<PostgresTimeline> {
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
    Ok(PostgresTimeline { id: timeline, marked_at: marked_at.0 })
}

/// Returns the standby's state as soon as it has reached the position, or after 10 ms.
pub(super) async fn replayed(
    conn: &mut Conn,
    position: Position,
    timeline: PostgresTimeline,
) -> Result<Replayed> {
    let asked = diesel::sql_query(REPLAYED)
        .bind::<Integer, _>(-timeline.id)
        .bind::<Utc, _>(Col(timeline.marked_at))
        .bind::<BigInt, _>(position.bytes);
    Ok(Cached(asked).get_result(conn).await?)
}

/// Begins a read-only transaction in which each statement sees what was replayed before it began.
pub(super) async fn begin_reading(conn: &mut Conn) -> Result<()> {
    Ok(conn.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY").await?)
}

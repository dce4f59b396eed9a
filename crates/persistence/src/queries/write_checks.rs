//! Checks whether the database accepts writes.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::schema::write_checks;
use crate::types::Col;
use diesel::prelude::*;
use domain::time::Timestamp;

/// The id of the row that is written here.
const ROW: i32 = 1;

/// Writes a row and waits until it is durable.
pub async fn check_write(conn: &mut Conn, at: Timestamp) -> Result<()> {
    diesel::insert_into(write_checks::table)
        .values((write_checks::id.eq(ROW), write_checks::at.eq(Col(at))))
        .on_conflict(write_checks::id)
        .do_update()
        .set(write_checks::at.eq(Col(at)))
        .execute(conn)
        .await?;
    Ok(())
}

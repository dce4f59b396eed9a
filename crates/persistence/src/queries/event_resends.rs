//! Requests to deliver events again. The newest requests of an organization are kept, so that
//! programs that read its events can find them.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::EventResend;
use crate::schema::{event_counters, event_resends};
use crate::types::Col;
use diesel::dsl::max;
use diesel::prelude::*;
use domain::id::OrganizationId;

/// The number of requests that are kept in each organization.
const KEPT: i64 = 100;

/// Records that the events from `first` to `last` are to be sent again. Must be the last step of
/// its transaction, because the counter of events stays locked until the commit. Requests are
/// thereby numbered in the order of their commits, and a reader who has seen a number has seen all
/// smaller ones.
pub(super) async fn record(
    conn: &mut Conn,
    organization: OrganizationId,
    first: i64,
    last: i64,
) -> Result<()> {
    let counter = event_counters::table
        .filter(event_counters::organization_id.eq(Col(organization)))
        .select(event_counters::last);
    let _: Option<i64> = for_update!(counter).get_result(conn).await.optional()?;
    let own = || event_resends::table.filter(event_resends::organization_id.eq(Col(organization)));
    let newest: Option<i64> = own().select(max(event_resends::number)).get_result(conn).await?;
    let number = newest.unwrap_or_default() + 1;
    let row = (
        event_resends::organization_id.eq(Col(organization)),
        event_resends::number.eq(number),
        event_resends::first_sequence.eq(first),
        event_resends::last_sequence.eq(last),
    );
    diesel::insert_into(event_resends::table).values(row).execute(conn).await?;
    let old = own().filter(event_resends::number.le(number - KEPT));
    diesel::delete(old).execute(conn).await?;
    Ok(())
}

/// Returns the resends that were requested after a number, in order.
pub async fn resends_after(
    conn: &mut Conn,
    organization: OrganizationId,
    after: i64,
) -> Result<Vec<EventResend>> {
    let found = event_resends::table
        .filter(event_resends::organization_id.eq(Col(organization)))
        .filter(event_resends::number.gt(after))
        .order(event_resends::number)
        .limit(KEPT)
        .select((
            event_resends::number,
            event_resends::first_sequence,
            event_resends::last_sequence,
        ));
    let rows: Vec<(i64, i64, i64)> = found.load(conn).await?;
    let resends = rows.into_iter().map(|(number, first, last)| EventResend { number, first, last });
    Ok(resends.collect())
}

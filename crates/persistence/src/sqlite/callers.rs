//! Reads a key and its usage with one query instead of several, because each query has the fixed
//! cost of binding parameters and of a read transaction.
use super::queries::keys::{sends_from, with_holder};
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::{Account, Caller, CallerQuestion, CallerWithUsage, KeyUsage};
use crate::schema::{accounts, keys, organizations, usage};
use crate::types::Col;
use diesel::prelude::*;
use domain::plan::Meter;

/// Returns the key with a secret, the account that it sends from, and the number of messages that
/// its organization has sent in a period.
pub async fn caller_with_usage(
    conn: &mut Conn,
    asked: CallerQuestion,
) -> Result<Option<CallerWithUsage>> {
    let number = accounts::organization_id.eq(keys::organization_id).and(
        accounts::id.nullable().eq(sends_from(keys::account_id, organizations::default_account_id)),
    );
    let counted = usage::organization_id
        .eq(keys::organization_id)
        .and(usage::meter.eq(Col(Meter::Messages)))
        .and(usage::period.eq(asked.period));
    let all = with_holder()
        .left_join(accounts::table.on(number))
        .left_join(usage::table.on(counted))
        .filter(keys::secret_digest.eq(asked.secret_digest))
        .select((Caller::as_select(), Option::<Account>::as_select(), usage::used.nullable()));
    let found: Option<(Caller, Option<Account>, Option<Col<u32>>)> =
        prepared!(all).get_result(conn).await.optional()?;
    Ok(found.map(|(caller, account, used)| {
        let usage = KeyUsage { account, messages: used.map_or(0, |it| it.0) };
        CallerWithUsage { caller, usage }
    }))
}

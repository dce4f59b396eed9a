//! Applies what callbacks about messages say about their recipients, many at a time.
use super::contacts::{Book, apply, found, one};
use super::events;
use super::people::{theirs, with_contact};
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{Contact, Conversation, ConversationWithContact, Merges, RecipientReport};
use crate::schema::{contacts, conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::{Judgement, of_status};
use domain::id::{AccountId, OrganizationId};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Selects the contacts that reports are about or name, with their conversations. Each alternative
/// is a whole key, so that each uses an index.
macro_rules! concerned {
    ($organization:expr, $account:expr, $reports:expr) => {{
        let numbers = $reports.iter().filter_map(|it| it.named.phone_number.as_ref());
        let users = $reports.iter().filter_map(|it| it.named.user_id.as_ref());
        let ids = $reports.iter().map(|it| Col(it.contact));
        let whose = || contacts::organization_id.eq(Col($organization));
        let of_number = || whose().and(contacts::account_id.eq(Col($account)));
        let numbers: Vec<_> = numbers.map(|it| Some(it.to_string())).collect();
        let users: Vec<_> = users.map(|it| Some(it.to_string())).collect();
        let named = of_number().and(contacts::phone_number.eq_any(numbers));
        let named = named.or(of_number().and(contacts::channel_user_id.eq_any(users)));
        let about = of_number().and(contacts::id.eq_any(ids.collect::<Vec<_>>()));
        contacts::table
            .inner_join(conversations::table.on(theirs()))
            .filter(named.or(about))
            .filter(conversations::merged_into.is_null())
            .select((Conversation::as_select(), Contact::as_select()))
    }};
}

type ByAccount = BTreeMap<(OrganizationId, AccountId), Vec<RecipientReport>>;

/// Groups reports in the order in which sends lock the conversations of accounts.
fn by_account(reports: Vec<RecipientReport>) -> ByAccount {
    let mut groups = ByAccount::new();
    for report in reports {
        groups.entry((report.organization, report.account)).or_default().push(report);
    }
    groups
}

/// Returns the reports that change something. This takes one statement per account and locks
/// nothing. Reports on a row that cannot be read are left out.
pub async fn relevant_reports(
    conn: &mut Conn,
    reports: Vec<RecipientReport>,
) -> Result<Vec<RecipientReport>> {
    let mut relevant = Vec::new();
    for ((organization, account), reports) in by_account(reports) {
        let rows = concerned!(organization, account, &reports).load(conn).await?;
        let rows: Vec<(Conversation, Contact)> = rows;
        let rows: Vec<_> = rows.into_iter().map(with_contact).collect();
        relevant.extend(reports.into_iter().filter(|report| changes(&rows, report)));
    }
    Ok(relevant)
}

/// Returns whether a report changes something in these rows.
fn changes(rows: &[ConversationWithContact], report: &RecipientReport) -> bool {
    let number = report.named.phone_number.as_ref().map(ToString::to_string);
    let user = report.named.user_id.as_ref().map(ToString::to_string);
    let concerned = rows.iter().filter(|ConversationWithContact { contact, .. }| {
        contact.id == report.contact
            || (number.is_some() && contact.phone_number == number)
            || (user.is_some() && contact.channel_user_id == user)
    });
    match concerned.map(ConversationWithContact::known).collect::<Result<Vec<_>, _>>() {
        Ok(known) => !of_status(&known, report.contact, &report.named, report.at).steps.is_empty(),
        Err(error) => {
            tracing::error!(%error, "a contact could not be read; the report on it is skipped");
            false
        }
    }
}

/// Records what reports say about contacts, all or nothing. Returns the number of changes.
pub async fn apply_reports(
    conn: &mut Conn,
    reports: Vec<RecipientReport>,
    now: Timestamp,
    merges: Merges,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let (several, groups) = (reports.len() > 1, by_account(reports));
        for ((organization, account), reports) in groups.iter().filter(|_| several) {
            // All rows are locked at once in the order of sends, to avoid deadlocks.
            let rows = concerned!(*organization, *account, reports);
            let held = held_in_order!(rows, conversations::address);
            held.load::<(Conversation, Contact)>(conn).await?;
        }
        let (mut new_events, mut steps) = (Vec::new(), 0);
        for ((organization, account), reports) in groups {
            let book = Book { organization, account, now, merges };
            for report in reports {
                let (found, judgement) = judged(conn, &book, &report).await?;
                steps += judgement.steps.len();
                new_events.extend(apply(conn, &book, found, &judgement).await?);
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(steps)
    })
    .await
}

/// Returns the judgement of a report on the current rows.
async fn judged(
    conn: &mut Conn,
    book: &Book,
    report: &RecipientReport,
) -> Result<(Vec<ConversationWithContact>, Judgement)> {
    let RecipientReport { contact, named, at, .. } = report;
    let mut rows = found(conn, book, [named, named]).await?;
    if rows.iter().all(|it| it.contact.id != *contact) {
        rows.extend(one(conn, book, *contact).await?);
    }
    let known: Vec<_> =
        rows.iter().map(ConversationWithContact::known).collect::<Result<_, _>>()?;
    Ok((rows, of_status(&known, *contact, named, *at)))
}

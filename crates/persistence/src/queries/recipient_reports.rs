//! Applies the information about recipients in message reports, in batches.
use super::contact_lookups::{
    Numbers, contact_of_conversation, known_contacts, list_numbers, with_contact,
};
use super::contacts::{ContactScope, apply, found, numbers, one};
use super::{Conn, RunQueryDsl, Transactional, account_health, events};
use crate::records::{
    AnsweredRecipient, Contact, Conversation, ConversationWithContact, Merges, RecipientReport,
};
use crate::schema::{contact_numbers, contacts, conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::{MatchResult, OutboundMatch, match_status};
use domain::id::{AccountId, ContactId, OrganizationId};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Selects the contacts of the reported messages and the contacts that the reports name, with their
/// conversations. Each alternative of the condition contains a complete key, so that an index
/// answers each of them. `further` are contacts to which a named number leads although they have
/// another number of their own.
macro_rules! concerned {
    ($organization:expr, $account:expr, $reports:expr, $further:expr) => {{
        let numbers = $reports.iter().filter_map(|it| it.named.phone_number.as_ref());
        let users = $reports.iter().flat_map(|it| [&it.named.user_id, &it.named.parent_user_id]);
        let ids = $reports.iter().map(|it| Col(it.contact)).chain($further.iter().copied());
        let whose = || contacts::organization_id.eq(Col($organization));
        let of_number = || whose().and(contacts::account_id.eq(Col($account)));
        let numbers: Vec<_> = numbers.map(|it| Some(it.to_string())).collect();
        let users: Vec<_> = users.flatten().map(|it| Some(it.to_string())).collect();
        let named = of_number().and(contacts::phone_number.eq_any(numbers));
        let parent = contacts::channel_parent_user_id.eq_any(users.clone());
        let by_user = of_number().and(contacts::channel_user_id.eq_any(users));
        let named = named.or(by_user).or(of_number().and(parent));
        let about = of_number().and(contacts::id.eq_any(ids.collect::<Vec<_>>()));
        contacts::table
            .inner_join(conversations::table.on(contact_of_conversation()))
            .filter(named.or(about))
            .filter(conversations::merged_into.is_null())
            .select((Conversation::as_select(), Contact::as_select()))
    }};
}

/// Returns the contacts to which the reports' numbers lead although they have other numbers of
/// their own.
async fn further(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    reports: &[RecipientReport],
) -> Result<Vec<Col<ContactId>>> {
    let numbers = reports.iter().filter_map(|it| it.named.phone_number.as_ref());
    let numbers: Vec<_> = numbers.map(PhoneNumber::as_str).collect();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let leading = contact_numbers::table
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(contact_numbers::account_id.eq(Col(account)))
        .filter(contact_numbers::phone_number.eq_any(numbers))
        .select(contact_numbers::contact_id);
    Ok(leading.load(conn).await?)
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

/// Returns the reports that change something. Uses three statements for each account and locks
/// nothing. A report on a row that cannot be read is left out.
pub async fn relevant_reports(
    conn: &mut Conn,
    reports: Vec<RecipientReport>,
) -> Result<Vec<RecipientReport>> {
    let mut relevant = Vec::new();
    for ((organization, account), reports) in by_account(reports) {
        let further = further(conn, organization, account, &reports).await?;
        let rows = concerned!(organization, account, &reports, further).load(conn).await?;
        let rows: Vec<(Conversation, Contact)> = rows;
        let rows: Vec<_> = rows.into_iter().map(with_contact).collect();
        let numbers = list_numbers(conn, organization, rows.iter().map(|it| it.contact.id)).await?;
        relevant.extend(reports.into_iter().filter(|report| changes(&rows, &numbers, report)));
    }
    Ok(relevant)
}

/// Returns whether a report changes something in these rows.
fn changes(rows: &[ConversationWithContact], numbers: &Numbers, report: &RecipientReport) -> bool {
    let named = &report.named;
    let number = named.phone_number.as_ref();
    let text = number.map(ToString::to_string);
    let users =
        [&named.user_id, &named.parent_user_id].map(|it| it.as_ref().map(ToString::to_string));
    let is_named = |contact: &Contact| {
        let own = [&contact.channel_user_id, &contact.channel_parent_user_id];
        let leads =
            numbers.get(&contact.id).is_some_and(|it| it.iter().any(|it| Some(it) == number));
        let is_own = text.is_some() && contact.phone_number == text;
        contact.id == report.contact
            || is_own
            || leads
            || own.into_iter().any(|it| it.is_some() && users.contains(it))
    };
    let concerned: Vec<_> = rows.iter().filter(|it| is_named(&it.contact)).cloned().collect();
    match known_contacts(&concerned, numbers) {
        Ok(known) => {
            let RecipientReport { contact, named, sent, at, .. } = report;
            !match_status(&known, *contact, named, sent, *at).steps.is_empty()
        }
        Err(error) => {
            tracing::error!(%error, "a contact could not be read; the report on it is skipped");
            false
        }
    }
}

/// Records the information about contacts in reports, all of it or none. Returns the number of
/// changes.
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
            let further = further(conn, *organization, *account, reports).await?;
            let rows = concerned!(*organization, *account, reports, further);
            let held = for_update_ordered!(rows, conversations::address);
            held.load::<(Conversation, Contact)>(conn).await?;
        }
        let (mut new_events, mut steps) = (Vec::new(), 0);
        for ((organization, account), reports) in groups {
            let scope = ContactScope { organization, account, now, merges };
            for report in reports {
                let (found, judgement) = match_report(conn, &scope, &report).await?;
                steps += judgement.steps.len();
                new_events.extend(apply(conn, &scope, found, &judgement).await?);
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(steps)
    })
    .await
}

/// Returns the matching result of a report, for the rows as they are now.
async fn match_report(
    conn: &mut Conn,
    scope: &ContactScope,
    report: &RecipientReport,
) -> Result<(Vec<ConversationWithContact>, MatchResult)> {
    let RecipientReport { contact, named, sent, at, .. } = report;
    let mut rows = found(conn, scope, &[named]).await?;
    if rows.iter().all(|it| it.contact.id != *contact) {
        rows.extend(one(conn, scope, *contact).await?);
    }
    let numbers = numbers(conn, scope, &rows).await?;
    let judgement = match_status(&known_contacts(&rows, &numbers)?, *contact, named, sent, *at);
    Ok((rows, judgement))
}

/// Records how the channel named the recipient of a message that it accepted. Returns the number of
/// changes.
pub async fn learn_recipient(
    conn: &mut Conn,
    answered: AnsweredRecipient,
    now: Timestamp,
    merges: Merges,
) -> Result<usize> {
    let AnsweredRecipient { organization, account, conversation, to, named } = answered;
    let surviving_id = account_health::surviving(conn, organization, conversation).await?;
    let contact = conversations::table
        .find((Col(organization), Col(surviving_id)))
        .select(conversations::contact_id);
    let contact: Option<Col<ContactId>> = contact.get_result(conn).await.optional()?;
    let Some(Col(contact)) = contact else { return Ok(0) };
    let sent = OutboundMatch::To(to);
    let report = RecipientReport { organization, account, contact, named, sent, at: now };
    apply_reports(conn, vec![report], now, merges).await
}

//! Templates, and what the reviewer says of them.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, events, idempotency};
use crate::records::{
    Change, ChannelAccess, ClaimedSubmission, Creation, Idempotent, Judgement, Template,
    TemplateFilter, TemplateRevision,
};
use crate::schema::{accounts, template_counts, templates, verdicts};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{AccountId, InstanceId, OrganizationId, TemplateId};
use domain::number::saturating;
use domain::time::Timestamp;
use std::cmp::Reverse;

pub async fn insert_template(conn: &mut Conn, new: Template) -> Result<()> {
    diesel::insert_into(templates::table).values(&new).execute(conn).await?;
    Ok(())
}

/// Makes a template together with the answer that is kept for a request which comes again.
pub async fn create_template(
    conn: &mut Conn,
    new: Template,
    keep: Option<(Idempotent, String)>,
) -> Result<Creation> {
    conn.transaction(async |conn| {
        if let Some(stored) = answered(conn, keep.as_ref()).await? {
            return Ok(Creation::Answered(stored));
        }
        let at = new.created_at;
        let made = diesel::insert_into(templates::table)
            .values(&new)
            .on_conflict((templates::organization_id, templates::name, templates::language))
            .do_nothing()
            .execute(conn)
            .await?;
        if made == 0 {
            // Perhaps another instance made it for the same request a moment ago.
            let stored = answered(conn, keep.as_ref()).await?;
            return Ok(stored.map_or(Creation::Exists, Creation::Answered));
        }
        if let Some((request, answer)) = keep {
            idempotency::store_answer(conn, request, answer, at).await?;
        }
        Ok::<_, Error>(Creation::Made)
    })
    .await
}

async fn answered(
    conn: &mut Conn,
    keep: Option<&(Idempotent, String)>,
) -> Result<Option<crate::records::StoredAnswer>> {
    let Some((request, _)) = keep else { return Ok(None) };
    let (key, name) = (request.key, request.name.clone());
    idempotency::stored_answer(conn, key, request.path, name, request.cutoff).await
}

/// A send names a template by name and language (`docs/contract.md#send-a-template`).
pub async fn template_named(
    conn: &mut Conn,
    organization: OrganizationId,
    name: String,
    language: String,
) -> Result<Option<Template>> {
    let found = templates::table
        .filter(templates::organization_id.eq(Col(organization)))
        .filter(templates::name.eq(name))
        .filter(templates::language.eq(language))
        .select(Template::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

pub async fn template(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TemplateId,
) -> Result<Option<Template>> {
    let found = templates::table
        .filter(templates::id.eq(Col(id)))
        .filter(templates::organization_id.eq(Col(organization)))
        .select(Template::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// A page of an organization's templates, the newest first, and how many there are in all.
pub async fn templates_page(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: TemplateFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Template>, i64)> {
    if let Some(name) = filter.name.clone() {
        return page_named(conn, organization, (name, filter), limit, offset).await;
    }
    // Of few among many, and of what is far down, the number says where to look.
    let total = count(shared!(conn), organization, &filter).await?;
    let left = total - offset;
    if left <= 0 {
        return Ok((Vec::new(), total));
    }
    let (limit, from_oldest) = (limit.min(left), offset > total / 2);
    let offset = if from_oldest { left - limit } else { offset };
    let page = part(shared!(conn), organization, &filter, (limit, offset), from_oldest).await?;
    Ok((page, total))
}

/// Narrows a query to what a filter without a name leaves.
macro_rules! chosen {
    ($query:expr, $table:ident, $filter:expr) => {{
        let mut query = $query.into_boxed();
        if let Some(status) = $filter.status {
            query = query.filter($table::status.eq(Col(status)));
        }
        if let Some(category) = $filter.category {
            query = query.filter($table::category.eq(Col(category)));
        }
        if let Some(language) = $filter.language.clone() {
            query = query.filter($table::language.eq(language));
        }
        query
    }};
}

/// The newest templates of an organization, and how many there are in all, of a filter that one index answers: no more rows
/// are looked at than are given.
pub async fn newest_templates(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: TemplateFilter,
    limit: i64,
) -> Result<(Vec<Template>, i64)> {
    let (total, page) = together!(conn;
        count(conn, organization, &filter),
        newest(conn, organization, &filter, limit),
    )?;
    Ok((page, total))
}

async fn newest(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    filter: &TemplateFilter,
    limit: i64,
) -> Result<Vec<Template>> {
    let theirs = templates::organization_id.eq(Col(organization));
    let all = templates::table.filter(theirs).limit(limit).select(Template::as_select());
    let newest = (templates::created_at.desc(), templates::id.desc());
    Ok(chosen!(all, templates, filter).order(newest).load(conn).await?)
}

/// How many templates a filter leaves: those of each status, category and language are counted when they are written.
async fn count(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    filter: &TemplateFilter,
) -> Result<i64> {
    let theirs = template_counts::organization_id.eq(Col(organization));
    let all = template_counts::table.filter(theirs).select(template_counts::templates);
    let counts: Vec<i64> = chosen!(all, template_counts, filter).load(conn).await?;
    Ok(counts.into_iter().sum())
}

/// Some of the templates that a filter leaves, the newest first: those after `offset` from one end. What is skipped is
/// skipped in an index.
async fn part(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    filter: &TemplateFilter,
    (limit, offset): (i64, i64),
    from_oldest: bool,
) -> Result<Vec<Template>> {
    let theirs = templates::organization_id.eq(Col(organization));
    let all = templates::table.filter(theirs).limit(limit).offset(offset).select(templates::id);
    let ids = chosen!(all, templates, filter);
    let ids = if from_oldest {
        ids.order((templates::created_at, templates::id))
    } else {
        ids.order((templates::created_at.desc(), templates::id.desc()))
    };
    let page = templates::table.filter(templates::id.eq_any(ids)).select(Template::as_select());
    let mut page: Vec<Template> = page.load(conn).await?;
    page.sort_unstable_by_key(newest_first);
    Ok(page)
}

fn newest_first(template: &Template) -> Reverse<(Timestamp, TemplateId)> {
    Reverse((template.created_at, template.id))
}

/// The same of those with one name, of which there are as many as languages: they are chosen and put in order here, so
/// that no index but that of the names is read.
async fn page_named(
    conn: &mut Conn,
    organization: OrganizationId,
    (name, filter): (String, TemplateFilter),
    limit: i64,
    offset: i64,
) -> Result<(Vec<Template>, i64)> {
    let all = templates::table
        .filter(templates::organization_id.eq(Col(organization)))
        .filter(templates::name.eq(name))
        .select(Template::as_select());
    let mut found: Vec<Template> = all.load(conn).await?;
    found.retain(|it| {
        filter.status.is_none_or(|status| it.status == status)
            && filter.category.is_none_or(|category| it.category == category)
            && filter.language.as_ref().is_none_or(|language| it.language == *language)
    });
    found.sort_unstable_by_key(newest_first);
    let total = saturating(found.len(), i64::MAX);
    let page = found.into_iter().skip(saturating(offset, usize::MAX));
    Ok((page.take(saturating(limit, usize::MAX)).collect(), total))
}

/// Templates to be submitted or asked about, each for this server until `until`.
pub async fn claim_submissions(
    conn: &mut Conn,
    server: InstanceId,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<ClaimedSubmission>> {
    conn.transaction(async |conn| {
        let due = templates::table
            .filter(templates::submission_due_at.le(Col(now)))
            .order(templates::submission_due_at)
            .limit(limit)
            .select(templates::id);
        let due: Vec<Col<TemplateId>> = unclaimed!(due).load(conn).await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        diesel::update(templates::table.filter(templates::id.eq_any(&due)))
            .set((
                templates::submission_due_at.eq(Some(Col(until))),
                templates::submission_attempts.eq(templates::submission_attempts + 1),
                templates::submission_claimed_by.eq(Some(Col(server))),
            ))
            .execute(conn)
            .await?;
        let claimed: Vec<(Template, ChannelAccess)> = templates::table
            .inner_join(accounts::table)
            .filter(templates::id.eq_any(&due))
            .select((Template::as_select(), ChannelAccess::as_select()))
            .load(conn)
            .await?;
        let claimed = claimed.into_iter();
        Ok::<_, Error>(
            claimed.map(|(template, access)| ClaimedSubmission { template, access }).collect(),
        )
    })
    .await
}

/// One of the organization's templates is submitted or asked about later, or not any more.
pub async fn reschedule_submission(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TemplateId,
    due: Option<Timestamp>,
) -> Result<()> {
    let waiting = templates::table
        .filter(templates::id.eq(Col(id)))
        .filter(templates::organization_id.eq(Col(organization)))
        .filter(templates::submission_due_at.is_not_null());
    let later = (
        templates::submission_due_at.eq(due.map(Col)),
        templates::submission_claimed_by.eq(None::<Col<InstanceId>>),
    );
    diesel::update(waiting).set(later).execute(conn).await?;
    Ok(())
}

/// One of the organization's templates.
#[diesel::dsl::auto_type]
fn own_template(organization: Col<OrganizationId>, id: Col<TemplateId>) -> _ {
    templates::table
        .filter(templates::id.eq(id))
        .filter(templates::organization_id.eq(organization))
}

/// Records changes of one of the organization's templates, in order, and what was said; at `ask_at` it is claimed
/// again, to ask what the reviewer says. `false`, and nothing is done,
/// if it stands elsewhere than the first of them supposes, or is another organization's.
pub async fn change_template(
    conn: &mut Conn,
    organization: OrganizationId,
    changes: Vec<Change>,
    ask_at: Option<Timestamp>,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let mut new_events = Vec::new();
        for (index, change) in changes.into_iter().enumerate() {
            let (id, at) = (change.said.template_id, change.said.received_at);
            let own = || own_template(Col(organization), Col(id));
            let unchanged = own().filter(templates::status.eq(Col(change.from)));
            if let Some(to) = &change.to {
                let moved = (
                    templates::status.eq(Col(to.status)),
                    templates::rejection_reason.eq(to.rejection_reason.map(Col)),
                    templates::rejection_detail.eq(to.rejection_detail.clone()),
                    templates::submitted_at.eq(to.submitted_at.map(Col)),
                    templates::reviewed_at.eq(to.reviewed_at.map(Col)),
                    templates::submission_due_at.eq(ask_at.map(Col)),
                    templates::submission_claimed_by.eq(None::<Col<InstanceId>>),
                    templates::submission_attempts.eq(0),
                    templates::updated_at.eq(Col(at)),
                );
                if diesel::update(unchanged).set(moved).execute(conn).await? == 0 {
                    if index == 0 {
                        return Ok(false);
                    }
                    return Err(Error::Unknown("a template moved within a change".to_owned()));
                }
            } else if own().count().get_result::<i64>(conn).await? == 0 {
                return Ok(false);
            }
            if let Some(external) = change.external_id {
                let external = templates::external_id.eq(Some(external));
                diesel::update(own()).set(external).execute(conn).await?;
            }
            diesel::insert_into(verdicts::table).values(&change.said).execute(conn).await?;
            new_events.extend(change.event);
        }
        events::record(conn, new_events).await?;
        Ok(true)
    })
    .await
}

/// Records what the channel changed of one of the organization's templates. `false`, and nothing is done, if the template
/// has changed since that was decided, or is another organization's.
pub async fn revise_template(
    conn: &mut Conn,
    organization: OrganizationId,
    revision: TemplateRevision,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let TemplateRevision { id, changed_at, quality, category, components, event } = revision;
        let own = || own_template(Col(organization), Col(id));
        let unchanged = own().filter(templates::updated_at.eq(Col(changed_at)));
        let at = templates::updated_at.eq(Col(event.at));
        if diesel::update(unchanged).set(at).execute(conn).await? == 0 {
            return Ok(false);
        }
        if let Some(quality) = quality {
            let quality = templates::quality.eq(Some(Col(quality)));
            diesel::update(own()).set(quality).execute(conn).await?;
        }
        if let Some(category) = category {
            let category = templates::category.eq(Col(category));
            diesel::update(own()).set(category).execute(conn).await?;
        }
        if let Some(components) = components {
            let components = templates::components.eq(components);
            diesel::update(own()).set(components).execute(conn).await?;
        }
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// The template that a report of the channel is about: by the reviewer's id of it, or else by its
/// name, for the report may overtake the answer that tells the id.
pub async fn template_on_channel(
    conn: &mut Conn,
    within: Vec<AccountId>,
    external_id: String,
    name: String,
    language: String,
) -> Result<Option<Template>> {
    let within: Vec<_> = within.into_iter().map(Col).collect();
    let known = templates::table
        .filter(templates::account_id.eq_any(&within))
        .filter(templates::external_id.eq(external_id))
        .select(Template::as_select())
        .load(conn)
        .await?;
    if let Some(known) = known.into_iter().next() {
        return Ok(Some(known));
    }
    let whose =
        accounts::table.filter(accounts::id.eq_any(&within)).select(accounts::organization_id);
    let named = templates::table
        .filter(templates::organization_id.eq_any(whose))
        .filter(templates::name.eq(name))
        .filter(templates::language.eq(language))
        .filter(templates::account_id.eq_any(&within))
        .filter(templates::external_id.is_null())
        .select(Template::as_select())
        .load(conn)
        .await?;
    Ok(named.into_iter().next())
}

/// What the reviewer said of one of the organization's templates, the oldest first.
pub async fn judgements(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TemplateId,
) -> Result<Vec<Judgement>> {
    let own = own_template(Col(organization), Col(id)).select(templates::id);
    let said = verdicts::table
        .filter(verdicts::template_id.eq_any(own))
        .order((verdicts::received_at, verdicts::id))
        .select(Judgement::as_select());
    Ok(said.load(conn).await?)
}

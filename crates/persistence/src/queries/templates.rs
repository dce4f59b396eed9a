//! Templates, and the reviewer's verdicts on them.
use super::{Conn, RunQueryDsl, Transactional, events, idempotency, listed};
use crate::cached::Cached;
use crate::records::{
    ChannelAccess, ClaimedSubmission, Creation, Idempotent, StoredVerdict, Template,
    TemplateResubmission, TemplateRevision, TemplateTransition,
};
use crate::schema::{accounts, templates, verdicts};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{AccountId, InstanceId, OrganizationId, TemplateId};
use domain::template::TemplateStatus;
use domain::time::Timestamp;
use std::collections::BTreeMap;

pub async fn insert_template(conn: &mut Conn, new: Template) -> Result<()> {
    diesel::insert_into(templates::table).values(&new).execute(conn).await?;
    Ok(())
}

/// Creates a template together with the stored answer of an idempotent request.
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
            // Another instance may just have created the template for the same request.
            if let Some(stored) = answered(conn, keep.as_ref()).await? {
                return Ok(Creation::Answered(stored));
            }
            if !replace_deleted(conn, &new).await? {
                return Ok(Creation::Exists);
            }
        }
        if let Some((request, answer)) = keep {
            idempotency::store_answer(conn, request, answer, at).await?;
        }
        Ok::<_, Error>(Creation::Made)
    })
    .await
}

/// Replaces the deleted template with this name and language. Returns `false` if there is none.
async fn replace_deleted(conn: &mut Conn, new: &Template) -> Result<bool> {
    let deleted = templates::table
        .filter(templates::organization_id.eq(Col(new.organization_id)))
        .filter(templates::name.eq(&new.name))
        .filter(templates::language.eq(&new.language))
        .filter(templates::status.eq(Col(TemplateStatus::Deleted)));
    let replaced: Option<Col<TemplateId>> =
        deleted.select(templates::id).get_result(conn).await.optional()?;
    let Some(replaced) = replaced else { return Ok(false) };
    let said = verdicts::table
        .filter(verdicts::organization_id.eq(Col(new.organization_id)))
        .filter(verdicts::template_id.eq(replaced));
    diesel::delete(said).execute(conn).await?;
    let gone = templates::table
        .filter(templates::organization_id.eq(Col(new.organization_id)))
        .filter(templates::id.eq(replaced))
        .filter(templates::status.eq(Col(TemplateStatus::Deleted)));
    if diesel::delete(gone).execute(conn).await? == 0 {
        return Ok(false);
    }
    let made = diesel::insert_into(templates::table)
        .values(new)
        .on_conflict((templates::organization_id, templates::name, templates::language))
        .do_nothing()
        .execute(conn)
        .await?;
    Ok(made == 1)
}

async fn answered(
    conn: &mut Conn,
    keep: Option<&(Idempotent, String)>,
) -> Result<Option<crate::records::StoredAnswer>> {
    let Some((request, _)) = keep else { return Ok(None) };
    idempotency::stored_answer(conn, request.question()).await
}

/// Returns the organization's template with this name and language, with which a send identifies a
/// template (`docs/contract.md#send-a-template`).
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

/// Returns the organization's templates with these names and languages, in any order.
pub async fn templates_named(
    conn: &mut Conn,
    organization: OrganizationId,
    wanted: Vec<(String, String)>,
) -> Result<Vec<Template>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let names = listed(wanted.iter().map(|(name, _)| name.as_str()));
    let languages = listed(wanted.iter().map(|(_, language)| language.as_str()));
    let some = templates::table
        .filter(templates::organization_id.eq(Col(organization)))
        .filter(templates::name.eq_any(names))
        .filter(templates::language.eq_any(languages))
        .select(Template::as_select());
    let mut some: Vec<Template> = Cached(some).load(conn).await?;
    some.retain(|it| {
        wanted.iter().any(|(name, language)| *name == it.name && *language == it.language)
    });
    Ok(some)
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

/// Claims templates for this instance until `until`. They have to be submitted, or the reviewer has
/// to be asked for their status.
pub async fn claim_submissions(
    conn: &mut Conn,
    server: InstanceId,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<ClaimedSubmission>> {
    // No rows are locked here, because the rows of several organizations may be on several nodes.
    let due = templates::table
        .filter(templates::submission_due_at.le(Col(now)))
        .order(templates::submission_due_at)
        .limit(limit)
        .select((templates::organization_id, templates::id));
    let due: Vec<(Col<OrganizationId>, Col<TemplateId>)> = due.load(conn).await?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    conn.transaction(async |conn| {
        let mut by_organization: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (organization, template) in due {
            by_organization.entry(organization).or_default().push(template);
        }
        let mut claimed = Vec::new();
        for (organization, ids) in by_organization {
            claimed
                .extend(claim_submissions_of(conn, organization, ids, now, server, until).await?);
        }
        Ok::<_, Error>(claimed)
    })
    .await
}

async fn claim_submissions_of(
    conn: &mut Conn,
    organization: Col<OrganizationId>,
    due: Vec<Col<TemplateId>>,
    now: Timestamp,
    server: InstanceId,
    until: Timestamp,
) -> Result<Vec<ClaimedSubmission>> {
    // Another instance may have claimed some of the rows in the meantime.
    let free = templates::table
        .filter(templates::organization_id.eq(organization))
        .filter(templates::id.eq_any(listed(due)))
        .filter(templates::submission_due_at.le(Col(now)))
        .select(templates::id);
    let ids: Vec<Col<TemplateId>> = skip_locked!(free).load(conn).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let claimed_templates = || {
        templates::table
            .filter(templates::organization_id.eq(organization))
            .filter(templates::id.eq_any(listed(&ids)))
    };
    let claimed = (
        templates::submission_due_at.eq(Some(Col(until))),
        templates::submission_attempts.eq(templates::submission_attempts + 1),
        templates::submission_claimed_by.eq(Some(Col(server))),
    );
    Cached(diesel::update(claimed_templates()).set(claimed)).execute(conn).await?;
    let with_access = claimed_templates()
        .inner_join(accounts::table)
        .select((Template::as_select(), ChannelAccess::as_select()));
    let rows: Vec<(Template, ChannelAccess)> = Cached(with_access).load(conn).await?;
    let claimed = rows.into_iter();
    Ok(claimed.map(|(template, access)| ClaimedSubmission { template, access }).collect())
}

/// Sets when one of the organization's templates is next submitted, or when the reviewer is next
/// asked for its status. `None` means never.
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

#[diesel::dsl::auto_type]
fn own_template(organization: Col<OrganizationId>, id: Col<TemplateId>) -> _ {
    templates::table
        .filter(templates::id.eq(id))
        .filter(templates::organization_id.eq(organization))
}

/// Stores changes of one of the organization's templates, in order, and the verdicts. The reviewer
/// is asked for the status again at `ask_at`. Returns `false` and does nothing if the template does
/// not have the status that the first change expects, or belongs to another organization.
pub async fn change_template(
    conn: &mut Conn,
    organization: OrganizationId,
    changes: Vec<TemplateTransition>,
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
                    return Err(Error::Internal("a template moved within a change".to_owned()));
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

/// Reserves one of the organization's templates for a change until `until`. Returns `false` if the
/// template has changed since `changed_at`, is being submitted or is reserved.
pub async fn reserve_template(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TemplateId,
    changed_at: Timestamp,
    until: Timestamp,
    server: InstanceId,
) -> Result<bool> {
    let free = own_template(Col(organization), Col(id))
        .filter(templates::updated_at.eq(Col(changed_at)))
        .filter(templates::submission_claimed_by.is_null());
    let reserved = (
        templates::submission_due_at.eq(Some(Col(until))),
        templates::submission_claimed_by.eq(Some(Col(server))),
    );
    Ok(diesel::update(free).set(reserved).execute(conn).await? == 1)
}

/// Ends the reservation that lasts until `until`. At `due` the template is submitted, or the
/// reviewer is asked for its status.
pub async fn release_template(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TemplateId,
    until: Timestamp,
    due: Option<Timestamp>,
) -> Result<()> {
    let reserved = own_template(Col(organization), Col(id))
        .filter(templates::submission_due_at.eq(Some(Col(until))));
    let free = (
        templates::submission_due_at.eq(due.map(Col)),
        templates::submission_claimed_by.eq(None::<Col<InstanceId>>),
    );
    diesel::update(reserved).set(free).execute(conn).await?;
    Ok(())
}

/// Stores a change that the reviewer accepted, and ends its reservation. Returns `false` and does
/// nothing if the reservation has ended before.
pub async fn resubmit_template(
    conn: &mut Conn,
    organization: OrganizationId,
    new: TemplateResubmission,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let TemplateResubmission { id, reserved_until, category, components, review, event, at } =
            new;
        let reserved = own_template(Col(organization), Col(id))
            .filter(templates::submission_due_at.eq(Some(Col(reserved_until))));
        let changed = (
            templates::category.eq(Col(category)),
            templates::components.eq(components),
            templates::status.eq(Col(review.status)),
            templates::rejection_reason.eq(review.rejection_reason.map(Col)),
            templates::rejection_detail.eq(review.rejection_detail),
            templates::submitted_at.eq(review.submitted_at.map(Col)),
            templates::submission_due_at.eq(None::<Col<Timestamp>>),
            templates::submission_claimed_by.eq(None::<Col<InstanceId>>),
            templates::updated_at.eq(Col(at)),
        );
        if diesel::update(reserved).set(changed).execute(conn).await? == 0 {
            return Ok(false);
        }
        events::record(conn, event.into_iter().collect()).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Stores the changes that the channel made to one of the organization's templates. Returns `false`
/// and does nothing if the template has changed since it was read, or belongs to another
/// organization.
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

/// Returns the template that a callback about one of these accounts names, by the reviewer's id. If
/// no template has the id, finds the template by its name, because the callback may arrive before
/// the answer that contains the id.
pub async fn template_on_channel(
    conn: &mut Conn,
    within: BTreeMap<OrganizationId, Vec<AccountId>>,
    external_id: String,
    name: String,
    language: String,
) -> Result<Option<Template>> {
    let accounts_by_organization =
        || within.iter().map(|(whose, numbers)| (*whose, listed(numbers.iter().copied().map(Col))));
    for (organization, numbers) in accounts_by_organization() {
        let by_external_id = templates::table
            .filter(templates::organization_id.eq(Col(organization)))
            .filter(templates::account_id.eq_any(numbers))
            .filter(templates::external_id.eq(&external_id))
            .limit(1)
            .select(Template::as_select());
        let by_external_id: Option<Template> = by_external_id.get_result(conn).await.optional()?;
        if by_external_id.is_some() {
            return Ok(by_external_id);
        }
    }
    for (organization, numbers) in accounts_by_organization() {
        let by_name = templates::table
            .filter(templates::organization_id.eq(Col(organization)))
            .filter(templates::name.eq(&name))
            .filter(templates::language.eq(&language))
            .filter(templates::account_id.eq_any(numbers))
            .filter(templates::external_id.is_null())
            .select(Template::as_select());
        let by_name: Option<Template> = by_name.get_result(conn).await.optional()?;
        if by_name.is_some() {
            return Ok(by_name);
        }
    }
    Ok(None)
}

/// Returns the reviewer's verdicts on one of the organization's templates, the oldest first.
pub async fn list_verdicts(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TemplateId,
) -> Result<Vec<StoredVerdict>> {
    let verdicts = verdicts::table
        .filter(verdicts::organization_id.eq(Col(organization)))
        .filter(verdicts::template_id.eq(Col(id)))
        .order((verdicts::received_at, verdicts::id))
        .select(StoredVerdict::as_select());
    Ok(verdicts.load(conn).await?)
}

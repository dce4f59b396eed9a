//! Lists of an organization's templates, the newest first.
use super::{Conn, RunQueryDsl, SharedConn};
use crate::Result;
use crate::records::{Template, TemplateCount, TemplateFilter};
use crate::schema::{template_counts, templates};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{OrganizationId, TemplateId};
use domain::number::saturating;
use domain::template::TemplateStatus;
use domain::time::Timestamp;
use std::cmp::Reverse;

/// Returns a page of an organization's templates, the newest first, and the total number of
/// templates that match.
pub async fn list_templates(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: TemplateFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Template>, i64)> {
    if let Some(name) = filter.name.clone() {
        return page_named(conn, organization, name, filter, limit, offset).await;
    }
    // The total is read first, to find out whether the page is closer to the newest or to the
    // oldest template.
    let total = count(shared!(conn), organization, &filter).await?;
    let left = total - offset;
    if left <= 0 {
        return Ok((Vec::new(), total));
    }
    let (limit, from_oldest) = (limit.min(left), offset > total / 2);
    let offset = if from_oldest { left - limit } else { offset };
    let page = part(shared!(conn), organization, &filter, limit, offset, from_oldest).await?;
    Ok((page, total))
}

/// Restricts a query to the templates, or the counts, that match a filter without a name.
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

/// Returns the newest templates of an organization that match, and their total number. The filter
/// must be one that a single index can answer, so that the database reads only the rows that it
/// returns.
pub async fn newest_templates(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: TemplateFilter,
    limit: i64,
) -> Result<(Vec<Template>, i64)> {
    let (total, page) = pipelined!(conn;
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
    let in_organization = templates::organization_id.eq(Col(organization));
    let all = templates::table.filter(in_organization).limit(limit).select(Template::as_select());
    let newest = (templates::created_at.desc(), templates::id.desc());
    Ok(chosen!(all, templates, filter).order(newest).load(conn).await?)
}

/// Returns the number of templates that match a filter. Each write of a template updates the stored
/// number for its status, category and language, so no templates are counted here.
async fn count(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    filter: &TemplateFilter,
) -> Result<i64> {
    let in_organization = template_counts::organization_id.eq(Col(organization));
    let all = template_counts::table.filter(in_organization).select(template_counts::templates);
    let counts: Vec<i64> = chosen!(all, template_counts, filter).load(conn).await?;
    Ok(counts.into_iter().sum())
}

/// Returns how many templates an organization has, for each status, category and language.
pub async fn count_templates(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Vec<TemplateCount>> {
    let all = template_counts::table
        .filter(template_counts::organization_id.eq(Col(organization)))
        .filter(template_counts::templates.gt(0))
        .select((template_counts::status, template_counts::language, template_counts::templates));
    let all: Vec<(Col<TemplateStatus>, String, i64)> = all.load(conn).await?;
    let count = |(Col(status), language, templates): (Col<TemplateStatus>, String, i64)| {
        TemplateCount { status, language, templates }
    };
    Ok(all.into_iter().map(count).collect())
}

/// Returns a part of the templates that match a filter, the newest first. `offset` counts from the
/// newest or, with `from_oldest`, from the oldest template. The skipped templates are read only in
/// an index.
async fn part(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    filter: &TemplateFilter,
    limit: i64,
    offset: i64,
    from_oldest: bool,
) -> Result<Vec<Template>> {
    let in_organization = templates::organization_id.eq(Col(organization));
    let all =
        templates::table.filter(in_organization).limit(limit).offset(offset).select(templates::id);
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

/// Returns a page of the templates with one name. There is at most one template for each language.
/// All of them are read through the index of names, and then filtered and sorted here.
async fn page_named(
    conn: &mut Conn,
    organization: OrganizationId,
    name: String,
    filter: TemplateFilter,
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

//! `/templates`: all templates, newest first.

use super::filter::TemplateListFilters;
use super::{TEMPLATES, category, quality, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel, redirect};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::messages::preview::one_line;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::template::definition;
use domain::id::TemplateId;
use domain::keyword::Keyword as _;
use domain::role::{Area, MemberAction};
use domain::template::{BodyPart, Category, TemplateStatus};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::{Template, TemplateCount};
use service::templates;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Number of templates on a page.
const ROWS: i64 = 25;

/// The tabs above the list: status and name.
const TABS: [(Option<TemplateStatus>, &str); 8] = [
    (None, "All"),
    (Some(TemplateStatus::Approved), "Approved"),
    (Some(TemplateStatus::Pending), "In review"),
    (Some(TemplateStatus::Rejected), "Rejected"),
    (Some(TemplateStatus::Paused), "Paused"),
    (Some(TemplateStatus::Disabled), "Disabled"),
    (Some(TemplateStatus::Archived), "Archived"),
    (Some(TemplateStatus::Deleted), "Deleted"),
];

#[derive(askama::Template)]
#[template(path = "templates/list.html")]
struct TemplatesPage {
    frame: Frame,
    filters: TemplateListFilters,
    tabs: Vec<TemplateTab>,
    rows: Vec<ListedTemplate>,
    categories: Vec<(String, String)>,
    languages: Vec<(String, String)>,
    newest: String,
    older: String,
    /// Whether the organization has any template.
    has_templates: bool,
    may_create: bool,
}

struct TemplateTab {
    path: String,
    name: &'static str,
    is_current: bool,
    /// The number of templates; empty if other filters are set too.
    count: String,
}

struct ListedTemplate {
    path: String,
    state: StateLabel,
    name: String,
    text: String,
    category: &'static str,
    language: String,
    quality: &'static str,
    updated: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Templates)?;
    let filters = TemplateListFilters::of(&Query::of(&request));
    if let Ok(id) = filters.search.parse::<TemplateId>() {
        return Ok(redirect(&format!("{TEMPLATES}/{id}")));
    }
    let (reader, now) = (member_context.reader(), deps.clock.now());
    let counts = templates::counts(&deps, reader).await?;
    let (wanted, offset) = (filters.to_filter(), filters.offset);
    let (found, total) = if filters.search.is_empty() {
        templates::list(&deps, reader, wanted, ROWS, offset).await?
    } else {
        templates::search(&deps, reader, wanted, &filters.search, ROWS, offset).await?
    };
    let has_older = offset.saturating_add(ROWS) < total;
    let page = TemplatesPage {
        frame: member_context.frame(TEMPLATES),
        tabs: TABS.iter().map(|&(status, name)| tab(&filters, &counts, status, name)).collect(),
        rows: found.iter().map(|it| row(it, now)).collect(),
        categories: categories(),
        languages: languages(&counts, &filters.language),
        newest: if offset > 0 { filters.url_at(0) } else { String::new() },
        older: if has_older { filters.url_at(offset.saturating_add(ROWS)) } else { String::new() },
        has_templates: !counts.is_empty(),
        may_create: member_context.may(MemberAction::TemplateCreated),
        filters,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn tab(
    filters: &TemplateListFilters,
    counts: &[TemplateCount],
    status: Option<TemplateStatus>,
    name: &'static str,
) -> TemplateTab {
    let of_status = counts.iter().filter(|it| status.is_none_or(|status| it.status == status));
    let count: i64 = of_status.map(|it| it.templates).sum();
    TemplateTab {
        path: filters.url_of_status(status),
        name,
        is_current: status.map(TemplateStatus::as_str).unwrap_or_default() == filters.status,
        count: if filters.is_narrowed() { String::new() } else { count.to_string() },
    }
}

fn row(template: &Template, now: Timestamp) -> ListedTemplate {
    ListedTemplate {
        path: format!("{TEMPLATES}/{}", template.id),
        state: state(template.status),
        name: template.name.clone(),
        text: line(template),
        category: category(template.category),
        language: template.language.clone(),
        quality: quality(template.quality),
        updated: ShownTime::relative(template.updated_at, now),
    }
}

/// Returns the beginning of a template's text as one line.
fn line(template: &Template) -> String {
    match definition(&template.components.0).map(|it| it.body) {
        Ok(BodyPart::Text(text)) => one_line(&text),
        Ok(BodyPart::OneTimeCode { .. }) => "One-time code".to_owned(),
        Err(error) => {
            tracing::error!(%error, template = %template.id, "a template cannot be shown");
            String::new()
        }
    }
}

fn categories() -> Vec<(String, String)> {
    let all = std::iter::once((String::new(), "Any".to_owned()));
    let named = |it: &Category| (it.as_str().to_owned(), category(*it).to_owned());
    all.chain(Category::ALL.iter().map(named)).collect()
}

/// Returns the languages of the organization's templates, and the chosen language.
fn languages(counts: &[TemplateCount], chosen: &str) -> Vec<(String, String)> {
    let codes = counts.iter().map(|it| it.language.as_str()).chain([chosen]);
    let codes: BTreeSet<&str> = codes.filter(|it| !it.is_empty()).collect();
    let all = std::iter::once((String::new(), "Any".to_owned()));
    all.chain(codes.into_iter().map(|it| (it.to_owned(), it.to_owned()))).collect()
}

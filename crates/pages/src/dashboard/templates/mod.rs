//! Templates: the list, the page of one template, and creating, changing and deleting one
//! (`docs/contract.md#template-pages`).

mod checks;
mod create;
mod detail;
mod edit;
mod filter;
mod form_page;
mod list;
pub mod parameters;
mod remove;
mod values;

use super::TEMPLATES;
use super::frame::MemberContext;
use crate::browser::{ObjectState, PageError, StateLabel};
use actix_web::{HttpRequest, web};
use domain::template::{Category, TemplateQuality, TemplateStatus};
use http_layer::deps::ServerDeps;
use persistence::records::Template;

/// The page with the form for a new template.
const NEW: &str = "/templates/new";

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(TEMPLATES).route(web::get().to(list::show)));
    app.service(
        web::resource(NEW).route(web::get().to(create::show)).route(web::post().to(create::act)),
    );
    app.service(web::resource("/templates/{template}").route(web::get().to(detail::show)));
    app.service(
        web::resource("/templates/{template}/edit")
            .route(web::get().to(edit::show))
            .route(web::post().to(edit::act)),
    );
    app.service(
        web::resource("/templates/{template}/delete")
            .route(web::get().to(remove::show))
            .route(web::post().to(remove::act)),
    );
}

fn path_of(template: &Template) -> String {
    format!("{TEMPLATES}/{}", template.id)
}

fn edit_path(template: &Template) -> String {
    format!("{}/edit", path_of(template))
}

/// Returns the template in the path.
async fn named(
    deps: &ServerDeps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<Template, PageError> {
    let id = request.match_info().get("template").and_then(|id| id.parse().ok());
    let id = id.ok_or(PageError::NotFound)?;
    let found = service::templates::find(deps, member_context.reader(), id).await?;
    found.ok_or(PageError::NotFound)
}

fn state(status: TemplateStatus) -> StateLabel {
    match status {
        TemplateStatus::Draft => ObjectState::Draft.label(),
        TemplateStatus::Pending => ObjectState::InReview.label(),
        TemplateStatus::Approved => ObjectState::Approved.label(),
        TemplateStatus::Rejected => ObjectState::Rejected.label(),
        TemplateStatus::Paused => ObjectState::Paused.label(),
        TemplateStatus::Disabled => ObjectState::Disabled.label(),
        TemplateStatus::Archived => ObjectState::Disabled.saying("Archived"),
        TemplateStatus::Deleted => ObjectState::Disabled.saying("Deleted"),
    }
}

const fn category(category: Category) -> &'static str {
    match category {
        Category::Utility => "Utility",
        Category::Marketing => "Marketing",
        Category::Authentication => "Authentication",
    }
}

/// Returns the quality of a template in a word, or an empty string if it is not rated.
const fn quality(quality: Option<TemplateQuality>) -> &'static str {
    match quality {
        Some(TemplateQuality::Green) => "High",
        Some(TemplateQuality::Yellow) => "Medium",
        Some(TemplateQuality::Red) => "Low",
        Some(TemplateQuality::Unknown) | None => "",
    }
}

//! Directory: the published applications (`docs/contract.md#applications`).

use super::applications::review;
use super::frame::{Frame, MemberContext};
use crate::browser::{PageError, PagePolicy, StateLabel, initials};
use crate::dashboard::DIRECTORY;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::records::Application;
use service::connect;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/directory.html")]
struct DirectoryPage {
    frame: Frame,
    applications: Vec<DirectoryEntry>,
    /// Whether the member may open the page Developer apps.
    develops: bool,
}

struct DirectoryEntry {
    name: String,
    /// The letters that stand for the application.
    initials: String,
    publisher: Option<String>,
    review: StateLabel,
    description: Option<String>,
    start_url: Option<String>,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let published = connect::directory(&deps).await?;
    let row_of = |(application, publisher): (Application, Option<String>)| DirectoryEntry {
        initials: initials(&application.name),
        review: review(application.verified),
        name: application.name,
        publisher,
        description: application.description,
        start_url: application.start_url,
    };
    let applications = published.into_iter().map(row_of).collect();
    let develops = member_context.authority.role.may_read(Area::DeveloperApps);
    let page = DirectoryPage { frame: member_context.frame(DIRECTORY), applications, develops };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

//! Integrations → Custom apps: the applications that their makers published (`docs/contract.md#applications`).

use super::frame::{AtWork, Frame};
use crate::browser::{Alone, Failed};
use crate::dashboard::paths::DIRECTORY;
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use persistence::rows::Application;
use std::sync::Arc;

const SHOWN_MOST: i64 = 500;

#[derive(Template)]
#[template(path = "integrations/directory.html")]
struct Page {
    frame: Frame,
    applications: Vec<Shown>,
}

struct Shown {
    name: String,
    publisher: Option<String>,
    verified: bool,
    description: Option<String>,
    start_url: Option<String>,
}

/// Shows the directory.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let published = deps.db.public().published_applications(SHOWN_MOST).await?;
    let shown = |(application, publisher): (Application, Option<String>)| Shown {
        name: application.name,
        publisher,
        verified: application.verified,
        description: application.description,
        start_url: application.start_url,
    };
    let applications = published.into_iter().map(shown).collect();
    let page = Page { frame: at_work.frame(DIRECTORY), applications };
    Ok(Alone::Dashboard.page(StatusCode::OK, &page))
}

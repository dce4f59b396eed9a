//! Integrations → My applications: what the organization registered, for itself or for every business
//! (`service.md` 2.2 and 3).

mod fields;
mod log;
mod one;

use super::frame::{AtWork, Frame, day};
use crate::admin::Admin;
use crate::browser::{Alone, Failed};
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use fields::Fields;
use persistence::rows::Application;
use std::sync::Arc;

/// Where it is.
pub const PATH: &str = "/integrations/applications";

#[derive(Template)]
#[template(path = "integrations/applications.html")]
struct Page {
    frame: Frame,
    token: String,
    problem: Option<String>,
    /// What the form of a new application holds.
    fields: Fields,
    applications: Vec<Shown>,
}

struct Shown {
    id: String,
    name: String,
    client_id: String,
    published: bool,
    verified: bool,
    description: Option<String>,
    created: String,
}

/// Mounts the pages.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(PATH).route(web::get().to(show)).route(web::post().to(register)));
    app.service(
        web::resource("/integrations/applications/{id}")
            .route(web::get().to(one::show))
            .route(web::post().to(one::change)),
    );
    app.service(
        web::resource("/integrations/applications/{id}/delete")
            .route(web::get().to(one::confirm_delete)),
    );
    app.service(
        web::resource("/integrations/applications/{id}/renew")
            .route(web::get().to(one::confirm_renew)),
    );
}

/// Shows the applications.
async fn show(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    page(&deps, &at_work, StatusCode::OK, Fields::empty(), None).await
}

async fn page(
    deps: &Deps,
    at_work: &AtWork,
    status: StatusCode,
    fields: Fields,
    problem: Option<String>,
) -> Result<HttpResponse, Failed> {
    let own = deps.db.own_applications(at_work.id()).await?;
    let page = Page {
        frame: at_work.frame(PATH),
        token: at_work.token(),
        problem,
        fields,
        applications: own.into_iter().map(shown).collect(),
    };
    Ok(Alone::Dashboard.page(status, &page))
}

fn shown(application: Application) -> Shown {
    Shown {
        id: application.id.to_string(),
        name: application.name,
        client_id: application.client_id,
        published: application.published,
        verified: application.verified,
        description: application.description,
        created: day(*application.created_at),
    }
}

/// Registers an application, and shows its secret this once.
async fn register(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let form = at_work.form(&request, payload).await?;
    let fields = Fields::of(&form);
    let terms = match fields.terms() {
        Ok(terms) => terms,
        Err(problem) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return page(&deps, &at_work, status, fields, Some(problem.to_string())).await;
        }
    };
    let Deps { db, clock, entropy, sealing, .. } = &***deps;
    let admin = Admin { db, clock, entropy, sealing };
    let made = admin.create_application(Some(at_work.id()), &terms, false).await?;
    one::made(&deps, &at_work, made).await
}

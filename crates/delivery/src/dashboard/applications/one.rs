//! One application: its terms, its state, its secret, its log.

use super::PATH;
use super::fields::Fields;
use super::log::{self, Entry};
use crate::admin::{Admin, MadeApplication};
use crate::browser::{Alone, Failed, redirect};
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{AtWork, Frame, day};
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::ApplicationId;
use persistence::rows::Application;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/application.html")]
struct Page {
    frame: Frame,
    token: String,
    problem: Option<String>,
    /// The secret, right after it was made.
    secret: Option<String>,
    id: String,
    name: String,
    client_id: String,
    published: bool,
    verified: bool,
    connections: i64,
    created: String,
    fields: Fields,
    log: Vec<Entry>,
}

/// What a page says beside what is kept.
#[derive(Default)]
struct Said {
    problem: Option<String>,
    secret: Option<String>,
    /// What was typed and is not kept.
    fields: Option<Fields>,
}

/// One of the organization's applications.
async fn own(deps: &Deps, at_work: &AtWork, id: &str) -> Result<Option<Application>, Failed> {
    let Ok(id) = id.parse::<ApplicationId>() else { return Ok(None) };
    let own = deps.db.own_applications(at_work.id()).await?;
    Ok(own.into_iter().find(|it| *it.id == id))
}

/// Shows it.
pub async fn show(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let Some(application) = own(&deps, &at_work, &id).await? else { return Ok(redirect(PATH)) };
    page(&deps, &at_work, application, StatusCode::OK, Said::default()).await
}

/// Shows one that was just registered.
pub async fn made(
    deps: &Deps,
    at_work: &AtWork,
    made: MadeApplication,
) -> Result<HttpResponse, Failed> {
    let Some(application) = own(deps, at_work, &made.id).await? else { return Ok(redirect(PATH)) };
    let said = Said { secret: Some(made.client_secret), ..Said::default() };
    page(deps, at_work, application, StatusCode::CREATED, said).await
}

async fn page(
    deps: &Deps,
    at_work: &AtWork,
    application: Application,
    status: StatusCode,
    said: Said,
) -> Result<HttpResponse, Failed> {
    let id = *application.id;
    let page = Page {
        frame: at_work.frame(PATH),
        token: at_work.token(),
        problem: said.problem,
        secret: said.secret,
        id: id.to_string(),
        fields: said.fields.unwrap_or_else(|| Fields::from_application(&application)),
        name: application.name,
        client_id: application.client_id,
        published: application.published,
        verified: application.verified,
        connections: deps.db.live_connections(id).await?,
        created: day(*application.created_at),
        log: log::entries(deps, id).await?,
    };
    Ok(Alone::Dashboard.page(status, &page))
}

/// Changes it, lists it or no longer, gives it another secret, or deletes it.
pub async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let form = at_work.form(&request, payload).await?;
    let Some(application) = own(&deps, &at_work, &id).await? else { return Ok(redirect(PATH)) };
    let (organization, id) = (at_work.id(), *application.id);
    let Deps { db, clock, entropy, sealing, .. } = &***deps;
    let admin = Admin { db, clock, entropy, sealing };
    match form.value("action") {
        "publish" => drop(db.publish_application(organization, id, true).await?),
        "unpublish" => drop(db.publish_application(organization, id, false).await?),
        "delete" => {
            db.delete_application(organization, id, clock.now()).await?;
            return Ok(redirect(PATH));
        }
        "renew" => {
            let secret = admin.renew_application(organization, id).await?;
            let secret = secret.map(|secret| secret.reveal().to_owned());
            let said = Said { secret, ..Said::default() };
            return page(&deps, &at_work, application, StatusCode::OK, said).await;
        }
        _ => {
            let fields = Fields::of(&form);
            match fields.terms() {
                Ok(terms) => {
                    _ = admin.change_application(organization, &application, &terms).await?;
                }
                Err(problem) => {
                    let (problem, fields) = (Some(problem.to_string()), Some(fields));
                    let said = Said { problem, fields, secret: None };
                    let status = StatusCode::UNPROCESSABLE_ENTITY;
                    return page(&deps, &at_work, application, status, said).await;
                }
            }
        }
    }
    Ok(redirect(&format!("{PATH}/{id}")))
}

/// Asks before it is deleted.
pub async fn confirm_delete(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let sentence = "Nobody can connect it any more, and its secret stops working. Businesses that have \
                    connected it stay connected: end those connections first if you want them ended.";
    confirm(request, &id, deps, ("Delete", "delete", "Delete for good"), sentence).await
}

/// Asks before it gets another secret.
pub async fn confirm_renew(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let sentence = "The secret that its server uses now stops working at once: handshakes fail until the \
                    server has the new one. Connections that exist keep working.";
    confirm(request, &id, deps, ("Make a new secret for", "renew", "Make a new secret"), sentence)
        .await
}

async fn confirm(
    request: HttpRequest,
    id: &str,
    deps: web::Data<Arc<Deps>>,
    (verb, value, button): (&str, &'static str, &'static str),
    sentence: &str,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let Some(application) = own(&deps, &at_work, id).await? else { return Ok(redirect(PATH)) };
    let address = format!("{PATH}/{}", *application.id);
    let page = Confirm {
        frame: at_work.frame(PATH),
        token: at_work.token(),
        title: format!("{verb} {}?", application.name),
        sentence: sentence.to_owned(),
        action: address.clone(),
        value,
        button,
        back: address,
    };
    Ok(Alone::Dashboard.page(StatusCode::OK, &page))
}

//! One application: its terms, its state, its secret, its log.

use super::fields::Fields;
use super::log::{self, Entry};
use super::with_secret;
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, redirect};
use crate::dashboard::APPLICATIONS;
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{Frame, MemberContext, counted, day};
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::ApplicationId;
use persistence::records::Application;
use service::connections;
use std::convert::Infallible;
use std::sync::Arc;
use web_core::deps::Deps;

#[derive(Template)]
#[template(path = "integrations/application.html")]
struct Page {
    frame: Frame,
    token: String,
    id: String,
    name: String,
    client_id: String,
    published: bool,
    verified: bool,
    connections: String,
    created: String,
    /// What the form holds, and what is wrong with it.
    fields: Fields,
    errors: FieldErrors,
    /// Whether the form is open.
    open: bool,
    log: Vec<Entry>,
}

/// One of the organization's applications.
async fn own(
    deps: &Deps,
    member_context: &MemberContext,
    id: &str,
) -> Result<Application, PageError> {
    let id = id.parse::<ApplicationId>().map_err(|_| PageError::NotFound)?;
    deps.applications(member_context.id()).find(id).await?.ok_or(PageError::NotFound)
}

/// Shows it.
pub async fn show(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let application = own(&deps, &member_context, &id).await?;
    let form_values = member_context.form_values().filter(|form| form.value("action") == "save");
    let form_values = form_values.map(|form| (Fields::of(form), FieldErrors::default()));
    page(&deps, &member_context, application, form_values).await
}

async fn page(
    deps: &Deps,
    member_context: &MemberContext,
    application: Application,
    form_values: Option<(Fields, FieldErrors)>,
) -> Result<HttpResponse, PageError> {
    let id = application.id;
    let open = form_values.is_some();
    let (fields, errors) = match form_values {
        Some(form_values) => form_values,
        None => (Fields::from_application(&application)?, FieldErrors::default()),
    };
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = Page {
        frame: member_context.frame(APPLICATIONS),
        token: member_context.token(),
        id: id.to_string(),
        fields,
        errors,
        open,
        name: application.name,
        client_id: application.client_id,
        published: application.published,
        verified: application.verified,
        connections: counted(connections::some(deps, id).await?),
        created: day(application.created_at),
        log: log::entries(deps, member_context.reader(), id).await?,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Changes it, lists it or no longer, rotates its secret, or deletes it.
pub async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let application = own(&deps, &member_context, &id).await?;
        let (own, id) = (deps.applications(member_context.id()), application.id);
        match form.value("action") {
            "publish" => drop(own.publish(id, true).await?),
            "unpublish" => drop(own.publish(id, false).await?),
            "delete" => {
                own.delete(id).await?;
                return Ok(redirect(APPLICATIONS));
            }
            "renew" => {
                let work = rotate(&deps, &member_context, id);
                let Ok(response) = member_context.once(&deps, &request, &form, work).await?;
                return Ok(response);
            }
            _ => return save(&deps, &member_context, application, &form).await,
        }
        Ok(redirect(&format!("{APPLICATIONS}/{id}")))
    })
    .await
}

async fn rotate(
    deps: &Deps,
    member_context: &MemberContext,
    id: ApplicationId,
) -> Result<Result<ActionResult, Infallible>, PageError> {
    let secret = deps.applications(member_context.id()).rotate_secret(id).await?;
    let secret = secret.ok_or(PageError::NotFound)?;
    let notice = with_secret("Secret rotated", secret.reveal());
    Ok(Ok(ActionResult { location: format!("{APPLICATIONS}/{id}"), notice }))
}

async fn save(
    deps: &Deps,
    member_context: &MemberContext,
    application: Application,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let fields = Fields::of(form);
    let terms = match fields.terms() {
        Ok(terms) => terms,
        Err(errors) => {
            return page(deps, member_context, application, Some((fields, errors))).await;
        }
    };
    deps.applications(member_context.id()).change(&application, &terms).await?;
    Ok(redirect(&format!("{APPLICATIONS}/{}", application.id)))
}

/// Asks before it is deleted.
pub async fn confirm_delete(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let sentence = "Nobody can connect it anymore, and its secret stops working. Businesses that have \
                    connected it stay connected: end those connections first if you want them ended.";
    confirm(request, &id, deps, ("Delete", "delete", "Delete application"), sentence).await
}

/// Asks before it gets another secret.
pub async fn confirm_renew(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let sentence = "The secret that its server uses now stops working at once: handshakes fail until the \
                    server has the new one. Connections that exist keep working.";
    confirm(request, &id, deps, ("Rotate the secret of", "renew", "Rotate secret"), sentence).await
}

async fn confirm(
    request: HttpRequest,
    id: &str,
    deps: web::Data<Arc<Deps>>,
    (verb, value, button): (&str, &'static str, &'static str),
    sentence: &str,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let application = own(&deps, &member_context, id).await?;
    let address = format!("{APPLICATIONS}/{}", application.id);
    let page = Confirm {
        frame: member_context.frame(APPLICATIONS),
        token: member_context.token(),
        title: format!("{verb} {}?", application.name),
        sentence: sentence.to_owned(),
        action: address.clone(),
        value,
        button,
        back: address,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

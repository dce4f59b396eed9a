//! The page of one application: its settings, publication, secret, connections and handshake log.

use super::fields::ApplicationFields;
use super::log::{self, LogEntry};
use super::{publication, review, with_secret};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::APPLICATIONS;
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{Frame, MemberContext, counted};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::UNRESERVED;
use askama::Template;
use domain::application::RedirectUri;
use domain::id::ApplicationId;
use domain::keyword::Keyword as _;
use domain::number::saturating;
use domain::role::{Area, MemberAction};
use domain::scope::Scope;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use percent_encoding::utf8_percent_encode;
use persistence::records::Application;
use service::applications;
use service::connections;
use std::convert::Infallible;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/applications/one.html")]
struct ApplicationPage {
    frame: Frame,
    /// The path of this page.
    path: String,
    id: String,
    name: String,
    client_id: String,
    published: bool,
    verified: bool,
    publication: StateLabel,
    review: StateLabel,
    permissions: Vec<&'static str>,
    start_url: Option<String>,
    redirect_uris: Vec<String>,
    /// The number of active connections.
    connections: String,
    /// The organizations with the newest connections.
    businesses: Vec<Business>,
    /// The number of listed organizations, if the application has more.
    cut_off_after: Option<usize>,
    created: ShownTime,
    /// The HTML of the Connect button.
    snippet: String,
    /// The authorize URL and the call of the exchange, with the application's client id.
    authorize_url: String,
    exchange: String,
    log: Vec<LogEntry>,
}

#[derive(Template)]
#[template(path = "integrations/applications/edit.html")]
struct EditApplicationPage {
    frame: Frame,
    token: String,
    path: String,
    name: String,
    verified: bool,
    fields: ApplicationFields,
    errors: FieldErrors,
}

/// An organization with an active connection.
struct Business {
    name: String,
    since: ShownTime,
}

/// Returns the URL of an authorize request for these permissions. The application's server replaces
/// the words in capitals.
fn authorize_url(base_url: &str, client_id: &str, redirect_uri: &str, scopes: &str) -> String {
    let escaped = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
    format!(
        "{base_url}/connect/authorize?client_id={client_id}&redirect_uri={}&response_type=code&scope={}\
         &state=STATE&code_challenge=CODE_CHALLENGE&code_challenge_method=S256",
        escaped(redirect_uri),
        escaped(scopes),
    )
}

/// Returns the call that exchanges a code, like the one in the reference.
fn exchange(base_url: &str, client_id: &str) -> String {
    format!(
        r#"curl '{base_url}/connect/token' \
  -H 'Content-Type: application/json' \
  -d "{{
    \"code\": \"$CODE\",
    \"code_verifier\": \"$CODE_VERIFIER\",
    \"client_id\": \"{client_id}\",
    \"client_secret\": \"$APP_CLIENT_SECRET\"
  }}""#
    )
}

/// Finds an application of the organization by the id in the path.
async fn own(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: &str,
) -> Result<Application, PageError> {
    member_context.require(Area::DeveloperApps)?;
    let id = id.parse::<ApplicationId>().map_err(|_| PageError::NotFound)?;
    let found = applications::find(deps, member_context.id(), id).await?;
    found.ok_or(PageError::NotFound)
}

pub async fn show(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let application = own(&deps, &member_context, &id).await?;
    let form_values = member_context.form_values().filter(|form| form.value("action") == "save");
    if let Some(form) = form_values {
        let (fields, errors) = (ApplicationFields::of(form), FieldErrors::default());
        return Ok(edit_page(&member_context, application, fields, errors));
    }
    page(&deps, &member_context, application).await
}

/// Shows the form with the settings.
pub async fn edit(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let application = own(&deps, &member_context, &id).await?;
    let fields = ApplicationFields::from_application(&application)?;
    Ok(edit_page(&member_context, application, fields, FieldErrors::default()))
}

fn edit_page(
    member_context: &MemberContext,
    application: Application,
    fields: ApplicationFields,
    errors: FieldErrors,
) -> HttpResponse {
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = EditApplicationPage {
        frame: member_context.frame(APPLICATIONS),
        token: member_context.token(),
        path: format!("{APPLICATIONS}/{}", application.id),
        name: application.name,
        verified: application.verified,
        fields,
        errors,
    };
    PagePolicy::Dashboard.page(status, &page)
}

async fn page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    application: Application,
) -> Result<HttpResponse, PageError> {
    let id = application.id;
    let registered = application.registered_redirect_uris()?;
    let redirect_uri = registered.first().map(RedirectUri::as_str).unwrap_or_default();
    let permissions = application.registered_scopes()?;
    let scopes: Vec<&str> = permissions.iter().map(Scope::as_str).collect();
    let businesses = connections::businesses(deps, id).await?.into_iter();
    let businesses: Vec<Business> = businesses
        .map(|(connection, name)| Business {
            name,
            since: ShownTime::date(connection.connected_at),
        })
        .collect();
    let connected = connections::some(deps, id).await?;
    let base_url = &deps.config.base_url;
    let page = ApplicationPage {
        frame: member_context.frame(APPLICATIONS),
        path: format!("{APPLICATIONS}/{id}"),
        id: id.to_string(),
        publication: publication(application.published),
        review: review(application.verified),
        permissions: permissions.iter().map(Scope::developer_description).collect(),
        authorize_url: authorize_url(
            base_url,
            &application.client_id,
            redirect_uri,
            &scopes.join(" "),
        ),
        exchange: exchange(base_url, &application.client_id),
        name: application.name,
        client_id: application.client_id,
        published: application.published,
        verified: application.verified,
        start_url: application.start_url,
        redirect_uris: registered.iter().map(|it| it.as_str().to_owned()).collect(),
        connections: counted(connected),
        cut_off_after: Some(businesses.len()).filter(|it| connected > saturating(*it, i64::MAX)),
        businesses,
        created: ShownTime::date(application.created_at),
        snippet: format!(
            "<script defer src=\"{base_url}/connect/button.js\"></script>\n\
             <button data-service-connect data-authorize-url=\"THE URL THAT YOUR SERVER BUILT\">Connect</button>"
        ),
        log: log::entries(deps, member_context.reader(), id).await?,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Changes, publishes, unpublishes or deletes an application, or rotates its secret.
pub async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let application = own(&deps, &member_context, &id).await?;
        let (own, id) = (member_context.actor(&deps).applications(), application.id);
        let name = &application.name;
        let notice = match form.value("action") {
            "publish" => {
                permitted(own.publish(&application, true).await)??;
                let sentence = "Every business finds it in the Directory and can connect it.";
                Notice::saying(format!("{name} is published"), sentence)
            }
            "unpublish" => {
                permitted(own.publish(&application, false).await)??;
                let sentence = "Only members of your organization can connect it now. Existing \
                                connections are not affected.";
                Notice::saying(format!("{name} is not published anymore"), sentence)
            }
            "delete" => return delete(&deps, &member_context, &application, &form).await,
            "renew" => {
                let work = rotate(&deps, &member_context, &application);
                let Ok(response) = member_context.once(&deps, &request, &form, work).await?;
                return Ok(response);
            }
            "save" => return save(&deps, &member_context, application, &form).await,
            _ => return Err(PageError::UnknownAction),
        };
        let page = format!("{APPLICATIONS}/{id}");
        member_context.redirect_with_flash(&deps, &page, &notice).await
    })
    .await
}

/// The checkbox on the page that asks for confirmation of a deletion.
const END_CONNECTIONS: &str = "end_connections";

/// Deletes an application, and ends its connections if requested. The connections are ended before
/// the deletion, so that the member can repeat the action if it fails halfway, and once more after
/// it, for connections created in the meantime.
async fn delete(
    deps: &ServerDeps,
    member_context: &MemberContext,
    application: &Application,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let (id, name) = (application.id, &application.name);
    let authority = member_context.authority;
    authority.check(MemberAction::ApplicationDeleted).map_err(PageError::Forbidden)?;
    let ends = form.value(END_CONNECTIONS) == "yes";
    let end = async || {
        let reason = Some("The app was deleted.".to_owned());
        let ended = connections::revoke_all(&deps.service, id, reason).await;
        ended.map_err(|error| Problem::internal(&error))
    };
    let before = if ends { end().await? } else { 0 };
    permitted(member_context.actor(deps).applications().delete(application).await)??;
    let sentence = if ends {
        let ended = before + end().await?;
        format!("Its secret no longer works, and its connections were ended: {ended}.")
    } else {
        "Its secret no longer works. Existing connections are not affected.".to_owned()
    };
    let notice = Notice::saying(format!("{name} is deleted"), sentence);
    member_context.redirect_with_flash(deps, APPLICATIONS, &notice).await
}

async fn rotate(
    deps: &ServerDeps,
    member_context: &MemberContext,
    application: &Application,
) -> Result<Result<ActionResult, Infallible>, PageError> {
    let Application { id, client_id, .. } = application;
    let own = member_context.actor(deps).applications();
    let secret = permitted(own.rotate_secret(application).await)??;
    let secret = secret.ok_or(PageError::NotFound)?;
    let notice = with_secret("Secret rotated", client_id, secret.reveal());
    Ok(Ok(ActionResult { location: format!("{APPLICATIONS}/{id}"), notice }))
}

async fn save(
    deps: &ServerDeps,
    member_context: &MemberContext,
    application: Application,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let fields = ApplicationFields::of(form);
    let terms = match fields.terms() {
        Ok(terms) => terms,
        Err(errors) => {
            return Ok(edit_page(member_context, application, fields, errors));
        }
    };
    let own = member_context.actor(deps).applications();
    permitted(own.change(&application, &terms).await)??;
    let notice = Notice::saying("Changes saved", "They apply to handshakes from now on.");
    let page = format!("{APPLICATIONS}/{}", application.id);
    member_context.redirect_with_flash(deps, &page, &notice).await
}

/// Asks for confirmation before an application is deleted.
pub async fn confirm_delete(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, application) = asked_about(&request, &id, &deps).await?;
    let connected = connections::some(&deps, application.id).await?;
    let end = format!("End all connections too ({})", counted(connected));
    let question = Question {
        verb: "Delete",
        sentence: "Nobody can connect it anymore, and its secret stops working. Businesses that have connected \
                   it stay connected.",
        value: "delete",
        button: "Delete app",
        grave: true,
        choice: (connected > 0).then_some((END_CONNECTIONS, end)),
    };
    Ok(ask(&member_context, &application, question))
}

/// Asks for confirmation before the secret is rotated.
pub async fn confirm_renew(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, application) = asked_about(&request, &id, &deps).await?;
    let question = Question {
        verb: "Rotate the secret of",
        sentence: "The current secret stops working immediately: handshakes fail until your server has the new \
                   one. Existing connections are not affected.",
        value: "renew",
        button: "Rotate secret",
        grave: true,
        choice: None,
    };
    Ok(ask(&member_context, &application, question))
}

/// Asks for confirmation before an application is published or unpublished.
pub async fn confirm_publication(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, application) = asked_about(&request, &id, &deps).await?;
    let question = if application.published {
        Question {
            verb: "Unpublish",
            sentence: "It leaves the Directory, and only members of your organization can connect it. Existing \
                       connections are not affected.",
            value: "unpublish",
            button: "Unpublish",
            grave: true,
            choice: None,
        }
    } else {
        Question {
            verb: "Publish",
            sentence: "Every business on this service sees it in the Directory, with its description and the name \
                       of your organization, and can connect it.",
            value: "publish",
            button: "Publish",
            grave: false,
            choice: None,
        }
    };
    Ok(ask(&member_context, &application, question))
}

/// The text of a page that asks for confirmation of an action on an application.
struct Question {
    verb: &'static str,
    sentence: &'static str,
    value: &'static str,
    button: &'static str,
    grave: bool,
    choice: Option<(&'static str, String)>,
}

async fn asked_about(
    request: &HttpRequest,
    id: &str,
    deps: &ServerDeps,
) -> Result<(MemberContext, Application), PageError> {
    let member_context = MemberContext::of(request, deps).await?;
    let application = own(deps, &member_context, id).await?;
    Ok((member_context, application))
}

fn ask(
    member_context: &MemberContext,
    application: &Application,
    question: Question,
) -> HttpResponse {
    let Question { verb, sentence, value, button, grave, choice } = question;
    let address = format!("{APPLICATIONS}/{}", application.id);
    let page = Confirm {
        frame: member_context.frame(APPLICATIONS),
        token: member_context.token(),
        title: format!("{verb} {}?", application.name),
        sentence: sentence.to_owned(),
        action: address.clone(),
        value,
        button,
        grave,
        choice,
        back: address,
    };
    PagePolicy::Dashboard.page(StatusCode::OK, &page)
}

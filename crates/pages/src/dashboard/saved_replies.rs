//! `/settings/saved-replies`: texts that members often send.

use super::SAVED_REPLIES;
use super::confirm::Confirm;
use super::fields::TextField;
use super::frame::{Frame, MemberContext};
use super::notice::Notice;
use super::once::{ActionResult, run_to_completion};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, ShownTime, permitted, sentence};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::role::Area;
use domain::saved_reply::{
    InvalidSavedReply, MAX_SAVED_REPLY_NAME_LENGTH, SavedReplyContent, SavedReplyValues,
    parse_name, parse_text,
};
use http_layer::deps::ServerDeps;
use persistence::records::SavedReply;
use service::saved_replies::{self, SavedReplyError};
use std::sync::Arc;

const NAME: TextField = TextField { name: "name", max_length: MAX_SAVED_REPLY_NAME_LENGTH };
const TEXT: &str = "text";
/// Number of characters of a text that the list shows.
const LINE: usize = 120;

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(SAVED_REPLIES).route(web::get().to(show_list)));
    app.service(
        web::resource("/settings/saved-replies/new")
            .route(web::get().to(show_new))
            .route(web::post().to(create)),
    );
    app.service(
        web::resource("/settings/saved-replies/{reply}")
            .route(web::get().to(show))
            .route(web::post().to(save)),
    );
    app.service(
        web::resource("/settings/saved-replies/{reply}/delete")
            .route(web::get().to(confirm))
            .route(web::post().to(delete)),
    );
}

#[derive(Template)]
#[template(path = "inbox/saved_replies.html")]
struct SavedRepliesPage {
    frame: Frame,
    rows: Vec<SavedReplyRow>,
}

struct SavedReplyRow {
    path: String,
    name: String,
    text: String,
    updated: ShownTime,
}

#[derive(Template)]
#[template(path = "inbox/saved_reply.html")]
struct SavedReplyPage {
    frame: Frame,
    token: String,
    title: String,
    path: String,
    /// The path that deletes the saved reply; empty for a new saved reply.
    delete_path: String,
    name: String,
    text: String,
    field: TextField,
    variables: &'static [&'static str],
    errors: FieldErrors,
}

async fn show_list(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Inbox)?;
    let now = deps.clock.now();
    let row = |it: SavedReply| SavedReplyRow {
        path: format!("{SAVED_REPLIES}/{}", it.id),
        name: it.name,
        text: it.text.chars().take(LINE).collect(),
        updated: ShownTime::relative(it.updated_at, now),
    };
    let all = saved_replies::list(&deps, member_context.reader()).await?;
    let rows = all.into_iter().map(row).collect();
    let page = SavedRepliesPage { frame: member_context.frame(SAVED_REPLIES), rows };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

async fn show_new(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Inbox)?;
    let typed = member_context.form_values().map(Typed::of).unwrap_or_default();
    Ok(render(&member_context, None, typed, FieldErrors::default()))
}

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Inbox)?;
    let it = named(&deps, &member_context, &request).await?;
    let stored = Typed { name: it.name.clone(), text: it.text.clone() };
    let typed = member_context.form_values().map_or(stored, Typed::of);
    Ok(render(&member_context, Some(&it), typed, FieldErrors::default()))
}

/// Returns the saved reply in the path.
async fn named(
    deps: &ServerDeps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<SavedReply, PageError> {
    let id = request.match_info().get("reply").and_then(|id| id.parse().ok());
    let id = id.ok_or(PageError::NotFound)?;
    let found = saved_replies::find(deps, member_context.reader(), id).await?;
    found.ok_or(PageError::NotFound)
}

/// The fields as they were typed.
#[derive(Default)]
struct Typed {
    name: String,
    text: String,
}

impl Typed {
    fn of(form: &Form) -> Self {
        Self { name: form.typed(NAME.name), text: form.typed(TEXT) }
    }

    fn parse(&self) -> Result<SavedReplyContent, FieldErrors> {
        match (parse_name(&self.name), parse_text(&self.text)) {
            (Ok(name), Ok(text)) => Ok(SavedReplyContent { name, text }),
            (name, text) => {
                let mut errors = FieldErrors::default();
                let mut add = |field, error: Option<InvalidSavedReply>| {
                    if let Some(error) = error {
                        errors.add(field, error);
                    }
                };
                add(NAME.name, name.err());
                add(TEXT, text.err());
                Err(errors)
            }
        }
    }
}

fn render(
    member_context: &MemberContext,
    existing: Option<&SavedReply>,
    typed: Typed,
    errors: FieldErrors,
) -> HttpResponse {
    let path = existing.map(|it| format!("{SAVED_REPLIES}/{}", it.id));
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = SavedReplyPage {
        frame: member_context.frame(SAVED_REPLIES),
        token: member_context.token(),
        title: existing.map_or_else(|| "New saved reply".to_owned(), |it| it.name.clone()),
        delete_path: path.as_ref().map(|it| format!("{it}/delete")).unwrap_or_default(),
        path: path.unwrap_or_else(|| format!("{SAVED_REPLIES}/new")),
        name: typed.name,
        text: typed.text,
        field: NAME,
        variables: &SavedReplyValues::NAMES,
        errors,
    };
    PagePolicy::Dashboard.page(status, &page)
}

async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Inbox)?;
        form.check_action("save")?;
        let typed = Typed::of(&form);
        let work = async {
            let content = match typed.parse() {
                Ok(content) => content,
                Err(errors) => return Ok(Err(errors)),
            };
            let actor = member_context.actor(&deps);
            match permitted(actor.saved_replies().create(content).await)? {
                Ok(_) => Ok(Ok(done("Saved reply created"))),
                Err(error) => refused(error).map(Err),
            }
        };
        let shown =
            async |errors: FieldErrors| Ok(render(&member_context, None, Typed::of(&form), errors));
        member_context.once_or(&deps, &request, &form, work, shown).await
    })
    .await
}

async fn save(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Inbox)?;
        let it = named(&deps, &member_context, &request).await?;
        form.check_action("save")?;
        let content = match Typed::of(&form).parse() {
            Ok(content) => content,
            Err(errors) => {
                return Ok(render(&member_context, Some(&it), Typed::of(&form), errors));
            }
        };
        let actor = member_context.actor(&deps);
        if let Err(error) = permitted(actor.saved_replies().update(it.id, content).await)? {
            let errors = refused(error)?;
            return Ok(render(&member_context, Some(&it), Typed::of(&form), errors));
        }
        let ActionResult { location, notice } = done("Changes saved");
        member_context.redirect_with_flash(&deps, &location, &notice).await
    })
    .await
}

fn done(title: &'static str) -> ActionResult {
    let notice = Notice::saying(title, "It can be inserted with / in the inbox.");
    ActionResult { location: SAVED_REPLIES.to_owned(), notice }
}

/// Returns why a saved reply is not stored, or the error page.
fn refused(error: SavedReplyError) -> Result<FieldErrors, PageError> {
    match error {
        SavedReplyError::NotFound => Err(PageError::NotFound),
        SavedReplyError::Database(error) => Err(error.into()),
        error @ SavedReplyError::TooMany => Ok(FieldErrors::one("", sentence(&error.to_string()))),
    }
}

async fn confirm(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Inbox)?;
    let it = named(&deps, &member_context, &request).await?;
    let path = format!("{SAVED_REPLIES}/{}", it.id);
    let page = Confirm {
        frame: member_context.frame(SAVED_REPLIES),
        token: member_context.token(),
        title: format!("Delete {}?", it.name),
        sentence: "Nobody can insert it any more. Messages that were sent stay.".to_owned(),
        action: format!("{path}/delete"),
        value: "delete",
        button: "Delete saved reply",
        grave: true,
        choice: None,
        back: path,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

async fn delete(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Inbox)?;
        if form.value("action") != "delete" {
            return Err(PageError::UnknownAction);
        }
        let it = named(&deps, &member_context, &request).await?;
        permitted(member_context.actor(&deps).saved_replies().delete(&it).await)??;
        let notice = Notice::saying("Saved reply deleted", "It cannot be inserted any more.");
        member_context.redirect_with_flash(&deps, SAVED_REPLIES, &notice).await
    })
    .await
}

//! `/contacts/{id}`: the data about one contact.

use crate::browser::{ObjectState, PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::messages::contact_name;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use crate::dashboard::{CONTACTS, INBOX};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::contact::entered_name;
use domain::id::ContactId;
use domain::role::{Area, MemberAction};
use http_layer::deps::ServerDeps;
use persistence::records::{Contact, ConversationWithContact};
use service::accounts;
use service::contacts::MergeError;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "contacts/contact.html")]
struct ContactDetailPage {
    frame: Frame,
    path: String,
    id: String,
    name: String,
    phone_number: Option<String>,
    username: Option<String>,
    user_id: Option<String>,
    /// The organization's number that the contact writes to.
    number: String,
    marketing: StateLabel,
    created: ShownTime,
    last_message: ShownTime,
    message_count: i64,
    conversation: String,
    inbox: String,
    /// The time at which the contact was deleted, if it was.
    deleted: Option<ShownTime>,
    /// The CSRF token of the forms.
    token: String,
    /// The name that a member chose, or that the channel reported.
    own_name: String,
    opted_out: bool,
    /// Whether the member may delete the contact.
    may_delete: bool,
}

/// Returns the contact's id in the path. It may be the id of a contact that was merged into another
/// one.
pub fn id_in(request: &HttpRequest) -> Result<ContactId, PageError> {
    request.match_info().query("contact").parse().map_err(|_| PageError::NotFound)
}

pub async fn find(
    deps: &ServerDeps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<ConversationWithContact, PageError> {
    visible_contact(deps, member_context, id_in(request)?).await
}

/// Finds a contact whose conversation the member may see.
pub async fn visible_contact(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: ContactId,
) -> Result<ConversationWithContact, PageError> {
    let contacts = member_context.actor(deps).contacts();
    contacts.find(member_context.reader(), id).await?.ok_or(PageError::NotFound)
}

/// Returns the marketing preference of a contact in words.
pub fn marketing(contact: &Contact) -> StateLabel {
    match contact.opted_out_at {
        Some(_) => ObjectState::Disabled.saying("Opted out"),
        None => ObjectState::Ok.saying("Allowed"),
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Contacts)?;
    let ConversationWithContact { conversation, contact } =
        find(&deps, &member_context, &request).await?;
    let all = accounts::list(&deps, member_context.reader()).await?;
    let account = all.into_iter().find(|it| it.id == contact.account_id);
    let (now, name) = (deps.clock.now(), contact_name(&contact));
    let page = ContactDetailPage {
        frame: member_context.frame(CONTACTS),
        path: format!("{CONTACTS}/{}", contact.id),
        id: contact.id.to_string(),
        marketing: marketing(&contact),
        number: account.map(|it| it.display_name).unwrap_or_default(),
        created: ShownTime::date(contact.created_at),
        last_message: ShownTime::relative(conversation.last_message_at, now),
        message_count: conversation.message_count,
        conversation: conversation.id.to_string(),
        inbox: format!("{INBOX}/{}", conversation.id),
        deleted: contact.deleted_at.map(|at| ShownTime::ago(at, now)),
        token: member_context.token(),
        own_name: contact.name.clone().unwrap_or_default(),
        opted_out: contact.opted_out_at.is_some(),
        may_delete: member_context.may(MemberAction::ContactDeleted),
        phone_number: contact.phone_number.filter(|number| *number != name),
        name,
        username: contact.username,
        user_id: contact.channel_user_id,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Asks for confirmation before a contact is deleted.
pub async fn confirm_deletion(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::ContactDeletion)?;
    let contact = find(&deps, &member_context, &request).await?.contact;
    let here = format!("{CONTACTS}/{}", contact.id);
    let page = Confirm {
        frame: member_context.frame(CONTACTS),
        token: member_context.token(),
        title: format!("Delete {} forever?", contact_name(&contact)),
        sentence:
            "Names, numbers, texts, files, notes and drafts of this contact are erased within a \
                   minute, on every page and in the API. Messages that wait are not sent. Counts \
                   and IDs stay. This cannot be undone. Backups keep what they have."
                .to_owned(),
        action: here.clone(),
        value: "delete",
        button: "Delete contact",
        grave: true,
        choice: None,
        back: here,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let contact = find(&deps, &member_context, &request).await?.contact;
        let work = async {
            match form.value("action") {
                "delete" => delete(&deps, &member_context, contact.id).await.map(Ok),
                "rename" => {
                    let typed = domain::contact::name(form.value("name"));
                    match typed.as_deref().map(entered_name).transpose() {
                        Ok(name) => rename(&deps, &member_context, contact.id, name).await.map(Ok),
                        Err(why) => {
                            let sentence = crate::browser::sentence(&why.to_string());
                            Ok(Err(Notice::saying("The name was not saved", sentence).warning()))
                        }
                    }
                }
                "opt_out" => set_marketing(&deps, &member_context, contact.id, false).await.map(Ok),
                "opt_in" => set_marketing(&deps, &member_context, contact.id, true).await.map(Ok),
                "merge" => merge(&deps, &member_context, contact.id, form.value("with")).await,
                _ => Err(PageError::UnknownAction),
            }
        };
        let refused = async |notice: Notice| {
            let here = format!("{CONTACTS}/{}", contact.id);
            member_context.redirect_with_flash(&deps, &here, &notice).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn delete(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: ContactId,
) -> Result<ActionResult, PageError> {
    let deleted = permitted(member_context.actor(deps).contacts().delete(id).await)??;
    deleted.ok_or(PageError::NotFound)?;
    let notice = Notice::saying(
        "Contact deleted",
        "Texts, files, notes and drafts are gone within a minute.",
    );
    Ok(ActionResult { location: CONTACTS.to_owned(), notice })
}

async fn rename(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: ContactId,
    name: Option<String>,
) -> Result<ActionResult, PageError> {
    let sentence = match name {
        Some(_) => "The name that the contact has on the channel does not replace it.",
        None => "The contact gets the name of the channel with the next message.",
    };
    let renamed = permitted(member_context.actor(deps).contacts().rename(id, name).await)??;
    renamed.ok_or(PageError::NotFound)?;
    let location = format!("{CONTACTS}/{id}");
    Ok(ActionResult { location, notice: Notice::saying("Name saved", sentence) })
}

async fn set_marketing(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: ContactId,
    wants: bool,
) -> Result<ActionResult, PageError> {
    let set = permitted(member_context.actor(deps).contacts().set_marketing(id, wants).await)??;
    set.ok_or(PageError::NotFound)?;
    let (title, sentence) = if wants {
        ("Marketing is allowed", "Marketing templates are sent to this contact again.")
    } else {
        ("Opted out", "Marketing templates to this contact are refused, for every app.")
    };
    let location = format!("{CONTACTS}/{id}");
    Ok(ActionResult { location, notice: Notice::saying(title, sentence) })
}

/// Merges the contact that the form names into this one.
async fn merge(
    deps: &ServerDeps,
    member_context: &MemberContext,
    kept: ContactId,
    merged: &str,
) -> Result<Result<ActionResult, Notice>, PageError> {
    let merged = merged.parse().map_err(|_| PageError::NotFound)?;
    let merged = visible_contact(deps, member_context, merged).await?.contact.id;
    match permitted(member_context.actor(deps).contacts().merge(kept, merged).await)? {
        Ok(()) => {
            let sentence = "The messages of both are in one conversation, in the order of time.";
            let notice = Notice::saying("Contacts merged", sentence);
            Ok(Ok(ActionResult { location: format!("{CONTACTS}/{kept}"), notice }))
        }
        Err(MergeError::NotFound) => Err(PageError::NotFound),
        Err(MergeError::Database(error)) => Err(error.into()),
        Err(MergeError::Refused(why)) => {
            let sentence = crate::browser::sentence(&why.to_string());
            Ok(Err(Notice::saying("Nothing was merged", sentence).warning()))
        }
    }
}

//! Members of the organization: their roles, invitations, and who may manage keys
//! (`docs/contract.md#roles`).

use super::MEMBERS;
use super::confirm::Confirm;
use super::frame::{Frame, MemberContext};
use super::notice::Notice;
use super::once::{ActionResult, run_to_completion};
use crate::browser::{
    FieldErrors, Form, PageError, PagePolicy, ShownTime, form_only, permitted, sentence,
};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::email::MAX_EMAIL_BYTES;
use domain::id::MemberId;
use domain::keyword::Keyword as _;
use domain::role::{Area, Authority, MemberAction, Role};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Invitation, ListedMember};
use service::actor::{INVITATION_TTL, MemberError};
use std::sync::Arc;

const EMAIL: &str = "email";
const ROLE: &str = "role";

#[derive(Template)]
#[template(path = "members.html")]
struct MembersPage {
    frame: Frame,
    token: String,
    members: Vec<MemberRow>,
    invitations: Vec<InvitationRow>,
    /// Whether the member may invite, change and remove members.
    manages: bool,
    keys_restricted: bool,
    /// Whether members with the role support may manage keys.
    support_manages_keys: bool,
    email: String,
    max_length: usize,
    roles: Vec<(&'static str, &'static str, bool)>,
    errors: FieldErrors,
}

struct MemberRow {
    id: String,
    name: String,
    email: String,
    role: &'static str,
    /// The keyword and the name of each role, and whether it is the member's role.
    roles: Vec<(&'static str, &'static str, bool)>,
    last_active: Option<ShownTime>,
    /// Whether this is the member who views the page.
    current: bool,
}

struct InvitationRow {
    email: String,
    role: &'static str,
    expires: ShownTime,
    expired: bool,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(MEMBERS).route(web::get().to(show)).route(web::post().to(submit)));
    app.service(form_only("/settings/members/{id}").route(web::post().to(change)));
    app.service(web::resource("/settings/members/{id}/remove").route(web::get().to(confirm)));
}

/// Returns the options of a list of roles, the least powerful first.
fn roles(chosen: Role) -> Vec<(&'static str, &'static str, bool)> {
    let all = Role::ALL.iter().rev();
    all.map(|role| (role.as_str(), role.title(), *role == chosen)).collect()
}

/// Returns the role that a form names.
fn role_in(form: &Form) -> Option<Role> {
    Role::from_keyword(form.value(ROLE))
}

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let form = member_context.form_values_for(MEMBERS);
    let email = form.map_or_else(String::new, |form| form.value(EMAIL).to_owned());
    let role = form.and_then(role_in).unwrap_or(Role::Support);
    page(&deps, &member_context, email, role, FieldErrors::default()).await
}

async fn page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    email: String,
    role: Role,
    errors: FieldErrors,
) -> Result<HttpResponse, PageError> {
    member_context.require(Area::Members)?;
    let organization_members = member_context.actor(deps).members();
    let now = deps.clock.now();
    let members = organization_members
        .list()
        .await?
        .into_iter()
        .map(|it| row_of(it, member_context.member.id, now));
    let invitation = |it: Invitation| {
        let ends = it.created_at.plus(INVITATION_TTL);
        InvitationRow {
            email: it.email,
            role: it.role.title(),
            expires: ShownTime::date(ends),
            expired: ends <= now,
        }
    };
    let invitations = organization_members.invitations().await?.into_iter().map(invitation);
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let support = Authority { role: Role::Support, ..member_context.authority };
    let page = MembersPage {
        frame: member_context.frame(MEMBERS),
        token: member_context.token(),
        members: members.collect(),
        invitations: invitations.collect(),
        manages: member_context.may(MemberAction::MemberRoleChanged),
        keys_restricted: member_context.authority.keys_restricted,
        support_manages_keys: support.may(MemberAction::KeyCreated),
        email,
        max_length: MAX_EMAIL_BYTES,
        roles: roles(role),
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

fn row_of(listed: ListedMember, own: MemberId, now: Timestamp) -> MemberRow {
    let ListedMember { member, role, .. } = listed;
    MemberRow {
        id: member.id.to_string(),
        current: member.id == own,
        name: member.name,
        email: member.email,
        role: role.title(),
        roles: roles(role),
        last_active: member.last_active_at.map(|at| ShownTime::relative(at, now)),
    }
}

/// Runs an action of the page itself: invite, withdraw an invitation, restrict keys.
async fn submit(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let members = member_context.actor(&deps).members();
        let notice = match form.value("action") {
            "invite" => return invite(&request, &deps, &member_context, &form).await,
            "withdraw" => {
                let email = form.value(EMAIL);
                let withdrawn = permitted(members.delete_invitation(email).await)?;
                withdrawn.or_else(|error| refused(error).map(|_| false))?;
                let sentence = "Its link no longer works.";
                Notice::saying("Invitation withdrawn", sentence)
            }
            action @ ("restrict" | "unrestrict") => {
                let restricted = action == "restrict";
                let done = permitted(members.restrict_keys(restricted).await)?;
                done.or_else(|error| refused(error).map(|_| ()))?;
                let sentence = if restricted {
                    "Only owners and developers manage API keys and connect apps now."
                } else {
                    "All members manage API keys and connect apps now."
                };
                Notice::saying("Changes saved", sentence)
            }
            _ => return Err(PageError::UnknownAction),
        };
        member_context.redirect_with_flash(&deps, MEMBERS, &notice).await
    })
    .await
}

/// Returns the text of an error that the member can correct.
fn refused(error: MemberError) -> Result<String, PageError> {
    match error {
        MemberError::Database(error) => Err(error.into()),
        error @ MemberError::Link(_) => Err(Problem::internal(&error).into()),
        MemberError::NoMember => Err(PageError::NotFound),
        error => Ok(error.to_string()),
    }
}

/// Creates an invitation. The page that follows shows its link once.
async fn invite(
    request: &HttpRequest,
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let work = async {
        let Some(role) = role_in(form) else {
            return Ok(Err(FieldErrors::one(ROLE, "Choose a role.")));
        };
        let members = member_context.actor(deps).members();
        let base_url = &deps.config.base_url;
        match permitted(members.invite(base_url, form.value(EMAIL), role).await)? {
            Ok(link) => {
                let sentence = format!(
                    "Pass this link on to {}. It works once, until {}. You won’t be able to see it again.",
                    link.email,
                    ShownTime::in_words(link.expires_at)
                );
                let notice = Notice::saying("Invitation created", sentence).with(
                    "Invitation link",
                    "invitation-link",
                    link.url,
                );
                Ok(Ok(ActionResult { location: MEMBERS.to_owned(), notice }))
            }
            Err(error) => Ok(Err(FieldErrors::one(EMAIL, refused(error)?))),
        }
    };
    let refused = async |errors| {
        let (email, role) = (form.value(EMAIL).to_owned(), role_in(form).unwrap_or(Role::Support));
        page(deps, member_context, email, role, errors).await
    };
    member_context.once_or(deps, request, form, work, refused).await
}

/// Finds the member of the organization that the path names.
async fn named(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: &str,
) -> Result<ListedMember, PageError> {
    let id = id.parse::<MemberId>().map_err(|_| PageError::NotFound)?;
    let found = member_context.actor(deps).members().find(id).await?;
    found.ok_or(PageError::NotFound)
}

/// Changes a member's role, removes a member, or creates a link for a new password.
async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let listed = named(&deps, &member_context, &id).await?;
        let (members, name) = (member_context.actor(&deps).members(), &listed.member.name);
        let outcome = match form.value("action") {
            "role" => {
                let role = role_in(&form).ok_or(PageError::UnknownAction)?;
                let changed = permitted(members.change_role(&listed, role).await)?;
                let sentence = format!("{name} is {} now.", with_article(role));
                changed.map(|()| Notice::saying("Role changed", sentence))
            }
            "remove" => {
                let removed = permitted(members.remove(&listed).await)?;
                let sentence = format!("{name} can’t open this organization anymore.");
                removed.map(|()| Notice::saying("Member removed", sentence))
            }
            "reset" => {
                let work = reset(&deps, &member_context, &listed);
                let refused = async |why: String| {
                    let notice = Notice::saying("No link was created", sentence(&why));
                    member_context.redirect_with_flash(&deps, MEMBERS, &notice).await
                };
                return member_context.once_or(&deps, &request, &form, work, refused).await;
            }
            _ => return Err(PageError::UnknownAction),
        };
        let notice = match outcome {
            Ok(notice) => notice,
            Err(error) => Notice::saying("Nothing was changed", sentence(&refused(error)?)),
        };
        member_context.redirect_with_flash(&deps, MEMBERS, &notice).await
    })
    .await
}

const fn with_article(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner",
        Role::Developer => "a developer",
        Role::Support => "in support",
    }
}

/// Creates a link with which a member chooses a new password. The page that follows shows it once.
async fn reset(
    deps: &ServerDeps,
    member_context: &MemberContext,
    listed: &ListedMember,
) -> Result<Result<ActionResult, String>, PageError> {
    let members = member_context.actor(deps).members();
    match permitted(members.reset_link(&deps.config.base_url, listed).await)? {
        Ok(url) => {
            let sentence = format!(
                "Pass this link on to {}. It works once, for an hour. You won’t be able to see it again.",
                listed.member.name
            );
            let notice = Notice::saying("Reset link created", sentence);
            let notice = notice.with("Reset link", "reset-link", url);
            Ok(Ok(ActionResult { location: MEMBERS.to_owned(), notice }))
        }
        Err(error) => Ok(Err(refused(error)?)),
    }
}

/// Asks for confirmation before a member is removed.
async fn confirm(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Members)?;
    let removal = member_context.authority.check(MemberAction::MemberRemoved);
    removal.map_err(PageError::Forbidden)?;
    let listed = named(&deps, &member_context, &id).await?;
    let page = Confirm {
        frame: member_context.frame(MEMBERS),
        token: member_context.token(),
        title: format!("Remove {}?", listed.member.name),
        sentence: format!(
            "{} can’t open {} anymore, from the next click on. Their conversations become unassigned. Keys, apps and webhooks stay.",
            listed.member.name, member_context.organization.name
        ),
        action: format!("{MEMBERS}/{}", listed.member.id),
        value: "remove",
        button: "Remove member",
        grave: true,
        choice: None,
        back: MEMBERS.to_owned(),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

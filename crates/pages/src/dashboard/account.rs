//! `/account`: the member's own name, password and sessions, and the colors of the pages in this
//! browser.

use super::ACCOUNT;
use super::frame::{Frame, MemberContext};
use super::notice::Notice;
use crate::browser::{
    Appearance, FieldErrors, Form, PageError, PagePolicy, ShownTime, permitted, redirect,
};
use crate::dashboard::fields::NAME;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::digest::Digest;
use auth::password::MIN_PASSWORD_LENGTH;
use domain::name::Name;
use domain::role::Area;
use domain::time::{Timestamp, seconds_in_words, whole_seconds};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::Session;
use service::actor::ChangePasswordError;
use service::inbox;
use std::sync::Arc;

const CURRENT: &str = "current";
const NEW: &str = "new";
const REPEATED: &str = "again";
const APPEARANCE: &str = "appearance";
const READS: &str = "reads_when_opened";

#[derive(Template)]
#[template(path = "account.html")]
struct MemberAccountPage {
    frame: Frame,
    token: String,
    email: String,
    role: &'static str,
    name: String,
    least: usize,
    appearances: [Appearance; 3],
    sessions: Vec<SessionRow>,
    /// Whether opening a conversation marks it as read. `None` for a member without the inbox.
    reads_when_opened: Option<bool>,
    errors: FieldErrors,
}

struct SessionRow {
    /// The value that identifies the session in forms. It is not the digest of the session.
    id: String,
    device: String,
    address: String,
    started: ShownTime,
    used: ShownTime,
    current: bool,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(ACCOUNT).route(web::get().to(show)).route(web::post().to(change)));
}

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let typed = member_context.form_values_for(ACCOUNT).map(|form| NAME.of(form).to_owned());
    let name = typed.filter(|it| !it.is_empty());
    let name = name.unwrap_or_else(|| member_context.member.name.clone());
    page(&deps, &member_context, name, FieldErrors::default()).await
}

async fn page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    name: String,
    errors: FieldErrors,
) -> Result<HttpResponse, PageError> {
    let (member, own) = (&member_context.member, member_context.visitor.digest());
    let now = deps.clock.now();
    let sessions = member_context.actor(deps).own_account(member).sessions().await?;
    let reads_when_opened = if member_context.authority.role.may_read(Area::Inbox) {
        Some(inbox::reads_when_opened(deps, member_context.reader(), member.id).await?)
    } else {
        None
    };
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = MemberAccountPage {
        frame: member_context.frame(ACCOUNT),
        token: member_context.token(),
        email: member.email.clone(),
        role: member_context.authority.role.title(),
        name,
        least: MIN_PASSWORD_LENGTH,
        appearances: Appearance::ALL,
        reads_when_opened,
        sessions: sessions.iter().map(|it| row_of(it, &own, now)).collect(),
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

fn row_of(session: &Session, own: &[u8], now: Timestamp) -> SessionRow {
    SessionRow {
        id: name_of(session),
        device: session.user_agent.as_deref().map_or_else(|| "Unknown browser".to_owned(), device),
        address: session.address.clone().unwrap_or_else(|| "Unknown".to_owned()),
        started: ShownTime::relative(session.created_at, now),
        used: ShownTime::relative(session.seen_at, now),
        current: session.digest == own,
    }
}

/// Returns the value that identifies a session in forms. It does not reveal the digest under which
/// the session is stored.
fn name_of(session: &Session) -> String {
    Digest::new(&session.digest).hex().chars().take(32).collect()
}

/// Describes a `User-Agent` by its browser and system, as far as they are known.
fn device(user_agent: &str) -> String {
    let known = |names: &[(&'static str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    let browser = known(&[
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = known(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => user_agent.chars().take(60).collect(),
    }
}

/// Changes the name, the password or the appearance, or ends sessions.
async fn change(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
    match form.value("action") {
        "name" => rename(&deps, &member_context, &form).await,
        "password" => change_password(&deps, &member_context, &form).await,
        "appearance" => change_appearance(&deps, &member_context, &form).await,
        "inbox" => change_inbox(&deps, &member_context, &form).await,
        "end" => end_session(&deps, &member_context, &form).await,
        "end_all" => {
            let own = member_context.actor(&deps).own_account(&member_context.member);
            permitted(own.sign_out_everywhere().await)??;
            Ok(redirect("/login"))
        }
        _ => Err(PageError::UnknownAction),
    }
}

async fn rename(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let typed = NAME.of(form);
    let name = match Name::parse(typed) {
        Ok(name) => name,
        Err(why) => {
            let errors = FieldErrors::one(NAME.name, why);
            return page(deps, member_context, typed.to_owned(), errors).await;
        }
    };
    let own = member_context.actor(deps).own_account(&member_context.member);
    permitted(own.rename(&name).await)??;
    let notice = Notice::saying("Name changed", format!("Others see you as {name}."));
    member_context.redirect_with_flash(deps, ACCOUNT, &notice).await
}

async fn change_password(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let (current, new) = (form.value(CURRENT).to_owned(), form.value(NEW).to_owned());
    let name = member_context.member.name.clone();
    if new != form.value(REPEATED) {
        let why = "The passwords do not match. Enter the same one twice.";
        return page(deps, member_context, name, FieldErrors::one(REPEATED, why)).await;
    }
    let own = member_context.actor(deps).own_account(&member_context.member);
    let kept = member_context.visitor.digest();
    let errors = match permitted(own.change_password(current, new, kept).await)? {
        Ok(()) => {
            let sentence = "You are logged out in all other browsers.";
            let notice = Notice::saying("Password changed", sentence);
            return member_context.redirect_with_flash(deps, ACCOUNT, &notice).await;
        }
        Err(ChangePasswordError::Incorrect) => {
            FieldErrors::one(CURRENT, "This is not your current password.")
        }
        Err(ChangePasswordError::Throttled(wait)) => {
            let wait = seconds_in_words(whole_seconds(wait));
            let why = format!("Too many attempts. Wait {wait} and try again.");
            FieldErrors::one(CURRENT, why)
        }
        Err(ChangePasswordError::Overloaded(_)) => FieldErrors::one(
            "",
            "Many people are signing in right now. Wait a moment and try again.",
        ),
        Err(ChangePasswordError::Password(refused)) => FieldErrors::one(NEW, refused),
        Err(ChangePasswordError::Database(error)) => return Err(error.into()),
        Err(error @ ChangePasswordError::Task(_)) => {
            return Err(Problem::internal(&error).into());
        }
    };
    page(deps, member_context, name, errors).await
}

async fn change_appearance(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let chosen = Appearance::parse(form.value(APPEARANCE)).unwrap_or(Appearance::System);
    let sentence = match chosen {
        Appearance::System => "Pages have the colors of your system.",
        Appearance::Light => "Pages are light in this browser.",
        Appearance::Dark => "Pages are dark in this browser.",
    };
    let notice = Notice::saying("Appearance changed", sentence);
    let mut response = member_context.redirect_with_flash(deps, ACCOUNT, &notice).await?;
    chosen.remember(deps, &mut response);
    Ok(response)
}

async fn change_inbox(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    member_context.require(Area::Inbox)?;
    let reads = form.value(READS) == "yes";
    let (organization, member) = (member_context.id(), member_context.member.id);
    inbox::set_reads_when_opened(deps, organization, member, reads).await?;
    let sentence = if reads {
        "A conversation is read when you open it."
    } else {
        "A conversation stays unread until somebody answers or you mark it."
    };
    let notice = Notice::saying("Inbox changed", sentence);
    member_context.redirect_with_flash(deps, ACCOUNT, &notice).await
}

async fn end_session(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let own = member_context.actor(deps).own_account(&member_context.member);
    let sessions = own.sessions().await?;
    let named = sessions.into_iter().find(|it| name_of(it) == form.value("session"));
    let notice = match named {
        Some(session) => {
            permitted(own.end_session(session.digest).await)??;
            Notice::saying("Session ended", "That browser has to sign in again.")
        }
        None => Notice::saying("Session ended", "It had ended already."),
    };
    member_context.redirect_with_flash(deps, ACCOUNT, &notice).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_as_people_name_it() {
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        assert_eq!(device(firefox), "Firefox on Linux");
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0";
        assert_eq!(device(edge), "Edge on Windows");
        let safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1";
        assert_eq!(device(safari), "Safari on iPhone");
        assert_eq!(device("curl/8"), "curl/8");
        assert_eq!(device(&"x".repeat(300)).len(), 60);
    }
}

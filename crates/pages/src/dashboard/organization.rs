//! `/settings/organization`: the organization's name, how long it keeps the content of messages, and
//! the words with which people opt out of its marketing.

use super::ORGANIZATION;
use super::fields::NAME;
use super::frame::{Frame, MemberContext};
use super::notice::Notice;
use super::once::run_to_completion;
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, permitted};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::name::Name;
use domain::opt_out::{DEFAULT_WORDS, OptOutWords};
use domain::role::{Area, MemberAction};
use http_layer::deps::ServerDeps;
use service::actor::MemberError;
use service::contacts;
use service::retention::{self, MAX_RETENTION_DAYS, Retention};
use std::sync::Arc;

const TEXT_DAYS: &str = "text_days";
const FILE_DAYS: &str = "file_days";
const OPT_OUT_WORDS: &str = "opt_out_words";

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource(ORGANIZATION).route(web::get().to(show)).route(web::post().to(submit)),
    );
}

#[derive(Template)]
#[template(path = "organization.html")]
struct OrganizationPage {
    frame: Frame,
    token: String,
    id: String,
    name: String,
    name_errors: FieldErrors,
    text_days: String,
    file_days: String,
    most: u32,
    retention_errors: FieldErrors,
    /// Whether support members see only conversations that are assigned to them or to nobody.
    support_limited: bool,
    /// The words for opting out, one per line.
    words: String,
    default_words: String,
    words_errors: FieldErrors,
    /// Whether the member may change the settings.
    manages: bool,
}

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let typed = member_context.form_values_for(ORGANIZATION).map(|form| NAME.of(form).to_owned());
    let typed = Refused { name: typed.filter(|it| !it.is_empty()), ..Refused::default() };
    page(&deps, &member_context, StatusCode::OK, typed).await
}

/// The submitted fields of a form that was refused, and its faults.
#[derive(Default)]
struct Refused {
    name: Option<String>,
    name_errors: FieldErrors,
    /// The number of days for texts, and for files.
    days: Option<[String; 2]>,
    retention_errors: FieldErrors,
    words: Option<String>,
    words_errors: FieldErrors,
}

/// Shows the settings, with the input of a refused form if there is one.
async fn page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    status: StatusCode,
    refused: Refused,
) -> Result<HttpResponse, PageError> {
    member_context.require(Area::Members)?;
    let Refused { name, name_errors, days, retention_errors, words, words_errors } = refused;
    let [text_days, file_days] = if let Some(typed) = days {
        typed
    } else {
        let stored = retention::find(deps, member_context.id()).await?;
        let text = |days: Option<u32>| days.map(|it| it.to_string()).unwrap_or_default();
        [stored.text_days, stored.file_days].map(text)
    };
    let words = match words {
        Some(typed) => typed,
        None => contacts::opt_out_words(deps, member_context.id()).await?.as_written().join("\n"),
    };
    let page = OrganizationPage {
        frame: member_context.frame(ORGANIZATION),
        token: member_context.token(),
        id: member_context.id().to_string(),
        name: name.unwrap_or_else(|| member_context.organization.name.clone()),
        name_errors,
        text_days,
        file_days,
        most: MAX_RETENTION_DAYS,
        retention_errors,
        support_limited: member_context.authority.support_limited,
        words,
        default_words: DEFAULT_WORDS.join(", "),
        words_errors,
        manages: member_context.may(MemberAction::RetentionChanged),
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// A text that is not a number of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InvalidDays;

/// Reads a number of days. An empty field means forever.
fn days(text: &str) -> Result<Option<u32>, InvalidDays> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let days = text.parse().ok().filter(|it| (1..=MAX_RETENTION_DAYS).contains(it));
    days.map(Some).ok_or(InvalidDays)
}

async fn submit(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        match form.value("action") {
            "name" => rename(&deps, &member_context, &form).await,
            "retention" => save_retention(&deps, &member_context, &form).await,
            "support" => {
                let limited = form.value("support_limited") == "yes";
                let members = member_context.actor(&deps).members();
                match permitted(members.limit_support(limited).await)? {
                    Ok(()) => {}
                    Err(MemberError::Database(error)) => return Err(error.into()),
                    Err(_) => return Err(PageError::NotFound),
                }
                let sentence = if limited {
                    "Support sees its own and unassigned conversations."
                } else {
                    "Support sees all conversations."
                };
                let notice = Notice::saying("Changes saved", sentence);
                member_context.redirect_with_flash(&deps, ORGANIZATION, &notice).await
            }
            "opt_out_words" => save_words(&deps, &member_context, &form).await,
            _ => Err(PageError::UnknownAction),
        }
    })
    .await
}

/// Gives the organization another name.
async fn rename(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let right = member_context.authority.check(MemberAction::OrganizationRenamed);
    right.map_err(PageError::Forbidden)?;
    let typed = NAME.of(form);
    let name = match Name::parse(typed) {
        Ok(name) => name,
        Err(why) => {
            let name_errors = FieldErrors::one(NAME.name, why);
            let refused =
                Refused { name: Some(typed.to_owned()), name_errors, ..Refused::default() };
            return page(deps, member_context, StatusCode::UNPROCESSABLE_ENTITY, refused).await;
        }
    };
    let members = member_context.actor(deps).members();
    match permitted(members.rename_organization(&name).await)? {
        Ok(_) => {}
        Err(MemberError::Database(error)) => return Err(error.into()),
        Err(_) => return Err(PageError::NotFound),
    }
    let notice = Notice::saying("Name changed", format!("The organization is called {name}."));
    member_context.redirect_with_flash(deps, ORGANIZATION, &notice).await
}

/// Sets how long messages are kept.
async fn save_retention(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let right = member_context.authority.check(MemberAction::RetentionChanged);
    right.map_err(PageError::Forbidden)?;
    let typed = [TEXT_DAYS, FILE_DAYS].map(|field| form.typed(field));
    let (text_days, file_days) = (days(form.value(TEXT_DAYS)), days(form.value(FILE_DAYS)));
    let (Ok(text_days), Ok(file_days)) = (text_days, file_days) else {
        let mut errors = FieldErrors::default();
        let why = format!(
            "enter a whole number from 1 to {MAX_RETENTION_DAYS}, or leave the field empty"
        );
        for (field, read) in [(TEXT_DAYS, text_days), (FILE_DAYS, file_days)] {
            if read.is_err() {
                errors.add(field, &why);
            }
        }
        let refused = Refused { days: Some(typed), retention_errors: errors, ..Refused::default() };
        return page(deps, member_context, StatusCode::UNPROCESSABLE_ENTITY, refused).await;
    };
    let retention = Retention { text_days, file_days };
    let members = member_context.actor(deps).members();
    match permitted(members.set_retention(retention).await)? {
        Ok(()) => {}
        Err(MemberError::Database(error)) => return Err(error.into()),
        Err(_) => return Err(PageError::NotFound),
    }
    let sentence = "Older messages are erased within minutes. If there are many, it takes hours.";
    let notice = Notice::saying("Changes saved", sentence);
    member_context.redirect_with_flash(deps, ORGANIZATION, &notice).await
}

/// Sets the words for opting out. If there are no words, nobody can opt out by a word.
async fn save_words(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let text = form.value(OPT_OUT_WORDS);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let words = match OptOutWords::parse(lines) {
        Ok(words) => words,
        Err(why) => {
            let words_errors = FieldErrors::one(OPT_OUT_WORDS, why);
            let words = Some(text.to_owned());
            let refused = Refused { words, words_errors, ..Refused::default() };
            return page(deps, member_context, StatusCode::UNPROCESSABLE_ENTITY, refused).await;
        }
    };
    let words = (words != OptOutWords::default()).then_some(words);
    let members = member_context.actor(deps).members();
    match permitted(members.set_opt_out_words(words.as_ref()).await)? {
        Ok(()) => {}
        Err(MemberError::Database(error)) => return Err(error.into()),
        Err(_) => return Err(PageError::NotFound),
    }
    let notice = Notice::saying("Changes saved", "They count within 10 seconds.");
    member_context.redirect_with_flash(deps, ORGANIZATION, &notice).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_a_whole_number_or_for_ever() {
        assert_eq!(days(""), Ok(None));
        assert_eq!(days(" 30 "), Ok(Some(30)));
        assert_eq!(days("36500"), Ok(Some(MAX_RETENTION_DAYS)));
        for text in ["0", "-1", "1.5", "36501", "x"] {
            assert_eq!(days(text), Err(InvalidDays), "{text}");
        }
    }
}

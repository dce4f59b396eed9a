//! Deleting a template, after a confirmation.

use super::{TEMPLATES, named};
use crate::browser::{PageError, PagePolicy, permitted, sentence};
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::MemberContext;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::run_to_completion;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::role::MemberAction;
use http_layer::deps::ServerDeps;
use service::templates::change::TemplateChangeError;
use std::sync::Arc;

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let check = member_context.authority.check(MemberAction::TemplateDeleted);
    check.map_err(PageError::Forbidden)?;
    let template = named(&deps, &member_context, &request).await?;
    let path = format!("{TEMPLATES}/{}", template.id);
    let page = Confirm {
        frame: member_context.frame(TEMPLATES),
        token: member_context.token(),
        title: format!("Delete {} ({})?", template.name, template.language),
        sentence: "It is deleted at the channel’s reviewer too, in this language only, and can’t be sent any \
                   more. Messages that were sent stay."
            .to_owned(),
        action: format!("{path}/delete"),
        value: "delete",
        button: "Delete template",
        grave: true,
        choice: None,
        back: path,
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
        let check = member_context.authority.check(MemberAction::TemplateDeleted);
        check.map_err(PageError::Forbidden)?;
        if form.value("action") != "delete" {
            return Err(PageError::UnknownAction);
        }
        let template = named(&deps, &member_context, &request).await?;
        let deleted = Box::pin(member_context.actor(&deps).templates().delete(&template)).await;
        let (location, notice) = match permitted(deleted)? {
            Ok(_) => {
                let sentence =
                    format!("{} ({}) can’t be sent any more.", template.name, template.language);
                (TEMPLATES.to_owned(), Notice::saying("Template deleted", sentence))
            }
            Err(error) => {
                let notice = Notice::saying("The template was not deleted", why(error)?).warning();
                (format!("{TEMPLATES}/{}", template.id), notice)
            }
        };
        member_context.redirect_with_flash(&deps, &location, &notice).await
    })
    .await
}

/// Returns why a template is not deleted or changed, or the error page.
pub fn why(error: TemplateChangeError) -> Result<String, PageError> {
    match error {
        TemplateChangeError::NotFound => Err(PageError::NotFound),
        TemplateChangeError::Database(error) => Err(error.into()),
        TemplateChangeError::Locked { .. } => {
            Ok("It is being submitted or changed. Try again in a minute.".to_owned())
        }
        TemplateChangeError::Away(_) => {
            Ok("The channel can’t be reached. Try again in a few minutes.".to_owned())
        }
        error @ (TemplateChangeError::Refused { .. } | TemplateChangeError::NotSupported(..)) => {
            Ok(sentence(&error.to_string()))
        }
    }
}

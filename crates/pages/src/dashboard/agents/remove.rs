//! Deleting an AI agent.

use super::named;
use crate::browser::{PageError, PagePolicy, permitted};
use crate::dashboard::AGENTS;
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::MemberContext;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::role::Area;
use http_layer::deps::ServerDeps;
use std::sync::Arc;

/// Asks for confirmation before an agent is deleted.
pub async fn confirm(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let path = format!("{AGENTS}/{}", agent.id);
    let page = Confirm {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        title: format!("Delete {}?", agent.name),
        sentence: "It answers nobody any more, and its waiting turns are not answered. Its \
                   settings cannot be restored."
            .to_owned(),
        action: format!("{path}/delete"),
        value: "delete",
        button: "Delete agent",
        grave: true,
        choice: None,
        back: path,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

pub async fn delete(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        if form.value("action") != "delete" {
            return Err(PageError::UnknownAction);
        }
        let agent = named(&deps, &member_context, &request).await?;
        let work = async {
            permitted(member_context.actor(&deps).agents().delete(&agent).await)??;
            let sentence = format!("{} answers nobody any more.", agent.name);
            let notice = Notice::saying("Agent deleted", sentence);
            Ok(Ok(ActionResult { location: AGENTS.to_owned(), notice }))
        };
        let refused =
            async |notice: Notice| member_context.redirect_with_flash(&deps, AGENTS, &notice).await;
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

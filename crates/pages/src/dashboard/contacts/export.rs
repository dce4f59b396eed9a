//! `/contacts/{id}/export`: what is known of a person, as a ZIP file.

use super::detail::find;
use crate::browser::PageError;
use crate::dashboard::frame::MemberContext;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::role::Area;
use futures_util::stream;
use http_layer::deps::Deps;
use service::contact_export;
use std::sync::Arc;

pub async fn download(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Contacts)?;
    let found = find(&deps, &member_context, &request).await?;
    if found.contact.deleted_at.is_some() {
        return Err(PageError::NotFound);
    }
    let name = format!("attachment; filename=\"{}.zip\"", found.contact.id);
    let parts = contact_export::start(deps.service.clone(), member_context.reader(), found);
    let parts = stream::unfold(parts, |mut parts| async move {
        let part = parts.recv().await?;
        Some((part, parts))
    });
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CONTENT_TYPE, "application/zip"));
    response.insert_header((header::CONTENT_DISPOSITION, name));
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    Ok(response.streaming(parts))
}

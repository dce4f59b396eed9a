//! `/contacts/{id}/export`: the data about one contact, as a ZIP file.

use super::detail::id_in;
use crate::browser::{PageError, message, permitted};
use crate::dashboard::frame::MemberContext;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::role::Area;
use futures_util::stream;
use http_layer::deps::ServerDeps;
use service::contact_export::{ContactExport, ExportError};
use std::sync::Arc;

pub async fn download(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Contacts)?;
    let (reader, id) = (member_context.reader(), id_in(&request)?);
    let begun = member_context.actor(&deps).contacts().export(&deps.service, reader, id).await;
    let ContactExport { contact, parts } = match permitted(begun)? {
        Ok(begun) => begun,
        Err(ExportError::NotFound) => return Err(PageError::NotFound),
        Err(ExportError::Database(error)) => return Err(error.into()),
        Err(ExportError::Busy) => {
            let title = "Other exports are under way";
            let sentences = [
                "Your organization exports two contacts at a time. Try again when one of them has ended.",
            ];
            return Ok(message(&request, StatusCode::TOO_MANY_REQUESTS, title, &sentences));
        }
    };
    let name = format!("attachment; filename=\"{contact}.zip\"");
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

//! `GET /connect/button.js`: the script of the Connect button, for pages of other origins.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::application::{RedirectUri, origin};
use http_layer::deps::ServerDeps;
use std::sync::Arc;

const SCRIPT: &str = include_str!("../../../../assets/button.js");

/// Serves the script with our origin inserted.
pub async fn serve(deps: web::Data<Arc<ServerDeps>>) -> HttpResponse {
    let base_url = &deps.config.base_url;
    let service = RedirectUri::parse(base_url).map_or_else(|_| base_url.clone(), |it| origin(&it));
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/javascript; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header(("cross-origin-resource-policy", "cross-origin"))
        .body(SCRIPT.replace("{{service_origin}}", &service))
}

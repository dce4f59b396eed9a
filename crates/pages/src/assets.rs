//! The style sheet and the scripts of the pages: in the binary, under URLs that carry its version.

use crate::browser::refuse;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use std::collections::HashMap;
use std::sync::LazyLock;
use web_core::problem::Problem;
use web_core::public_text::PublicText;

/// Part of every asset URL, so that a new version of the program is not served from caches of an older one. Caches
/// may keep an asset for an hour.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const ASSETS: &[(&str, &str, &str)] = &[
    ("app.css", "text/css; charset=utf-8", include_str!("../../../assets/app.css")),
    ("docs.css", "text/css; charset=utf-8", include_str!("../../../assets/docs.css")),
    ("docs.js", "text/javascript; charset=utf-8", include_str!("../../../assets/docs.js")),
    ("copy.js", "text/javascript; charset=utf-8", include_str!("../../../assets/copy.js")),
    ("popup.js", "text/javascript; charset=utf-8", include_str!("../../../assets/popup.js")),
    ("icon.svg", "image/svg+xml", include_str!("../../../assets/icon.svg")),
    ("relay.js", "text/javascript; charset=utf-8", include_str!("../../../assets/relay.js")),
];

/// What browsers ask for where a page names no icon.
const FAVICON: &[u8] = include_bytes!("../../../assets/favicon.ico");

/// Their texts, compressed when the first of them is asked for.
static TEXTS: LazyLock<HashMap<&str, (&str, PublicText)>> = LazyLock::new(|| {
    let text = |(name, kind, text): &(&'static str, &'static str, &'static str)| {
        (*name, (*kind, PublicText::of(*text)))
    };
    ASSETS.iter().map(text).collect()
});

/// Mounts them.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/assets/{name}").route(web::get().to(serve)));
    app.service(web::resource("/favicon.ico").route(web::get().to(favicon)));
}

async fn favicon() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "image/x-icon"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(FAVICON)
}

async fn serve(request: HttpRequest) -> HttpResponse {
    let wanted = request.match_info().get("name").unwrap_or_default();
    let Some((content_type, text)) = TEXTS.get(wanted) else {
        return refuse(&request, &Problem::not_found("path"));
    };
    let form = text.form_for(&request);
    let mut response = HttpResponse::Ok();
    if let Some(encoding) = form.encoding {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    response
        .insert_header((header::CONTENT_TYPE, *content_type))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(form.bytes.clone())
}

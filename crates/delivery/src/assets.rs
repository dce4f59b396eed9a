//! The style sheet and the scripts of the pages: in the binary, under addresses that change with them.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

/// Stands in every address of an asset, so that it can be kept for ever.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const ASSETS: &[(&str, &str, &str)] = &[
    ("app.css", "text/css; charset=utf-8", include_str!("../../../assets/app.css")),
    ("docs.css", "text/css; charset=utf-8", include_str!("../../../assets/docs.css")),
    ("docs.js", "text/javascript; charset=utf-8", include_str!("../../../assets/docs.js")),
    ("copy.js", "text/javascript; charset=utf-8", include_str!("../../../assets/copy.js")),
    ("popup.js", "text/javascript; charset=utf-8", include_str!("../../../assets/popup.js")),
    ("relay.js", "text/javascript; charset=utf-8", include_str!("../../../assets/relay.js")),
];

/// Mounts them.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/assets/{name}").route(web::get().to(serve)));
}

async fn serve(request: HttpRequest) -> HttpResponse {
    let wanted = request.match_info().get("name").unwrap_or_default();
    let Some((_, content_type, text)) = ASSETS.iter().find(|(name, ..)| *name == wanted) else {
        return HttpResponse::NotFound().finish();
    };
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, *content_type))
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(*text)
}

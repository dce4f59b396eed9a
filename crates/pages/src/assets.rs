//! The style sheets and the scripts of the pages: in the binary, under URLs that carry a hash of what they hold.

use crate::browser::refuse;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use auth::digest::Digest;
use http_layer::problem::Problem;
use http_layer::public_text::PublicText;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Under the URL of [`url`] caches keep an asset for a year without asking again: another content has another URL.
const FOR_A_YEAR: &str = "public, max-age=31536000, immutable";
/// Under any other URL it may be another content tomorrow. So it is while servers are replaced one by one: a page of the
/// new program may ask an old one, whose asset must not stay in a cache under the new URL.
const NOT_KEPT: &str = "no-cache";
/// Characters of a hash in a URL.
const HASH_LENGTH: usize = 16;

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

/// An asset as it is served.
struct Asset {
    content_type: &'static str,
    hash: String,
    text: PublicText,
}

/// All of them, compressed when the first one is asked for.
static SERVED: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    let asset = |(name, content_type, text): &(&'static str, &'static str, &'static str)| {
        let hash = Digest::of(text.as_bytes()).hex().chars().take(HASH_LENGTH).collect();
        (*name, Asset { content_type, hash, text: PublicText::of(*text) })
    };
    ASSETS.iter().map(asset).collect()
});

/// The URL of an asset, which changes with what it holds.
#[must_use]
pub fn url(name: &str) -> String {
    let hash = SERVED.get(name).map_or("", |asset| asset.hash.as_str());
    format!("/assets/{name}?{hash}")
}

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
    let Some(asset) = SERVED.get(wanted) else {
        return refuse(&request, &Problem::not_found("path"));
    };
    let form = asset.text.form_for(&request);
    let kept = if request.query_string() == asset.hash { FOR_A_YEAR } else { NOT_KEPT };
    let mut response = HttpResponse::Ok();
    if let Some(encoding) = form.encoding {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    response
        .insert_header((header::CONTENT_TYPE, asset.content_type))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header((header::CACHE_CONTROL, kept))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(form.bytes.clone())
}

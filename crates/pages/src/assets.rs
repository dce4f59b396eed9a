//! Style sheets, scripts and the icon of the pages. They are compiled into the binary. The URL of
//! an asset contains a hash of its content.

use crate::browser::refuse;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use auth::digest::Digest;
use http_layer::problem::Problem;
use http_layer::public_text::PublicText;
use std::collections::HashMap;
use std::sync::LazyLock;

/// `Cache-Control` under the URL from [`url`]. Caches keep the asset for a year without asking
/// again, because other content has another URL.
const FOR_A_YEAR: &str = "public, max-age=31536000, immutable";
/// `Cache-Control` under any other URL, where the content may change. During a rolling update a
/// page of the new version may request an asset from an instance of the old version. Caches must
/// not keep that asset under the new URL.
const NOT_KEPT: &str = "no-cache";
/// Number of characters of the hash in a URL.
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

/// The icon that browsers request if a page names none.
const FAVICON: &[u8] = include_bytes!("../../../assets/favicon.ico");

struct Asset {
    content_type: &'static str,
    hash: String,
    text: PublicText,
}

/// All assets by name. They are compressed at the first request for any of them.
static SERVED: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    let asset = |(name, content_type, text): &(&'static str, &'static str, &'static str)| {
        let hash = Digest::new(text.as_bytes()).hex().chars().take(HASH_LENGTH).collect();
        (*name, Asset { content_type, hash, text: PublicText::new(*text) })
    };
    ASSETS.iter().map(asset).collect()
});

/// Returns the URL of an asset. It changes with the content.
#[must_use]
pub fn url(name: &str) -> String {
    let hash = SERVED.get(name).map_or("", |asset| asset.hash.as_str());
    format!("/assets/{name}?{hash}")
}

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

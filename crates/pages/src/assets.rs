//! Style sheets, scripts, fonts and the icon of the pages. They are compiled into the binary. The URL of
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

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const FONT: &str = "font/woff2";

/// Name, content type and content. `cargo xtask style` compiles the style sheets.
const ASSETS: &[(&str, &str, &[u8])] = &[
    ("app.css", CSS, include_bytes!("../../../assets/compiled/app.css")),
    ("docs.css", CSS, include_bytes!("../../../assets/compiled/docs.css")),
    ("docs.js", SCRIPT, include_bytes!("../../../assets/docs.js")),
    ("fragment.js", SCRIPT, include_bytes!("../../../assets/fragment.js")),
    ("app.js", SCRIPT, include_bytes!("../../../assets/app.js")),
    ("hotkey.js", SCRIPT, include_bytes!("../../../assets/vendor/hotkey/hotkey.js")),
    (
        "combobox-nav.js",
        SCRIPT,
        include_bytes!("../../../assets/vendor/combobox-nav/combobox-nav.js"),
    ),
    ("idiomorph.js", SCRIPT, include_bytes!("../../../assets/vendor/idiomorph/idiomorph.js")),
    ("copy.js", SCRIPT, include_bytes!("../../../assets/copy.js")),
    ("popup.js", SCRIPT, include_bytes!("../../../assets/popup.js")),
    ("relay.js", SCRIPT, include_bytes!("../../../assets/relay.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../../assets/icon.svg")),
    (LATIN, FONT, include_bytes!("../../../assets/vendor/inter/inter-latin.woff2")),
    (LATIN_EXT, FONT, include_bytes!("../../../assets/vendor/inter/inter-latin-ext.woff2")),
];

/// The font of the pages, by alphabet. Style sheets refer to these names.
const LATIN: &str = "inter-latin.woff2";
const LATIN_EXT: &str = "inter-latin-ext.woff2";

/// The icon that browsers request if a page names none.
const FAVICON: &[u8] = include_bytes!("../../../assets/favicon.ico");

struct Asset {
    content_type: &'static str,
    hash: String,
    content: AssetContent,
}

/// Fonts are compressed already.
enum AssetContent {
    Text(PublicText),
    Binary(&'static [u8]),
}

/// All assets by name. They are compressed at the first request for any of them.
static SERVED: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    let asset = |(name, content_type, bytes): &(&'static str, &'static str, &'static [u8])| {
        let (hash, content) = if *content_type == FONT {
            (hash_of(bytes), AssetContent::Binary(bytes))
        } else {
            let text = with_hashes(bytes);
            (hash_of(&text), AssetContent::Text(PublicText::new(text)))
        };
        (*name, Asset { content_type, hash, content })
    };
    ASSETS.iter().map(asset).collect()
});

fn hash_of(bytes: &[u8]) -> String {
    Digest::new(bytes).hex().chars().take(HASH_LENGTH).collect()
}

/// Returns a style sheet or a script in which the URLs of other assets contain their hash, so that
/// browsers keep those assets too. A style sheet names fonts, and a script names the modules that
/// it imports. The named assets must not name further assets, because their hashes are computed
/// from the unchanged text.
fn with_hashes(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let text = ASSETS.iter().fold(text, |text, (name, _, bytes)| {
        let hash = hash_of(bytes);
        let text = text.replace(&format!("url({name})"), &format!("url({name}?{hash})"));
        text.replace(&format!("\"./{name}\""), &format!("\"./{name}?{hash}\""))
    });
    text.into_bytes()
}

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
    let kept = if request.query_string() == asset.hash { FOR_A_YEAR } else { NOT_KEPT };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, asset.content_type))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header((header::CACHE_CONTROL, kept))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    match &asset.content {
        AssetContent::Binary(bytes) => response.body(*bytes),
        AssetContent::Text(text) => {
            let form = text.form_for(&request);
            if let Some(encoding) = form.encoding {
                response.insert_header((header::CONTENT_ENCODING, encoding));
            }
            response.body(form.bytes.clone())
        }
    }
}

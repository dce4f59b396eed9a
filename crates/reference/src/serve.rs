//! Routes of the reference: the HTML page, Markdown, `OpenAPI`, a Postman collection, and a list of
//! links for language models.

use super::Reference;
use super::chapters::Chapter;
use actix_web::http::header::{self, HeaderMap};
use actix_web::{HttpRequest, HttpResponse, web};
use http_layer::deps::ServerDeps;
use http_layer::list_headers::{MAX_LIST_HEADER_BYTES, is_known, is_short};
use http_layer::problem::Problem;
use http_layer::public_text::PublicText;
use http_layer::request_id::request_id;
use pages::POLICY;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A form of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReferenceFormat {
    Page,
    Markdown,
    OpenApi,
    Postman,
    Pointer,
}

/// The path of a chapter, with its name.
const CHAPTER: &str = "/docs/{chapter}";

/// A text of the reference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ReferenceText {
    form: ReferenceFormat,
    /// The chapter, or `None` for the whole reference.
    chapter: Option<String>,
    base_url: String,
}

/// A cache of the rendered texts. The configuration limits the number of base URLs.
#[derive(Default)]
pub struct RenderCache {
    texts: Mutex<BTreeMap<ReferenceText, Arc<PublicText>>>,
    /// The chapters by base URL.
    chapters: Mutex<BTreeMap<String, Arc<Vec<Chapter>>>>,
}

/// Mounts the routes of all forms.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(read_only("/docs", negotiated));
    app.service(read_only(CHAPTER, chapter));
    app.service(read_only("/docs.md", |request, deps, shelf| {
        respond(request, deps, shelf, ReferenceFormat::Markdown, None)
    }));
    app.service(read_only("/openapi.json", |request, deps, shelf| {
        respond(request, deps, shelf, ReferenceFormat::OpenApi, None)
    }));
    app.service(read_only("/postman.json", |request, deps, shelf| {
        respond(request, deps, shelf, ReferenceFormat::Postman, None)
    }));
    app.service(read_only("/llms.txt", |request, deps, shelf| {
        respond(request, deps, shelf, ReferenceFormat::Pointer, None)
    }));
}

type RouteData = (web::Data<Arc<ServerDeps>>, web::Data<RenderCache>);

fn read_only(
    path: &str,
    render: fn(&HttpRequest, &ServerDeps, &RenderCache) -> HttpResponse,
) -> actix_web::Resource {
    let handler = move |request: HttpRequest, (deps, shelf): RouteData| {
        let response = render(&request, &deps, &shelf);
        async move { response }
    };
    let others = |request: HttpRequest| async move {
        Problem::method_not_allowed("GET, HEAD").response(&request_id(&request))
    };
    web::resource(path).route(web::get().to(handler)).default_service(web::to(others))
}

fn negotiated(request: &HttpRequest, deps: &ServerDeps, shelf: &RenderCache) -> HttpResponse {
    respond(request, deps, shelf, wanted_form(request), None)
}

fn chapter(request: &HttpRequest, deps: &ServerDeps, shelf: &RenderCache) -> HttpResponse {
    let name = request.match_info().get("chapter").unwrap_or_default();
    match name.strip_suffix(".md") {
        Some(name) => respond(request, deps, shelf, ReferenceFormat::Markdown, Some(name)),
        None => respond(request, deps, shelf, wanted_form(request), Some(name)),
    }
}

/// Returns whether the client wants a page or Markdown.
fn wanted_form(request: &HttpRequest) -> ReferenceFormat {
    let query = request.query_string();
    let asks =
        query.len() <= MAX_LIST_HEADER_BYTES && query.split('&').any(|pair| pair == "format=md");
    if asks || wants_markdown(request.headers()) {
        ReferenceFormat::Markdown
    } else {
        ReferenceFormat::Page
    }
}

/// Tells whether the client asks for Markdown by name and does not prefer HTML.
fn wants_markdown(headers: &HeaderMap) -> bool {
    let mut qualities = [0.0, 0.0];
    if !is_short(headers, header::ACCEPT) {
        return false;
    }
    for value in headers.get_all(header::ACCEPT) {
        let Ok(value) = value.to_str() else { continue };
        for item in value.split(',') {
            let (kind, parameters) = item.split_once(';').unwrap_or((item, ""));
            let quality = parameters.split(';').find_map(|it| it.trim().strip_prefix("q="));
            #[expect(clippy::disallowed_methods, reason = "an invalid quality counts as 0")]
            let quality: f32 = quality.map_or(1.0, |text| text.trim().parse().unwrap_or(0.0));
            match kind.trim().to_ascii_lowercase().as_str() {
                "text/markdown" => qualities[0] = quality,
                "text/html" => qualities[1] = quality,
                _ => {}
            }
        }
    }
    qualities[0] > 0.0 && qualities[0] >= qualities[1]
}

/// Returns the base URL with the host that the client used, if the configuration allows that host.
/// Otherwise returns the configured base URL. A client can send any `Host` header, so no other host
/// is ever shown (`docs/security.md` 31).
fn base_url(headers: &HeaderMap, configured: &str, allowed: &[String]) -> String {
    let mut hosts = headers.get_all(header::HOST);
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return configured.to_owned() };
    let Ok(host) = host.to_str() else { return configured.to_owned() };
    let allowed = allowed.iter().find(|it| it.eq_ignore_ascii_case(host));
    match (allowed, configured.split_once("://")) {
        (Some(allowed), Some((scheme, rest))) => {
            let path = rest.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
            format!("{scheme}://{allowed}{path}")
        }
        _ => configured.to_owned(),
    }
}

fn respond(
    request: &HttpRequest,
    deps: &ServerDeps,
    shelf: &RenderCache,
    form: ReferenceFormat,
    chapter: Option<&str>,
) -> HttpResponse {
    let settings = &deps.config;
    let base_url = base_url(request.headers(), &settings.base_url, &settings.docs_hosts);
    let wanted = ReferenceText { form, chapter: chapter.map(str::to_owned), base_url };
    let printed = match shelf.take(wanted, &deps.config.upgrade_url) {
        Ok(Some(printed)) => printed,
        Ok(None) => return Problem::not_found("chapter").response(&request_id(request)),
        Err(error) => return Problem::internal(&error).response(&request_id(request)),
    };
    let text = printed.form_for(request);
    let known = is_known(request, &text.tag);
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, text.tag.to_string()))
        .insert_header((header::CACHE_CONTROL, "public, max-age=60"))
        .insert_header((header::VARY, "Host, Accept, Accept-Encoding"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::REFERRER_POLICY, "same-origin"))
        .insert_header(("cross-origin-opener-policy", "same-origin"));
    if known {
        return response.finish();
    }
    if let Some(encoding) = text.encoding {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    response.insert_header((header::CONTENT_TYPE, form.content_type())).body(text.bytes.clone())
}

impl ReferenceFormat {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Page => "text/html; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::OpenApi | Self::Postman => "application/json",
            Self::Pointer => "text/plain; charset=utf-8",
        }
    }
}

impl RenderCache {
    /// Returns a text of the reference, or `None` if there is no such chapter.
    fn take(
        &self,
        wanted: ReferenceText,
        upgrade_url: &str,
    ) -> Result<Option<Arc<PublicText>>, askama::Error> {
        let mut texts = self.texts.lock();
        if let Some(printed) = texts.get(&wanted) {
            return Ok(Some(printed.clone()));
        }
        let reference = Reference::new(&wanted.base_url, upgrade_url);
        let text = match (&wanted.chapter, wanted.form) {
            (Some(name), form) => {
                let chapters = self.chapters(&reference, &wanted.base_url)?;
                let Some(chapter) = chapters.iter().find(|it| it.slug == *name) else {
                    return Ok(None);
                };
                match form {
                    ReferenceFormat::Markdown => chapter.markdown.clone(),
                    _ => reference.chapter_page(chapter)?,
                }
            }
            (None, ReferenceFormat::Page) => reference.page()?,
            (None, ReferenceFormat::Markdown) => reference.markdown()?,
            (None, ReferenceFormat::OpenApi) => reference.openapi().to_string(),
            (None, ReferenceFormat::Postman) => reference.postman().to_string(),
            (None, ReferenceFormat::Pointer) => reference.pointer()?,
        };
        let printed = Arc::new(PublicText::new(text));
        texts.insert(wanted, printed.clone());
        Ok(Some(printed))
    }

    /// Returns the chapters of the reference. They are rendered only once, because otherwise each
    /// request with an unknown chapter name, which any client can send, would render them again.
    fn chapters(
        &self,
        reference: &Reference,
        base_url: &str,
    ) -> Result<Arc<Vec<Chapter>>, askama::Error> {
        let mut kept = self.chapters.lock();
        if let Some(chapters) = kept.get(base_url) {
            return Ok(chapters.clone());
        }
        let chapters = Arc::new(reference.chapters()?);
        kept.insert(base_url.to_owned(), chapters.clone());
        Ok(chapters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    const CONFIGURED: &str = "https://api.example.com/chat";

    /// Generates test hosts: the allowed host, similar hosts, and arbitrary header values.
    fn host() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"docs.example.com".to_vec()),
            "[dD][oO][cC][sS]\\.example\\.COM".prop_map(String::into_bytes),
            "(user@|evil\\.|//|\\[)?docs\\.example\\.com(:[0-9]{1,6}|\\.|/path|@evil\\.com|\\]| |%00|#|\\?)?"
                .prop_map(String::into_bytes),
            prop::collection::vec(prop_oneof![32..=126_u8, 128..=255_u8], 0..60),
        ]
    }

    proptest! {
        #[test]
        fn only_an_allowed_host_is_ever_shown(hosts in prop::collection::vec(host(), 0..3)) {
            let mut headers = HeaderMap::new();
            for host in &hosts {
                headers.append(header::HOST, HeaderValue::from_bytes(host).unwrap());
            }
            let allowed = ["docs.example.com".to_owned()];
            let shown = base_url(&headers, CONFIGURED, &allowed);
            let is_allowed = hosts.len() == 1 && hosts[0].eq_ignore_ascii_case(b"docs.example.com");
            let expected = if is_allowed { "https://docs.example.com/chat" } else { CONFIGURED };
            prop_assert_eq!(shown, expected);
        }
    }
}

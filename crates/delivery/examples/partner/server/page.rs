//! The partner's only page.

use super::Partner;
use super::handshake::PartnerConnection;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

#[derive(Template)]
#[template(path = "partner/front.html")]
struct Front<'a> {
    service: &'a str,
    authorize_url: &'a str,
    connection: Option<&'a PartnerConnection>,
    said: Option<(bool, String)>,
}

/// Renders the page with the button or with the connection.
pub fn front(
    partner: &Partner,
    authorize_url: &str,
    connection: Option<&PartnerConnection>,
    said: Option<(bool, String)>,
) -> HttpResponse {
    let service = partner.service.as_str();
    let Ok(text) = (Front { service, authorize_url, connection, said }).render() else {
        return HttpResponse::InternalServerError().finish();
    };
    // The button works under a content security policy as strict as this one.
    let policy = format!(
        "default-src 'none'; script-src 'self' {service}; style-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    );
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(text)
}

/// Serves the page's style sheet and script.
pub async fn asset(request: HttpRequest) -> HttpResponse {
    let (content_type, text) = match request.match_info().get("asset") {
        Some("page.css") => ("text/css", include_str!("../../../../../assets/partner/page.css")),
        Some("page.js") => {
            ("text/javascript", include_str!("../../../../../assets/partner/page.js"))
        }
        _ => return HttpResponse::NotFound().body("There is nothing here. Go to /."),
    };
    HttpResponse::Ok().insert_header((header::CONTENT_TYPE, content_type)).body(text)
}

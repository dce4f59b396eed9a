//! The cookie with the organization that a member chose last in this browser. A new session in this
//! browser begins with it. The cookie grants nothing: callers use only an organization that the
//! member belongs to.

use super::cookies::cookies;
use actix_web::HttpResponse;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::HeaderMap;
use domain::id::OrganizationId;
use http_layer::deps::ServerDeps;

/// Lifetime of the cookie, in days.
const REMEMBERED_DAYS: i64 = 180;

const fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-switchboard-organization" } else { "switchboard-organization" }
}

/// Returns the organization in the cookie. The member may not belong to it.
pub fn last_organization(deps: &ServerDeps, headers: &HeaderMap) -> Option<OrganizationId> {
    cookies(headers, cookie_name(is_secure(deps))).find_map(|value| value.parse().ok())
}

/// Sets the cookie.
pub fn remember_organization(
    deps: &ServerDeps,
    organization: OrganizationId,
    response: &mut HttpResponse,
) {
    let secure = is_secure(deps);
    let cookie = Cookie::build(cookie_name(secure), organization.to_string())
        .path("/")
        .http_only(true)
        .secure(secure)
        .same_site(SameSite::Lax)
        .max_age(Duration::days(REMEMBERED_DAYS))
        .finish();
    if let Err(error) = response.add_cookie(&cookie) {
        tracing::error!(%error, "the cookie with the last organization cannot be set");
    }
}

fn is_secure(deps: &ServerDeps) -> bool {
    deps.config.base_url.starts_with("https:")
}

//! The organization that a member chose last in a browser: a session that begins there later begins with it.
//! The cookie opens nothing: only an organization of the member's is taken from it.

use super::cookies::cookies;
use actix_web::HttpResponse;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::HeaderMap;
use domain::id::OrganizationId;
use http_layer::deps::Deps;

/// How long it is remembered, in days.
const REMEMBERED_DAYS: i64 = 180;

const fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-switchboard-organization" } else { "switchboard-organization" }
}

/// What these headers say was chosen last; the member need not belong to it.
pub fn last_organization(deps: &Deps, headers: &HeaderMap) -> Option<OrganizationId> {
    cookies(headers, cookie_name(is_secure(deps))).find_map(|value| value.parse().ok())
}

/// Has the browser remember it.
pub fn remember_organization(
    deps: &Deps,
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
        tracing::error!(%error, "a browser cannot remember the organization");
    }
}

fn is_secure(deps: &Deps) -> bool {
    deps.settings.base_url.starts_with("https:")
}

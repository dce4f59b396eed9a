//! The cookie of a browser in which a member has signed in before. Such a browser has a sign-in
//! limit of its own, so that somebody who guesses the member's password elsewhere cannot lock the
//! member out. The cookie grants nothing: the password is still required.

use super::cookies;
use actix_web::HttpResponse;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::HeaderMap;
use auth::digest::Digest;
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use platform::login_throttle::DeviceId;

/// Lifetime of the cookie, in days since the last sign-in.
const KNOWN_DAYS: i64 = 180;
const KNOWN: std::time::Duration = std::time::Duration::from_hours(24 * KNOWN_DAYS.unsigned_abs());

const fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-switchboard-device" } else { "switchboard-device" }
}

/// Returns the id of the browser, if the member with this email address has signed in with it.
pub fn known(deps: &ServerDeps, headers: &HeaderMap, email: &str) -> Option<DeviceId> {
    let secure = deps.config.base_url.starts_with("https:");
    let mut opened = cookies(headers, cookie_name(secure))
        .filter_map(|shown| deps.client_state.open(shown, &purpose(email)).ok());
    let opened = opened.next()?;
    let (id, since) = opened.split_first_chunk::<16>()?;
    let since = Timestamp::from_micros(i64::from_be_bytes(since.try_into().ok()?));
    (deps.clock.now().since(since) < KNOWN).then_some(*id)
}

/// Whether the browser sent the cookie of a browser in which a member has signed in. The cookie is
/// not verified.
pub fn is_known(deps: &ServerDeps, headers: &HeaderMap) -> bool {
    let secure = deps.config.base_url.starts_with("https:");
    cookies(headers, cookie_name(secure)).next().is_some()
}

/// Sets the cookie. A browser that is already known keeps its id.
pub fn remember(
    deps: &ServerDeps,
    known: Option<DeviceId>,
    email: &str,
    response: &mut HttpResponse,
) {
    let id = known.unwrap_or_else(|| deps.entropy.bytes());
    let state = [id.as_slice(), &deps.clock.now().micros().to_be_bytes()].concat();
    let sealed = deps.client_state.seal(&state, &purpose(email), deps.entropy.bytes());
    let secure = deps.config.base_url.starts_with("https:");
    let set = sealed.map_err(|error| error.to_string()).and_then(|sealed| {
        let cookie = Cookie::build(cookie_name(secure), sealed)
            .path("/")
            .http_only(true)
            .secure(secure)
            .same_site(SameSite::Lax)
            .max_age(Duration::days(KNOWN_DAYS))
            .finish();
        response.add_cookie(&cookie).map_err(|error| error.to_string())
    });
    if let Err(error) = set {
        tracing::error!(%error, "the device cookie cannot be set");
    }
}

fn purpose(email: &str) -> String {
    format!("device {}", Digest::new(email.as_bytes()).hex())
}

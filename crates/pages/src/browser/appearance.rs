//! The colors of the dashboard: light, dark, or those of the system. A cookie keeps the choice, so
//! that the server renders the page in these colors from the start.

use super::cookies;
use actix_web::HttpResponse;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::HeaderMap;
use http_layer::deps::ServerDeps;

/// The time for which the cookie is kept.
const REMEMBERED_DAYS: i64 = 365;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appearance {
    System,
    Light,
    Dark,
}

impl Appearance {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Returns the choice in the cookie, otherwise the colors of the system.
    pub fn of(deps: &ServerDeps, headers: &HeaderMap) -> Self {
        cookies(headers, cookie_name(is_secure(deps))).find_map(Self::parse).unwrap_or(Self::System)
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == word)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// Returns the value of `data-theme`, which replaces the colors of the system.
    pub const fn theme(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light | Self::Dark => Some(self.as_str()),
        }
    }

    /// Sets the cookie.
    pub fn remember(self, deps: &ServerDeps, response: &mut HttpResponse) {
        let secure = is_secure(deps);
        let cookie = Cookie::build(cookie_name(secure), self.as_str())
            .path("/")
            .http_only(true)
            .secure(secure)
            .same_site(SameSite::Lax)
            .max_age(Duration::days(REMEMBERED_DAYS))
            .finish();
        if let Err(error) = response.add_cookie(&cookie) {
            tracing::error!(%error, "the cookie with the appearance cannot be set");
        }
    }
}

const fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-switchboard-appearance" } else { "switchboard-appearance" }
}

fn is_secure(deps: &ServerDeps) -> bool {
    deps.config.base_url.starts_with("https:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_light_and_dark_replace_the_colors_of_the_system() {
        assert_eq!(Appearance::ALL.map(Appearance::theme), [None, Some("light"), Some("dark")]);
        assert_eq!(Appearance::parse("dark"), Some(Appearance::Dark));
        assert_eq!(Appearance::parse("\"><b>"), None);
    }
}

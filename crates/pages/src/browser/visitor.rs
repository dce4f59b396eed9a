//! The visitor of a page: a browser, and the member if one is signed in.
//!
//! A browser without a session has a token in its cookie, and nothing is stored for it, so that
//! unauthenticated clients cannot fill the disk. The CSRF tokens of its forms are bound to that
//! token by an HMAC. Signing in creates a session with a new token (`docs/security.md` 12).

use super::cookies::cookies;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use auth::session::SessionToken;
use domain::id::OrganizationId;
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::Seen;
use persistence::records::{Consent, Member, Membership, Organization, Session};
use serde::Serialize;
use serde::de::DeserializeOwned;
use service::sessions::{self, SessionClient};

/// The CSRF purpose of the sign-in form.
pub const SIGN_IN: &str = "sign-in";
/// The CSRF purpose of the sign-out form.
pub const SIGN_OUT: &str = "sign-out";

/// A browser, with its session if a member is signed in.
pub struct Visitor {
    token: SessionToken,
    /// The session, if a member is signed in.
    session: Option<Session>,
    /// Whether the browser does not have the token yet.
    fresh: bool,
    secure: bool,
    /// The member and their organizations, if a member is signed in.
    pub member: Option<(Member, Vec<Membership>)>,
    /// The primary's log position when the session was read.
    seen: Seen,
}

impl Visitor {
    /// Identifies the browser of a request. Gives it a new token if it has none.
    pub async fn of(request: &HttpRequest, deps: &ServerDeps) -> Result<Self, Problem> {
        let secure = deps.config.base_url.starts_with("https:");
        let mut shown = cookies(request.headers(), cookie_name(secure));
        let Some(token) = shown.find_map(SessionToken::parse) else {
            let token = SessionToken::new(deps.entropy.bytes());
            return Ok(Self::unknown(token, true, secure));
        };
        let mut visitor = Self::unknown(token, false, secure);
        let digest = visitor.digest();
        if let Some((session, member, seen)) = sessions::find(deps, digest).await? {
            visitor.member = member;
            visitor.session = Some(session);
            visitor.seen = seen;
        }
        Ok(visitor)
    }

    const fn unknown(token: SessionToken, fresh: bool, secure: bool) -> Self {
        Self { token, session: None, fresh, secure, member: None, seen: Seen::UNKNOWN }
    }

    /// Returns the log position that lists on a page must include, so that they show all earlier
    /// changes.
    #[must_use]
    pub const fn seen(&self) -> Seen {
        self.seen
    }

    /// Returns the digest of the browser's token, which identifies the session in the database.
    #[must_use]
    pub fn digest(&self) -> Vec<u8> {
        self.token.digest().as_bytes().to_vec()
    }

    /// Returns the digests of the tokens that a value in the browser may be encrypted for: the
    /// current token, and the token before sign-in.
    pub fn digests(&self) -> impl Iterator<Item = Vec<u8>> {
        let before = self.session.as_ref().and_then(|session| session.anonymous_digest.clone());
        [Some(self.digest()), before].into_iter().flatten()
    }

    /// Returns the membership in the organization that the member chose, or else the member's first
    /// one.
    #[must_use]
    pub fn membership(&self) -> Option<&Membership> {
        let (_, memberships) = self.member.as_ref()?;
        let chosen = self.session.as_ref()?.organization_id;
        let found = chosen.and_then(|id| memberships.iter().find(|it| it.organization.id == id));
        found.or_else(|| memberships.first())
    }

    /// Returns the membership in the organization with this id, if the member belongs to it.
    #[must_use]
    pub fn membership_of(&self, id: OrganizationId) -> Option<&Membership> {
        self.member.as_ref()?.1.iter().find(|it| it.organization.id == id)
    }

    /// Returns the organization with this id, if the member belongs to it.
    #[must_use]
    pub fn organization_of(&self, id: OrganizationId) -> Option<&Organization> {
        self.membership_of(id).map(|it| &it.organization)
    }

    /// Encrypts a value. Only this browser can submit it for decryption, and only for the same
    /// `purpose`.
    pub fn seal(
        &self,
        deps: &ServerDeps,
        purpose: &str,
        value: &impl Serialize,
    ) -> Result<Vec<u8>, Problem> {
        let text = serde_json::to_vec(value).ok();
        let sealed = text.zip(self.token.sealing_key());
        let sealed =
            sealed.and_then(|(text, key)| key.seal(&text, purpose, deps.entropy.bytes()).ok());
        sealed.ok_or_else(|| Problem::internal("a value cannot be sealed for a browser"))
    }

    /// Decrypts a value. Returns `None` if it was not encrypted for this browser and `purpose`.
    #[must_use]
    pub fn open<T: DeserializeOwned>(&self, purpose: &str, sealed: &[u8]) -> Option<T> {
        let text = self.token.sealing_key()?.open(sealed, purpose).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Returns the CSRF token of a form.
    #[must_use]
    pub fn form_token(&self, purpose: &str) -> String {
        self.token.form_token(purpose)
    }

    /// Whether a submitted CSRF token is valid.
    #[must_use]
    pub fn is_form_token(&self, purpose: &str, shown: &str) -> bool {
        self.token.is_form_token(purpose, shown)
    }

    /// Signs a member in with a new session token (`docs/security.md` 12). `asked` gets the digest
    /// of the new token and returns the request for consent to store with the session.
    pub async fn sign_in(
        &mut self,
        deps: &ServerDeps,
        member: &Member,
        client: SessionClient,
        asked: impl FnOnce(Vec<u8>) -> Option<Consent>,
    ) -> Result<(), Problem> {
        let (before, anonymous) = (self.session.as_ref(), self.digest());
        let (token, session) =
            sessions::begin(deps, member, before, anonymous, client, asked).await?;
        self.token = token;
        self.session = Some(session);
        self.fresh = true;
        Ok(())
    }

    /// Sets the session cookie, if the browser does not have it yet.
    #[must_use]
    pub fn attach_session_cookie(&self, mut response: HttpResponse) -> HttpResponse {
        if let Some(cookie) = self.cookie_to_set()
            && let Err(error) = response.add_cookie(&cookie)
        {
            tracing::error!(%error, "a cookie cannot be set");
        }
        response
    }

    /// Returns the session cookie, if the browser does not have it yet.
    pub(super) fn cookie_to_set(&self) -> Option<Cookie<'static>> {
        self.fresh.then(|| self.cookie())
    }

    fn cookie(&self) -> Cookie<'static> {
        Cookie::build(cookie_name(self.secure), self.token.reveal().to_owned())
            .path("/")
            .http_only(true)
            .secure(self.secure)
            // `Strict` would omit the cookie when the browser comes from the application's page.
            .same_site(SameSite::Lax)
            .finish()
    }
}

/// Describes the browser of a request for the list of sessions.
#[must_use]
pub fn session_client(request: &HttpRequest, deps: &ServerDeps) -> SessionClient {
    let user_agent = request.headers().get(header::USER_AGENT);
    let user_agent = user_agent.and_then(|it| it.to_str().ok()).map(str::to_owned);
    SessionClient { user_agent, address: caller(request, &deps.config.trusted_proxies) }
}

/// `__Host-` binds a cookie to this host and to HTTPS. Browsers reject the prefix over HTTP.
const fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-switchboard" } else { "switchboard" }
}

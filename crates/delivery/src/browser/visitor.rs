//! Who is looking at a page: a browser with a session, and the member behind it if somebody signed in.

use crate::deps::Deps;
use crate::problem::Problem;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::{HttpRequest, HttpResponse};
use auth::seal::SealingKey;
use auth::session::{IDLE_MOST, SessionToken};
use domain::id::OrganizationId;
use domain::time::Timestamp;
use persistence::rows::{Member, Organization, Session};
use std::time::Duration;

/// A session that was used is noted once in so long.
const NOTE_EVERY: Duration = Duration::from_mins(1);

/// A browser.
pub struct Visitor {
    token: SessionToken,
    session: Session,
    /// Whether the browser has yet to be told of its session.
    fresh: bool,
    secure: bool,
    /// The member and their organizations, if somebody signed in.
    pub member: Option<(Member, Vec<Organization>)>,
}

impl Visitor {
    /// Who sends this request; a browser that nobody knows gets a session.
    pub async fn of(request: &HttpRequest, deps: &Deps) -> Result<Self, Problem> {
        let now = deps.clock.now();
        let secure = deps.settings.base_url.starts_with("https:");
        let shown = request.cookie(cookie_name(secure));
        if let Some(token) = shown.and_then(|cookie| SessionToken::parse(cookie.value())) {
            let digest = token.digest().as_bytes().to_vec();
            if let Some(session) = deps.db.session(digest, now.minus(IDLE_MOST)).await? {
                return Self::known(deps, token, session, secure, now).await;
            }
        }
        let (token, session) = begin(deps, now, None);
        deps.db.insert_session(session.clone()).await?;
        Ok(Self { token, session, fresh: true, secure, member: None })
    }

    async fn known(
        deps: &Deps,
        token: SessionToken,
        session: Session,
        secure: bool,
        now: Timestamp,
    ) -> Result<Self, Problem> {
        if now.since(*session.seen_at) > NOTE_EVERY {
            deps.db.touch_session(session.digest.clone(), now).await?;
        }
        let member = match session.member_id {
            Some(id) => deps.db.member_with_organizations(*id).await?,
            None => None,
        };
        Ok(Self { token, session, fresh: false, secure, member })
    }

    /// The digest by which the session is kept.
    #[must_use]
    pub fn digest(&self) -> Vec<u8> {
        self.session.digest.clone()
    }

    /// The organization that the member works for.
    #[must_use]
    pub fn organization(&self) -> Option<&Organization> {
        let (_, organizations) = self.member.as_ref()?;
        let chosen = self.session.organization_id.map(|id| *id);
        let found = chosen.and_then(|id| organizations.iter().find(|it| *it.id == id));
        found.or_else(|| organizations.first())
    }

    /// One of the member's organizations.
    #[must_use]
    pub fn organization_of(&self, id: OrganizationId) -> Option<&Organization> {
        self.member.as_ref()?.1.iter().find(|it| *it.id == id)
    }

    /// The key for what only this browser may read.
    #[must_use]
    pub fn sealing_key(&self) -> Option<SealingKey> {
        self.token.sealing_key()
    }

    /// What a form carries to prove that it is ours.
    #[must_use]
    pub fn form_token(&self, purpose: &str) -> String {
        self.token.form_token(purpose)
    }

    /// Whether a form carries that.
    #[must_use]
    pub fn is_form_token(&self, purpose: &str, shown: &str) -> bool {
        self.token.is_form_token(purpose, shown)
    }

    /// Signs a member in: the session changes its name (`security.md` 12).
    pub async fn sign_in(&mut self, deps: &Deps, member: &Member) -> Result<(), Problem> {
        let (token, session) = begin(deps, deps.clock.now(), Some(member));
        deps.db.sign_in(Some(self.digest()), session.clone()).await?;
        self.token = token;
        self.session = session;
        self.fresh = true;
        Ok(())
    }

    /// Tells the browser of its session, if it does not know it yet.
    #[must_use]
    pub fn seen_off(&self, mut response: HttpResponse) -> HttpResponse {
        if !self.fresh {
            return response;
        }
        let cookie = Cookie::build(cookie_name(self.secure), self.token.reveal())
            .path("/")
            .http_only(true)
            .secure(self.secure)
            // Strict would lose the session on arrival from the application's page.
            .same_site(SameSite::Lax)
            .finish();
        if let Err(error) = response.add_cookie(&cookie) {
            tracing::error!(%error, "a cookie cannot be set");
        }
        response
    }
}

fn begin(deps: &Deps, now: Timestamp, member: Option<&Member>) -> (SessionToken, Session) {
    let token = SessionToken::new(deps.entropy.bytes());
    let session = Session {
        digest: token.digest().as_bytes().to_vec(),
        member_id: member.map(|member| member.id),
        organization_id: None,
        created_at: now.into(),
        seen_at: now.into(),
    };
    (token, session)
}

/// `__Host-` binds a cookie to this host and to https; without https browsers do not take it.
const fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-switchboard" } else { "switchboard" }
}

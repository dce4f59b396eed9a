//! A pending authorize request.
//!
//! Once a member has signed in, what was asked is kept in the database, for ten minutes, for their session, for
//! one use, and only its id travels (`docs/security.md` 10 and 14). For somebody who has not signed in nothing is
//! stored, or any stranger could fill the disk: the browser carries the judged request itself, sealed, bound to
//! its cookie, and with the id under which it will be kept. That is no URL which an unauthenticated client can choose: nobody
//! but this service can seal one, it is good in that browser only, and the redirect URI in it is the digest of
//! one that has to be registered still when it is opened.

use crate::browser::Visitor;
use auth::authorize::Parameters;
use auth::digest::{Digest, hex};
use auth::handshake::HandshakeFault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use domain::application::RedirectUri;
use domain::id::{ApplicationId, ConsentId};
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use http_layer::deps::Deps;
use http_layer::problem::Problem;
use persistence::records::{Application, Consent};
use serde::{Deserialize, Serialize};
use service::connect::{self, CONSENT_TTL};

/// An authorize request of a known application, for one of its redirect URIs.
pub struct Pending {
    /// The application.
    pub application: Application,
    /// What it asks, and where it gets the answer.
    pub consent: Consent,
    /// What is wrong with it: it is returned to the redirect URI once the member has signed in, and is never stored.
    pub fault: Option<HandshakeFault>,
    /// Whether it is kept in the database.
    kept: bool,
    /// As the browser carries it, where that is known already.
    sealed: Option<String>,
}

/// What a browser carries.
#[derive(Serialize, Deserialize)]
struct SealedState {
    id: String,
    application: String,
    /// Of the redirect URI, in hex.
    redirect: String,
    scopes: String,
    /// In base64: it need not be text.
    state: String,
    challenge: String,
    fault: Option<String>,
    popup: bool,
    /// In microseconds.
    asked_at: i64,
}

impl Pending {
    /// Judges a request.
    pub fn judge(
        deps: &Deps,
        visitor: &Visitor,
        application: Application,
        redirect_uri: RedirectUri,
        parameters: &Parameters,
    ) -> Result<Self, Problem> {
        let digest = visitor.digest();
        let (consent, fault) =
            connect::judge(deps, digest, &application, redirect_uri, parameters)?;
        Ok(Self { application, consent, fault, kept: false, sealed: None })
    }

    /// What was asked of this browser and is still open: `text` is the id of what is kept, or what the browser
    /// carries.
    pub async fn find(deps: &Deps, visitor: &Visitor, text: &str) -> Result<Option<Self>, Problem> {
        let Ok(id) = text.parse::<ConsentId>() else {
            return Self::open(deps, visitor, text).await;
        };
        if visitor.member.is_none() {
            return Ok(None);
        }
        let found = connect::open(deps, id, visitor.digest()).await?;
        let kept = |(consent, application)| Self {
            application,
            consent,
            fault: None,
            kept: true,
            sealed: None,
        };
        Ok(found.map(kept))
    }

    async fn open(deps: &Deps, visitor: &Visitor, text: &str) -> Result<Option<Self>, Problem> {
        let opened = visitor
            .digests()
            .find_map(|digest| deps.client_state.open(text, &purpose(&digest)).ok());
        let carried = opened.and_then(|bytes| serde_json::from_slice::<SealedState>(&bytes).ok());
        let Some(carried) = carried else { return Ok(None) };
        let asked_at = Timestamp::from_micros(carried.asked_at);
        let (Ok(id), Ok(application)) =
            (carried.id.parse::<ConsentId>(), carried.application.parse::<ApplicationId>())
        else {
            return Ok(None);
        };
        if asked_at <= deps.clock.now().minus(CONSENT_TTL) {
            return Ok(None);
        }
        let Some(application) = connect::application_of(deps, application).await? else {
            return Ok(None);
        };
        let mut registered = application.registered_redirect_uris()?.into_iter();
        let redirect_uri = registered.find(|uri| digest(uri) == carried.redirect);
        let Some(redirect_uri) = redirect_uri else { return Ok(None) };
        let Ok(state) = STANDARD_NO_PAD.decode(&carried.state) else { return Ok(None) };
        let fault = carried.fault.as_deref().and_then(HandshakeFault::from_keyword);
        let consent = Consent {
            id,
            session_digest: visitor.digest(),
            application_id: application.id,
            redirect_uri,
            scopes: fault.is_none().then_some(carried.scopes),
            state,
            challenge: fault.is_none().then_some(carried.challenge),
            popup: carried.popup,
            created_at: asked_at,
            used_at: None,
        };
        let sealed = Some(text.to_owned());
        Ok(Some(Self { application, consent, fault, kept: false, sealed }))
    }

    /// As the browser carries it.
    pub fn sealed(&self, deps: &Deps) -> Result<String, Problem> {
        if let Some(sealed) = &self.sealed {
            return Ok(sealed.clone());
        }
        let Consent { id, redirect_uri, scopes, state, challenge, popup, created_at, .. } =
            &self.consent;
        let carried = SealedState {
            id: id.to_string(),
            application: self.application.id.to_string(),
            redirect: digest(redirect_uri),
            scopes: scopes.clone().unwrap_or_default(),
            state: STANDARD_NO_PAD.encode(state),
            challenge: challenge.clone().unwrap_or_default(),
            fault: self.fault.map(|fault| fault.as_str().to_owned()),
            popup: *popup,
            asked_at: created_at.micros(),
        };
        let carried = serde_json::to_vec(&carried).map_err(|error| Problem::internal(&error))?;
        let purpose = purpose(&self.consent.session_digest);
        let sealed = deps.client_state.seal(&carried, &purpose, deps.entropy.bytes());
        sealed.map_err(|error| Problem::internal(&error))
    }

    /// What is to be kept for the session of a member: nothing that is kept already, and no faulty request.
    #[must_use]
    pub fn to_keep(&self, session_digest: Vec<u8>) -> Option<Consent> {
        let new = !self.kept && self.fault.is_none();
        new.then(|| Consent { session_digest, ..self.consent.clone() })
    }

    /// Where a member who has signed in goes on. What is asked is kept first, if it is not yet.
    pub async fn onwards(&self, deps: &Deps, visitor: &Visitor) -> Result<String, Problem> {
        if let Some(consent) = self.to_keep(visitor.digest()) {
            connect::keep(deps, consent).await?;
        }
        self.path(deps)
    }

    /// The same request for whoever signs in next in this browser, as the browser carries it: under an id of its own, for
    /// what is kept belongs to the session that ends.
    pub fn for_another_member(self, deps: &Deps, visitor: &Visitor) -> Result<String, Problem> {
        let id = deps.id(deps.clock.now());
        let consent = Consent { id, session_digest: visitor.digest(), ..self.consent };
        Self { consent, kept: false, sealed: None, ..self }.sign_in_path(deps)
    }

    /// Whether it is kept in the database: only that can be decided.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        self.kept
    }

    /// Where a member goes on who came to the decision with what the browser carries.
    pub async fn elsewhere(
        &self,
        deps: &Deps,
        visitor: &Visitor,
    ) -> Result<Option<String>, Problem> {
        if self.kept { Ok(None) } else { self.onwards(deps, visitor).await.map(Some) }
    }

    /// The page where a member decides, or is sent on from.
    pub fn path(&self, deps: &Deps) -> Result<String, Problem> {
        match self.fault {
            None => Ok(format!("/connect/consent/{}", self.consent.id)),
            Some(_) => Ok(format!("/connect/consent/{}", self.sealed(deps)?)),
        }
    }

    /// The page where somebody signs in first.
    pub fn sign_in_path(&self, deps: &Deps) -> Result<String, Problem> {
        Ok(format!("/login?consent={}", self.sealed(deps)?))
    }
}

fn digest(uri: &RedirectUri) -> String {
    Digest::of(uri.as_str().as_bytes()).hex()
}

/// What a request is sealed for: one browser.
fn purpose(digest: &[u8]) -> String {
    format!("authorize {}", hex(digest))
}

//! A pending authorize request.
//!
//! Once a member has signed in, the request is stored in the database for ten minutes, bound to the
//! member's session and for one use. URLs contain only its id (`docs/security.md` 10 and 14).
//!
//! Before sign-in nothing is stored, because otherwise anyone could fill the disk. The browser
//! carries the validated request itself, with the id under which it will be stored. The request is
//! encrypted and bound to the browser's cookie. An unauthenticated client cannot forge such a
//! value: only this service can encrypt one, and it is valid only in that browser. It contains just
//! a digest of the redirect URI, which must still be registered when the value is decrypted.

use crate::browser::Visitor;
use auth::authorize::AuthorizeParameters;
use auth::digest::{Digest, hex};
use auth::handshake::HandshakeFault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use domain::application::RedirectUri;
use domain::id::{ApplicationId, ConsentId};
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Application, Consent};
use serde::{Deserialize, Serialize};
use service::connect::{self, CONSENT_TTL};

/// An authorize request of a known application with one of its registered redirect URIs.
pub struct Pending {
    pub application: Application,
    /// The requested scopes, and the redirect URI that receives the outcome.
    pub consent: Consent,
    /// The fault of an invalid request. It is sent to the redirect URI once the member has signed
    /// in. An invalid request is never stored.
    pub fault: Option<HandshakeFault>,
    /// The scopes that an invalid request names and that the application has not registered.
    pub unregistered: ScopeSet,
    /// Whether the request is stored in the database.
    kept: bool,
    /// The encrypted value that this request was read from, or `None` if it was read from the
    /// database.
    sealed: Option<String>,
}

/// The content of an encrypted value.
#[derive(Serialize, Deserialize)]
struct SealedState {
    id: String,
    application: String,
    /// SHA-256 digest of the redirect URI, in hex.
    redirect: String,
    scopes: String,
    /// The `state` parameter in base64, because it may not be UTF-8.
    state: String,
    challenge: String,
    fault: Option<String>,
    /// Missing in a value that another version of the program sealed.
    #[serde(default)]
    unregistered: String,
    popup: bool,
    /// The time of the authorize request, in microseconds since the Unix epoch.
    asked_at: i64,
}

impl Pending {
    /// Validates the parameters of an authorize request.
    pub fn judge(
        deps: &ServerDeps,
        visitor: &Visitor,
        application: Application,
        redirect_uri: RedirectUri,
        parameters: &AuthorizeParameters,
    ) -> Result<Self, Problem> {
        let digest = visitor.digest();
        let (consent, fault) =
            connect::validate_request(deps, digest, &application, redirect_uri, parameters)?;
        let unregistered = parameters.unregistered_scopes(application.registered_scopes()?);
        Ok(Self { application, consent, fault, unregistered, kept: false, sealed: None })
    }

    /// Finds a pending request of this browser. `text` is the id of a stored request or an
    /// encrypted value. Returns `None` if the request has expired, was answered or belongs to
    /// another browser.
    pub async fn find(
        deps: &ServerDeps,
        visitor: &Visitor,
        text: &str,
    ) -> Result<Option<Self>, Problem> {
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
            unregistered: ScopeSet::default(),
            kept: true,
            sealed: None,
        };
        Ok(found.map(kept))
    }

    async fn open(
        deps: &ServerDeps,
        visitor: &Visitor,
        text: &str,
    ) -> Result<Option<Self>, Problem> {
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
        let Some(application) = connect::find_application(deps, application).await? else {
            return Ok(None);
        };
        let mut registered = application.registered_redirect_uris()?.into_iter();
        let redirect_uri = registered.find(|uri| digest(uri) == carried.redirect);
        let Some(redirect_uri) = redirect_uri else { return Ok(None) };
        let Ok(state) = STANDARD_NO_PAD.decode(&carried.state) else { return Ok(None) };
        let fault = carried.fault.as_deref().and_then(HandshakeFault::from_keyword);
        let Ok(unregistered) = ScopeSet::stored(&carried.unregistered) else { return Ok(None) };
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
        Ok(Some(Self { application, consent, fault, unregistered, kept: false, sealed }))
    }

    /// Returns the encrypted value that the browser carries.
    pub fn sealed(&self, deps: &ServerDeps) -> Result<String, Problem> {
        if let Some(sealed) = &self.sealed {
            return Ok(sealed.clone());
        }
        let Consent { id, redirect_uri, scopes, state, challenge, popup, created_at, .. } =
            &self.consent;
        let unregistered: Vec<&str> = self.unregistered.iter().map(Scope::as_str).collect();
        let carried = SealedState {
            id: id.to_string(),
            application: self.application.id.to_string(),
            redirect: digest(redirect_uri),
            scopes: scopes.clone().unwrap_or_default(),
            state: STANDARD_NO_PAD.encode(state),
            challenge: challenge.clone().unwrap_or_default(),
            fault: self.fault.map(|fault| fault.as_str().to_owned()),
            unregistered: unregistered.join(" "),
            popup: *popup,
            asked_at: created_at.micros(),
        };
        let carried = serde_json::to_vec(&carried).map_err(|error| Problem::internal(&error))?;
        let purpose = purpose(&self.consent.session_digest);
        let sealed = deps.client_state.seal(&carried, &purpose, deps.entropy.bytes());
        sealed.map_err(|error| Problem::internal(&error))
    }

    /// Returns the request to store for a member's session, or `None` if it is already stored or is
    /// invalid.
    #[must_use]
    pub fn to_keep(&self, session_digest: Vec<u8>) -> Option<Consent> {
        let new = !self.kept && self.fault.is_none();
        new.then(|| Consent { session_digest, ..self.consent.clone() })
    }

    /// Returns the path where a signed-in member continues. Stores the request first, if necessary.
    pub async fn onwards(&self, deps: &ServerDeps, visitor: &Visitor) -> Result<String, Problem> {
        if let Some(consent) = self.to_keep(visitor.digest()) {
            connect::insert_consent(deps, consent).await?;
        }
        self.path(deps)
    }

    /// Returns the path of the sign-in page for another member, who continues with this request in
    /// this browser. The request gets a new id, because the stored one belongs to the session that
    /// ends.
    pub fn for_another_member(
        self,
        deps: &ServerDeps,
        visitor: &Visitor,
    ) -> Result<String, Problem> {
        let id = deps.id(deps.clock.now());
        let consent = Consent { id, session_digest: visitor.digest(), ..self.consent };
        Self { consent, kept: false, sealed: None, ..self }.sign_in_path(deps)
    }

    /// Whether the request is stored in the database. Only a stored request can be decided.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        self.kept
    }

    /// Returns the path to redirect to if the request was read from an encrypted value, or `None`
    /// if it was found by its id.
    pub async fn elsewhere(
        &self,
        deps: &ServerDeps,
        visitor: &Visitor,
    ) -> Result<Option<String>, Problem> {
        if self.kept { Ok(None) } else { self.onwards(deps, visitor).await.map(Some) }
    }

    /// Returns the path of the consent page. For an invalid request that page redirects to the
    /// application.
    pub fn path(&self, deps: &ServerDeps) -> Result<String, Problem> {
        match self.fault {
            None => Ok(format!("/connect/consent/{}", self.consent.id)),
            Some(_) => Ok(format!("/connect/consent/{}", self.sealed(deps)?)),
        }
    }

    /// Returns the path of the sign-in page that leads to this request.
    pub fn sign_in_path(&self, deps: &ServerDeps) -> Result<String, Problem> {
        Ok(format!("/login?consent={}", self.sealed(deps)?))
    }
}

fn digest(uri: &RedirectUri) -> String {
    Digest::new(uri.as_str().as_bytes()).hex()
}

/// The encryption purpose, which binds a value to one browser.
fn purpose(digest: &[u8]) -> String {
    format!("authorize {}", hex(digest))
}

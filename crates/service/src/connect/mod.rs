//! Connect: the authorize request of an application, the decision of a member, and the exchange of
//! the code (`docs/contract.md#connect`).

pub mod decision;
pub mod exchange;

use auth::authorize::{AuthorizeParameters, AuthorizeRequest};
use auth::handshake::HandshakeFault;
use auth::secret::{Holder, is_client_id};
use domain::application::RedirectUri;
use domain::id::{ApplicationId, ConsentId};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use persistence::Result;
use persistence::records::{Application, Consent, UnreadableRow};
use platform::Deps;
use std::time::Duration;

/// The time that a member has to decide (`docs/security.md` 10).
pub const CONSENT_TTL: Duration = Duration::from_mins(10);
/// Maximum number of applications in the directory.
const MAX_LISTED: i64 = 500;
/// Maximum number of bytes in a `state` that is returned with an error. A state of more than 512
/// bytes is itself a fault, so the request is never stored. But the state is still returned, up to
/// a length that a URL can carry.
const MAX_ECHOED_STATE_BYTES: usize = 1024;

/// Lists the published applications with the names of their publishers.
pub async fn directory(deps: &Deps) -> Result<Vec<(Application, Option<String>)>> {
    deps.db.public().published_applications(MAX_LISTED).await
}

/// Finds an application by its client id. A text in another format is not looked up, because the
/// database may not accept every text.
pub async fn application(deps: &Deps, client_id: &str) -> Result<Option<Application>> {
    let Some(client_id) = written_client_id(client_id) else { return Ok(None) };
    deps.db.public().application(client_id).await
}

/// Returns the client id if it has the format of an application's.
fn written_client_id(client_id: &str) -> Option<String> {
    is_client_id(Holder::Application, client_id).then(|| client_id.to_owned())
}

/// Finds an application by its id.
pub async fn find_application(deps: &Deps, id: ApplicationId) -> Result<Option<Application>> {
    deps.db.application(id).find().await
}

/// Validates an authorize request of an application in the session with this digest. Returns the
/// request for the member's decision, and its fault if it has one.
pub fn validate_request(
    deps: &Deps,
    session_digest: Vec<u8>,
    application: &Application,
    redirect_uri: RedirectUri,
    parameters: &AuthorizeParameters,
) -> std::result::Result<(Consent, Option<HandshakeFault>), UnreadableRow> {
    let now = deps.clock.now();
    let id: ConsentId = deps.id(now);
    let validated = AuthorizeRequest::validate(parameters, application.registered_scopes()?);
    let (asked, fault) = match validated {
        Ok(asked) => (Some(asked), None),
        Err(fault) => (None, Some(fault)),
    };
    let state = parameters.bytes("state").filter(|state| state.len() <= MAX_ECHOED_STATE_BYTES);
    let scopes = asked.as_ref().map(|asked| {
        let names: Vec<&str> = asked.scopes.iter().map(Scope::as_str).collect();
        names.join(" ")
    });
    let consent = Consent {
        id,
        session_digest,
        application_id: application.id,
        redirect_uri,
        scopes,
        state: state.unwrap_or_default().to_vec(),
        challenge: asked.map(|asked| asked.challenge.as_str().to_owned()),
        popup: parameters.bytes("display") == Some(b"popup"),
        created_at: now,
        used_at: None,
    };
    Ok((consent, fault))
}

/// Stores a request for the member's decision.
pub async fn insert_consent(deps: &Deps, consent: Consent) -> Result<()> {
    deps.db.insert_consent(consent).await
}

/// Finds an open request of the session with this digest, with its application.
pub async fn open(
    deps: &Deps,
    id: ConsentId,
    session_digest: Vec<u8>,
) -> Result<Option<(Consent, Application)>> {
    let cutoff = deps.clock.now().minus(CONSENT_TTL);
    let Some(consent) = deps.db.consent(id, session_digest, cutoff).await? else {
        return Ok(None);
    };
    let application = find_application(deps, consent.application_id).await?;
    Ok(application.map(|application| (consent, application)))
}

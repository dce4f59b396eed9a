//! The handshake log: failed checks of exchanges, exchanges that cannot be processed, and faults of
//! authorize requests. Only the owner of the application sees the log
//! (`docs/contract.md#handshake-log`).

use auth::digest::Digest;
use auth::handshake::{Checks, HandshakeFault};
use domain::id::{ApplicationId, HandshakeId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::records::{Application, Handshake, IssuedCode};
use platform::Deps;

/// Logs a failed exchange. This happens after the answer, because the time of the look-ups would
/// reveal whether the code was valid. If an exchange names an application without its right secret,
/// it is not logged for that application, because anybody could fill the log.
pub async fn record(
    deps: &Deps,
    checks: Checks,
    digest: Vec<u8>,
    consumed: Option<IssuedCode>,
    application: Option<Application>,
) {
    let Some(failure) = checks.failure() else { return };
    let now = deps.clock.now();
    let caller = application.filter(|_| checks.right_secret).map(|it| it.id);
    let known = match consumed {
        Some(code) => Some((code, failure)),
        // The code was used before, or never existed.
        None => match deps.db.list_codes(vec![digest]).await {
            Ok(found) => found.into_iter().next().map(|code| (code, HandshakeFault::CodeUsed)),
            Err(error) => return tracing::error!(%error, "an exchange was not logged"),
        },
    };
    let owner = known.as_ref().map(|(code, _)| code.application_id);
    if let Some((code, failure)) = known {
        let of = Some(code.organization_id);
        write(deps, code.application_id, of, Some(failure), now).await;
    }
    if let Some(caller) = caller.filter(|caller| Some(*caller) != owner) {
        let failure = if owner.is_some() { HandshakeFault::OtherApplication } else { failure };
        write(deps, caller, None, Some(failure), now).await;
    }
}

/// Logs an exchange that cannot be processed, after the answer. The entry belongs to the
/// application to which the first known code was issued. `caller` is the application whose
/// credentials the request contains.
pub async fn record_incomplete(
    deps: &Deps,
    fault: HandshakeFault,
    digests: Vec<Vec<u8>>,
    caller: Option<ApplicationId>,
) {
    let now = deps.clock.now();
    let codes = if digests.is_empty() { Ok(Vec::new()) } else { deps.db.list_codes(digests).await };
    let code = match codes {
        Ok(codes) => codes.into_iter().next(),
        Err(error) => return tracing::error!(%error, "an exchange was not logged"),
    };
    let owner = code.as_ref().map(|code| code.application_id);
    if let Some(code) = code {
        write(deps, code.application_id, Some(code.organization_id), Some(fault), now).await;
    }
    if let Some(caller) = caller.filter(|caller| Some(*caller) != owner) {
        write(deps, caller, None, Some(fault), now).await;
    }
}

/// Logs a fault of an authorize request. There is one row per application and fault, with the time
/// of the last occurrence, so that many requests do not fill the log.
pub async fn record_faulty_request(deps: &Deps, application: ApplicationId, fault: HandshakeFault) {
    let now = deps.clock.now();
    let is_due = || {
        let mut recent = deps.faulty_requests.lock();
        recent.is_due(application, fault, now)
    };
    if !is_due() {
        return;
    }
    let name = format!("{application} {}", fault.as_str());
    let mut id = [0; 16];
    for (byte, of_name) in id.iter_mut().zip(Digest::new(name.as_bytes()).as_bytes()) {
        *byte = *of_name;
    }
    let row = Handshake {
        id: HandshakeId::from_bytes(id),
        application_id: application,
        // No member has been asked yet.
        organization_id: None,
        failure: Some(fault),
        at: now,
    };
    if let Err(error) = deps.db.record_faulty_request(row).await {
        tracing::error!(%error, "a faulty authorize request was not logged");
    }
}

/// Creates the entry for a successful exchange, which is written together with the connection.
pub fn success(deps: &Deps, code: &IssuedCode, at: Timestamp) -> Handshake {
    entry(deps, code.application_id, Some(code.organization_id), None, at)
}

async fn write(
    deps: &Deps,
    application: ApplicationId,
    organization: Option<OrganizationId>,
    failure: Option<HandshakeFault>,
    at: Timestamp,
) {
    let row = entry(deps, application, organization, failure, at);
    if let Err(error) = deps.db.insert_handshake(row).await {
        tracing::error!(%error, "an exchange was not logged");
    }
}

fn entry(
    deps: &Deps,
    application_id: ApplicationId,
    organization_id: Option<OrganizationId>,
    failure: Option<HandshakeFault>,
    at: Timestamp,
) -> Handshake {
    let id = deps.id::<domain::id::Handshake>(at);
    Handshake { id, application_id, organization_id, failure, at }
}

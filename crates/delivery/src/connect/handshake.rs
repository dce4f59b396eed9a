//! The handshake log: which check of an exchange failed, and what was wrong with authorize requests, for the
//! owner of the application and nobody else (`docs/contract.md#handshake-log`).

use crate::deps::Deps;
use auth::digest::Digest;
use auth::handshake::Fault;
use auth::pkce::Mistake;
use domain::id::{ApplicationId, HandshakeId, OrganizationId};
use domain::time::Timestamp;
use domain::word::Word as _;
use persistence::rows::{Application, Handshake, IssuedCode};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What the checks of an exchange came to.
#[expect(clippy::struct_excessive_bools, reason = "each is a check of its own")]
pub struct Tried {
    /// There was an unused code.
    pub code_known: bool,
    /// It was not too old.
    pub in_time: bool,
    /// The application is the one that it was issued to.
    pub same_application: bool,
    /// The application proved who it is.
    pub right_secret: bool,
    /// The redirect address, if one was given, is that of the authorize request.
    pub same_redirect: bool,
    /// The verifier is written as one is.
    pub verifier_read: bool,
    /// The verifier fits the challenge.
    pub right_verifier: bool,
    /// What is wrong with the challenge where it does not.
    pub mistake: Mistake,
}

impl Tried {
    /// The first check that failed, if one did.
    pub const fn failure(&self) -> Option<Fault> {
        Some(match self {
            Self { code_known: false, .. } => Fault::UnknownCode,
            Self { same_application: false, .. } => Fault::OtherApplication,
            Self { in_time: false, .. } => Fault::CodeExpired,
            Self { right_secret: false, .. } => Fault::WrongSecret,
            Self { same_redirect: false, .. } => Fault::OtherRedirect,
            Self { verifier_read: false, .. } => Fault::NoVerifier,
            Self { right_verifier: false, mistake, .. } => match mistake {
                Mistake::Hex => Fault::ChallengeInHex,
                Mistake::OfHex => Fault::ChallengeOfHex,
                Mistake::Plain => Fault::ChallengeIsVerifier,
                Mistake::OtherBase64 => Fault::ChallengeInOtherBase64,
                Mistake::Other => Fault::WrongVerifier,
            },
            _ => return None,
        })
    }
}

/// Notes an exchange that failed, after it was answered: what has to be looked up for it takes time that
/// would tell. What only names an application, without proof, is not noted: anybody could fill the log.
pub async fn note(
    deps: &Deps,
    tried: Tried,
    digest: Vec<u8>,
    burnt: Option<IssuedCode>,
    application: Option<Application>,
) {
    let Some(failure) = tried.failure() else { return };
    let now = deps.clock.now();
    let caller = application.filter(|_| tried.right_secret).map(|it| *it.id);
    let known = match burnt {
        Some(code) => Some((code, failure)),
        // It had been used, or never was.
        None => match deps.db.code(digest).await {
            Ok(found) => found.map(|code| (code, Fault::CodeUsed)),
            Err(error) => return tracing::error!(%error, "an exchange was not noted"),
        },
    };
    let owner = known.as_ref().map(|(code, _)| *code.application_id);
    if let Some((code, failure)) = known {
        let of = Some(*code.organization_id);
        write(deps, *code.application_id, of, Some(failure), now).await;
    }
    if let Some(caller) = caller.filter(|caller| Some(*caller) != owner) {
        let failure = if owner.is_some() { Fault::OtherApplication } else { failure };
        write(deps, caller, None, Some(failure), now).await;
    }
}

/// How often the same fault of an application's authorize requests is written down: such requests cost nothing
/// to send, and do not need a sign-in.
const NOTED_EVERY: Duration = Duration::from_secs(10);

/// When which fault of whose authorize requests was written down last. It has as many entries as there are
/// applications and faults, at most.
#[derive(Default)]
pub struct FaultyRequests(Mutex<HashMap<(ApplicationId, Fault), Timestamp>>);

impl FaultyRequests {
    /// Whether it is to be written down now.
    fn is_due(&self, application: ApplicationId, fault: Fault, now: Timestamp) -> bool {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = noted.get(&(application, fault));
        let due = last.is_none_or(|last| now < *last || now.since(*last) >= NOTED_EVERY);
        if due {
            noted.insert((application, fault), now);
        }
        due
    }
}

/// Notes what was wrong with an authorize request: one row for each fault of an application, with the time
/// of the last one, however many requests there are.
pub async fn note_request(deps: &Deps, application: ApplicationId, fault: Fault) {
    let now = deps.clock.now();
    if !deps.faulty_requests.is_due(application, fault, now) {
        return;
    }
    let name = format!("{application} {}", fault.as_str());
    let mut id = [0; 16];
    for (byte, of_name) in id.iter_mut().zip(Digest::of(name.as_bytes()).as_bytes()) {
        *byte = *of_name;
    }
    let row = Handshake {
        id: HandshakeId::from_bytes(id).into(),
        application_id: application.into(),
        // Nobody has been asked yet, so nobody is named.
        organization_id: None,
        failure: Some(fault.into()),
        at: now.into(),
    };
    if let Err(error) = deps.db.note_faulty_request(row).await {
        tracing::error!(%error, "a faulty authorize request was not noted");
    }
}

/// Notes an exchange that went well.
pub async fn succeeded(deps: &Deps, code: &IssuedCode, now: Timestamp) {
    write(deps, *code.application_id, Some(*code.organization_id), None, now).await;
}

async fn write(
    deps: &Deps,
    application: ApplicationId,
    organization: Option<OrganizationId>,
    failure: Option<Fault>,
    at: Timestamp,
) {
    let row = Handshake {
        id: deps.id::<domain::id::Handshake>(at).into(),
        application_id: application.into(),
        organization_id: organization.map(Into::into),
        failure: failure.map(Into::into),
        at: at.into(),
    };
    if let Err(error) = deps.db.insert_handshake(row).await {
        tracing::error!(%error, "an exchange was not noted");
    }
}

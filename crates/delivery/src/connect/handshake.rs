//! The handshake log: which check of an exchange failed, for the owner of the application and nobody
//! else (`contract.md` 3).

use crate::deps::Deps;
use auth::code::ExchangeFailure;
use auth::pkce::Mistake;
use domain::id::{ApplicationId, OrganizationId};
use domain::time::Timestamp;
use persistence::rows::{Application, Handshake, IssuedCode};

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
    pub const fn failure(&self) -> Option<ExchangeFailure> {
        Some(match self {
            Self { code_known: false, .. } => ExchangeFailure::UnknownCode,
            Self { same_application: false, .. } => ExchangeFailure::OtherApplication,
            Self { in_time: false, .. } => ExchangeFailure::CodeExpired,
            Self { right_secret: false, .. } => ExchangeFailure::WrongSecret,
            Self { same_redirect: false, .. } => ExchangeFailure::OtherRedirect,
            Self { verifier_read: false, .. } => ExchangeFailure::NoVerifier,
            Self { right_verifier: false, mistake, .. } => match mistake {
                Mistake::Hex => ExchangeFailure::ChallengeInHex,
                Mistake::OfHex => ExchangeFailure::ChallengeOfHex,
                Mistake::Plain => ExchangeFailure::ChallengeIsVerifier,
                Mistake::OtherBase64 => ExchangeFailure::ChallengeInOtherBase64,
                Mistake::Other => ExchangeFailure::WrongVerifier,
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
            Ok(found) => found.map(|code| (code, ExchangeFailure::CodeUsed)),
            Err(error) => return tracing::error!(%error, "an exchange was not noted"),
        },
    };
    let owner = known.as_ref().map(|(code, _)| *code.application_id);
    if let Some((code, failure)) = known {
        let of = Some(*code.organization_id);
        write(deps, *code.application_id, of, Some(failure), now).await;
    }
    if let Some(caller) = caller.filter(|caller| Some(*caller) != owner) {
        let failure = if owner.is_some() { ExchangeFailure::OtherApplication } else { failure };
        write(deps, caller, None, Some(failure), now).await;
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
    failure: Option<ExchangeFailure>,
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

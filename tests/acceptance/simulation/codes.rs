//! Authorization codes: several instances of a partner exchange the same code while the server may
//! crash.

use super::life::until_crash;
use super::stage::Stage;
use crate::cloud::TestRng;
use auth::code;
use domain::application::{RedirectUri, Terms, TermsInput};
use domain::id::{ApplicationId, ConsentId};
use domain::scope::Scope;
use futures_util::future::join_all;
use persistence::records::{Consent, IssuedCode};
use platform::Deps;
use service::admin::Admin;
use service::connect::exchange::{Exchange, ExchangeError, redeem};
use std::sync::Arc;

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const REDIRECT: &str = "https://partner.example/back";
const SCOPE: &str = "messages.send";

/// An application with its credentials.
#[derive(Debug)]
pub struct Partner {
    id: ApplicationId,
    client_id: String,
    client_secret: String,
}

/// An issued code, and the number of keys that were returned for it.
#[derive(Debug)]
pub struct Code {
    pub code: String,
    pub keys: usize,
}

impl Partner {
    pub async fn register(deps: &Deps) -> Self {
        let redirect_uris = [REDIRECT.to_owned()];
        let scopes = [Scope::MessagesSend].into_iter().collect();
        let (name, description, start_url) = ("Partner", "", "");
        let written =
            TermsInput { name, redirect_uris: &redirect_uris, scopes, description, start_url };
        let terms = Terms::parse(written).unwrap();
        let made = Admin::new(deps).create_application(None, &terms, true).await.unwrap();
        let id = made.id.parse().unwrap();
        Self { id, client_id: made.client_id, client_secret: made.client_secret }
    }
}

impl Stage {
    /// Lets a member approve the partner's request. Returns false if the server crashed during it.
    pub async fn issue_code(&mut self, deps: &Deps, chance: &mut TestRng) -> bool {
        let now = deps.clock.now();
        let (id, code) =
            (ConsentId::new(now, deps.entropy.bytes()), code::code(deps.entropy.bytes()));
        let (session, redirect_uri) = (vec![7; 32], RedirectUri::parse(REDIRECT).unwrap());
        let consent = Consent {
            id,
            session_digest: session.clone(),
            application_id: self.partner().id,
            redirect_uri: redirect_uri.clone(),
            scopes: Some(SCOPE.to_owned()),
            state: Vec::new(),
            challenge: Some(CHALLENGE.to_owned()),
            popup: false,
            created_at: now,
            used_at: None,
        };
        let issued = IssuedCode {
            digest: code::digest(&code).as_bytes().to_vec(),
            application_id: self.partner().id,
            redirect_uri,
            challenge: CHALLENGE.to_owned(),
            organization_id: self.organization,
            account_id: Some(self.account),
            scopes: SCOPE.to_owned(),
            issued_at: now,
            consumed_at: None,
            rate_limit: None,
            messages_per_month: None,
            expires_at: None,
        };
        let issue = async {
            deps.db.insert_consent(consent).await?;
            deps.db.answer_consent(id, session, now, Some(issued)).await
        };
        let survived = match until_crash(chance, issue).await {
            Some(answered) => {
                assert!(answered.unwrap(), "seed {}: it is the first answer", self.seed);
                true
            }
            None => false,
        };
        self.happened("a code", survived);
        // After a crash nobody received the code, although it may be stored.
        self.model.codes.extend(survived.then_some(Code { code, keys: 0 }));
        survived
    }

    /// Exchanges one code two to four times concurrently. Returns false if the server crashed
    /// during it.
    pub async fn exchange(&mut self, deps: &Arc<Deps>, chance: &mut TestRng) -> bool {
        let count = self.model.codes.len();
        if count == 0 {
            return true;
        }
        // One of the last three codes is chosen, because older ones have expired.
        let place = count - 1 - chance.roll(count.min(3));
        let exchange = self.shown(place);
        let racers = 2 + chance.roll(3);
        let all = join_all((0..racers).map(|_| redeem(deps, &exchange)));
        let outcomes = until_crash(chance, all).await;
        self.happened(&format!("{racers} exchanges of code {place}"), outcomes.is_some());
        let Some(outcomes) = outcomes else { return false };
        self.count_keys(place, outcomes);
        true
    }

    /// Exchanges every code once more at the end. A code that was exchanged before must not return
    /// a key.
    pub async fn exchange_all_again(&mut self, deps: &Arc<Deps>) {
        for place in 0..self.model.codes.len() {
            let exchange = self.shown(place);
            let outcome = redeem(deps, &exchange).await;
            self.count_keys(place, [outcome]);
        }
    }

    fn count_keys<T>(
        &mut self,
        place: usize,
        outcomes: impl IntoIterator<Item = Result<T, ExchangeError>>,
    ) {
        for outcome in outcomes {
            match outcome {
                Ok(_) => self.model.codes[place].keys += 1,
                Err(ExchangeError::Grant) => {}
                Err(other) => panic!("seed {}: {other}", self.seed),
            }
        }
    }

    fn shown(&self, place: usize) -> Exchange {
        Exchange {
            code: self.model.codes[place].code.clone(),
            code_verifier: VERIFIER.to_owned(),
            client_id: self.partner().client_id.clone(),
            client_secret: self.partner().client_secret.clone(),
            redirect_uri: Some(REDIRECT.to_owned()),
        }
    }

    fn partner(&self) -> &Partner {
        self.partner.as_ref().expect("it was registered")
    }
}

//! Checks of Meta's Cloud API: whether access tokens work, and whether callbacks are sent to this
//! server.

use super::Examination;
use crate::checks::Finding;
use channel::cloud_api::setup::{self, App, CloudSetupError};
use channel::cloud_api::{self, GraphRequest, GraphResponse};
use domain::account::ChannelKind;
use persistence::records::Account;
use platform::outbound::{Channel, Outbound};
use platform::sealing::Sealing;
use std::collections::BTreeSet;

const GRAPH_URL: &str = "SWITCHBOARD_GRAPH_URL";
const APP_SECRET: &str = "SWITCHBOARD_GRAPH_APP_SECRET";
const VERIFY_TOKEN: &str = "SWITCHBOARD_GRAPH_VERIFY_TOKEN";
const ENCRYPTION_KEY: &str = "SWITCHBOARD_ENCRYPTION_KEY";
const BASE_URL: &str = "SWITCHBOARD_BASE_URL";
/// The subject of findings about a number. Numbers belong to no setting.
const NUMBERS: &str = "numbers";
/// The maximum number of accounts to check. All accounts usually use the same app.
const MAX_NUMBERS: i64 = 25;
const NEW_TOKEN: &str = "make a token of a system user at Meta that does not expire, with the permissions \
                         whatsapp_business_messaging and whatsapp_business_management, and connect the number with it";

/// Checks the accounts on the Cloud API.
pub async fn check(it: &Examination) -> Vec<Finding> {
    let Some(db) = &it.db else { return Vec::new() };
    let accounts =
        match db.operator().list_channel_accounts(ChannelKind::CloudApi, MAX_NUMBERS).await {
            Ok(accounts) => accounts,
            Err(error) => {
                return vec![Finding::failed(
                    NUMBERS,
                    format!("the numbers cannot be read: {error}"),
                    "see the findings about the database",
                )];
            }
        };
    if accounts.is_empty() {
        return vec![Finding::ok(NUMBERS, "no number is on Meta's Cloud API")];
    }
    let channel = &it.settings.channel;
    let mut findings = secrets(&channel.networks.cloud_api);
    let client = match Outbound::new(channel) {
        Ok(outbound) => outbound.channel,
        Err(error) => {
            findings.push(Finding::failed(GRAPH_URL, error.to_string(), "install ca-certificates"));
            return findings;
        }
    };
    let sealing = Sealing::new(channel.encryption_key.clone());
    let mut round =
        CloudChecks { it, client, findings, apps: BTreeSet::new(), businesses: BTreeSet::new() };
    for account in &accounts {
        match token(&sealing, account) {
            Ok(token) => round.number(account, &token).await,
            Err(finding) => round.findings.push(finding),
        }
    }
    round.findings
}

/// Checks the secrets without which callbacks cannot be accepted.
fn secrets(channel: &cloud_api::CloudSettings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if channel.app_secret.is_none() {
        let advice = "set it to the app's secret (App settings, Basic, at Meta)";
        findings.push(Finding::failed(
            APP_SECRET,
            "it is not set, so no callback is accepted",
            advice,
        ));
    }
    if channel.verify_token.is_none() {
        let advice = "choose one, and enter the same at Meta where the callback address is set up";
        findings.push(Finding::warning(
            VERIFY_TOKEN,
            "it is not set, so Meta cannot verify the callback address",
            advice,
        ));
    }
    findings
}

fn token(sealing: &Sealing, account: &Account) -> Result<String, Finding> {
    let missing = || {
        let what = format!("{} has no token", account.phone_number);
        Finding::failed(NUMBERS, what, NEW_TOKEN)
    };
    let sealed = account.access_token.as_ref().ok_or_else(missing)?;
    sealing.open(sealed, &account.id.to_string()).map_err(|error| {
        let what = format!("the token of {} cannot be decrypted: {error}", account.phone_number);
        let advice =
            "give this server the key that encrypted it; all servers of a database share one key";
        Finding::failed(ENCRYPTION_KEY, what, advice)
    })
}

/// The state of the checks of all accounts. Each app and each business account is checked once.
struct CloudChecks<'a> {
    it: &'a Examination,
    client: Channel,
    findings: Vec<Finding>,
    apps: BTreeSet<String>,
    businesses: BTreeSet<String>,
}

impl CloudChecks<'_> {
    async fn number(&mut self, account: &Account, token: &str) {
        let shown = &account.phone_number;
        let id = account.phone_number_id.as_deref().unwrap_or_default();
        let asked = match setup::number(id) {
            Some(asked) => self.request(&asked, token, setup::read_number).await,
            None => Err(CloudSetupError::Refused(format!("{id:?} is not an id"))),
        };
        match asked {
            Ok(number) if number.is(shown) => {
                let what = format!("the token of {shown} works");
                self.findings.push(Finding::ok(NUMBERS, what));
            }
            Ok(number) => {
                let what = format!("{shown} has the id of {}", number.display_phone_number);
                self.findings.push(Finding::failed(
                    NUMBERS,
                    what,
                    "connect it with its own --phone-number-id",
                ));
            }
            Err(trouble) => {
                self.findings.push(setup_finding(&format!("the token of {shown}"), &trouble));
                return;
            }
        }
        if let Some(app) = self.app(shown, token).await {
            self.business(account, &app, token).await;
        }
    }

    /// Finds the app of a token. Checks, once per app, where its callbacks are sent.
    async fn app(&mut self, shown: &str, token: &str) -> Option<App> {
        let app = match self.request(&setup::app(), token, setup::read_app).await {
            Ok(app) => app,
            Err(trouble) => {
                self.findings.push(setup_finding(&format!("the app of {shown}"), &trouble));
                return None;
            }
        };
        let secret = self.it.settings.channel.networks.cloud_api.app_secret.clone();
        if let Some(secret) = secret
            && self.apps.insert(app.id.clone())
        {
            let found = self.callbacks(&app, &secret).await;
            self.findings.push(found);
        }
        Some(app)
    }

    async fn callbacks(&self, app: &App, secret: &str) -> Finding {
        let Some(asked) = setup::subscriptions(&app.id) else {
            return Finding::failed(GRAPH_URL, format!("{:?} is not the id of an app", app.id), "");
        };
        let token = setup::app_token(&app.id, secret);
        let subscription = match self.request(&asked, &token, setup::read_subscriptions).await {
            Ok(subscription) => subscription,
            Err(CloudSetupError::Later(why)) => {
                return setup_finding("the app's webhook", &CloudSetupError::Later(why));
            }
            Err(trouble) => {
                let what =
                    format!("Meta does not accept it as the secret of app {}: {trouble}", app.id);
                return Finding::failed(
                    APP_SECRET,
                    what,
                    "set it to the app's secret (App settings, Basic, at Meta)",
                );
            }
        };
        let ours = format!("{}{}", self.it.settings.base_url, cloud_api::WEBHOOK);
        let set_up = format!(
            "at Meta, set the callback address of the app to {ours} with the token of {VERIFY_TOKEN}, and subscribe to {}",
            setup::NEEDED_FIELDS.join(" and ")
        );
        match subscription {
            None => Finding::failed(
                VERIFY_TOKEN,
                format!("app {} has no webhook for WhatsApp", app.id),
                set_up,
            ),
            Some(it) if it.callback_url != ours => Finding::failed(
                BASE_URL,
                format!("callbacks of app {} go to {}", app.id, it.callback_url),
                set_up,
            ),
            Some(it) if !it.active => Finding::failed(
                VERIFY_TOKEN,
                format!("the webhook of app {} is switched off", app.id),
                set_up,
            ),
            Some(it) if !it.missing_fields().is_empty() => {
                let what =
                    format!("app {} does not report {}", app.id, it.missing_fields().join(" and "));
                Finding::failed(VERIFY_TOKEN, what, set_up)
            }
            Some(_) => {
                Finding::ok(VERIFY_TOKEN, format!("callbacks of app {} come to {ours}", app.id))
            }
        }
    }

    async fn business(&mut self, account: &Account, app: &App, token: &str) {
        let business = account.waba_id.clone().unwrap_or_default();
        if !self.businesses.insert(business.clone()) {
            return;
        }
        let Some(asked) = setup::subscribed_apps(&business) else {
            let what = format!("{business:?} is not the id of a business account");
            return self.findings.push(Finding::failed(
                NUMBERS,
                what,
                "connect the number with its own --waba-id",
            ));
        };
        let found = match self.request(&asked, token, setup::read_subscribed_apps).await {
            Err(trouble) => setup_finding(&format!("business account {business}"), &trouble),
            Ok(apps) if apps.iter().any(|it| it.id == app.id) => {
                Finding::ok(NUMBERS, format!("app {} is subscribed to account {business}", app.id))
            }
            Ok(_) => {
                let what =
                    format!("app {} is not subscribed to business account {business}", app.id);
                let advice = format!(
                    "POST /{business}/subscribed_apps at the Graph API with the number's token"
                );
                Finding::failed(NUMBERS, what, advice)
            }
        };
        self.findings.push(found);
    }

    async fn request<T>(
        &self,
        asked: &GraphRequest,
        token: &str,
        read: impl Fn(&GraphResponse<'_>) -> Result<T, CloudSetupError>,
    ) -> Result<T, CloudSetupError> {
        let asked = self.it.settings.channel.networks.cloud_api.request(asked.clone(), token);
        let answer = self.client.send(asked).await.map_err(CloudSetupError::Later)?;
        read(&GraphResponse::new(&answer))
    }
}

fn setup_finding(about: &str, trouble: &CloudSetupError) -> Finding {
    let what = format!("{about}: {trouble}");
    match trouble {
        CloudSetupError::Token(_) => Finding::failed(NUMBERS, what, NEW_TOKEN),
        CloudSetupError::Refused(_) => Finding::failed(
            NUMBERS,
            what,
            "make sure that the ids are right and that the token has access to them",
        ),
        CloudSetupError::Later(_) => Finding::warning(
            GRAPH_URL,
            what,
            "try again later; make sure that this machine reaches the address",
        ),
    }
}

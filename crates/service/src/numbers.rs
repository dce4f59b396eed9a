//! The numbers of an organization, as its members manage them: connecting, checking and
//! reconnecting a number (`docs/contract.md#numbers`).

use crate::admin::{Admin, AdminError, Created, NewChannel};
use channel::cloud_api::setup::{self, CloudSetupError};
use channel::cloud_api::{self, GraphRequest, GraphResponse};
use channel::twilio;
use domain::account::ChannelKind;
use domain::id::{AccountId, OrganizationId};
use domain::time::Timestamp;
use persistence::records::Account;
use platform::Deps;
use std::time::Duration;

/// A number to connect.
#[derive(Clone, Copy, Debug)]
pub struct NewNumber<'a> {
    pub phone_number: &'a str,
    /// The name that customers see.
    pub display_name: &'a str,
    pub channel: NewChannel<'a>,
}

/// Connects a number. The first number of an organization is its default.
pub async fn connect(
    deps: &Deps,
    organization: OrganizationId,
    new: NewNumber<'_>,
) -> Result<Created, AdminError> {
    let NewNumber { phone_number, display_name, channel } = new;
    let admin = Admin::new(deps);
    admin.connect_account(organization, phone_number, display_name, channel, false).await
}

/// Makes a number the organization's default. Keys without a number of their own send from it.
/// Returns `false` if the organization has no such number.
pub async fn make_default(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
) -> persistence::Result<bool> {
    deps.db.organization(organization).set_default_account(account).await
}

/// Declares a number healthy, so that its waiting messages are sent. Replaces its access token if
/// one is given.
pub async fn reconnect(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    access_token: Option<&str>,
) -> Result<(), AdminError> {
    if deps.db.organization(organization).account(account).await?.is_none() {
        return Err(AdminError::NotFound {
            noun: "number",
            known_by: "id",
            wanted: account.to_string(),
        });
    }
    Admin::new(deps).reconnect_account(&account.to_string(), access_token).await?;
    Ok(())
}

/// The URL that the channel calls, and the token with which it checks the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackSetup {
    pub url: String,
    pub verify_token: Option<String>,
}

/// Returns the values to enter in the channel's console, if the channel has one.
#[must_use]
pub fn callback_setup(deps: &Deps, base_url: &str, channel: ChannelKind) -> Option<CallbackSetup> {
    let path = match channel {
        ChannelKind::Sandbox => return None,
        ChannelKind::CloudApi => cloud_api::WEBHOOK,
        ChannelKind::Twilio => twilio::WEBHOOK,
    };
    let settings = &deps.settings.channel.networks.cloud_api;
    let token = settings.verify_token.as_ref().filter(|_| channel == ChannelKind::CloudApi);
    Some(CallbackSetup { url: format!("{base_url}{path}"), verify_token: token.cloned() })
}

/// The result of one check of a number's setup at its channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupCheck {
    pub result: CheckResult,
    /// A heading that says what the check found.
    pub title: String,
    /// Advice, or the details of what works.
    pub advice: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckResult {
    Passed,
    /// The channel could not be asked, or the setup works but is not as it should be.
    Warning,
    Failed,
}

impl SetupCheck {
    fn passed(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { result: CheckResult::Passed, title: title.into(), advice: advice.into() }
    }

    fn warning(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { result: CheckResult::Warning, title: title.into(), advice: advice.into() }
    }

    fn failed(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { result: CheckResult::Failed, title: title.into(), advice: advice.into() }
    }

    /// Returns the result of a check whose request to the channel failed.
    fn unanswered(what: &str, trouble: &CloudSetupError) -> Self {
        match trouble {
            CloudSetupError::Token(why) => Self::failed(
                format!("{what}: the access token was refused"),
                format!(
                    "{why} Create a system user token that does not expire, with \
                     whatsapp_business_messaging and whatsapp_business_management, and replace the \
                     token."
                ),
            ),
            CloudSetupError::Refused(why) => Self::failed(
                format!("{what}: the channel refused the question"),
                format!("{why} Check the ids, and that the token has access to them."),
            ),
            CloudSetupError::Later(why) => Self::warning(
                format!("{what}: no answer from the channel"),
                format!("{why}. Try again later."),
            ),
        }
    }
}

/// Checks each step of a number's setup at the channel. Leaves out later steps that cannot be
/// checked because an earlier one failed.
pub async fn check_setup(deps: &Deps, base_url: &str, account: &Account) -> Vec<SetupCheck> {
    match account.channel {
        ChannelKind::Sandbox => vec![SetupCheck::passed(
            "The sandbox is built in",
            "Nothing has to be set up. Messages stay on this server.",
        )],
        ChannelKind::CloudApi => CloudSetup { deps, base_url, account }.check().await,
        ChannelKind::Twilio => vec![
            twilio_account(deps).await,
            arrivals(
                account.last_callback_at,
                &format!("{base_url}{}", twilio::WEBHOOK),
                deps.clock.now(),
            ),
        ],
    }
}

/// The time without a callback after which the check warns.
const SILENT_FOR: Duration = Duration::from_hours(7 * 24);

/// Says when the channel last reported something about a number, and what could keep its callbacks
/// away.
fn arrivals(last: Option<Timestamp>, url: &str, now: Timestamp) -> SetupCheck {
    let advice = format!(
        "Write a message to the number. If it does not appear within a minute, look at what stands \
         in front of the server. A firewall, a proxy or a bot protection must pass POST requests to \
         {url} on unchanged: without a sign-in, a challenge or a list of allowed addresses, with \
         all headers, and with bodies of up to 3 MB."
    );
    match last {
        None => SetupCheck::warning("No callback is recorded yet", advice),
        Some(at) if now.since(at) > SILENT_FOR => {
            SetupCheck::warning(format!("The last callback arrived on {}", date(at)), advice)
        }
        Some(at) => SetupCheck::passed("Callbacks arrive", format!("The last one: {}", date(at))),
    }
}

/// Returns a time in UTC to the minute.
fn date(at: Timestamp) -> String {
    let text = at.to_string();
    let minute = text.get(..16).unwrap_or(&text);
    format!("{} UTC", minute.replace('T', " "))
}

struct CloudSetup<'a> {
    deps: &'a Deps,
    base_url: &'a str,
    account: &'a Account,
}

impl CloudSetup<'_> {
    async fn check(&self) -> Vec<SetupCheck> {
        let mut checks = Vec::new();
        let token = match self.token() {
            Ok(token) => token,
            Err(check) => return vec![check],
        };
        let shown = &self.account.phone_number;
        let id = self.account.phone_number_id.as_deref().unwrap_or_default();
        let number = match setup::number(id) {
            Some(request) => self.request(&request, &token, setup::read_number).await,
            None => Err(CloudSetupError::Refused(format!("{id:?} is not an id."))),
        };
        match number {
            Ok(number) if number.is(shown) => checks.push(SetupCheck::passed(
                "The number exists, and the access token works",
                number.display_phone_number,
            )),
            Ok(number) => checks.push(SetupCheck::failed(
                format!("The id belongs to {}", number.display_phone_number),
                "Connect the number with its own phone number ID.",
            )),
            Err(trouble) => {
                checks.push(SetupCheck::unanswered("The number", &trouble));
                return checks;
            }
        }
        let app = match self.request(&setup::app(), &token, setup::read_app).await {
            Ok(app) => app,
            Err(trouble) => {
                checks.push(SetupCheck::unanswered("The app", &trouble));
                return checks;
            }
        };
        checks.push(self.subscription(&app.id, &token).await);
        checks.push(self.callback_url(&app.id).await);
        checks.push(arrivals(
            self.account.last_callback_at,
            &self.callback(),
            self.deps.clock.now(),
        ));
        checks
    }

    /// Returns the URL to which the channel sends its callbacks.
    fn callback(&self) -> String {
        format!("{}{}", self.base_url, cloud_api::WEBHOOK)
    }

    fn token(&self) -> Result<String, SetupCheck> {
        let sealed = self.account.access_token.as_ref().ok_or_else(|| {
            SetupCheck::failed("The number has no access token", "Replace the token.")
        })?;
        self.deps.sealing.open(sealed, &self.account.id.to_string()).map_err(|error| {
            SetupCheck::failed(
                "The access token can’t be decrypted",
                format!(
                    "{error}. Replace the token, or give the server the key that encrypted it."
                ),
            )
        })
    }

    /// Checks whether the app is subscribed to the business account.
    async fn subscription(&self, app: &str, token: &str) -> SetupCheck {
        let business = self.account.waba_id.clone().unwrap_or_default();
        let Some(request) = setup::subscribed_apps(&business) else {
            return SetupCheck::failed(
                "The id of the business account is wrong",
                "Connect the number with its own WhatsApp Business account ID.",
            );
        };
        match self.request(&request, token, setup::read_subscribed_apps).await {
            Err(trouble) => SetupCheck::unanswered("The business account", &trouble),
            Ok(apps) if apps.iter().any(|it| it.id == app) => SetupCheck::passed(
                "The app is subscribed to the business account",
                format!("Business account {business}"),
            ),
            Ok(_) => SetupCheck::failed(
                "The app isn’t subscribed to the business account",
                format!("Call POST /{business}/subscribed_apps of the Graph API with the token."),
            ),
        }
    }

    /// Checks whether the app sends its callbacks to this service.
    async fn callback_url(&self, app: &str) -> SetupCheck {
        let settings = &self.deps.settings.channel.networks.cloud_api;
        let Some(secret) = &settings.app_secret else {
            return SetupCheck::failed(
                "The server doesn’t know the app’s secret",
                "Without it no callback is accepted. The operator sets SWITCHBOARD_GRAPH_APP_SECRET.",
            );
        };
        let Some(request) = setup::subscriptions(app) else {
            return SetupCheck::failed(format!("{app:?} is not the id of an app"), "");
        };
        let token = setup::app_token(app, secret);
        let ours = self.callback();
        let enter = format!("Enter {ours} and the verify token as the app’s webhook at Meta.");
        match self.request(&request, &token, setup::read_subscriptions).await {
            Err(trouble) => SetupCheck::unanswered("The callback URL", &trouble),
            Ok(None) => SetupCheck::failed("The app has no callback URL", enter),
            Ok(Some(it)) if it.callback_url != ours => {
                SetupCheck::failed(format!("Callbacks go to {}", it.callback_url), enter)
            }
            Ok(Some(it)) if !it.active => SetupCheck::failed("The app’s webhook is off", enter),
            Ok(Some(it)) if !it.missing_fields().is_empty() => SetupCheck::warning(
                format!("The app doesn’t report {}", it.missing_fields().join(" and ")),
                "Subscribe to these fields of the app’s webhook at Meta.",
            ),
            Ok(Some(_)) => SetupCheck::passed("The callback URL is registered", ours),
        }
    }

    async fn request<T>(
        &self,
        request: &GraphRequest,
        token: &str,
        read: impl Fn(&GraphResponse<'_>) -> Result<T, CloudSetupError>,
    ) -> Result<T, CloudSetupError> {
        let settings = &self.deps.settings.channel.networks.cloud_api;
        let request = settings.request(request.clone(), token);
        let answer =
            self.deps.outbound.channel.send(request).await.map_err(CloudSetupError::Later)?;
        read(&GraphResponse::new(&answer))
    }
}

/// Checks whether the Twilio account in the settings works.
async fn twilio_account(deps: &Deps) -> SetupCheck {
    use channel::twilio::setup::{self as twilio_setup, TwilioSetupError};
    let Some(request) = twilio_setup::account(&deps.settings.channel.networks.twilio) else {
        return SetupCheck::failed(
            "The server has no Twilio account",
            "The operator sets SWITCHBOARD_TWILIO_ACCOUNT_SID and SWITCHBOARD_TWILIO_AUTH_TOKEN.",
        );
    };
    let answer = deps.outbound.channel.send(request).await.map_err(TwilioSetupError::Later);
    match answer.and_then(|answer| twilio_setup::read_account(&answer)) {
        Ok(account) if account.status == "active" => {
            SetupCheck::passed("The Twilio account works", account.friendly_name)
        }
        Ok(account) => SetupCheck::failed(
            format!("The Twilio account is {}", account.status),
            "Open the console of the account at Twilio to see why.",
        ),
        Err(TwilioSetupError::Later(why)) => {
            SetupCheck::warning("No answer from Twilio", format!("{why}. Try again later."))
        }
        Err(trouble) => SetupCheck::failed(
            "Twilio refused the account",
            format!("{trouble}. Check the account SID and the auth token in the settings."),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_says_when_the_last_callback_arrived() {
        let now = Timestamp::from_seconds(1_800_000_000);
        let check = |last| arrivals(last, "https://api.example.com/hook", now);
        let never = check(None);
        assert_eq!(never.result, CheckResult::Warning);
        assert!(never.advice.contains("https://api.example.com/hook"), "{}", never.advice);
        let recent = check(Some(now.minus(Duration::from_hours(3))));
        assert_eq!(recent.result, CheckResult::Passed);
        assert_eq!(recent.advice, "The last one: 2027-01-15 05:00 UTC");
        let silent = check(Some(now.minus(Duration::from_hours(8 * 24))));
        assert_eq!(silent.result, CheckResult::Warning);
        assert_eq!(silent.title, "The last callback arrived on 2027-01-07 08:00 UTC");
    }
}

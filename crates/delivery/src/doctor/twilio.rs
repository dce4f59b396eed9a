//! Checks of Twilio: whether the account works, and whether callbacks can reach this server.

use super::Examination;
use crate::checks::Finding;
use channel::twilio::setup::{self, TwilioSetupError};
use channel::twilio::{TwilioSettings, WEBHOOK};
use domain::account::ChannelKind;
use platform::outbound::Outbound;

const ACCOUNT_SID: &str = "SWITCHBOARD_TWILIO_ACCOUNT_SID";
const AUTH_TOKEN: &str = "SWITCHBOARD_TWILIO_AUTH_TOKEN";
const TWILIO_URL: &str = "SWITCHBOARD_TWILIO_URL";
const BASE_URL: &str = "SWITCHBOARD_BASE_URL";
/// The subject of findings about a number. Numbers belong to no setting.
const NUMBERS: &str = "numbers";
const CONSOLE: &str = "copy both from the console of the account at Twilio (Account Info)";

/// Checks the Twilio account if it is configured or an account of this database needs it.
pub async fn check(it: &Examination) -> Vec<Finding> {
    let settings = &it.settings.channel.networks.twilio;
    let needed = match &it.db {
        Some(db) => db.operator().list_channel_accounts(ChannelKind::Twilio, 1).await,
        None => return Vec::new(),
    };
    let number = match needed {
        Ok(numbers) => numbers.into_iter().next(),
        Err(error) => {
            let what = format!("the numbers at Twilio cannot be read: {error}");
            return vec![Finding::failed(NUMBERS, what, "see the findings about the database")];
        }
    };
    let mut findings = missing(settings, number.is_some());
    findings.extend(account(it).await);
    findings.extend(number.map(|number| webhook(it, &number.phone_number)));
    findings
}

/// Reports settings that are needed but not set.
fn missing(settings: &TwilioSettings, is_needed: bool) -> Vec<Finding> {
    let both = [(ACCOUNT_SID, &settings.account_sid), (AUTH_TOKEN, &settings.auth_token)];
    let unset = both.into_iter().filter(|(_, value)| value.is_none());
    let what = "it is not set, so no number at Twilio can send or receive";
    let unset = unset.filter(|_| is_needed || is_named(settings));
    unset.map(|(name, _)| Finding::failed(name, what, CONSOLE)).collect()
}

/// Checks the configured account. Returns `None` if none is configured.
async fn account(it: &Examination) -> Option<Finding> {
    let asked = setup::account(&it.settings.channel.networks.twilio)?;
    let client = match Outbound::new(&it.settings.channel) {
        Ok(outbound) => outbound.channel,
        Err(error) => {
            return Some(Finding::failed(TWILIO_URL, error.to_string(), "install ca-certificates"));
        }
    };
    let answer = client.send(asked).await.map_err(TwilioSetupError::Later);
    Some(match answer.and_then(|answer| setup::read_account(&answer)) {
        Ok(account) if account.status == "active" => {
            let name = &account.friendly_name;
            Finding::ok(ACCOUNT_SID, format!("the account {name:?} at Twilio works"))
        }
        Ok(account) => {
            let what = format!("the account at Twilio is {}", account.status);
            Finding::failed(ACCOUNT_SID, what, "see the console of the account at Twilio")
        }
        Err(TwilioSetupError::Refused(why)) => {
            Finding::failed(AUTH_TOKEN, format!("Twilio does not accept it: {why}"), CONSOLE)
        }
        Err(TwilioSetupError::Later(why)) => Finding::warning(
            TWILIO_URL,
            why,
            "try again later; make sure that this machine reaches the address",
        ),
    })
}

/// Reports the URL to which the Twilio sender must forward inbound messages.
fn webhook(it: &Examination, phone_number: &str) -> Finding {
    let ours = format!("{}{WEBHOOK}", it.settings.base_url);
    if ours.starts_with("https://") {
        let what = format!("the sender {phone_number} at Twilio has to send messages to {ours}");
        return Finding::ok(NUMBERS, what);
    }
    let what = format!("Twilio would have to send messages to {ours}, which is not https");
    Finding::warning(BASE_URL, what, "set it to the public https address of this server")
}

fn is_named(settings: &TwilioSettings) -> bool {
    settings.account_sid.is_some() || settings.auth_token.is_some()
}

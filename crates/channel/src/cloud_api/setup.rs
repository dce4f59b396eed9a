//! Checks an account, its token and the webhook: the requests to the Graph API, and the meaning of
//! the answers.

use super::GraphRequest;
use super::answer::{GraphResponse, GraphResult};
use domain::account::HealthReason;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The webhook fields that this program needs.
pub const NEEDED_FIELDS: [&str; 2] = ["messages", "message_template_status_update"];
/// The subcode of "Object does not exist", for code 100.
const NO_OBJECT: i64 = 33;
/// The object type of Meta's webhooks for business accounts.
const OBJECT: &str = "whatsapp_business_account";

/// The reason why something could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloudSetupError {
    /// Meta refused the token, or the token lacks a permission.
    #[error("{0}")]
    Token(String),
    /// The object does not exist, or may not be read.
    #[error("{0}")]
    Refused(String),
    /// The API has a temporary problem or is overloaded.
    #[error("{0}")]
    Later(String),
}

/// A phone number, as the API knows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PhoneNumberDetails {
    /// The number, as people write it.
    #[serde(default)]
    pub display_phone_number: String,
}

impl PhoneNumberDetails {
    /// Whether this is the number `phone_number` in E.164. The API writes numbers with spaces and
    /// hyphens.
    #[must_use]
    pub fn is(&self, phone_number: &str) -> bool {
        let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
        digits(&self.display_phone_number) == digits(phone_number)
    }
}

/// An app at Meta, not an application of Switchboard.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct App {
    /// The app's id.
    pub id: String,
    /// The app's name.
    #[serde(default)]
    pub name: String,
}

/// The webhook subscription of an app.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Subscription {
    object: String,
    /// The webhook URL.
    #[serde(default)]
    pub callback_url: String,
    /// Whether Meta sends callbacks.
    #[serde(default)]
    pub active: bool,
    #[serde(default)]
    fields: Vec<SubscribedField>,
}

impl Subscription {
    /// Returns those of [`NEEDED_FIELDS`] that the subscription lacks.
    #[must_use]
    pub fn missing_fields(&self) -> Vec<&'static str> {
        let has = |name: &str| self.fields.iter().any(|field| field.name() == name);
        NEEDED_FIELDS.into_iter().filter(|name| !has(name)).collect()
    }
}

/// A webhook field. Some versions of the API send its name, others an object with the name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum SubscribedField {
    Plain(String),
    Versioned { name: String },
}

impl SubscribedField {
    fn name(&self) -> &str {
        match self {
            Self::Plain(name) | Self::Versioned { name } => name,
        }
    }
}

#[derive(Deserialize)]
struct GraphList<T> {
    #[serde(default = "Vec::new")]
    data: Vec<T>,
}

#[derive(Deserialize)]
struct Subscribed {
    whatsapp_business_api_data: App,
}

/// Returns the request for a phone number, or `None` if the id is not valid. An operator typed the
/// id, and it must not change the path.
#[must_use]
pub fn number(phone_number_id: &str) -> Option<GraphRequest> {
    plain(phone_number_id)
        .then(|| GraphRequest::get(format!("{phone_number_id}?fields=display_phone_number")))
}

/// Returns the request for the app that a token belongs to.
#[must_use]
pub fn app() -> GraphRequest {
    GraphRequest::get("app?fields=id,name".to_owned())
}

/// Returns the request for the apps that receive callbacks about a business account.
#[must_use]
pub fn subscribed_apps(waba_id: &str) -> Option<GraphRequest> {
    plain(waba_id).then(|| GraphRequest::get(format!("{waba_id}/subscribed_apps")))
}

/// Returns the request for an app's webhook subscriptions. It must be sent with the [token of the
/// app](app_token).
#[must_use]
pub fn subscriptions(app_id: &str) -> Option<GraphRequest> {
    plain(app_id).then(|| GraphRequest::get(format!("{app_id}/subscriptions")))
}

/// Returns the access token of the app itself.
#[must_use]
pub fn app_token(app_id: &str, app_secret: &str) -> String {
    format!("{app_id}|{app_secret}")
}

/// Parses the answer to [`number`].
pub fn read_number(answer: &GraphResponse<'_>) -> Result<PhoneNumberDetails, CloudSetupError> {
    read(answer)
}

/// Parses the answer to [`app`].
pub fn read_app(answer: &GraphResponse<'_>) -> Result<App, CloudSetupError> {
    read(answer)
}

/// Parses the answer to [`subscribed_apps`].
pub fn read_subscribed_apps(answer: &GraphResponse<'_>) -> Result<Vec<App>, CloudSetupError> {
    let list: GraphList<Subscribed> = read(answer)?;
    Ok(list.data.into_iter().map(|it| it.whatsapp_business_api_data).collect())
}

/// Parses the answer to [`subscriptions`]. Returns the subscription for business accounts, if there
/// is one.
pub fn read_subscriptions(
    answer: &GraphResponse<'_>,
) -> Result<Option<Subscription>, CloudSetupError> {
    let list: GraphList<Subscription> = read(answer)?;
    Ok(list.data.into_iter().find(|it| it.object == OBJECT))
}

fn plain(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn read<T: DeserializeOwned>(answer: &GraphResponse<'_>) -> Result<T, CloudSetupError> {
    match answer.read() {
        GraphResult::Done(done) => Ok(done),
        GraphResult::Later(error) => Err(CloudSetupError::Later(error.sentence())),
        GraphResult::Unreadable(why) => Err(CloudSetupError::Later(why)),
        // Either the id or the token is wrong.
        GraphResult::Account(_, error) if error.error_subcode == Some(NO_OBJECT) => {
            Err(CloudSetupError::Refused(error.sentence()))
        }
        GraphResult::Account(
            HealthReason::TokenRefused | HealthReason::PermissionMissing,
            error,
        ) => Err(CloudSetupError::Token(error.sentence())),
        GraphResult::Never(error) | GraphResult::Account(_, error) => {
            Err(CloudSetupError::Refused(error.sentence()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, body: &str) -> GraphResponse<'_> {
        GraphResponse { status, retry_after: None, body: body.as_bytes() }
    }

    #[test]
    fn an_id_is_no_path() {
        assert_eq!(number("1").unwrap().path, "1?fields=display_phone_number");
        for id in ["", "../me", "a?b", "a/b"] {
            assert_eq!(number(id), None);
            assert_eq!(subscribed_apps(id), None);
            assert_eq!(subscriptions(id), None);
        }
    }

    #[test]
    fn a_number_is_compared_by_its_digits() {
        let answer = answered(200, r#"{"display_phone_number":"+1 555-078-3881","id":"1"}"#);
        let number = read_number(&answer).unwrap();
        assert!(number.is("+15550783881") && !number.is("+15550783882"));
    }

    #[test]
    fn a_refused_token_a_refused_request_and_an_outage_are_distinguished() {
        let body = |code: i64| format!(r#"{{"error":{{"code":{code},"message":"no"}}}}"#);
        assert_eq!(
            read_app(&answered(401, &body(190))),
            Err(CloudSetupError::Token("no".to_owned()))
        );
        assert_eq!(
            read_app(&answered(400, &body(100))),
            Err(CloudSetupError::Refused("no".to_owned()))
        );
        assert_eq!(
            read_app(&answered(503, &body(2))),
            Err(CloudSetupError::Later("no".to_owned()))
        );
        let no_object = r#"{"error":{"code":100,"error_subcode":33,"message":"no"}}"#;
        let refused = Err(CloudSetupError::Refused("no".to_owned()));
        assert_eq!(read_number(&answered(400, no_object)), refused);
    }

    #[test]
    fn a_subscription_reports_missing_fields() {
        let body = r#"{"data":[{"object":"page","callback_url":"https://a"},
            {"object":"whatsapp_business_account","callback_url":"https://b","active":true,
             "fields":[{"name":"messages","version":"v23.0"}]}]}"#;
        let found = read_subscriptions(&answered(200, body)).unwrap().unwrap();
        assert_eq!(found.callback_url, "https://b");
        assert!(found.active);
        assert_eq!(found.missing_fields(), ["message_template_status_update"]);
        assert_eq!(read_subscriptions(&answered(200, r#"{"data":[]}"#)), Ok(None));
    }

    #[test]
    fn the_apps_of_a_business_are_listed() {
        let body =
            r#"{"data":[{"whatsapp_business_api_data":{"id":"7","name":"Ours","link":"x"}}]}"#;
        let apps = read_subscribed_apps(&answered(200, body)).unwrap();
        assert_eq!(apps, [App { id: "7".to_owned(), name: "Ours".to_owned() }]);
    }
}

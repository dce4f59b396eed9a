//! The parts of Meta's callbacks that this version reads.

use domain::inbound::ReportedNumber;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A change of a webhook field, of which only the value is read.
#[derive(Deserialize)]
pub struct ChangePart<T> {
    pub value: T,
}

#[derive(Deserialize)]
pub struct MetadataPart {
    pub phone_number_id: Value,
}

#[derive(Deserialize)]
pub struct StatusChange {
    pub id: String,
    pub status: String,
    pub timestamp: Option<Value>,
    /// `payment` if the status is about a payment, and not about the message that requested it.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// `group` for a message to a group.
    pub recipient_type: Option<String>,
    pub biz_opaque_callback_data: Option<String>,
    pub recipient_id: Option<String>,
    pub recipient_user_id: Option<String>,
    pub recipient_parent_user_id: Option<String>,
    #[serde(default)]
    pub errors: Vec<ErrorPart>,
}

#[derive(Deserialize)]
pub struct ErrorPart {
    pub code: Option<i64>,
    #[serde(default)]
    pub title: String,
    pub message: Option<String>,
    pub error_data: Option<ErrorData>,
}

#[derive(Deserialize)]
pub struct ErrorData {
    pub details: Option<String>,
}

#[derive(Deserialize)]
pub struct InboundMessage {
    pub id: String,
    /// Missing if a username hides the contact's number.
    pub from: Option<String>,
    pub from_user_id: Option<String>,
    pub from_parent_user_id: Option<String>,
    /// The contact, if somebody at the business wrote the message on the phone.
    pub to: Option<String>,
    pub to_user_id: Option<String>,
    pub to_parent_user_id: Option<String>,
    /// `contact_request` for a contact card that was shared on request.
    pub origin: Option<String>,
    /// Whether somebody at the business wrote the message. In that case, a contact card in it is
    /// not the contact's own.
    #[serde(skip)]
    pub is_echo: bool,
    /// The group in which the message was written.
    pub group_id: Option<Value>,
    pub timestamp: Option<Value>,
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default, deserialize_with = "forgiving")]
    pub context: Option<Context>,
    /// All other fields. One of them is the object that has the name of the type.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl InboundMessage {
    /// Replaces the sender with the recipient. It is called if the sender is the business, so that
    /// the message names the contact.
    pub fn name_the_recipient(&mut self) {
        self.from = self.to.take();
        self.from_user_id = self.to_user_id.take();
        self.from_parent_user_id = self.to_parent_user_id.take();
        self.is_echo = true;
    }
}

/// The sender's identity, which Meta sends beside the message.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ContactPart {
    pub wa_id: Option<String>,
    pub user_id: Option<String>,
    pub parent_user_id: Option<String>,
    pub profile: ProfilePart,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ProfilePart {
    pub name: Option<String>,
    pub username: Option<String>,
}

/// The part of a system message that says what happened.
#[derive(Deserialize)]
pub struct SystemPart {
    #[serde(rename = "type")]
    pub kind: String,
    pub wa_id: Option<String>,
    /// The new number, in old versions of the API.
    pub new_wa_id: Option<String>,
    pub user_id: Option<String>,
    pub parent_user_id: Option<String>,
    pub previous_user_id: Option<String>,
    /// The marketing preference, as Meta's keyword.
    pub marketing: Option<String>,
}

/// A change of the webhook field `user_id_update`.
#[derive(Deserialize)]
pub struct UserIdUpdates {
    pub metadata: MetadataPart,
    #[serde(rename = "user_id_update")]
    pub updates: Vec<UserIdUpdate>,
}

#[derive(Deserialize)]
pub struct UserIdUpdate {
    pub wa_id: Option<String>,
    pub user_id: UserIdChangePart,
    pub parent_user_id: Option<UserIdChangePart>,
    pub timestamp: Option<Value>,
}

#[derive(Deserialize)]
pub struct UserIdChangePart {
    pub previous: Option<String>,
    pub current: Option<String>,
}

#[derive(Deserialize)]
pub struct Context {
    #[serde(default, deserialize_with = "forgiving")]
    pub id: Option<String>,
    pub forwarded: Option<Value>,
    pub frequently_forwarded: Option<Value>,
    pub referred_product: Option<Value>,
}

#[derive(Deserialize)]
pub struct TextPart {
    pub body: String,
}

#[derive(Deserialize)]
pub struct FilePart {
    pub id: String,
    #[serde(default)]
    pub mime_type: String,
    #[serde(default, deserialize_with = "forgiving")]
    pub caption: Option<String>,
    #[serde(default, deserialize_with = "forgiving")]
    pub filename: Option<String>,
    #[serde(default, deserialize_with = "forgiving")]
    pub voice: Option<bool>,
    #[serde(default, deserialize_with = "forgiving")]
    pub animated: Option<bool>,
}

#[derive(Deserialize)]
pub struct ChoicePart {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
}

#[derive(Deserialize)]
pub struct QuickReplyPart {
    #[serde(default)]
    pub payload: String,
    #[serde(default)]
    pub text: String,
}

#[derive(Deserialize)]
pub struct ReactionPart {
    pub message_id: String,
    /// Empty if the reaction was removed.
    #[serde(default)]
    pub emoji: String,
}

#[derive(Deserialize)]
pub struct TemplateUpdatePart {
    pub event: String,
    pub message_template_id: Value,
    #[serde(default)]
    pub message_template_name: String,
    #[serde(default)]
    pub message_template_language: String,
    pub reason: Option<String>,
    rejection_info: Option<RejectionInfo>,
    other_info: Option<OtherInfo>,
}

#[derive(Deserialize)]
struct RejectionInfo {
    reason: Option<String>,
    recommendation: Option<String>,
}

#[derive(Deserialize)]
struct OtherInfo {
    title: Option<String>,
    description: Option<String>,
}

impl TemplateUpdatePart {
    /// Returns the reviewer's explanation: the reason, the recommendation and the description, as
    /// far as they are given.
    pub fn detail(&self) -> Option<String> {
        let rejection = self.rejection_info.iter();
        let sentences = rejection.flat_map(|it| [&it.reason, &it.recommendation]).flatten();
        let other = self.other_info.iter().filter_map(|it| it.description.as_ref());
        let all: Vec<&str> = sentences.chain(other).map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    /// Returns Meta's keyword for the reason why a template was locked or unlocked.
    pub fn title(&self) -> Option<&str> {
        self.other_info.as_ref()?.title.as_deref()
    }
}

/// Returns an id as text. In JSON it is a number or a text.
pub fn text_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Returns an id in unparsed JSON as text.
pub fn text_of_json(id: &RawValue) -> String {
    // The text was parsed as JSON before, so this cannot fail.
    serde_json::from_str(id.get()).map_or_else(|_| id.get().to_owned(), |id| text_of(&id))
}

/// Returns a time in seconds. In JSON it is a number or a text.
pub fn second_of(timestamp: &Value) -> Option<i64> {
    timestamp.as_i64().or_else(|| timestamp.as_str()?.parse().ok())
}

/// Reads an optional field. A value of an undocumented type counts as missing, so that the other
/// fields can still be read.
pub fn forgiving<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(reader)?).ok())
}

/// Reads a number that is written as a JSON number or text.
pub fn number<'de, D: Deserializer<'de>>(reader: D) -> Result<f64, D::Error> {
    finite(&Value::deserialize(reader)?).ok_or_else(|| D::Error::custom("not a number"))
}

/// Reads a number that is written as a JSON number or text. A number without a fraction stays an
/// integer.
pub fn reported_number<'de, D: Deserializer<'de>>(reader: D) -> Result<ReportedNumber, D::Error> {
    let value = Value::deserialize(reader)?;
    let whole = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    let number = whole.map(ReportedNumber::Whole);
    let number = number.or_else(|| finite(&value).map(ReportedNumber::Fraction));
    number.ok_or_else(|| D::Error::custom("not a number"))
}

fn finite(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|it| it.is_finite())
}

/// Returns a text that is not empty.
pub fn empty_is_none(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

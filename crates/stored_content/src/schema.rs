//! The JSON of single values: ids, times, keywords, and texts with a pattern. Each type represents
//! a domain type and has the schema that the reference shows. Stored JSON and the API share these
//! types, because message history and events show stored JSON unchanged.

use domain::content::passthrough::MAX_TYPE_LENGTH;
use domain::id::{Id, Kind};
use domain::keyword::Keyword;
use domain::media::MAX_URL_LENGTH;
use domain::message::{MAX_METADATA_KEY_LENGTH, MAX_METADATA_KEYS, MAX_METADATA_VALUE_LENGTH};
use domain::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// The prefix of references to named schemas.
pub const PREFIX: &str = "#/components/schemas/";
/// The `format` of ids.
pub const ID: &str = "typeid";
/// The `format` of phone numbers.
pub const NUMBER: &str = "e164";

/// A keyword of the domain, serialized as its text.
#[derive(Clone, Copy, Debug)]
pub struct OneOf<W>(pub W);

/// An id of kind `K`. Serializing it does not allocate a string.
#[derive(Clone, Copy, Debug)]
pub struct IdOf<K: Kind>(pub Id<K>);

/// A time (RFC 3339, UTC, with milliseconds). Serializing it does not allocate a string.
#[derive(Clone, Copy, Debug)]
pub struct Instant(pub Timestamp);

impl<W: Keyword> Serialize for OneOf<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<K: Kind> Serialize for IdOf<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A phone number in E.164 format, as answers show it.
pub struct PhoneNumberText;

/// A phone number in a request: E.164, with optional spaces and dashes, and the `+` optional.
pub struct LooseNumber;

/// A user id of the channel.
pub struct UserIdText;

/// An HTTP or HTTPS URL.
pub struct UrlText;

/// The name of a template.
pub struct TemplateNameText;

/// A language code in Meta's format, such as `en` or `en_US`.
pub struct LanguageText;

/// Characters that are accepted between the digits of a pasted number: white space, dashes and
/// invisible characters.
const BETWEEN_DIGITS: &str = concat!(
    r"[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000",
    r"\u002d\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030",
    r"\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d",
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164",
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8]*",
);

fn loose_number() -> String {
    let between = BETWEEN_DIGITS;
    format!(r"^{between}[+\uff0b\ufe62]?{between}[1-9]({between}[0-9]){{6,14}}{between}$")
}

macro_rules! inline {
    ($Name:ty, $schema:expr) => {
        impl JsonSchema for $Name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_schemas: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// Defines types whose schema is one constant string.
macro_rules! always {
    ($($(#[$doc:meta])* $Name:ident = $word:literal;)+) => {$(
        $(#[$doc])*
        pub struct $Name;
        inline!($Name, json_schema!({ "type": "string", "const": $word }));
    )+};
}

inline!(Instant, json_schema!({ "type": "string", "format": "date-time" }));
inline!(
    PhoneNumberText,
    json_schema!({ "type": "string", "format": NUMBER, "pattern": r"^\+[1-9][0-9]{6,14}$" })
);
inline!(
    LooseNumber,
    json_schema!({ "type": "string", "format": NUMBER, "pattern": loose_number() })
);
inline!(
    UserIdText,
    json_schema!({ "type": "string", "pattern": r"^[A-Z]{2}\.(ENT\.)?[a-zA-Z0-9]{1,128}$" })
);
inline!(
    UrlText,
    json_schema!({ "type": "string", "format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://", "maxLength": MAX_URL_LENGTH })
);
inline!(
    TemplateNameText,
    json_schema!({ "type": "string", "pattern": "^[a-z0-9_]+$", "minLength": 1, "maxLength": domain::template::MAX_NAME_LENGTH })
);
inline!(LanguageText, json_schema!({ "type": "string", "pattern": "^[a-z]{2,3}(_[A-Z]{2,3})?$" }));

always! {
    /// The status of a message that was just accepted.
    Queued = "queued";
    /// The direction of an outbound message.
    Outbound = "outbound";
    /// The status of a connection that its application ended.
    DisconnectedWord = "disconnected";
    /// The status of a message that was marked as read.
    ReadWord = "read";
    /// The status of an inbound message.
    ReceivedWord = "received";
    /// The type of a reply button.
    ReplyWord = "reply";
    /// The version of the channel's flow messages.
    FlowVersion = "3";
    /// The type of a reply button of a card.
    QuickReplyWord = "quick_reply";
    /// The name of the action with which a button opens a link.
    LinkWord = "cta_url";
}

/// A message body in the channel's own format.
pub struct ChannelBody;

inline!(
    ChannelBody,
    json_schema!({
        "type": "object",
        "required": ["type"],
        "properties": { "type": { "type": "string", "pattern": "^[a-z_]+$", "maxLength": MAX_TYPE_LENGTH } },
        "additionalProperties": true,
    })
);

/// The `metadata` of a send.
pub struct Metadata;

inline!(
    Metadata,
    json_schema!({
        "type": "object",
        "maxProperties": MAX_METADATA_KEYS,
        "propertyNames": { "minLength": 1, "maxLength": MAX_METADATA_KEY_LENGTH },
        "additionalProperties": { "type": "string", "maxLength": MAX_METADATA_VALUE_LENGTH },
    })
);

/// Replaces `anyOf` by `oneOf` in the schema of an untagged enum. The variants exclude each other,
/// and clients that are generated from `anyOf` lose all of them. Each variant becomes a plain
/// reference.
pub fn exactly_one(schema: &mut Schema) {
    let Some(Value::Array(mut variants)) = schema.remove("anyOf") else { return };
    for variant in variants.iter_mut().filter_map(Value::as_object_mut) {
        if variant.contains_key("$ref") {
            variant.retain(|name, _| name == "$ref");
        }
    }
    schema.insert("oneOf".to_owned(), variants.into());
}

/// Returns the words as values, followed by null.
#[must_use]
pub fn or_null(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| (*word).into()).chain([Value::Null]).collect()
}

impl<W: Keyword> JsonSchema for OneOf<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OneOf".into()
    }

    fn json_schema(_schemas: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = W::ALL.iter().map(|word| word.as_str()).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

impl<K: Kind> JsonSchema for IdOf<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IdOf".into()
    }

    fn json_schema(_schemas: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": ID, "pattern": format!("^{}_[0-7][0-9a-hjkmnp-tv-z]{{25}}$", K::PREFIX) })
    }
}

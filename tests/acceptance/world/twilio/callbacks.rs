//! Twilio's callbacks: form bodies and their signatures.

use super::{ACCOUNT, TOKEN};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The fields of a callback, in the order in which they are sent.
pub type Fields = Vec<(String, String)>;

fn owned(fields: &[(&str, &str)]) -> Fields {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Builds a status callback about an outbound message.
pub fn status(sid: &str, from: &str, to: &str, status: &str) -> Fields {
    owned(&[
        ("ChannelPrefix", "whatsapp"),
        ("ApiVersion", "2010-04-01"),
        ("MessageStatus", status),
        ("SmsSid", sid),
        ("SmsStatus", status),
        ("ChannelInstallSid", "XEcc20d939f803ee381f2442185d0d5dc5"),
        ("To", to),
        ("From", from),
        ("MessageSid", sid),
        ("AccountSid", ACCOUNT),
        ("ChannelToAddress", "+1650555XXXX"),
    ])
}

/// Builds a callback about an inbound message.
pub fn message(sid: &str, from: &str, to: &str, more: &[(&str, &str)]) -> Fields {
    let mut fields = owned(&[
        ("SmsMessageSid", sid),
        ("NumSegments", "1"),
        ("ReferralNumMedia", "0"),
        ("ProfileName", "Ada Lovelace"),
        ("SmsSid", sid),
        ("WaId", from.trim_start_matches("whatsapp:+")),
        ("SmsStatus", "received"),
        ("To", to),
        ("MessageSid", sid),
        ("AccountSid", ACCOUNT),
        ("From", from),
        ("ApiVersion", "2010-04-01"),
    ]);
    fields.extend(owned(more));
    fields
}

/// Encodes the fields as a form body.
pub fn form(fields: &Fields) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// Returns the value of `X-Twilio-Signature` for a callback.
pub fn signature(token: &str, url: &str, fields: &Fields) -> String {
    let mut sorted = fields.clone();
    sorted.sort();
    let text: String = sorted.into_iter().flat_map(|(name, value)| [name, value]).collect();
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
    STANDARD.encode(hmac::sign(&key, format!("{url}{text}").as_bytes()))
}

/// Signs a callback with the test account's auth token.
pub fn signed(url: &str, fields: &Fields) -> String {
    signature(TOKEN, url, fields)
}

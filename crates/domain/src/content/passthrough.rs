//! Messages with a body in the channel's own format. The service passes the body on, and only adds
//! the fields that it sets itself.

use crate::violation::{Fault, Field, Violations};

pub const MAX_BODY_BYTES: usize = 32 * 1024;
/// The fields that the body in a request must not contain, because the service sets them: the
/// recipient, the message that is replied to, and the value with which the channel's statuses are
/// matched to the message.
pub const RESERVED: [&str; 8] = [
    "messaging_product",
    "recipient_type",
    "to",
    "recipient",
    "recipient_identity_key_hash",
    "context",
    "biz_opaque_callback_data",
    "message_id",
];
/// Maximum number of characters in the `type` of a body.
pub const MAX_TYPE_LENGTH: usize = 64;
const TEMPLATE: &str = "template";

/// A body in the channel's own format, without the fields that the service sets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassthroughContent {
    /// The field `type` of the body.
    pub kind: String,
    /// The whole body, as JSON text of an object.
    pub body: String,
}

impl PassthroughContent {
    /// Builds a body from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(kind: String, body: String) -> Self {
        Self { kind, body }
    }

    /// Checks the body in a request. `kind` is its `type`, and `names` are the names of its fields.
    pub fn parse<'a>(
        at: &Field<'_>,
        kind: Option<&str>,
        names: impl Iterator<Item = &'a str>,
        body: String,
        faults: &mut Violations,
    ) -> Option<Self> {
        for name in names.filter(|name| RESERVED.contains(name)) {
            let message =
                "must not be set: name the recipient and the message to reply to beside `channel`";
            faults.add(&at.key(name), Fault::NotAllowed, message);
        }
        if body.len() > MAX_BODY_BYTES {
            let message = format!("has {} bytes; at most {MAX_BODY_BYTES} are allowed", body.len());
            faults.add(at, Fault::TooLong, message);
        }
        let kind = faults.required_text(&at.key("type"), kind, MAX_TYPE_LENGTH)?;
        let fits = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
        if !kind.bytes().all(fits) {
            let message = "must be of lowercase letters, digits and underscores, such as text";
            faults.add(&at.key("type"), Fault::InvalidFormat, message);
        }
        Some(Self { kind, body })
    }

    /// Whether the body is a template message. A template message does not pause the AI agent, and
    /// does not need an open customer service window.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.kind == TEMPLATE
    }

    /// Renders the type of the body as text that people can read. The body itself is not rendered,
    /// because its format is not known.
    #[must_use]
    pub fn words(&self) -> String {
        format!("[{}]", self.kind)
    }
}

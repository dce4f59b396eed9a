//! A body of the channel's own, passed on as it is.

use crate::violation::{Fault, Field, Violations};

/// Maximum number of bytes of such a body.
pub const MAX_BODY_BYTES: usize = 32 * 1024;
/// What it must not name: whom it is for, what it answers, and by what its reports find it are ours to write.
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
/// Maximum number of characters in a type.
pub const MAX_TYPE_LENGTH: usize = 64;
const TEMPLATE: &str = "template";

/// A body of the channel's own, without recipient and tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassthroughContent {
    /// Its `type`.
    pub kind: String,
    /// The whole: a JSON object.
    pub body: String,
}

impl PassthroughContent {
    /// A body that was accepted earlier, whatever the bounds are now.
    #[must_use]
    pub const fn stored(kind: String, body: String) -> Self {
        Self { kind, body }
    }

    /// Reads a body: an object's `type`, the names of its fields, and the whole as JSON.
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

    /// Whether it is a template: that pauses no agent and needs no open window.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.kind == TEMPLATE
    }

    /// What a person reads of it: we do not know.
    #[must_use]
    pub fn words(&self) -> String {
        format!("[{}]", self.kind)
    }
}

//! Parses the Graph API's answers, and decides what they mean for a message.

use super::codes::{
    account_fault, account_fault_below, delivery_error, is_of_the_message, passes, sentence_of,
    speed_limit,
};
use crate::request::Response;
use crate::{AcceptedByChannel, ChannelSendError, keepable_id};
use domain::account::HealthReason;
use domain::contact::{ChannelUserId, Identity};
use domain::message::Failure;
use domain::phone::PhoneNumber;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// An answer of the Graph API.
#[derive(Clone, Copy, Debug)]
pub struct GraphResponse<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The value of `Retry-After`, if any.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: &'a [u8],
}

#[derive(Deserialize)]
struct Failed {
    error: GraphError,
}

/// An error of the Graph API.
#[derive(Deserialize)]
pub struct GraphError {
    /// The error code. `None` if the answer has no code, for example because it comes from a proxy.
    #[serde(default)]
    pub code: Option<i64>,
    #[serde(default)]
    pub error_subcode: Option<i64>,
    /// Meta's own statement whether the same request may succeed later.
    #[serde(default)]
    is_transient: bool,
    #[serde(default)]
    message: String,
    #[serde(default)]
    error_data: Option<GraphErrorData>,
    #[serde(default)]
    error_user_msg: Option<String>,
}

#[derive(Deserialize)]
struct GraphErrorData {
    #[serde(default)]
    details: Option<String>,
}

impl GraphError {
    /// Returns the most specific description of the error.
    pub fn sentence(self) -> String {
        let details = self.error_data.and_then(|data| data.details);
        let parsed = details.or(self.error_user_msg).filter(|text| !text.is_empty());
        sentence_of(&parsed.unwrap_or(self.message))
    }

    /// Returns the meaning of the error. Meta's HTTP statuses do not distinguish a refusal from an
    /// outage, so Meta recommends using the code. The order is: the code, then the subcode, then
    /// Meta's `is_transient`, and last the HTTP status.
    fn meaning(&self, status: u16) -> Meaning {
        // An answer without a code, or with a redirect status, comes from a proxy and not from the
        // Graph API.
        let Some(code) = self.code.filter(|_| !(300..400).contains(&status)) else {
            return Meaning::Later;
        };
        let below = self.error_subcode.and_then(|subcode| account_fault_below(code, subcode));
        if let Some(reason) = account_fault(code).or(below) {
            return Meaning::Account(reason);
        }
        if is_of_the_message(code) {
            return Meaning::Never;
        }
        if passes(code) || self.is_transient {
            return Meaning::Later;
        }
        match status {
            401 => Meaning::Account(HealthReason::TokenRefused),
            408 | 425 | 429 => Meaning::Later,
            200..=299 | 400..=499 => Meaning::Never,
            _ => Meaning::Later,
        }
    }
}

/// The meaning of an error for the request that caused it.
enum Meaning {
    Later,
    Never,
    Account(HealthReason),
}

/// The meaning of an answer.
pub enum GraphResult<T> {
    /// The request succeeded.
    Done(T),
    /// The request may succeed later.
    Later(GraphError),
    /// The request will never succeed.
    Never(GraphError),
    /// Meta refuses the account, whatever the request.
    Account(HealthReason, GraphError),
    /// The request succeeded, but the answer cannot be read.
    Unreadable(String),
}

impl<'a> GraphResponse<'a> {
    /// Borrows a response.
    #[must_use]
    pub fn new(response: &'a Response) -> Self {
        let Response { status, retry_after, body } = response;
        Self { status: *status, retry_after: *retry_after, body }
    }
}

impl GraphResponse<'_> {
    /// Parses an answer. A successful one has a `T`.
    pub(super) fn read<T: DeserializeOwned>(&self) -> GraphResult<T> {
        let parsed = serde_json::from_slice(self.body).map(|failed: Failed| failed.error);
        if (200..300).contains(&self.status) {
            match (serde_json::from_slice(self.body), &parsed) {
                (Ok(done), _) => return GraphResult::Done(done),
                (Err(error), Err(_)) => {
                    return GraphResult::Unreadable(format!("an unreadable answer: {error}"));
                }
                // The body is an error, so the HTTP status is ignored.
                (Err(_), Ok(_)) => {}
            }
        }
        let error = parsed.unwrap_or_else(|_| nameless(format!("HTTP status {}", self.status)));
        match error.meaning(self.status) {
            Meaning::Later => GraphResult::Later(error),
            Meaning::Never => GraphResult::Never(error),
            Meaning::Account(reason) => GraphResult::Account(reason, error),
        }
    }
}

const fn nameless(message: String) -> GraphError {
    GraphError {
        code: None,
        error_subcode: None,
        is_transient: false,
        message,
        error_data: None,
        error_user_msg: None,
    }
}

#[derive(Deserialize)]
struct GraphSent {
    messages: Vec<SentMessage>,
    /// The type is not fixed, because a value that cannot be read must not hide that the message
    /// was accepted.
    #[serde(default)]
    contacts: serde_json::Value,
}

#[derive(Deserialize)]
struct SentMessage {
    id: String,
}

/// The recipient of a message: a number in the channel's form, or a user id.
#[derive(Deserialize)]
struct SentContact {
    #[serde(default)]
    wa_id: Option<String>,
    #[serde(default)]
    user_id: Option<String>,
}

/// Returns the recipient, if the answer names exactly one and this version knows the kind of its
/// identifier.
fn recipient(contacts: serde_json::Value) -> Option<Identity> {
    let contacts: Vec<SentContact> = serde_json::from_value(contacts).ok()?;
    let [SentContact { wa_id, user_id }] = contacts.as_slice() else { return None };
    let phone_number = wa_id.as_deref().and_then(|it| PhoneNumber::parse(it).ok());
    let user_id = user_id.as_deref().and_then(|it| ChannelUserId::parse(it).ok());
    let identity = Identity { phone_number, user_id, ..Identity::default() };
    identity.address().is_some().then_some(identity)
}

/// Parses the answer to a sent message.
pub fn read_submitted_message(
    answer: &GraphResponse<'_>,
) -> Result<AcceptedByChannel, ChannelSendError> {
    let of = |error: GraphError| {
        let mut error = delivery_error(error.code, &error.sentence());
        if answer.status == 429 {
            error.failure = Failure::ChannelRateLimited;
        }
        error
    };
    let after = answer.retry_after;
    match answer.read::<GraphSent>() {
        GraphResult::Done(sent) => {
            let channel_id = sent.messages.into_iter().next().and_then(|it| keepable_id(it.id));
            let recipient = recipient(sent.contacts).map(Box::new);
            Ok(AcceptedByChannel { channel_id, recipient, callbacks: Vec::new() })
        }
        // Meta has accepted the message, and a retry would send it twice.
        GraphResult::Unreadable(_) => {
            Ok(AcceptedByChannel { channel_id: None, recipient: None, callbacks: Vec::new() })
        }
        GraphResult::Later(error) => Err(match error.code.and_then(speed_limit) {
            Some(limit) => ChannelSendError::TooFast { limit, after, error: of(error) },
            None => ChannelSendError::Later { after, error: of(error) },
        }),
        GraphResult::Never(error) => Err(ChannelSendError::Definite(of(error))),
        GraphResult::Account(reason, error) => {
            Err(ChannelSendError::Account { reason, error: of(error) })
        }
    }
}

/// Returns the error for a request that got no answer.
#[must_use]
pub fn unreachable(why: &str) -> ChannelSendError {
    ChannelSendError::Later { after: None, error: delivery_error(None, why) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SpeedLimit;

    fn read(status: u16, body: &str) -> Result<AcceptedByChannel, ChannelSendError> {
        let retry_after = (status == 429).then_some(Duration::from_secs(7));
        read_submitted_message(&GraphResponse { status, retry_after, body: body.as_bytes() })
    }

    #[test]
    fn a_message_that_was_taken_has_an_id() {
        let taken = read(200, r#"{"messaging_product":"whatsapp","messages":[{"id":"wamid.A"}]}"#);
        assert_eq!(taken.unwrap().channel_id.as_deref(), Some("wamid.A"));
    }

    #[test]
    fn an_answer_says_how_the_channel_names_the_person() {
        let identity = |contacts: &str| {
            let body = format!(r#"{{"contacts":{contacts},"messages":[{{"id":"wamid.A"}}]}}"#);
            let taken = read(200, &body).unwrap();
            assert_eq!(taken.channel_id.as_deref(), Some("wamid.A"), "{contacts}");
            taken.recipient.map(|it| {
                (it.phone_number.map(|it| it.to_string()), it.user_id.map(|it| it.to_string()))
            })
        };
        let number = Some((Some("+551187654321".to_owned()), None));
        assert_eq!(identity(r#"[{"input":"+5511987654321","wa_id":"551187654321"}]"#), number);
        let user = Some((None, Some("US.1".to_owned())));
        assert_eq!(identity(r#"[{"input":"US.1","user_id":"US.1"}]"#), user);
        // A recipient that cannot be read is ignored, because the message was accepted.
        for contacts in [
            "null",
            "[]",
            "{}",
            "[null]",
            "7",
            r#"[{"input":"+1"}]"#,
            r#"[{"wa_id":7}]"#,
            r#"[{"wa_id":"group"}]"#,
            r#"[{"wa_id":"551187654321"},{"wa_id":"551187654322"}]"#,
        ] {
            assert_eq!(identity(contacts), None, "{contacts}");
        }
    }

    #[test]
    fn an_id_that_no_database_keeps_is_none() {
        for id in ["a\\u0000b", "", &"x".repeat(513)] {
            let body = format!(r#"{{"messages":[{{"id":"{id}"}}]}}"#);
            assert_eq!(read(200, &body).unwrap().channel_id, None, "{id:?}");
        }
        let longest = format!(r#"{{"messages":[{{"id":"{}"}}]}}"#, "x".repeat(512));
        assert!(read(200, &longest).unwrap().channel_id.is_some());
    }

    proptest::proptest! {
        /// Any answer can be parsed, and no id or message contains a NUL, which PostgreSQL cannot
        /// store.
        #[test]
        fn whatever_is_answered_is_understood(
            status in proptest::prop_oneof![100_u16..600, proptest::prelude::Just(200), proptest::prelude::Just(400)],
            body in "\\{\"(messages|error)\":[\\[{]?\\{?\"(id|code|message)\":(\"[a\u{0}\\\\u0]{0,9}\"|-?[0-9]{1,20})[}\\]]{0,3}|\\PC{0,30}",
            bytes: Vec<u8>,
        ) {
            for body in [body.as_bytes(), &bytes] {
                match read_submitted_message(&GraphResponse { status, retry_after: None, body }) {
                    Ok(taken) => proptest::prop_assert!(!taken.channel_id.unwrap_or_default().contains('\0')),
                    Err(
                        ChannelSendError::Definite(error)
                        | ChannelSendError::Later { error, .. }
                        | ChannelSendError::TooFast { error, .. }
                        | ChannelSendError::Account { error, .. },
                    ) => proptest::prop_assert!(!error.message.contains('\0')),
                }
            }
        }
    }

    #[test]
    fn a_success_that_cannot_be_read_is_a_success() {
        for (status, body) in [
            (200, "<html>"),
            (200, ""),
            (202, ""),
            (200, r#"{"messages":[]}"#),
            (200, r#"{"messages":[{}]}"#),
            (200, r#"{"success":true}"#),
        ] {
            assert_eq!(read(status, body).unwrap().channel_id, None, "{status} {body}");
        }
        let error = r#"{"error":{"code":131026,"message":"Message undeliverable"}}"#;
        assert!(matches!(read(200, error), Err(ChannelSendError::Definite(_))));
    }

    #[test]
    fn what_passes_is_tried_again_and_says_when() {
        for (status, body) in [
            (429, "{}"),
            (500, "<html>"),
            (503, ""),
            (400, r#"{"error":{"code":133016,"message":"(#133016) try again later"}}"#),
        ] {
            let Err(ChannelSendError::Later { after, .. }) = read(status, body) else {
                panic!("{status} {body}")
            };
            assert_eq!(after.is_some(), status == 429);
        }
    }

    #[test]
    fn what_comes_too_fast_is_to_be_slowed_down() {
        for (code, expected) in [
            (4, SpeedLimit::Number),
            (17, SpeedLimit::Number),
            (613, SpeedLimit::Number),
            (80_007, SpeedLimit::Number),
            (80_008, SpeedLimit::Number),
            (130_429, SpeedLimit::Number),
            (131_048, SpeedLimit::Number),
            (131_056, SpeedLimit::Pair),
        ] {
            let body = format!(r#"{{"error":{{"code":{code},"message":"Too fast"}}}}"#);
            for status in [400, 429, 403, 500] {
                let Err(ChannelSendError::TooFast { limit, after, error }) = read(status, &body)
                else {
                    panic!("{code}")
                };
                assert_eq!(limit, expected);
                assert_eq!(after.is_some(), status == 429);
                assert_eq!(error.channel_code, Some(code));
            }
        }
    }

    #[test]
    fn a_definite_refusal_keeps_its_code_and_its_sentence() {
        let body = r#"{"error":{"message":"(#131047) Re-engagement message","type":"OAuthException",
            "code":131047,"error_data":{"details":"More than 24 hours have passed"}}}"#;
        let Err(ChannelSendError::Definite(error)) = read(400, body) else { panic!() };
        assert_eq!(error.failure, Failure::WindowClosed);
        assert_eq!(error.channel_code, Some(131_047));
        assert_eq!(error.message, "More than 24 hours have passed");
    }

    #[test]
    fn what_is_the_accounts_fault_fails_no_message() {
        for code in [
            0, 3, 10, 33, 102, 190, 200, 299, 368, 130_497, 131_005, 131_031, 131_037, 131_042,
            131_045, 133_010,
        ] {
            for more in ["", r#","is_transient":true"#] {
                let body = format!(r#"{{"error":{{"code":{code},"message":"No"{more}}}}}"#);
                for status in [200, 400, 401, 403, 404, 429, 500, 503] {
                    let read = read(status, &body);
                    assert!(
                        matches!(read, Err(ChannelSendError::Account { .. })),
                        "{code} {read:?}"
                    );
                }
            }
        }
        for code in [1_000, 100, 131_000, 131_026, 131_047] {
            let body = format!(r#"{{"error":{{"code":{code},"message":"No"}}}}"#);
            assert!(matches!(read(400, &body), Err(ChannelSendError::Definite(_))), "{code}");
        }
    }

    #[test]
    fn the_code_decides_then_the_subcode_then_the_status() {
        let error = |fields: &str| format!(r#"{{"error":{{{fields},"message":"No"}}}}"#);
        // The error means that the token's user has lost access to the number.
        for status in [400, 404, 500] {
            let read = read(status, &error(r#""code":100,"error_subcode":33"#));
            let lost = HealthReason::PermissionMissing;
            assert!(
                matches!(read, Err(ChannelSendError::Account { reason, .. }) if reason == lost)
            );
        }
        let other = read(400, &error(r#""code":100,"error_subcode":2494010"#));
        assert!(matches!(other, Err(ChannelSendError::Definite(_))));
        // An error that is about the message is permanent, whatever the HTTP status is.
        for code in [131_026, 131_047, 132_000, 132_001] {
            for status in [400, 403, 404, 500] {
                let read = read(status, &error(&format!(r#""code":{code}"#)));
                assert!(matches!(read, Err(ChannelSendError::Definite(_))), "{code} {status}");
            }
        }
        // Transient errors are retried, whatever the HTTP status is.
        for code in [1, 2, 131_016, 131_057, 133_004, 133_016] {
            for status in [400, 403, 500] {
                let read = read(status, &error(&format!(r#""code":{code}"#)));
                assert!(matches!(read, Err(ChannelSendError::Later { .. })), "{code} {status}");
            }
        }
        let transient = read(400, &error(r#""code":131000,"is_transient":true"#));
        assert!(matches!(transient, Err(ChannelSendError::Later { .. })), "{transient:?}");
        // For an unknown code the HTTP status decides.
        for (status, expected) in [(400, "never"), (403, "never"), (401, "account"), (500, "later")]
        {
            let word = match read(status, &error(r#""code":123456"#)) {
                Err(ChannelSendError::Definite(_)) => "never",
                Err(ChannelSendError::Account { .. }) => "account",
                Err(ChannelSendError::Later { .. }) => "later",
                other => panic!("{other:?}"),
            };
            assert_eq!(word, expected, "{status}");
        }
    }

    #[test]
    fn what_meta_does_not_name_is_tried_again_and_has_no_code() {
        for (status, body, failure) in [
            (429, "<html>", Failure::ChannelRateLimited),
            (429, "{}", Failure::ChannelRateLimited),
            (302, "", Failure::ChannelError),
            (307, r#"{"error":{"code":131026}}"#, Failure::RecipientUnreachable),
            (400, "<html>Bad request</html>", Failure::ChannelError),
            (401, "", Failure::ChannelError),
            (403, r#"{"error":"forbidden"}"#, Failure::ChannelError),
            (404, r#"{"error":{"message":"no such page"}}"#, Failure::ChannelError),
        ] {
            let Err(ChannelSendError::Later { error, .. }) = read(status, body) else {
                panic!("{status} {body}")
            };
            let code = (status == 307).then_some(131_026);
            assert_eq!(error.failure, failure, "{status} {body}");
            assert_eq!(error.channel_code, code, "{status} {body}");
        }
    }
}

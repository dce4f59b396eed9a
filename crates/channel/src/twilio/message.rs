//! Messages in the format of the Messages API.

use super::answer::{TwilioResult, read};
use super::codes::delivery_error;
use super::{TwilioAccount, WEBHOOK, address_of, content};
use crate::request::{Request, Response};
use crate::{AcceptedByChannel, ChannelSendError, OutboundMessage, keepable_id};
use domain::content::{Content, TemplateContent};
use domain::message::{Failure, MessageError};
use serde::Deserialize;

/// The retry policy for status callbacks, as a fragment of their URL. Twilio repeats an unanswered
/// callback up to five times, all within 15 seconds
/// (<https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides>). If no instance
/// accepts a status in that time, the status is lost and the message keeps its previous one.
const RETRIES: &str = "#rc=5&rp=all";

/// Returns the request to send a message. Our id of the message is in the URL for its status
/// callbacks, so each callback contains it.
pub fn submit(
    account: &TwilioAccount,
    from: &str,
    message: &OutboundMessage<'_>,
) -> Result<Request, MessageError> {
    // A message to a contact without a number is rejected at acceptance. It can get here only if
    // the channel of the account has changed since.
    let to = message.to.phone_number().ok_or_else(number_required)?;
    let to = address_of(to.as_str());
    let base_url = &account.settings.base_url;
    let callback = format!("{base_url}{WEBHOOK}?message={}{RETRIES}", message.message);
    let mut fields = vec![("To", to.as_str()), ("From", from), ("StatusCallback", &callback)];
    let (sid, variables);
    match message.content {
        Content::Text(text) => fields.push(("Body", &text.text)),
        Content::Media(media) => {
            fields.push(("MediaUrl", media.url.as_str()));
            fields.extend(media.caption.as_deref().map(|caption| ("Body", caption)));
        }
        Content::Template(template) => {
            (sid, variables) = filled(message, template)?;
            fields.push(("ContentSid", &sid));
            fields.push(("ContentVariables", &variables));
        }
        // `CAPABILITIES` prevents these types from being accepted.
        Content::Interactive(_)
        | Content::Location(_)
        | Content::Contacts(_)
        | Content::Reaction(_)
        | Content::Channel(_) => {
            let kind = message.content.content_type();
            return Err(refused(&format!("Twilio takes no messages of type {kind}.")));
        }
    }
    Ok(account.form("Messages.json", &fields))
}

/// Returns the id of the template's resource at Twilio, and the values of its variables.
fn filled(
    message: &OutboundMessage<'_>,
    template: &TemplateContent,
) -> Result<(String, String), MessageError> {
    let missing = || {
        let (name, language) = (&template.name, &template.language);
        let text = format!("There is no template {name} in {language} at Twilio.");
        MessageError { failure: Failure::TemplateNotFound, message: text, channel_code: None }
    };
    let stored_template = message.template.ok_or_else(missing)?;
    let sid = stored_template.external_id.filter(|sid| content::is_sid(sid)).ok_or_else(missing)?;
    let variables = content::variables(stored_template.components, template);
    let variables = variables.map_err(|_| refused("The stored template could not be read."))?;
    Ok((sid.to_owned(), variables))
}

fn number_required() -> MessageError {
    let message = "Twilio reaches people by their phone numbers only.".to_owned();
    MessageError { failure: Failure::PhoneNumberRequired, message, channel_code: None }
}

fn refused(message: &str) -> MessageError {
    let message = message.to_owned();
    MessageError { failure: Failure::ChannelError, message, channel_code: None }
}

#[derive(Deserialize)]
struct TwilioSent {
    sid: String,
}

/// Parses the answer to a sent message.
pub fn read_submitted(response: &Response) -> Result<AcceptedByChannel, ChannelSendError> {
    let accepted =
        |channel_id| Ok(AcceptedByChannel { channel_id, recipient: None, callbacks: Vec::new() });
    match read::<TwilioSent>(response) {
        TwilioResult::Done(sent) => accepted(keepable_id(sent.sid)),
        // Twilio has accepted the message, and a retry would send it twice.
        TwilioResult::Unreadable(_) => accepted(None),
        TwilioResult::Later(after, error) => {
            let mut error = delivery_error(error.code, &error.message);
            if response.status == 429 {
                error.failure = Failure::ChannelRateLimited;
            }
            Err(ChannelSendError::Later { after, error })
        }
        TwilioResult::Account(reason, error) => {
            let error = delivery_error(error.code, &error.message);
            Err(ChannelSendError::Account { reason, error })
        }
        TwilioResult::Never(error) => {
            Err(ChannelSendError::Definite(delivery_error(error.code, &error.message)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn answered(status: u16, body: &str) -> Result<AcceptedByChannel, ChannelSendError> {
        let retry_after = (status == 429).then_some(Duration::from_secs(7));
        read_submitted(&Response { status, retry_after, body: body.as_bytes().to_vec() })
    }

    #[test]
    fn a_message_that_was_taken_has_an_id() {
        let taken = answered(201, r#"{"sid":"SM1","status":"queued","error_code":null}"#);
        assert_eq!(taken.unwrap().channel_id.as_deref(), Some("SM1"));
        assert_eq!(answered(201, "<html>").unwrap().channel_id, None);
        assert_eq!(answered(201, r#"{"sid":"SM\u0000"}"#).unwrap().channel_id, None);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_answered_is_understood(status in 100_u16..600, body in "\\{\"(sid|code|message)\":(\"[a\\\\u0]{0,9}\"|-?[0-9]{1,20})\\}|\\PC{0,30}") {
            match answered(status, &body) {
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

    #[test]
    fn what_passes_is_tried_again_and_says_when() {
        let limited = r#"{"code":63018,"message":"Rate limit exceeded for Channel","status":400}"#;
        for (status, body) in
            [(429, "{}"), (429, ""), (500, ""), (503, "<html>"), (400, limited), (401, "")]
        {
            let Err(ChannelSendError::Later { after, .. }) = answered(status, body) else {
                panic!("{status} {body}")
            };
            assert_eq!(after.is_some(), status == 429);
        }
    }

    #[test]
    fn what_is_the_accounts_fault_fails_no_message() {
        for (status, code) in
            [(401, 20_003), (401, 20_404), (403, 20_005), (400, 63_020), (400, 63_007)]
        {
            let body = format!(r#"{{"code":{code},"message":"No","status":{status}}}"#);
            let read = answered(status, &body);
            assert!(matches!(read, Err(ChannelSendError::Account { .. })), "{code} {read:?}");
        }
    }

    #[test]
    fn what_twilio_does_not_name_is_tried_again_and_has_no_code() {
        for (status, body, failure) in [
            (429, "<html>", Failure::ChannelRateLimited),
            (429, "{}", Failure::ChannelRateLimited),
            (302, "", Failure::ChannelError),
            (307, r#"{"code":21211,"message":"No"}"#, Failure::RecipientUnreachable),
            (400, "<html>Bad request</html>", Failure::ChannelError),
            (403, "", Failure::ChannelError),
            (404, "{}", Failure::ChannelError),
            (407, r#"{"code":0,"message":"Proxy"}"#, Failure::ChannelError),
        ] {
            let Err(ChannelSendError::Later { error, .. }) = answered(status, body) else {
                panic!("{status} {body}")
            };
            let code = (status == 307).then_some(21_211);
            assert_eq!(error.failure, failure, "{status} {body}");
            assert_eq!(error.channel_code, code, "{status} {body}");
        }
    }

    #[test]
    fn a_definite_refusal_keeps_its_code_and_its_sentence() {
        for (code, failure) in [
            (63_016, Failure::WindowClosed),
            (63_003, Failure::RecipientUnreachable),
            (21_211, Failure::RecipientUnreachable),
            (21_610, Failure::RecipientOptedOut),
            (63_019, Failure::MediaFailed),
            (12_345, Failure::ChannelError),
        ] {
            let body = format!(r#"{{"code":{code},"message":"No","status":400}}"#);
            let Err(ChannelSendError::Definite(error)) = answered(400, &body) else {
                panic!("{code}")
            };
            assert_eq!(error.failure, failure);
            assert_eq!(error.channel_code, Some(code));
            assert_eq!(error.message, "No");
        }
    }
}

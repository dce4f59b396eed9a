//! The adapter for accounts at Twilio.

use super::{TwilioAccount, TwilioSettings, content, message, review};
use crate::adapter::{Adapter, ChannelAccount, FileAddress, FileAt, Needs, NotSetUp};
use crate::request::{AdapterStep, ChannelAnswer};
use crate::{
    AcceptedByChannel, Callbacks, ChannelSendError, OutboundMessage, SubmitError,
    SubmittedTemplate, TemplateDeletion, TemplateEdit, TemplateSubmission,
};
use domain::contact::Address;
use domain::message::{Failure, MessageError};
use domain::template::Verdict;
use domain::time::Timestamp;

/// An account at Twilio.
pub struct TwilioNumber {
    account: TwilioAccount,
    /// The sender's address, `whatsapp:+…`.
    address: String,
}

impl TwilioNumber {
    /// Creates the adapter. The settings must have Twilio's account SID and auth token.
    pub fn new(settings: &TwilioSettings, number: ChannelAccount) -> Result<Self, NotSetUp> {
        let missing = || {
            NotSetUp("SWITCHBOARD_TWILIO_ACCOUNT_SID and SWITCHBOARD_TWILIO_AUTH_TOKEN are needed")
        };
        let account = TwilioAccount {
            sid: settings.account_sid.clone().ok_or_else(missing)?,
            token: settings.auth_token.clone().ok_or_else(missing)?,
            settings: settings.clone(),
        };
        let nameless = || NotSetUp("the number has no address at Twilio");
        Ok(Self { account, address: number.channel_id.ok_or_else(nameless)? })
    }
}

impl Adapter for TwilioNumber {
    /// Twilio sends a template by the id of its resource at Twilio, so the stored template is needed.
    fn needs(&self) -> Needs {
        Needs { rendered: false, template: true }
    }

    fn send(
        &self,
        handover: &OutboundMessage<'_>,
        _now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<AcceptedByChannel, ChannelSendError>> {
        match answers {
            [] => match message::submit(&self.account, &self.address, handover) {
                Ok(request) => AdapterStep::Ask(request),
                Err(error) => AdapterStep::Done(Err(ChannelSendError::Definite(error))),
            },
            [Ok(answer), ..] => AdapterStep::Done(message::read_submitted(answer)),
            [Err(why), ..] => {
                let (failure, message) = (Failure::ChannelError, why.clone());
                let error = MessageError { failure, message, channel_code: None };
                AdapterStep::Done(Err(ChannelSendError::Later { after: None, error }))
            }
        }
    }

    fn submit(
        &self,
        submission: &TemplateSubmission<'_>,
        _now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<SubmittedTemplate, SubmitError>> {
        review::submit(&self.account, submission, answers)
            .unwrap_or_else(|error| AdapterStep::Done(Err(error)))
    }

    /// Never called: the capability `edits` is off, so such requests are rejected earlier.
    fn edit_template(
        &self,
        _edit: &TemplateEdit<'_>,
        _now: Timestamp,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Callbacks, SubmitError>> {
        let why = "Twilio cannot change a template that was submitted.".to_owned();
        AdapterStep::Done(Err(SubmitError::Definite(why)))
    }

    fn delete_template(
        &self,
        deletion: &TemplateDeletion<'_>,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        review::delete(&self.account, deletion, answers)
            .unwrap_or_else(|error| AdapterStep::Done(Err(error)))
    }

    fn reports_verdicts(&self) -> bool {
        false
    }

    fn review(
        &self,
        external_id: &str,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Option<Verdict>, SubmitError>> {
        if !content::is_sid(external_id) {
            let why = "the template has no resource at Twilio".to_owned();
            return AdapterStep::Done(Err(SubmitError::Definite(why)));
        }
        match answers {
            [] => AdapterStep::Ask(review::status_request(&self.account, external_id)),
            [Ok(answer), ..] => AdapterStep::Done(review::read(answer)),
            [Err(why), ..] => {
                AdapterStep::Done(Err(SubmitError::Later { after: None, why: why.clone() }))
            }
        }
    }

    /// Never called: the capability `receipts` is off, so such requests are rejected earlier.
    fn mark_read(
        &self,
        _channel_id: &str,
        _typing: bool,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        AdapterStep::Done(Err(SubmitError::Definite("Twilio takes no read receipts.".to_owned())))
    }

    /// Always fails, because numbers at Twilio have no agent of the channel.
    fn release_thread(
        &self,
        _to: &Address,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        AdapterStep::Done(Err(SubmitError::Definite(
            "the channel has no agent of its own".to_owned(),
        )))
    }

    /// Builds the URL of a file. `file_id` is the URL from the callback. Only the two ids in it are
    /// used, so that the credentials go only to Twilio.
    fn file(
        &self,
        file_id: &str,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<FileAt, SubmitError>> {
        let TwilioAccount { settings, sid, .. } = &self.account;
        let path = file_id.split(['?', '#']).next().unwrap_or_default();
        let mut segments = path.rsplit('/');
        let ids = [segments.next(), segments.nth(1)].map(|id| id.filter(|id| is_plain(id)));
        let [Some(media), Some(message)] = ids else {
            let why = "the file's address is none of Twilio's".to_owned();
            return AdapterStep::Done(Err(SubmitError::Definite(why)));
        };
        let base = &settings.url;
        AdapterStep::Done(Ok(FileAt::Address(FileAddress {
            url: format!("{base}/2010-04-01/Accounts/{sid}/Messages/{message}/Media/{media}"),
            authorization: Some(self.account.authorization()),
            content_type: None,
            sha256: None,
        })))
    }
}

fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::account::ChannelKind;
    use domain::id::AccountId;

    fn number() -> TwilioNumber {
        let settings = TwilioSettings {
            url: "https://api.twilio.com".to_owned(),
            content_url: "https://content.twilio.com".to_owned(),
            account_sid: Some("AC1".to_owned()),
            auth_token: Some("12345".to_owned()),
            base_url: "https://acme.example".to_owned(),
        };
        let number = ChannelAccount {
            account: AccountId::new(Timestamp::from_seconds(1), [1; 10]),
            channel: ChannelKind::Twilio,
            channel_id: Some("whatsapp:+12025550180".to_owned()),
            business_id: None,
            token: None,
        };
        TwilioNumber::new(&settings, number).unwrap()
    }

    #[test]
    fn the_secret_goes_to_twilio_whatever_address_a_callback_names() {
        let wanted = "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1";
        for given in [wanted, "https://evil.example/Messages/MM1/Media/ME1?x"] {
            let AdapterStep::Done(Ok(FileAt::Address(at))) = number().file(given, &[]) else {
                panic!()
            };
            assert_eq!(at.url, wanted);
        }
        for given in ["", "ME1", "https://a/Messages/../Media/ME1", "Messages/M%2f/Media/ME1"] {
            assert!(matches!(number().file(given, &[]), AdapterStep::Done(Err(_))), "{given}");
        }
    }
}

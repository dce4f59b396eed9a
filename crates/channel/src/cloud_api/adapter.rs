//! The adapter for accounts on the Cloud API.

use super::answer::{GraphResponse, read_submitted_message, unreachable};
use super::{CloudSettings, GraphRequest, file, message, receipt, template, thread_control};
use crate::adapter::{Adapter, ChannelAccount, FileAddress, FileAt, Needs, NotSetUp};
use crate::request::{AdapterStep, Authorization, ChannelAnswer};
use crate::{
    AcceptedByChannel, Callbacks, ChannelSendError, OutboundMessage, SubmitError,
    SubmittedTemplate, TemplateDeletion, TemplateEdit, TemplateSubmission,
};
use domain::contact::Address;
use domain::content::Content;
use domain::message::{Failure, MessageError};
use domain::template::Verdict;
use domain::time::Timestamp;

/// The ids and the access token of an account on the Cloud API.
pub struct CloudNumber {
    settings: CloudSettings,
    phone_number_id: String,
    waba_id: String,
    token: String,
}

/// Whether the two texts consist of digits, as the ids of a phone number and of a business account
/// do.
#[must_use]
pub fn check_ids(phone_number_id: &str, waba_id: &str) -> bool {
    let plain = |id: &str| !id.is_empty() && id.bytes().all(|it| it.is_ascii_digit());
    plain(phone_number_id) && plain(waba_id)
}

impl CloudNumber {
    /// Creates the adapter. The account must have both ids and a token.
    pub fn new(settings: &CloudSettings, number: ChannelAccount) -> Result<Self, NotSetUp> {
        let missing = || NotSetUp("the number has no ids or no token for the Cloud API");
        Ok(Self {
            settings: settings.clone(),
            phone_number_id: number.channel_id.ok_or_else(missing)?,
            waba_id: number.business_id.ok_or_else(missing)?,
            token: number.token.ok_or_else(missing)?,
        })
    }

    fn step<T>(&self, asked: GraphRequest) -> AdapterStep<T> {
        AdapterStep::Ask(self.settings.request(asked, &self.token))
    }
}

/// Returns the error for a reaction to a message that has no channel id. Either that message
/// failed, or the channel's answer to it could not be read.
fn no_such_message() -> MessageError {
    let message = "The message that it reacts to is not known to the channel.".to_owned();
    MessageError { failure: Failure::ChannelError, message, channel_code: None }
}

fn away<T>(why: &str) -> AdapterStep<Result<T, SubmitError>> {
    AdapterStep::Done(Err(SubmitError::Later { after: None, why: why.to_owned() }))
}

impl Adapter for CloudNumber {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn send(
        &self,
        handover: &OutboundMessage<'_>,
        _now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<AcceptedByChannel, ChannelSendError>> {
        if matches!(handover.content, Content::Reaction(_)) && handover.answers.is_none() {
            return AdapterStep::Done(Err(ChannelSendError::Definite(no_such_message())));
        }
        match answers {
            [] => self.step(message::submit_message(&self.phone_number_id, handover)),
            [Ok(answer), ..] => {
                AdapterStep::Done(read_submitted_message(&GraphResponse::new(answer)))
            }
            [Err(why), ..] => AdapterStep::Done(Err(unreachable(why))),
        }
    }

    fn submit(
        &self,
        submission: &TemplateSubmission<'_>,
        _now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<SubmittedTemplate, SubmitError>> {
        match answers {
            [] => match template::submit(&self.waba_id, submission) {
                Ok(asked) => self.step(asked),
                Err(why) => away(&format!("the template's parts cannot be read: {why}")),
            },
            [Ok(answer)] => match template::read_submission(&GraphResponse::new(answer)) {
                Err(SubmitError::Exists) => {
                    self.step(template::find(&self.waba_id, submission.name))
                }
                read => AdapterStep::Done(read),
            },
            [_, Ok(answer), ..] => {
                let (name, language) = (submission.name, submission.language);
                let found = template::read_found(&GraphResponse::new(answer), name, language);
                AdapterStep::Done(found.map(|(external_id, verdict)| SubmittedTemplate {
                    external_id,
                    callbacks: Vec::new(),
                    verdict,
                    reported: true,
                }))
            }
            [Err(why)] | [_, Err(why), ..] => away(why),
        }
    }

    fn edit_template(
        &self,
        edit: &TemplateEdit<'_>,
        _now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Callbacks, SubmitError>> {
        match answers {
            [] => match template::edit(edit) {
                Ok(asked) => self.step(asked),
                Err(why) => away(&format!("the template's parts cannot be read: {why}")),
            },
            [Ok(answer), ..] => {
                let edited = template::read_edited(&GraphResponse::new(answer));
                AdapterStep::Done(edited.map(|()| Vec::new()))
            }
            [Err(why), ..] => away(why),
        }
    }

    fn delete_template(
        &self,
        deletion: &TemplateDeletion<'_>,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        let delete = |external_id: &str| {
            self.step(template::delete(&self.waba_id, deletion.name, external_id))
        };
        let read = |answer| template::read_deleted(&GraphResponse::new(answer));
        match (deletion.external_id, answers) {
            (Some(external_id), []) => delete(external_id),
            (None, []) => self.step(template::find(&self.waba_id, deletion.name)),
            (None, [Ok(listed)]) => {
                let (name, language) = (deletion.name, deletion.language);
                match template::read_listed_id(&GraphResponse::new(listed), name, language) {
                    Ok(Some(external_id)) => delete(&external_id),
                    Ok(None) => AdapterStep::Done(Ok(())),
                    Err(error) => AdapterStep::Done(Err(error)),
                }
            }
            (Some(_), [Ok(answer), ..]) | (None, [_, Ok(answer), ..]) => {
                AdapterStep::Done(read(answer))
            }
            (_, [Err(why), ..] | [_, Err(why), ..]) => away(why),
        }
    }

    fn reports_verdicts(&self) -> bool {
        true
    }

    /// Sends no request, because Meta reports verdicts by itself.
    fn review(
        &self,
        _external_id: &str,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Option<Verdict>, SubmitError>> {
        AdapterStep::Done(Ok(None))
    }

    fn mark_read(
        &self,
        channel_id: &str,
        typing: bool,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        match answers {
            [] => self.step(receipt::mark_read(&self.phone_number_id, channel_id, typing)),
            [Ok(answer), ..] => {
                AdapterStep::Done(receipt::read_marked(&GraphResponse::new(answer)))
            }
            [Err(why), ..] => away(why),
        }
    }

    fn release_thread(
        &self,
        to: &Address,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        match answers {
            [] => self.step(thread_control::release(&self.phone_number_id, to)),
            [Ok(answer), ..] => {
                AdapterStep::Done(thread_control::read_released(&GraphResponse::new(answer)))
            }
            [Err(why), ..] => away(why),
        }
    }

    fn file(
        &self,
        file_id: &str,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<FileAt, SubmitError>> {
        match answers {
            [] => match file::file(file_id, &self.phone_number_id) {
                Some(asked) => self.step(asked),
                None => AdapterStep::Done(Err(SubmitError::Definite(
                    "the file's id is none".to_owned(),
                ))),
            },
            [Ok(answer), ..] => {
                let at = file::read_file(&GraphResponse::new(answer));
                AdapterStep::Done(at.map(|at| {
                    FileAt::Address(FileAddress {
                        url: at.url,
                        authorization: Some(Authorization::Bearer(self.token.clone())),
                        content_type: Some(at.mime_type).filter(|it| !it.is_empty()),
                        sha256: at.sha256,
                    })
                }))
            }
            [Err(why), ..] => away(why),
        }
    }
}

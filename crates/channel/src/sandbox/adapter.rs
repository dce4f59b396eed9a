//! The adapter for accounts in the sandbox. It sends no requests.

use super::reviewer::{review, review_again};
use super::{file, submit_message};
use crate::adapter::{Adapter, FileAt, Needs};
use crate::request::{AdapterStep, ChannelAnswer};
use crate::{
    AcceptedByChannel, Callbacks, ChannelSendError, OutboundMessage, SubmitError,
    SubmittedTemplate, TemplateDeletion, TemplateEdit, TemplateSubmission,
};
use domain::contact::Address;
use domain::template::Verdict;
use domain::time::Timestamp;

/// An account in the sandbox.
pub struct SandboxNumber;

impl Adapter for SandboxNumber {
    /// The text of each message is needed, because the simulated contacts reply to it.
    fn needs(&self) -> Needs {
        Needs { rendered: true, template: false }
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn send(
        &self,
        message: &OutboundMessage<'_>,
        now: Timestamp,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<AcceptedByChannel, ChannelSendError>> {
        AdapterStep::Done(submit_message(message, now))
    }

    fn submit(
        &self,
        submission: &TemplateSubmission<'_>,
        now: Timestamp,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<SubmittedTemplate, SubmitError>> {
        AdapterStep::Done(Ok(review(submission, now)))
    }

    fn edit_template(
        &self,
        edit: &TemplateEdit<'_>,
        now: Timestamp,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Callbacks, SubmitError>> {
        AdapterStep::Done(review_again(edit, now))
    }

    fn delete_template(
        &self,
        _deletion: &TemplateDeletion<'_>,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        AdapterStep::Done(Ok(()))
    }

    fn reports_verdicts(&self) -> bool {
        true
    }

    fn review(
        &self,
        _external_id: &str,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Option<Verdict>, SubmitError>> {
        AdapterStep::Done(Ok(None))
    }

    fn mark_read(
        &self,
        _channel_id: &str,
        _typing: bool,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        AdapterStep::Done(Ok(()))
    }

    fn release_thread(
        &self,
        _to: &Address,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>> {
        AdapterStep::Done(Err(SubmitError::Definite(
            "the channel has no agent of its own".to_owned(),
        )))
    }

    fn file(
        &self,
        file_id: &str,
        _answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<FileAt, SubmitError>> {
        let gone = || SubmitError::Definite("the sandbox has no such file".to_owned());
        AdapterStep::Done(file(file_id).ok_or_else(gone))
    }
}

//! The client of the channel behind a number: the only place that chooses the adapter.

use crate::Deps;
use channel::cloud_api::{self, GraphRequest};
use channel::{
    AcceptedByChannel, OutboundMessage, SendError, SubmitError, SubmittedTemplate,
    TemplateSubmission, sandbox,
};
use domain::account::ChannelKind;
use domain::message::{DeliveryError, Failure};
use domain::template::Verdict;
use domain::time::Timestamp;
use persistence::rows::ChannelAccess;

/// A client of the channel.
pub enum ChannelClient {
    /// The built-in sandbox.
    Sandbox,
    /// Meta's Cloud API.
    CloudApi(CloudNumber),
}

/// A number's ids and token at the Cloud API.
pub struct CloudNumber {
    /// The API's id of the number.
    pub phone_number_id: String,
    /// The API's id of the business.
    pub waba_id: String,
    /// The access token.
    pub token: String,
}

/// A submitted template, and the reviewer's verdict if there is one.
pub type SubmittedWithVerdict = (SubmittedTemplate, Option<Verdict>);

impl ChannelClient {
    /// The client of a number. Fails only if the operator changed the encryption key or the row.
    pub fn of(deps: &Deps, access: &ChannelAccess) -> Result<Self, String> {
        if *access.channel == ChannelKind::Sandbox {
            return Ok(Self::Sandbox);
        }
        let missing = || "the number has no ids or no token for the Cloud API".to_owned();
        let sealed = access.access_token.as_ref().ok_or_else(missing)?;
        let token = deps.sealing.open(sealed, &access.id.to_string());
        Ok(Self::CloudApi(CloudNumber {
            phone_number_id: access.phone_number_id.clone().ok_or_else(missing)?,
            waba_id: access.waba_id.clone().ok_or_else(missing)?,
            token: token.map_err(|error| error.to_string())?,
        }))
    }

    /// Submits a message.
    pub async fn submit_message(
        &self,
        deps: &Deps,
        handover: &OutboundMessage<'_>,
        now: Timestamp,
    ) -> Result<AcceptedByChannel, SendError> {
        let Self::CloudApi(line) = self else { return sandbox::submit_message(handover, now) };
        let asked = cloud_api::submit_message(&line.phone_number_id, handover);
        match line.ask(deps, &asked).await {
            Ok(answer) => {
                let handed = cloud_api::read_submitted_message(&answer.read());
                if matches!(&handed, Ok(AcceptedByChannel { channel_id: None, .. })) {
                    let message = handover.message;
                    tracing::warn!(%message, "the channel took a message, and its answer cannot be read");
                }
                handed
            }
            Err(why) => Err(cloud_api::unreachable(why)),
        }
    }

    /// Submits a template for review. If the reviewer already has it, an earlier response got lost, and the
    /// template is looked up.
    pub async fn submit(
        &self,
        deps: &Deps,
        submission: &TemplateSubmission<'_>,
        now: Timestamp,
    ) -> Result<SubmittedWithVerdict, SubmitError> {
        let Self::CloudApi(line) = self else {
            return Ok((sandbox::review(submission, now), None));
        };
        let away = |why| SubmitError::Later { after: None, why };
        let asked = cloud_api::submit(&line.waba_id, submission);
        let answer = line.ask(deps, &asked).await.map_err(away)?;
        match cloud_api::read_submission(&answer.read()) {
            Err(SubmitError::Exists) => {}
            read => return read.map(|submitted| (submitted, None)),
        }
        let asked = cloud_api::find(&line.waba_id, submission.name);
        let answer = line.ask(deps, &asked).await.map_err(away)?;
        let (name, language) = (submission.name, submission.language);
        let (external_id, verdict) = cloud_api::read_found(&answer.read(), name, language)?;
        Ok((SubmittedTemplate { external_id, callbacks: Vec::new() }, verdict))
    }
}

impl CloudNumber {
    /// Asks the API; the error says why there is no answer.
    pub async fn ask(
        &self,
        deps: &Deps,
        asked: &GraphRequest,
    ) -> Result<crate::outbound::GraphAnswer, String> {
        let answer = deps.outbound.graph.ask(asked, &self.token).await;
        let outcome = if answer.is_ok() { "answered" } else { "unanswered" };
        metrics::counter!("channel_calls_total", "outcome" => outcome).increment(1);
        answer
    }
}

/// A number without a client is an operational error: its messages wait for the operator.
pub fn missing(why: &str) -> SendError {
    tracing::error!(why, "a number cannot be reached");
    let message = "The number cannot reach the channel; its operator has to look at it.".to_owned();
    let error = DeliveryError { failure: Failure::ChannelError, message, channel_code: None };
    SendError::Later { after: None, error }
}

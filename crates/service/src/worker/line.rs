//! The line to the channel behind a number: the one place that knows which adapter that is.

use crate::Deps;
use channel::cloud_api::{self, Asked};
use channel::{Handed, Handover, Refusal, Setback, Submission, Submitted, sandbox};
use domain::account::ChannelKind;
use domain::message::{DeliveryError, Failure};
use domain::template::Verdict;
use domain::time::Timestamp;
use persistence::rows::Access;

/// A line to the channel.
pub enum Line {
    /// No network at all.
    Sandbox,
    /// Meta's Cloud API.
    CloudApi(CloudLine),
}

/// A number's place at the Cloud API.
pub struct CloudLine {
    /// The API's id of the number.
    pub phone_number_id: String,
    /// The API's id of the business.
    pub waba_id: String,
    /// What speaks for it.
    pub token: String,
}

/// A template with the reviewer, and what the reviewer has said already.
pub type WithReviewer = (Submitted, Option<Verdict>);

impl Line {
    /// The line of a number. It can only be missing when the operator changed something behind our
    /// back: the key that seals, or the row.
    pub fn of(deps: &Deps, access: &Access) -> Result<Self, String> {
        if *access.channel == ChannelKind::Sandbox {
            return Ok(Self::Sandbox);
        }
        let missing = || "the number has no ids or no token for the Cloud API".to_owned();
        let sealed = access.access_token.as_ref().ok_or_else(missing)?;
        let token = deps.sealing.open(sealed, &access.id.to_string());
        Ok(Self::CloudApi(CloudLine {
            phone_number_id: access.phone_number_id.clone().ok_or_else(missing)?,
            waba_id: access.waba_id.clone().ok_or_else(missing)?,
            token: token.map_err(|error| error.to_string())?,
        }))
    }

    /// Hands a message over.
    pub async fn hand_over(
        &self,
        deps: &Deps,
        handover: &Handover<'_>,
        now: Timestamp,
    ) -> Result<Handed, Refusal> {
        let Self::CloudApi(line) = self else { return sandbox::hand_over(handover, now) };
        let asked = cloud_api::hand_over(&line.phone_number_id, handover);
        match line.ask(deps, &asked).await {
            Ok(answer) => {
                let handed = cloud_api::read_handover(&answer.read());
                if matches!(&handed, Ok(Handed { channel_id: None, .. })) {
                    let message = handover.message;
                    tracing::warn!(%message, "the channel took a message, and its answer cannot be read");
                }
                handed
            }
            Err(why) => Err(cloud_api::unreachable(why)),
        }
    }

    /// Hands a template to the reviewer. One that the reviewer has already was handed in before, and
    /// the answer got lost: then it is looked up.
    pub async fn submit(
        &self,
        deps: &Deps,
        submission: &Submission<'_>,
        now: Timestamp,
    ) -> Result<WithReviewer, Setback> {
        let Self::CloudApi(line) = self else {
            return Ok((sandbox::review(submission, now), None));
        };
        let away = |why| Setback::Later { after: None, why };
        let asked = cloud_api::submit(&line.waba_id, submission);
        let answer = line.ask(deps, &asked).await.map_err(away)?;
        match cloud_api::read_submission(&answer.read()) {
            Err(Setback::Exists) => {}
            read => return read.map(|submitted| (submitted, None)),
        }
        let asked = cloud_api::find(&line.waba_id, submission.name);
        let answer = line.ask(deps, &asked).await.map_err(away)?;
        let (name, language) = (submission.name, submission.language);
        let (external_id, verdict) = cloud_api::read_found(&answer.read(), name, language)?;
        Ok((Submitted { external_id, callbacks: Vec::new() }, verdict))
    }
}

impl CloudLine {
    /// Asks the API; the error says why there is no answer.
    pub async fn ask(
        &self,
        deps: &Deps,
        asked: &Asked,
    ) -> Result<crate::outbound::GraphAnswer, String> {
        let answer = deps.outbound.graph.ask(asked, &self.token).await;
        let outcome = if answer.is_ok() { "answered" } else { "unanswered" };
        metrics::counter!("channel_calls_total", "outcome" => outcome).increment(1);
        answer
    }
}

/// A line that is missing is a trouble of ours: messages wait for the operator.
pub fn missing(why: &str) -> Refusal {
    tracing::error!(why, "a number cannot be reached");
    let message = "The number cannot reach the channel; its operator has to look at it.".to_owned();
    let error = DeliveryError { failure: Failure::ChannelError, message, channel_code: None };
    Refusal::Later { after: None, error }
}

//! `DELETE /api/v1/messages/{id}` (`docs/contract.md#send-later`).

use super::accept::scheduled_message;
use super::get::MessagePath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use domain::id::MessageId;
use domain::message::ScheduleState;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::ScheduledMessageData;
use persistence::records::CancelOutcome;
use service::{conversations, sending};

/// Cancels a scheduled message.
pub struct CancelMessage;

impl Operation for CancelMessage {
    const ID: &'static str = "cancel_message";
    const SUMMARY: &'static str = "Cancel a scheduled message.";
    const DESCRIPTION: &'static str = "\
Cancels a message with `send_at` that has not been sent, and records `message.canceled`. If its time comes at the same
moment, either it is canceled or it is sent: a message that was sent, or canceled before, is a 409 `not_cancelable`.";
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/api/v1/messages/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound, Code::NotCancelable];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = MessagePath;
    type Input = Nothing;
    type Reply = ScheduledMessageData;

    fn example() -> ExampleOf<Self> {
        let reply = ScheduledMessageData::from(&sample::scheduled_message(ScheduleState::Canceled));
        Example { path: MessagePath::sample(sample::SCHEDULED), input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ScheduledMessageData>, Problem> {
        call.parse(|_, _| Some(()))?;
        let unknown = || Problem::not_found("message");
        let id: MessageId = call.path.id().parse().map_err(|_| unknown())?;
        let (organization, account) = (call.organization(), call.bound_account());
        match sending::cancel(&call.deps, organization, account, id).await? {
            CancelOutcome::Canceled(row) => {
                let unreadable = || Problem::internal("a scheduled message cannot be shown");
                let canceled = scheduled_message(&row).ok_or_else(unreadable)?;
                Answer::new(Self::SUCCESS, &canceled)
            }
            CancelOutcome::CanceledBefore => Err(Problem::not_cancelable()),
            CancelOutcome::NotScheduled => {
                let found = conversations::message(&call.deps, call.caller.reader(), account, id);
                found.await?.ok_or_else(unknown)?;
                Err(Problem::not_cancelable())
            }
        }
    }
}

//! `POST /api/v1/messages` (`docs/contract.md#send-a-message`).

use super::accept::{Accepted, SendReply, accept, uploaded_as};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation, Variant};
use actix_web::http::{Method, StatusCode};
use api_types::send::SendMessageBody;
use api_types::send_examples::{self, SendExample};
use domain::content::ContentType;
use domain::conversation::Warning;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::{Schema, SchemaGenerator};

/// Sends a message.
pub struct SendMessage;

impl Operation for SendMessage {
    const ID: &'static str = "send_message";
    const SUMMARY: &'static str = "Send a message.";
    const DESCRIPTION: &'static str = "\
Sends a text, a file, buttons, a list, a link, a template, a location, contact cards, a reaction or another message of
the channel to one recipient. The message is sent from the number that the key is bound to, or else from the
organization's default number. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`;
a new phone number or user id creates a contact and a conversation. The message is sent to the contact's phone number if
it is known, and to the user id otherwise.

The response is sent as soon as the message is stored durably. The messages of a conversation are then sent to the
channel in order. Follow them with the events `message.sent`, `message.delivered`, `message.read` and `message.failed`,
or by getting the message. A free-form message pauses the AI agent in that conversation; a template leaves it running.

Interactive messages and contact cards are in Meta's format. A `reaction` is on a message of the same conversation. To
send a message that the channel supports and this version does not, use the type `channel`: its body is passed on
unchanged. Leave out the recipient, the context and the tracking fields, which the service adds.

With `as` set to `agent`, your own AI agent answers. This needs the scope `agent.reply`, and no other one; all other
messages need `messages.send`. The agent's answer does not pause the agent. It is a 409 `agent_paused` if a person has
taken the conversation over, and nothing is sent. The same is true if the agent has reached a limit, or if the contact
seems to be a program; both also pause the agent. With `after_message_id`, the message of the contact that the agent
answers, it is a 409 `superseded` if the contact has written again in the meantime.

With `send_at`, the message waits until then: the response is a 201 with the status `scheduled`, and the message can be
canceled. The customer service window, the template and the plan's limits are judged when its time comes; a message that
is refused then has the status `failed`. With `fallback_template`, that template is sent instead of a free-form message
if the window is closed, and `warnings` has `fallback_used`.

`window_closed` in `warnings` means that the recipient has not written in the last 24 hours, so the channel may reject a
free-form message. With `dry_run` the request is only validated: nothing is sent, stored or counted as a message, and
the response is a 200 with the text that the recipient would see.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages";
    const ACCESS: Required<KeyHolder> =
        KeyHolder::with_either(Scope::MessagesSend, Scope::AgentReply);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = &[
        Code::PlanLimitExceeded,
        Code::NotFound,
        Code::AgentPaused,
        Code::Superseded,
        Code::TemplateNotApproved,
        Code::TemplateParamsMismatch,
        Code::NotSupportedByChannel,
        Code::PhoneNumberRequired,
        Code::RecipientOptedOut,
        Code::NoMessagingAccount,
    ];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendMessageBody;
    type Reply = SendReply;

    fn example() -> ExampleOf<Self> {
        let input = send_examples::text();
        let warnings = [Warning::WindowClosed];
        let reply = Accepted::sample(ContentType::Text, input.client_ref.as_deref(), &warnings);
        Example { path: Nothing {}, input: Some(input), reply }
    }

    fn variants() -> Vec<Variant<SendMessageBody>> {
        let variant = |it: SendExample| Variant { name: it.name, title: it.title, input: it.body };
        send_examples::examples().into_iter().map(variant).collect()
    }

    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        SendReply::by_status(schemas)
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SendReply>, Problem> {
        let is_agents = call.input.send_as.is_some();
        call.require(if is_agents { Scope::AgentReply } else { Scope::MessagesSend })?;
        let organization = call.organization();
        let uploaded_as = uploaded_as(&call.deps, organization, &call.input).await?;
        let prepared = call.parse(|body, faults| body.prepare(uploaded_as, faults))?;
        accept(&call, prepared).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed_bodies::{changed, changes, is_read_or_refused};
    use proptest::prelude::*;

    proptest! {
        /// Each example of the reference is read or rejected after random changes.
        #[test]
        fn whatever_is_sent_is_read_or_refused(which: usize, changes in changes()) {
            let first = SendMessage::example().input.into_iter();
            let mut bodies: Vec<_> = first.chain(SendMessage::variants().into_iter().map(|it| it.input)).collect();
            let body = bodies.swap_remove(which % bodies.len());
            let body = changed(serde_json::to_value(body).unwrap(), &changes);
            is_read_or_refused(&body, |body: &SendMessageBody, faults| body.prepare(None, faults))?;
        }
    }
}

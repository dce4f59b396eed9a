//! `POST /api/v1/messages/template` (`docs/contract.md#send-a-template`).

use super::accept::{Accepted, PROBLEMS, SendReply, accept};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::components::{self, ComponentWire, MAX_COMPONENTS};
use api_types::object::Object;
use api_types::sample;
use api_types::schema::{
    IdOf, Instant, LanguageText, LooseNumber, Metadata, OneOf, TemplateNameText,
};
use api_types::send::{PreparedSend, SendOptions, pauses_agent, send_at};
use domain::content::{Content, ContentType, TemplateContent};
use domain::conversation::AgentChange;
use domain::id;
use domain::message::{MAX_CLIENT_REF_LENGTH, Recipient};
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sends a template.
pub struct SendTemplate;

/// A template to send.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SendTemplate")]
pub struct SendTemplateBody {
    /// The recipient's phone number; a new one creates a contact and a conversation.
    #[schemars(required, with = "LooseNumber")]
    to: Option<String>,
    /// The template's name.
    #[schemars(required, with = "TemplateNameText")]
    template_name: Option<String>,
    /// The template's language, such as `en` or `en_US`.
    #[schemars(required, with = "LanguageText")]
    language: Option<String>,
    /// The template's parameters.
    #[schemars(length(max = MAX_COMPONENTS))]
    components: Option<Vec<Object<ComponentWire>>>,
    /// The id of the message to reply to, in the same conversation.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    reply_to: Option<String>,
    /// Your own reference for the message; it is included in history and events.
    #[schemars(length(min = 1, max = MAX_CLIENT_REF_LENGTH))]
    client_ref: Option<String>,
    /// Your own key-value pairs.
    #[schemars(with = "Option<Metadata>")]
    metadata: Option<BTreeMap<String, String>>,
    /// `paused` to pause the AI agent with this message, so that people answer what comes back.
    #[schemars(with = "Option<OneOf<AgentChange>>")]
    agent: Option<String>,
    /// When to send the message, at most 30 days ahead. Until then its status is `scheduled`, and it can be canceled.
    #[schemars(with = "Option<Instant>")]
    send_at: Option<String>,
    /// Whether to only validate the request: nothing is sent, stored or counted as a message.
    dry_run: Option<bool>,
}

impl Operation for SendTemplate {
    const ID: &'static str = "send_template";
    const SUMMARY: &'static str = "Send a template.";
    const DESCRIPTION: &'static str = "\
A shorter form of sending a message of type `template`, with the same response.

If the service knows the template, it rejects the request if the template is not approved or the parameters do not match
it. A template that the service does not know is passed to the channel, which decides.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages/template";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = PROBLEMS;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendTemplateBody;
    type Reply = SendReply;

    fn example() -> ExampleOf<Self> {
        let input = SendTemplateBody {
            to: Some(sample::CONTACT_NUMBER.to_owned()),
            template_name: Some(sample::TEMPLATE_NAME.to_owned()),
            language: Some(sample::LANGUAGE.to_owned()),
            components: Some(vec![Object(components::sample::body(&["Ada", "1042"]))]),
            ..SendTemplateBody::default()
        };
        let reply = Accepted::sample(ContentType::Template, None, &[]);
        Example { path: Nothing {}, input: Some(input), reply }
    }

    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        SendReply::by_status(schemas)
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SendReply>, Problem> {
        let prepared = call.parse(SendTemplateBody::prepare)?;
        accept(&call, prepared).await
    }
}

impl SendTemplateBody {
    fn prepare(&self, faults: &mut Violations) -> Option<PreparedSend> {
        let to = Field::root("to");
        let recipient = faults.require(&to, self.to.as_deref());
        let recipient = recipient.and_then(|text| Recipient::phone(&to, text, faults));
        let (components, cards) =
            components::parse(self.components.as_deref().unwrap_or_default(), faults);
        let (name, language) = (self.template_name.as_deref(), self.language.as_deref());
        let content = TemplateContent::parse(name, language, components, cards, faults)
            .map(Content::Template);
        let options = SendOptions {
            reply_to: self.reply_to.as_deref(),
            client_ref: self.client_ref.as_deref(),
            metadata: self.metadata.as_ref(),
        };
        let pauses_agent = pauses_agent(self.agent.as_deref(), faults);
        let send_at = send_at(self.send_at.as_deref(), faults);
        let draft = options.draft(recipient, content, faults)?;
        let dry_run = self.dry_run.unwrap_or_default();
        Some(PreparedSend { draft, agent_answer: None, pauses_agent, send_at, dry_run })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed_bodies::{changed, changes, is_read_or_refused};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_sent_is_read_or_refused(changes in changes()) {
            let body = serde_json::to_value(SendTemplate::example().input).unwrap();
            is_read_or_refused(&changed(body, &changes), SendTemplateBody::prepare)?;
        }
    }
}

//! `POST /api/v1/messages/template` (`docs/contract.md#send-a-template`).

use super::accept::{Options, PROBLEMS, Prepared, SendReply, accept};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation, write};
use actix_web::http::{Method, StatusCode};
use domain::content::{Content, TemplateContent};
use domain::id;
use domain::message::{MAX_CLIENT_REF_LENGTH, Recipient};
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::collections::BTreeMap;
use web_core::problem::{Code, Problem};
use wire::components::{self, ComponentWire, MAX_COMPONENTS};
use wire::content::TemplateDocument;
use wire::object::Object;
use wire::schema::{IdOf, LanguageText, LooseNumber, Metadata, TemplateNameText};

/// Sends a template.
pub struct SendTemplate;

/// A template to send.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "SendTemplate")]
pub struct SendTemplateBody {
    /// The person's number; a new one makes a contact and a conversation.
    #[schemars(required, with = "LooseNumber")]
    to: Option<String>,
    /// The template's name.
    #[schemars(required, with = "TemplateNameText")]
    template_name: Option<String>,
    /// Its language, such as `en` or `en_US`.
    #[schemars(required, with = "LanguageText")]
    language: Option<String>,
    /// What fills it in.
    #[schemars(length(max = MAX_COMPONENTS))]
    components: Option<Vec<Object<ComponentWire>>>,
    /// The message that this one answers.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    reply_to: Option<String>,
    /// Your own name for it; history and events give it back.
    #[schemars(length(min = 1, max = MAX_CLIENT_REF_LENGTH))]
    client_ref: Option<String>,
    /// Your own notes on it.
    #[schemars(with = "Option<Metadata>")]
    metadata: Option<BTreeMap<String, String>>,
    /// Whether to check only: nothing is sent, stored or counted as a message.
    dry_run: Option<bool>,
}

impl Operation for SendTemplate {
    const ID: &'static str = "send_template";
    const SUMMARY: &'static str = "Send a template.";
    const DESCRIPTION: &'static str = "\
The same as a message of type `template`, in a shorter form: the same pipeline, and the same answer.

A template that is known here is checked before anything leaves: one that is not approved, or parameters
that do not fit it, are refused. One that was never synced is passed through, and the channel decides.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{
  "to": "+12025550100",
  "template_name": "order_shipped",
  "language": "en_US",
  "components": [
    {
      "type": "body",
      "parameters": [
        { "type": "text", "text": "Ada" },
        { "type": "text", "text": "1042" }
      ]
    }
  ]
}"#,
        reply: r#"{
  "id": "msg_01jd7qkz5tefrs7nn4j9m2h8xa",
  "status": "queued",
  "direction": "outbound",
  "type": "template",
  "conversation_id": "conv_01jd7qkz5rfjqv6m0c1w8y4b2t",
  "contact_id": "ctc_01jd7qkz5refa9k3x7d5s2n0pg",
  "account_id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
  "phone_number": "+12025550100",
  "channel_message_id": null,
  "client_ref": null,
  "warnings": [],
  "created_at": "2026-11-21T12:00:00.000Z"
}"#,
    };
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages/template";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = PROBLEMS;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendTemplateBody;
    type Reply = SendReply;

    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        SendReply::by_status(schemas)
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SendReply>, Problem> {
        let prepared = call.parse(SendTemplateBody::prepare)?;
        accept(&call, prepared).await
    }
}

impl SendTemplateBody {
    fn prepare(&self, faults: &mut Violations) -> Option<Prepared> {
        let to = Field::root("to");
        let recipient = faults.require(&to, self.to.as_deref());
        let recipient = recipient.and_then(|text| Recipient::phone(&to, text, faults));
        let parts = components::parse(self.components.as_deref().unwrap_or_default(), faults);
        let (name, language) = (self.template_name.as_deref(), self.language.as_deref());
        let content = TemplateContent::parse(name, language, parts, faults).map(Content::Template);
        let options = Options {
            reply_to: self.reply_to.as_deref(),
            client_ref: self.client_ref.as_deref(),
            metadata: self.metadata.as_ref(),
        };
        let draft = options.draft(recipient, content, faults)?;
        let document = write(&TemplateDocument {
            name: self.template_name.clone(),
            language: self.language.clone(),
            components: self.components.clone().unwrap_or_default(),
        });
        Some(Prepared {
            draft,
            document: document.ok()?,
            dry_run: self.dry_run.unwrap_or_default(),
        })
    }
}

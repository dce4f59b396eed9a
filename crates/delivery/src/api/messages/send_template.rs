//! `POST /api/v1/messages/template` (`service.md` 4.2).

use super::accept::{Options, Prepared, SendReply, accept};
use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation, write};
use crate::problem::{Code, Problem};
use crate::wire::components::{self, ComponentWire};
use crate::wire::content::TemplateDocument;
use crate::wire::object::Object;
use actix_web::http::{Method, StatusCode};
use domain::content::{Content, TemplateContent};
use domain::message::Recipient;
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Sends a template.
pub struct SendTemplate;

/// A template to send.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct SendTemplateBody {
    /// The person's number; a new one makes a contact and a conversation.
    to: Option<String>,
    /// The template's name.
    template_name: Option<String>,
    /// Its language, such as `en` or `en_US`.
    language: Option<String>,
    /// What fills it in.
    components: Option<Vec<Object<ComponentWire>>>,
    /// The message that this one answers.
    reply_to: Option<String>,
    /// Your own name for it, at most 512 characters; history and events give it back.
    client_ref: Option<String>,
    /// Your own notes on it: at most 20 keys of at most 40 characters, values of at most 500.
    metadata: Option<BTreeMap<String, String>>,
    /// Whether to check only: nothing is sent, stored or counted as a message.
    dry_run: Option<bool>,
}

impl Operation for SendTemplate {
    const ID: &'static str = "send_template";
    const SUMMARY: &'static str = "Send a template.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages/template";
    const ACCESS: Access = Access::Key(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = super::send::SendMessage::PROBLEMS;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendTemplateBody;
    type Reply = SendReply;

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

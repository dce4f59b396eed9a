//! Interactive messages with a button that opens a flow. A flow is a form on the channel.

use crate::content::parameter::MAX_REFERENCE_LENGTH;
use crate::keyword::keywords;
use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the label of the button that opens a flow.
pub const MAX_FLOW_LABEL_LENGTH: usize = 30;
/// The only version of Meta's flow messages that a message may name. A message may also name none.
pub const FLOW_MESSAGE_VERSION: &str = "3";

keywords! {
    /// The state of a flow. A message can demand that the flow is in this state.
    pub enum FlowMode {
        Published = "published",
        /// The flow is a draft. Drafts are for tests.
        Draft = "draft",
    }
}

keywords! {
    /// The place at which a flow begins.
    pub enum FlowStart {
        /// The flow begins at a screen that the message names.
        Navigate = "navigate",
        /// The flow begins at a screen that the organization's own endpoint chooses.
        DataExchange = "data_exchange",
    }
}

/// A reference to the flow that a button opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowRef {
    /// The channel's id of the flow.
    Id(String),
    /// The name of the flow.
    Name(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowAction {
    pub flow: FlowRef,
    /// The label of the button that opens the flow.
    pub label: String,
    /// The sender's own token. It identifies this use of the flow.
    pub token: Option<String>,
    /// The state in which the flow must be. If it is not set, the flow must be published.
    pub mode: Option<FlowMode>,
    /// The place at which the flow begins. If it is not set, the flow begins at a screen that the
    /// message names.
    pub start: Option<FlowStart>,
    pub screen: Option<String>,
    /// The data that the first screen shows: a JSON object.
    pub data: Option<String>,
}

/// The fields of a request that describe a flow, before they are checked.
#[derive(Clone, Debug, Default)]
pub struct FlowInput<'a> {
    /// The field `flow_message_version`.
    pub version: Option<&'a str>,
    /// The field `flow_id`.
    pub id: Option<&'a str>,
    /// The field `flow_name`.
    pub name: Option<&'a str>,
    /// The field `flow_cta`: the label of the button.
    pub label: Option<&'a str>,
    /// The field `flow_token`.
    pub token: Option<&'a str>,
    pub mode: Option<&'a str>,
    /// The field `flow_action`.
    pub start: Option<&'a str>,
    /// Whether the request has the field `flow_action_payload`.
    pub has_payload: bool,
    /// The field `flow_action_payload.screen`.
    pub screen: Option<&'a str>,
    /// The field `flow_action_payload.data` as JSON text. The `bool` says whether that JSON object
    /// has any fields.
    pub data: Option<(String, bool)>,
}

impl FlowAction {
    /// Parses the fields that describe a flow.
    pub fn parse(at: &Field<'_>, given: FlowInput<'_>, faults: &mut Violations) -> Option<Self> {
        if given.version.is_some_and(|it| it != FLOW_MESSAGE_VERSION) {
            let message = format!("must be {FLOW_MESSAGE_VERSION}");
            faults.add(&at.key("flow_message_version"), Fault::NotOneOf, message);
        }
        let flow = match (given.id, given.name) {
            (Some(id), None) => {
                faults.text(&at.key("flow_id"), id, MAX_REFERENCE_LENGTH).map(FlowRef::Id)
            }
            (None, Some(name)) => {
                faults.text(&at.key("flow_name"), name, MAX_REFERENCE_LENGTH).map(FlowRef::Name)
            }
            (id, _) => {
                let fault = if id.is_none() { Fault::Required } else { Fault::NotAllowed };
                let message = "exactly one of flow_id and flow_name is required";
                faults.add(&at.key("flow_id"), fault, message);
                None
            }
        };
        let label = faults.required_text(&at.key("flow_cta"), given.label, MAX_FLOW_LABEL_LENGTH);
        let token = faults.optional_text(&at.key("flow_token"), given.token, MAX_REFERENCE_LENGTH);
        let mode = given.mode.and_then(|word| faults.word(&at.key("mode"), word));
        let start = given.start.and_then(|word| faults.word(&at.key("flow_action"), word));
        let payload = at.key("flow_action_payload");
        if start == Some(FlowStart::DataExchange) && given.has_payload {
            faults.add(
                &payload,
                Fault::NotAllowed,
                "is not allowed with flow_action data_exchange",
            );
        }
        let screen =
            faults.optional_text(&payload.key("screen"), given.screen, MAX_REFERENCE_LENGTH);
        if given.data.as_ref().is_some_and(|(_, has_fields)| !has_fields) {
            faults.add(&payload.key("data"), Fault::Empty, "must not be empty");
        }
        let data = given.data.map(|(json, _)| json);
        Some(Self { flow: flow?, label: label?, token, mode, start, screen, data })
    }
}

//! Interactive messages with a button that opens a flow. A flow is a form on the channel.

use crate::content::parameter::MAX_REFERENCE_LENGTH;
use crate::keyword::keywords;
use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the label of the button that opens a flow.
pub const MAX_FLOW_LABEL_LENGTH: usize = 30;
/// The version of the channel's flow messages.
pub const FLOW_MESSAGE_VERSION: &str = "3";

keywords! {
    /// The state that a flow must have so that it can be opened.
    pub enum FlowMode {
        Published = "published",
        /// A draft, for tests.
        Draft = "draft",
    }
}

keywords! {
    /// The way in which a flow begins.
    pub enum FlowStart {
        /// A screen named in the message.
        Navigate = "navigate",
        /// A screen that the organization's own endpoint chooses.
        DataExchange = "data_exchange",
    }
}

/// The flow to open.
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
    /// The label of the button.
    pub label: String,
    /// The sender's own token for this use of the flow.
    pub token: Option<String>,
    /// The state that the flow must have. Without it, the flow must be published.
    pub mode: Option<FlowMode>,
    /// The way in which the flow begins. Without it, the flow begins at a screen.
    pub start: Option<FlowStart>,
    pub screen: Option<String>,
    /// The data for the first screen: a JSON object.
    pub data: Option<String>,
}

/// The parameters of a flow before they are checked.
#[derive(Clone, Debug, Default)]
pub struct FlowInput<'a> {
    /// `flow_message_version`.
    pub version: Option<&'a str>,
    /// `flow_id`.
    pub id: Option<&'a str>,
    /// `flow_name`.
    pub name: Option<&'a str>,
    /// `flow_cta`.
    pub label: Option<&'a str>,
    /// `flow_token`.
    pub token: Option<&'a str>,
    pub mode: Option<&'a str>,
    /// `flow_action`.
    pub start: Option<&'a str>,
    /// Whether there is a `flow_action_payload`.
    pub has_payload: bool,
    /// `flow_action_payload.screen`.
    pub screen: Option<&'a str>,
    /// `flow_action_payload.data` as JSON, and whether it has any fields.
    pub data: Option<(String, bool)>,
}

impl FlowAction {
    /// Parses the parameters of a flow.
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

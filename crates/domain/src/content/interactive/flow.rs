//! A button that opens a flow: a form of the channel's.

use crate::content::parameter::MAX_REFERENCE_LENGTH;
use crate::keyword::keywords;
use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the label of the button that opens a flow.
pub const MAX_FLOW_LABEL_LENGTH: usize = 30;
/// The version of the channel's messages of flows.
pub const FLOW_MESSAGE_VERSION: &str = "3";

keywords! {
    /// Which flows can be opened.
    pub enum FlowMode {
        /// One that is published.
        Published = "published",
        /// One that is tried out.
        Draft = "draft",
    }
}

keywords! {
    /// How a flow begins.
    pub enum FlowStart {
        /// At a screen.
        Navigate = "navigate",
        /// Where the business's own endpoint says.
        DataExchange = "data_exchange",
    }
}

/// Which flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowRef {
    /// By the channel's id.
    Id(String),
    /// By its name.
    Name(String),
}

/// A button that opens a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowAction {
    /// Which flow.
    pub flow: FlowRef,
    /// What the button says.
    pub label: String,
    /// The sender's own name for this use of it.
    pub token: Option<String>,
    /// Whether it is published; it is where nothing is said.
    pub mode: Option<FlowMode>,
    /// How it begins; at a screen where nothing is said.
    pub start: Option<FlowStart>,
    /// The first screen.
    pub screen: Option<String>,
    /// What the first screen gets: a JSON object.
    pub data: Option<String>,
}

/// The parameters of a flow as they came in.
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
    /// `mode`.
    pub mode: Option<&'a str>,
    /// `flow_action`.
    pub start: Option<&'a str>,
    /// Whether there is a `flow_action_payload`.
    pub has_payload: bool,
    /// `flow_action_payload.screen`.
    pub screen: Option<&'a str>,
    /// `flow_action_payload.data`, and whether it holds anything.
    pub data: Option<(String, bool)>,
}

impl FlowAction {
    /// Reads the parameters of a flow.
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

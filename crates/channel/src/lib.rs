//! The messaging network behind a number.
//!
//! One port, [`adapter::Adapter`], for what we ask of a network, and one, [`receiver::Receiver`], for how it calls us. Each
//! network is a folder with everything of its own; [`registry`] alone chooses among them.
//!
//! Nothing here does I/O: an adapter makes requests and reads answers as values, and whoever drives it transports them.

pub mod adapter;
pub mod callback;
pub mod capabilities;
pub mod cloud_api;
pub mod receiver;
pub mod registry;
pub mod request;
pub mod sandbox;
pub mod twilio;

use domain::account::HealthReason;
use domain::contact::{Address, Identity};
use domain::content::Content;
use domain::id::{AccountId, MessageId, TemplateId};
use domain::message::DeliveryError;
use domain::template::{Category, ParameterFormat, Verdict};
use std::time::Duration;

/// A message that is handed to the network.
#[derive(Clone, Debug)]
pub struct OutboundMessage<'a> {
    /// Our id, which the network gives back with each report.
    pub message: MessageId,
    /// The number it leaves from.
    pub account: AccountId,
    /// Where it goes.
    pub to: &'a Address,
    /// What it says.
    pub content: &'a Content,
    /// What a person would read; nothing of a template that nobody has made.
    pub rendered: Option<&'a str>,
    /// The template that it names, where the network needs it and it was made here.
    pub template: Option<KnownTemplate<'a>>,
    /// The network's id of the message that it answers.
    pub answers: Option<&'a str>,
    /// How often it was tried before.
    pub attempts: u32,
}

/// A template as it was made.
#[derive(Clone, Copy, Debug)]
pub struct KnownTemplate<'a> {
    /// The reviewer's id of it.
    pub external_id: Option<&'a str>,
    /// Its parts, in Meta's shape, as JSON.
    pub components: &'a str,
}

/// Callbacks that are to be taken as received so much later. Only the sandbox, which has no other way
/// to report, gives any.
pub type Callbacks = Vec<(Duration, String)>;

/// The network has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedByChannel {
    /// The network's id of the message; none if it said that it has the message, and nothing more that could be
    /// read. Its reports then find the message by our id.
    pub channel_id: Option<String>,
    /// How it names the person whom it goes to, if it says so: perhaps by another form of the number.
    pub recipient: Option<Box<Identity>>,
    /// What it is going to report.
    pub callbacks: Callbacks,
}

/// Maximum number of bytes in a network's id of a message: a longer one fits in no index of PostgreSQL's.
const MAX_CHANNEL_ID_BYTES: usize = 512;

/// An id of a network's that a database can keep: PostgreSQL keeps no NUL. One that it cannot is as good as none; or
/// the message, which has been taken, would be handed over again and again.
fn keepable_id(id: String) -> Option<String> {
    let is_keepable = (1..=MAX_CHANNEL_ID_BYTES).contains(&id.len()) && !id.contains('\0');
    is_keepable.then_some(id)
}

/// What is to have fewer messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedLimit {
    /// The number.
    Number,
    /// The number and this person.
    Pair,
}

/// The network does not have it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Nor will it ever.
    #[error("the channel refused the message: {}", .0.message)]
    Definite(DeliveryError),
    /// It may later, and perhaps said when.
    #[error("the channel cannot take the message now: {}", .error.message)]
    Later {
        /// How long it asked us to wait.
        after: Option<Duration>,
        /// What it said.
        error: DeliveryError,
    },
    /// It may later: it wants fewer messages.
    #[error("the channel wants fewer messages: {}", .error.message)]
    TooFast {
        /// Of what.
        limit: SpeedLimit,
        /// How long it asked us to wait.
        after: Option<Duration>,
        /// What it said.
        error: DeliveryError,
    },
    /// It refuses the account, and would any message.
    #[error("the channel refuses the account: {}", .error.message)]
    Account {
        /// Why.
        reason: HealthReason,
        /// What it said.
        error: DeliveryError,
    },
}

/// A template that is submitted for review.
#[derive(Clone, Debug)]
pub struct TemplateSubmission<'a> {
    /// Our id.
    pub template: TemplateId,
    /// The number it is made for.
    pub account: AccountId,
    /// Its name.
    pub name: &'a str,
    /// Its language.
    pub language: &'a str,
    /// What it is for.
    pub category: Category,
    /// How its variables are written.
    pub parameter_format: ParameterFormat,
    /// Its parts, in Meta's shape, as JSON.
    pub components: &'a str,
    /// For how many seconds the channel may try to deliver a message of it; nothing for its own choice.
    pub message_send_ttl_seconds: Option<i32>,
}

/// The reviewer has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedTemplate {
    /// The reviewer's id of it.
    pub external_id: String,
    /// What the reviewer is going to report.
    pub callbacks: Callbacks,
    /// What the reviewer has said already.
    pub verdict: Option<Verdict>,
    /// Whether the network reports what the reviewer says. Otherwise it is asked.
    pub reported: bool,
}

/// The reviewer, or the store of files, did not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// Nor ever will.
    #[error("the channel refused: {0}")]
    Definite(String),
    /// There is a template of that name already.
    #[error("the channel has it already")]
    Exists,
    /// Perhaps later.
    #[error("the channel cannot do this now: {why}")]
    Later {
        /// How long it asked us to wait.
        after: Option<Duration>,
        /// What it said.
        why: String,
    },
}

//! The channels: the messaging networks behind accounts.
//!
//! There are two ports. [`adapter::Adapter`] is for our requests to a channel, and
//! [`receiver::Receiver`] is for the channel's requests to us. Each channel has its own folder.
//! Only [`registry`] chooses among them.
//!
//! This crate does no I/O. Adapters create requests and parse answers as values. The caller sends
//! the requests and receives the answers.

#![warn(missing_docs)]

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
use domain::message::MessageError;
use domain::template::{Category, ParameterFormat, TemplateStatus, Verdict};
use std::time::Duration;

/// A message to send to the channel.
#[derive(Clone, Debug)]
pub struct OutboundMessage<'a> {
    /// Our id, which the channel sends back with each status.
    pub message: MessageId,
    /// The account that sends the message.
    pub account: AccountId,
    /// The recipient's address.
    pub to: &'a Address,
    /// The content.
    pub content: &'a Content,
    /// The text as a person would read it. `None` for a template that was not created through
    /// Switchboard.
    pub rendered: Option<&'a str>,
    /// The template to which the message refers, if the adapter needs it and it was created through
    /// Switchboard.
    pub template: Option<KnownTemplate<'a>>,
    /// The channel's id of the message that this one replies to.
    pub answers: Option<&'a str>,
    /// The number of earlier attempts.
    pub attempts: u32,
}

/// A template as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct KnownTemplate<'a> {
    /// The reviewer's id of the template.
    pub external_id: Option<&'a str>,
    /// The components in Meta's form, as JSON.
    pub components: &'a str,
}

/// Callbacks, each with the delay after which it counts as received. Only the sandbox returns any,
/// because no server sends callbacks for it.
pub type Callbacks = Vec<(Duration, String)>;

/// The answer of a channel that accepted a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedByChannel {
    /// The channel's id of the message. `None` if the message was accepted but the rest of the
    /// answer could not be read. The message's statuses are then matched by our id.
    pub channel_id: Option<String>,
    /// The recipient as the channel names it, if it does. The number may have another form.
    pub recipient: Option<Box<Identity>>,
    /// The callbacks that the sandbox will send.
    pub callbacks: Callbacks,
}

/// The maximum number of bytes in a channel's id of a message. A longer id does not fit into an
/// index of PostgreSQL.
const MAX_CHANNEL_ID_BYTES: usize = 512;

/// Returns a channel's id of a message if the database can store it. PostgreSQL cannot store NUL.
/// An id that cannot be stored counts as missing, because an error would make the accepted message
/// be sent again and again.
fn keepable_id(id: String) -> Option<String> {
    let is_keepable = (1..=MAX_CHANNEL_ID_BYTES).contains(&id.len()) && !id.contains('\0');
    is_keepable.then_some(id)
}

/// The scope of a channel's rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedLimit {
    /// The limit is for the account.
    Number,
    /// The limit is for the account's messages to one contact.
    Pair,
}

/// The reason why a channel did not accept a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelSendError {
    /// A permanent failure: the send is not retried.
    #[error("the channel refused the message: {}", .0.message)]
    Definite(MessageError),
    /// A temporary failure. The channel may say when to try again.
    #[error("the channel cannot take the message now: {}", .error.message)]
    Later {
        /// The delay that the channel asked for.
        after: Option<Duration>,
        /// The channel's error.
        error: MessageError,
    },
    /// A temporary failure, because messages are sent too fast.
    #[error("the channel wants fewer messages: {}", .error.message)]
    TooFast {
        /// The scope of the rate limit.
        limit: SpeedLimit,
        /// The delay that the channel asked for.
        after: Option<Duration>,
        /// The channel's error.
        error: MessageError,
    },
    /// The channel refuses the account, and would refuse every message from it.
    #[error("the channel refuses the account: {}", .error.message)]
    Account {
        /// The reason.
        reason: HealthReason,
        /// The channel's error.
        error: MessageError,
    },
}

/// A template to be submitted for review.
#[derive(Clone, Debug)]
pub struct TemplateSubmission<'a> {
    /// Our id.
    pub template: TemplateId,
    /// The account that the template is created for.
    pub account: AccountId,
    /// The template's name.
    pub name: &'a str,
    /// The template's language.
    pub language: &'a str,
    /// The template's category.
    pub category: Category,
    /// The format of its parameters.
    pub parameter_format: ParameterFormat,
    /// The components in Meta's form, as JSON.
    pub components: &'a str,
    /// The number of seconds for which the channel may try to deliver a message, or `None` for the
    /// channel's default.
    pub message_send_ttl_seconds: Option<i32>,
}

/// A change of a template that the reviewer has.
#[derive(Clone, Debug)]
pub struct TemplateEdit<'a> {
    /// The template with the change.
    pub submission: TemplateSubmission<'a>,
    /// The reviewer's id of the template.
    pub external_id: &'a str,
    /// The status before the change.
    pub status: TemplateStatus,
    /// Whether the category is changed.
    pub changes_category: bool,
    /// Whether the components are changed.
    pub changes_components: bool,
}

/// A template to be deleted at the reviewer.
#[derive(Clone, Copy, Debug)]
pub struct TemplateDeletion<'a> {
    /// Our id.
    pub template: TemplateId,
    /// The template's name.
    pub name: &'a str,
    /// The template's language.
    pub language: &'a str,
    /// The reviewer's id of the template, or `None` if the answer to its submission was lost.
    pub external_id: Option<&'a str>,
}

/// The answer of a reviewer that has a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedTemplate {
    /// The reviewer's id of the template.
    pub external_id: String,
    /// The callbacks that the sandbox's reviewer will send.
    pub callbacks: Callbacks,
    /// The verdict, if the reviewer has already given one.
    pub verdict: Option<Verdict>,
    /// Whether the channel reports verdicts by itself. Otherwise we have to ask for them.
    pub reported: bool,
}

/// The reason why the reviewer or the media store did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// A permanent failure.
    #[error("the channel refused: {0}")]
    Definite(String),
    /// A template with this name already exists.
    #[error("the channel has it already")]
    Exists,
    /// A temporary failure.
    #[error("the channel cannot do this now: {why}")]
    Later {
        /// The delay that the channel asked for.
        after: Option<Duration>,
        /// The channel's error.
        why: String,
    },
}

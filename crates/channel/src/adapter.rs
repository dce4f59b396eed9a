//! The port for requests to a channel.
//!
//! An operation may take several requests. Each method that takes `answers` is a function of the
//! answers so far. Called without answers, it returns the first request, or the result if no
//! request is needed. Called with all answers so far, it returns the next request or the result.

use crate::request::{AdapterStep, Authorization, ChannelAnswer};
use crate::{
    AcceptedByChannel, Callbacks, ChannelSendError, OutboundMessage, SubmitError,
    SubmittedTemplate, TemplateDeletion, TemplateEdit, TemplateSubmission,
};
use domain::account::ChannelKind;
use domain::contact::Address;
use domain::id::{AccountId, MediaId};
use domain::template::Verdict;
use domain::time::Timestamp;

/// An account with its credentials, as stored in the database.
#[derive(Clone)]
pub struct ChannelAccount {
    /// Our id of the account.
    pub account: AccountId,
    /// The channel behind the account.
    pub channel: ChannelKind,
    /// The channel's id of the account.
    pub channel_id: Option<String>,
    /// The channel's id of the business.
    pub business_id: Option<String>,
    /// The access token that was given when the account was connected.
    pub token: Option<String>,
}

/// The reason why an account cannot be used: its row in the database or the settings are
/// incomplete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotSetUp(pub &'static str);

/// The data that must be looked up before a message can be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether the adapter needs the text that a person would read, with the template's parameters
    /// filled in.
    pub rendered: bool,
    /// Whether the adapter needs the stored template to which the message refers.
    pub template: bool,
}

/// The location of a file that a contact sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAt {
    /// The content of the file.
    Bytes(&'static [u8]),
    /// An upload of the organization. Only the sandbox has such files.
    Upload(MediaId),
    /// A URL to download the file from.
    Address(FileAddress),
}

/// A URL from which a file can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAddress {
    /// The URL.
    pub url: String,
    /// The credentials of the request, if the address needs them. They are not sent to a redirect
    /// target.
    pub authorization: Option<Authorization>,
    /// The file's content type, if the channel tells it.
    pub content_type: Option<String>,
    /// The file's SHA-256 in hex, if the channel tells it.
    pub sha256: Option<String>,
}

/// The channel behind one account.
pub trait Adapter: Send + Sync {
    /// Returns what must be looked up before a message can be sent.
    fn needs(&self) -> Needs;

    /// Whether a message takes effect only when its result is committed to the database.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Sends a message. Takes one request.
    fn send(
        &self,
        message: &OutboundMessage<'_>,
        now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<AcceptedByChannel, ChannelSendError>>;

    /// Submits a template for review. The reviewer may already have the template, because an
    /// earlier answer was lost. In that case the template is looked up.
    fn submit(
        &self,
        submission: &TemplateSubmission<'_>,
        now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<SubmittedTemplate, SubmitError>>;

    /// Changes a template that the reviewer has, and submits it again. Returns the callbacks that
    /// the sandbox's reviewer will send. Other channels return none.
    fn edit_template(
        &self,
        edit: &TemplateEdit<'_>,
        now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Callbacks, SubmitError>>;

    /// Deletes a template at the reviewer. A template that the reviewer does not have counts as
    /// deleted.
    fn delete_template(
        &self,
        deletion: &TemplateDeletion<'_>,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>>;

    /// Whether the channel reports verdicts by itself. If so, nobody has to ask for them.
    fn reports_verdicts(&self) -> bool;

    /// Asks for the reviewer's verdict on a template, on channels that do not report it. Returns
    /// `None` while there is no verdict.
    fn review(
        &self,
        external_id: &str,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Option<Verdict>, SubmitError>>;

    /// Marks a contact's message as read. `channel_id` is the channel's id of the message. With
    /// `typing`, the contact also sees that a reply is being written. Takes one request.
    fn mark_read(
        &self,
        channel_id: &str,
        typing: bool,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>>;

    /// Returns control of a conversation to the channel's own agent, which only the Cloud API has.
    /// Takes one request.
    fn release_thread(
        &self,
        to: &Address,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>>;

    /// Returns the location of a file that a contact sent. `file_id` comes from outside and is not
    /// trusted.
    fn file(
        &self,
        file_id: &str,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<FileAt, SubmitError>>;
}

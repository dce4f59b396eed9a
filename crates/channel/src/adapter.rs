//! The port for requests to a channel.
//!
//! An operation may take several requests. It is a function of the answers so far: called without
//! answers, it returns the first request, or the result if no request is needed. Called with all
//! answers so far, it returns the next request or the result.

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

/// The reason why an account cannot be used: its row or the settings lack something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotSetUp(pub &'static str);

/// The data that must be looked up before a message can be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether the adapter needs the message as a text for people, with the parameters filled in.
    pub rendered: bool,
    /// Whether the adapter needs the stored template that the message names.
    pub template: bool,
}

/// The location of a file that a contact sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAt {
    /// The file itself.
    Bytes(&'static [u8]),
    /// A file that the organization uploaded.
    Upload(MediaId),
    /// A URL.
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

    /// Whether messages take effect with the transaction that records their result, and not before.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Sends a message, with one request.
    fn send(
        &self,
        message: &OutboundMessage<'_>,
        now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<AcceptedByChannel, ChannelSendError>>;

    /// Submits a template for review. If the reviewer already has it, because an earlier answer was
    /// lost, the template is looked up.
    fn submit(
        &self,
        submission: &TemplateSubmission<'_>,
        now: Timestamp,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<SubmittedTemplate, SubmitError>>;

    /// Changes a template that the reviewer has and submits it again. Returns the callbacks that
    /// the sandbox's reviewer will send.
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

    /// Whether the channel reports verdicts by itself, so that they are never asked for.
    fn reports_verdicts(&self) -> bool;

    /// Asks for the reviewer's verdict on a template, on channels that do not report it. Returns
    /// `None` while there is no verdict.
    fn review(
        &self,
        external_id: &str,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<Option<Verdict>, SubmitError>>;

    /// Marks a contact's message as read, given the channel's id of it. With `typing`, also shows
    /// that a reply is being written. Takes one request.
    fn mark_read(
        &self,
        channel_id: &str,
        typing: bool,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>>;

    /// Gives control of a conversation back to the channel's own agent. Takes one request. Only the
    /// Cloud API has such an agent.
    fn release_thread(
        &self,
        to: &Address,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<(), SubmitError>>;

    /// Finds the location of a file that a contact sent. The id comes from outside and is not
    /// trusted.
    fn file(
        &self,
        file_id: &str,
        answers: &[ChannelAnswer],
    ) -> AdapterStep<Result<FileAt, SubmitError>>;
}

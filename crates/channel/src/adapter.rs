//! The port: what a network does for a number.
//!
//! An operation may take several requests. It is a function of the answers so far: called with none it gives the first
//! request, or the result where none is needed; called with all answers so far it gives the next request or the result.

use crate::request::{Answer, Authorization, Step};
use crate::{
    AcceptedByChannel, OutboundMessage, SendError, SubmitError, SubmittedTemplate,
    TemplateSubmission,
};
use domain::account::ChannelKind;
use domain::id::AccountId;
use domain::template::Verdict;
use domain::time::Timestamp;

/// A number as its row tells it, and what speaks for it.
#[derive(Clone)]
pub struct Number {
    /// Our id.
    pub account: AccountId,
    /// The network behind it.
    pub channel: ChannelKind,
    /// The network's id of it.
    pub channel_id: Option<String>,
    /// The network's id of the business.
    pub business_id: Option<String>,
    /// The token that was given with it.
    pub token: Option<String>,
}

/// A number cannot be used: its row or the settings lack something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotSetUp(pub &'static str);

/// What has to be looked up before a message is handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// What a person would read.
    pub rendered: bool,
    /// The template that a message names, as it was made.
    pub template: bool,
}

/// Where a file is that a person sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAt {
    /// Here.
    Bytes(&'static [u8]),
    /// At an address.
    Address(FileAddress),
}

/// An address from which a file can be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAddress {
    /// The address.
    pub url: String,
    /// What goes along. Where the address leads on to another, that gets none.
    pub authorization: Authorization,
    /// The file's type, where it is given here.
    pub content_type: Option<String>,
    /// The hex of its SHA-256, where it is given.
    pub sha256: Option<String>,
}

/// The network behind one number.
pub trait Adapter: Send + Sync {
    /// What has to be looked up before a message is handed over.
    fn needs(&self) -> Needs;

    /// Whether messages take effect with the transaction that records their result, and nowhere before.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Hands over a message. One request.
    fn send(
        &self,
        message: &OutboundMessage<'_>,
        now: Timestamp,
        answers: &[Answer],
    ) -> Step<Result<AcceptedByChannel, SendError>>;

    /// Submits a template for review. If the reviewer has it already, an earlier answer got lost, and the template is
    /// looked up.
    fn submit(
        &self,
        submission: &TemplateSubmission<'_>,
        now: Timestamp,
        answers: &[Answer],
    ) -> Step<Result<SubmittedTemplate, SubmitError>>;

    /// Asks what the reviewer says of a template that it has, where the network does not report that; none while it says
    /// nothing.
    fn review(
        &self,
        external_id: &str,
        answers: &[Answer],
    ) -> Step<Result<Option<Verdict>, SubmitError>>;

    /// Says that a message of a person's was read, by the network's id of it; with `typing`, that an answer is being
    /// written too. One request.
    fn mark_read(
        &self,
        channel_id: &str,
        typing: bool,
        answers: &[Answer],
    ) -> Step<Result<(), SubmitError>>;

    /// Finds out where a file is that a person sent. The id came from outside.
    fn file(&self, file_id: &str, answers: &[Answer]) -> Step<Result<FileAt, SubmitError>>;
}

//! The contents of callbacks, in one form for all channels.

use domain::account::HealthReport;
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::contact::{Identity, IdentityChange};
use domain::conversation::ThreadOwner;
use domain::id::{AccountId, MessageId};
use domain::inbound::{InboundContent, InboundContext, ReportedAuthor};
use domain::message::{Direction, Report};
use domain::phone::PhoneNumber;
use domain::template::{TemplateUpdate, Verdict};

/// A reference to an account or a business: by our id for the built-in sandbox, by the channel's id
/// for other channels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelRef {
    /// Our id.
    Ours(AccountId),
    /// The channel's id.
    Theirs(String),
}

/// The accounts that a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumbersRef {
    /// The channel's id of the business.
    pub business: ChannelRef,
    /// The phone number of one account. Without it, the report is about all accounts of the
    /// business.
    pub phone_number: Option<PhoneNumber>,
}

/// Something that the channel reported.
#[derive(Clone, Debug, PartialEq)]
pub struct CallbackEvent {
    /// The time of the event in seconds since 1970, if the channel tells it.
    pub second: Option<i64>,
    /// The event itself.
    pub what: CallbackEventKind,
}

/// The kinds of events that a channel reports.
#[derive(Clone, Debug, PartialEq)]
pub enum CallbackEventKind {
    /// One of our messages has a new status.
    Progress {
        /// The channel's id of the account.
        number: ChannelRef,
        /// The channel's id of the message.
        channel_id: String,
        /// Our id of the message, if the channel sent it back.
        ours: Option<MessageId>,
        /// The reported status.
        report: Report,
        /// The recipient's number or user id in the report.
        recipient: Box<Identity>,
    },
    /// A message was written by a contact, by somebody at the business on the phone, or by the
    /// channel's own agent.
    Message {
        /// The channel's id of the account.
        number: ChannelRef,
        /// The message.
        message: Box<MessageReport>,
    },
    /// Another responder has taken control of a conversation.
    Handover {
        /// The channel's id of the account.
        number: ChannelRef,
        /// The change of control.
        handover: Box<HandoverReport>,
    },
    /// The sender of a message edited or deleted it.
    Revision {
        /// The channel's id of the account.
        number: ChannelRef,
        /// The edit or deletion.
        revision: Box<RevisionReport>,
    },
    /// Contacts have a new number or user id.
    Identity {
        /// The channel's id of the account whose contacts these are.
        number: ChannelRef,
        /// The previous and new identities.
        changes: Vec<IdentityChange>,
    },
    /// Contacts stated whether they want marketing messages.
    Preferences {
        /// The channel's id of the account.
        number: ChannelRef,
        /// The statements.
        said: Vec<PreferenceReport>,
    },
    /// The channel reported on accounts.
    Account {
        /// The accounts that the report is about.
        numbers: NumbersRef,
        /// The report.
        report: HealthReport,
    },
    /// The reviewer gave a verdict on a template.
    Template {
        /// The channel's id of the business.
        business: ChannelRef,
        /// The reviewer's id of the template.
        external_id: String,
        /// The template's name.
        name: String,
        /// The template's language.
        language: String,
        /// The verdict.
        verdict: Verdict,
    },
    /// The channel itself changed a template.
    TemplateUpdated {
        /// The channel's id of the business.
        business: ChannelRef,
        /// The reviewer's id of the template.
        external_id: String,
        /// The template's name.
        name: String,
        /// The template's language.
        language: String,
        /// The change.
        update: TemplateUpdate,
    },
}

/// A message that was written by a contact, by somebody at the business, or by the channel's own
/// agent.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageReport {
    /// The channel's id of the message.
    pub channel_id: String,
    /// The author of the message.
    pub author: ReportedAuthor,
    /// Whether the channel's own agent has control of the conversation.
    pub standby: bool,
    /// The channel's summary of the conversation, for a responder who has not read it.
    pub summary: Option<String>,
    /// The contact's identity, with at least a number or a user id.
    pub person: Identity,
    /// The content.
    pub said: InboundContent,
    /// The channel's id of the message that this one replies to.
    pub answers: Option<String>,
    /// The context of the message: an ad, a product, or that it was forwarded.
    pub context: InboundContext,
}

/// A change of who has control of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoverReport {
    /// The contact, with a number or a user id.
    pub person: Identity,
    /// Who has control now.
    pub owner: ThreadOwner,
    /// The explanation of the previous owner.
    pub reason: Option<String>,
    /// The channel's summary of the conversation.
    pub summary: Option<String>,
}

/// A sender's edit or deletion of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct RevisionReport {
    /// The channel's id of the message.
    pub message: String,
    /// The channel's id of the change.
    pub change: String,
    /// The direction of the message: inbound from a contact, outbound from the business's phone.
    pub direction: Direction,
    /// The author of the change as the channel reports it, with at least a number or a user id. May
    /// be empty if the business made the change.
    pub person: Identity,
    /// The new content, or `None` if the message was deleted.
    pub said: Option<InboundContent>,
}

/// A contact's statement about marketing messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreferenceReport {
    /// The contact's identity: a number, a user id, or both.
    pub who: Identity,
    /// Whether the contact wants marketing messages.
    pub wants: bool,
    /// The time of the statement in seconds since 1970, if the channel tells it.
    pub second: Option<i64>,
}

/// A part of a callback: a message, a status, or another change.
#[derive(Clone, Debug, PartialEq)]
pub struct CallbackPart {
    /// The kind of the part.
    pub kind: CallbackKind,
    /// The content of the part.
    pub content: PartContent,
}

/// The content of a part of a callback.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// An event to be processed.
    Event(CallbackEvent),
    /// A part that changes nothing.
    Nothing,
    /// A part about a feature that Switchboard does not offer.
    OutOfScope,
    /// Something that this version does not understand.
    NotUnderstood(UnsupportedPart),
}

/// The reason why a part of a callback is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedPart {
    /// The reason, as a keyword.
    pub reason: DeadLetterReason,
    /// A sentence for the operator.
    pub detail: String,
    /// The name of Meta's webhook field, if this version does not know the field. The dead letter
    /// is then stored under this name.
    pub field: Option<String>,
}

impl UnsupportedPart {
    /// Creates the error for a part that was not understood.
    #[must_use]
    pub const fn new(reason: DeadLetterReason, detail: String) -> Self {
        Self { reason, detail, field: None }
    }

    /// Creates the error for a part with a keyword that this version does not know.
    #[must_use]
    pub const fn unknown(detail: String) -> Self {
        Self::new(DeadLetterReason::NotUnderstood, detail)
    }

    /// Creates the error for a part with a field that this version does not know.
    #[must_use]
    pub fn unknown_field(field: &str) -> Self {
        let detail = format!("this version does not know the field {field:?}");
        Self { field: Some(field.to_owned()), ..Self::unknown(detail) }
    }
}

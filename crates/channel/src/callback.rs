//! What a network reports, whichever it is and however it writes it.

use domain::account::HealthReport;
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::contact::{Change, Identity};
use domain::id::{AccountId, MessageId};
use domain::inbound::{InboundContent, InboundContext};
use domain::message::{Direction, Report};
use domain::phone::PhoneNumber;
use domain::template::{TemplateUpdate, Verdict};

/// Whose something is: by our id, where the network is built in, or by the network's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelRef {
    /// Our id.
    Ours(AccountId),
    /// The network's.
    Theirs(String),
}

/// The numbers that a report on an account is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumbersRef {
    /// The network's id of the business.
    pub business: ChannelRef,
    /// The one of its numbers, as people write it; all of them where it is none.
    pub phone_number: Option<PhoneNumber>,
}

/// Something that the network reported, and the second since 1970 in which it happened, if it said so.
#[derive(Clone, Debug, PartialEq)]
pub struct CallbackEvent {
    /// When.
    pub second: Option<i64>,
    /// What.
    pub what: CallbackEventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum CallbackEventKind {
    /// A message of ours has another status.
    Progress {
        /// The network's id of the number it is about.
        number: ChannelRef,
        /// The network's id of the message.
        channel_id: String,
        /// Our id of it, if the network gave it back.
        ours: Option<MessageId>,
        /// Which.
        report: Report,
        /// By what it names the person.
        recipient: Box<Identity>,
    },
    /// A person wrote, or somebody at the business from the phone.
    Message {
        /// The network's id of the number of the business.
        number: ChannelRef,
        /// What.
        message: Box<MessageReport>,
    },
    /// The sender of a message edited or deleted it.
    Revision {
        /// The network's id of the number of the business.
        number: ChannelRef,
        /// Which message.
        revision: Box<RevisionReport>,
    },
    /// People go by something else now.
    Identity {
        /// The network's id of the number that knows them.
        number: ChannelRef,
        /// What changed.
        changes: Vec<Change>,
    },
    /// People say whether they want marketing.
    Preferences {
        /// The network's id of the number that they say it to.
        number: ChannelRef,
        /// What they say.
        said: Vec<PreferenceReport>,
    },
    /// The network reports on an account.
    Account {
        /// Which numbers.
        numbers: NumbersRef,
        /// What.
        report: HealthReport,
    },
    /// The reviewer said something of a template.
    Template {
        /// The network's id of the business.
        business: ChannelRef,
        /// The reviewer's id of the template.
        external_id: String,
        /// Its name.
        name: String,
        /// Its language.
        language: String,
        /// What was said.
        verdict: Verdict,
    },
    /// The network changed a template by itself.
    TemplateUpdated {
        /// The network's id of the business.
        business: ChannelRef,
        /// The reviewer's id of the template.
        external_id: String,
        /// Its name.
        name: String,
        /// Its language.
        language: String,
        /// What was changed.
        update: TemplateUpdate,
    },
}

/// A message that a person wrote, or somebody at the business from the phone.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageReport {
    /// The network's id of it.
    pub channel_id: String,
    /// Who wrote it: a person, or the business.
    pub direction: Direction,
    /// What it says of the person: a number or a user id at least.
    pub person: Identity,
    /// What was said.
    pub said: InboundContent,
    /// The network's id of the message that it answers.
    pub answers: Option<String>,
    /// What it comes from, or with which it came.
    pub context: InboundContext,
}

/// A sender's edit or deletion of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct RevisionReport {
    /// The network's id of the message.
    pub message: String,
    /// The network's id of the change.
    pub change: String,
    /// Who wrote it: a person, or the business.
    pub direction: Direction,
    /// What it says of the person: a number or a user id at least, if it is they who wrote it.
    pub person: Identity,
    /// What it says now; nothing if it was deleted.
    pub said: Option<InboundContent>,
}

/// What a person says of marketing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreferenceReport {
    /// The person: by a number, a user id, or both.
    pub who: Identity,
    /// Whether they want it.
    pub wants: bool,
    /// The second since 1970 in which they said so, if the network tells it.
    pub second: Option<i64>,
}

/// A part of a callback: a message, a status, a change of another kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is about.
    pub kind: CallbackKind,
    /// What it says.
    pub content: Content,
}

/// What a part of a callback says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Something to be processed.
    Event(CallbackEvent),
    /// Something that changes nothing.
    Nothing,
    /// Something about what this service does not do.
    OutOfScope,
    /// Something that this version does not understand.
    NotUnderstood(UnsupportedPart),
}

/// Why a part of a callback is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedPart {
    /// Our word for it.
    pub reason: DeadLetterReason,
    /// A sentence for the operator.
    pub detail: String,
    /// The network's name of the field, if this version does not know it: by that name it is kept.
    pub field: Option<String>,
}

impl UnsupportedPart {
    /// A part that is not understood for this reason.
    #[must_use]
    pub const fn new(reason: DeadLetterReason, detail: String) -> Self {
        Self { reason, detail, field: None }
    }

    /// A part with a word that this version does not know.
    #[must_use]
    pub const fn unknown(detail: String) -> Self {
        Self::new(DeadLetterReason::NotUnderstood, detail)
    }

    /// A part of a field that this version does not know.
    #[must_use]
    pub fn unknown_field(field: &str) -> Self {
        let detail = format!("this version does not know the field {field:?}");
        Self { field: Some(field.to_owned()), ..Self::unknown(detail) }
    }
}

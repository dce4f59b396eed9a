//! The records of the tables.

/// Declares the record of a table: one field, of the domain's type, for each column that is read
/// and written. Diesel's `Insertable` cannot be derived for these types (see
/// [`crate::types::FieldRef`]).
macro_rules! record {
    (
        $(#[$attribute:meta])*
        pub struct $Record:ident of $table:ident {
            $($(#[$of_field:meta])* pub $field:ident: $Type:ty,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, diesel::Queryable, diesel::Selectable)]
        #[diesel(table_name = $table)]
        #[expect(missing_docs, reason = "the columns of the table")]
        pub struct $Record {
            $($(#[$of_field])* pub $field: $Type,)+
        }

        impl<'record> diesel::Insertable<$table::table> for &'record $Record {
            type Values = <($(diesel::dsl::Eq<$table::$field, crate::types::FieldRef<'record, $Type>>,)+)
                as diesel::Insertable<$table::table>>::Values;

            fn values(self) -> Self::Values {
                use diesel::ExpressionMethods;
                let columns = ($($table::$field.eq(crate::types::FieldRef(&self.$field)),)+);
                diesel::Insertable::values(columns)
            }
        }

        impl diesel::query_builder::UndecoratedInsertRecord<$table::table> for $Record {}
    };
}

mod agents;
mod callbacks;
mod connect;
mod contacts;
mod events;
mod forms;
mod inbox;
mod keys;
mod listing;
mod media;
mod members;
mod messages;
mod outbox;
mod scheduled;
mod templates;
mod unreadable;
mod webhooks;

pub use agents::{
    AgentAccount, AgentCost, AgentWrite, AiAgent, AiAgentChange, AiAgentEntry, DraftSend, DueTurn,
    EntryBounds, EntryWrite, HandOver, ReceivedMessage, RequestedHandOver, Turn, TurnEnd,
    TurnFinish, TurnPostponement,
};
pub use callbacks::{CallbackDeferral, DeadCallback, DeadCallbackFilter};
pub use connect::{
    Application, ApplicationChange, CodeBusiness, CodeConsumption, Connection, Consent, Handshake,
    IssuedCode, ListedConnection, NewConnectedKey, PasswordReset, Session, ShownCode,
};
pub use contacts::Merges;
pub use contacts::{
    AnswerKey, DELETED_CONTACT, ErasedAnswer, ErasedEvent, ErasedMessages, ManualMerge,
};
pub use contacts::{
    AnsweredRecipient, Contact, ContactDeletion, ContactFilter, Identification, RecipientReport,
};
pub use contacts::{address, erased_channel_id};
pub use events::{
    DeliveryDetails, Event, EventFilter, EventResend, EventScan, EventWithSubject, LogPart, Subject,
};
pub use forms::{FormKey, FormResult};
pub use inbox::{
    ConversationWord, InboxAttention, InboxConversation, InboxCursor, InboxEntry, InboxFilter,
    InboxMemberChange, InboxMemberSettings, InboxMemberState, InboxPart, InboxPosition,
    InboxUpdate, Note, SavedReply, WordPosition, parse_labels,
};
pub use keys::{
    Account, Caller, CallerQuestion, CallerWithUsage, ChannelAccess, CountQuestion, Counted,
    HealthOutcome, Key, KeyUsage, KeyUse, Member, MessageCap, Organization, Plan, Released,
    StoredAnswer,
};
pub use listing::ListFilter;
pub use media::{ClaimedFetch, Fetch, FetchClaim, Media};
pub use members::{
    AuditEntry, FirstSetup, Invitation, Invitee, ListedMember, Membership, RoleChange,
};
pub use messages::{
    Addressee, AnswerQuestion, ChannelSummary, Conversation, ConversationWithContact, Idempotent,
    Inbound, InboundOutcome, Message, MessageFilter, MessageOnChannel, MessageScan, MessageState,
    MessageSubmission, NewMessage, PersonKey, PlacedMessage, Render, RenderTogether, RetentionRule,
    RevisedMessage, RevisionOutcome, StatusMove, SubmissionOutcome, ThreadHandover,
    TogetherOutcome,
};
pub use outbox::{
    Callback, Claim, Claimed, DueConversation, HandoverResult, OrganizationTurn, OutgoingMessage,
    Retry, Settlement, WaitingMessage,
};
pub use scheduled::{CancelOutcome, ScheduledCursor, ScheduledMessage};
pub use templates::{
    ClaimedSubmission, Creation, StoredVerdict, Template, TemplateCount, TemplateFilter,
    TemplateResubmission, TemplateRevision, TemplateTransition,
};
pub use unreadable::UnreadableRow;
pub use webhooks::{
    Attempt, Delivery, DeliveryResults, DeliverySettlement, DeliveryUpdate, Endpoint,
    EndpointChange, EndpointWork, Feed, FeedProgress, LaggingFeed, LastAnswer, LoggedEvent, Owner,
};

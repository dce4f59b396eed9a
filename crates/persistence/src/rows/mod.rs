//! What goes into and comes out of the tables.

mod callbacks;
mod connect;
mod contacts;
mod events;
mod forms;
mod keys;
mod listing;
mod media;
mod messages;
mod outbox;
mod templates;
mod unreadable;
mod webhooks;

pub use callbacks::{DeadCallback, DeadCallbackFilter, Deferral};
pub use connect::{
    Application, ApplicationChange, Connection, Consent, Handshake, IssuedCode, PasswordReset,
    Session,
};
pub(crate) use contacts::Merges;
pub(crate) use contacts::address;
pub use contacts::{Contact, Identification, RecipientReport};
pub use events::{Event, EventFilter, EventScan, EventWithSubject, Subject};
pub use forms::{FormKey, FormResult};
pub use keys::{
    Account, AccountWithUsage, Caller, ChannelAccess, Count, Counted, HealthOutcome, Key, Member,
    Organization, Plan, Released, StoredAnswer,
};
pub use listing::ListFilter;
pub use media::{ClaimedFetch, Fetch, Media};
pub use messages::{
    Addressee, Conversation, ConversationWithContact, Idempotent, Inbound, InboundOutcome, Message,
    MessageState, MessageSubmission, NewMessage, PersonKey, PlacedMessage, Render, RevisedMessage,
    RevisionOutcome, StatusMove, SubmissionOutcome,
};
pub use outbox::{Callback, Claim, Claimed, OutgoingMessage, Retry, Settlement, Verdict, Waiting};
pub use templates::{
    Change, ClaimedSubmission, Creation, Judgement, Template, TemplateFilter, TemplateRevision,
};
pub use unreadable::UnreadableRow;
pub use webhooks::{
    Attempt, Delivery, DeliverySettlement, DeliveryUpdate, Endpoint, EndpointChange, Feed,
    FeedProgress, LaggingFeed, Owner,
};

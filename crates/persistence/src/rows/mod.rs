//! What goes into and comes out of the tables.

mod callbacks;
mod connect;
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
pub use events::{About, Event, EventFilter, Looked, News, Subject, TellConnection, Told};
pub use forms::{FormKey, FormResult};
pub use keys::{
    Access, Account, Caller, Count, Counted, Key, Member, Organization, Plan, StoredAnswer,
    TellLimit,
};
pub use listing::Sought;
pub use media::{Fetch, Media, ToFetch};
pub use messages::{
    Addressee, Conversation, Idempotent, Inbound, InboundOutcome, Message, MessageState, Move,
    Outcome, Placed, Render, Submission,
};
pub use outbox::{Callback, Claim, Claimed, Outgoing, Retry, Settlement, Verdict, Waiting};
pub use templates::{Change, Creation, Judgement, Template, TemplateFilter, ToSubmit};
pub use unreadable::UnreadableRow;
pub use webhooks::{
    Attempt, Behind, Delivery, Endpoint, EndpointChange, Feed, LookedThrough, Owner, Settled, Tried,
};

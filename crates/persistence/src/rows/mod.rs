//! What goes into and comes out of the tables.

mod connect;
mod keys;
mod media;
mod messages;
mod outbox;
mod templates;

pub use connect::{
    Application, ApplicationChange, Connection, Consent, Handshake, IssuedCode, Session,
};
pub use keys::{
    Access, Account, Caller, Count, Counted, Key, Member, Organization, Plan, StoredAnswer,
};
pub use media::{Fetch, Media, ToFetch};
pub use messages::{
    Addressee, Conversation, Idempotent, Inbound, InboundOutcome, Message, MessageState, Outcome,
    Placed, Render, Submission,
};
pub use outbox::{Callback, Claimed, Outgoing, Settlement, Verdict};
pub use templates::{Change, Creation, Judgement, Template, TemplateFilter, ToSubmit};

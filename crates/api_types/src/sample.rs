//! The records in the examples of the reference. The examples of answers and of events share the
//! same organization, account, conversation, message and template.

use crate::content::{MediaDocument, TextDocument};
use crate::{json, template};
use domain::contact::{ChannelUserId, Identity};
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::event::{NoteSnapshot, ScheduledSnapshot};
use domain::id::{
    AccountId, AiAgentId, ConnectionId, ContactId, ConversationId, EventId, Id, KeyId, MediaId,
    MemberId, MessageId, NoteId, OrganizationId, TemplateId, TurnId, WebhookEndpointId,
};
use domain::inbox::NoteAuthor;
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use domain::message::{Direction, Failure, MessageStatus, Recipient, ScheduleState};
use domain::phone::PhoneNumber;
use domain::revision::{Deletion, Revisions, Version};
use domain::template::{Category, ParameterFormat, RejectionReason, TemplateStatus};
use domain::time::Timestamp;
use persistence::Document;
use persistence::content::{StoredContent, revisions};
use persistence::records::{
    Contact, Conversation, ConversationWithContact, InboxConversation, InboxEntry, Message,
    NewMessage, Template,
};
use serde::Serialize;
use std::time::Duration;

/// The id of the organization.
pub const ORGANIZATION: OrganizationId = id(0x0193_4f6f_70d1_7ac3_94e8_7d2d_0ec1_57ee);
/// The id of the account.
pub const ACCOUNT: AccountId = id(0x0193_4f6f_8182_723c_ba9b_84d8_7499_dc74);
/// The id of the key.
pub const KEY: KeyId = id(0x0193_4f6f_9644_74f1_b05d_0a33_43c4_c46b);
/// The id of the application's connection.
pub const CONNECTION: ConnectionId = id(0x0193_4f7b_0bc8_7127_bd1a_89c0_f85e_822b);
/// The id of the conversation.
pub const CONVERSATION: ConversationId = id(0x0193_4f79_fcb8_7caf_b350_0c0f_11e2_2c5a);
/// The id of the contact.
pub const CONTACT: ContactId = id(0x0193_4f79_fcb8_73d4_998f_a769_722a_82d0);
/// The id of a conversation that was merged into [`CONVERSATION`].
pub const MERGED_CONVERSATION: ConversationId = id(0x0193_4f79_fd4e_7b62_9e1d_3f8a_50c7_2d19);
/// The id of a contact that was merged into [`CONTACT`].
pub const MERGED_CONTACT: ContactId = id(0x0193_4f79_fd4e_7c31_8a95_1be6_47f0_93ad);
/// The id of the message.
pub const MESSAGE: MessageId = id(0x0193_4f79_fcba_73f1_93d6_a492_6828_a3aa);
/// The id of a message from the contact.
pub const RECEIVED: MessageId = id(0x0193_4f79_fcba_73f1_93d6_a492_6828_a3ab);
/// The id of a message that is sent later.
pub const SCHEDULED: MessageId = id(0x0193_4f79_fcba_73f1_93d6_a492_6828_a3ac);
/// The id of a note about the conversation.
pub const NOTE: NoteId = id(0x0193_4f7a_0a11_7b0e_8c35_6d2f_91a4_e07b);
/// The id of an AI agent.
pub const AGENT: AiAgentId = id(0x0193_4f7a_0b20_7a44_9d10_52c7_3e81_f06d);
/// The id of a member.
pub const MEMBER: MemberId = id(0x0193_4f7a_0d42_7e15_a3b8_94c6_20f7_5d81);
/// The id of a turn.
pub const TURN: TurnId = id(0x0193_4f7a_0c31_7c92_b6e4_18d3_70a5_9b2f);
/// The id of the template.
pub const TEMPLATE: TemplateId = id(0x0193_4f7a_13a8_7834_a2ad_2c13_8f13_4a78);
/// The id of the template that is changed.
pub const CHANGED_TEMPLATE: TemplateId = id(0x0193_4f7a_14b1_7a5e_9c40_5d0f_2b86_71e3);
/// The id of the template that is deleted.
pub const DELETED_TEMPLATE: TemplateId = id(0x0193_4f7a_15c2_7d11_8e93_0a64_c7f1_3b59);
/// The id of the uploaded file.
pub const MEDIA: MediaId = id(0x0193_4f7a_2541_7f45_b454_9336_4161_fb8d);
/// The id of an event.
pub const EVENT: EventId = id(0x0193_4f79_fcbc_78ac_a454_7336_d390_309d);
/// The id of the webhook endpoint.
pub const ENDPOINT: WebhookEndpointId = id(0x0193_4f79_fc00_7d25_8b04_b209_db42_0d96);

/// The phone number of the account.
pub const ACCOUNT_NUMBER: &str = "+12025550190";
/// The phone number of the contact: one of the sandbox that receives messages.
pub const CONTACT_NUMBER: &str = "+12025550100";
/// The phone number of another contact: one of the sandbox that taps the first button or row.
pub const TAPPING_NUMBER: &str = "+12025550108";
/// The client id of the key.
pub const CLIENT_ID: &str = "swk_4mJ7cQ2xWvT9nRb1LzKd8E";
/// The client id of an application that revokes its connections.
pub const APPLICATION_CLIENT_ID: &str = "swa_9hT2kVx5PqLm7RdYw3NcJz";
/// The text of the message.
pub const TEXT: &str = "Your order is on its way.";
/// The `client_ref` of the message.
pub const CLIENT_REF: &str = "order-1042";
/// The name of the template.
pub const TEMPLATE_NAME: &str = "order_shipped";
/// The language of the template.
pub const LANGUAGE: &str = "en_US";

/// 2026-11-21T12:00:00Z.
const NOON: i64 = 1_795_262_400;

const fn id<K>(value: u128) -> Id<K> {
    Id::from_bytes(value.to_be_bytes())
}

/// Returns the time at which the examples take place.
#[must_use]
pub fn noon() -> Timestamp {
    Timestamp::from_seconds(NOON)
}

/// Returns the time at which the key was created: the day before [`noon`].
#[must_use]
pub fn earlier() -> Timestamp {
    noon().minus(Duration::from_mins(1590))
}

/// Returns the time that is `milliseconds` after [`noon`].
#[must_use]
pub fn later(milliseconds: u64) -> Timestamp {
    noon().plus(Duration::from_millis(milliseconds))
}

/// Returns the message in that status: from the contact if it is `received`, otherwise sent through
/// the API.
#[must_use]
pub fn message(status: MessageStatus) -> Message {
    let inbound = status == MessageStatus::Received;
    let failed = status == MessageStatus::Failed;
    let row = NewMessage {
        id: MESSAGE,
        organization: ORGANIZATION,
        account: ACCOUNT,
        conversation: CONVERSATION,
        contact: CONTACT,
        position: 1,
        direction: if inbound { Direction::Inbound } else { Direction::Outbound },
        source: if inbound { MessageSource::Customer } else { MessageSource::Api },
        kind: MessageKind::Text,
        content: document(&TextDocument { text: Some(TEXT.to_owned()), preview_url: None }),
        status,
        at: noon(),
    };
    Message {
        failure: failed.then_some(Failure::RecipientUnreachable),
        failure_message: failed.then(|| "Message undeliverable".to_owned()),
        failure_code: failed.then_some(131_026),
        client_ref: (!inbound).then(|| CLIENT_REF.to_owned()),
        sent_at: Some(later(412)),
        delivered_at: Some(later(1038)),
        read_at: (status == MessageStatus::Read).then(|| later(3000)),
        ..row.into()
    }
}

/// Returns a conversation of the inbox.
#[must_use]
pub fn inbox_conversation() -> InboxConversation {
    let ConversationWithContact { conversation, contact } = conversation();
    let entry = InboxEntry::new(&conversation);
    InboxConversation {
        entry,
        conversation,
        contact,
        paused_by_message: None,
        paused_by_member: None,
        member_state: None,
    }
}

/// Returns a note that a program wrote.
#[must_use]
pub fn note() -> NoteSnapshot {
    NoteSnapshot {
        id: NOTE,
        conversation: CONVERSATION,
        text: "Asked for a refund. The order is ORD-1042.".to_owned(),
        author: NoteAuthor::Key { client_id: CLIENT_ID.to_owned(), name: "CRM".to_owned() },
        created_at: later(3000),
    }
}

/// Returns a message that the contact edited or deleted two seconds after [`noon`].
#[must_use]
pub fn revised_message(deleted: bool) -> Message {
    let row = message(MessageStatus::Received);
    let (at, noted_at) = (later(2000), later(3000));
    let content = |text: &str| StoredContent {
        kind: MessageKind::Text,
        document: document(&TextDocument { text: Some(text.to_owned()), preview_url: None }).0,
    };
    let first = content(if deleted { TEXT } else { "Your order is in its way." });
    let (written_at, change) = (noon(), None);
    let mut all =
        Revisions::none(Version { content: first, written_at, noted_at: written_at, change });
    if deleted {
        all.delete(Deletion { at, noted_at });
    } else {
        let change = Some("wamid.HBgLMTY1MDM4Nzk0MzkV".to_owned());
        all.edit(Version { content: content(TEXT), written_at: at, noted_at, change });
    }
    Message { changes: revisions::encode(&all).ok().map(Document), ..row }
}

/// Returns a voice message that was transcribed.
#[must_use]
pub fn voice_message() -> Message {
    let file = MediaDocument {
        url: Some(format!("https://example.com/media/{MEDIA}/audio.ogg")),
        media_type: Some(MediaKind::Audio.as_str().to_owned()),
        content_type: Some("audio/ogg".to_owned()),
        voice: Some(true),
        transcript: Some("Is my order on its way?".to_owned()),
        ..MediaDocument::default()
    };
    Message {
        kind: MessageKind::Media,
        content: document(&file),
        ..message(MessageStatus::Received)
    }
}

/// Returns the conversation of the message.
#[must_use]
pub fn conversation() -> ConversationWithContact {
    let conversation = Conversation {
        id: CONVERSATION,
        organization_id: ORGANIZATION,
        account_id: ACCOUNT,
        contact_id: CONTACT,
        address: Some(CONTACT_NUMBER.to_owned()),
        agent_paused: false,
        message_count: 1,
        last_message_at: noon(),
        last_inbound_at: None,
        created_at: noon(),
        agent_paused_by: None,
    };
    ConversationWithContact { conversation, contact: contact() }
}

/// Returns the identity of the contact.
#[must_use]
pub fn identity() -> Identity {
    Identity {
        phone_number: PhoneNumber::parse(CONTACT_NUMBER).ok(),
        user_id: ChannelUserId::parse("US.13491208655302741918").ok(),
        parent_user_id: None,
        username: Some("ada.lovelace".to_owned()),
        name: Some("Ada Lovelace".to_owned()),
    }
}

/// Returns the contact.
#[must_use]
pub fn contact() -> Contact {
    let unknown = Contact {
        organization_id: ORGANIZATION,
        id: CONTACT,
        account_id: ACCOUNT,
        phone_number: None,
        channel_user_id: None,
        channel_parent_user_id: None,
        username: None,
        name: None,
        identified_at: None,
        created_at: noon(),
        opted_out_at: None,
        preference_at: None,
        deleted_at: None,
        name_edited_at: None,
    };
    unknown.known_as(identity(), noon())
}

/// Returns the template in that status.
#[must_use]
pub fn template(status: TemplateStatus) -> Template {
    let rejected = status == TemplateStatus::Rejected;
    let submitted = status != TemplateStatus::Draft;
    let reviewed = submitted && status != TemplateStatus::Pending;
    Template {
        id: TEMPLATE,
        organization_id: ORGANIZATION,
        account_id: ACCOUNT,
        name: TEMPLATE_NAME.to_owned(),
        language: LANGUAGE.to_owned(),
        category: Category::Utility,
        status,
        rejection_reason: rejected.then_some(RejectionReason::Promotional),
        rejection_detail: rejected.then(|| "It reads like an advertisement.".to_owned()),
        parameter_format: ParameterFormat::Positional,
        components: document(&template::sample::components()),
        external_id: submitted.then(|| "594425479261596".to_owned()),
        submitted_at: submitted.then(noon),
        reviewed_at: reviewed.then(|| later(3000)),
        created_at: noon(),
        updated_at: if reviewed { later(3000) } else { noon() },
        submission_due_at: None,
        submission_attempts: u32::from(submitted).into(),
        message_send_ttl_seconds: None,
        quality: None,
    }
}

/// Serializes content as it is stored.
fn document(content: &impl Serialize) -> Document {
    Document(json::value(content).to_string())
}

/// Returns a message that is sent a day later.
#[must_use]
pub fn scheduled_message(state: ScheduleState) -> ScheduledSnapshot {
    let number = PhoneNumber::parse(CONTACT_NUMBER).ok();
    ScheduledSnapshot {
        id: SCHEDULED,
        account: ACCOUNT,
        recipient: number.map_or(Recipient::Contact(CONTACT), Recipient::Phone),
        kind: MessageKind::Text,
        client_ref: Some(CLIENT_REF.to_owned()),
        state,
        send_at: noon().plus(Duration::from_hours(24)),
        created_at: noon(),
        canceled_at: (state == ScheduleState::Canceled)
            .then(|| noon().plus(Duration::from_hours(1))),
    }
}

//! The data about the contact, shown beside the thread.

use super::thread::Thread;
use crate::browser::{ObjectState, PageError, ShownTime, StateLabel};
use crate::dashboard::messages::preview;
use domain::message::{Direction, MessageStatus};
use persistence::records::Message;
use service::inbox::MemberConversation;

/// Number of messages in the preview of the contact's phone.
const ON_PHONE: usize = 4;

pub struct Pane {
    pub username: Option<String>,
    pub marketing: StateLabel,
    pub first_seen: ShownTime,
    pub message_count: i64,
    pub conversation: String,
    /// The members who can be the assignee: value and name.
    pub assignees: Vec<(String, String)>,
    pub assignee: String,
    pub labels: Vec<String>,
    /// The newest messages as the contact sees them: whether the contact wrote the message, and the
    /// text.
    pub phone: Vec<(bool, String)>,
}

impl Pane {
    pub fn of(opened: &MemberConversation, thread: &Thread) -> Result<Self, PageError> {
        let it = &opened.found;
        let (conversation, contact) = (&it.conversation, &it.contact);
        let state = it.entry.state().map_err(persistence::Error::from)?;
        let nobody = (String::new(), "Nobody".to_owned());
        let members = thread.assignable.iter().map(|(id, name)| (id.to_string(), name.clone()));
        let on_phone = |it: &Message| {
            (it.direction == Direction::Inbound, preview::line(it, &thread.templates))
        };
        let seen: Vec<&Message> = thread.messages.iter().filter(|it| is_on_phone(it)).collect();
        let skipped = seen.len().saturating_sub(ON_PHONE);
        Ok(Self {
            username: contact.username.clone(),
            marketing: match contact.opted_out_at {
                Some(_) => ObjectState::Disabled.saying("Opted out"),
                None => ObjectState::Ok.saying("Allowed"),
            },
            first_seen: ShownTime::date(conversation.created_at),
            message_count: conversation.message_count,
            conversation: conversation.id.to_string(),
            assignees: std::iter::once(nobody).chain(members).collect(),
            assignee: state.assignee.map(|id| id.to_string()).unwrap_or_default(),
            labels: state.labels.iter().map(str::to_owned).collect(),
            phone: seen.into_iter().skip(skipped).map(on_phone).collect(),
        })
    }
}

/// Whether the message is on the contact's phone, as far as the channel has reported. A message
/// that waits or that failed is not.
const fn is_on_phone(message: &Message) -> bool {
    matches!(
        message.status,
        MessageStatus::Received
            | MessageStatus::Sent
            | MessageStatus::Delivered
            | MessageStatus::Read
    )
}

//! Messages: the list with its filters, and the page of one message.

mod detail;
mod filter;
mod keys;
mod list;
pub mod preview;
pub mod refusal;
mod scheduled;
mod tabs;

use super::MESSAGES;
use crate::browser::{ObjectState, StateLabel};
use actix_web::web;
use domain::conversation::MessageSource;
use domain::keyword::Keyword as _;
use domain::message::{Direction, MessageStatus};
use persistence::records::{Contact, Message};

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(MESSAGES).route(web::get().to(list::show)));
    app.service(
        web::resource("/messages/{message}")
            .route(web::get().to(detail::show))
            .route(web::post().to(detail::act)),
    );
    app.service(web::resource("/messages/{message}/cancel").route(web::get().to(detail::confirm)));
}

/// Returns the state of a message. Messages of a held number wait.
pub fn state(message: &Message, number_is_held: bool) -> StateLabel {
    let state = match message.status {
        MessageStatus::Queued if number_is_held => ObjectState::Held,
        MessageStatus::Queued => ObjectState::Queued,
        MessageStatus::Sent => ObjectState::Sent,
        MessageStatus::Delivered => ObjectState::Delivered,
        MessageStatus::Read => ObjectState::Read,
        MessageStatus::Failed => ObjectState::Failed,
        MessageStatus::Received => ObjectState::Received,
    };
    state.label()
}

/// Returns the name by which people know a contact: their name, username or number.
pub fn contact_name(contact: &Contact) -> String {
    let Contact { name, username, phone_number, channel_user_id, .. } = contact;
    let known = [name, username, phone_number, channel_user_id].into_iter().flatten();
    let known = known.map(String::as_str).find(|it| !it.is_empty());
    known.unwrap_or("Unknown contact").to_owned()
}

/// Returns who wrote a message, in words.
const fn source(source: MessageSource) -> &'static str {
    match source {
        MessageSource::Api => "API",
        MessageSource::Inbox => "Inbox",
        MessageSource::Agent => "AI agent",
        MessageSource::Phone => "Phone",
        MessageSource::Customer => "Customer",
    }
}

/// Returns the title of a message's page, such as "Message to".
const fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Outbound => "Message to",
        Direction::Inbound => "Message from",
    }
}

/// Returns the type of a message with a capital letter, such as "Template".
fn kind(message: &Message) -> String {
    let word = message.kind.as_str();
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

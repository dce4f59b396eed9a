//! The sandbox phone: a member plays the customer of a sandbox number
//! (`docs/contract.md#sandbox-phone`).

pub use channel::sandbox::{
    BackdatedContent, BackdatedMessage, CustomerChoice, NUMBERS, PLAYED_NUMBER, choices,
};

use channel::sandbox::{CustomerMessage, backdated_callback, customer_callback};
use domain::account::ChannelKind;
use domain::contact::Address;
use domain::content::MediaContent;
use domain::content::text::MAX_TEXT_LENGTH;
use domain::id::{AccountId, MessageId, OrganizationId};
use domain::media::MediaKind;
use domain::message::Direction;
use domain::phone::PhoneNumber;
use persistence::content::decode;
use persistence::records::{Media, PersonKey};
use platform::Deps;

use crate::callbacks;

/// An action of a customer on the sandbox phone.
#[derive(Clone, Debug)]
pub enum CustomerAction {
    Write(String),
    SendPicture,
    /// Sends a file. `upload` is the file itself if the organization uploaded it.
    SendFile {
        content: MediaContent,
        upload: Option<Media>,
    },
    /// Taps a button or row of a message.
    Tap {
        message: MessageId,
        /// The id of the button or row.
        choice: String,
    },
}

/// The reason why a customer's action is refused.
#[derive(Debug, thiserror::Error)]
pub enum CustomerActionError {
    #[error("the organization has no such number")]
    NoSuchNumber,
    /// Real customers of other channels cannot be played.
    #[error("the number is on {0}, not on the sandbox")]
    NotOnSandbox(ChannelKind),
    #[error("the text is empty or too long")]
    InvalidText,
    #[error("no message to this customer has this button or row")]
    NoSuchChoice,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Lets a customer write to a sandbox number. The message arrives as a callback of the channel,
/// like a message of a real customer. Returns the id that the message will have.
pub async fn act_as_customer(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    customer: &PhoneNumber,
    action: CustomerAction,
) -> Result<MessageId, CustomerActionError> {
    check_number(deps, organization, account).await?;
    let message = match action {
        CustomerAction::Write(text) => {
            let length = text.chars().count();
            if text.trim().is_empty() || length > MAX_TEXT_LENGTH {
                return Err(CustomerActionError::InvalidText);
            }
            CustomerMessage::Text(text)
        }
        CustomerAction::SendPicture => CustomerMessage::Picture,
        CustomerAction::SendFile { content, upload } => file(content, upload),
        CustomerAction::Tap { message, choice } => {
            tapped(deps, organization, account, customer, message, &choice).await?
        }
    };
    let now = deps.clock.now();
    let id = deps.id::<domain::id::Message>(now);
    let payload = customer_callback(account, customer, id, &message, now);
    callbacks::store(deps, ChannelKind::Sandbox, payload).await?;
    Ok(id)
}

/// Reports example messages with earlier times on a sandbox number. They arrive as a callback of
/// the channel, like those of real customers.
pub async fn report_backdated(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    messages: &[BackdatedMessage<'_>],
) -> Result<(), CustomerActionError> {
    check_number(deps, organization, account).await?;
    let payload = backdated_callback(account, messages, deps.clock.now());
    Ok(callbacks::store(deps, ChannelKind::Sandbox, payload).await?)
}

/// Checks that the organization has this number on the sandbox.
async fn check_number(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
) -> Result<(), CustomerActionError> {
    let found = deps.db.organization(organization).account(account).await?;
    match found.ok_or(CustomerActionError::NoSuchNumber)?.channel {
        ChannelKind::Sandbox => Ok(()),
        other => Err(CustomerActionError::NotOnSandbox(other)),
    }
}

fn file(content: MediaContent, upload: Option<Media>) -> CustomerMessage {
    let MediaContent { kind, url, caption, filename, voice, .. } = content;
    let (id, content_type, name) = match upload {
        Some(media) => (media.id.to_string(), Some(media.content_type), Some(media.file_name)),
        None => (url.to_string(), None, None),
    };
    let filename = filename.or(name.filter(|_| kind == MediaKind::Document));
    CustomerMessage::File { id, kind, content_type, caption, filename, voice }
}

/// Returns the tap on a button or row of a message that the number sent to this customer.
async fn tapped(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    customer: &PhoneNumber,
    message: MessageId,
    choice: &str,
) -> Result<CustomerMessage, CustomerActionError> {
    let owner = deps.db.organization(organization);
    let found = owner.message(Some(account), message).await?;
    let found = found.filter(|it| it.direction == Direction::Outbound);
    let found = found.ok_or(CustomerActionError::NoSuchChoice)?;
    let recipient = owner.addressee(PersonKey::Conversation(found.conversation_id)).await?;
    let customer = PersonKey::Address(Address::Phone(customer.clone()), account);
    let customer = owner.addressee(customer).await?;
    let is_recipient =
        recipient.zip(customer).is_some_and(|(one, other)| one.contact == other.contact);
    if !is_recipient {
        return Err(CustomerActionError::NoSuchChoice);
    }
    let content = decode(found.content_format, found.kind, &found.content.0);
    let content = content.map_err(|_| CustomerActionError::NoSuchChoice)?;
    let choice = choices(&content).into_iter().find(|it| it.id == choice);
    match (choice, found.channel_message_id) {
        (Some(choice), Some(channel_id)) => Ok(CustomerMessage::Tap { channel_id, choice }),
        _ => Err(CustomerActionError::NoSuchChoice),
    }
}

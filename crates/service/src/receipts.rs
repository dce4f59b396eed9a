//! Read receipts (`docs/contract.md#read-a-message`).

use channel::SubmitError;
use channel::capabilities::Unsupported;
use channel::registry::capabilities;
use domain::account::{ChannelKind, HealthState};
use domain::id::{AccountId, MessageId, OrganizationId};
use domain::message::Direction;
use persistence::records::ChannelAccess;
use platform::Deps;
use platform::channel_client::{adapter, run};

/// The reason why a message is not marked as read.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// There is no such inbound message, or the caller may not see it.
    #[error("there is no such inbound message")]
    NotFound,
    /// The channel has no read receipts.
    #[error("{0} is not supported by {1}")]
    NotSupported(Unsupported, ChannelKind),
    /// The channel cannot be reached.
    #[error("the channel cannot be reached: {0}")]
    Away(String),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Tells the contact that a message was read. With `typing`, also shows a typing indicator.
pub async fn mark_read(
    deps: &Deps,
    organization: OrganizationId,
    bound_to: Option<AccountId>,
    id: MessageId,
    typing: bool,
) -> Result<(), ReceiptError> {
    let owner = deps.db.organization(organization);
    let message = owner.message(bound_to, id).await?;
    let message = message.filter(|it| it.direction == Direction::Inbound);
    let message = message.ok_or(ReceiptError::NotFound)?;
    let channel_id = message.channel_message_id.ok_or(ReceiptError::NotFound)?;
    let account = owner.account(message.account_id).await?.ok_or(ReceiptError::NotFound)?;
    let channel = account.channel;
    let unsupported =
        |feature: &str| ReceiptError::NotSupported(Unsupported::entirely(feature), channel);
    if !capabilities(channel).receipts {
        return Err(unsupported("read receipts"));
    }
    let away = |why: String| {
        tracing::warn!(why, message = %id, "a read receipt was not sent");
        ReceiptError::Away(why)
    };
    if account.health == HealthState::Held {
        return Err(away("the number is held".to_owned()));
    }
    let line = adapter(deps, &ChannelAccess::from(account)).map_err(away)?;
    let marked = run(deps, |answers| line.mark_read(&channel_id, typing, answers)).await;
    marked.map_err(|error| match error {
        SubmitError::Definite(why) => {
            tracing::warn!(why, message = %id, "the channel refused a read receipt");
            unsupported("a read receipt for this message")
        }
        SubmitError::Later { why, .. } => away(why),
        SubmitError::Exists => unsupported("a read receipt for this message"),
    })
}

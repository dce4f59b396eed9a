//! Who people are: what the channel says of it beside messages.

use super::PartOutcome;
use crate::Deps;
use domain::contact::{Change, Identity};
use domain::id::AccountId;
use domain::time::Timestamp;
use persistence::Result;
use persistence::rows::{Account, Contact, Identification, Said};

/// People go by something else now.
pub async fn change(
    deps: &Deps,
    account: &Account,
    changes: Vec<Change>,
    at: Timestamp,
) -> Result<PartOutcome> {
    for change in changes {
        let identification = Identification {
            organization: *account.organization_id,
            account: *account.id,
            said: Said::Change(change),
            at,
            now: deps.clock.now(),
        };
        deps.db.identify(identification).await?;
    }
    Ok(PartOutcome::Done)
}

/// A report on a message to `contact` named its recipient: what is not known of that yet is learned.
pub async fn learn(
    deps: &Deps,
    account: AccountId,
    contact: &Contact,
    recipient: Identity,
    at: Timestamp,
) -> Result<()> {
    let known = match contact.identity() {
        Ok(known) => known,
        Err(error) => {
            // What was reported of the message counts all the same.
            tracing::error!(%error, "nothing is learned of a contact that cannot be read");
            return Ok(());
        }
    };
    let said = Identity {
        phone_number: recipient.phone_number.or_else(|| known.phone_number.clone()),
        user_id: recipient.user_id.or_else(|| known.user_id.clone()),
        ..Identity::default()
    };
    let whole = said.phone_number.is_some() && said.user_id.is_some();
    if !whole || (known.phone_number.is_some() && known.user_id.is_some()) {
        return Ok(());
    }
    let identification = Identification {
        organization: *contact.organization_id,
        account,
        said: Said::Recipient(*contact.id, said),
        at,
        now: deps.clock.now(),
    };
    deps.db.identify(identification).await?;
    Ok(())
}

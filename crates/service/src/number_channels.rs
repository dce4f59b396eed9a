//! The channel of each account. It never changes, so each is read once per process.

use channel::capabilities::Capabilities;
use channel::registry;
use domain::account::ChannelKind;
use domain::id::{AccountId, OrganizationId};
use persistence::{Db, Result};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

#[derive(Debug, Default)]
pub struct NumberChannels(RwLock<HashMap<AccountId, ChannelKind>>);

impl NumberChannels {
    /// Returns the channel of one of the organization's accounts, or nothing if there is no such
    /// account.
    pub async fn of(
        &self,
        db: &Db,
        organization: OrganizationId,
        account: AccountId,
    ) -> Result<Option<ChannelKind>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&account).copied();
        if known.is_some() {
            return Ok(known);
        }
        let Some(found) = db.organization(organization).account(account).await? else {
            return Ok(None);
        };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(account, found.channel);
        Ok(Some(found.channel))
    }

    /// Returns the channel of one of the organization's accounts, and the capabilities of that
    /// channel.
    pub async fn capabilities(
        &self,
        db: &Db,
        organization: OrganizationId,
        account: AccountId,
    ) -> Result<Option<(ChannelKind, &'static Capabilities)>> {
        let channel = self.of(db, organization, account).await?;
        Ok(channel.map(|channel| (channel, registry::capabilities(channel))))
    }
}

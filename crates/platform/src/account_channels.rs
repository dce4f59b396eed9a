//! The channel of each account. An account never changes its channel, so each process reads it only
//! once.

use channel::capabilities::Capabilities;
use channel::registry;
use domain::account::ChannelKind;
use domain::id::{AccountId, OrganizationId};
use parking_lot::RwLock;
use persistence::{Db, Result};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct AccountChannels(RwLock<HashMap<AccountId, ChannelKind>>);

impl AccountChannels {
    /// Returns the channel of one of the organization's accounts, or nothing if there is no such
    /// account.
    pub async fn find(
        &self,
        db: &Db,
        organization: OrganizationId,
        account: AccountId,
    ) -> Result<Option<ChannelKind>> {
        let channels = self.0.read().get(&account).copied();
        if channels.is_some() {
            return Ok(channels);
        }
        let Some(found) = db.organization(organization).account(account).await? else {
            return Ok(None);
        };
        let mut channels = self.0.write();
        channels.insert(account, found.channel);
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
        let channel = self.find(db, organization, account).await?;
        Ok(channel.map(|channel| (channel, registry::capabilities(channel))))
    }
}

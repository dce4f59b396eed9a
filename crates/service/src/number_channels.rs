//! Which network is behind each number. That never changes, so that each is read once for a process.

use channel::capabilities::Capabilities;
use channel::registry;
use domain::account::ChannelKind;
use domain::id::{AccountId, OrganizationId};
use persistence::{Db, Result};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The networks of the numbers that this process has sent from.
#[derive(Debug, Default)]
pub struct NumberChannels(RwLock<HashMap<AccountId, ChannelKind>>);

impl NumberChannels {
    /// The network behind one of the organization's numbers; none if it has no such number.
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

    /// What can be done with one of the organization's numbers, and on which network.
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

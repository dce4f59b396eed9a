//! Operations on several tenants at once. Each part goes to the node that has its tenants' rows.
use super::{Answer, OperatorDb, Tenant as _, tenant_query};
use crate::records::{
    Claim, Delivery, EventWithSubject, FeedProgress, KeyUse, LaggingFeed, MessageOnChannel,
    MessageState, RecipientReport, StatusMove,
};
use crate::{Db, postgres, sqlite};
use domain::id::{InstanceId, MessageId, OrganizationId, OwnerId, WebhookEndpointId};
use domain::instance::WorkKind;
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Runs a query for each part of `$all` at the same time, and returns the answers. `$by` is
/// `by_shard` if the query locks rows of several tenants, one statement per tenant.
macro_rules! of_each {
    ($db:expr, $by:ident, $all:expr, $tenant:expr; $kind:ident $module:ident::$name:ident($($arg:expr),*)) => {
        match $db {
            Db::Postgres(db) => {
                let parts = db.$by($all, |one| $tenant(one).tenant());
                let parts = parts.into_iter().map(|(db, part)| async move {
                    db.$kind(move |conn| {
                        Box::pin(postgres::queries::$module::$name(conn, part $(, $arg)*))
                    })
                    .await
                });
                futures_util::future::try_join_all(parts).await
            }
            Db::Sqlite(db) => {
                let all = $all;
                let asked = db.$kind(move |conn| {
                    Box::pin(sqlite::queries::$module::$name(conn, all $(, $arg)*))
                });
                asked.await.map(|answer| vec![answer])
            }
        }
    };
}

/// Joins the answers of all nodes.
fn joined<T, All: IntoIterator<Item = T>, Joined: FromIterator<T>>(
    answers: crate::Result<Vec<All>>,
) -> crate::Result<Joined> {
    Ok(answers?.into_iter().flatten().collect())
}

/// Declares operations of which each part goes to its node, and whose answers are joined.
macro_rules! joined_operations {
    ($($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($all:ident: Vec<$one:ty>, $tenant:expr $(; $arg:ident: $type:ty)?) -> $out:ty;)*) => {
        impl<'a> OperatorDb<'a> {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(self, $all: Vec<$one> $(, $arg: $type)?) -> Answer<'a, $out> {
                Box::pin(async move {
                    let organization: fn(&$one) -> OrganizationId = $tenant;
                    joined(of_each!(self.db, by_node, $all, organization; $kind $module::$name($($arg)?)))
                })
            })*
        }
    };
}

joined_operations! {
    /// Returns the states of messages by the channel's ids of them.
    read callbacks::message_states(wanted: Vec<MessageOnChannel>, |it| it.organization) -> BTreeMap<MessageOnChannel, MessageState>;
    /// Returns the states of messages by our ids of them.
    read callbacks::own_message_states(ids: Vec<(OrganizationId, MessageId)>, |it| it.0) -> BTreeMap<MessageId, MessageState>;
    /// Changes the status of messages that are still in the expected status, and returns their ids.
    /// If this fails on one node, it may have been done on others.
    write_after callbacks::advance(moves: Vec<StatusMove>, |it| it.organization; at: Timestamp) -> Vec<MessageId>;
    /// Returns the reports that change something about the contacts that they name.
    read recipient_reports::relevant_reports(reports: Vec<RecipientReport>, |it| it.organization) -> Vec<RecipientReport>;
    /// Adds calls that this instance counted in memory, one of several instances. Returns the new
    /// totals.
    write usage::add_calls(calls: Vec<(OrganizationId, i32, i32)>, |it| it.0) -> Vec<(OrganizationId, i32, u32)>;
}

impl<'a> OperatorDb<'a> {
    /// Stores when keys were last used. Keys that do not exist any more are skipped.
    #[must_use]
    pub fn record_key_uses(self, uses: Vec<KeyUse>) -> Answer<'a, ()> {
        Box::pin(async move {
            let organization = |it: &KeyUse| it.organization_id;
            of_each!(self.db, by_node, uses, organization; write_after key_uses::record_key_uses())
                .map(drop)
        })
    }

    /// Claims the unclaimed ones of these organizations. Returns nothing if the other instances
    /// consider this instance dead. With several nodes that is not checked; see `release_orphans`.
    #[must_use]
    pub fn claim_work(
        self,
        by: Claim,
        kind: WorkKind,
        organizations: Vec<OrganizationId>,
    ) -> Answer<'a, Option<Vec<OrganizationId>>> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let claimed = of_each!(self.db, by_node, organizations, OrganizationId::clone; write work::claim_work(by, kind, several_nodes));
            let claimed: Option<Vec<_>> = claimed?.into_iter().collect();
            Ok(claimed.map(|all| all.into_iter().flatten().collect()))
        })
    }

    /// Releases organizations, except those that have been claimed again since. This runs shard by
    /// shard, because a batch of sends locks the rows of one shard after the other, and not in the
    /// order of organizations.
    #[must_use]
    pub fn release_work(
        self,
        kind: WorkKind,
        claimed: Vec<(OrganizationId, Claim)>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let organization = |it: &(OrganizationId, Claim)| it.0;
            of_each!(self.db, by_shard, claimed, organization; write work::release_work(kind))
                .map(drop)
        })
    }

    /// Releases organizations that are claimed by an instance that is no longer registered, and
    /// returns how many. With several nodes, an instance may have claimed them after the others
    /// considered it dead.
    #[must_use]
    pub fn release_orphans(self) -> Answer<'a, usize> {
        Box::pin(async move {
            let Db::Postgres(db) = self.db else { return Ok(0) };
            if !db.has_several_nodes() {
                return Ok(0);
            }
            // The order matters: an instance is registered before it claims anything.
            let anywhere = db.anywhere();
            let claimed = anywhere.read(|conn| Box::pin(postgres::queries::work::claimants(conn)));
            let claimed: BTreeSet<InstanceId> = claimed.await?;
            let entered = self.beats().await?;
            let entered: BTreeSet<_> = entered.into_iter().map(|(id, _)| id).collect();
            let mut freed = 0;
            for gone in claimed.difference(&entered).copied() {
                freed += anywhere
                    .write(move |conn| {
                        Box::pin(postgres::queries::work::release_work_of(conn, gone))
                    })
                    .await?;
            }
            Ok(freed)
        })
    }

    /// Claims those of these endpoints for which something is still due.
    #[must_use]
    pub fn claim_endpoints(
        self,
        due: Vec<(OwnerId, WebhookEndpointId)>,
        failing: bool,
        now: Timestamp,
        until: Timestamp,
        by: InstanceId,
    ) -> Answer<'a, BTreeSet<WebhookEndpointId>> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let owner = |it: &(OwnerId, WebhookEndpointId)| it.0;
            joined(
                of_each!(self.db, by_shard, due, owner; write_after endpoint_work::claim_endpoints(several_nodes, failing, now, until, by)),
            )
        })
    }

    /// Returns the due deliveries of a claimed endpoint, with their events.
    #[must_use]
    pub fn due_deliveries(
        self,
        owner: OwnerId,
        endpoint: WebhookEndpointId,
        now: Timestamp,
        limit: i64,
    ) -> Answer<'a, Vec<(Delivery, Option<EventWithSubject>)>> {
        Box::pin(async move {
            tenant_query!(self.db, owner; read deliveries::due_deliveries(owner, endpoint, now, limit))
        })
    }

    /// Returns feeds of some organizations that have unprocessed events.
    #[must_use]
    pub fn lagging_feeds_of(
        self,
        organizations: Vec<OrganizationId>,
        after: i64,
        limit: i64,
    ) -> Answer<'a, Vec<LaggingFeed>> {
        Box::pin(async move {
            let feeds = of_each!(self.db, by_shard, organizations, OrganizationId::clone; read feeds::lagging_feeds_of(after, limit));
            let mut feeds: Vec<LaggingFeed> = joined(feeds)?;
            feeds.sort_by_key(|it| it.feed.id);
            feeds.truncate(saturating(limit, usize::MAX));
            Ok(feeds)
        })
    }

    /// Advances feeds and inserts their deliveries. Returns how many feeds were still at the
    /// expected position.
    #[must_use]
    pub fn advance_feeds(self, looked: Vec<FeedProgress>, now: Timestamp) -> Answer<'a, usize> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let organization = |it: &FeedProgress| it.organization;
            let moved = of_each!(self.db, by_shard, looked, organization; write_after feeds::advance_feeds(several_nodes, now));
            Ok(moved?.into_iter().sum())
        })
    }
}

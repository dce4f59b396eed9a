//! What is asked of several tenants at once, each part of which goes to the node that has them.
use super::{Answer, OperatorDb, Tenant as _, query_of};
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

/// Asks for each part of `$all`, all at once, and gives the answers. `by_shard` where rows of several tenants are locked by a
/// statement for each.
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

/// The answers of all nodes as one.
fn joined<T, All: IntoIterator<Item = T>, Joined: FromIterator<T>>(
    answers: crate::Result<Vec<All>>,
) -> crate::Result<Joined> {
    Ok(answers?.into_iter().flatten().collect())
}

/// Operations of which each part goes to its node, and whose answers are joined.
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
    /// Where messages stand, by the channel's ids of them.
    read callbacks::message_states(wanted: Vec<MessageOnChannel>, |it| it.organization) -> BTreeMap<MessageOnChannel, MessageState>;
    /// Where messages of ours stand, by our ids of them.
    read callbacks::own_message_states(ids: Vec<(OrganizationId, MessageId)>, |it| it.0) -> BTreeMap<MessageId, MessageState>;
    /// Moves messages on that stand where it was supposed, and gives those. If that fails on one node, it has been done on
    /// others all the same.
    write_after callbacks::advance(moves: Vec<StatusMove>, |it| it.organization; at: Timestamp) -> Vec<MessageId>;
    /// Those of the reports that change something of what is known of the people that they name.
    read recipient_reports::relevant_reports(reports: Vec<RecipientReport>, |it| it.organization) -> Vec<RecipientReport>;
    /// Adds calls that one of several processes counted in memory; returns what counts then.
    write usage::add_calls(calls: Vec<(OrganizationId, i32, i32)>, |it| it.0) -> Vec<(OrganizationId, i32, u32)>;
}

impl<'a> OperatorDb<'a> {
    /// Notes when keys were used, those that there still are.
    #[must_use]
    pub fn note_key_uses(self, uses: Vec<KeyUse>) -> Answer<'a, ()> {
        Box::pin(async move {
            let organization = |it: &KeyUse| it.organization_id;
            of_each!(self.db, by_node, uses, organization; write_after key_uses::note_key_uses())
                .map(drop)
        })
    }

    /// Claims those of the organizations that are unclaimed; nothing if the server is considered dead. Where there are several
    /// nodes that is not asked, see `release_orphans`.
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

    /// Lets go of organizations, each unless it has been claimed again since. Each shard's apart: a batch of sends locks the
    /// rows of one shard after the other, and not in the order of organizations.
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

    /// Lets go of organizations whose server is no longer entered: with several nodes it may have claimed them when it was
    /// taken for dead already. Returns how many.
    #[must_use]
    pub fn release_orphans(self) -> Answer<'a, usize> {
        Box::pin(async move {
            let Db::Postgres(db) = self.db else { return Ok(0) };
            if !db.has_several_nodes() {
                return Ok(0);
            }
            // In this order: whoever claims has been entered before.
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

    /// Claims those of these endpoints for which there still is something to do.
    #[must_use]
    pub fn claim_endpoints(
        self,
        due: Vec<(OwnerId, WebhookEndpointId)>,
        failing: bool,
        times: (Timestamp, Timestamp),
        by: InstanceId,
    ) -> Answer<'a, BTreeSet<WebhookEndpointId>> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let owner = |it: &(OwnerId, WebhookEndpointId)| it.0;
            joined(
                of_each!(self.db, by_shard, due, owner; write_after endpoint_work::claim_endpoints(several_nodes, failing, times, by)),
            )
        })
    }

    /// What is due at a claimed endpoint, with the events.
    #[must_use]
    pub fn due_deliveries(
        self,
        owner: OwnerId,
        endpoint: WebhookEndpointId,
        now: Timestamp,
        limit: i64,
    ) -> Answer<'a, Vec<(Delivery, Option<EventWithSubject>)>> {
        Box::pin(async move {
            query_of!(self.db, owner; read deliveries::due_deliveries(owner, endpoint, now, limit))
        })
    }

    /// Feeds of some organizations with events that nobody has looked at.
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

    /// Moves feeds on, and puts what was found on its way; returns how many stood where they were supposed.
    #[must_use]
    pub fn look_through(self, looked: Vec<FeedProgress>, now: Timestamp) -> Answer<'a, usize> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let organization = |it: &FeedProgress| it.organization;
            let moved = of_each!(self.db, by_shard, looked, organization; write_after feeds::look_through(several_nodes, now));
            Ok(moved?.into_iter().sum())
        })
    }
}

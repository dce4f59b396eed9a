//! Operations on several tenants at once. Each part goes to the node that has its tenants' rows.
use super::{DbFuture, OperatorDb, Tenant as _, run_for_tenant};
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

/// Splits the items in the query's first argument by node or shard, runs the query for all parts at
/// the same time, and returns the answers of the parts. `$by` is `by_node`. It must be `by_shard`
/// if the query locks rows of several tenants with one statement per tenant.
macro_rules! of_each {
    (
        $db:expr, $by:ident, $tenant:expr, $kind:ident,
        $module:ident::$name:ident($all:ident $(, $arg:expr)* $(,)?) $(,)?
    ) => {
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

impl<'a> OperatorDb<'a> {
    /// Returns the states of messages that are identified by the channel's message ids.
    pub fn message_states(
        self,
        wanted: Vec<MessageOnChannel>,
    ) -> DbFuture<'a, BTreeMap<MessageOnChannel, MessageState>> {
        Box::pin(async move {
            let organization = |it: &MessageOnChannel| it.organization;
            joined(of_each!(
                self.db,
                by_node,
                organization,
                read,
                callbacks::message_states(wanted)
            ))
        })
    }

    /// Returns the states of messages that are identified by Switchboard's own message ids.
    pub fn own_message_states(
        self,
        ids: Vec<(OrganizationId, MessageId)>,
    ) -> DbFuture<'a, BTreeMap<MessageId, MessageState>> {
        Box::pin(async move {
            let organization = |it: &(OrganizationId, MessageId)| it.0;
            joined(of_each!(
                self.db,
                by_node,
                organization,
                read,
                callbacks::own_message_states(ids)
            ))
        })
    }

    /// Changes the status of the messages that still have the expected status, and returns their
    /// ids. If the change fails on one node, it may already be committed on other nodes.
    pub fn advance(self, moves: Vec<StatusMove>, at: Timestamp) -> DbFuture<'a, Vec<MessageId>> {
        Box::pin(async move {
            let organization = |it: &StatusMove| it.organization;
            joined(of_each!(
                self.db,
                by_node,
                organization,
                write_after,
                callbacks::advance(moves, at)
            ))
        })
    }

    /// Returns the reports that would change what is stored about a contact.
    pub fn relevant_reports(
        self,
        reports: Vec<RecipientReport>,
    ) -> DbFuture<'a, Vec<RecipientReport>> {
        Box::pin(async move {
            let organization = |it: &RecipientReport| it.organization;
            joined(of_each!(
                self.db,
                by_node,
                organization,
                read,
                recipient_reports::relevant_reports(reports)
            ))
        })
    }

    /// Adds the calls that this instance has counted in memory to the stored counts, if several
    /// instances share the database. Returns the new totals.
    pub fn add_calls(
        self,
        calls: Vec<(OrganizationId, i32, i32)>,
    ) -> DbFuture<'a, Vec<(OrganizationId, i32, u32)>> {
        Box::pin(async move {
            let organization = |it: &(OrganizationId, i32, i32)| it.0;
            joined(of_each!(self.db, by_node, organization, write, usage::add_calls(calls)))
        })
    }

    /// Stores when keys were last used. Keys that do not exist any more are skipped.
    pub fn record_key_uses(self, uses: Vec<KeyUse>) -> DbFuture<'a, ()> {
        Box::pin(async move {
            let organization = |it: &KeyUse| it.organization_id;
            of_each!(self.db, by_node, organization, write_after, key_uses::record_key_uses(uses))
                .map(drop)
        })
    }

    /// Claims the organizations among these that no instance has claimed. Returns `None` if the
    /// other instances consider this instance dead. With several nodes this is not checked;
    /// instead, `release_orphans` releases claims of dead instances.
    pub fn claim_work(
        self,
        by: Claim,
        kind: WorkKind,
        organizations: Vec<OrganizationId>,
    ) -> DbFuture<'a, Option<Vec<OrganizationId>>> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let claimed = of_each!(
                self.db,
                by_node,
                OrganizationId::clone,
                write,
                work::claim_work(organizations, by, kind, several_nodes)
            );
            let claimed: Option<Vec<_>> = claimed?.into_iter().collect();
            Ok(claimed.map(|all| all.into_iter().flatten().collect()))
        })
    }

    /// Releases organizations, except those that have been claimed again since. The rows are locked
    /// shard by shard, because a batch of sends locks them in this order, too.
    pub fn release_work(
        self,
        kind: WorkKind,
        claimed: Vec<(OrganizationId, Claim)>,
    ) -> DbFuture<'a, ()> {
        Box::pin(async move {
            let organization = |it: &(OrganizationId, Claim)| it.0;
            of_each!(self.db, by_shard, organization, write, work::release_work(claimed, kind))
                .map(drop)
        })
    }

    /// Releases organizations whose claiming instance is no longer registered, and returns how
    /// many. Needed only with several nodes: there, an instance that the others consider dead may
    /// still claim an organization.
    pub fn release_orphans(self) -> DbFuture<'a, usize> {
        Box::pin(async move {
            let Db::Postgres(db) = self.db else { return Ok(0) };
            if !db.has_several_nodes() {
                return Ok(0);
            }
            // The claims are read before the list of registered instances. An instance registers
            // before it claims anything. So an instance that has a claim but is not in the list has
            // been removed.
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

    /// Claims those of the endpoints `due` that still have due deliveries.
    pub fn claim_endpoints(
        self,
        due: Vec<(OwnerId, WebhookEndpointId)>,
        failing: bool,
        now: Timestamp,
        until: Timestamp,
        by: InstanceId,
    ) -> DbFuture<'a, BTreeSet<WebhookEndpointId>> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let owner = |it: &(OwnerId, WebhookEndpointId)| it.0;
            joined(of_each!(
                self.db,
                by_shard,
                owner,
                write_after,
                endpoint_work::claim_endpoints(due, several_nodes, failing, now, until, by)
            ))
        })
    }

    /// Returns the due deliveries of a claimed endpoint, with their events.
    pub fn due_deliveries(
        self,
        owner: OwnerId,
        endpoint: WebhookEndpointId,
        now: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<(Delivery, Option<EventWithSubject>)>> {
        Box::pin(async move {
            run_for_tenant!(
                self.db,
                owner,
                read,
                deliveries::due_deliveries(owner, endpoint, now, limit)
            )
        })
    }

    /// Returns feeds of some organizations that have unprocessed events.
    pub fn lagging_feeds_of(
        self,
        organizations: Vec<OrganizationId>,
        after: i64,
        limit: i64,
    ) -> DbFuture<'a, Vec<LaggingFeed>> {
        Box::pin(async move {
            let feeds = of_each!(
                self.db,
                by_shard,
                OrganizationId::clone,
                read,
                feeds::lagging_feeds_of(organizations, after, limit)
            );
            let mut feeds: Vec<LaggingFeed> = joined(feeds)?;
            feeds.sort_by_key(|it| it.feed.id);
            feeds.truncate(saturating(limit, usize::MAX));
            Ok(feeds)
        })
    }

    /// Advances feeds and inserts their deliveries. Returns how many feeds were still at the
    /// expected position.
    pub fn advance_feeds(self, looked: Vec<FeedProgress>, now: Timestamp) -> DbFuture<'a, usize> {
        Box::pin(async move {
            let several_nodes = self.db.has_several_nodes();
            let organization = |it: &FeedProgress| it.organization;
            let moved = of_each!(
                self.db,
                by_shard,
                organization,
                write_after,
                feeds::advance_feeds(looked, several_nodes, now)
            );
            Ok(moved?.into_iter().sum())
        })
    }
}

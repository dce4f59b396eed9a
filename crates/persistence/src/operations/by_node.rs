//! What is asked of several organizations at once, each part of which goes to the node that has them.
use super::{Answer, OperatorDb, Tenant as _};
use crate::records::{Claim, KeyUse, MessageOnChannel, MessageState, RecipientReport, StatusMove};
use crate::{Db, postgres, sqlite};
use domain::id::{MessageId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Asks for each part of `$all`, and joins the answers.
macro_rules! of_each_node {
    ($db:expr, $all:expr, $organization:expr; $kind:ident $module:ident::$name:ident($($arg:expr),*)) => {
        match $db {
            Db::Postgres(db) => {
                let parts = db.by_node($all, |one| $organization(one).tenant());
                let parts = parts.into_iter().map(|(db, part)| async move {
                    db.$kind(move |conn| {
                        Box::pin(crate::postgres::queries::$module::$name(conn, part $(, $arg)*))
                    })
                    .await
                });
                let answers = futures_util::future::try_join_all(parts).await?;
                Ok(answers.into_iter().flatten().collect())
            }
            Db::Sqlite(db) => {
                let all = $all;
                db.$kind(move |conn| {
                    Box::pin(crate::sqlite::queries::$module::$name(conn, all $(, $arg)*))
                })
                .await
            }
        }
    };
}

impl<'a> OperatorDb<'a> {
    /// Where messages stand, by the channel's ids of them.
    #[must_use]
    pub fn message_states(
        self,
        wanted: Vec<MessageOnChannel>,
    ) -> Answer<'a, BTreeMap<MessageOnChannel, MessageState>> {
        Box::pin(async move {
            let organization = |it: &MessageOnChannel| it.organization;
            of_each_node!(self.db, wanted, organization; read callbacks::message_states())
        })
    }

    /// Where messages of ours stand, by our ids of them.
    #[must_use]
    pub fn own_message_states(
        self,
        ids: Vec<(OrganizationId, MessageId)>,
    ) -> Answer<'a, BTreeMap<MessageId, MessageState>> {
        Box::pin(async move {
            let organization = |it: &(OrganizationId, MessageId)| it.0;
            of_each_node!(self.db, ids, organization; read callbacks::own_message_states())
        })
    }

    /// Moves messages on that stand where it was supposed, and gives those. If that fails on one node, it has been done on
    /// others all the same.
    #[must_use]
    pub fn advance(self, moves: Vec<StatusMove>, at: Timestamp) -> Answer<'a, Vec<MessageId>> {
        Box::pin(async move {
            let organization = |it: &StatusMove| it.organization;
            of_each_node!(self.db, moves, organization; write_after callbacks::advance(at))
        })
    }

    /// Those of the reports that change something of what is known of the people that they name.
    #[must_use]
    pub fn relevant_reports(
        self,
        reports: Vec<RecipientReport>,
    ) -> Answer<'a, Vec<RecipientReport>> {
        Box::pin(async move {
            let organization = |it: &RecipientReport| it.organization;
            of_each_node!(self.db, reports, organization; read recipient_reports::relevant_reports())
        })
    }

    /// Adds calls that one of several processes counted in memory; returns what counts then.
    #[must_use]
    pub fn add_calls(
        self,
        calls: Vec<(OrganizationId, i32, i32)>,
    ) -> Answer<'a, Vec<(OrganizationId, i32, u32)>> {
        Box::pin(async move {
            let organization = |it: &(OrganizationId, i32, i32)| it.0;
            of_each_node!(self.db, calls, organization; write usage::add_calls())
        })
    }

    /// Notes when keys were used, those that there still are.
    #[must_use]
    pub fn note_key_uses(self, uses: Vec<KeyUse>) -> Answer<'a, ()> {
        Box::pin(async move {
            let db = match self.db {
                Db::Postgres(db) => db,
                Db::Sqlite(db) => {
                    let note = db.write_after(move |conn| {
                        Box::pin(sqlite::queries::key_uses::note_key_uses(conn, uses))
                    });
                    return note.await;
                }
            };
            for (near, part) in db.by_node(uses, |it| it.organization_id.tenant()) {
                let note = near.write_after(move |conn| {
                    Box::pin(postgres::queries::key_uses::note_key_uses(conn, part))
                });
                note.await?;
            }
            Ok(())
        })
    }

    /// Claims those of the organizations that are unclaimed; nothing if the server is considered dead. Each shard's apart: a
    /// batch of sends locks the rows of one shard after the other, and not in the order of organizations.
    #[must_use]
    pub fn claim_work(
        self,
        by: Claim,
        kind: WorkKind,
        organizations: Vec<OrganizationId>,
    ) -> Answer<'a, Option<Vec<OrganizationId>>> {
        Box::pin(async move {
            let db = match self.db {
                Db::Postgres(db) => db,
                Db::Sqlite(db) => {
                    let claim = db.write(move |conn| {
                        Box::pin(sqlite::queries::work::claim_work(conn, by, kind, organizations))
                    });
                    return claim.await;
                }
            };
            let mut all = Vec::new();
            for (_, part) in db.by_shard(organizations, OrganizationId::tenant) {
                // The servers are on the coordinator.
                let claim = db.write(move |conn| {
                    Box::pin(postgres::queries::work::claim_work(conn, by, kind, part))
                });
                let Some(claimed) = claim.await? else { return Ok(None) };
                all.extend(claimed);
            }
            Ok(Some(all))
        })
    }

    /// Lets go of organizations, each unless it has been claimed again since.
    #[must_use]
    pub fn release_work(
        self,
        kind: WorkKind,
        claimed: Vec<(OrganizationId, Claim)>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let db = match self.db {
                Db::Postgres(db) => db,
                Db::Sqlite(db) => {
                    let release = db.write(move |conn| {
                        Box::pin(sqlite::queries::work::release_work(conn, kind, claimed))
                    });
                    return release.await;
                }
            };
            for (near, part) in db.by_shard(claimed, |(organization, _)| organization.tenant()) {
                let release = near.write(move |conn| {
                    Box::pin(postgres::queries::work::release_work(conn, kind, part))
                });
                release.await?;
            }
            Ok(())
        })
    }
}

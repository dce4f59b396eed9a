//! The operations that callers may run: each query of `queries/` as a method of a handle. The macro
//! in a method's body runs the query on the database in use; its second argument is the kind of the
//! operation (`read`, `long_read`, `write`, `write_after` or `long_write`).
//!
//! Rows of a tenant are reached through a handle that holds the tenant's id. The query gets this id
//! from the handle, so it never finds rows of another tenant. [`Db`] itself finds rows only by a
//! secret, and accepts new rows, which contain their tenant.
#![expect(clippy::must_use_candidate, reason = "the compiler warns if a future is not used")]

mod accounts;
mod agents;
mod applications;
mod by_node;
mod callbacks;
mod connections;
mod contact_deletions;
mod events;
mod forms;
mod inbox;
mod keys;
mod media;
mod members;
mod merges;
mod messages;
mod organizations;
mod retention_rules;
mod saved_replies;
mod servers;
mod standby;
mod templates;
mod usage;
mod webhooks;

use crate::Db;
use crate::records::{
    Account, Application, AuditEntry, Consent, FirstSetup, FormKey, FormResult, Handshake,
    Idempotent, Invitation, Invitee, IssuedCode, Key, Media, Organization, Owner, PasswordReset,
    RevisedMessage, Session, Template,
};
use domain::id::{ApplicationId, ConsentId, MemberId, OrganizationId, OwnerId};
use domain::time::Timestamp;
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use uuid::Uuid;

pub use standby::{OrganizationStandbyDb, OwnerStandbyDb};

/// Runs a query on the database in use, and awaits its result.
macro_rules! run {
    ($db:expr, $kind:ident, $module:ident::$name:ident($($arg:expr),* $(,)?)) => {
        match $db {
            $crate::Db::Postgres(db) => {
                db.$kind(move |conn| {
                    Box::pin($crate::postgres::queries::$module::$name(conn, $($arg),*))
                })
                .await
            }
            $crate::Db::Sqlite(db) => {
                db.$kind(move |conn| {
                    Box::pin($crate::sqlite::queries::$module::$name(conn, $($arg),*))
                })
                .await
            }
        }
    };
}

/// Returns the route of an operation on a tenant's rows. Reads, and frequent writes to tables of
/// tenants only (`write_after`), go directly to the tenant's node of a distributed database. Other
/// writes go to the coordinator, because they may change tables that every node has.
macro_rules! route {
    (write $db:expr, $tenant:expr) => {
        $db
    };
    ($kind:ident $db:expr, $tenant:expr) => {
        &*$db.near($crate::operations::Tenant::tenant(&$tenant))
    };
}

/// Runs a query about one tenant, and awaits its result.
macro_rules! run_for_tenant {
    ($db:expr, $tenant:expr, $kind:ident, $module:ident::$name:ident($($arg:expr),* $(,)?)) => {
        match $db {
            $crate::Db::Postgres(db) => {
                let route = $crate::operations::route!($kind db, $tenant);
                route.$kind(move |conn| {
                    Box::pin($crate::postgres::queries::$module::$name(conn, $($arg),*))
                })
                .await
            }
            $crate::Db::Sqlite(db) => {
                db.$kind(move |conn| {
                    Box::pin($crate::sqlite::queries::$module::$name(conn, $($arg),*))
                })
                .await
            }
        }
    };
}

/// The body of an operation of [`Db`] itself. Its arguments are [`Unscoped`].
macro_rules! unscoped_query {
    ($db:expr, $kind:ident, $module:ident::$name:ident($($arg:ident),* $(,)?)) => {{
        $($crate::operations::is_unscoped(&$arg);)*
        Box::pin(async move { $crate::operations::run!($db, $kind, $module::$name($($arg),*)) })
    }};
}

/// The body of an operation of a handle that holds a tenant, as `self.organization`. The query gets
/// the tenant as its first argument. A query that does not take a tenant first causes a compile
/// error.
macro_rules! tenant_query {
    (
        $handle:ident.$tenant:ident, $kind:ident,
        $module:ident::$name:ident($($arg:ident),* $(,)?)
    ) => {{
        let tenant = $handle.$tenant;
        Box::pin(async move {
            $crate::operations::run_for_tenant!(
                $handle.db, tenant, $kind, $module::$name(tenant $(, $arg)*)
            )
        })
    }};
}

/// The body of an operation of a handle that reaches rows of [`EveryTenant`].
macro_rules! all_tenants_query {
    ($handle:expr, $kind:ident, $module:ident::$name:ident($($arg:ident),* $(,)?)) => {{
        let db = $crate::operations::EveryTenant::db($handle);
        Box::pin(async move { $crate::operations::run!(db, $kind, $module::$name($($arg),*)) })
    }};
}

/// The body of an operation like those of `all_tenants_query!` that may run on any node of a
/// distributed database.
macro_rules! any_node_query {
    ($handle:expr, $kind:ident, $module:ident::$name:ident($($arg:ident),* $(,)?)) => {{
        let db = $crate::operations::EveryTenant::db($handle);
        Box::pin(async move {
            let db = db.anywhere();
            $crate::operations::run!(&*db, $kind, $module::$name($($arg),*))
        })
    }};
}
use {all_tenants_query, any_node_query, route, run, run_for_tenant, tenant_query, unscoped_query};

/// A type of argument that an operation of [`Db`] itself may take: a new row, which contains its
/// tenant; a secret, or a value that only the holder of a secret knows; a name that is unique in
/// the service; a time. Ids are not among these types, except [`ConsentId`], so a row can be found
/// by its id only through a tenant handle.
trait Unscoped {}

macro_rules! unscoped {
    ($($type:ty),+ $(,)?) => { $(impl Unscoped for $type {})+ };
}

unscoped! {
    &'static str, Account, Application, AuditEntry, Consent, FirstSetup, FormKey, FormResult,
    Handshake, Idempotent, Invitation, Invitee, IssuedCode, Key, Media, Organization,
    PasswordReset, RevisedMessage, Session, String, Template, Timestamp, bool, u8,
}

/// The queries of consents also take the digest of the member's session, so a consent's id alone
/// finds nothing.
impl Unscoped for ConsentId {}

impl<T: Unscoped> Unscoped for Option<T> {}
impl<T: Unscoped> Unscoped for Vec<T> {}
impl<One: Unscoped, Other: Unscoped> Unscoped for (One, Other) {}

/// Checks at compile time that an operation of [`Db`] may take an argument of this type.
const fn is_unscoped<T: Unscoped>(_: &T) {}

/// A handle that reaches rows of every tenant. Handles that hold a tenant do not implement this
/// trait, so `all_tenants_query!` does not compile for them.
trait EveryTenant<'a> {
    fn db(self) -> &'a Db;
}

impl<'a> EveryTenant<'a> for OperatorDb<'a> {
    fn db(self) -> &'a Db {
        self.db
    }
}

impl<'a> EveryTenant<'a> for PublicDb<'a> {
    fn db(self) -> &'a Db {
        self.db
    }
}

/// The future of an operation's result. It is boxed, so that its code is generated in this crate
/// once, and not in every crate that awaits it.
pub(crate) type DbFuture<'a, T> = BoxFuture<'a, crate::Result<T>>;

/// The owner of rows. In a distributed database, all rows of one tenant are on one node.
trait Tenant {
    /// Returns the value by which the tenant's rows are distributed, or `None` if the rows are on
    /// every node.
    fn tenant(&self) -> Option<Uuid>;
}

impl Tenant for OrganizationId {
    fn tenant(&self) -> Option<Uuid> {
        Some(*self.uuid())
    }
}

impl Tenant for OwnerId {
    fn tenant(&self) -> Option<Uuid> {
        Some(*self.uuid())
    }
}

impl Tenant for Owner {
    fn tenant(&self) -> Option<Uuid> {
        Some(*self.id().uuid())
    }
}

impl Tenant for ApplicationId {
    fn tenant(&self) -> Option<Uuid> {
        None
    }
}

impl Tenant for MemberId {
    fn tenant(&self) -> Option<Uuid> {
        None
    }
}

/// The operations on one organization's rows.
#[derive(Clone, Copy)]
pub struct OrganizationDb<'a> {
    db: &'a Db,
    organization: OrganizationId,
}

/// The operations on the webhook endpoints of one owner, and on their deliveries.
#[derive(Clone, Copy)]
pub struct OwnerDb<'a> {
    db: &'a Db,
    owner: Owner,
}

/// The operations on one application.
#[derive(Clone, Copy)]
pub struct ApplicationDb<'a> {
    db: &'a Db,
    application: ApplicationId,
}

/// The operations on one member.
#[derive(Clone, Copy)]
pub struct MemberDb<'a> {
    db: &'a Db,
    member: MemberId,
}

/// The operations on the rows of all tenants, for the command line, the workers and the channels'
/// callbacks.
#[derive(Clone, Copy)]
pub struct OperatorDb<'a> {
    pub(crate) db: &'a Db,
}

/// The operations that anybody may run who knows a public name, such as a client id or the id of a
/// file.
#[derive(Clone, Copy)]
pub struct PublicDb<'a> {
    db: &'a Db,
}

impl Db {
    /// Returns the operations on an organization's rows.
    #[must_use]
    pub const fn organization(&self, organization: OrganizationId) -> OrganizationDb<'_> {
        OrganizationDb { db: self, organization }
    }

    /// Returns the operations on an owner's webhook endpoints.
    #[must_use]
    pub const fn owner(&self, owner: Owner) -> OwnerDb<'_> {
        OwnerDb { db: self, owner }
    }

    #[must_use]
    pub const fn application(&self, application: ApplicationId) -> ApplicationDb<'_> {
        ApplicationDb { db: self, application }
    }

    #[must_use]
    pub const fn member(&self, member: MemberId) -> MemberDb<'_> {
        MemberDb { db: self, member }
    }

    /// Returns the operations on the rows of all tenants.
    #[must_use]
    pub const fn operator(&self) -> OperatorDb<'_> {
        OperatorDb { db: self }
    }

    /// Returns this database with the route to one of the nodes in turn. Every node can find all
    /// rows, except the rows of tables that only the coordinator has.
    fn anywhere(&self) -> Cow<'_, Self> {
        match self {
            Self::Postgres(db) if db.has_several_nodes() => {
                Cow::Owned(Self::Postgres(db.anywhere()))
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns the operations that anybody may run who knows a public name.
    #[must_use]
    pub const fn public(&self) -> PublicDb<'_> {
        PublicDb { db: self }
    }
}

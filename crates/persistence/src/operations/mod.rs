//! What callers may ask of the database: each function of `queries/` as a method of a handle.
//!
//! What belongs to a tenant is reached through the handle that holds the tenant, and the query gets the
//! tenant's id from there: an id of another one is not found. [`Db`] itself finds rows by a secret only, and
//! takes in new rows, which name their tenant.
mod accounts;
mod applications;
mod by_node;
mod callbacks;
mod connections;
mod events;
mod forms;
mod keys;
mod media;
mod members;
mod merges;
mod messages;
mod organizations;
mod servers;
mod standby;
mod templates;
mod usage;
mod webhooks;

use crate::Db;
use crate::records::Owner;
use domain::id::{ApplicationId, MemberId, OrganizationId, OwnerId};
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use uuid::Uuid;

pub use standby::{OrganizationStandbyDb, OwnerStandbyDb};

/// Calls a query on the database that there is.
macro_rules! query {
    ($db:expr, $kind:ident $module:ident::$name:ident($($arg:expr),*)) => {
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

/// The connections of an operation on what belongs to a tenant: what is read, and the few that write often to tables of tenants
/// only, goes straight to the tenant's node of a distributed database. What is on every node is written by the coordinator.
macro_rules! way {
    (write $db:expr, $tenant:expr) => {
        $db
    };
    ($kind:ident $db:expr, $tenant:expr) => {
        &*$db.near($crate::operations::Tenant::tenant(&$tenant))
    };
}

/// The same as `query`, of a tenant.
macro_rules! query_of {
    ($db:expr, $tenant:expr; $kind:ident $module:ident::$name:ident($($arg:expr),*)) => {
        match $db {
            $crate::Db::Postgres(db) => {
                let way = $crate::operations::way!($kind db, $tenant);
                way.$kind(move |conn| {
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

/// Makes queries methods of a handle; each is boxed, so that its code is generated here and not anew in every crate
/// that awaits it. With `Handle<field>` each query gets that field as its first argument.
macro_rules! operations {
    (Db; $($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        impl Db {
            $($(#[$doc])*
            pub fn $name(&self, $($arg: $type),*) -> $crate::operations::Answer<'_, $out> {
                Box::pin(async move { $crate::operations::query!(self, $kind $module::$name($($arg),*)) })
            })*
        }
    };
    // By any node of a distributed database.
    ($handle:ident anywhere; $($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        impl<'a> $handle<'a> {
            $($(#[$doc])*
            pub fn $name(self, $($arg: $type),*) -> $crate::operations::Answer<'a, $out> {
                Box::pin(async move {
                    let db = self.db.anywhere();
                    $crate::operations::query!(&*db, $kind $module::$name($($arg),*))
                })
            })*
        }
    };
    ($handle:ident; $($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        impl<'a> $handle<'a> {
            $($(#[$doc])*
            pub fn $name(self, $($arg: $type),*) -> $crate::operations::Answer<'a, $out> {
                Box::pin(async move { $crate::operations::query!(self.db, $kind $module::$name($($arg),*)) })
            })*
        }
    };
    ($handle:ident<$field:ident>; $($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        impl<'a> $handle<'a> {
            $($(#[$doc])*
            pub fn $name(self, $($arg: $type),*) -> $crate::operations::Answer<'a, $out> {
                let of = self.$field;
                Box::pin(async move { $crate::operations::query_of!(self.db, of; $kind $module::$name(of $(, $arg)*)) })
            })*
        }
    };
}
use {operations, query, query_of, way};

/// What a query gives, once it is awaited.
type Answer<'a, T> = BoxFuture<'a, crate::Result<T>>;

/// Whose rows are on one node.
trait Tenant {
    /// By what they are distributed; nothing for whoever's are on every node.
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

/// What belongs to one organization.
#[derive(Clone, Copy)]
pub struct OrganizationDb<'a> {
    db: &'a Db,
    organization: OrganizationId,
}

/// The webhook endpoints of one owner, and what is delivered to them.
#[derive(Clone, Copy)]
pub struct OwnerDb<'a> {
    db: &'a Db,
    owner: Owner,
}

/// What belongs to one application.
#[derive(Clone, Copy)]
pub struct ApplicationDb<'a> {
    db: &'a Db,
    application: ApplicationId,
}

/// What belongs to one member.
#[derive(Clone, Copy)]
pub struct MemberDb<'a> {
    db: &'a Db,
    member: MemberId,
}

/// Rows of every tenant: for the command line, for the workers, and for what the channel reports.
#[derive(Clone, Copy)]
pub struct OperatorDb<'a> {
    pub(crate) db: &'a Db,
}

/// What anybody may ask for who knows its public name.
#[derive(Clone, Copy)]
pub struct PublicDb<'a> {
    db: &'a Db,
}

impl Db {
    /// What belongs to an organization.
    #[must_use]
    pub const fn organization(&self, organization: OrganizationId) -> OrganizationDb<'_> {
        OrganizationDb { db: self, organization }
    }

    /// The webhook endpoints of an owner.
    #[must_use]
    pub const fn owner(&self, owner: Owner) -> OwnerDb<'_> {
        OwnerDb { db: self, owner }
    }

    /// What belongs to an application.
    #[must_use]
    pub const fn application(&self, application: ApplicationId) -> ApplicationDb<'_> {
        ApplicationDb { db: self, application }
    }

    /// What belongs to a member.
    #[must_use]
    pub const fn member(&self, member: MemberId) -> MemberDb<'_> {
        MemberDb { db: self, member }
    }

    /// Rows of every tenant: for the command line, for the workers, and for what the channel reports.
    #[must_use]
    pub const fn operator(&self) -> OperatorDb<'_> {
        OperatorDb { db: self }
    }

    /// The same by connections to one of the nodes, each in its turn: all know where all rows are but the coordinator's own.
    fn anywhere(&self) -> Cow<'_, Self> {
        match self {
            Self::Postgres(db) if db.has_several_nodes() => {
                Cow::Owned(Self::Postgres(db.anywhere()))
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// What anybody may ask for who knows its public name.
    #[must_use]
    pub const fn public(&self) -> PublicDb<'_> {
        PublicDb { db: self }
    }
}

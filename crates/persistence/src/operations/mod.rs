//! What callers may ask of the database: each function of `queries/` as a method of a handle.
//!
//! What belongs to a tenant is reached through the handle that holds the tenant, and the query gets the
//! tenant's id from there: an id of another one is not found. [`Db`] itself finds rows by a secret only, and
//! takes in new rows, which name their tenant.
mod accounts;
mod applications;
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
use domain::id::{ApplicationId, MemberId, OrganizationId};
use futures_util::future::BoxFuture;

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
                Box::pin(async move { $crate::operations::query!(self.db, $kind $module::$name(of $(, $arg)*)) })
            })*
        }
    };
}
use {operations, query};

/// What a query gives, once it is awaited.
type Answer<'a, T> = BoxFuture<'a, crate::Result<T>>;

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

    /// What anybody may ask for who knows its public name.
    #[must_use]
    pub const fn public(&self) -> PublicDb<'_> {
        PublicDb { db: self }
    }
}

//! Operations on applications.
use super::{
    ApplicationDb, DbFuture, OperatorDb, OrganizationDb, PublicDb, all_tenants_query, tenant_query,
    unscoped_query,
};
use crate::Db;
use crate::records::{Application, ApplicationChange, Handshake, ListFilter, Organization};
use domain::id::{self, ApplicationId};
use domain::time::Timestamp;

impl Db {
    pub fn insert_application(&self, new: Application) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, applications::insert_application(new))
    }

    /// Returns the application whose secret has this digest.
    pub fn application_by_secret(
        &self,
        secret_digest: Vec<u8>,
    ) -> DbFuture<'_, Option<Application>> {
        unscoped_query!(self, read, applications::application_by_secret(secret_digest))
    }

    /// Logs the result of a code exchange.
    pub fn insert_handshake(&self, new: Handshake) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, applications::insert_handshake(new))
    }

    /// Logs a fault of an authorize request, in place of an earlier entry for the same fault.
    pub fn record_faulty_request(&self, new: Handshake) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, applications::record_faulty_request(new))
    }
}

impl<'a> PublicDb<'a> {
    /// Returns an application by its client id.
    pub fn application(self, client_id: String) -> DbFuture<'a, Option<Application>> {
        all_tenants_query!(self, read, applications::application(client_id))
    }

    /// Returns a page of the published applications, with the names of their publishers.
    pub fn published_applications(
        self,
        limit: i64,
    ) -> DbFuture<'a, Vec<(Application, Option<String>)>> {
        all_tenants_query!(self, read, applications::published_applications(limit))
    }
}

impl<'a> OrganizationDb<'a> {
    pub fn own_application(self, id: ApplicationId) -> DbFuture<'a, Option<Application>> {
        tenant_query!(self.organization, read, applications::own_application(id))
    }

    /// Returns the applications that the organization registered.
    pub fn own_applications(self) -> DbFuture<'a, Vec<Application>> {
        tenant_query!(self.organization, read, applications::own_applications())
    }

    pub fn change_application(
        self,
        id: ApplicationId,
        change: ApplicationChange,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, applications::change_application(id, change))
    }

    /// Adds one of the organization's applications to the public directory, or removes it from the
    /// directory.
    pub fn publish_application(self, id: ApplicationId, published: bool) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, applications::publish_application(id, published))
    }

    /// Replaces the secret of one of the organization's applications.
    pub fn renew_application(
        self,
        id: ApplicationId,
        secret_digest: Vec<u8>,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, applications::renew_application(id, secret_digest))
    }

    pub fn delete_application(self, id: ApplicationId, at: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, applications::delete_application(id, at))
    }

    /// Returns the results of the code exchanges of one of the organization's applications.
    pub fn handshakes(
        self,
        id: ApplicationId,
        since: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<(Handshake, Option<String>)>> {
        tenant_query!(self.organization, read, applications::handshakes(id, since, limit))
    }
}

impl<'a> ApplicationDb<'a> {
    pub fn find(self) -> DbFuture<'a, Option<Application>> {
        tenant_query!(self.application, read, applications::find())
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes an application of the platform, which belongs to no organization. Returns `false` if
    /// there is no such application.
    pub fn delete_platform_application(
        self,
        id: ApplicationId,
        at: Timestamp,
    ) -> DbFuture<'a, bool> {
        all_tenants_query!(self, write, applications::delete_platform_application(id, at))
    }

    /// Marks an application as verified, or removes the mark.
    pub fn verify_application(self, client_id: String, verified: bool) -> DbFuture<'a, bool> {
        all_tenants_query!(self, write, applications::verify_application(client_id, verified))
    }

    /// Returns a page of the applications, with their publishers.
    pub fn list_applications(
        self,
        list_filter: ListFilter<id::Application>,
    ) -> DbFuture<'a, Vec<(Application, Option<Organization>)>> {
        all_tenants_query!(self, read, listing::list_applications(list_filter))
    }
}

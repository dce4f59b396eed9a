//! Queries on applications.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, endpoints, listed};
use crate::cached::Cached;
use crate::records::{Application, ApplicationChange, Handshake};
use crate::schema::{applications, handshakes, organizations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{ApplicationId, OrganizationId};
use domain::time::Timestamp;
use std::collections::BTreeSet;

pub async fn insert_application(conn: &mut Conn, new: Application) -> Result<()> {
    diesel::insert_into(applications::table).values(&new).execute(conn).await?;
    Ok(())
}

/// Returns an application by its client id, unless it is deleted. The client id is not a secret, so
/// any caller may run this query.
pub async fn application(conn: &mut Conn, client_id: String) -> Result<Option<Application>> {
    let found = applications::table
        .filter(applications::client_id.eq(client_id))
        .filter(applications::deleted_at.is_null())
        .select(Application::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns the applications with these client ids, without deleted ones.
pub(super) async fn list_applications_by_client_id(
    conn: &mut SharedConn<'_>,
    client_ids: &BTreeSet<&str>,
) -> Result<Vec<Application>> {
    let of = applications::table
        .filter(applications::client_id.eq_any(listed(client_ids.iter().copied())))
        .filter(applications::deleted_at.is_null())
        .select(Application::as_select());
    Ok(Cached(of).load(conn).await?)
}

/// Returns the application whose secret has this digest. The lookup is by the secret and not by the
/// client id, for the reason given at `keys::caller`.
pub async fn application_by_secret(
    conn: &mut Conn,
    secret_digest: Vec<u8>,
) -> Result<Option<Application>> {
    let found = applications::table
        .filter(applications::secret_digest.eq(secret_digest))
        .filter(applications::deleted_at.is_null())
        .select(Application::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns an application by its id, unless it is deleted.
pub async fn find(conn: &mut Conn, id: ApplicationId) -> Result<Option<Application>> {
    let found = applications::table
        .filter(applications::id.eq(Col(id)))
        .filter(applications::deleted_at.is_null())
        .select(Application::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns the applications of connections, including deleted applications, because their
/// connections remain.
pub(super) async fn applications_of_connections(
    conn: &mut SharedConn<'_>,
    ids: Vec<Col<ApplicationId>>,
) -> Result<Vec<Application>> {
    let of = applications::table
        .filter(applications::id.eq_any(listed(ids)))
        .select(Application::as_select());
    Ok(Cached(of).load(conn).await?)
}

/// Returns the applications that an organization registered, the newest first.
pub async fn own_applications(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Vec<Application>> {
    let own = applications::table
        .filter(applications::organization_id.eq(Col(organization)))
        .filter(applications::deleted_at.is_null())
        .order((applications::created_at.desc(), applications::id.desc()))
        .select(Application::as_select());
    Ok(own.load(conn).await?)
}

/// Returns the directory of published applications with their publishers' names, sorted by name.
pub async fn published_applications(
    conn: &mut Conn,
    limit: i64,
) -> Result<Vec<(Application, Option<String>)>> {
    let published = applications::table
        .left_join(organizations::table)
        // The filter has no parameter, so that it matches the condition of the partial index.
        .filter(applications::published)
        .filter(applications::deleted_at.is_null())
        .filter(applications::organization_id.is_not_null().or(applications::verified.eq(true)))
        .order((applications::name, applications::id))
        .limit(limit)
        .select((Application::as_select(), organizations::name.nullable()));
    Ok(published.load(conn).await?)
}

/// Changes an application of the organization. Returns `false` if it has none with this id.
pub async fn change_application(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ApplicationId,
    change: ApplicationChange,
) -> Result<bool> {
    let own = applications::table
        .filter(applications::id.eq(Col(id)))
        .filter(applications::organization_id.eq(Col(organization)))
        .filter(applications::deleted_at.is_null());
    Ok(diesel::update(own).set(change).execute(conn).await? > 0)
}

pub async fn own_application(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ApplicationId,
) -> Result<Option<Application>> {
    let found = applications::table
        .filter(applications::id.eq(Col(id)))
        .filter(applications::organization_id.eq(Col(organization)))
        .filter(applications::deleted_at.is_null())
        .select(Application::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Adds an application to the public directory, or removes it from the directory.
pub async fn publish_application(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ApplicationId,
    published: bool,
) -> Result<bool> {
    let own = applications::table
        .filter(applications::id.eq(Col(id)))
        .filter(applications::organization_id.eq(Col(organization)))
        .filter(applications::deleted_at.is_null());
    let published = applications::published.eq(published);
    Ok(diesel::update(own).set(published).execute(conn).await? > 0)
}

/// Replaces an application's secret. The old one is invalid at once.
pub async fn renew_application(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ApplicationId,
    secret_digest: Vec<u8>,
) -> Result<bool> {
    let own = applications::table
        .filter(applications::id.eq(Col(id)))
        .filter(applications::organization_id.eq(Col(organization)))
        .filter(applications::deleted_at.is_null());
    let renewed = applications::secret_digest.eq(secret_digest);
    Ok(diesel::update(own).set(renewed).execute(conn).await? > 0)
}

/// Marks an application as deleted. This does not revoke its connections
/// (`docs/contract.md#applications`), but deletes its webhook endpoints.
pub async fn delete_application(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ApplicationId,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let own = applications::table
            .filter(applications::id.eq(Col(id)))
            .filter(applications::organization_id.eq(Col(organization)))
            .filter(applications::deleted_at.is_null());
        let deleted = applications::deleted_at.eq(Some(Col(at)));
        let found = diesel::update(own).set(deleted).execute(conn).await? > 0;
        if found {
            endpoints::delete_endpoints_of(conn, id, at).await?;
        }
        Ok::<_, Error>(found)
    })
    .await
}

/// Deletes an application of the platform, which belongs to no organization. Returns `false` if
/// there is no such application.
pub async fn delete_platform_application(
    conn: &mut Conn,
    id: ApplicationId,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let one = applications::table
            .filter(applications::id.eq(Col(id)))
            .filter(applications::organization_id.is_null())
            .filter(applications::deleted_at.is_null());
        let deleted = applications::deleted_at.eq(Some(Col(at)));
        let found = diesel::update(one).set(deleted).execute(conn).await? > 0;
        if found {
            endpoints::delete_endpoints_of(conn, id, at).await?;
        }
        Ok::<_, Error>(found)
    })
    .await
}

/// Marks an application as verified by an operator, or removes the mark.
pub async fn verify_application(
    conn: &mut Conn,
    client_id: String,
    verified: bool,
) -> Result<bool> {
    let seen = applications::table
        .filter(applications::client_id.eq(client_id))
        .filter(applications::deleted_at.is_null());
    Ok(diesel::update(seen).set(applications::verified.eq(verified)).execute(conn).await? > 0)
}

pub async fn insert_handshake(conn: &mut Conn, new: Handshake) -> Result<()> {
    diesel::insert_into(handshakes::table).values(&new).execute(conn).await?;
    Ok(())
}

/// Logs a fault of an authorize request. The row's id is derived from the application and the
/// fault, so a repeated fault replaces the earlier row. Anybody can send faulty requests, and
/// without this rule they could fill the table.
pub async fn record_faulty_request(conn: &mut Conn, new: Handshake) -> Result<()> {
    let at = handshakes::at.eq(Col(new.at));
    diesel::insert_into(handshakes::table)
        .values(&new)
        .on_conflict(handshakes::id)
        .do_update()
        .set(at)
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns the results of the code exchanges of one of the organization's applications since
/// `since`, the newest first, with the names of the organizations.
pub async fn handshakes(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ApplicationId,
    since: Timestamp,
    limit: i64,
) -> Result<Vec<(Handshake, Option<String>)>> {
    let own = applications::table
        .filter(applications::id.eq(Col(id)))
        .filter(applications::organization_id.eq(Col(organization)))
        .select(applications::id);
    let log = handshakes::table
        .left_join(organizations::table)
        .filter(handshakes::application_id.nullable().eq(own.single_value()))
        .filter(handshakes::at.ge(Col(since)))
        .order((handshakes::at.desc(), handshakes::id.desc()))
        .limit(limit)
        .select((Handshake::as_select(), organizations::name.nullable()));
    Ok(log.load(conn).await?)
}

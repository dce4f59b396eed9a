//! Sessions of the dashboard and their members.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, connect};
use crate::records::{Consent, Member, Session};
use crate::schema::{consents, members, memberships, sessions};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{MemberId, OrganizationId};
use domain::time::Timestamp;

/// Returns the session with this digest, if it was used since `cutoff`.
pub async fn session(
    conn: &mut Conn,
    digest: Vec<u8>,
    cutoff: Timestamp,
) -> Result<Option<Session>> {
    session_beside(shared!(conn), digest, cutoff).await
}

/// Returns the session with this digest, if it was used since `cutoff`. Another statement may run
/// on the connection at the same time.
pub(crate) async fn session_beside(
    conn: &mut SharedConn<'_>,
    digest: Vec<u8>,
    cutoff: Timestamp,
) -> Result<Option<Session>> {
    let found = sessions::table
        .filter(sessions::digest.eq(digest))
        .filter(sessions::seen_at.gt(Col(cutoff)))
        .select(Session::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Stores `at` as the time at which a session was last used.
pub async fn touch_session(conn: &mut Conn, digest: Vec<u8>, at: Timestamp) -> Result<()> {
    let session = sessions::table.filter(sessions::digest.eq(digest));
    diesel::update(session).set(sessions::seen_at.eq(Col(at))).execute(conn).await?;
    Ok(())
}

/// Creates a session with a new secret for a member who signs in (`docs/security.md` 12). The new
/// session replaces the session `before` and takes over its consents. `asked` is a consent that the
/// member has to answer after signing in.
pub async fn sign_in(
    conn: &mut Conn,
    before: Option<Vec<u8>>,
    new: Session,
    asked: Option<Consent>,
) -> Result<()> {
    conn.transaction(async |conn| {
        let digest = new.digest.clone();
        diesel::insert_into(sessions::table).values(&new).execute(conn).await?;
        if let Some(asked) = asked {
            connect::insert_consent(conn, asked).await?;
        }
        if let Some(before) = before {
            let consents_of_session =
                consents::table.filter(consents::session_digest.eq(before.clone()));
            diesel::update(consents_of_session)
                .set(consents::session_digest.eq(digest))
                .execute(conn)
                .await?;
            diesel::delete(sessions::table.filter(sessions::digest.eq(before)))
                .execute(conn)
                .await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

pub async fn end_session(conn: &mut Conn, digest: Vec<u8>) -> Result<()> {
    diesel::delete(sessions::table.filter(sessions::digest.eq(digest))).execute(conn).await?;
    Ok(())
}

/// Switches a session to another organization of the member. Returns `false` if the member does not
/// belong to it.
pub async fn choose_organization(
    conn: &mut Conn,
    member: MemberId,
    digest: Vec<u8>,
    organization: OrganizationId,
) -> Result<bool> {
    let belongs: i64 = memberships::table
        .filter(memberships::member_id.eq(Col(member)))
        .filter(memberships::organization_id.eq(Col(organization)))
        .count()
        .get_result(conn)
        .await?;
    if belongs == 0 {
        return Ok(false);
    }
    let session = sessions::table.filter(sessions::digest.eq(digest));
    let chosen = sessions::organization_id.eq(Some(Col(organization)));
    diesel::update(session).set(chosen).execute(conn).await?;
    Ok(true)
}

/// Returns the number of sessions that were used since `cutoff`.
pub async fn count_sessions(conn: &mut Conn, cutoff: Timestamp) -> Result<i64> {
    let used = sessions::table.filter(sessions::seen_at.gt(Col(cutoff)));
    Ok(used.count().get_result(conn).await?)
}

/// Deletes at most `portion` sessions that were not used since `cutoff`, and returns how many.
pub async fn delete_expired_sessions(
    conn: &mut Conn,
    cutoff: Timestamp,
    portion: i64,
) -> Result<usize> {
    let idle = sessions::table
        .filter(sessions::seen_at.le(Col(cutoff)))
        .order(sessions::seen_at)
        .limit(portion)
        .select(sessions::digest);
    let idle: Vec<Vec<u8>> = idle.load(conn).await?;
    // The condition is repeated, because a session may have been used in the meantime.
    let idle = sessions::table
        .filter(sessions::digest.eq_any(idle))
        .filter(sessions::seen_at.le(Col(cutoff)));
    Ok(diesel::delete(idle).execute(conn).await?)
}

/// Returns the member with this email address. Addresses are stored in lowercase, so the argument
/// must be in lowercase.
pub async fn member_of_email(conn: &mut Conn, email: String) -> Result<Option<Member>> {
    let found = members::table
        .filter(members::email.eq(email))
        .select(Member::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns the sessions of a member that were used since `cutoff`, the last used first, at most
/// `most`.
pub async fn sessions_of(
    conn: &mut Conn,
    member: MemberId,
    cutoff: Timestamp,
    most: i64,
) -> Result<Vec<Session>> {
    let theirs = sessions::table
        .filter(sessions::member_id.eq(Some(Col(member))))
        .filter(sessions::seen_at.gt(Col(cutoff)))
        .order((sessions::seen_at.desc(), sessions::digest))
        .limit(most)
        .select(Session::as_select());
    Ok(theirs.load(conn).await?)
}

/// Ends all sessions of a member, and returns how many.
pub async fn end_sessions(conn: &mut Conn, member: MemberId) -> Result<usize> {
    let theirs = sessions::table.filter(sessions::member_id.eq(Some(Col(member))));
    Ok(diesel::delete(theirs).execute(conn).await?)
}

/// Ends one session of a member. Returns `false` if the member has no session with this digest.
pub async fn end_session_of(conn: &mut Conn, member: MemberId, digest: Vec<u8>) -> Result<bool> {
    let one = sessions::table
        .filter(sessions::member_id.eq(Some(Col(member))))
        .filter(sessions::digest.eq(digest));
    Ok(diesel::delete(one).execute(conn).await? > 0)
}

//! Submitted forms of the dashboard, and their results.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{FormKey, FormResult};
use crate::schema::forms::form_results;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::OrganizationId;
use domain::time::Timestamp;

#[diesel::dsl::auto_type]
fn of_key(organization: Col<OrganizationId>, session: Vec<u8>, id: String) -> _ {
    form_results::table
        .filter(form_results::organization_id.eq(organization))
        .filter(form_results::session_digest.eq(session))
        .filter(form_results::id.eq(id))
}

/// Records that a form is submitted. Returns `false` if it was submitted before. Of several
/// concurrent submissions exactly one is the first.
pub async fn insert_form(conn: &mut Conn, new: FormResult) -> Result<bool> {
    let first = diesel::insert_into(form_results::table).values(&new).on_conflict_do_nothing();
    Ok(first.execute(conn).await? == 1)
}

/// Returns the record of a submitted form, with the result if the form has been processed.
pub async fn form_result(conn: &mut Conn, key: FormKey) -> Result<Option<FormResult>> {
    let found = of_key(Col(key.organization), key.session, key.id).select(FormResult::as_select());
    Ok(found.get_result(conn).await.optional()?)
}

/// Stores the result of a submitted form.
pub async fn finish_form(
    conn: &mut Conn,
    key: FormKey,
    location: String,
    notice: Option<Vec<u8>>,
) -> Result<()> {
    let result = (form_results::location.eq(Some(location)), form_results::notice.eq(notice));
    let submitted = of_key(Col(key.organization), key.session, key.id);
    diesel::update(submitted).set(result).execute(conn).await?;
    Ok(())
}

/// Removes the record of a submitted form, because nothing was done and the form may be submitted
/// again.
pub async fn release_form(conn: &mut Conn, key: FormKey) -> Result<()> {
    let submitted = of_key(Col(key.organization), key.session, key.id);
    diesel::delete(submitted).execute(conn).await?;
    Ok(())
}

/// Returns and deletes the notice that a page shows once after a form. Returns `None` if the notice
/// was shown before or is older than `cutoff`.
pub async fn consume_notice(
    conn: &mut Conn,
    key: FormKey,
    cutoff: Timestamp,
) -> Result<Option<Vec<u8>>> {
    conn.transaction(async |conn| {
        let FormKey { organization, session, id } = key;
        let fresh = of_key(Col(organization), session.clone(), id.clone())
            .filter(form_results::created_at.gt(Col(cutoff)))
            .select(form_results::notice);
        let found: Option<Option<Vec<u8>>> =
            for_update!(fresh).get_result(conn).await.optional()?;
        let Some(notice) = found.flatten() else { return Ok(None) };
        let shown = form_results::notice.eq(None::<Vec<u8>>);
        let submitted = of_key(Col(organization), session, id);
        diesel::update(submitted).set(shown).execute(conn).await?;
        Ok::<_, Error>(Some(notice))
    })
    .await
}

/// Deletes up to `portion` notices from before `unread` that were never shown, and up to `portion`
/// forms from before `cutoff`. Returns the number of both together.
pub async fn delete_expired_forms(
    conn: &mut Conn,
    unread: Timestamp,
    cutoff: Timestamp,
    portion: i64,
) -> Result<usize> {
    let old = form_results::table
        .filter(form_results::created_at.lt(Col(unread)))
        .filter(form_results::notice.is_not_null())
        .limit(portion)
        .select(form_results::id);
    let old: Vec<String> = old.load(conn).await?;
    let unread = form_results::table.filter(form_results::id.eq_any(old));
    let shown = form_results::notice.eq(None::<Vec<u8>>);
    let erased = diesel::update(unread).set(shown).execute(conn).await?;
    let old = form_results::table
        .filter(form_results::created_at.lt(Col(cutoff)))
        .limit(portion)
        .select(form_results::id);
    let old: Vec<String> = old.load(conn).await?;
    let over = form_results::table
        .filter(form_results::created_at.lt(Col(cutoff)))
        .filter(form_results::id.eq_any(old));
    Ok(erased + diesel::delete(over).execute(conn).await?)
}

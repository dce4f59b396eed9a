//! Templates.
use super::Conn;
use crate::Result;
use crate::rows::Template;
use crate::schema::templates;
use crate::types::Col;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::OrganizationId;

pub async fn insert_template(conn: &mut Conn, new: Template) -> Result<()> {
    diesel::insert_into(templates::table).values(new).execute(conn).await?;
    Ok(())
}

/// A send names a template by name and language (`contract.md` 2).
pub async fn template_named(
    conn: &mut Conn,
    organization: OrganizationId,
    name: String,
    language: String,
) -> Result<Option<Template>> {
    let found = templates::table
        .filter(templates::organization_id.eq(Col(organization)))
        .filter(templates::name.eq(name))
        .filter(templates::language.eq(language))
        .select(Template::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

//! The condition on a webhook endpoint's owner, which every statement on an endpoint includes.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::Owner;
use crate::schema::webhooks::webhook_endpoints;
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ApplicationId, OrganizationId, WebhookEndpointId};

/// The condition that an endpoint belongs to an organization or an application. One of the two
/// arguments is null, and a comparison with null is never true.
#[diesel::dsl::auto_type]
pub(super) fn owned(
    organization: Option<Col<OrganizationId>>,
    application: Option<Col<ApplicationId>>,
) -> _ {
    webhook_endpoints::organization_id
        .eq(organization)
        .or(webhook_endpoints::application_id.eq(application))
}

/// The id of one of the owner's endpoints, as a subquery.
#[diesel::dsl::auto_type]
fn own_id(
    organization: Option<Col<OrganizationId>>,
    application: Option<Col<ApplicationId>>,
    id: Col<WebhookEndpointId>,
) -> _ {
    let own: owned = owned(organization, application);
    webhook_endpoints::table
        .filter(webhook_endpoints::id.eq(id))
        .filter(own)
        .select(webhook_endpoints::id)
        .single_value()
}

/// Builds the subquery for the id of one of the owner's endpoints.
pub(super) fn own_endpoint_id(owner: Owner, id: WebhookEndpointId) -> own_id {
    own_id(owner.organization().map(Col), owner.application().map(Col), Col(id))
}

/// Returns the sealed secret of one of the owner's endpoints, and locks its row until the
/// transaction ends.
pub(super) async fn held_secret(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
) -> Result<Option<Vec<u8>>> {
    let own = webhook_endpoints::table
        .filter(webhook_endpoints::id.eq(Col(id)))
        .filter(owned(owner.organization().map(Col), owner.application().map(Col)))
        .select(webhook_endpoints::secret);
    Ok(for_update!(own).get_result(conn).await.optional()?)
}

/// Returns the id of an endpoint if it belongs to the owner.
pub(super) async fn own_endpoint(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
) -> Result<Option<Col<WebhookEndpointId>>> {
    Ok(diesel::select(own_endpoint_id(owner, id)).get_result(conn).await?)
}

//! Applications (`docs/contract.md#applications`): those that organizations have registered, and
//! those of the platform.

use auth::secret::{Holder, Secret, client_id};
use domain::application::{RedirectUri, Terms};
use domain::id::{ApplicationId, Id, OrganizationId};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use persistence::records::{Application, ApplicationChange, Handshake};
use persistence::{Document, Reader, Result};
use platform::BaseDeps;
use serde::Serialize;
use std::time::Duration;

/// How long entries of the handshake log are kept (`docs/contract.md#handshake-log`).
pub const HANDSHAKE_LOG_RETENTION: Duration = Duration::from_hours(30 * 24);
/// Maximum number of entries of a handshake log that are shown.
const MAX_LOG_ENTRIES: i64 = 100;

/// A new application with its secret, which is shown only here.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct CreatedApplication {
    pub id: String,
    pub name: String,
    pub client_id: String,
    pub client_secret: String,
    pub redirect_uris: Vec<String>,
    pub scopes: Vec<&'static str>,
    pub published: bool,
}

/// An entry of the handshake log, with the name of the organization if it is known.
pub type LoggedHandshake = (Handshake, Option<String>);

/// Lists all applications of the organization.
pub async fn list(deps: &BaseDeps, reader: Reader) -> Result<Vec<Application>> {
    deps.db.reads(reader).own_applications().await
}

pub async fn find(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: ApplicationId,
) -> Result<Option<Application>> {
    deps.db.organization(organization).own_application(id).await
}

/// Registers an application. A published one is listed in the directory.
pub async fn register(
    deps: &BaseDeps,
    organization: OrganizationId,
    terms: &Terms,
    published: bool,
) -> Result<CreatedApplication> {
    insert(deps, Some(organization), terms, published).await
}

/// Changes the terms of an application. Returns `false` if it does not exist. If the terms
/// change, the application loses its badge, because an operator verified the earlier terms.
pub async fn change(
    deps: &BaseDeps,
    organization: OrganizationId,
    known: &Application,
    terms: &Terms,
) -> Result<bool> {
    let mut change = columns(terms);
    change.verified = known.verified && is_the_same(known, &change);
    deps.db.organization(organization).change_application(known.id, change).await
}

/// Gives an application a new secret, which is shown only here.
pub async fn rotate_secret(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: ApplicationId,
) -> Result<Option<Secret>> {
    let secret = Secret::new(deps.entropy.bytes());
    let digest = secret.digest().as_bytes().to_vec();
    let organization_db = deps.db.organization(organization);
    Ok(organization_db.renew_application(id, digest).await?.then_some(secret))
}

/// Lists an application in the directory, or removes it from there. Returns `false` if it does
/// not exist.
pub async fn publish(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: ApplicationId,
    published: bool,
) -> Result<bool> {
    deps.db.organization(organization).publish_application(id, published).await
}

/// Deletes an application. It can then not be connected, but existing connections stay.
/// Returns `false` if it does not exist.
pub async fn delete(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: ApplicationId,
) -> Result<bool> {
    deps.db.organization(organization).delete_application(id, deps.clock.now()).await
}

/// Lists the last exchanges of an application, newest first.
pub async fn handshakes(
    deps: &BaseDeps,
    reader: Reader,
    id: ApplicationId,
) -> Result<Vec<LoggedHandshake>> {
    let since = deps.clock.now().minus(HANDSHAKE_LOG_RETENTION);
    deps.db.reads(reader).handshakes(id, since, MAX_LOG_ENTRIES).await
}

/// Registers an application. Without an organization it is a platform application.
pub(crate) async fn insert(
    deps: &BaseDeps,
    organization: Option<OrganizationId>,
    terms: &Terms,
    published: bool,
) -> Result<CreatedApplication> {
    let now = deps.clock.now();
    let (id, secret): (ApplicationId, _) =
        (Id::new(now, deps.entropy.id_bytes()), Secret::new(deps.entropy.bytes()));
    let client_id = client_id(Holder::Application, deps.entropy.bytes());
    let ApplicationChange { name, description, start_url, redirect_uris, scopes, verified } =
        columns(terms);
    let row = Application {
        id,
        client_id: client_id.clone(),
        secret_digest: secret.digest().as_bytes().to_vec(),
        name: name.clone(),
        description,
        start_url,
        redirect_uris,
        scopes,
        organization_id: organization,
        published,
        verified,
        created_at: now,
        deleted_at: None,
    };
    deps.db.insert_application(row).await?;
    Ok(CreatedApplication {
        id: id.to_string(),
        name,
        client_id,
        client_secret: secret.reveal().to_owned(),
        redirect_uris: addresses(terms),
        scopes: terms.scopes.iter().map(Scope::as_str).collect(),
        published,
    })
}

fn addresses(terms: &Terms) -> Vec<String> {
    terms.redirect_uris.iter().map(|it| RedirectUri::as_str(it).to_owned()).collect()
}

fn columns(terms: &Terms) -> ApplicationChange {
    let scopes: Vec<&'static str> = terms.scopes.iter().map(Scope::as_str).collect();
    ApplicationChange {
        name: terms.name.to_string(),
        description: terms.description.clone(),
        start_url: terms.start_url.clone(),
        redirect_uris: Document(serde_json::json!(addresses(terms)).to_string()),
        scopes: scopes.join(" "),
        verified: false,
    }
}

fn is_the_same(known: &Application, change: &ApplicationChange) -> bool {
    known.name == change.name
        && known.description == change.description
        && known.start_url == change.start_url
        && known.redirect_uris.0 == change.redirect_uris.0
        && known.scopes == change.scopes
}

//! Third-party applications.

use super::Admin;
use anyhow::{Context as _, Result, bail};
use auth::secret::{Holder, Secret, client_id};
use domain::application::{self, REDIRECT_URIS_MOST, RedirectUri};
use domain::id::{ApplicationId, OrganizationId};
use domain::scope::{Scope, ScopeSet};
use domain::word::Word as _;
use persistence::Document;
use persistence::rows::Application;
use serde::Serialize;

/// An application to be registered.
#[derive(Clone, Debug)]
pub struct NewApplication<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where members are sent back to.
    pub redirect_uris: &'a [String],
    /// What it may ask for.
    pub scopes: ScopeSet,
    /// A line about it.
    pub description: &'a str,
    /// Its page that begins a handshake.
    pub start_url: Option<&'a str>,
    /// Whether every business sees it.
    pub published: bool,
}

/// An application that was registered, with its secret, which is shown here and never again.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct MadeApplication {
    pub id: String,
    pub name: String,
    pub client_id: String,
    pub client_secret: String,
    pub redirect_uris: Vec<String>,
    pub scopes: Vec<&'static str>,
    pub published: bool,
}

impl Admin<'_> {
    /// Registers an application; without an organization it is a platform application.
    pub async fn create_application(
        &self,
        organization: Option<OrganizationId>,
        new: NewApplication<'_>,
    ) -> Result<MadeApplication> {
        let name = application::name(new.name)?;
        let description = application::description(new.description)?;
        let start_url = new.start_url.map(application::start_url).transpose()?;
        if new.redirect_uris.is_empty() || new.redirect_uris.len() > REDIRECT_URIS_MOST {
            bail!("an application has 1 to {REDIRECT_URIS_MOST} redirect addresses");
        }
        for address in new.redirect_uris {
            RedirectUri::parse(address).with_context(|| format!("{address:?}"))?;
        }
        if new.scopes.is_empty() {
            bail!("an application registers at least one scope");
        }
        let (id, secret): (ApplicationId, _) = (self.id(), Secret::new(self.entropy.bytes()));
        let client_id = client_id(Holder::Application, self.entropy.bytes());
        let scopes: Vec<&'static str> = new.scopes.iter().map(Scope::as_str).collect();
        let row = Application {
            id: id.into(),
            client_id: client_id.clone(),
            secret_digest: secret.digest().as_bytes().to_vec(),
            name: name.to_string(),
            description,
            start_url,
            redirect_uris: Document(serde_json::to_string(new.redirect_uris)?),
            scopes: scopes.join(" "),
            organization_id: organization.map(Into::into),
            published: new.published,
            verified: false,
            created_at: self.clock.now().into(),
            deleted_at: None,
        };
        self.db.insert_application(row).await?;
        Ok(MadeApplication {
            id: id.to_string(),
            name: name.to_string(),
            client_id,
            client_secret: secret.reveal().to_owned(),
            redirect_uris: new.redirect_uris.to_vec(),
            scopes,
            published: new.published,
        })
    }

    /// Gives an application the badge.
    pub async fn verify_application(&self, client_id: &str) -> Result<()> {
        if !self.db.verify_application(client_id.to_owned()).await? {
            bail!("there is no application {client_id}");
        }
        Ok(())
    }
}

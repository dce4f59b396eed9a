//! Third-party applications.

use super::{Admin, AdminError};
use auth::secret::{Holder, Secret, client_id};
use domain::application::{RedirectUri, Terms};
use domain::id::{ApplicationId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use persistence::Document;
use persistence::rows::{Application, ApplicationChange};
use serde::Serialize;

/// An application that was registered, with its secret, which is shown here and never again.
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

impl Admin<'_> {
    /// Registers an application; without an organization it is a platform application.
    pub async fn create_application(
        &self,
        organization: Option<OrganizationId>,
        terms: &Terms,
        published: bool,
    ) -> Result<CreatedApplication, persistence::Error> {
        let (id, secret): (ApplicationId, _) = (self.id(), Secret::new(self.entropy.bytes()));
        let client_id = client_id(Holder::Application, self.entropy.bytes());
        let ApplicationChange { name, description, start_url, redirect_uris, scopes, verified } =
            columns(terms);
        let row = Application {
            id: id.into(),
            client_id: client_id.clone(),
            secret_digest: secret.digest().as_bytes().to_vec(),
            name: name.clone(),
            description,
            start_url,
            redirect_uris,
            scopes,
            organization_id: organization.map(Into::into),
            published,
            verified,
            created_at: self.clock.now().into(),
            deleted_at: None,
        };
        self.db.insert_application(row).await?;
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

    /// Gives an application of the organization other terms; `false` if it has none of that id. The badge
    /// was given to the terms that were looked at: others have to be looked at again.
    pub async fn change_application(
        &self,
        organization: OrganizationId,
        known: &Application,
        terms: &Terms,
    ) -> Result<bool, persistence::Error> {
        let mut change = columns(terms);
        change.verified = known.verified && is_the_same(known, &change);
        self.db.organization(organization).change_application(*known.id, change).await
    }

    /// Gives an application of the organization another secret, which is shown here and never again.
    pub async fn renew_application(
        &self,
        organization: OrganizationId,
        id: ApplicationId,
    ) -> Result<Option<Secret>, persistence::Error> {
        let secret = Secret::new(self.entropy.bytes());
        let digest = secret.digest().as_bytes().to_vec();
        let renewed = self.db.organization(organization).renew_application(id, digest).await?;
        Ok(renewed.then_some(secret))
    }

    /// Gives an application the badge.
    pub async fn verify_application(&self, client_id: &str) -> Result<(), AdminError> {
        if !self.db.operator().verify_application(client_id.to_owned()).await? {
            return Err(AdminError::NoApplication(client_id.to_owned()));
        }
        Ok(())
    }
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

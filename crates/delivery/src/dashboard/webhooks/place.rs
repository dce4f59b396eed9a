//! Whose endpoints a page shows.

use super::super::frame::{AtWork, Frame};
use crate::browser::{Failed, redirect};
use crate::deps::Deps;
use crate::endpoints::{EndpointError, Endpoints};
use crate::problem::Problem;
use actix_web::{HttpRequest, HttpResponse};
use domain::id::ApplicationId;
use persistence::rows::{Endpoint, Owner};

/// The tab under which applications stand.
const APPLICATIONS: &str = "/integrations/applications";

/// A member at work on the endpoints of their organization, or of an application of it.
pub struct Place {
    /// The member.
    pub at_work: AtWork,
    /// Whose endpoints.
    pub owner: Owner,
    /// The application's name.
    pub application: Option<String>,
    /// Where its pages begin.
    pub base: String,
}

impl Place {
    /// The place that a request is about; `Err` with the way out where there is none.
    pub async fn of(
        request: &HttpRequest,
        deps: &Deps,
    ) -> Result<Result<Self, HttpResponse>, Failed> {
        let at_work = AtWork::of(request, deps).await?;
        let Some(id) = request.match_info().get("application") else {
            let owner = Owner::Organization(at_work.id());
            let base = super::PATH.to_owned();
            return Ok(Ok(Self { at_work, owner, application: None, base }));
        };
        let application = match id.parse::<ApplicationId>() {
            Ok(id) => deps.db.application_by_id(id).await?,
            Err(_) => None,
        };
        let own = application.filter(|it| it.organization_id == Some(at_work.organization.id));
        let Some(application) = own else { return Ok(Err(redirect(APPLICATIONS))) };
        let owner = Owner::Application(*application.id);
        let base = format!("{APPLICATIONS}/{}/webhooks", *application.id);
        Ok(Ok(Self { at_work, owner, application: Some(application.name), base }))
    }

    /// What its endpoints are managed with.
    pub const fn endpoints<'a>(&self, deps: &'a Deps) -> Endpoints<'a> {
        Endpoints { deps, owner: self.owner, organization: self.at_work.organization.id.0 }
    }

    /// The endpoint that a request names, if it is one of this place.
    pub async fn endpoint(
        &self,
        request: &HttpRequest,
        deps: &Deps,
    ) -> Result<Option<Endpoint>, Failed> {
        let id = request.match_info().get("endpoint").and_then(|id| id.parse().ok());
        let Some(id) = id else { return Ok(None) };
        Ok(deps.db.endpoint(self.owner, id).await?)
    }

    /// The frame of its pages.
    pub fn frame(&self) -> Frame {
        self.at_work.frame(if self.application.is_some() { APPLICATIONS } else { super::PATH })
    }
}

/// What a member can mend is told; the rest is ours.
pub fn told(error: EndpointError) -> Result<String, Failed> {
    if !error.is_ours() {
        return Ok(error.to_string());
    }
    Err(match error {
        EndpointError::Database(error) => error.into(),
        other => {
            tracing::error!(error = %other, "an endpoint's secret cannot be sealed");
            Failed::Here(Problem::internal())
        }
    })
}

//! Whose endpoints a page shows.

use crate::browser::{Failed, FieldErrors, Form};
use crate::dashboard::frame::{AtWork, Frame};
use crate::dashboard::paths::{APPLICATIONS, WEBHOOKS};
use crate::deps::Deps;
use crate::problem::Problem;
use actix_web::{HttpRequest, web};
use domain::id::ApplicationId;
use persistence::rows::{Endpoint, Owner};
use service::endpoints::{EndpointError, Endpoints};

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
    /// The place that a request is about.
    pub async fn of(request: &HttpRequest, deps: &Deps) -> Result<Self, Failed> {
        let at_work = AtWork::of(request, deps).await?;
        Self::at(at_work, request, deps).await
    }

    /// The place that a form is about, and its fields.
    pub async fn with_form(
        request: &HttpRequest,
        payload: web::Payload,
        deps: &Deps,
    ) -> Result<(Self, Form), Failed> {
        let (at_work, form) = AtWork::with_form(request, payload, deps).await?;
        Ok((Self::at(at_work, request, deps).await?, form))
    }

    async fn at(at_work: AtWork, request: &HttpRequest, deps: &Deps) -> Result<Self, Failed> {
        let Some(id) = request.match_info().get("application") else {
            let owner = Owner::Organization(at_work.id());
            let base = WEBHOOKS.to_owned();
            return Ok(Self { at_work, owner, application: None, base });
        };
        let application = match id.parse::<ApplicationId>() {
            Ok(id) => deps.db.organization(at_work.id()).own_application(id).await?,
            Err(_) => None,
        };
        let application = application.ok_or(Failed::NotFound)?;
        let owner = Owner::Application(*application.id);
        let base = format!("{APPLICATIONS}/{}/webhooks", *application.id);
        Ok(Self { at_work, owner, application: Some(application.name), base })
    }

    /// What its endpoints are managed with.
    pub fn endpoints<'a>(&self, deps: &'a Deps) -> Endpoints<'a> {
        Endpoints { deps, owner: self.owner, organization: self.at_work.organization.id.0 }
    }

    /// The endpoint of this place that a request names.
    pub async fn endpoint(&self, request: &HttpRequest, deps: &Deps) -> Result<Endpoint, Failed> {
        let id = request.match_info().get("endpoint").and_then(|id| id.parse().ok());
        let found = deps.db.owner(self.owner).endpoint(id.ok_or(Failed::NotFound)?).await?;
        found.ok_or(Failed::NotFound)
    }

    /// The frame of its pages.
    pub fn frame(&self) -> Frame {
        self.at_work.frame(if self.application.is_some() { APPLICATIONS } else { WEBHOOKS })
    }
}

/// The error beside the field that it belongs to; what no member can correct is a failure of ours.
pub fn beside_field(error: EndpointError) -> Result<FieldErrors, Failed> {
    let field = match error {
        EndpointError::Url(_) | EndpointError::Unreachable(_) => "url",
        EndpointError::Events(_) => "events",
        EndpointError::Description => "description",
        EndpointError::TooMany => "",
        EndpointError::Database(error) => return Err(error.into()),
        EndpointError::Sealing(error) => return Err(Failed::Here(Problem::internal(&error))),
    };
    Ok(FieldErrors::one(field, error))
}

//! The owner of the webhook endpoints that a page shows.

use crate::browser::{FieldErrors, Form, PageError};
use crate::dashboard::fields::{DESCRIPTION, EVENTS, URL};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::{APPLICATIONS, WEBHOOKS};
use actix_web::{HttpRequest, web};
use domain::id::ApplicationId;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Endpoint, Owner};
use service::actor::MemberEndpoints;
use service::applications;
use service::endpoints::{self, EndpointError, EndpointFault};

/// A signed-in member with the owner of the endpoints: the member's organization or one of its
/// applications.
pub struct EndpointContext {
    pub member_context: MemberContext,
    pub owner: Owner,
    /// The name of the application that owns the endpoints, if one does.
    pub application: Option<String>,
    /// The path of the list of endpoints, with which all paths of its pages begin.
    pub base: String,
}

impl EndpointContext {
    /// Returns the context of a request.
    pub async fn of(request: &HttpRequest, deps: &ServerDeps) -> Result<Self, PageError> {
        let member_context = MemberContext::of(request, deps).await?;
        Self::at(member_context, request, deps).await
    }

    /// Returns the context of a submitted form, and the form.
    pub async fn with_form(
        request: &HttpRequest,
        payload: web::Payload,
        deps: &ServerDeps,
    ) -> Result<(Self, Form), PageError> {
        let (member_context, form) = MemberContext::with_form(request, payload, deps).await?;
        Ok((Self::at(member_context, request, deps).await?, form))
    }

    async fn at(
        member_context: MemberContext,
        request: &HttpRequest,
        deps: &ServerDeps,
    ) -> Result<Self, PageError> {
        member_context.require(Area::Webhooks)?;
        let Some(id) = request.match_info().get("application") else {
            let owner = Owner::Organization(member_context.id());
            let base = WEBHOOKS.to_owned();
            return Ok(Self { member_context, owner, application: None, base });
        };
        let application = match id.parse::<ApplicationId>() {
            Ok(id) => applications::find(deps, member_context.id(), id).await?,
            Err(_) => None,
        };
        let application = application.ok_or(PageError::NotFound)?;
        let owner = Owner::Application(application.id);
        let base = format!("{APPLICATIONS}/{}/webhooks", application.id);
        Ok(Self { member_context, owner, application: Some(application.name), base })
    }

    /// Returns the actions of the member on the owner's endpoints.
    pub fn actions<'a>(&self, deps: &'a ServerDeps) -> MemberEndpoints<'a> {
        self.member_context.actor(deps).endpoints(self.owner)
    }

    /// Returns the endpoint in the path, if it belongs to the owner.
    pub async fn endpoint(
        &self,
        request: &HttpRequest,
        deps: &ServerDeps,
    ) -> Result<Endpoint, PageError> {
        let id = request.match_info().get("endpoint").and_then(|id| id.parse().ok());
        let id = id.ok_or(PageError::NotFound)?;
        endpoints::find(deps, self.owner, id).await?.ok_or(PageError::NotFound)
    }

    /// Returns the name of the list of endpoints, for the link back to it.
    pub fn list_name(&self) -> String {
        match &self.application {
            Some(application) => format!("Webhooks of {application}"),
            None => "Webhooks".to_owned(),
        }
    }

    pub fn frame(&self) -> Frame {
        self.member_context.frame(if self.application.is_some() { APPLICATIONS } else { WEBHOOKS })
    }
}

/// Returns the name of an endpoint on pages: its description, or its URL if it has none.
pub fn name_of(endpoint: &Endpoint) -> &str {
    endpoint.description.as_deref().unwrap_or(&endpoint.url)
}

/// Assigns input errors to their fields. Returns `Err` for an error that no member can correct.
pub fn beside_field(error: EndpointError) -> Result<FieldErrors, PageError> {
    match error {
        EndpointError::Input(faults) => {
            let mut errors = FieldErrors::default();
            for fault in faults {
                errors.add(field_of(&fault), fault);
            }
            Ok(errors)
        }
        EndpointError::TooMany => Ok(FieldErrors::one("", error)),
        EndpointError::Database(error) => Err(error.into()),
        EndpointError::Sealing(error) => Err(PageError::Here(Problem::internal(&error))),
    }
}

const fn field_of(fault: &EndpointFault) -> &'static str {
    match fault {
        EndpointFault::Url(_) | EndpointFault::Unreachable(_) => URL.name,
        EndpointFault::Description(_) => DESCRIPTION.name,
        EndpointFault::Events(_) => EVENTS,
    }
}

//! A call: the only extractor, which goes through the checks in the contract's order with one `now`
//! (`contract.md` 1, Order of checks).

mod body;
mod credentials;
mod decode;
mod gates;
pub mod idempotency;
pub mod in_flight;
pub mod windows;

pub use decode::Shape;

use crate::deps::Deps;
use crate::operation::{Answer, Operation};
use crate::problem::Problem;
use crate::server::request_id;
use actix_web::http::{Method, header};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::id::{AccountId, KeyId, OrganizationId};
use domain::scope::ScopeSet;
use domain::time::Timestamp;
use domain::violation::Violations;
use gates::Standing;
use idempotency::Slot;
use persistence::rows::Caller;
use std::sync::Arc;

/// A call that may go on: authenticated, paid for, within its limits, and decoded.
pub struct Call<O: Operation> {
    /// What the server has.
    pub deps: Arc<Deps>,
    /// When it came in; the one time of all that it does.
    pub now: Timestamp,
    /// Who calls.
    pub caller: Caller,
    /// The calls that count today, this one included.
    pub calls_today: u32,
    /// The parameters in its path.
    pub path: O::Path,
    /// Where its answer is kept, if the caller asked for that.
    pub slot: Option<Slot>,
    input: O::Input,
    faults: Violations,
}

impl<O: Operation> Call<O> {
    /// Makes a domain value of the input: all faults at once, those of decoding included.
    pub fn parse<T>(
        &mut self,
        read: impl FnOnce(&O::Input, &mut Violations) -> Option<T>,
    ) -> Result<T, Problem> {
        let mut faults = std::mem::take(&mut self.faults);
        let value = read(&self.input, &mut faults);
        Ok(faults.settle(value)?)
    }

    /// The key that calls.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.caller.key.id.0
    }

    /// The organization it calls for.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.caller.organization.id.0
    }

    /// The number that the key is bound to.
    #[must_use]
    pub fn bound_account(&self) -> Option<AccountId> {
        self.caller.key.account_id.map(|id| id.0)
    }

    /// The number that the key sends from: its own, or else the organization's default.
    pub fn sending_account(&self) -> Result<AccountId, Problem> {
        let default = self.caller.organization.default_account_id.map(|id| id.0);
        self.bound_account().or(default).ok_or_else(Problem::no_messaging_account)
    }

    /// What the key may do.
    #[must_use]
    pub fn scopes(&self) -> ScopeSet {
        credentials::scopes(&self.caller)
    }
}

/// Goes through a call from head to answer.
pub async fn perform<O: Operation>(
    request: &HttpRequest,
    payload: web::Payload,
    shape: &Shape,
) -> HttpResponse {
    let mut standing = Standing::default();
    let outcome = run::<O>(request, payload, shape, &mut standing).await;
    let mut response = match outcome {
        Ok(answer) => respond(&answer),
        Err(problem) => problem.response(&request_id(request)),
    };
    standing.show(response.headers_mut());
    response
}

fn respond<R>(answer: &Answer<R>) -> HttpResponse {
    let mut response = HttpResponse::build(answer.status);
    response.insert_header((header::CONTENT_TYPE, "application/json"));
    if answer.replayed {
        response.insert_header(("Idempotent-Replayed", "true"));
    }
    response.body(answer.body.clone())
}

async fn run<O: Operation>(
    request: &HttpRequest,
    payload: web::Payload,
    shape: &Shape,
    standing: &mut Standing,
) -> Result<Answer<O::Reply>, Problem> {
    let deps = request.app_data::<web::Data<Arc<Deps>>>().ok_or_else(Problem::internal)?;
    let deps = deps.get_ref().clone();
    let now = deps.clock.now();
    let caller = credentials::authenticate(&deps, request.headers(), now).await?;
    let calls_today = gates::pass::<O>(&deps, &caller, now, standing).await?;
    let path = web::Path::<O::Path>::extract(request).await;
    let path = path.map_err(|_| Problem::not_found("path"))?.into_inner();
    let body = if O::METHOD == Method::GET {
        body::Body::Query(request.query_string().to_owned())
    } else {
        body::receive(request, payload).await?
    };
    let name = idempotency::name::<O>(request.headers())?;
    let Some(name) = name else {
        let (input, faults) = decode::input(&body, shape)?;
        let call = Call { deps, now, caller, calls_today, path, slot: None, input, faults };
        return O::handle(call).await;
    };
    let key = caller.key.id.0;
    let asked = idempotency::Asked { key, path: O::PATH, name, digest: body.digest(), now };
    idempotency::once(&deps.clone(), asked, &request_id(request), async |slot| {
        let (input, faults) = decode::input(&body, shape)?;
        let slot = Some(slot);
        O::handle(Call { deps, now, caller, calls_today, path, slot, input, faults }).await
    })
    .await
}

use actix_web::FromRequest as _;

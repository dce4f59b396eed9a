//! `Expect: 100-continue` (RFC 9110 10.1.1): a client that waits before it sends its body learns of wrong
//! credentials instead of being told to go on. actix-web tells everybody to go on before any code of a handler
//! runs, so this hangs on the service below it.

use crate::observe;
use actix_http::body::BoxBody;
use actix_http::{HttpMessage as _, Request, Response};
use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use api::admission::Access;
use api::admission::pair;
use api::operations::Operations;
use persistence::deadline;
use service::clock::Stopwatch;
use std::sync::Arc;
use web_core::answer_headers;
use web_core::deps::Deps;
use web_core::problem::Problem;
use web_core::request_id;

/// The operations that a client may be waiting to send a body to.
pub struct Expectations {
    deps: Arc<Deps>,
    operations: Vec<(Method, ResourceDef, Access)>,
}

impl Expectations {
    /// Those of a server.
    #[must_use]
    pub fn of(deps: Arc<Deps>, operations: &Operations) -> Self {
        let all = operations.iter();
        let operations = all.map(|it| (it.method.clone(), ResourceDef::new(it.path), it.access));
        Self { deps, operations: operations.collect() }
    }

    /// Lets a client go on whose credentials are right; everything else is judged once the body comes. What
    /// belongs to no operation has no credentials to look at.
    pub async fn judge(&self, request: Request) -> Result<Request, Response<BoxBody>> {
        let watch = Stopwatch::start();
        let found = self
            .operations
            .iter()
            .find(|(method, path, _)| method == request.method() && path.is_match(request.path()));
        let Some((_, path, access)) = found else { return Ok(request) };
        let headers = request.headers();
        let looked_up = async {
            if *access == Access::Application {
                return pair::application(&self.deps, headers).await.map(drop);
            }
            pair::authenticate(&self.deps, headers, self.deps.clock.now()).await.map(drop)
        };
        let admitted = deadline::of_request(move || watch.elapsed(), looked_up).await;
        let Err(problem) = admitted else { return Ok(request) };
        let route = path.pattern().unwrap_or_default();
        Err(self.refuse(&request, route, &problem, watch))
    }

    fn refuse(
        &self,
        request: &Request,
        route: &str,
        problem: &Problem,
        watch: Stopwatch,
    ) -> Response<BoxBody> {
        let id = request_id::of(request.headers(), Some(&self.deps));
        let mut response = problem.response(&id);
        answer_headers::add(response.headers_mut(), &id, Some(&self.deps));
        observe::request(request.method(), route, response.status(), watch.elapsed());
        response.into()
    }
}

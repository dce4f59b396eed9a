//! `Expect: 100-continue` (RFC 9110 section 10.1.1). A client with wrong credentials that waits
//! before it sends its body gets the error immediately. actix-web answers 100 to every such client
//! before any handler runs, so this check is part of the service below actix-web.

use crate::observe;
use actix_http::body::BoxBody;
use actix_http::{HttpMessage as _, Request, Response};
use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use api::admission::Access;
use api::admission::pair;
use api::operations::Operations;
use http_layer::answer_headers;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id;
use persistence::deadline;
use platform::clock::Stopwatch;
use std::sync::Arc;

/// The operations that may receive a body from a waiting client.
pub struct Expectations {
    deps: Arc<ServerDeps>,
    operations: Vec<(Method, ResourceDef, Access)>,
}

impl Expectations {
    #[must_use]
    pub fn new(deps: Arc<ServerDeps>, operations: &Operations) -> Self {
        let all = operations.iter();
        let operations = all.map(|it| (it.method.clone(), ResourceDef::new(it.path), it.access));
        Self { deps, operations: operations.collect() }
    }

    /// Lets a client send its body if its credentials are right. Everything else is checked once
    /// the body arrives. A request for a path without an operation may send its body too, because
    /// no credentials are needed there.
    pub async fn check(&self, request: Request) -> Result<Request, Response<BoxBody>> {
        let watch = Stopwatch::start();
        let found = self
            .operations
            .iter()
            .find(|(method, path, _)| method == request.method() && path.is_match(request.path()));
        let Some((_, path, access)) = found else { return Ok(request) };
        let headers = request.headers();
        let looked_up = async {
            let by_application = match access {
                Access::Application => true,
                Access::KeyOrApplication(_) | Access::AnyKeyOrApplication(_) => {
                    pair::names_application(headers)
                }
                Access::Key(_) | Access::KeyWithEither(..) | Access::AnyKey => false,
            };
            if by_application {
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
        let id = request_id::from_headers(request.headers(), Some(&self.deps));
        let mut response = problem.response(&id);
        answer_headers::add(response.headers_mut(), &id, Some(&self.deps));
        observe::request(request.method(), route, response.status(), watch.elapsed());
        response.into()
    }
}

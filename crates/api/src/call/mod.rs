//! The pipeline of a call. No other extractor reads the request. The pipeline runs the checks in
//! the contract's order, all with the same `now` (`docs/contract.md#order-of-checks`).

mod idempotency;

pub use idempotency::MAX_IDEMPOTENCY_KEY_LENGTH;

use crate::admission::{Admit as _, LimitStatus};
use crate::input::{Input as _, InputBody, Shape, receive};
use crate::operation::{Answer, Call, FileAnswer, Operation};
use actix_web::http::{Method, header};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use futures_util::stream;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use std::sync::Arc;

/// Runs a call from its headers to its answer.
pub async fn perform<O: Operation>(
    request: &HttpRequest,
    payload: web::Payload,
    shape: &Shape,
) -> HttpResponse {
    let mut limit_status = LimitStatus::default();
    let outcome = run::<O>(request, payload, shape, &mut limit_status).await;
    let mut response = match outcome {
        Ok(mut answer) => {
            limit_status.advance(answer.limit_status.take());
            respond::<O>(answer)
        }
        Err(problem) => problem.response(&request_id(request)),
    };
    limit_status.show(response.headers_mut());
    response
}

fn respond<O: Operation>(answer: Answer<O::Reply>) -> HttpResponse {
    let mut response = HttpResponse::build(answer.status);
    response.insert_header((header::CONTENT_TYPE, O::CONTENT_TYPE));
    if answer.replayed {
        response.insert_header(("Idempotent-Replayed", "true"));
    }
    let Some(FileAnswer { name, parts }) = answer.file else { return response.body(answer.body) };
    let name = format!("attachment; filename=\"{name}\"");
    response.insert_header((header::CONTENT_DISPOSITION, name));
    response.streaming(stream::unfold(parts, |mut parts| async move {
        let part = parts.recv().await?;
        Some((part, parts))
    }))
}

async fn run<O: Operation>(
    request: &HttpRequest,
    payload: web::Payload,
    shape: &Shape,
    limit_status: &mut LimitStatus,
) -> Result<Answer<O::Reply>, Problem> {
    let deps = request.app_data::<web::Data<Arc<ServerDeps>>>();
    let deps = deps.ok_or_else(|| Problem::internal("the server has no dependencies"))?;
    let deps = deps.get_ref().clone();
    let now = deps.clock.now();
    let caller =
        O::Caller::admit(&deps, request.headers(), O::ACCESS.access(), now, limit_status).await?;
    let path = web::Path::<O::Path>::extract(request).await;
    let path = path.map_err(|_| Problem::not_found("path"))?.into_inner();
    let body = if O::METHOD == Method::GET {
        InputBody::Query(request.query_string().to_owned())
    } else {
        match receive::<O::Input>(&deps, request, payload).await? {
            // Many clients send a content type with every request, even with an empty body.
            InputBody::Json(bytes) if O::BODY_OPTIONAL && bytes.is_empty() => InputBody::Absent,
            body => body,
        }
    };
    let name = idempotency::name::<O>(request.headers())?;
    let Some(name) = name else {
        let (input, faults) = O::Input::read(&deps, body, shape).await?;
        let call = Call { deps, now, caller, path, slot: None, input, faults };
        return O::handle(call).await;
    };
    let (owner, key) = caller.name();
    let asked = idempotency::IdempotentRequest {
        owner,
        key,
        path: O::PATH,
        shows_secret: O::SHOWS_SECRET,
        name,
        digest: body.digest(),
        now,
    };
    idempotency::once(&deps.clone(), asked, &request_id(request), async |slot| {
        let (input, faults) = O::Input::read(&deps, body, shape).await?;
        let slot = Some(slot);
        O::handle(Call { deps, now, caller, path, slot, input, faults }).await
    })
    .await
}

//! `GET /.well-known/oauth-authorization-server`: the authorization server metadata that OAuth
//! libraries read (RFC 8414, `docs/contract.md#metadata`).

use super::{AUTHORIZE_PATH, TOKEN_PATH};
use actix_web::{HttpResponse, web};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use http_layer::deps::ServerDeps;
use serde::Serialize;
use std::sync::Arc;

pub const PATH: &str = "/.well-known/oauth-authorization-server";

#[derive(Serialize)]
struct ServerMetadata {
    /// The base URL, which redirects repeat as `iss` (RFC 9207).
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    scopes_supported: Vec<&'static str>,
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 1],
    token_endpoint_auth_methods_supported: [&'static str; 2],
    code_challenge_methods_supported: [&'static str; 1],
    service_documentation: String,
    authorization_response_iss_parameter_supported: bool,
}

pub async fn show(deps: web::Data<Arc<ServerDeps>>) -> HttpResponse {
    let base = &deps.config.base_url;
    HttpResponse::Ok().json(ServerMetadata {
        issuer: base.clone(),
        authorization_endpoint: format!("{base}{AUTHORIZE_PATH}"),
        token_endpoint: format!("{base}{TOKEN_PATH}"),
        scopes_supported: Scope::ALL.iter().map(|scope| scope.as_str()).collect(),
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code"],
        token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
        code_challenge_methods_supported: ["S256"],
        service_documentation: format!("{base}/docs#connect"),
        authorization_response_iss_parameter_supported: true,
    })
}

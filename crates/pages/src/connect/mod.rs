//! Connect: one click from a partner's page to a working key (`docs/contract.md#connect`).

mod authorize;
mod button;
mod consent;
mod outcome;
mod pending;
mod token;
pub mod token_answer;
mod token_request;

pub use pending::Pending;

use actix_web::web;
use auth::secret::{Holder, is_client_id};
use persistence::rows::Application;
use std::time::Duration;
use web_core::deps::Deps;

/// How long a member may take to decide (`docs/security.md` 10).
const CONSENT_TTL: Duration = Duration::from_mins(10);

/// Where a code is exchanged.
pub const TOKEN_PATH: &str = "/connect/token";

/// Mounts all of it.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource("/connect/authorize")
            .route(web::get().to(authorize::begin))
            .route(web::head().to(authorize::begin)),
    );
    app.service(
        web::resource("/connect/consent/{id}")
            .route(web::get().to(consent::show))
            .route(web::post().to(consent::decide)),
    );
    app.service(
        web::resource(TOKEN_PATH)
            .route(web::post().to(token::exchange))
            .default_service(web::to(token::wrong_method)),
    );
    app.service(web::resource("/connect/button.js").route(web::get().to(button::serve)));
}

/// The application of a client id. What is not written as one is nobody's: not every text can even be
/// asked of a database.
async fn application(deps: &Deps, client_id: &str) -> persistence::Result<Option<Application>> {
    if !is_client_id(Holder::Application, client_id) {
        return Ok(None);
    }
    deps.db.public().application(client_id.to_owned()).await
}

/// The registered redirect URIs of an application.
fn addresses(application: &Application) -> Option<Vec<String>> {
    serde_json::from_str(&application.redirect_uris.0).ok()
}

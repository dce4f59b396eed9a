//! Connect: the handshake from a click on a partner's page to a working key
//! (`docs/contract.md#connect`).

mod authorize;
mod button;
mod consent;
mod metadata;
mod outcome;
mod pending;
mod token;
pub mod token_answer;
mod token_request;

pub use pending::Pending;

use actix_web::web;

/// The path of the authorize request.
pub const AUTHORIZE_PATH: &str = "/connect/authorize";
/// The path of the code exchange.
pub const TOKEN_PATH: &str = "/connect/token";

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(AUTHORIZE_PATH).route(web::get().to(authorize::begin)));
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
    app.service(web::resource(metadata::PATH).route(web::get().to(metadata::show)));
    app.service(web::resource("/connect/button.js").route(web::get().to(button::serve)));
}

//! Connect: one click from a partner's page to a working key (`service.md` 4.8).

mod handshake;
mod token;
mod token_request;

use actix_web::web;

/// Mounts all of it.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/connect/token").route(web::post().to(token::exchange)));
}

//! Pages of people who are not signed in: sign-in and sign-out (`docs/contract.md#pages`), the first
//! setup, invitations, and choosing a new password.

mod invite;
mod reset;
mod setup;
mod sign_in;

use crate::browser::form_only;
use actix_web::web;

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource("/login")
            .route(web::get().to(sign_in::show))
            .route(web::post().to(sign_in::submit)),
    );
    app.service(form_only("/logout").route(web::post().to(sign_in::leave)));
    app.service(web::resource("/reset/done").route(web::get().to(reset::done)));
    app.service(
        web::resource("/setup/{token}")
            .route(web::get().to(setup::show))
            .route(web::post().to(setup::submit)),
    );
    app.service(
        web::resource("/invite/{token}")
            .route(web::get().to(invite::show))
            .route(web::post().to(invite::submit)),
    );
    app.service(
        web::resource("/reset/{token}")
            .route(web::get().to(reset::show))
            .route(web::post().to(reset::submit)),
    );
}

//! Pages where members sign in, sign out (`docs/contract.md#pages`) and choose a new password.

mod device;
mod reset;
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
        web::resource("/reset/{token}")
            .route(web::get().to(reset::show))
            .route(web::post().to(reset::submit)),
    );
}

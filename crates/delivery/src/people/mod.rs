//! Members: signing in and out (`contract.md` 6).

mod device;
mod sign_in;

use crate::browser::form_only;
use actix_web::web;

/// Mounts the pages.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource("/login")
            .route(web::get().to(sign_in::show))
            .route(web::post().to(sign_in::submit)),
    );
    app.service(form_only("/logout").route(web::post().to(sign_in::leave)));
}

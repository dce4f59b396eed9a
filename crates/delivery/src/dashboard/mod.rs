//! Where members look after their organization's integrations (`contract.md` 6).

mod applications;
mod confirm;
mod connected;
mod directory;
mod frame;
mod keys;
mod webhooks;

use crate::browser::redirect;
use actix_web::web;

/// The pages, in the order of their tabs.
pub const TABS: &[(&str, &str)] = &[
    (keys::PATH, "API keys"),
    (connected::PATH, "Connected apps"),
    (directory::PATH, "Custom apps"),
    (applications::PATH, "My applications"),
    (webhooks::PATH, "Webhooks"),
];

/// Mounts them.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/").route(web::get().to(async || redirect(keys::PATH))));
    app.service(web::resource("/organization").route(web::post().to(frame::switch)));
    app.service(
        web::resource(keys::PATH)
            .route(web::get().to(keys::show))
            .route(web::post().to(keys::create)),
    );
    app.service(web::resource("/integrations/keys/{id}").route(web::post().to(keys::change)));
    app.service(
        web::resource("/integrations/keys/{id}/delete").route(web::get().to(keys::confirm)),
    );
    app.service(web::resource(connected::PATH).route(web::get().to(connected::show)));
    applications::mount(app);
    app.service(web::resource(directory::PATH).route(web::get().to(directory::show)));
    webhooks::mount(app);
}

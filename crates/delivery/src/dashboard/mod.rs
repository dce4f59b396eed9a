//! Where members look after their organization's integrations (`docs/contract.md#pages`).

mod applications;
mod confirm;
mod connected;
mod directory;
mod frame;
mod keys;
mod notice;
mod once;
mod plan;
mod webhooks;

use crate::browser::{form_only, redirect};
use actix_web::web;

/// The pages, in the order of their tabs.
pub const TABS: &[(&str, &str)] = &[
    (keys::PATH, "API keys"),
    (connected::PATH, "Connected apps"),
    (directory::PATH, "Custom apps"),
    (applications::PATH, "My applications"),
    (webhooks::PATH, "Webhooks"),
    (plan::PATH, "Plan"),
];

/// Mounts them.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/").route(web::get().to(async || redirect(keys::PATH))));
    app.service(form_only("/organization").route(web::post().to(frame::switch)));
    keys::mount(app);
    app.service(web::resource(connected::PATH).route(web::get().to(connected::show)));
    applications::mount(app);
    app.service(web::resource(directory::PATH).route(web::get().to(directory::show)));
    webhooks::mount(app);
    app.service(web::resource(plan::PATH).route(web::get().to(plan::show)));
}

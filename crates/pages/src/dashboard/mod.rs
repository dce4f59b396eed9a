//! The pages on which members manage their organization's integrations (`docs/contract.md#pages`).

mod applications;
mod confirm;
mod connected;
mod directory;
mod frame;
mod keys;
mod notice;
mod once;
pub mod paths;
mod plan;
mod webhooks;

use crate::browser::{form_only, redirect};
use actix_web::web;

/// The pages, in the order of their tabs.
pub const TABS: &[(&str, &str)] = &[
    (paths::KEYS, "API keys"),
    (paths::CONNECTED, "Connected apps"),
    (paths::DIRECTORY, "Custom apps"),
    (paths::APPLICATIONS, "My applications"),
    (paths::WEBHOOKS, "Webhooks"),
    (paths::PLAN, "Plan"),
];

/// Mounts them.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/").route(web::get().to(async || redirect(paths::KEYS))));
    app.service(form_only("/organization").route(web::post().to(frame::switch)));
    keys::mount(app);
    app.service(web::resource(paths::CONNECTED).route(web::get().to(connected::show)));
    applications::mount(app);
    app.service(web::resource(paths::DIRECTORY).route(web::get().to(directory::show)));
    webhooks::mount(app);
    app.service(web::resource(paths::PLAN).route(web::get().to(plan::show)));
}

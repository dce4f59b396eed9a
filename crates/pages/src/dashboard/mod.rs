//! Pages where members manage their organization's integrations (`docs/contract.md#pages`).

mod applications;
#[cfg(debug_assertions)]
mod components;
mod confirm;
mod connected;
mod directory;
mod fields;
mod frame;
mod keys;
mod notice;
mod once;
mod plan;
mod query;
mod search;
pub mod sidebar;
mod webhooks;

use crate::browser::{form_only, redirect};
use actix_web::web;
pub use applications::review;

const KEYS: &str = "/integrations/keys";
const CONNECTED: &str = "/integrations/connected";
const DIRECTORY: &str = "/integrations/apps";
const APPLICATIONS: &str = "/integrations/applications";
const WEBHOOKS: &str = "/integrations/webhooks";
const PLAN: &str = "/plan";

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/").route(web::get().to(async || redirect(KEYS))));
    app.service(form_only("/organization").route(web::post().to(frame::switch)));
    keys::mount(app);
    app.service(web::resource(CONNECTED).route(web::get().to(connected::show)));
    applications::mount(app);
    app.service(web::resource(DIRECTORY).route(web::get().to(directory::show)));
    webhooks::mount(app);
    search::mount(app);
    #[cfg(debug_assertions)]
    components::mount(app);
    app.service(web::resource(PLAN).route(web::get().to(plan::show)));
}

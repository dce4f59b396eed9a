//! Pages where members manage their organization's integrations (`docs/contract.md#pages`).

mod account;
mod agents;
mod applications;
#[cfg(debug_assertions)]
mod components;
mod confirm;
mod connected;
mod contacts;
mod directory;
mod error_page;
mod fields;
mod frame;
mod home;
mod inbox;
mod keys;
mod members;
mod messages;
mod notice;
mod numbers;
mod once;
mod organization;
mod plan;
mod query;
mod saved_replies;
mod search;
pub mod sidebar;
mod sidebar_marks;
mod templates;
mod webhooks;

use crate::browser::form_only;
use actix_web::web;
pub use applications::review;
pub use error_page::{error_page, unknown_path};
pub use inbox::InboxStreams;
pub use keys::fields::{CapsFields, messages_attributes, rate_limit_attributes, rate_limit_hint};

const KEYS: &str = "/integrations/keys";
const CONNECTED: &str = "/integrations/connected";
const DIRECTORY: &str = "/integrations/apps";
const APPLICATIONS: &str = "/integrations/applications";
const WEBHOOKS: &str = "/integrations/webhooks";
const AGENTS: &str = "/agents";
const INBOX: &str = "/inbox";
const CONTACTS: &str = "/contacts";
const MESSAGES: &str = "/messages";
const TEMPLATES: &str = "/templates";
const NUMBERS: &str = "/numbers";
const PLAN: &str = "/plan";
const HOME: &str = "/";
const ORGANIZATION: &str = "/settings/organization";
const MEMBERS: &str = "/settings/members";
const SAVED_REPLIES: &str = "/settings/saved-replies";
const ACCOUNT: &str = "/account";

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(HOME).route(web::get().to(home::show)));
    app.service(form_only("/organization").route(web::post().to(frame::switch)));
    agents::mount(app);
    inbox::mount(app);
    messages::mount(app);
    contacts::mount(app);
    templates::mount(app);
    numbers::mount(app);
    keys::mount(app);
    members::mount(app);
    organization::mount(app);
    saved_replies::mount(app);
    account::mount(app);
    app.service(web::resource(CONNECTED).route(web::get().to(connected::show)));
    applications::mount(app);
    app.service(web::resource(DIRECTORY).route(web::get().to(directory::show)));
    webhooks::mount(app);
    search::mount(app);
    #[cfg(debug_assertions)]
    components::mount(app);
    app.service(web::resource(PLAN).route(web::get().to(plan::show)));
}

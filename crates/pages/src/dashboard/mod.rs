//! Pages where members manage their organization's integrations (`docs/contract.md#pages`).

mod account;
mod applications;
mod confirm;
mod connected;
mod directory;
mod fields;
mod frame;
mod home;
mod keys;
mod members;
mod notice;
mod once;
mod plan;
mod query;
mod webhooks;

use crate::browser::form_only;
use actix_web::web;
use domain::role::Area;

const KEYS: &str = "/integrations/keys";
const CONNECTED: &str = "/integrations/connected";
const DIRECTORY: &str = "/integrations/apps";
const APPLICATIONS: &str = "/integrations/applications";
const WEBHOOKS: &str = "/integrations/webhooks";
const PLAN: &str = "/plan";
const HOME: &str = "/";
const MEMBERS: &str = "/settings/members";
const ACCOUNT: &str = "/account";

/// Path and title of each tab, in order.
pub const TABS: &[(&str, &str)] = &[
    (HOME, "Home"),
    (KEYS, "API keys"),
    (CONNECTED, "Connected apps"),
    (DIRECTORY, "Directory"),
    (APPLICATIONS, "Developer apps"),
    (WEBHOOKS, "Webhooks"),
    (MEMBERS, "Members"),
    (PLAN, "Plan"),
    (ACCOUNT, "Account"),
];

/// Returns the area that the pages under a path belong to.
fn area_of(path: &str) -> Area {
    let areas = [
        (KEYS, Area::Keys),
        (APPLICATIONS, Area::DeveloperApps),
        (WEBHOOKS, Area::Webhooks),
        (CONNECTED, Area::Connections),
        (DIRECTORY, Area::Connections),
        (MEMBERS, Area::Members),
        (PLAN, Area::Plan),
    ];
    let found = areas.into_iter().find(|(page, _)| path.starts_with(page));
    found.map_or(Area::OwnAccount, |(_, area)| area)
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(HOME).route(web::get().to(home::show)));
    app.service(form_only("/organization").route(web::post().to(frame::switch)));
    keys::mount(app);
    members::mount(app);
    account::mount(app);
    app.service(web::resource(CONNECTED).route(web::get().to(connected::show)));
    applications::mount(app);
    app.service(web::resource(DIRECTORY).route(web::get().to(directory::show)));
    webhooks::mount(app);
    app.service(web::resource(PLAN).route(web::get().to(plan::show)));
}

//! Webhooks of the organization, and of its applications, whose pages are the same.

mod change;
mod context;
mod delivery;
mod endpoint;
mod form;
mod list;
mod result;
mod status;

use crate::dashboard::WEBHOOKS;
use actix_web::web;

/// Where those of an application are.
const OF_APPLICATION: &str = "/integrations/applications/{application}/webhooks";

/// Mounts them.
pub fn mount(app: &mut web::ServiceConfig) {
    for base in [WEBHOOKS, OF_APPLICATION] {
        app.service(
            web::resource(base)
                .route(web::get().to(list::show))
                .route(web::post().to(list::create)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}"))
                .route(web::get().to(endpoint::show))
                .route(web::post().to(change::change)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}/delete"))
                .route(web::get().to(change::confirm)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}/rotate"))
                .route(web::get().to(change::confirm_rotation)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}/deliveries/{{delivery}}"))
                .route(web::get().to(delivery::show))
                .route(web::post().to(delivery::again)),
        );
    }
}

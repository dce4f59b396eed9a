//! Webhooks of the organization and of its applications. Both have the same pages.

mod change;
mod context;
mod delivery;
mod endpoint;
mod form;
mod list;
mod result;
mod signature;
mod status;

pub use context::name_of;
pub use result::took;
pub use status::DeliveryLabel;

use crate::dashboard::WEBHOOKS;
use actix_web::web;

/// The path of the webhooks of an application.
const OF_APPLICATION: &str = "/integrations/applications/{application}/webhooks";

pub fn mount(app: &mut web::ServiceConfig) {
    for base in [WEBHOOKS, OF_APPLICATION] {
        app.service(
            web::resource(base)
                .route(web::get().to(list::show))
                .route(web::post().to(list::create)),
        );
        app.service(web::resource(format!("{base}/new")).route(web::get().to(list::form)));
        app.service(
            web::resource(format!("{base}/{{endpoint}}"))
                .route(web::get().to(endpoint::show))
                .route(web::post().to(change::change)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}/edit")).route(web::get().to(endpoint::edit)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}/replay"))
                .route(web::get().to(endpoint::replay)),
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
            web::resource(format!("{base}/{{endpoint}}/signature"))
                .route(web::get().to(signature::form))
                .route(web::post().to(signature::test)),
        );
        app.service(
            web::resource(format!("{base}/{{endpoint}}/deliveries/{{delivery}}"))
                .route(web::get().to(delivery::show))
                .route(web::post().to(delivery::again)),
        );
    }
}

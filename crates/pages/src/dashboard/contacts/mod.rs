//! Contacts: the list, and the page of one contact.

mod detail;
mod export;
mod list;
mod merge;

use super::CONTACTS;
use actix_web::web;

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(CONTACTS).route(web::get().to(list::show)));
    app.service(
        web::resource("/contacts/{contact}")
            .route(web::get().to(detail::show))
            .route(web::post().to(detail::act)),
    );
    app.service(web::resource("/contacts/{contact}/merge").route(web::get().to(merge::confirm)));
    app.service(web::resource("/contacts/{contact}/export").route(web::get().to(export::download)));
    app.service(
        web::resource("/contacts/{contact}/delete").route(web::get().to(detail::confirm_deletion)),
    );
}

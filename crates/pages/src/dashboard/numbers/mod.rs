//! Numbers: the list, the form that connects one, the page of one with a live check, and the
//! sandbox phone.

mod connect;
mod detail;
mod list;
mod phone;

use super::NUMBERS;
use crate::browser::{ObjectState, PageError, StateLabel};
use crate::dashboard::frame::MemberContext;
use actix_web::{HttpRequest, web};
use domain::account::{ChannelKind, HealthState};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::Account;
use service::accounts;

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(NUMBERS).route(web::get().to(list::show)));
    app.service(
        web::resource("/numbers/new")
            .route(web::get().to(connect::show))
            .route(web::post().to(connect::connect)),
    );
    app.service(
        web::resource("/numbers/{number}")
            .route(web::get().to(detail::show))
            .route(web::post().to(detail::act)),
    );
    app.service(
        web::resource("/numbers/{number}/phone")
            .route(web::get().to(phone::show))
            .route(web::post().to(phone::act)),
    );
}

/// Returns the number in the path.
async fn named(
    deps: &ServerDeps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<Account, PageError> {
    let id = request.match_info().get("number").and_then(|id| id.parse().ok());
    let id = id.ok_or(PageError::NotFound)?;
    accounts::find(deps, member_context.id(), id).await?.ok_or(PageError::NotFound)
}

/// Returns the name of a channel.
const fn channel_name(channel: ChannelKind) -> &'static str {
    match channel {
        ChannelKind::Sandbox => "Sandbox",
        ChannelKind::CloudApi => "Cloud API",
        ChannelKind::Twilio => "Twilio",
    }
}

/// Returns the state of a number.
fn state(account: &Account, now: Timestamp) -> StateLabel {
    match account.known_health().at(now).state {
        HealthState::Ok => ObjectState::Ok.label(),
        HealthState::Held => ObjectState::Held.label(),
        HealthState::Restricted => ObjectState::Failing.saying("Restricted"),
    }
}

//! `/numbers`: the numbers of the organization.

use super::{channel_name, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel};
use crate::dashboard::NUMBERS;
use crate::dashboard::frame::{Frame, MemberContext};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::account::ChannelKind;
use domain::role::{Area, MemberAction};
use http_layer::deps::ServerDeps;
use persistence::records::Account;
use service::accounts;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "numbers/list.html")]
struct NumbersPage {
    frame: Frame,
    rows: Vec<NumberRow>,
    /// Whether the member may add a number.
    may_connect: bool,
    /// The path of the phone of the first sandbox number.
    phone: Option<String>,
}

struct NumberRow {
    path: String,
    phone_number: String,
    name: String,
    default: bool,
    channel: &'static str,
    state: StateLabel,
    limit: String,
    connected: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Numbers)?;
    let accounts = accounts::list(&deps, member_context.reader()).await?;
    let now = deps.clock.now();
    let default = member_context.organization.default_account_id;
    let row = |it: &Account| NumberRow {
        path: format!("{NUMBERS}/{}", it.id),
        phone_number: it.phone_number.clone(),
        name: it.display_name.clone(),
        default: default == Some(it.id),
        channel: channel_name(it.channel),
        state: state(it, now),
        limit: limit(it),
        connected: ShownTime::relative(it.connected_at, now),
    };
    let sandbox = accounts.iter().find(|it| it.channel == ChannelKind::Sandbox);
    let page = NumbersPage {
        frame: member_context.frame(NUMBERS),
        may_connect: member_context.may(MemberAction::NumberConnected),
        rows: accounts.iter().map(row).collect(),
        phone: sandbox.map(|it| format!("{NUMBERS}/{}/phone", it.id)),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Returns the channel's limit of a number, in words.
fn limit(account: &Account) -> String {
    match (account.channel, account.messaging_limit.as_deref()) {
        (ChannelKind::Sandbox, _) => "Unlimited".to_owned(),
        (_, Some(limit)) => limit.to_owned(),
        (_, None) => "Not reported yet".to_owned(),
    }
}

//! `/numbers/{id}`: the health of one number, a live check of its setup, and what can be changed.

use super::{channel_name, named, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::NUMBERS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::account::{ChannelKind, HealthState};
use domain::role::{Area, MemberAction};
use http_layer::deps::ServerDeps;
use persistence::records::Account;
use service::admin::AdminError;
use service::numbers::{self, CallbackSetup, CheckResult, SetupCheck};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "numbers/number.html")]
struct NumberPage {
    frame: Frame,
    token: String,
    path: String,
    id: String,
    phone_number: String,
    name: String,
    default: bool,
    channel: &'static str,
    state: StateLabel,
    /// Whether the member may change the number.
    may_change: bool,
    /// The channel's report about a number that is held or restricted.
    trouble: Option<Trouble>,
    quality: Option<String>,
    limit: Option<String>,
    connected: ShownTime,
    callback: Option<CallbackSetup>,
    phone: Option<String>,
    has_token: bool,
    /// The results of the check, if the member requested it or the number is of the sandbox.
    checks: Option<Vec<SetupCheckRow>>,
}

struct Trouble {
    held: bool,
    message: String,
    since: Option<ShownTime>,
}

struct SetupCheckRow {
    class: &'static str,
    icon: &'static str,
    title: String,
    advice: String,
}

impl SetupCheckRow {
    fn of(check: SetupCheck) -> Self {
        let (class, icon) = match check.result {
            CheckResult::Passed => ("ok", "check"),
            CheckResult::Warning => ("warn", "triangle-alert"),
            CheckResult::Failed => ("bad", "x"),
        };
        Self { class, icon, title: check.title, advice: check.advice }
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Numbers)?;
    let account = named(&deps, &member_context, &request).await?;
    let base_url = &deps.config.base_url;
    // The check of a sandbox number asks nobody, so its result is always shown.
    let is_checked =
        account.channel == ChannelKind::Sandbox || Query::of(&request).value("check").is_some();
    let checks =
        if is_checked { Some(numbers::check_setup(&deps, base_url, &account).await) } else { None };
    let now = deps.clock.now();
    let health = account.known_health().at(now);
    let path = format!("{NUMBERS}/{}", account.id);
    let page = NumberPage {
        frame: member_context.frame(NUMBERS),
        token: member_context.token(),
        id: account.id.to_string(),
        phone_number: account.phone_number.clone(),
        name: account.display_name.clone(),
        default: member_context.organization.default_account_id == Some(account.id),
        channel: channel_name(account.channel),
        state: state(&account, now),
        trouble: (health.state != HealthState::Ok).then(|| Trouble {
            held: health.state == HealthState::Held,
            message: health.message.unwrap_or_default(),
            since: health.since.map(|at| ShownTime::ago(at, now)),
        }),
        may_change: member_context.may(MemberAction::NumberMadeDefault),
        quality: account.quality.map(|it| domain::keyword::Keyword::as_str(it).to_owned()),
        limit: account.messaging_limit.clone(),
        connected: ShownTime::date(account.connected_at),
        callback: numbers::callback_setup(&deps, base_url, account.channel),
        phone: (account.channel == ChannelKind::Sandbox).then(|| format!("{path}/phone")),
        has_token: account.channel == ChannelKind::CloudApi,
        checks: checks.map(|all| all.into_iter().map(SetupCheckRow::of).collect()),
        path,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let account = named(&deps, &member_context, &request).await?;
        let location = format!("{NUMBERS}/{}", account.id);
        let notice = match form.value("action") {
            "default" => make_default(&deps, &member_context, &account).await?,
            "reconnect" => reconnect(&deps, &member_context, &account, None).await?,
            "token" => {
                let token = form.value("access_token").trim();
                reconnect(&deps, &member_context, &account, Some(token)).await?
            }
            _ => return Err(PageError::UnknownAction),
        };
        let refused = async |notice: Notice| {
            member_context.redirect_with_flash(&deps, request.path(), &notice).await
        };
        match notice {
            Ok(notice) => {
                let work = async { Ok(Ok(ActionResult { location, notice })) };
                member_context.once_or(&deps, &request, &form, work, refused).await
            }
            Err(notice) => refused(notice).await,
        }
    })
    .await
}

async fn make_default(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
) -> Result<Result<Notice, Notice>, PageError> {
    if !permitted(member_context.actor(deps).numbers().make_default(account).await)?? {
        return Err(PageError::NotFound);
    }
    let sentence =
        format!("Keys without a number of their own send from {}.", account.display_name);
    Ok(Ok(Notice::saying("Default number changed", sentence)))
}

async fn reconnect(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    token: Option<&str>,
) -> Result<Result<Notice, Notice>, PageError> {
    match permitted(member_context.actor(deps).numbers().reconnect(account, token).await)? {
        Ok(()) => {
            let sentence = "Its waiting messages are sent in order.";
            Ok(Ok(Notice::saying("The number sends again", sentence)))
        }
        Err(AdminError::Database(error)) => Err(error.into()),
        Err(error) => {
            let notice =
                Notice::saying("Nothing was changed", crate::browser::sentence(&error.to_string()));
            Ok(Err(notice.warning()))
        }
    }
}

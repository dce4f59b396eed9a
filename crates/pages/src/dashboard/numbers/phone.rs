//! `/numbers/{id}/phone`: a member plays the customer of a sandbox number, and also answers as the
//! business (`docs/contract.md#sandbox-phone`).

use super::named;
use crate::browser::{
    FieldErrors, Form, PageError, PagePolicy, ShownTime, StateLabel, permitted, redirect,
};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::messages::refusal::why_not_sent;
use crate::dashboard::messages::{preview, state};
use crate::dashboard::once::run_to_completion;
use crate::dashboard::query::Query;
use crate::dashboard::{MESSAGES, NUMBERS};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::json::write;
use api_types::send::SendMessageBody;
use api_types::send_examples;
use askama::Template;
use domain::account::ChannelKind;
use domain::content::{Content, ContentType};
use domain::keyword::Keyword as _;
use domain::message::{Direction, Recipient};
use domain::phone::PhoneNumber;
use domain::role::Area;
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use persistence::content::decode;
use persistence::records::{Account, Message};
use serde_json::Value;
use service::actor::ComposedFrom;
use service::conversations::{self, HistoryRequest};
use service::sandbox::{
    CustomerAction, CustomerActionError, CustomerChoice, NUMBERS as SANDBOX_CUSTOMERS,
    PLAYED_NUMBER, choices,
};
use service::templates::sent::SentTemplates;
use service::{turns, visibility};
use std::sync::Arc;

/// Number of messages that the phone shows.
const SHOWN: i64 = 30;
/// Number of messages that the list of recent activity shows.
const RECENT: usize = 8;
/// The fields of the composer.
const TEXT: &str = "text";
const BODY: &str = "body";

#[derive(Template)]
#[template(path = "numbers/phone.html")]
struct PhonePage {
    frame: Frame,
    token: String,
    path: String,
    /// The path of the page with the composer for texts, and of the page with the composer for all
    /// types.
    text_path: String,
    any_type_path: String,
    number: String,
    organization: String,
    /// The number that the member plays.
    customer: String,
    customers: Vec<(String, String)>,
    bubbles: Vec<Bubble>,
    recent: Vec<RecentMessage>,
    composer: Composer,
    /// Whether an AI agent answers on the number. A message of a member pauses the agent.
    has_agent: bool,
    /// The API call that sends the content of the composer.
    curl: String,
}

/// A message as the customer sees it.
struct Bubble {
    id: String,
    own: bool,
    text: String,
    choices: Vec<CustomerChoice>,
    can_tap: bool,
    failed: bool,
}

struct RecentMessage {
    path: String,
    class: &'static str,
    icon: &'static str,
    title: String,
    state: StateLabel,
    at: ShownTime,
}

/// The form with which the member writes as the business.
struct Composer {
    /// Whether the member edits the request's body instead of a text.
    any_type: bool,
    example: String,
    examples: Vec<(String, String)>,
    text: String,
    body: String,
    errors: FieldErrors,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Messages)?;
    let account = sandbox_number(&deps, &member_context, &request).await?;
    let query = Query::of(&request);
    let customer = customer(query.value("as"))?;
    let composer = Composer::of(&query);
    render(&deps, &member_context, &account, &customer, composer, StatusCode::OK).await
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let account = sandbox_number(&deps, &member_context, &request).await?;
        let customer = customer(Some(form.value("as")))?;
        let outcome = match form.value("action") {
            "send" => Box::pin(send(&deps, &member_context, &account, &customer, &form)).await?,
            _ => act_as_customer(&deps, &member_context, &account, &customer, &form).await?,
        };
        match outcome {
            Ok(()) => Ok(redirect(&address(&account, &customer))),
            Err(composer) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                render(&deps, &member_context, &account, &customer, composer, status).await
            }
        }
    })
    .await
}

/// Returns the sandbox number in the path.
async fn sandbox_number(
    deps: &ServerDeps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<Account, PageError> {
    let account = named(deps, member_context, request).await?;
    if account.channel == ChannelKind::Sandbox { Ok(account) } else { Err(PageError::NotFound) }
}

fn customer(text: Option<&str>) -> Result<PhoneNumber, PageError> {
    let text = text.filter(|it| !it.is_empty()).unwrap_or(PLAYED_NUMBER);
    PhoneNumber::parse(text).map_err(|_| PageError::NotFound)
}

fn address(account: &Account, customer: &PhoneNumber) -> String {
    let base = format!("{NUMBERS}/{}/phone", account.id);
    if customer.as_str() == PLAYED_NUMBER {
        return base;
    }
    format!("{base}?as=%2B{}", customer.digits())
}

/// Sends what the member wrote as the business.
async fn send(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    form: &Form,
) -> Result<Result<(), Composer>, PageError> {
    let typed = Composer::typed(form);
    let body = if typed.any_type {
        serde_json::from_str::<SendMessageBody>(&typed.body)
            .map_err(|error| format!("This is not the body of a message: {error}."))
    } else {
        Ok(SendMessageBody {
            text: Some(typed.text.clone()),
            ..SendMessageBody::sample(ContentType::Text, customer.as_str())
        })
    };
    let mut body = match body {
        Ok(body) => body,
        Err(why) => return Ok(Err(typed.refused(why))),
    };
    (body.phone_number, body.channel_user_id) = (Some(customer.to_string()), None);
    (body.contact_id, body.conversation_id) = (None, None);
    if body.send_at.is_some() {
        return Ok(Err(typed.refused("A message can’t be scheduled here (send_at).".to_owned())));
    }
    let mut faults = Violations::default();
    let Some(prepared) = body.prepare(None, &mut faults).filter(|_| faults.is_empty()) else {
        let all: Vec<String> = faults
            .into_vec()
            .into_iter()
            .map(|it| {
                format!(
                    "{} ({}).",
                    crate::browser::sentence(&it.message).trim_end_matches('.'),
                    it.field
                )
            })
            .collect();
        return Ok(Err(typed.refused(all.join(" "))));
    };
    match permitted(
        member_context
            .actor(deps)
            .messages()
            .send(account.id, prepared.draft, ComposedFrom::default())
            .await,
    )? {
        Ok(_) => Ok(Ok(())),
        Err(error) => Ok(Err(typed.refused(why_not_sent(error)?))),
    }
}

/// Performs the action that the member chose as the customer.
async fn act_as_customer(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    form: &Form,
) -> Result<Result<(), Composer>, PageError> {
    let action = match form.value("action") {
        "write" => CustomerAction::Write(form.value("said").to_owned()),
        "picture" => CustomerAction::SendPicture,
        "tap" => CustomerAction::Tap {
            message: form.value("message").parse().map_err(|_| PageError::NotFound)?,
            choice: form.value("choice").to_owned(),
        },
        _ => return Err(PageError::UnknownAction),
    };
    let numbers = member_context.actor(deps).numbers();
    match permitted(numbers.play_customer(account, customer, action).await)? {
        // As on a phone, an empty text is not sent.
        Ok(_) | Err(CustomerActionError::InvalidText) => Ok(Ok(())),
        Err(CustomerActionError::Database(error)) => Err(error.into()),
        Err(_) => Err(PageError::NotFound),
    }
}

async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    composer: Composer,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let request = HistoryRequest {
        person: Recipient::Phone(customer.clone()),
        account: Some(account.id),
        sends_from: Some(account.id),
        oldest_first: false,
        limit: SHOWN,
        offset: 0,
    };
    let history = conversations::history(deps, member_context.reader(), request).await;
    let history = history.map_err(|error| match error {
        conversations::HistoryError::NotFound(_) => PageError::NotFound,
        conversations::HistoryError::Database(error) => error.into(),
    })?;
    let newest_first = &history.messages;
    let of = newest_first.iter().map(|it| it.conversation_id);
    let (reader, visible) = (member_context.reader(), member_context.visible());
    if !visibility::hidden(deps, reader, visible, of).await?.is_empty() {
        return Err(PageError::NotFound);
    }
    let now = deps.clock.now();
    let last = newest_first.first().map(|it| it.id);
    let templates = SentTemplates::of(deps, reader, newest_first).await?;
    let bubble = |it: &Message| Bubble::of(it, &templates, last == Some(it.id));
    let recent = |it: &Message| RecentMessage::of(it, &templates, now);
    let path = format!("{NUMBERS}/{}/phone", account.id);
    let text_path = format!("{path}?as=%2B{}", customer.digits());
    let page = PhonePage {
        any_type_path: format!("{text_path}&example=buttons"),
        text_path,
        frame: member_context.frame(NUMBERS),
        token: member_context.token(),
        number: format!("{} {}", account.phone_number, account.display_name),
        organization: member_context.organization.name.clone(),
        customer: customer.to_string(),
        customers: customers(),
        bubbles: newest_first.iter().rev().map(bubble).collect(),
        recent: newest_first.iter().take(RECENT).map(recent).collect(),
        has_agent: turns::has_agent(deps, account).await?,
        curl: composer.curl(&deps.config.base_url, customer),
        path,
        composer,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Returns the customers to choose from: the one that the member plays, and those that react
/// automatically.
fn customers() -> Vec<(String, String)> {
    let played = (PLAYED_NUMBER.to_owned(), format!("{PLAYED_NUMBER}, you"));
    let others = SANDBOX_CUSTOMERS.iter().filter(|(number, _)| *number != PLAYED_NUMBER);
    let others = others.map(|(number, about)| {
        let about = about.replace('`', "");
        let short = about.split(';').next().unwrap_or_default();
        ((*number).to_owned(), format!("{number}, {short}"))
    });
    std::iter::once(played).chain(others).collect()
}

impl Bubble {
    fn of(message: &Message, templates: &SentTemplates, is_last: bool) -> Self {
        let own = message.direction == Direction::Inbound;
        let content = (!own)
            .then(|| decode(message.content_format, message.kind, &message.content.0).ok())
            .flatten();
        let text = match &content {
            Some(Content::Interactive(interactive)) => interactive.text(),
            _ => preview::text(message, templates),
        };
        Self {
            id: message.id.to_string(),
            own,
            text,
            choices: content.map(|it| choices(&it)).unwrap_or_default(),
            // Only the last message can be answered with a tap.
            can_tap: is_last,
            failed: message.failure.is_some(),
        }
    }
}

impl RecentMessage {
    fn of(message: &Message, templates: &SentTemplates, now: domain::time::Timestamp) -> Self {
        let inbound = message.direction == Direction::Inbound;
        let text = preview::line(message, templates);
        let (class, icon) = match message.status.as_str() {
            "failed" => ("bad", "x"),
            "queued" => ("now", "clock"),
            "received" => ("", "arrow-down-left"),
            _ => ("ok", "check"),
        };
        Self {
            path: format!("{MESSAGES}/{}", message.id),
            class,
            icon,
            title: if inbound { format!("Customer: {text}") } else { text },
            state: state(message, false),
            at: ShownTime::relative(message.created_at, now),
        }
    }
}

impl Composer {
    fn empty() -> Self {
        let titles = send_examples::examples();
        let titles = titles.iter().map(|it| (it.name.to_owned(), it.title.to_owned()));
        Self {
            any_type: false,
            example: String::new(),
            examples: titles.collect(),
            text: String::new(),
            body: String::new(),
            errors: FieldErrors::default(),
        }
    }

    /// Returns the composer with the example that the URL names.
    fn of(query: &Query) -> Self {
        let empty = Self::empty();
        let Some(name) = query.value("example") else { return empty };
        let examples = send_examples::examples();
        let chosen = examples.iter().find(|it| it.name == name).or_else(|| examples.first());
        let Some(chosen) = chosen else { return empty };
        let body = pretty(&chosen.body);
        Self { any_type: true, example: chosen.name.to_owned(), body, ..empty }
    }

    /// Returns the composer as it was submitted.
    fn typed(form: &Form) -> Self {
        let (text, body) = (form.value(TEXT).to_owned(), form.value(BODY).to_owned());
        let any_type = !form.value("example").is_empty();
        let example = form.value("example").to_owned();
        Self { any_type, example, text, body, ..Self::empty() }
    }

    fn refused(self, why: String) -> Self {
        let field = if self.any_type { BODY } else { TEXT };
        Self { errors: FieldErrors::one(field, why), ..self }
    }

    /// Returns the command line that sends the same request.
    fn curl(&self, base_url: &str, customer: &PhoneNumber) -> String {
        let body = if self.any_type {
            addressed(&self.body, customer)
        } else {
            let text = if self.text.is_empty() { "Hello" } else { &self.text };
            addressed(&serde_json::json!({"type": "text", "text": text}).to_string(), customer)
        };
        let body = body.replace('\'', "'\\''");
        format!(
            "curl {base_url}/api/v1/messages \\\n  -H \"x-client-id: $SWITCHBOARD_CLIENT_ID\" \\\n  \
             -H \"x-client-secret: $SWITCHBOARD_CLIENT_SECRET\" \\\n  \
             -H 'Content-Type: application/json' \\\n  -d '{body}'"
        )
    }
}

/// Adds the recipient to the body of a send. Returns text that is not a JSON object unchanged.
fn addressed(body: &str, customer: &PhoneNumber) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str(body) else { return body.to_owned() };
    let recipient = ("phone_number".to_owned(), Value::from(customer.as_str()));
    let others = fields.into_iter().filter(|(name, _)| name != "phone_number");
    let call: serde_json::Map<String, Value> = std::iter::once(recipient).chain(others).collect();
    serde_json::to_string_pretty(&call).ok().unwrap_or_default()
}

/// Formats the body of a send without its empty fields and without the recipient, who is the
/// customer on the phone.
fn pretty(body: &SendMessageBody) -> String {
    let written = write(body).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(Value::Object(mut fields)) = written else { return String::new() };
    fields.retain(|name, value| !value.is_null() && name != "phone_number");
    serde_json::to_string_pretty(&fields).ok().unwrap_or_default()
}

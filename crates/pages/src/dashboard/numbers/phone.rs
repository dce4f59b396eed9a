//! `/numbers/{id}/phone`: a member plays the customer of a sandbox number, and also answers as the
//! business (`docs/contract.md#sandbox-phone`).

use super::named;
use crate::browser::{
    FieldErrors, Form, FormFile, PageError, PagePolicy, ShownTime, StateLabel, permitted, redirect,
    sentence,
};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::inbox::{self, Attachment};
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
use domain::content::{Content, ContentType, MediaContent, MessageKind};
use domain::conversation::Agent;
use domain::id::ConversationId;
use domain::keyword::Keyword as _;
use domain::media::{MediaKind, WebAddress};
use domain::message::{Direction, Draft, Failure, Recipient};
use domain::phone::PhoneNumber;
use domain::role::{Area, MemberAction};
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::Reader;
use persistence::content::decode;
use persistence::records::{Account, Message};
use serde_json::Value;
use service::actor::ComposedFrom;
use service::conversations::{self, HistoryRequest};
use service::sandbox::{
    CustomerAction, CustomerActionError, CustomerChoice, NUMBERS as SANDBOX_CUSTOMERS,
    PLAYED_NUMBER, choices,
};
use service::templates::sent::{SentTemplates, find_drafted, find_sent};
use service::{media, turns, visibility};
use std::sync::Arc;

/// Number of messages that the phone shows.
const SHOWN: i64 = 30;
/// Number of messages that the list of recent activity shows.
const RECENT: usize = 8;
/// The fields of the composer.
const TEXT: &str = "text";
const BODY: &str = "body";
/// The parameter that says as whom the member goes on writing, and its value for the customer.
const WRITER: &str = "writer";
const CUSTOMER: &str = "customer";
/// The field with the file that the customer sends.
const FILE: &str = "file";

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
    /// The conversation with the customer, if it has begun.
    conversation: Option<ConversationId>,
    bubbles: Vec<PhoneBubble>,
    recent: Vec<RecentMessage>,
    composer: PhoneComposer,
    preview: Preview,
    file_errors: FieldErrors,
    /// Whether the member goes on writing as the customer.
    is_customers_turn: bool,
    agent: PhoneAgent,
    /// The API call that sends the content of the composer.
    curl: String,
}

/// The AI agent in the conversation on the phone. A message of a member pauses the agent.
enum PhoneAgent {
    /// No agent answers on the number.
    None,
    Running,
    Paused(PhoneAgentPause),
}

/// A pause of the AI agent in the conversation on the phone.
struct PhoneAgentPause {
    conversation: ConversationId,
    /// Whether a message of a person or of a program paused the agent.
    is_by_reply: bool,
    may_resume: bool,
}

/// A message as the customer sees it.
struct PhoneBubble {
    id: String,
    own: bool,
    shown: ShownContent,
    choices: Vec<CustomerChoice>,
    can_tap: bool,
    failed: bool,
}

/// The content of a message as the customer sees it.
struct ShownContent {
    text: String,
    picture: Option<Picture>,
    /// The labels of the buttons of a template.
    labels: Vec<String>,
}

/// A picture that this server stores.
struct Picture {
    path: String,
    caption: String,
}

/// The message that the member is writing, as the customer will see it.
enum Preview {
    /// The composer is empty.
    Empty,
    /// The reason why the input is not a message, in words.
    Faulty(String),
    Message(ShownContent, Vec<CustomerChoice>),
}

struct RecentMessage {
    path: String,
    class: &'static str,
    icon: &'static str,
    title: String,
    state: StateLabel,
    /// The cause of a failure, in words.
    failure: Option<&'static str>,
    at: ShownTime,
}

/// The form with which the member writes as the business.
struct PhoneComposer {
    /// Whether the member edits the request's body instead of a text.
    any_type: bool,
    example: String,
    examples: Vec<(String, String)>,
    text: String,
    body: String,
    errors: FieldErrors,
}

/// The input of the page's forms, with its errors.
struct Forms {
    composer: PhoneComposer,
    file_errors: FieldErrors,
    is_customers_turn: bool,
}

impl Forms {
    fn composing(composer: PhoneComposer) -> Self {
        Self { composer, file_errors: FieldErrors::default(), is_customers_turn: false }
    }

    fn refused_file(why: String) -> Self {
        let file_errors = FieldErrors::one(FILE, why);
        Self { composer: PhoneComposer::empty(), file_errors, is_customers_turn: false }
    }
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
    let is_customers_turn = query.value(WRITER) == Some(CUSTOMER);
    let forms = Forms { is_customers_turn, ..Forms::composing(PhoneComposer::of(&query)) };
    render(&deps, &member_context, &account, &customer, forms, StatusCode::OK).await
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form, file) =
            MemberContext::with_file(&request, payload, &deps).await?;
        let account = sandbox_number(&deps, &member_context, &request).await?;
        let customer = customer(Some(form.value("as")))?;
        let is_business = matches!(form.value("action"), "send" | "resume");
        let outcome = match form.value("action") {
            "preview" => {
                member_context.require(Area::Messages)?;
                let forms = Forms::composing(PhoneComposer::typed(&form));
                let status = StatusCode::OK;
                return render(&deps, &member_context, &account, &customer, forms, status).await;
            }
            "send" => {
                let sent = Box::pin(send(&deps, &member_context, &account, &customer, &form));
                sent.await?.map_err(Forms::composing)
            }
            "resume" => {
                Box::pin(resume_agent(&deps, &member_context, &form)).await?;
                Ok(())
            }
            "file" => {
                let sent = Box::pin(send_file(&deps, &member_context, &account, &customer, file));
                sent.await?.map_err(Forms::refused_file)
            }
            _ => {
                let action = customer_action(&form)?;
                play_customer(&deps, &member_context, &account, &customer, action).await?;
                Ok(())
            }
        };
        match outcome {
            Ok(()) => Ok(redirect(&address(&account, &customer, is_business))),
            Err(forms) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                render(&deps, &member_context, &account, &customer, forms, status).await
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

/// Returns the path of the page on which the member goes on writing as the business, or as the
/// customer.
fn address(account: &Account, customer: &PhoneNumber, is_business: bool) -> String {
    let is_played = customer.as_str() == PLAYED_NUMBER;
    let parameters = [
        (!is_played).then(|| format!("as=%2B{}", customer.digits())),
        (!is_business).then(|| format!("{WRITER}={CUSTOMER}")),
    ];
    let parameters: Vec<String> = parameters.into_iter().flatten().collect();
    let separator = if parameters.is_empty() { "" } else { "?" };
    format!("{NUMBERS}/{}/phone{separator}{}", account.id, parameters.join("&"))
}

/// Sends what the member wrote as the business.
async fn send(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    form: &Form,
) -> Result<Result<(), PhoneComposer>, PageError> {
    let typed = PhoneComposer::typed(form);
    let draft = match typed.draft(customer) {
        Ok(draft) => draft,
        Err(why) => return Ok(Err(typed.refused(why))),
    };
    match permitted(
        member_context
            .actor(deps)
            .messages()
            .send(account.id, draft, ComposedFrom::default())
            .await,
    )? {
        Ok(_) => Ok(Ok(())),
        Err(error) => Ok(Err(typed.refused(why_not_sent(error)?))),
    }
}

/// Stores a file and sends it as the customer. Returns the reason in words if it cannot be sent.
async fn send_file(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    file: FormFile,
) -> Result<Result<(), String>, PageError> {
    let attached = match Attachment::store(deps, member_context, file, false).await? {
        Ok(Some(attached)) => attached,
        Ok(None) => return Ok(Err("Choose a file.".to_owned())),
        Err(why) => return Ok(Err(why)),
    };
    let url = WebAddress::parse(&attached.url(deps)).map_err(|error| Problem::internal(&error))?;
    let content = MediaContent::stored(attached.kind, url, None, None, false);
    let upload = media::find(deps, member_context.id(), attached.id).await?;
    let action = CustomerAction::SendFile { content, upload };
    play_customer(deps, member_context, account, customer, action).await?;
    Ok(Ok(()))
}

/// Lets the AI agent answer again in the conversation on the phone.
async fn resume_agent(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<(), PageError> {
    let conversation = form.value("conversation").parse().map_err(|_| PageError::NotFound)?;
    let member_inbox = member_context.actor(deps).inbox(member_context.reader(), conversation);
    permitted(member_inbox.resume_agent().await)?.map_err(inbox::page_error)?;
    Ok(())
}

/// Returns the action that the member chose as the customer.
fn customer_action(form: &Form) -> Result<CustomerAction, PageError> {
    match form.value("action") {
        "write" => Ok(CustomerAction::Write(form.value("said").to_owned())),
        "picture" => Ok(CustomerAction::SendPicture),
        "tap" => Ok(CustomerAction::Tap {
            message: form.value("message").parse().map_err(|_| PageError::NotFound)?,
            choice: form.value("choice").to_owned(),
        }),
        _ => Err(PageError::UnknownAction),
    }
}

async fn play_customer(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    action: CustomerAction,
) -> Result<(), PageError> {
    let numbers = member_context.actor(deps).numbers();
    match permitted(numbers.play_customer(account, customer, action).await)? {
        // As on a phone, an empty text is not sent.
        Ok(_) | Err(CustomerActionError::InvalidText) => Ok(()),
        Err(CustomerActionError::Database(error)) => Err(error.into()),
        Err(_) => Err(PageError::NotFound),
    }
}

async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    account: &Account,
    customer: &PhoneNumber,
    forms: Forms,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let Forms { composer, file_errors, is_customers_turn } = forms;
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
    let last_conversation = newest_first.first().map(|it| it.conversation_id);
    let templates = find_sent(deps, reader, newest_first).await?;
    let base_url = &deps.config.base_url;
    let bubble = |it: &Message| PhoneBubble::of(it, &templates, base_url, last == Some(it.id));
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
        conversation: last_conversation,
        bubbles: newest_first.iter().rev().map(bubble).collect(),
        recent: newest_first.iter().take(RECENT).map(recent).collect(),
        agent: PhoneAgent::of(deps, member_context, account, last_conversation).await?,
        preview: Preview::of(deps, reader, &composer, customer).await?,
        curl: composer.curl(base_url, customer),
        path,
        composer,
        file_errors,
        is_customers_turn,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Returns the customers to choose from: the one that the member plays, and those that react
/// automatically.
fn customers() -> Vec<(String, String)> {
    let played = (PLAYED_NUMBER.to_owned(), format!("{PLAYED_NUMBER}, you"));
    let others = SANDBOX_CUSTOMERS.iter().filter(|(number, _)| *number != PLAYED_NUMBER);
    let others = others
        .map(|(number, about)| ((*number).to_owned(), format!("{number}, {}", in_words(about))));
    std::iter::once(played).chain(others).collect()
}

/// Returns the first part of a description in `SANDBOX_CUSTOMERS`. The codes of a failure are
/// replaced by the title that the page of a message shows.
fn in_words(about: &str) -> String {
    let first = about.split(';').next().unwrap_or_default();
    let failure = first.split_once(": ").and_then(|(what, codes)| {
        let failure = Failure::from_keyword(codes.split('`').nth(1)?)?;
        Some(format!("{what}: {}", failure.title()))
    });
    failure.unwrap_or_else(|| first.replace('`', ""))
}

impl PhoneAgent {
    /// Returns the agent of a number in a conversation. Without a conversation there is no pause.
    async fn of(
        deps: &ServerDeps,
        member_context: &MemberContext,
        account: &Account,
        conversation: Option<ConversationId>,
    ) -> Result<Self, PageError> {
        if !turns::has_agent(deps, account).await? {
            return Ok(Self::None);
        }
        let Some(id) = conversation else { return Ok(Self::Running) };
        let member_inbox = member_context.actor(deps).inbox(member_context.reader(), id);
        let found = member_inbox.find().await.map_err(inbox::page_error)?;
        if found.agent() == Agent::Running {
            return Ok(Self::Running);
        }
        Ok(Self::Paused(PhoneAgentPause {
            conversation: id,
            is_by_reply: found.paused_by_message.is_some(),
            may_resume: member_context.may(MemberAction::AgentResumed),
        }))
    }
}

impl PhoneBubble {
    fn of(message: &Message, templates: &SentTemplates, base_url: &str, is_last: bool) -> Self {
        let own = message.direction == Direction::Inbound;
        let content = (!own)
            .then(|| decode(message.content_format, message.kind, &message.content.0).ok())
            .flatten();
        let text = match &content {
            Some(Content::Interactive(interactive)) => interactive.text(),
            _ => preview::text(message, templates),
        };
        let picture = match &content {
            Some(content) => Picture::sent(content, base_url),
            None => Picture::received(message, base_url),
        };
        let labels = templates.fill(message).map(|it| it.buttons).unwrap_or_default();
        Self {
            id: message.id.to_string(),
            own,
            shown: ShownContent { text, picture, labels },
            choices: content.map(|it| choices(&it)).unwrap_or_default(),
            // Only the last message can be answered with a tap.
            can_tap: is_last,
            failed: message.failure.is_some(),
        }
    }
}

impl Picture {
    /// Returns the picture of a message of the business, if it is one.
    fn sent(content: &Content, base_url: &str) -> Option<Self> {
        let Content::Media(media) = content else { return None };
        if !matches!(media.kind, MediaKind::Image | MediaKind::Sticker) {
            return None;
        }
        let path = preview::own_file(media.url.as_str(), base_url)?.to_owned();
        Some(Self { path, caption: media.caption.clone().unwrap_or_default() })
    }

    /// Returns the picture of a message of the customer, if it is one and has been stored.
    fn received(message: &Message, base_url: &str) -> Option<Self> {
        if message.direction != Direction::Inbound || message.kind != MessageKind::Media {
            return None;
        }
        let content: Value = serde_json::from_str(&message.content.0).ok()?;
        let field = |name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default();
        if !matches!(field("media_type"), "image" | "sticker") {
            return None;
        }
        let path = preview::own_file(field("url"), base_url)?.to_owned();
        Some(Self { path, caption: field("caption").to_owned() })
    }
}

impl Preview {
    async fn of(
        deps: &ServerDeps,
        reader: Reader,
        composer: &PhoneComposer,
        customer: &PhoneNumber,
    ) -> Result<Self, PageError> {
        let typed = if composer.any_type { &composer.body } else { &composer.text };
        if typed.trim().is_empty() {
            return Ok(Self::Empty);
        }
        let content = match composer.draft(customer) {
            Ok(draft) => draft.content,
            Err(why) => return Ok(Self::Faulty(why)),
        };
        let templates = find_drafted(deps, reader, &content).await?;
        let (text, labels) = match (&content, templates.fill_draft(&content)) {
            (_, Some(filled)) => (filled.text, filled.buttons),
            (Content::Interactive(interactive), None) => (interactive.text(), Vec::new()),
            (content, None) => (preview::outbound(content), Vec::new()),
        };
        let picture = Picture::sent(&content, &deps.config.base_url);
        Ok(Self::Message(ShownContent { text, picture, labels }, choices(&content)))
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
            failure: message.failure.map(Failure::title),
            at: ShownTime::relative(message.created_at, now),
        }
    }
}

impl PhoneComposer {
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

    /// Returns the message that the member wrote, or the reason in words why it is none.
    fn draft(&self, customer: &PhoneNumber) -> Result<Draft, String> {
        let mut body = if self.any_type {
            serde_json::from_str::<SendMessageBody>(&self.body)
                .map_err(|error| format!("This is not the body of a message: {error}."))?
        } else {
            SendMessageBody {
                text: Some(self.text.clone()),
                ..SendMessageBody::sample(ContentType::Text, customer.as_str())
            }
        };
        (body.phone_number, body.channel_user_id) = (Some(customer.to_string()), None);
        (body.contact_id, body.conversation_id) = (None, None);
        if body.send_at.is_some() {
            return Err("A message can’t be scheduled here (send_at).".to_owned());
        }
        let mut faults = Violations::default();
        let prepared = body.prepare(None, &mut faults).filter(|_| faults.is_empty());
        prepared.map(|it| it.draft).ok_or_else(|| {
            let all = faults.into_vec().into_iter().map(|it| {
                format!("{} ({}).", sentence(&it.message).trim_end_matches('.'), it.field)
            });
            all.collect::<Vec<_>>().join(" ")
        })
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

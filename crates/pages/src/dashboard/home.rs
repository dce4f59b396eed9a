//! `/`: Home. A new organization sees its first steps. Later the page shows what needs attention
//! and the counts of today.

use super::frame::{Frame, MemberContext, counted_conversations, named};
use super::{AGENTS, INBOX, KEYS, MEMBERS, MESSAGES, NUMBERS, PLAN, WEBHOOKS};
use crate::browser::{PageError, PagePolicy, ShownTime};
use crate::dashboard::HOME;
use crate::dashboard::webhooks::name_of;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::account::{ChannelKind, HealthState};
use domain::key::KeyState;
use domain::message::MessageStatus;
use domain::number::with_commas;
use domain::plan::Meter;
use domain::role::{Area, MemberAction};
use http_layer::deps::ServerDeps;
use persistence::records::{Account, InboxAttention, Message};
use service::agents;
use service::overview::{self, Attention, Overview};
use service::{inbox, turns};
use std::sync::Arc;
use std::time::Duration;

/// The number of a test recipient that reads a message and writes back.
const TEST_RECIPIENT: &str = "+12025550100";

/// The time for which a new organization sees what it can do after its first steps.
const NEXT_STEPS_FOR: Duration = Duration::from_hours(7 * 24);

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    /// The first name of the member.
    member: String,
    /// The first steps, or `None` once a message was sent and a key was used.
    steps: Option<Steps>,
    /// What a new organization can do after its first steps.
    next: Vec<NextStep>,
    attention: Vec<AttentionRow>,
    counts: Vec<HomeCount>,
    /// Whether the organization has no webhook endpoint and the member may add one.
    without_endpoint: bool,
    webhooks: &'static str,
}

/// The first steps of an organization. Whether each step is done is read from the database when the
/// page is loaded.
struct Steps {
    done: usize,
    rows: Vec<SetupStep>,
    /// The call that sends a message, with the variables that the page of a new key sets.
    curl: String,
}

struct SetupStep {
    number: usize,
    title: &'static str,
    state: StepState,
    /// A sentence on what was done, or on what to do.
    sentence: String,
    /// Target and text of a link.
    link: Option<(String, &'static str)>,
}

struct NextStep {
    icon: &'static str,
    title: &'static str,
    sentence: &'static str,
    path: String,
    action: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StepState {
    Done,
    Current,
    Later,
}

impl SetupStep {
    fn class(&self) -> &'static str {
        match self.state {
            StepState::Done => "ok",
            StepState::Current => "now",
            StepState::Later => "",
        }
    }
}

struct AttentionRow {
    /// The name of the icon, and the CSS class of the row.
    icon: &'static str,
    class: &'static str,
    title: String,
    sentence: String,
    since: Option<ShownTime>,
    link: Option<(String, &'static str)>,
}

struct HomeCount {
    name: &'static str,
    number: String,
    compared: String,
}

/// Shows the page.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let mut member_context = MemberContext::of(&request, &deps).await?;
    let accounts = member_context.take_accounts();
    let overview = overview::load(&deps, member_context.reader(), accounts).await?;
    let manages_webhooks = member_context.authority.role.may_read(Area::Webhooks);
    let manages_numbers = member_context.may(MemberAction::NumberConnected);
    let steps = (!overview.has_started())
        .then(|| steps(&deps, &overview, manages_webhooks, manages_numbers));
    let next = match &steps {
        Some(_) => Vec::new(),
        None => next_steps(&deps, &member_context, &overview).await?,
    };
    let conversations = conversations(&deps, &member_context).await?;
    let objects = overview.attention(deps.clock.now()).into_iter();
    let objects =
        objects.filter(|it| manages_webhooks || !is_about_webhooks(it)).map(|it| row_of(&it));
    let drafts = if member_context.authority.role.may_read(Area::Inbox) {
        turns::count_drafts(&deps, member_context.reader(), member_context.visible()).await?
    } else {
        0
    };
    let attention = row_of_waiting(conversations.needs_person)
        .into_iter()
        .chain(row_of_drafts(drafts))
        .chain(objects)
        .chain(row_of_failed(&member_context))
        .chain(row_of_unread(conversations.unread));
    let name = &member_context.member.name;
    let page = HomePage {
        frame: member_context.frame(HOME),
        member: name.split(' ').next().unwrap_or(name).to_owned(),
        steps,
        next,
        attention: attention.collect(),
        counts: counts(&overview),
        without_endpoint: overview.endpoints.is_empty() && manages_webhooks,
        webhooks: WEBHOOKS,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn steps(
    deps: &ServerDeps,
    overview: &Overview,
    manages_webhooks: bool,
    manages_numbers: bool,
) -> Steps {
    let account = overview.accounts.first();
    let key = overview.key.as_ref();
    let number = match account {
        Some(account) => format!("{}. It is ready to send and receive.", named(account)),
        None if manages_numbers => {
            "A number sends and receives the messages. The sandbox needs no phone.".to_owned()
        }
        None => "A number sends and receives the messages. An owner adds it.".to_owned(),
    };
    let message = match &overview.message {
        Some(message) => format!("Sent. {}", in_words(message)),
        None => format!(
            "{TEST_RECIPIENT} is a test recipient that reads a message and writes back. The call below sends to it, too."
        ),
    };
    let used = key.and_then(|it| it.last_used_at);
    let called = match (key, used) {
        (Some(key), Some(at)) => {
            format!("“{}” was used on {}.", key.key.name, ShownTime::in_words(at))
        }
        (Some(key), None) => format!(
            "“{}” is ready{}. Run the call from your server with the two values that you saved.",
            key.key.name,
            if key.key.state == KeyState::Active { "" } else { ", but disabled" }
        ),
        (None, _) => {
            "Create a key and save its two values as environment variables. Then run this call."
                .to_owned()
        }
    };
    let endpoint = match (overview.endpoints.first(), overview.is_verified) {
        (Some(_), true) => "Your endpoint has accepted an event.".to_owned(),
        (Some(endpoint), false) => {
            format!("{} has not accepted an event yet. Send it a test.", endpoint.url)
        }
        (None, _) => {
            "Add a webhook endpoint and your server learns of each delivery and reply.".to_owned()
        }
    };
    let step = |title, done: bool, sentence, link| {
        let state = if done { StepState::Done } else { StepState::Later };
        SetupStep { number: 0, title, state, sentence, link }
    };
    let to_keys = match key {
        Some(_) => (KEYS.to_owned(), "API keys"),
        None => (format!("{KEYS}/new"), "Create key"),
    };
    let to_webhooks = if overview.endpoints.is_empty() { "Add endpoint" } else { "Webhooks" };
    let to_webhooks = (WEBHOOKS.to_owned(), to_webhooks);
    let to_webhooks = manages_webhooks.then_some(to_webhooks);
    let to_numbers = manages_numbers.then(|| (format!("{NUMBERS}/new"), "Add number"));
    let sandbox = account.filter(|it| it.channel == ChannelKind::Sandbox);
    let to_phone = sandbox.map(|it| (phone_of(it), "Send it from the sandbox phone"));
    let sent = overview.message.is_some();
    let mut rows = vec![
        step("Add a number", account.is_some(), number, to_numbers),
        step("Send a test message", sent, message, to_phone),
        step("Call the API with a key", used.is_some(), called, Some(to_keys)),
        step("Receive events", overview.is_verified, endpoint, to_webhooks),
    ];
    for (row, number) in rows.iter_mut().zip(1..) {
        row.number = number;
    }
    if let Some(first) = rows.iter_mut().find(|it| it.state == StepState::Later) {
        first.state = StepState::Current;
    }
    let base_url = &deps.config.base_url;
    Steps {
        done: rows.iter().filter(|it| it.state == StepState::Done).count(),
        rows,
        curl: format!(
            "curl {base_url}/api/v1/messages \\\n  -H \"x-client-id: $SWITCHBOARD_CLIENT_ID\" \\\n  \
             -H \"x-client-secret: $SWITCHBOARD_CLIENT_SECRET\" \\\n  -H \"content-type: application/json\" \\\n  \
             -d '{{\"type\": \"text\", \"phone_number\": \"{TEST_RECIPIENT}\", \"text\": \"Hello\"}}'"
        ),
    }
}

/// Returns the path of the sandbox phone of a number, with the test recipient.
fn phone_of(account: &Account) -> String {
    let digits = TEST_RECIPIENT.trim_start_matches('+');
    format!("{NUMBERS}/{}/phone?as=%2B{digits}", account.id)
}

/// Returns what a new organization can do after its first steps, as far as the member may do it.
async fn next_steps(
    deps: &ServerDeps,
    member_context: &MemberContext,
    overview: &Overview,
) -> Result<Vec<NextStep>, PageError> {
    let mut next = Vec::new();
    if deps.clock.now().since(member_context.organization.created_at) > NEXT_STEPS_FOR {
        return Ok(next);
    }
    let is_sandbox = |it: &Account| it.channel == ChannelKind::Sandbox;
    if member_context.may(MemberAction::NumberConnected) && overview.accounts.iter().all(is_sandbox)
    {
        next.push(NextStep {
            icon: "phone",
            title: "Connect a real number",
            sentence: "By Meta’s Cloud API or by Twilio, to reach real customers.",
            path: format!("{NUMBERS}/new"),
            action: "Add number",
        });
    }
    if member_context.may(MemberAction::AiAgentCreated)
        && agents::list(deps, member_context.id()).await?.is_empty()
    {
        next.push(NextStep {
            icon: "bot",
            title: "Add an AI agent",
            sentence: "It answers customers until a person replies. A new agent only writes drafts.",
            path: format!("{AGENTS}/new"),
            action: "Add agent",
        });
    }
    if member_context.may(MemberAction::InvitationCreated)
        && member_context.actor(deps).members().list().await?.len() <= 1
    {
        next.push(NextStep {
            icon: "user-round-plus",
            title: "Invite members",
            sentence: "Each member has a role: owner, developer or support.",
            path: MEMBERS.to_owned(),
            action: "Invite members",
        });
    }
    Ok(next)
}

fn in_words(message: &Message) -> &'static str {
    match message.status {
        MessageStatus::Delivered => "It was delivered.",
        MessageStatus::Read => "It was delivered and read.",
        MessageStatus::Failed => "It failed.",
        _ => "It is on its way.",
    }
}

const fn is_about_webhooks(it: &Attention<'_>) -> bool {
    matches!(it, Attention::EndpointFails(..) | Attention::EndpointDisabled(_))
}

/// Counts the conversations that need the member's attention. A role without the inbox has none.
async fn conversations(
    deps: &ServerDeps,
    member_context: &MemberContext,
) -> Result<InboxAttention, PageError> {
    if !member_context.authority.role.may_read(Area::Inbox) {
        return Ok(InboxAttention::default());
    }
    let (member, visible) = (member_context.member.id, member_context.visible());
    Ok(inbox::count_attention(deps, member_context.reader(), member, visible).await?)
}

/// Returns the row about conversations that wait for a person, if there are any.
fn row_of_waiting(count: usize) -> Option<AttentionRow> {
    let title = match count {
        0 => return None,
        1 => "1 conversation needs a person".to_owned(),
        _ => format!("{} conversations need a person", counted_conversations(count)),
    };
    Some(AttentionRow {
        icon: "hand",
        class: "warn",
        title,
        sentence: "The AI agent does not answer there. Read what the customer wants, and reply."
            .to_owned(),
        since: None,
        link: Some((format!("{INBOX}?view=needs_person"), "View conversations")),
    })
}

/// Returns the row about drafts of AI agents that wait for a member, if there are any.
fn row_of_drafts(count: usize) -> Option<AttentionRow> {
    let title = match count {
        0 => return None,
        1 => "1 draft of the AI agent waits".to_owned(),
        _ => format!("{} drafts of the AI agent wait", counted_conversations(count)),
    };
    Some(AttentionRow {
        icon: "bot",
        class: "",
        title,
        sentence: "The customer gets an answer once somebody sends it from the inbox.".to_owned(),
        since: None,
        link: Some((INBOX.to_owned(), "View inbox")),
    })
}

/// Returns the row about conversations that the member has not read, if there are any.
fn row_of_unread(count: usize) -> Option<AttentionRow> {
    let title = match count {
        0 => return None,
        1 => "1 unread conversation".to_owned(),
        _ => format!("{} unread conversations", counted_conversations(count)),
    };
    Some(AttentionRow {
        icon: "mail",
        class: "",
        title,
        sentence: "Read what customers wrote, and reply in the inbox.".to_owned(),
        since: None,
        link: Some((format!("{INBOX}?view=unread"), "View unread")),
    })
}

/// Returns the row about failed messages, if there are any. The sidebar shows the same number.
fn row_of_failed(member_context: &MemberContext) -> Option<AttentionRow> {
    let number = &member_context.mark(MESSAGES)?.number;
    let messages = if number == "1" { "message" } else { "messages" };
    Some(AttentionRow {
        icon: "circle-x",
        class: "bad",
        title: format!("{number} {messages} failed in the last 24 hours"),
        sentence: "Each one says why it failed, and what to do.".to_owned(),
        since: None,
        link: Some((format!("{MESSAGES}?view=failed"), "View failed messages")),
    })
}

fn row_of(it: &Attention<'_>) -> AttentionRow {
    let (icon, class) = ("triangle-alert", "warn");
    match it {
        Attention::EndpointFails(endpoint, since) => AttentionRow {
            icon,
            class,
            title: format!("The webhook endpoint {} is failing", name_of(endpoint)),
            sentence: "Its deliveries wait and are retried one at a time.".to_owned(),
            since: Some(ShownTime::exact(*since)),
            link: Some((format!("{WEBHOOKS}/{}", endpoint.id), "View deliveries")),
        },
        Attention::EndpointDisabled(endpoint) => AttentionRow {
            icon,
            class,
            title: format!("The webhook endpoint {} was disabled", name_of(endpoint)),
            sentence: "Its deliveries failed for too long, so nothing is sent to it.".to_owned(),
            since: endpoint.disabled_at.map(ShownTime::exact),
            link: Some((format!("{WEBHOOKS}/{}", endpoint.id), "View endpoint")),
        },
        Attention::Number(account, state) => {
            let health = account.known_health();
            let since = health.hold.map(|it| it.since).or(health.restriction.map(|it| it.since));
            let (what, sentence) = match state {
                HealthState::Held => ("is held", "Its messages wait, and leave in order later."),
                _ => ("is restricted", "The channel has limited what this number may send."),
            };
            AttentionRow {
                icon,
                class,
                title: format!("{} {what}", named(account)),
                sentence: sentence.to_owned(),
                since: since.map(ShownTime::exact),
                link: Some((format!("{NUMBERS}/{}", account.id), "View number")),
            }
        }
        Attention::Limit(meter, usage, percent) => {
            let what = match meter {
                Meter::ApiCalls => "today’s API calls",
                Meter::Messages => "this month’s messages",
                Meter::ConnectionMessages => "a connection’s messages",
            };
            AttentionRow {
                icon,
                class,
                title: format!("{percent}% of {what} are used"),
                sentence: format!(
                    "The count starts again on {}.",
                    ShownTime::in_words(usage.resets_at)
                ),
                since: None,
                link: Some((PLAN.to_owned(), "View plan")),
            }
        }
    }
}

fn counts(overview: &Overview) -> Vec<HomeCount> {
    let count = |name, now: u32, before: u32, period: &str| HomeCount {
        name,
        number: with_commas(now.into()),
        compared: format!("{} {period}", with_commas(before.into())),
    };
    let (calls, yesterday) = overview.calls;
    let (messages, last_month) = overview.messages;
    vec![
        count("API calls today", calls.used, yesterday, "yesterday"),
        count("Messages this month", messages.used, last_month, "last month"),
    ]
}

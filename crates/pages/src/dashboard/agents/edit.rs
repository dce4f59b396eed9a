//! The settings of an AI agent, and its last turns.

use super::{kind_name, named, state};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use crate::dashboard::{AGENTS, INBOX};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::{
    AgentConnection, AgentKind, AgentMode, AnswerDelay, AnswerLimits, AnswerSchedule, AnswerTime,
    TurnState,
};
use domain::id::AccountId;
use domain::keyword::Keyword as _;
use domain::number::saturating;
use domain::role::Area;
use http_layer::deps::Deps;
use persistence::records::{Account, AiAgent, Turn};
use service::agents::{AgentError, AgentInput, Agents, NewConnection};
use service::{accounts, turns};
use std::sync::Arc;

/// Number of turns that the page shows.
const SHOWN_TURNS: i64 = 25;

#[derive(Template)]
#[template(path = "agents/agent.html")]
struct AgentPage {
    frame: Frame,
    token: String,
    /// The path that the form is submitted to.
    path: String,
    title: String,
    /// The state, the id and the kind of an agent that exists.
    existing: Option<Existing>,
    values: AgentValues,
    numbers: Vec<NumberChoice>,
    errors: FieldErrors,
    turns: Vec<TurnRow>,
}

struct Existing {
    id: String,
    delete_path: String,
    state: StateLabel,
    kind: &'static str,
}

struct NumberChoice {
    id: String,
    name: String,
    chosen: bool,
}

struct TurnRow {
    conversation: String,
    state: &'static str,
    detail: String,
    took: String,
    at: ShownTime,
}

impl TurnRow {
    fn of(turn: Turn, now: domain::time::Timestamp) -> Self {
        let tokens = turn.tokens.map(|tokens| format!("{tokens} tokens"));
        Self {
            conversation: format!("{INBOX}/{}", turn.conversation_id),
            state: in_words(turn.state),
            detail: turn.reason.or(tokens).unwrap_or_default(),
            took: turn
                .took_ms
                .map(|ms| format!("{:.1} s", f64::from(ms) / 1000.0))
                .unwrap_or_default(),
            at: ShownTime::relative(turn.finished_at.unwrap_or(turn.created_at), now),
        }
    }
}

const fn in_words(state: TurnState) -> &'static str {
    match state {
        TurnState::Waiting => "Waiting",
        TurnState::Asking => "Being asked",
        TurnState::Answered => "Answered",
        TurnState::Drafted => "Drafted",
        TurnState::Superseded => "Superseded",
        TurnState::HandedOver => "Handed over",
        TurnState::Silent => "Silent",
        TurnState::Failed => "Failed",
        TurnState::Skipped => "Skipped",
    }
}

/// What was typed, without the key of the model's server.
#[derive(Default)]
struct AgentValues {
    name: String,
    kind: String,
    mode: String,
    url: String,
    base_url: String,
    model: String,
    fallback_model: String,
    instructions: String,
    quiet: String,
    longest: String,
    answers_per_hour: String,
    tokens_per_day: String,
    resume_after_hours: String,
    resume_on_close: bool,
    answer_time: String,
    zone: String,
    hours: String,
    allowed_contacts: String,
    failure_text: String,
    person_phrases: String,
    accounts: Vec<String>,
}

impl AgentValues {
    /// Returns the defaults of a new agent.
    fn of_new() -> Self {
        let delay = AnswerDelay::default();
        Self {
            kind: AgentKind::Model.as_str().to_owned(),
            mode: AgentMode::Draft.as_str().to_owned(),
            quiet: delay.quiet().as_secs().to_string(),
            longest: delay.longest().as_secs().to_string(),
            answers_per_hour: AnswerLimits::default().per_hour.to_string(),
            answer_time: AnswerTime::Always.as_str().to_owned(),
            zone: AnswerSchedule::default().zone,
            ..Self::default()
        }
    }

    fn of_form(form: &Form) -> Self {
        let value = |name: &str| form.value(name).trim().to_owned();
        Self {
            name: value("name"),
            kind: value("kind"),
            mode: value("mode"),
            url: value("url"),
            base_url: value("base_url"),
            model: value("model"),
            fallback_model: value("fallback_model"),
            instructions: form.value("instructions").to_owned(),
            quiet: value("quiet"),
            longest: value("longest"),
            answers_per_hour: value("answers_per_hour"),
            tokens_per_day: value("tokens_per_day"),
            resume_after_hours: value("resume_after_hours"),
            resume_on_close: !form.value("resume_on_close").is_empty(),
            answer_time: or_else(value("answer_time"), AnswerTime::Always.as_str()),
            zone: or_else(value("zone"), "UTC"),
            hours: form.value("hours").to_owned(),
            allowed_contacts: form.value("allowed_contacts").to_owned(),
            failure_text: value("failure_text"),
            person_phrases: form.value("person_phrases").to_owned(),
            accounts: form.values("account").map(str::to_owned).collect(),
        }
    }

    fn of_agent(agent: &AiAgent, accounts: &[AccountId]) -> Result<Self, PageError> {
        let settings = agent.settings().map_err(persistence::Error::from)?;
        let optional = |number: Option<String>| number.unwrap_or_default();
        let mut values = Self {
            name: agent.name.clone(),
            kind: agent.kind.as_str().to_owned(),
            mode: agent.mode.as_str().to_owned(),
            instructions: settings.instructions,
            quiet: settings.delay.quiet().as_secs().to_string(),
            longest: settings.delay.longest().as_secs().to_string(),
            answers_per_hour: settings.limits.per_hour.to_string(),
            tokens_per_day: optional(settings.limits.tokens_per_day.map(|it| it.to_string())),
            resume_after_hours: optional(settings.resume_after_hours.map(|it| it.to_string())),
            resume_on_close: settings.resume_on_close,
            answer_time: settings.schedule.time.as_str().to_owned(),
            zone: settings.schedule.zone,
            hours: settings.schedule.hours.to_string(),
            allowed_contacts: settings.allowed_contacts.join("\n"),
            failure_text: settings.failure_text.unwrap_or_default(),
            person_phrases: settings.person_phrases.join("\n"),
            accounts: accounts.iter().map(ToString::to_string).collect(),
            ..Self::default()
        };
        match settings.connection {
            AgentConnection::Webhook { url } => values.url = url,
            AgentConnection::Model(it) => {
                values.base_url = it.base_url;
                values.model = it.model;
                values.fallback_model = it.fallback_model.unwrap_or_default();
            }
            AgentConnection::Api => {}
        }
        Ok(values)
    }

    fn is_kind(&self, kind: AgentKind) -> bool {
        self.kind == kind.as_str()
    }
}

pub async fn show_new(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let values = member_context.form_values_for(request.path()).map(AgentValues::of_form);
    let mut values = values.unwrap_or_else(AgentValues::of_new);
    let accounts = accounts::list(&deps, member_context.reader()).await?;
    if values.accounts.is_empty()
        && let [only] = accounts.as_slice()
    {
        values.accounts.push(only.id.to_string());
    }
    let page = AgentPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        path: format!("{AGENTS}/new"),
        title: "Add an AI agent".to_owned(),
        existing: None,
        numbers: choices(&accounts, &values),
        values,
        errors: FieldErrors::default(),
        turns: Vec::new(),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let typed = member_context.form_values_for(request.path()).map(AgentValues::of_form);
    let own = Agents::of(&deps, member_context.id()).list().await?;
    let on = own.into_iter().find(|(it, _)| it.id == agent.id).map(|(_, on)| on);
    let values = match typed {
        Some(typed) => typed,
        None => AgentValues::of_agent(&agent, &on.unwrap_or_default())?,
    };
    render(&deps, &member_context, &agent, values, FieldErrors::default(), StatusCode::OK).await
}

async fn render(
    deps: &Deps,
    member_context: &MemberContext,
    agent: &AiAgent,
    values: AgentValues,
    errors: FieldErrors,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let turns = turns::list(deps, member_context.id(), agent.id, SHOWN_TURNS).await?;
    let now = deps.clock.now();
    let page = AgentPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        path: format!("{AGENTS}/{}", agent.id),
        title: agent.name.clone(),
        existing: Some(Existing {
            id: agent.id.to_string(),
            delete_path: format!("{AGENTS}/{}/delete", agent.id),
            state: state(agent.mode),
            kind: kind_name(agent.kind),
        }),
        numbers: choices(&accounts, &values),
        values: AgentValues { kind: agent.kind.as_str().to_owned(), ..values },
        errors,
        turns: turns.into_iter().map(|turn| TurnRow::of(turn, now)).collect(),
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

fn choices(accounts: &[Account], values: &AgentValues) -> Vec<NumberChoice> {
    let choice = |it: &Account| NumberChoice {
        id: it.id.to_string(),
        name: format!("{} · {}", it.display_name, it.phone_number),
        chosen: values.accounts.contains(&it.id.to_string()),
    };
    accounts.iter().map(choice).collect()
}

/// Creates an agent. The page that follows shows the signing secret of a webhook once.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let work = async {
            let values = AgentValues::of_form(&form);
            let kind = match AgentKind::from_keyword(&values.kind) {
                Some(AgentKind::Model) => NewConnection::Model,
                Some(AgentKind::Webhook) => NewConnection::Webhook,
                Some(AgentKind::Api) => NewConnection::Api,
                None => return Ok(Err(FieldErrors::one("kind", "Choose who answers."))),
            };
            let input = match input(&values, form.value("api_key")) {
                Ok(input) => input,
                Err(errors) => return Ok(Err(errors)),
            };
            if let Some(errors) = unreachable(&deps, kind, &values) {
                return Ok(Err(errors));
            }
            let made = permitted(member_context.actor(&deps).agents().create(kind, input).await)?;
            match made {
                Ok(created) => {
                    let location = format!("{AGENTS}/{}", created.agent.id);
                    let notice = created_notice(created.secret.map(|it| it.reveal()));
                    Ok(Ok(ActionResult { location, notice }))
                }
                Err(error) => Ok(Err(field_errors(error)?)),
            }
        };
        let refused = async |errors: FieldErrors| {
            let values = AgentValues::of_form(&form);
            let accounts = accounts::list(&deps, member_context.reader()).await?;
            let page = AgentPage {
                frame: member_context.frame(AGENTS),
                token: member_context.token(),
                path: format!("{AGENTS}/new"),
                title: "Add an AI agent".to_owned(),
                existing: None,
                numbers: choices(&accounts, &values),
                values,
                errors,
                turns: Vec::new(),
            };
            Ok(PagePolicy::Dashboard.page(StatusCode::UNPROCESSABLE_ENTITY, &page))
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

fn created_notice(secret: Option<String>) -> Notice {
    let Some(secret) = secret else {
        let sentence = "In draft mode its answers wait in the inbox until somebody sends them.";
        return Notice::saying("Agent added", sentence);
    };
    let sentence = "Copy its signing secret now: your server checks each request with it. You won’t be \
                    able to see this secret again.";
    Notice::saying("Agent added", sentence).with("Signing secret", "secret", secret)
}

pub async fn save(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let agent = named(&deps, &member_context, &request).await?;
        let action = form.value("action");
        if !matches!(action, "save" | "rotate") {
            return Err(PageError::UnknownAction);
        }
        let location = format!("{AGENTS}/{}", agent.id);
        let work = async {
            let agents = member_context.actor(&deps).agents();
            if action == "rotate" {
                return match permitted(Box::pin(agents.rotate_secret(&agent)).await)? {
                    Ok(secret) => {
                        let sentence = "Copy it now. The secret before no longer signs.";
                        let notice = Notice::saying("Secret rotated", sentence);
                        let notice = notice.with("Signing secret", "secret", secret.reveal());
                        Ok(Ok(ActionResult { location, notice }))
                    }
                    Err(error) => Ok(Err(field_errors(error)?)),
                };
            }
            let values = AgentValues::of_form(&form);
            let input = match input(&values, form.value("api_key")) {
                Ok(input) => input,
                Err(errors) => return Ok(Err(errors)),
            };
            let kind = match agent.kind {
                AgentKind::Model => NewConnection::Model,
                AgentKind::Webhook => NewConnection::Webhook,
                AgentKind::Api => NewConnection::Api,
            };
            if let Some(errors) = unreachable(&deps, kind, &values)
                .filter(|_| !keeps_trusted_address(&agent, &values))
            {
                return Ok(Err(errors));
            }
            match permitted(Box::pin(agents.update(&agent, input)).await)? {
                Ok(_) => {
                    let notice = Notice::saying("Saved", "The next turn uses these settings.");
                    Ok(Ok(ActionResult { location, notice }))
                }
                Err(error) => Ok(Err(field_errors(error)?)),
            }
        };
        let refused = async |errors: FieldErrors| {
            let (values, status) = (AgentValues::of_form(&form), StatusCode::UNPROCESSABLE_ENTITY);
            render(&deps, &member_context, &agent, values, errors, status).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

/// Whether the address of the model is the one that the operator entered.
fn keeps_trusted_address(agent: &AiAgent, values: &AgentValues) -> bool {
    match agent.settings().map(|it| it.connection) {
        Ok(AgentConnection::Model(it)) => {
            it.is_trusted && it.base_url == values.base_url.trim_end_matches('/')
        }
        _ => false,
    }
}

fn or_else(text: String, default: &str) -> String {
    if text.is_empty() { default.to_owned() } else { text }
}

/// Returns the error for an address that may not be reached.
fn unreachable(deps: &Deps, kind: NewConnection, values: &AgentValues) -> Option<FieldErrors> {
    let (field, checked, setting) = match kind {
        NewConnection::Webhook => {
            let checked = deps.outbound.guarded.check(&values.url);
            ("url", checked, "SWITCHBOARD_WEBHOOK_ALLOW")
        }
        NewConnection::Model => {
            let checked = deps.outbound.models.check(&values.base_url);
            ("base_url", checked, "SWITCHBOARD_AGENT_ALLOW")
        }
        NewConnection::Api => return None,
    };
    let why = checked.err()?;
    let advice = match why {
        platform::outbound::Unreachable::NoAddress => String::new(),
        platform::outbound::Unreachable::NotPublic(_) => {
            format!(" The operator of this server can allow its network with {setting}.")
        }
    };
    Some(FieldErrors::one(field, format!("This address cannot be called: {why}.{advice}")))
}

/// Reads the form.
fn input<'a>(values: &'a AgentValues, api_key: &'a str) -> Result<AgentInput<'a>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mode = AgentMode::from_keyword(&values.mode);
    if mode.is_none() {
        errors.add("mode", "Choose a mode.");
    }
    let answer_time = AnswerTime::from_keyword(&values.answer_time);
    if answer_time.is_none() {
        errors.add("answer_time", "Choose when the agent answers.");
    }
    let mut number = |field: &'static str, text: &str| -> Option<u64> {
        if text.is_empty() {
            return None;
        }
        let read: Option<u64> = text.replace([',', ' '], "").parse().ok();
        let read = read.filter(|it| u32::try_from(*it).is_ok());
        if read.is_none() {
            errors.add(field, "Enter a whole number.");
        }
        read
    };
    let quiet = number("quiet", &values.quiet);
    let longest = number("longest", &values.longest);
    let per_hour = number("answers_per_hour", &values.answers_per_hour);
    let tokens_per_day = number("tokens_per_day", &values.tokens_per_day);
    let resume_after = number("resume_after_hours", &values.resume_after_hours);
    let accounts: Option<Vec<AccountId>> =
        values.accounts.iter().map(|id| id.parse().ok()).collect();
    if accounts.is_none() {
        errors.add("account", "Choose numbers of this organization.");
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let small = |it: u64| saturating(it, u32::MAX);
    let contacts = values.allowed_contacts.lines().map(str::trim).filter(|it| !it.is_empty());
    let phrases = values.person_phrases.lines().map(str::trim).filter(|it| !it.is_empty());
    let optional = |text: &'a str| (!text.is_empty()).then_some(text);
    Ok(AgentInput {
        name: Some(&values.name),
        mode,
        url: optional(&values.url),
        base_url: optional(&values.base_url),
        model: optional(&values.model),
        fallback_model: Some(&values.fallback_model),
        api_key: optional(api_key.trim()),
        max_tokens: None,
        temperature: None,
        quiet_seconds: quiet.map(small),
        longest_seconds: longest.map(small),
        instructions: Some(&values.instructions),
        answers_per_hour: per_hour.map(small),
        tokens_per_day,
        // An empty field turns it off.
        resume_after_hours: Some(resume_after.map_or(0, small)),
        resume_on_close: Some(values.resume_on_close),
        answer_time,
        zone: Some(&values.zone),
        hours: Some(&values.hours),
        allowed_contacts: Some(contacts.map(str::to_owned).collect()),
        failure_text: Some(&values.failure_text),
        person_phrases: Some(phrases.map(str::to_owned).collect()),
        accounts,
        is_operator: false,
    })
}

/// Returns the error beside its field. An error of the database is an error page.
fn field_errors(error: AgentError) -> Result<FieldErrors, PageError> {
    let field = match &error {
        AgentError::Database(_) | AgentError::Unreadable(_) => {
            return Err(match error {
                AgentError::Database(error) => error.into(),
                AgentError::Unreadable(row) => persistence::Error::from(row).into(),
                other => http_layer::problem::Problem::internal(&other).into(),
            });
        }
        AgentError::Sealing(_) | AgentError::Unwritable(_) => {
            return Err(http_layer::problem::Problem::internal(&error).into());
        }
        AgentError::Name(_) => "name",
        AgentError::Missing { field } | AgentError::Invalid { field, .. } => field,
        AgentError::NoSuchNumber(_) => "account",
        AgentError::TooMany | AgentError::NotFound => "",
    };
    let sentence = match &error {
        AgentError::Missing { .. } => "Fill this in.".to_owned(),
        AgentError::Invalid { why, .. } => why.clone(),
        other => other.to_string(),
    };
    Ok(FieldErrors::one(field, sentence))
}

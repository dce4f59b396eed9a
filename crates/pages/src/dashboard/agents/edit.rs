//! The settings of an AI agent, and its last turns.

use super::turn::{in_words, seconds, tokens_in_words};
use super::{AgentTab, kind_name, named, state, tabs};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::{
    AgentConnection, AgentKind, AgentMode, AgentTemplate, AnswerDelay, AnswerLimits,
    AnswerSchedule, AnswerTime,
};
use domain::id::AccountId;
use domain::keyword::Keyword as _;
use domain::number::saturating;
use domain::role::Area;
use domain::template::TemplateStatus;
use http_layer::deps::Deps;
use persistence::records::{Account, AiAgent, TemplateFilter, Turn};
use service::actor::ActionError;
use service::agents::{AgentError, AgentInput, Agents, ModelOptions, NewConnection};
use service::{accounts, templates, turns};
use std::sync::Arc;

/// Number of turns that the page shows.
const SHOWN_TURNS: i64 = 25;
/// Number of approved templates that can be chosen.
const SHOWN_TEMPLATES: i64 = 200;

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
    tabs: Vec<AgentTab>,
    templates: Vec<TemplateChoice>,
    /// What the agents have cost in this month, in words.
    cost_this_month: String,
}

struct TemplateChoice {
    value: String,
    name: String,
    chosen: bool,
}

struct Existing {
    id: String,
    connection_path: String,
    playground_path: String,
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
    path: String,
    state: &'static str,
    detail: String,
    took: String,
    at: ShownTime,
}

impl TurnRow {
    fn of(turn: Turn, now: domain::time::Timestamp) -> Self {
        let (tokens, _) = tokens_in_words(turn.spending());
        let tokens = (!tokens.is_empty()).then(|| format!("{tokens} tokens"));
        let facts: Vec<String> =
            tokens.into_iter().chain(turn.spending().cost_in_words()).collect();
        let took = turn.took_ms.and_then(|ms| u64::try_from(ms).ok());
        Self {
            path: format!("{AGENTS}/{}/turns/{}", turn.agent_id, turn.id),
            state: in_words(turn.state),
            detail: turn.reason.unwrap_or_else(|| facts.join(" · ")),
            took: took.map(seconds).unwrap_or_default(),
            at: ShownTime::relative(turn.finished_at.unwrap_or(turn.created_at), now),
        }
    }
}

/// What was typed, without the key of the model's server.
#[derive(Default)]
pub(super) struct AgentValues {
    name: String,
    kind: String,
    mode: String,
    url: String,
    base_url: String,
    model: String,
    fallback_model: String,
    pub(super) instructions: String,
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
    input_price: String,
    output_price: String,
    fallback_input_price: String,
    fallback_output_price: String,
    cost_per_month: String,
    has_tools: bool,
    sees_images: bool,
    transcription_model: String,
    /// Each as its name and language.
    templates: Vec<String>,
    link_hosts: String,
}

/// Returns the value of a template's box.
fn template_value(name: &str, language: &str) -> String {
    format!("{name}/{language}")
}

fn template_of(value: &str) -> Option<AgentTemplate> {
    let (name, language) = value.split_once('/')?;
    Some(AgentTemplate { name: name.to_owned(), language: language.to_owned() })
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
            has_tools: true,
            answer_time: AnswerTime::Always.as_str().to_owned(),
            zone: AnswerSchedule::default().zone,
            ..Self::default()
        }
    }

    pub(super) fn of_form(form: &Form) -> Self {
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
            input_price: value("input_price"),
            output_price: value("output_price"),
            fallback_input_price: value("fallback_input_price"),
            fallback_output_price: value("fallback_output_price"),
            cost_per_month: value("cost_per_month"),
            has_tools: !form.value("has_tools").is_empty(),
            sees_images: !form.value("sees_images").is_empty(),
            transcription_model: value("transcription_model"),
            templates: form.values("template").map(str::to_owned).collect(),
            link_hosts: form.value("link_hosts").to_owned(),
        }
    }

    pub(super) fn of_agent(agent: &AiAgent, accounts: &[AccountId]) -> Result<Self, PageError> {
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
            cost_per_month: optional(settings.limits.cost_per_month.map(|it| it.to_string())),
            templates: settings
                .templates
                .iter()
                .map(|it| template_value(&it.name, &it.language))
                .collect(),
            link_hosts: settings.link_hosts.join("\n"),
            ..Self::default()
        };
        match settings.connection {
            AgentConnection::Webhook { url } => values.url = url,
            AgentConnection::Model(it) => {
                values.base_url = it.base_url;
                values.model = it.model;
                values.fallback_model = it.fallback_model.unwrap_or_default();
                values.has_tools = it.has_tools;
                values.sees_images = it.sees_images;
                values.transcription_model = it.transcription_model.unwrap_or_default();
                if let Some(prices) = it.prices {
                    values.input_price = prices.input.to_string();
                    values.output_price = prices.output.to_string();
                }
                if let Some(prices) = it.fallback_prices {
                    values.fallback_input_price = prices.input.to_string();
                    values.fallback_output_price = prices.output.to_string();
                }
            }
            AgentConnection::Api => {}
        }
        Ok(values)
    }

    /// Returns the fields that a draft carries along, besides the instructions.
    pub(super) fn carried(&self) -> Vec<(&'static str, String)> {
        let flag = |it: bool| if it { "yes".to_owned() } else { String::new() };
        let mut fields = vec![
            ("name", self.name.clone()),
            ("mode", self.mode.clone()),
            ("base_url", self.base_url.clone()),
            ("model", self.model.clone()),
            ("fallback_model", self.fallback_model.clone()),
            ("input_price", self.input_price.clone()),
            ("output_price", self.output_price.clone()),
            ("fallback_input_price", self.fallback_input_price.clone()),
            ("fallback_output_price", self.fallback_output_price.clone()),
            ("cost_per_month", self.cost_per_month.clone()),
            ("has_tools", flag(self.has_tools)),
            ("sees_images", flag(self.sees_images)),
            ("link_hosts", self.link_hosts.clone()),
        ];
        fields.extend(self.templates.iter().map(|it| ("template", it.clone())));
        fields
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
        tabs: Vec::new(),
        templates: Vec::new(),
        cost_this_month: String::new(),
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
            connection_path: format!("{AGENTS}/{}/connection", agent.id),
            playground_path: format!("{AGENTS}/{}/playground", agent.id),
            delete_path: format!("{AGENTS}/{}/delete", agent.id),
            state: state(agent.mode),
            kind: kind_name(agent.kind),
        }),
        tabs: tabs(agent, ""),
        templates: template_choices(deps, member_context, agent, &values).await?,
        cost_this_month: cost_this_month(deps, member_context).await?,
        numbers: choices(&accounts, &values),
        values: AgentValues { kind: agent.kind.as_str().to_owned(), ..values },
        errors,
        turns: turns.into_iter().map(|turn| TurnRow::of(turn, now)).collect(),
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Returns the approved templates, and those of the settings that are not approved any more.
async fn template_choices(
    deps: &Deps,
    member_context: &MemberContext,
    agent: &AiAgent,
    values: &AgentValues,
) -> Result<Vec<TemplateChoice>, PageError> {
    if agent.kind != AgentKind::Model {
        return Ok(Vec::new());
    }
    let wanted =
        TemplateFilter { status: Some(TemplateStatus::Approved), ..TemplateFilter::default() };
    let (approved, _) =
        templates::list(deps, member_context.reader(), wanted, SHOWN_TEMPLATES, 0).await?;
    let mut named: Vec<(String, String)> =
        approved.into_iter().map(|it| (it.name, it.language)).collect();
    let chosen = values.templates.iter().filter_map(|it| template_of(it));
    named.extend(chosen.map(|it| (it.name, it.language)));
    named.sort();
    named.dedup();
    let choice = |(name, language): &(String, String)| {
        let value = template_value(name, language);
        TemplateChoice {
            chosen: values.templates.contains(&value),
            name: format!("{name} ({language})"),
            value,
        }
    };
    Ok(named.iter().map(choice).collect())
}

async fn cost_this_month(deps: &Deps, member_context: &MemberContext) -> Result<String, PageError> {
    let cost = service::agents::cost_this_month(deps, member_context.id()).await?;
    Ok(cost.cost_in_words().unwrap_or_else(|| "Nothing".to_owned()))
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
        member_context.require(Area::Agents)?;
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
            let agents = member_context.actor(&deps).agents();
            let made = permitted(Box::pin(agents.create(kind, input)).await)?;
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
                tabs: Vec::new(),
                templates: Vec::new(),
                cost_this_month: String::new(),
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
        member_context.require(Area::Agents)?;
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

/// Returns the error for the address of a model in a draft that may not be reached.
pub(super) fn unreachable_model(
    deps: &Deps,
    agent: &AiAgent,
    values: &AgentValues,
) -> Option<FieldErrors> {
    let errors = unreachable(deps, NewConnection::Model, values);
    errors.filter(|_| !keeps_trusted_address(agent, values))
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
pub(super) fn input<'a>(
    values: &'a AgentValues,
    api_key: &'a str,
) -> Result<AgentInput<'a>, FieldErrors> {
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
        model_options: ModelOptions {
            input_price: Some(&values.input_price),
            output_price: Some(&values.output_price),
            fallback_input_price: Some(&values.fallback_input_price),
            fallback_output_price: Some(&values.fallback_output_price),
            cost_per_month: Some(&values.cost_per_month),
            has_tools: Some(values.has_tools),
            sees_images: Some(values.sees_images),
            transcription_model: Some(&values.transcription_model),
        },
        templates: Some(values.templates.iter().filter_map(|it| template_of(it)).collect()),
        link_hosts: Some(values.link_hosts.lines().map(str::to_owned).collect()),
    })
}

/// Ends a change of a fact, a look-up or a question: with a notice on its page, or with the errors of
/// the form.
pub(super) fn entry_outcome<T>(
    changed: Result<T, ActionError<AgentError>>,
    location: String,
    notice: Notice,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    match permitted(changed)? {
        Ok(_) => Ok(Ok(ActionResult { location, notice })),
        Err(error) => Ok(Err(field_errors(error)?)),
    }
}

/// Returns the error beside its field. An error of the database is an error page.
pub(super) fn field_errors(error: AgentError) -> Result<FieldErrors, PageError> {
    let field = match &error {
        AgentError::Database(_)
        | AgentError::Unreadable(_)
        | AgentError::Sealing(_)
        | AgentError::Unwritable(_) => return Err(page_error(error)),
        AgentError::Name(_) => "name",
        AgentError::Missing { field } | AgentError::Invalid { field, .. } => field,
        AgentError::NoSuchNumber(_) => "account",
        AgentError::TooMany | AgentError::TooManyEntries { .. } | AgentError::NotFound => "",
    };
    let sentence = match &error {
        AgentError::Missing { .. } => "Fill this in.".to_owned(),
        AgentError::Invalid { why, .. } => why.clone(),
        other => other.to_string(),
    };
    Ok(FieldErrors::one(field, sentence))
}

/// Returns the error page for an agent that cannot be shown.
pub(super) fn page_error(error: AgentError) -> PageError {
    match error {
        AgentError::Database(error) => error.into(),
        AgentError::Unreadable(row) => persistence::Error::from(row).into(),
        AgentError::NotFound => PageError::NotFound,
        other => http_layer::problem::Problem::internal(&other).into(),
    }
}

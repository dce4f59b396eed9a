//! The settings of an AI agent: the page of the agent, and the pages of its other groups of settings.

use super::errors::beside_field;
use super::values::{AgentValues, SettingsGroup, summary, template_of, template_value};
use super::{AgentTab, kind_name, named, state, tabs};
use crate::browser::{FieldErrors, PageError, PagePolicy, StateLabel, permitted};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::{AgentConnection, AgentKind};
use domain::id::AiAgentId;
use domain::keyword::Keyword as _;
use domain::role::Area;
use domain::template::TemplateStatus;
use http_layer::deps::ServerDeps;
use persistence::records::{Account, AiAgent, TemplateFilter};
use platform::outbound::{AllowSetting, Unreachable};
use service::actor::ActionError;
use service::agents::{self, AgentError, AgentInput, NewConnection};
use service::{accounts, templates};
use std::sync::Arc;

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
    /// The state, the id, the kind and the model of an agent that exists.
    existing: Option<Existing>,
    values: AgentValues,
    numbers: Vec<NumberChoice>,
    errors: FieldErrors,
    tabs: Vec<AgentTab>,
    /// The other groups of settings.
    sections: Vec<SettingsGroupRow>,
}

struct Existing {
    id: String,
    connection_path: String,
    playground_path: String,
    delete_path: String,
    state: StateLabel,
    kind: &'static str,
    /// The model and its server. Empty if the agent is of another kind.
    model: String,
}

struct NumberChoice {
    id: String,
    name: String,
    chosen: bool,
    /// Whether another agent already answers on the number.
    is_taken: bool,
}

struct SettingsGroupRow {
    path: String,
    title: &'static str,
    summary: String,
}

#[derive(Template)]
#[template(path = "agents/settings.html")]
struct SectionPage {
    frame: Frame,
    token: String,
    agent: String,
    agent_path: String,
    /// The path that the form is submitted to.
    path: String,
    playground_path: String,
    connection_path: String,
    section: SettingsGroup,
    is_model: bool,
    values: AgentValues,
    errors: FieldErrors,
    tabs: Vec<AgentTab>,
    templates: Vec<TemplateChoice>,
}

struct TemplateChoice {
    value: String,
    name: String,
    chosen: bool,
}

/// Returns the path of the page of a group of settings.
fn path_of(agent: &AiAgent, section: SettingsGroup) -> String {
    match section {
        SettingsGroup::General => format!("{AGENTS}/{}", agent.id),
        other => format!("{AGENTS}/{}/settings/{}", agent.id, other.path()),
    }
}

/// Returns the group of settings that the path names. The path of the agent's own page names none.
fn section_of(request: &HttpRequest, agent: &AiAgent) -> Result<SettingsGroup, PageError> {
    let Some(path) = request.match_info().get("section") else { return Ok(SettingsGroup::General) };
    SettingsGroup::below(agent.kind).find(|it| it.path() == path).ok_or(PageError::NotFound)
}

pub async fn show_new(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let values = member_context.form_values_for(request.path()).map(AgentValues::of_form);
    let values = values.unwrap_or_else(AgentValues::of_new);
    let mut numbers = number_choices(&deps, &member_context, None, &values).await?;
    if values.general.accounts.is_empty()
        && let [only] = numbers.as_mut_slice()
    {
        only.chosen = !only.is_taken;
    }
    let page = new_page(&member_context, numbers, values, FieldErrors::default());
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn new_page(
    member_context: &MemberContext,
    numbers: Vec<NumberChoice>,
    values: AgentValues,
    errors: FieldErrors,
) -> AgentPage {
    AgentPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        path: format!("{AGENTS}/new"),
        title: "Add an AI agent".to_owned(),
        existing: None,
        numbers,
        values,
        errors,
        tabs: Vec::new(),
        sections: Vec::new(),
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let section = section_of(&request, &agent)?;
    let typed = member_context.form_values_for(request.path()).map(AgentValues::of_form);
    let values = if let Some(typed) = typed {
        typed
    } else {
        let own = agents::list(&deps, member_context.id()).await?;
        let on = own.into_iter().find(|(it, _)| it.id == agent.id).map(|(_, on)| on);
        AgentValues::of_agent(&agent, &on.unwrap_or_default())?
    };
    let (errors, status) = (FieldErrors::default(), StatusCode::OK);
    render(&deps, &member_context, &agent, section, values, errors, status).await
}

/// Shows the page of a group of settings. The page shows only the values of that group.
async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    agent: &AiAgent,
    section: SettingsGroup,
    mut values: AgentValues,
    errors: FieldErrors,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    agent.kind.as_str().clone_into(&mut values.general.kind);
    let agent_path = path_of(agent, SettingsGroup::General);
    let playground_path = format!("{agent_path}/playground");
    let connection_path = format!("{agent_path}/connection");
    if section != SettingsGroup::General {
        let page = SectionPage {
            frame: member_context.frame(AGENTS),
            token: member_context.token(),
            agent: agent.name.clone(),
            path: path_of(agent, section),
            playground_path,
            connection_path,
            section,
            is_model: agent.kind == AgentKind::Model,
            tabs: tabs(agent, ""),
            templates: if section == SettingsGroup::Sending && agent.kind == AgentKind::Model {
                template_choices(deps, member_context, &values).await?
            } else {
                Vec::new()
            },
            agent_path,
            values,
            errors,
        };
        return Ok(PagePolicy::Dashboard.page(status, &page));
    }
    let numbers = number_choices(deps, member_context, Some(agent.id), &values).await?;
    let settings = agent.settings().map_err(persistence::Error::from)?;
    let row = |section: SettingsGroup| SettingsGroupRow {
        path: path_of(agent, section),
        title: section.title(),
        summary: summary(section, &settings),
    };
    let page = AgentPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        title: agent.name.clone(),
        existing: Some(Existing {
            id: agent.id.to_string(),
            connection_path,
            playground_path,
            delete_path: format!("{agent_path}/delete"),
            state: state(agent.mode),
            kind: kind_name(agent.kind),
            model: summary(SettingsGroup::Model, &settings),
        }),
        path: agent_path,
        tabs: tabs(agent, ""),
        sections: SettingsGroup::below(agent.kind).map(row).collect(),
        numbers,
        values,
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Returns the approved templates, and the templates of the settings that are not approved any
/// more.
async fn template_choices(
    deps: &ServerDeps,
    member_context: &MemberContext,
    values: &AgentValues,
) -> Result<Vec<TemplateChoice>, PageError> {
    let wanted =
        TemplateFilter { status: Some(TemplateStatus::Approved), ..TemplateFilter::default() };
    let (approved, _) =
        templates::list(deps, member_context.reader(), wanted, SHOWN_TEMPLATES, 0).await?;
    let mut named: Vec<(String, String)> =
        approved.into_iter().map(|it| (it.name, it.language)).collect();
    let chosen = &values.sending.templates;
    named.extend(chosen.iter().filter_map(|it| template_of(it)).map(|it| (it.name, it.language)));
    named.sort();
    named.dedup();
    let choice = |(name, language): &(String, String)| {
        let value = template_value(name, language);
        TemplateChoice {
            chosen: chosen.contains(&value),
            name: format!("{name} ({language})"),
            value,
        }
    };
    Ok(named.iter().map(choice).collect())
}

/// Returns the numbers of the organization. Each number on which an agent other than `agent`
/// answers is marked as taken.
async fn number_choices(
    deps: &ServerDeps,
    member_context: &MemberContext,
    agent: Option<AiAgentId>,
    values: &AgentValues,
) -> Result<Vec<NumberChoice>, PageError> {
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let agents = agents::list(deps, member_context.id()).await?;
    let choice = |account: &Account| {
        let mut others = agents.iter().filter(|(it, _)| Some(it.id) != agent);
        let taken_by = others.find(|(_, on)| on.contains(&account.id));
        let name = format!("{} · {}", account.display_name, account.phone_number);
        NumberChoice {
            id: account.id.to_string(),
            name: match taken_by {
                Some((other, _)) => format!("{name} · answered by {}", other.name),
                None => name,
            },
            chosen: values.general.accounts.contains(&account.id.to_string()),
            is_taken: taken_by.is_some(),
        }
    };
    Ok(accounts.iter().map(choice).collect())
}

/// Creates an agent. The page that follows shows the signing secret of a webhook once.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        form.check_action("save")?;
        let work = async {
            let values = AgentValues::of_form(&form);
            let kind = match AgentKind::from_keyword(&values.general.kind) {
                Some(kind) => connection_of(kind),
                None => return Ok(Err(FieldErrors::one("kind", "Choose who answers."))),
            };
            // The form also submits the hidden fields of the other kinds, so only the groups of
            // this kind are read.
            let sections: &[SettingsGroup] = match kind {
                NewConnection::Model => &[SettingsGroup::General, SettingsGroup::Model],
                NewConnection::Webhook | NewConnection::Api => &[SettingsGroup::General],
            };
            let input = values.input(sections, form.value("api_key"));
            let input = match checked(input, unreachable(&deps, kind, &values)) {
                Ok(input) => input,
                Err(errors) => return Ok(Err(errors)),
            };
            let agents = member_context.actor(&deps).agents();
            let made = permitted(Box::pin(agents.create(kind, input)).await)?;
            match made {
                Ok(created) => {
                    let location = path_of(&created.agent, SettingsGroup::General);
                    let notice = created_notice(created.secret.map(|it| it.reveal()));
                    Ok(Ok(ActionResult { location, notice }))
                }
                Err(error) => Ok(Err(field_errors(error)?)),
            }
        };
        let refused = async |errors: FieldErrors| {
            let values = AgentValues::of_form(&form);
            let numbers = number_choices(&deps, &member_context, None, &values).await?;
            let page = new_page(&member_context, numbers, values, errors);
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

/// Saves one group of settings.
pub async fn save(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        let agent = named(&deps, &member_context, &request).await?;
        let section = section_of(&request, &agent)?;
        let rotates = match form.value("action") {
            "save" => false,
            "rotate" if section == SettingsGroup::General => true,
            _ => return Err(PageError::UnknownAction),
        };
        let location = path_of(&agent, section);
        let work = async {
            let agents = member_context.actor(&deps).agents();
            if rotates {
                return match permitted(Box::pin(agents.rotate_secret(&agent)).await)? {
                    Ok(secret) => {
                        let sentence = "Copy it now. The old secret no longer works.";
                        let notice = Notice::saying("Secret rotated", sentence);
                        let notice = notice.with("Signing secret", "secret", secret.reveal());
                        Ok(Ok(ActionResult { location, notice }))
                    }
                    Err(error) => Ok(Err(field_errors(error)?)),
                };
            }
            let mut values = AgentValues::of_form(&form);
            agent.kind.as_str().clone_into(&mut values.general.kind);
            let unreachable = match section {
                SettingsGroup::Model => unreachable_model(&deps, &agent, &values),
                SettingsGroup::General if agent.kind == AgentKind::Webhook => {
                    unreachable(&deps, NewConnection::Webhook, &values)
                }
                _ => None,
            };
            let input = values.input(&[section], form.value("api_key"));
            let input = match checked(input, unreachable) {
                Ok(input) => input,
                Err(errors) => return Ok(Err(errors)),
            };
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
            render(&deps, &member_context, &agent, section, values, errors, status).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

const fn connection_of(kind: AgentKind) -> NewConnection {
    match kind {
        AgentKind::Model => NewConnection::Model,
        AgentKind::Webhook => NewConnection::Webhook,
        AgentKind::Api => NewConnection::Api,
    }
}

/// Whether the address of the model is the one that the operator entered.
fn keeps_trusted_address(agent: &AiAgent, values: &AgentValues) -> bool {
    match agent.settings().map(|it| it.connection) {
        Ok(AgentConnection::Model(it)) => {
            it.is_trusted && it.base_url == values.model.base_url.trim_end_matches('/')
        }
        _ => false,
    }
}

/// Returns the input, or all errors of the form. `unreachable` is the error of its address, which
/// is left out if the address has another error.
fn checked<'a>(
    input: Result<AgentInput<'a>, FieldErrors>,
    unreachable: Option<(&'static str, String)>,
) -> Result<AgentInput<'a>, FieldErrors> {
    let Some((field, sentence)) = unreachable else { return input };
    let mut errors = input.err().unwrap_or_default();
    if errors.of(field).is_none() {
        errors.add(field, sentence);
    }
    Err(errors)
}

/// Returns the error for a draft whose model's address may not be reached, with its field.
pub(super) fn unreachable_model(
    deps: &ServerDeps,
    agent: &AiAgent,
    values: &AgentValues,
) -> Option<(&'static str, String)> {
    let error = unreachable(deps, NewConnection::Model, values);
    error.filter(|_| !keeps_trusted_address(agent, values))
}

/// Returns the error for an address that may not be reached, with its field.
fn unreachable(
    deps: &ServerDeps,
    kind: NewConnection,
    values: &AgentValues,
) -> Option<(&'static str, String)> {
    let (field, checked, setting) = match kind {
        NewConnection::Webhook => {
            let checked = deps.outbound.guarded.check(&values.general.url);
            ("url", checked, AllowSetting::Webhook)
        }
        NewConnection::Model => {
            let checked = deps.outbound.models.check(&values.model.base_url);
            ("base_url", checked, AllowSetting::Agent)
        }
        NewConnection::Api => return None,
    };
    let why = checked.err()?;
    let advice = match why {
        Unreachable::NoAddress => String::new(),
        Unreachable::NotPublic(address) => format!(" {}", setting.advice(address)),
    };
    Some((field, format!("This address cannot be called: {why}.{advice}")))
}

/// Ends a change of a fact, a look-up or a question: shows its page with a notice, or the form with
/// its errors.
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
    match beside_field(&error) {
        Some((field, sentence)) => Ok(FieldErrors::one(field, sentence)),
        None => Err(page_error(error)),
    }
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

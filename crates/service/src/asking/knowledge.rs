//! Facts, look-ups and templates: the knowledge of a model besides its instructions.

use crate::agent_entries::open_entry_secret;
use crate::agents::AgentError;
use domain::agent::{AgentEntryKind, AgentSettings, AgentTemplate, Fact};
use domain::id::{AiAgentId, OrganizationId};
use domain::template::TemplateStatus;
use persistence::content::agent_entries::{LookUp, decode_fact};
use persistence::records::Template;
use platform::BaseDeps;

/// The facts, look-ups and templates that a model may use.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    pub facts: Vec<Fact>,
    pub look_ups: Vec<ReadyLookUp>,
    /// The templates of the settings that are approved at present.
    pub templates: Vec<UsableTemplate>,
}

/// A look-up with the value of its header.
#[derive(Clone, Debug)]
pub struct ReadyLookUp {
    pub look_up: LookUp,
    pub secret: Option<String>,
}

/// An approved template.
#[derive(Clone, Debug)]
pub struct UsableTemplate {
    pub name: String,
    pub language: String,
    /// The components, as JSON.
    pub components: String,
}

/// Loads the knowledge of an agent.
pub async fn load_knowledge(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    settings: &AgentSettings,
) -> Result<Knowledge, AgentError> {
    let organization_db = deps.db.organization(organization);
    let facts = organization_db.list_agent_entries(agent, AgentEntryKind::Fact).await?;
    let facts = facts.iter().map(|it| decode_fact(&it.content.0)).collect::<Result<_, _>>()?;
    let mut look_ups = Vec::new();
    for entry in organization_db.list_agent_entries(agent, AgentEntryKind::LookUp).await? {
        let secret = open_entry_secret(&deps.sealing, &entry)?;
        look_ups.push(ReadyLookUp { look_up: serde_json::from_str(&entry.content.0)?, secret });
    }
    let wanted = settings.templates.iter();
    let wanted = wanted.map(|it| (it.name.clone(), it.language.clone())).collect();
    let found = organization_db.templates_named(wanted).await?;
    // The tool offers the templates in the order of the settings.
    let usable = |wanted: &AgentTemplate| {
        let is_usable = |it: &&Template| {
            let is_approved = it.status == TemplateStatus::Approved;
            is_approved && it.name == wanted.name && it.language == wanted.language
        };
        found.iter().find(is_usable).map(|it| UsableTemplate {
            name: it.name.clone(),
            language: it.language.clone(),
            components: it.components.0.clone(),
        })
    };
    let templates = settings.templates.iter().filter_map(usable).collect();
    Ok(Knowledge { facts, look_ups, templates })
}

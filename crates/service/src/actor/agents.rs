//! AI agents, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::agent_entries::{self, LookUpInput};
use crate::agents::{self, AgentError, AgentInput, CreatedAgent, NewConnection};
use auth::webhook::WebhookSecret;
use domain::agent::{AgentEntryKind, Expectation, MicroDollars};
use domain::id::AgentEntryId;
use domain::role::MemberAction;
use persistence::records::AiAgent;

pub struct MemberAgents<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn agents(self) -> MemberAgents<'a> {
        MemberAgents(self)
    }
}

impl MemberAgents<'_> {
    /// Creates an agent.
    pub async fn create(
        &self,
        kind: NewConnection,
        input: AgentInput<'_>,
    ) -> Result<CreatedAgent, ActionError<AgentError>> {
        let work = agents::create(self.0.deps, self.0.organization, kind, input);
        let created = |it: &CreatedAgent| Some(object(&it.agent));
        self.0.perform(MemberAction::AiAgentCreated, work, created).await
    }

    /// Changes an agent.
    pub async fn update(
        &self,
        agent: &AiAgent,
        input: AgentInput<'_>,
    ) -> Result<AiAgent, ActionError<AgentError>> {
        let work = agents::update(self.0.deps, self.0.organization, agent.id, input);
        self.0.perform(MemberAction::AiAgentUpdated, work, |it| Some(object(it))).await
    }

    /// Gives a webhook agent a new signing secret.
    pub async fn rotate_secret(
        &self,
        agent: &AiAgent,
    ) -> Result<WebhookSecret, ActionError<AgentError>> {
        let work = agents::rotate_secret(self.0.deps, self.0.organization, agent.id);
        self.0.perform(MemberAction::AiAgentSecretRotated, work, |_| Some(object(agent))).await
    }

    /// Creates a fact of an agent, or replaces the one with this id.
    pub async fn write_fact(
        &self,
        agent: &AiAgent,
        id: Option<AgentEntryId>,
        title: &str,
        text: &str,
    ) -> Result<AgentEntryId, ActionError<AgentError>> {
        let work =
            agent_entries::write_fact(self.0.deps, self.0.organization, agent.id, id, title, text);
        self.update_entry(agent, work).await
    }

    /// Creates a look-up of an agent, or replaces the one with this id.
    pub async fn write_look_up(
        &self,
        agent: &AiAgent,
        id: Option<AgentEntryId>,
        input: &LookUpInput<'_>,
    ) -> Result<AgentEntryId, ActionError<AgentError>> {
        let work =
            agent_entries::write_look_up(self.0.deps, self.0.organization, agent.id, id, input);
        self.update_entry(agent, work).await
    }

    /// Creates a question of an agent, or replaces the one with this id.
    pub async fn write_question(
        &self,
        agent: &AiAgent,
        id: Option<AgentEntryId>,
        text: &str,
        expected: Expectation,
    ) -> Result<AgentEntryId, ActionError<AgentError>> {
        let work = agent_entries::write_question(
            self.0.deps,
            self.0.organization,
            agent.id,
            id,
            text,
            expected,
        );
        self.update_entry(agent, work).await
    }

    /// Deletes an entry of an agent: a fact, a look-up or a question. Returns `false` if the entry
    /// does not exist.
    pub async fn delete_entry(
        &self,
        agent: &AiAgent,
        kind: AgentEntryKind,
        id: AgentEntryId,
    ) -> Result<bool, ActionError<AgentError>> {
        let work =
            agent_entries::delete_entry(self.0.deps, self.0.organization, agent.id, kind, id);
        self.update_entry(agent, work).await
    }

    async fn update_entry<T>(
        &self,
        agent: &AiAgent,
        work: impl Future<Output = Result<T, AgentError>>,
    ) -> Result<T, ActionError<AgentError>> {
        self.0.perform(MemberAction::AiAgentUpdated, work, |_| Some(object(agent))).await
    }

    /// Sets the most that the agents together may cost in a calendar month, in dollars. An empty text
    /// removes the limit.
    pub async fn set_cost_limit(
        &self,
        dollars: &str,
    ) -> Result<Option<MicroDollars>, ActionError<AgentError>> {
        let work = agents::set_cost_limit(self.0.deps, self.0.organization, dollars);
        let organization = self.0.organization;
        let changed = |limit: &Option<MicroDollars>| {
            let name =
                limit.map_or_else(|| "no limit".to_owned(), |most| format!("${most} a month"));
            Some(AuditObject::new(organization, name))
        };
        self.0.perform(MemberAction::AgentCostLimitChanged, work, changed).await
    }

    /// Deletes an agent. Returns `false` if the agent does not exist.
    pub async fn delete(&self, agent: &AiAgent) -> Result<bool, ActionError<persistence::Error>> {
        let work = agents::delete(self.0.deps, self.0.organization, agent.id);
        let deleted = |done: &bool| done.then(|| object(agent));
        self.0.perform(MemberAction::AiAgentDeleted, work, deleted).await
    }
}

fn object(agent: &AiAgent) -> AuditObject {
    AuditObject::new(agent.id, &agent.name)
}

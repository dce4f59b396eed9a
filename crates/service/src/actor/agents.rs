//! AI agents, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::agents::{AgentError, AgentInput, Agents, CreatedAgent, NewConnection};
use auth::webhook::WebhookSecret;
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
    fn agents(&self) -> Agents<'_> {
        Agents::of(self.0.deps, self.0.organization)
    }

    /// Creates an agent.
    pub async fn create(
        &self,
        kind: NewConnection,
        input: AgentInput<'_>,
    ) -> Result<CreatedAgent, ActionError<AgentError>> {
        let agents = self.agents();
        let work = agents.create(kind, input);
        let created = |it: &CreatedAgent| Some(object(&it.agent));
        self.0.perform(MemberAction::AiAgentCreated, work, created).await
    }

    /// Changes an agent.
    pub async fn update(
        &self,
        agent: &AiAgent,
        input: AgentInput<'_>,
    ) -> Result<AiAgent, ActionError<AgentError>> {
        let agents = self.agents();
        let work = agents.update(agent.id, input);
        self.0.perform(MemberAction::AiAgentUpdated, work, |it| Some(object(it))).await
    }

    /// Gives a webhook agent a new signing secret.
    pub async fn rotate_secret(
        &self,
        agent: &AiAgent,
    ) -> Result<WebhookSecret, ActionError<AgentError>> {
        let agents = self.agents();
        let work = agents.rotate_secret(agent.id);
        self.0.perform(MemberAction::AiAgentSecretRotated, work, |_| Some(object(agent))).await
    }

    /// Deletes an agent. Returns `false` if it is gone already.
    pub async fn delete(&self, agent: &AiAgent) -> Result<bool, ActionError<persistence::Error>> {
        let agents = self.agents();
        let work = agents.delete(agent.id);
        let deleted = |done: &bool| done.then(|| object(agent));
        self.0.perform(MemberAction::AiAgentDeleted, work, deleted).await
    }
}

fn object(agent: &AiAgent) -> AuditObject {
    AuditObject::new(agent.id, &agent.name)
}

//! The conversations of a list in which an AI agent waits for a member.

use domain::agent::AgentMode;
use domain::conversation::Agent;
use domain::id::{ConversationId, OrganizationId};
use persistence::records::Conversation;
use platform::Deps;
use std::collections::BTreeSet;

/// The conversations in which an AI agent waits for a member.
#[derive(Clone, Debug, Default)]
pub struct WaitingAgents {
    /// The contact waits for an answer, and the agent is paused.
    pub paused: BTreeSet<ConversationId>,
}

/// Finds the conversations in which an AI agent waits for a member, among those in which the
/// contact has written last.
pub async fn waiting_agents(
    deps: &Deps,
    organization: OrganizationId,
    among: &[&Conversation],
) -> persistence::Result<WaitingAgents> {
    if among.is_empty() {
        return Ok(WaitingAgents::default());
    }
    let accounts = among.iter().map(|it| it.account_id).collect();
    let agents = deps.db.organization(organization).agents_of_accounts(accounts).await?;
    let is_paused = |it: &&&Conversation| {
        let agent = agents.get(&it.account_id).filter(|agent| agent.mode != AgentMode::Off);
        it.agent() == Agent::Paused && agent.is_some()
    };
    Ok(WaitingAgents { paused: among.iter().filter(is_paused).map(|it| it.id).collect() })
}

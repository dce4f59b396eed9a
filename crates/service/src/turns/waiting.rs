//! The conversations of a list in which an AI agent waits for a member.

use super::draft_in;
use domain::agent::AgentMode;
use domain::conversation::{Agent, WINDOW, window_is_open};
use domain::id::{ConversationId, OrganizationId};
use domain::inbox::ConversationStatus;
use domain::role::VisibleConversations;
use persistence::Reader;
use persistence::records::{Conversation, InboxFilter};
use platform::Deps;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Maximum time between the beginning of a turn and the last message that its draft answers.
const LONGEST_TURN: Duration = Duration::from_hours(1);
/// Maximum number of conversations among which drafts are counted, those with the newest messages,
/// and maximum number that are scanned to find them.
const MAX_DRAFTED: i64 = 100;
const MAX_SCANNED: i64 = 1_000;

/// The conversations in which an AI agent waits for a member.
#[derive(Clone, Debug, Default)]
pub struct WaitingAgents {
    /// The agent has written a draft that the composer shows.
    pub drafted: BTreeSet<ConversationId>,
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
    let organization_db = deps.db.organization(organization);
    let accounts = among.iter().map(|it| it.account_id).collect();
    let agents = organization_db.agents_of_accounts(accounts).await?;
    let is_paused = |it: &&&Conversation| {
        let agent = agents.get(&it.account_id).filter(|agent| agent.mode != AgentMode::Off);
        it.agent() == Agent::Paused && agent.is_some()
    };
    let paused = among.iter().filter(is_paused).map(|it| it.id).collect();
    // In a closed window only a template can be sent, and the composer shows no draft.
    let now = deps.clock.now();
    let may_have_draft = |it: &&Conversation| {
        window_is_open(it.last_inbound_at, now) && agents.contains_key(&it.account_id)
    };
    let drafted: BTreeMap<ConversationId, &Conversation> =
        among.iter().copied().filter(may_have_draft).map(|it| (it.id, it)).collect();
    if drafted.is_empty() {
        return Ok(WaitingAgents { paused, ..WaitingAgents::default() });
    }
    let since = now.minus(WINDOW).minus(LONGEST_TURN);
    let turns = organization_db.newest_turns(drafted.keys().copied().collect(), since).await?;
    let has_draft = turns.into_iter().filter_map(|turn| {
        let conversation = drafted.get(&turn.conversation_id)?;
        draft_in(&turn, conversation).map(|_| conversation.id)
    });
    Ok(WaitingAgents { drafted: has_draft.collect(), paused })
}

/// Counts the drafts of AI agents that wait for a member, in the open conversations with the newest
/// messages. Without an agent that writes drafts, no conversation is read.
pub async fn count_drafts(
    deps: &Deps,
    reader: Reader,
    visible: VisibleConversations,
) -> persistence::Result<usize> {
    let agents = deps.db.organization(reader.organization).list_agents().await?;
    if !agents.iter().any(|(agent, _)| agent.mode == AgentMode::Draft) {
        return Ok(0);
    }
    let own_or_unassigned = match visible {
        VisibleConversations::All => None,
        VisibleConversations::OwnAndUnassigned(member) => Some(member),
    };
    let status = Some(ConversationStatus::Open);
    let filter = InboxFilter { status, own_or_unassigned, ..InboxFilter::default() };
    let reads = deps.db.reads(reader);
    let page = reads.list_inbox(None, filter, None, MAX_DRAFTED, MAX_SCANNED).await?;
    let conversations: Vec<&Conversation> = page.found.iter().map(|it| &it.conversation).collect();
    Ok(waiting_agents(deps, reader.organization, &conversations).await?.drafted.len())
}

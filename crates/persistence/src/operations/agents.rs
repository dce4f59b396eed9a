//! Operations on AI agents and their turns.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, any_node_query, tenant_query,
};
use crate::records::{
    AgentCost, AgentWrite, AiAgent, AiAgentChange, AiAgentEntry, DueTurn, EntryBounds, EntryWrite,
    ListFilter, Organization, Turn, TurnEnd, TurnFinish, TurnPostponement,
};
use crate::types::Document;
use domain::agent::{AgentEntryKind, AnswerLimits, MicroDollars, Spending};
use domain::id::{self, AccountId, AgentEntryId, AiAgentId, ConversationId, MessageId, TurnId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

impl<'a> OrganizationDb<'a> {
    /// Creates an agent, unless the organization has `most` agents already or another agent answers
    /// on one of the numbers.
    pub fn insert_agent(
        self,
        new: AiAgent,
        accounts: Vec<AccountId>,
        most: i64,
    ) -> DbFuture<'a, AgentWrite> {
        tenant_query!(self.organization, write, agents::insert_agent(new, accounts, most))
    }

    /// Changes an agent, unless another agent answers on one of its new numbers.
    pub fn update_agent(
        self,
        id: AiAgentId,
        change: AiAgentChange,
        now: Timestamp,
    ) -> DbFuture<'a, AgentWrite> {
        tenant_query!(self.organization, write, agents::update_agent(id, change, now))
    }

    /// Deletes an agent. Returns `false` if there is none.
    pub fn delete_agent(self, id: AiAgentId) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, agents::delete_agent(id))
    }

    pub fn agent(self, id: AiAgentId) -> DbFuture<'a, Option<AiAgent>> {
        tenant_query!(self.organization, read, agents::agent(id))
    }

    /// Finds the agent that answers on a number.
    pub fn agent_of_account(self, account: AccountId) -> DbFuture<'a, Option<AiAgent>> {
        tenant_query!(self.organization, read, agents::agent_of_account(account))
    }

    /// Returns the agents that answer on these numbers, whatever their mode.
    pub fn agents_of_accounts(
        self,
        accounts: BTreeSet<AccountId>,
    ) -> DbFuture<'a, BTreeMap<AccountId, AiAgent>> {
        tenant_query!(self.organization, read, agents::agents_of_accounts(accounts))
    }

    /// Lists the agents, each with the numbers on which it answers.
    pub fn list_agents(self) -> DbFuture<'a, Vec<(AiAgent, Vec<AccountId>)>> {
        tenant_query!(self.organization, read, agents::list_agents())
    }

    /// Claims a turn that is due. Returns the turn as it was before the claim.
    pub fn claim_turn(
        self,
        id: TurnId,
        now: Timestamp,
        until: Timestamp,
    ) -> DbFuture<'a, Option<Turn>> {
        tenant_query!(self.organization, write_after, turns::claim_turn(id, now, until))
    }

    /// Deletes a claimed turn of an agent over the API. Such an agent is not asked, and the turn
    /// has found nothing to record.
    pub fn delete_turn(self, id: TurnId) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, turns::delete_turn(id))
    }

    /// Records the ticket with which a webhook may answer a turn.
    pub fn issue_ticket(
        self,
        id: TurnId,
        digest: Vec<u8>,
        expires_at: Timestamp,
    ) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, turns::issue_ticket(id, digest, expires_at))
    }

    /// Records a failed attempt, and sets when the agent is asked again.
    pub fn postpone_turn(self, id: TurnId, postponement: TurnPostponement) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, turns::postpone_turn(id, postponement))
    }

    /// Deletes the oldest turns that ended before `cutoff`, and returns how many.
    pub fn delete_old_turns(self, cutoff: Timestamp, limit: i64) -> DbFuture<'a, usize> {
        tenant_query!(self.organization, write_after, turns::delete_old_turns(cutoff, limit))
    }

    /// Returns the trace of a turn, if it has one.
    pub fn turn_trace(self, id: TurnId) -> DbFuture<'a, Option<Document>> {
        tenant_query!(self.organization, read, turns::turn_trace(id))
    }

    /// Whether an agent with these limits may send one more answer in a conversation, and the
    /// organization's cost limit of the month is not reached.
    pub fn has_room_for_answer(
        self,
        conversation: ConversationId,
        limits: AnswerLimits,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, read, turns::has_room(conversation, limits, now))
    }

    /// Adds the cost of requests to a model that belong to no turn.
    pub fn add_agent_spending(
        self,
        agent: AiAgentId,
        spending: Spending,
        at: Timestamp,
    ) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, agent_costs::add_spending(agent, spending, at))
    }

    /// Lists the costs of the agents in the month of `at`.
    pub fn list_agent_costs(self, at: Timestamp) -> DbFuture<'a, Vec<AgentCost>> {
        tenant_query!(self.organization, read, agent_costs::list_agent_costs(at))
    }

    /// Returns the maximum cost of all agents together in a month, if there is a limit.
    pub fn agent_cost_limit(self) -> DbFuture<'a, Option<MicroDollars>> {
        tenant_query!(self.organization, read, agent_costs::cost_limit())
    }

    /// Sets the maximum cost of all agents together in a month, or removes the limit.
    pub fn set_agent_cost_limit(self, limit: Option<MicroDollars>) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, agent_costs::set_cost_limit(limit))
    }

    /// Whether the organization's cost limit of agents in the month of `at` is not reached yet.
    pub fn has_room_for_agent_cost(self, at: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, read, agent_costs::has_room(at))
    }

    /// Lists an agent's entries of one kind, the oldest first.
    pub fn list_agent_entries(
        self,
        agent: AiAgentId,
        kind: AgentEntryKind,
    ) -> DbFuture<'a, Vec<AiAgentEntry>> {
        tenant_query!(self.organization, read, agent_entries::list_agent_entries(agent, kind))
    }

    /// Creates an entry of an agent, if `is_new` is set. Otherwise replaces the entry with the same
    /// id.
    pub fn write_agent_entry(
        self,
        entry: AiAgentEntry,
        is_new: bool,
        bounds: EntryBounds,
    ) -> DbFuture<'a, EntryWrite> {
        tenant_query!(
            self.organization,
            write,
            agent_entries::write_agent_entry(entry, is_new, bounds)
        )
    }

    /// Deletes an entry of an agent. Returns `false` if there is none.
    pub fn delete_agent_entry(
        self,
        agent: AiAgentId,
        kind: AgentEntryKind,
        id: AgentEntryId,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, agent_entries::delete_agent_entry(agent, kind, id))
    }

    /// Ends a turn.
    pub fn finish_turn(self, id: TurnId, finish: TurnFinish) -> DbFuture<'a, TurnEnd> {
        tenant_query!(self.organization, write, turns::finish_turn(id, finish))
    }

    pub fn turn(self, id: TurnId) -> DbFuture<'a, Option<Turn>> {
        tenant_query!(self.organization, read, turns::turn(id))
    }

    /// Returns the newest turn of a conversation.
    pub fn newest_turn(self, conversation: ConversationId) -> DbFuture<'a, Option<Turn>> {
        tenant_query!(self.organization, read, turns::newest_turn(conversation))
    }

    /// Returns the newest turn of each of these conversations, unless it was created before `since`.
    pub fn newest_turns(
        self,
        of: Vec<ConversationId>,
        since: Timestamp,
    ) -> DbFuture<'a, Vec<Turn>> {
        tenant_query!(self.organization, read, turns::newest_turns(of, since))
    }

    /// Returns the messages of a conversation that members sent from drafts of agents, as far as the
    /// turns are still kept.
    pub fn sent_drafts(self, conversation: ConversationId) -> DbFuture<'a, BTreeSet<MessageId>> {
        tenant_query!(self.organization, read, turns::sent_drafts(conversation))
    }

    /// Whether the contact of a conversation was told since `since` that an agent failed.
    pub fn was_failure_told(
        self,
        conversation: ConversationId,
        since: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, read, turns::was_failure_told(conversation, since))
    }

    /// Discards a draft in a conversation, unless a member has sent it.
    pub fn discard_draft(
        self,
        conversation: ConversationId,
        id: TurnId,
        reason: String,
    ) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, turns::discard_draft(conversation, id, reason))
    }

    /// Lists the turns of an agent that are older than `before`, the newest first.
    pub fn list_turns(
        self,
        agent: AiAgentId,
        before: Option<TurnId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<Turn>> {
        tenant_query!(self.organization, read, turns::list_turns(agent, before, limit))
    }
}

impl<'a> OperatorDb<'a> {
    /// Lists the agents of all organizations.
    pub fn list_all_agents(
        self,
        list_filter: ListFilter<id::AiAgent>,
    ) -> DbFuture<'a, Vec<(AiAgent, Organization)>> {
        all_tenants_query!(self, read, listing::list_all_agents(list_filter))
    }

    /// Deletes up to `portion` of the turns that ended before `cutoff`, and returns how many.
    pub fn delete_expired_turns(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_turns(cutoff, portion))
    }

    /// Deletes up to `portion` of the costs of agents in months before `before` (for example
    /// `202611`).
    pub fn delete_expired_agent_costs(self, before: i32, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_agent_costs(before, portion)
        )
    }

    /// Returns the earliest due time of a turn.
    pub fn oldest_due_turn(self) -> DbFuture<'a, Option<Timestamp>> {
        any_node_query!(self, read, turns::oldest_due_turn())
    }

    /// Returns turns that are due, except the turns of the given agents.
    pub fn due_turns(
        self,
        now: Timestamp,
        except: Vec<AiAgentId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<DueTurn>> {
        any_node_query!(self, read, turns::due_turns(now, except, limit))
    }
}

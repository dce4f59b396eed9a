//! Operations on AI agents and their turns.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, any_node_query, tenant_query,
};
use crate::records::{
    AiAgent, AiAgentChange, DueTurn, ListFilter, Organization, Turn, TurnEnd, TurnFinish,
};
use domain::id::{self, AccountId, AiAgentId, ConversationId, TurnId};
use domain::time::Timestamp;

impl<'a> OrganizationDb<'a> {
    /// Creates an agent, unless the organization has `most` agents already.
    pub fn insert_agent(
        self,
        new: AiAgent,
        accounts: Vec<AccountId>,
        most: i64,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, agents::insert_agent(new, accounts, most))
    }

    /// Changes an agent. Returns it after the change.
    pub fn update_agent(
        self,
        id: AiAgentId,
        change: AiAgentChange,
        now: Timestamp,
    ) -> DbFuture<'a, Option<AiAgent>> {
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

    /// Lists the agents, each with the numbers on which it answers.
    pub fn list_agents(self) -> DbFuture<'a, Vec<(AiAgent, Vec<AccountId>)>> {
        tenant_query!(self.organization, read, agents::list_agents())
    }

    /// Claims a turn that is due. Returns it as it was before.
    pub fn claim_turn(
        self,
        id: TurnId,
        now: Timestamp,
        until: Timestamp,
    ) -> DbFuture<'a, Option<Turn>> {
        tenant_query!(self.organization, write_after, turns::claim_turn(id, now, until))
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

    /// Sets when a turn that is being asked is looked at again.
    pub fn reschedule_turn(self, id: TurnId, due_at: Timestamp) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, turns::reschedule_turn(id, due_at))
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

    /// Lists the turns of an agent before one of them, the newest first.
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

    /// Deletes some of the turns that ended before `cutoff`, and returns how many.
    pub fn delete_expired_turns(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_turns(cutoff, portion))
    }

    /// Returns turns that are due, except those of some agents.
    pub fn due_turns(
        self,
        now: Timestamp,
        except: Vec<AiAgentId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<DueTurn>> {
        any_node_query!(self, read, turns::due_turns(now, except, limit))
    }
}

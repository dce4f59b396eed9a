//! Roles of members, and what each role may do (`docs/contract.md#roles`).

use crate::id::MemberId;
use crate::keyword::keywords;
use std::fmt;

keywords! {
    /// The role of a member in one organization.
    pub enum Role {
        /// An owner may do everything.
        Owner = "owner",
        /// A developer manages what the organization's own programs need: keys, webhooks, apps and
        /// templates.
        Developer = "developer",
        /// A member with this role answers customers.
        Support = "support",
    }
}

impl Role {
    /// Returns the name of the role as pages show it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Developer => "Developer",
            Self::Support => "Support",
        }
    }
}

keywords! {
    /// An area of the dashboard. Each role has access to some areas.
    pub enum Area {
        Agents = "agents",
        /// The connected applications, and the directory of applications.
        Connections = "connections",
        /// The deletion of all data about a contact.
        ContactDeletion = "contact_deletion",
        Contacts = "contacts",
        /// The applications that the organization itself registered.
        DeveloperApps = "developer_apps",
        Events = "events",
        Inbox = "inbox",
        Keys = "keys",
        /// Members, invitations, and the settings of the organization.
        Members = "members",
        Messages = "messages",
        Numbers = "numbers",
        /// The member's own name, password and sessions.
        OwnAccount = "own_account",
        Plan = "plan",
        Requests = "requests",
        Templates = "templates",
        Webhooks = "webhooks",
    }
}

/// The access that a role has to an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AreaAccess {
    Nothing,
    /// A member can open the pages, but their actions are refused.
    Read,
    Write,
}

impl Role {
    /// Returns the access that this role has to an area. The function and the table of roles in the
    /// documentation say the same.
    #[must_use]
    pub const fn access(self, area: Area) -> AreaAccess {
        use AreaAccess::{Nothing, Read, Write};
        match (self, area) {
            (Self::Owner, _)
            | (_, Area::Connections | Area::Keys | Area::Messages | Area::OwnAccount)
            | (
                Self::Developer,
                Area::DeveloperApps
                | Area::Events
                | Area::Requests
                | Area::Templates
                | Area::Webhooks,
            )
            | (Self::Support, Area::Contacts | Area::Inbox) => Write,
            (_, Area::Members | Area::Numbers | Area::Plan | Area::Templates) => Read,
            _ => Nothing,
        }
    }

    /// Whether a member with this role may open the pages of an area.
    #[must_use]
    pub fn may_read(self, area: Area) -> bool {
        self.access(area) >= AreaAccess::Read
    }

    /// Whether a member with this role can be the assignee of a conversation.
    #[must_use]
    pub fn may_be_assigned(self) -> bool {
        self.may_read(Area::Inbox)
    }
}

keywords! {
    /// An action of a member. The keyword is the name of the action in the audit log.
    pub enum MemberAction {
        KeyCreated = "key.created",
        KeyUpdated = "key.updated",
        KeyDisabled = "key.disabled",
        KeyEnabled = "key.enabled",
        KeyDeleted = "key.deleted",
        ConnectionAllowed = "connection.allowed",
        ConnectionEnded = "connection.ended",
        /// A member set the caps of a connection.
        ConnectionCapped = "connection.capped",
        EndpointCreated = "webhook_endpoint.created",
        EndpointUpdated = "webhook_endpoint.updated",
        EndpointDisabled = "webhook_endpoint.disabled",
        EndpointEnabled = "webhook_endpoint.enabled",
        EndpointDeleted = "webhook_endpoint.deleted",
        EndpointSecretRotated = "webhook_endpoint.secret_rotated",
        EndpointTested = "webhook_endpoint.tested",
        EndpointReplayed = "webhook_endpoint.replayed",
        DeliveryResent = "delivery.resent",
        ApplicationRegistered = "application.registered",
        ApplicationUpdated = "application.updated",
        ApplicationPublished = "application.published",
        ApplicationUnpublished = "application.unpublished",
        ApplicationSecretRotated = "application.secret_rotated",
        ApplicationDeleted = "application.deleted",
        MessageSent = "message.sent",
        MessageResent = "message.resent",
        /// A member canceled a scheduled message.
        MessageCanceled = "message.canceled",
        ConversationUpdated = "conversation.updated",
        /// A member paused the AI agent in a conversation.
        AgentPaused = "conversation.agent_paused",
        AgentResumed = "conversation.agent_resumed",
        NoteCreated = "note.created",
        SavedReplyCreated = "saved_reply.created",
        SavedReplyUpdated = "saved_reply.updated",
        SavedReplyDeleted = "saved_reply.deleted",
        TemplateCreated = "template.created",
        TemplateUpdated = "template.updated",
        TemplateDeleted = "template.deleted",
        AiAgentCreated = "agent.created",
        AiAgentUpdated = "agent.updated",
        AiAgentSecretRotated = "agent.secret_rotated",
        AiAgentDeleted = "agent.deleted",
        /// A member set the maximum that the AI agents may cost in a month.
        AgentCostLimitChanged = "organization.agent_cost_limit_changed",
        ContactRenamed = "contact.renamed",
        ContactExported = "contact.exported",
        ContactOptedIn = "contact.opted_in",
        ContactOptedOut = "contact.opted_out",
        ContactsMerged = "contact.merged",
        ContactDeleted = "contact.deleted",
        /// A member wrote a message to a sandbox number in the role of a customer.
        SandboxCustomerPlayed = "sandbox.customer_played",
        NumberConnected = "number.connected",
        NumberMadeDefault = "number.made_default",
        NumberReconnected = "number.reconnected",
        OrganizationCreated = "organization.created",
        OrganizationRenamed = "organization.renamed",
        KeysRestricted = "organization.keys_restricted",
        KeysUnrestricted = "organization.keys_unrestricted",
        RetentionChanged = "organization.retention_changed",
        SupportLimited = "organization.support_limited",
        SupportUnlimited = "organization.support_unlimited",
        OptOutWordsChanged = "organization.opt_out_words_changed",
        InvitationCreated = "invitation.created",
        InvitationDeleted = "invitation.deleted",
        InvitationAccepted = "invitation.accepted",
        MemberRoleChanged = "member.role_changed",
        MemberRemoved = "member.removed",
        MemberResetLinkCreated = "member.reset_link_created",
        SignedIn = "member.signed_in",
        SignedOut = "member.signed_out",
        NameChanged = "member.name_changed",
        PasswordChanged = "member.password_changed",
        SessionsEnded = "member.sessions_ended",
    }
}

impl MemberAction {
    /// Returns the area of the dashboard that the action belongs to.
    #[must_use]
    pub const fn area(self) -> Area {
        match self {
            Self::KeyCreated
            | Self::KeyUpdated
            | Self::KeyDisabled
            | Self::KeyEnabled
            | Self::KeyDeleted => Area::Keys,
            Self::ConnectionAllowed | Self::ConnectionEnded | Self::ConnectionCapped => {
                Area::Connections
            }
            Self::EndpointCreated
            | Self::EndpointUpdated
            | Self::EndpointDisabled
            | Self::EndpointEnabled
            | Self::EndpointDeleted
            | Self::EndpointSecretRotated
            | Self::EndpointTested
            | Self::EndpointReplayed
            | Self::DeliveryResent => Area::Webhooks,
            Self::ApplicationRegistered
            | Self::ApplicationUpdated
            | Self::ApplicationPublished
            | Self::ApplicationUnpublished
            | Self::ApplicationSecretRotated
            | Self::ApplicationDeleted => Area::DeveloperApps,
            Self::MessageSent
            | Self::MessageResent
            | Self::MessageCanceled
            | Self::SandboxCustomerPlayed => Area::Messages,
            Self::ContactDeleted => Area::ContactDeletion,
            Self::ContactRenamed
            | Self::ContactExported
            | Self::ContactOptedIn
            | Self::ContactOptedOut
            | Self::ContactsMerged => Area::Contacts,
            Self::ConversationUpdated
            | Self::AgentPaused
            | Self::AgentResumed
            | Self::NoteCreated
            | Self::SavedReplyCreated
            | Self::SavedReplyUpdated
            | Self::SavedReplyDeleted => Area::Inbox,
            Self::TemplateCreated | Self::TemplateUpdated | Self::TemplateDeleted => {
                Area::Templates
            }
            Self::AiAgentCreated
            | Self::AiAgentUpdated
            | Self::AiAgentSecretRotated
            | Self::AiAgentDeleted
            | Self::AgentCostLimitChanged => Area::Agents,
            Self::NumberConnected | Self::NumberMadeDefault | Self::NumberReconnected => {
                Area::Numbers
            }
            Self::OrganizationCreated
            | Self::OrganizationRenamed
            | Self::KeysRestricted
            | Self::KeysUnrestricted
            | Self::RetentionChanged
            | Self::SupportLimited
            | Self::SupportUnlimited
            | Self::OptOutWordsChanged
            | Self::InvitationCreated
            | Self::InvitationDeleted
            | Self::MemberRoleChanged
            | Self::MemberRemoved
            | Self::MemberResetLinkCreated => Area::Members,
            // A person who accepts an invitation changes only the person's own account.
            Self::InvitationAccepted
            | Self::SignedIn
            | Self::SignedOut
            | Self::NameChanged
            | Self::PasswordChanged
            | Self::SessionsEnded => Area::OwnAccount,
        }
    }

    /// Whether the action creates, changes or deletes a key. The settings in [`Authority`] can
    /// forbid such actions to members with the role support. A connection has a key, so allowing a
    /// connection and setting its caps are such actions too. Disconnecting an application is not.
    #[must_use]
    pub const fn is_about_keys(self) -> bool {
        matches!(self.area(), Area::Keys)
            || matches!(self, Self::ConnectionAllowed | Self::ConnectionCapped)
    }
}

/// A role in one organization, with the two settings of the organization that restrict what the
/// role may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authority {
    pub role: Role,
    /// Whether only owners and developers may create, change and delete keys.
    pub keys_restricted: bool,
    /// Whether members with the role support see only conversations that are assigned to them or to
    /// nobody.
    pub support_limited: bool,
}

/// The conversations that a member may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleConversations {
    All,
    /// Only the conversations that are assigned to this member, and those without an assignee.
    OwnAndUnassigned(MemberId),
}

impl VisibleConversations {
    /// Whether a conversation that is assigned to `assignee`, or to nobody, is visible.
    #[must_use]
    pub fn includes(self, assignee: Option<MemberId>) -> bool {
        match self {
            Self::All => true,
            Self::OwnAndUnassigned(member) => assignee.is_none_or(|it| it == member),
        }
    }
}

/// The error for an action that is not allowed by a member's role or by a setting of the
/// organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Forbidden {
    pub action: MemberAction,
    pub role: Role,
    /// Whether a setting of the organization forbids the action. If not, the role forbids it.
    pub by_restriction: bool,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, role, by_restriction } = self;
        match by_restriction {
            true => write!(
                out,
                "the settings of this organization do not allow {action} for the role {role}"
            ),
            false => write!(out, "the role {role} does not allow {action}"),
        }
    }
}

impl Authority {
    /// Checks whether a member with this role may perform an action.
    pub fn check(self, action: MemberAction) -> Result<(), Forbidden> {
        let Self { role, keys_restricted, support_limited } = self;
        // If members with the role support see only some conversations, they must not create keys:
        // with a key, they could read every conversation.
        let is_restricted = (keys_restricted || support_limited) && role == Role::Support;
        let by_restriction = is_restricted && action.is_about_keys();
        if by_restriction || role.access(action.area()) < AreaAccess::Write {
            return Err(Forbidden { action, role, by_restriction });
        }
        Ok(())
    }

    /// Returns the conversations that `member`, who has this role, may see.
    #[must_use]
    pub fn visible_to(self, member: MemberId) -> VisibleConversations {
        if self.support_limited && self.role == Role::Support {
            VisibleConversations::OwnAndUnassigned(member)
        } else {
            VisibleConversations::All
        }
    }

    /// Whether a member with this role may perform an action.
    #[must_use]
    pub fn may(self, action: MemberAction) -> bool {
        self.check(action).is_ok()
    }
}

/// Whether a change would leave an organization without an owner. The change gives a member whose
/// role is `before` the role `after`, or removes the member if `after` is `None`. `owners` is the
/// number of owners before the change.
#[must_use]
pub fn leaves_no_owner(owners: i64, before: Role, after: Option<Role>) -> bool {
    before == Role::Owner && after != Some(Role::Owner) && owners <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;

    fn allowed(role: Role, keys_restricted: bool) -> Vec<MemberAction> {
        let authority = Authority { role, keys_restricted, support_limited: false };
        MemberAction::ALL.iter().copied().filter(|it| authority.may(*it)).collect()
    }

    #[test]
    fn an_owner_may_do_everything() {
        for restricted in [false, true] {
            assert_eq!(allowed(Role::Owner, restricted), MemberAction::ALL);
        }
        for area in Area::ALL {
            assert_eq!(Role::Owner.access(*area), AreaAccess::Write);
        }
    }

    #[test]
    fn a_developer_may_not_manage_members_and_numbers_or_answer_customers() {
        for restricted in [false, true] {
            let refused: Vec<_> = MemberAction::ALL
                .iter()
                .filter(|it| !allowed(Role::Developer, restricted).contains(it))
                .collect();
            let others = [
                Area::Agents,
                Area::Contacts,
                Area::ContactDeletion,
                Area::Inbox,
                Area::Members,
                Area::Numbers,
            ];
            assert!(refused.iter().all(|it| others.contains(&it.area())), "{refused:?}");
            assert!(refused.contains(&&MemberAction::MemberRemoved));
        }
        for area in [Area::Agents, Area::Inbox, Area::Contacts] {
            assert_eq!(Role::Developer.access(area), AreaAccess::Nothing);
        }
        assert_eq!(Role::Developer.access(Area::Numbers), AreaAccess::Read);
    }

    #[test]
    fn a_member_without_the_inbox_cannot_be_an_assignee() {
        let assignable = Role::ALL.iter().copied().filter(|it| it.may_be_assigned());
        assert_eq!(assignable.collect::<Vec<_>>(), [Role::Owner, Role::Support]);
    }

    #[test]
    fn support_may_manage_keys_unless_they_are_restricted() {
        use MemberAction::{ConnectionAllowed, ConnectionEnded, KeyCreated, KeyDeleted};
        let usual = allowed(Role::Support, false);
        for action in [KeyCreated, KeyDeleted, ConnectionAllowed, ConnectionEnded] {
            assert!(usual.contains(&action), "{action}");
        }
        let restricted = allowed(Role::Support, true);
        for action in MemberAction::ALL {
            let expected = usual.contains(action) && !action.is_about_keys();
            assert_eq!(restricted.contains(action), expected, "{action}");
        }
        assert!(restricted.contains(&ConnectionEnded));
    }

    #[test]
    fn support_reads_templates_and_sees_no_webhooks() {
        assert_eq!(Role::Support.access(Area::Templates), AreaAccess::Read);
        let actions = [
            MemberAction::TemplateCreated,
            MemberAction::TemplateUpdated,
            MemberAction::TemplateDeleted,
        ];
        for action in actions {
            assert!(!allowed(Role::Support, false).contains(&action), "{action}");
            assert!(allowed(Role::Developer, true).contains(&action), "{action}");
        }
        for area in [Area::Webhooks, Area::DeveloperApps, Area::Events, Area::Requests] {
            assert_eq!(Role::Support.access(area), AreaAccess::Nothing);
        }
        for area in [Area::Inbox, Area::Messages, Area::Contacts] {
            assert_eq!(Role::Support.access(area), AreaAccess::Write);
        }
    }

    #[test]
    fn a_refusal_names_what_forbids_the_action() {
        let support =
            Authority { role: Role::Support, keys_restricted: true, support_limited: false };
        let by_switch = support.check(MemberAction::KeyCreated).unwrap_err();
        assert!(by_switch.by_restriction);
        let by_role = support.check(MemberAction::EndpointCreated).unwrap_err();
        assert!(!by_role.by_restriction);
        assert!(by_role.to_string().contains("support"));
    }

    #[test]
    fn the_last_owner_stays_an_owner() {
        assert!(leaves_no_owner(1, Role::Owner, None));
        assert!(leaves_no_owner(1, Role::Owner, Some(Role::Developer)));
        assert!(!leaves_no_owner(1, Role::Owner, Some(Role::Owner)));
        assert!(!leaves_no_owner(2, Role::Owner, None));
        assert!(!leaves_no_owner(1, Role::Support, None));
    }
}

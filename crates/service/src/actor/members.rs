//! Members of an organization: roles, invitations and reset links; and the settings of the
//! organization.

use super::{ActionError, Actor, AuditObject};
use crate::admin::{Admin, AdminError};
use crate::retention::{self, Retention};
use auth::session::SessionToken;
use domain::email::{EmailAddress, InvalidEmailAddress};
use domain::id::MemberId;
use domain::name::Name;
use domain::opt_out::OptOutWords;
use domain::role::{MemberAction, Role};
use domain::time::Timestamp;
use persistence::records::{Invitation, ListedMember, RoleChange};
use std::time::Duration;

/// The lifetime of an invitation.
pub const INVITATION_TTL: Duration = Duration::from_hours(7 * 24);
/// Maximum number of members, and of invitations, that are listed.
pub const MAX_LISTED_MEMBERS: i64 = 500;

pub struct OrganizationMembers<'a>(Actor<'a>);

/// A one-time link. It is shown only here.
#[derive(Debug)]
pub struct InvitationLink {
    pub email: String,
    pub url: String,
    pub expires_at: Timestamp,
}

/// The reason why a member or an invitation was not changed.
#[derive(Debug, thiserror::Error)]
pub enum MemberError {
    #[error(transparent)]
    EmailAddress(#[from] InvalidEmailAddress),
    #[error("{0} is a member already")]
    IsMember(EmailAddress),
    /// The person is not a member of the organization.
    #[error("there is no such member")]
    NoMember,
    #[error(
        "the last owner cannot be removed or get another role; make somebody else an owner first"
    )]
    LastOwner,
    /// A link made by one organization would give access to the other one.
    #[error(
        "this member also belongs to another organization, so only the operator of this service can create a reset link"
    )]
    InSeveralOrganizations,
    #[error("the link cannot be created: {0}")]
    Link(String),
    #[error("{0}")]
    OptOutWords(String),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

type Result<T> = std::result::Result<T, ActionError<MemberError>>;

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn members(self) -> OrganizationMembers<'a> {
        OrganizationMembers(self)
    }
}

impl OrganizationMembers<'_> {
    /// Lists the members, in the order in which they joined.
    pub async fn list(&self) -> persistence::Result<Vec<ListedMember>> {
        self.db().members_of(MAX_LISTED_MEMBERS).await
    }

    /// Lists the invitations that were not accepted, expired ones included.
    pub async fn invitations(&self) -> persistence::Result<Vec<Invitation>> {
        self.db().invitations_of(MAX_LISTED_MEMBERS).await
    }

    pub async fn find(&self, id: MemberId) -> persistence::Result<Option<ListedMember>> {
        self.db().member_of_organization(id).await
    }

    /// Creates an invitation. An earlier link for the same address stops working. Links start with
    /// `base_url`.
    pub async fn invite(&self, base_url: &str, email: &str, role: Role) -> Result<InvitationLink> {
        let work = self.create_invitation(base_url, email, role);
        let invited =
            |it: &InvitationLink| Some(AuditObject::named(format!("{} ({role})", it.email)));
        self.0.perform(MemberAction::InvitationCreated, work, invited).await
    }

    async fn create_invitation(
        &self,
        base_url: &str,
        email: &str,
        role: Role,
    ) -> std::result::Result<InvitationLink, MemberError> {
        let email = EmailAddress::parse(email)?;
        let deps = self.0.deps;
        if let Some(known) = deps.db.member_of_email(email.to_string()).await?
            && self.db().member_of_organization(known.id).await?.is_some()
        {
            return Err(MemberError::IsMember(email));
        }
        let (now, token) = (deps.clock.now(), SessionToken::new(deps.entropy.bytes()));
        let invitation = Invitation {
            organization_id: self.0.organization,
            email: email.to_string(),
            role,
            digest: token.digest().as_bytes().to_vec(),
            created_by: self.0.member,
            created_at: now,
        };
        deps.db.insert_invitation(invitation).await?;
        Ok(InvitationLink {
            email: email.to_string(),
            url: format!("{base_url}/invite/{}", token.reveal()),
            expires_at: now.plus(INVITATION_TTL),
        })
    }

    /// Withdraws an invitation. Returns `false` if there is none to this email address.
    pub async fn delete_invitation(&self, email: &str) -> Result<bool> {
        let email = email.to_owned();
        let name = email.clone();
        let work = async { Ok(self.db().delete_invitation(email).await?) };
        let deleted = |done: &bool| done.then(|| AuditObject::named(name));
        self.0.perform(MemberAction::InvitationDeleted, work, deleted).await
    }

    /// Gives a member another role.
    pub async fn change_role(&self, member: &ListedMember, role: Role) -> Result<()> {
        let work = self.set_role(member.member.id, Some(role));
        let name = format!("{} ({} to {role})", member.member.name, member.role);
        let changed = |(): &()| Some(AuditObject::new(member.member.id, name));
        self.0.perform(MemberAction::MemberRoleChanged, work, changed).await
    }

    /// Removes a member from the organization. Their keys and apps stay.
    pub async fn remove(&self, member: &ListedMember) -> Result<()> {
        let work = self.set_role(member.member.id, None);
        let removed = |(): &()| Some(AuditObject::new(member.member.id, &member.member.name));
        self.0.perform(MemberAction::MemberRemoved, work, removed).await
    }

    async fn set_role(
        &self,
        member: MemberId,
        role: Option<Role>,
    ) -> std::result::Result<(), MemberError> {
        let deps = self.0.deps;
        match self.db().change_role(member, role, deps.clock.now()).await? {
            RoleChange::Changed => {
                deps.events_recorded_of([self.0.organization]);
                Ok(())
            }
            RoleChange::NoMember => Err(MemberError::NoMember),
            RoleChange::LastOwner => Err(MemberError::LastOwner),
        }
    }

    /// Creates a link with which a member chooses a new password. The member must belong to this
    /// organization only. Otherwise an owner of this organization could sign in as a member of
    /// another one.
    pub async fn reset_link(&self, base_url: &str, member: &ListedMember) -> Result<String> {
        let work = self.create_reset_link(base_url, member);
        let created = |_: &String| Some(AuditObject::new(member.member.id, &member.member.name));
        self.0.perform(MemberAction::MemberResetLinkCreated, work, created).await
    }

    async fn create_reset_link(
        &self,
        base_url: &str,
        member: &ListedMember,
    ) -> std::result::Result<String, MemberError> {
        let (deps, id) = (self.0.deps, member.member.id);
        let found = deps.db.member(id).find_with_organizations().await?;
        let (_, memberships) = found.ok_or(MemberError::NoMember)?;
        if memberships.iter().any(|it| it.organization.id != self.0.organization) {
            return Err(MemberError::InSeveralOrganizations);
        }
        if memberships.is_empty() {
            return Err(MemberError::NoMember);
        }
        let link = Admin::new(deps).reset_member(base_url, &id.to_string()).await;
        Ok(link.map_err(|error| MemberError::Link(error.to_string()))?.url)
    }

    /// Gives the organization another name. Returns `false` if it has this name already; then
    /// nothing is recorded.
    pub async fn rename_organization(&self, name: &Name) -> Result<bool> {
        let work = async { Ok(self.db().change_name(name.to_string()).await?) };
        let organization = self.0.organization;
        let renamed = |done: &bool| done.then(|| AuditObject::new(organization, name.as_str()));
        self.0.perform(MemberAction::OrganizationRenamed, work, renamed).await
    }

    /// Sets whether only owners and developers may manage keys.
    pub async fn restrict_keys(&self, restricted: bool) -> Result<()> {
        let action =
            if restricted { MemberAction::KeysRestricted } else { MemberAction::KeysUnrestricted };
        let work = async { Ok(self.db().restrict_keys(restricted).await?) };
        let organization = |(): &()| Some(AuditObject::new(self.0.organization, "API keys"));
        self.0.perform(action, work, organization).await
    }

    /// Sets whether members with the role support see only conversations that are unassigned or
    /// assigned to them.
    pub async fn limit_support(&self, limited: bool) -> Result<()> {
        let action =
            if limited { MemberAction::SupportLimited } else { MemberAction::SupportUnlimited };
        let work = async { Ok(self.db().limit_support(limited).await?) };
        let organization = |(): &()| Some(AuditObject::new(self.0.organization, "Inbox"));
        self.0.perform(action, work, organization).await
    }

    /// Sets how long the organization keeps the contents of messages.
    pub async fn set_retention(&self, retention: Retention) -> Result<()> {
        let Actor { deps, organization, .. } = self.0;
        let work = async { Ok(retention::set(deps, organization, retention).await?) };
        let days = |days: Option<u32>| {
            days.map_or_else(|| "forever".to_owned(), |it| format!("{it} days"))
        };
        let name =
            format!("texts {}, files {}", days(retention.text_days), days(retention.file_days));
        let changed = move |(): &()| Some(AuditObject::new(organization, name));
        self.0.perform(MemberAction::RetentionChanged, work, changed).await
    }

    /// Sets the words with which contacts opt out of marketing. `None` restores the default words.
    pub async fn set_opt_out_words(&self, words: Option<&OptOutWords>) -> Result<()> {
        let Actor { deps, organization, .. } = self.0;
        let written: Option<Vec<&str>> =
            words.map(|words| words.as_written().iter().map(String::as_str).collect());
        let work = async {
            let admin = Admin::new(deps);
            match admin.set_opt_out_words(organization, written.as_deref()).await {
                Ok(_) => Ok(()),
                Err(AdminError::Database(error)) => Err(error.into()),
                Err(error) => Err(MemberError::OptOutWords(error.to_string())),
            }
        };
        let name = written.as_ref().map_or_else(|| "default words".to_owned(), |it| it.join(", "));
        let changed = move |(): &()| Some(AuditObject::new(organization, name));
        self.0.perform(MemberAction::OptOutWordsChanged, work, changed).await
    }

    fn db(&self) -> persistence::operations::OrganizationDb<'_> {
        self.0.deps.db.organization(self.0.organization)
    }
}

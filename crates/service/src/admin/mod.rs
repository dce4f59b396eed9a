//! Operator actions on organizations, members, accounts, plans and keys, for the command line and
//! the demo.

mod applications;
mod dead_letters;
mod entries;
mod error;
mod integration_entries;
mod listing;
mod removals;
mod resets;

pub use dead_letters::{DeadLetterAction, DeadLetterError, DeadLetters};
pub use entries::{AccountEntry, MemberEntry, OrganizationEntry, PlanEntry, SubscriptionEntry};
pub use error::AdminError;
pub use integration_entries::{AgentEntry, ApplicationEntry, EndpointEntry, KeyEntry};
pub use listing::{ListedEntry, ListedPage, MAX_LIMIT, PageRequest};
pub use resets::{RESET_LINK_TTL, ResetLink};

use crate::keys::{self, CreatedKey, NewKey};
use auth::password;
use channel::{cloud_api, twilio};
use domain::account::{ChannelKind, HealthReport, HealthState};
use domain::email::EmailAddress;
use domain::id::{AccountId, Id, MemberId, OrganizationId};
use domain::key::KeyState;
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::opt_out::OptOutWords;
use domain::phone::PhoneNumber;
use domain::plan::SubscriptionStatus;
use domain::role::Role;
use persistence::records::{Account, Member, Organization, Plan, RoleChange};
use platform::BaseDeps;
use platform::held_accounts::release_waiting;
use platform::opt_out_words;
use serde::Serialize;
use serde_json::json;

type Result<T> = std::result::Result<T, AdminError>;

/// An operator's access to a database. It works with or without a running server.
pub struct Admin<'a> {
    pub deps: &'a BaseDeps,
}

/// The channel of an account to connect.
#[derive(Clone, Copy, Debug)]
pub enum NewChannel<'a> {
    /// The built-in sandbox.
    Sandbox,
    /// Meta's Cloud API.
    CloudApi {
        /// The Cloud API's id of the number.
        phone_number_id: &'a str,
        /// The Cloud API's id of the business account.
        waba_id: &'a str,
        access_token: &'a str,
    },
    /// Twilio, with the Twilio account in the settings.
    Twilio,
}

impl NewChannel<'_> {
    /// Returns the type of the channel.
    #[must_use]
    pub const fn kind(&self) -> ChannelKind {
        match self {
            Self::Sandbox => ChannelKind::Sandbox,
            Self::CloudApi { .. } => ChannelKind::CloudApi,
            Self::Twilio => ChannelKind::Twilio,
        }
    }
}

/// A new organization, member, account or plan.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct Created {
    pub id: String,
    pub name: String,
}

/// The limits of a plan.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct PlanTerms {
    pub api_access: bool,
    pub api_calls_per_day: Option<u32>,
    pub messages_per_month: Option<u32>,
}

impl<'a> Admin<'a> {
    /// Returns the operators' use cases.
    #[must_use]
    pub const fn new(deps: &'a BaseDeps) -> Self {
        Self { deps }
    }
}

impl Admin<'_> {
    fn id<K>(&self) -> Id<K> {
        Id::new(self.deps.clock.now(), self.deps.entropy.id_bytes())
    }

    /// Creates an organization. If a plan is named, the organization is subscribed to it.
    pub async fn create_organization(&self, name: &str, plan: Option<&str>) -> Result<Created> {
        let name = Name::parse(name)?;
        let plan = match plan {
            Some(plan) => Some(self.plan(plan).await?),
            None => None,
        };
        let id: OrganizationId = self.id();
        let status = plan.as_ref().map_or(SubscriptionStatus::None, |_| SubscriptionStatus::Active);
        let row = Organization {
            id,
            name: name.as_str().to_owned(),
            subscription_status: status,
            plan_id: plan.map(|plan| plan.id),
            default_account_id: None,
            created_at: self.deps.clock.now(),
        };
        self.deps.db.insert_organization(row).await?;
        Ok(Created { id: id.to_string(), name: name.to_string() })
    }

    /// Gives an organization another name.
    pub async fn rename_organization(
        &self,
        organization: OrganizationId,
        name: &str,
    ) -> Result<Created> {
        let (id, name) = (organization.to_string(), Name::parse(name)?);
        if !self.deps.db.organization(organization).rename(name.to_string()).await? {
            return Err(AdminError::NotFound { noun: "organization", known_by: "id", wanted: id });
        }
        Ok(Created { id, name: name.to_string() })
    }

    /// Gives a member of an organization another role, or removes the member from it.
    pub async fn change_role(
        &self,
        organization: OrganizationId,
        member: &MemberEntry,
        role: Option<Role>,
    ) -> Result<()> {
        let id: MemberId = member.id.parse()?;
        let now = self.deps.clock.now();
        match self.deps.db.organization(organization).change_role(id, role, now).await? {
            RoleChange::Changed => Ok(()),
            RoleChange::NoMember => Err(AdminError::NoMember(member.email.clone())),
            RoleChange::LastOwner => Err(AdminError::LastOwner),
        }
    }

    /// Returns the words with which contacts opt out of the organization's marketing.
    pub async fn opt_out_words(&self, organization: OrganizationId) -> Result<OptOutWords> {
        Ok(opt_out_words::read(&self.deps.db, organization).await?)
    }

    /// Sets the words with which contacts opt out of the organization's marketing. `None` restores
    /// the default words.
    pub async fn set_opt_out_words(
        &self,
        organization: OrganizationId,
        words: Option<&[&str]>,
    ) -> Result<OptOutWords> {
        let parsed = words.map(|words| OptOutWords::parse(words.iter().copied())).transpose()?;
        let stored = parsed.as_ref().map(|words| json!(words.as_written()).to_string());
        if !self.deps.db.organization(organization).set_opt_out_words(stored).await? {
            let wanted = organization.to_string();
            return Err(AdminError::NotFound { noun: "organization", known_by: "id", wanted });
        }
        Ok(parsed.unwrap_or_default())
    }

    /// Creates an owner who signs in with this password.
    pub async fn create_member(
        &self,
        organization: OrganizationId,
        email: &str,
        name: &str,
        password: &str,
    ) -> Result<Created> {
        self.create_member_as(Role::Owner, organization, email, name, password).await
    }

    /// Creates a member with a role. Hashing the password is slow on purpose.
    pub async fn create_member_as(
        &self,
        role: Role,
        organization: OrganizationId,
        email: &str,
        name: &str,
        password: &str,
    ) -> Result<Created> {
        let email = EmailAddress::parse(email)
            .map_err(|why| AdminError::EmailAddress { text: email.to_owned(), why })?;
        let name = Name::parse(name)?;
        let id: Id<domain::id::Member> = self.id();
        let row = Member {
            id,
            email: email.to_string(),
            name: name.as_str().to_owned(),
            password_hash: password::hash(password, self.deps.entropy.bytes())?,
            created_at: self.deps.clock.now(),
            last_active_at: None,
        };
        let made = self.deps.db.organization(organization).insert_member(row, role).await;
        match made {
            Err(error) if error.is_duplicate() => {
                return Err(AdminError::MemberExists(email.to_string()));
            }
            made => made?,
        }
        Ok(Created { id: id.to_string(), name: name.to_string() })
    }

    /// Adds an existing member to another organization, as an owner.
    pub async fn add_member(&self, organization: OrganizationId, email: &str) -> Result<()> {
        self.add_member_as(Role::Owner, organization, email).await
    }

    /// Adds an existing member to another organization, with a role.
    pub async fn add_member_as(
        &self,
        role: Role,
        organization: OrganizationId,
        email: &str,
    ) -> Result<()> {
        let email = email.trim().to_lowercase();
        let now = self.deps.clock.now();
        if !self.deps.db.organization(organization).add_membership(email.clone(), role, now).await?
        {
            return Err(AdminError::NoMember(email));
        }
        Ok(())
    }

    pub async fn connect_account(
        &self,
        organization: OrganizationId,
        phone_number: &str,
        display_name: &str,
        channel: NewChannel<'_>,
        as_default: bool,
    ) -> Result<Created> {
        let (number, name) = (PhoneNumber::parse(phone_number)?, Name::parse(display_name)?);
        let id: AccountId = self.id();
        let (phone_number_id, waba_id, access_token) = match channel {
            NewChannel::Sandbox => (None, None, None),
            NewChannel::Twilio => (Some(twilio::address_of(number.as_str())), None, None),
            NewChannel::CloudApi { phone_number_id, waba_id, access_token } => {
                if !cloud_api::check_ids(phone_number_id, waba_id) {
                    return Err(AdminError::CloudApiIds);
                }
                let sealed = self.seal(access_token, id)?;
                (Some(phone_number_id.to_owned()), Some(waba_id.to_owned()), Some(sealed))
            }
        };
        let row = Account {
            id,
            organization_id: organization,
            phone_number: number.to_string(),
            display_name: name.to_string(),
            channel: channel.kind(),
            connected_at: self.deps.clock.now(),
            phone_number_id,
            waba_id,
            access_token,
            health: HealthState::Ok,
            health_reason: None,
            health_message: None,
            health_since: None,
            quality: None,
            messaging_limit: None,
            probe_due_at: None,
            probe_conversation: None,
            restriction: None,
            restriction_message: None,
            restricted_at: None,
            restricted_until: None,
            held_by_status: false,
            pace: None,
            paced_at: None,
            last_callback_at: None,
        };
        match self.deps.db.connect_account(row, as_default).await {
            Err(error) if error.is_duplicate() => {
                return Err(AdminError::NumberConnected(number.to_string()));
            }
            connected => connected?,
        }
        Ok(Created { id: id.to_string(), name: name.to_string() })
    }

    fn seal(&self, access_token: &str, of: AccountId) -> Result<Vec<u8>> {
        if access_token.is_empty() || !access_token.bytes().all(|it| it.is_ascii_graphic()) {
            return Err(AdminError::AccessToken);
        }
        let (nonce, key) = (self.deps.entropy.bytes(), self.deps.entropy.bytes());
        Ok(self.deps.sealing.seal(access_token, &of.to_string(), nonce, key)?)
    }

    /// Declares an account healthy and releases its messages. Replaces the access token if one is
    /// given.
    pub async fn reconnect_account(
        &self,
        wanted: &str,
        access_token: Option<&str>,
    ) -> Result<AccountEntry> {
        let found: AccountEntry = self.one(wanted).await?;
        let id: AccountId = found.id.parse()?;
        let has_token = found.channel == ChannelKind::CloudApi.as_str();
        let token = match access_token {
            Some(_) if !has_token => return Err(AdminError::NoAccessToken(found.channel)),
            Some(token) => Some(self.seal(token, id)?),
            None => None,
        };
        let of: OrganizationId = found.organization_id.parse()?;
        let (theirs, now) = (self.deps.db.organization(of), self.deps.clock.now());
        theirs.report_health(id, HealthReport::Reconnected, token, now).await?;
        release_waiting(&self.deps.db, of, id).await?;
        self.one(&found.id).await
    }

    /// Creates a plan, or changes the plan with this name.
    pub async fn set_plan(&self, name: &str, terms: &PlanTerms) -> Result<Created> {
        let name = Name::parse(name)?;
        let limits = [terms.api_calls_per_day, terms.messages_per_month];
        if limits.into_iter().flatten().any(|limit| i32::try_from(limit).is_err()) {
            return Err(AdminError::PlanLimit);
        }
        let row = Plan {
            id: self.id::<domain::id::Plan>(),
            name: name.to_string(),
            api_access: terms.api_access,
            api_calls_per_day: terms.api_calls_per_day,
            messages_per_month: terms.messages_per_month,
            created_at: self.deps.clock.now(),
        };
        let stored = self.deps.db.operator().set_plan(row).await?;
        Ok(Created { id: stored.id.to_string(), name: stored.name })
    }

    async fn plan(&self, name: &str) -> Result<Plan> {
        let found = self.deps.db.operator().plan_named(name.to_owned()).await?;
        found.ok_or_else(|| AdminError::NoPlan(name.to_owned()))
    }

    pub async fn set_subscription(
        &self,
        organization: OrganizationId,
        plan: Option<&str>,
        status: SubscriptionStatus,
    ) -> Result<()> {
        let plan = match plan {
            Some(plan) => Some(self.plan(plan).await?.id),
            None => self.deps.db.organization(organization).find().await?.and_then(|it| it.plan_id),
        };
        if status == SubscriptionStatus::Active && plan.is_none() {
            return Err(AdminError::PlanNeeded);
        }
        self.deps.db.organization(organization).set_subscription(plan, status).await?;
        Ok(())
    }

    pub async fn create_key(
        &self,
        organization: OrganizationId,
        new: NewKey,
    ) -> Result<CreatedKey> {
        Ok(keys::create(self.deps, organization, new).await?)
    }

    /// Enables or disables a key.
    pub async fn set_key_state(&self, client_id: &str, state: KeyState) -> Result<()> {
        let organization = self.organization_of_key(client_id).await?;
        if !keys::set_state(self.deps, organization, client_id, state).await? {
            return Err(AdminError::NoKey(client_id.to_owned()));
        }
        Ok(())
    }

    /// Deletes a key permanently.
    pub async fn delete_key(&self, client_id: &str) -> Result<()> {
        let organization = self.organization_of_key(client_id).await?;
        if !keys::delete(self.deps, organization, client_id).await? {
            return Err(AdminError::NoKey(client_id.to_owned()));
        }
        Ok(())
    }

    async fn organization_of_key(&self, client_id: &str) -> Result<OrganizationId> {
        let of = self.deps.db.operator().organization_of_key(client_id.to_owned()).await?;
        of.ok_or_else(|| AdminError::NoKey(client_id.to_owned()))
    }
}

//! Every action of the table, tried with every role: who may do it, and what the audit log says.

use super::{ACCOUNT, MEMBERS, audit, id_of, owner, role_of, sign_in, signed_in_as, submit};
use crate::connect::{Browser, PASSWORD, Page, Partner, connect_application};
use crate::dashboard::{APPLICATIONS, KEYS, WEBHOOKS};
use crate::template_creation::{create_template, plain_template};
use crate::webhooks::endpoint_owner;
use crate::world::{World, on_both_databases};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::role::{Area, Authority, MemberAction, Role};
use domain::saved_reply::SavedReplyContent;
use domain::scope::{Scope, ScopeSet};
use domain::webhook::Selection;
use persistence::records::{AuditEntry, Endpoint};
use serde_json::json;
use service::agent_entries::{self, LookUpInput};
use service::agents::{self, AgentInput, NewConnection};
use service::endpoints::{self, EndpointInput};
use service::keys::NewKey;
use std::time::Duration;

/// A member on whom the actions on members are tried.
const CAROL: &str = "carol@acme.example";
const REDIRECT: &str = crate::connect::REDIRECT;

/// The objects that the actions are tried on.
struct Stage<'world> {
    world: &'world World,
    /// The owner who prepares them.
    owner: Browser,
    partner: Partner,
    /// Number of numbers that were connected.
    numbers: u32,
    /// Number of contacts that were merged.
    contacts: u32,
    /// Number of templates that were created or tried.
    templates: u32,
}

impl Stage<'_> {
    /// Creates a key, and returns its page's path.
    async fn key(&self, state: KeyState) -> String {
        let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
        let name = Name::parse("Website").unwrap();
        let new = NewKey { name, scopes, account: None, rate_limit: RateLimit::default() };
        let key = self.world.admin().create_key(self.world.organization, new).await.unwrap();
        self.world.admin().set_key_state(&key.client_id, state).await.unwrap();
        format!("{KEYS}/{}", key.id)
    }

    /// Creates an endpoint in place of the earlier ones. It is disabled, so that no page waits for
    /// its answer.
    async fn endpoint(&self) -> (Endpoint, String) {
        let (deps, owner) = (&self.world.server.deps, endpoint_owner(self.world));
        for before in endpoints::list(deps, owner, persistence::Seen::UNKNOWN).await.unwrap() {
            endpoints::delete(deps, owner, before.id).await.unwrap();
        }
        let input = EndpointInput {
            url: "https://hooks.acme.example/",
            description: "",
            events: Selection::All,
        };
        let (made, _) = endpoints::create(deps, owner, input).await.unwrap();
        endpoints::disable(deps, owner, made.id).await.unwrap();
        let path = format!("{WEBHOOKS}/{}", made.id);
        (made, path)
    }

    /// Sends a message that fails, and returns its page's path.
    async fn failed_message(&self) -> String {
        let body = json!({"type": "text", "phone_number": "+12025550103", "text": "Hello"});
        let sent = self.world.post("/api/v1/messages", &self.world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        self.world.live_through(Duration::from_secs(2)).await;
        format!("/messages/{}", sent.text_of("id"))
    }

    /// Returns the path of a conversation whose AI agent is in this state.
    async fn conversation(&self, agent: &str) -> String {
        let (world, key) = (self.world, &self.world.key);
        let body = json!({"type": "text", "phone_number": "+12025550100", "text": "Hello"});
        let id = world.post("/api/v1/messages", key, &body).await.text_of("conversation_id");
        let path = format!("/api/v1/conversations/{id}/{agent}-agent");
        assert_eq!(world.post(&path, key, &json!({})).await.status, 200);
        format!("/inbox/{id}")
    }

    /// Writes to a number, and returns the path of its contact.
    async fn contact(&self, phone_number: &str) -> String {
        let body = json!({"type": "text", "phone_number": phone_number, "text": "Hello"});
        let sent = self.world.post("/api/v1/messages", &self.world.key, &body).await;
        format!("/contacts/{}", sent.text_of("contact_id"))
    }

    /// Creates a saved reply, and returns its page's path.
    async fn saved_reply(&self) -> String {
        let content =
            SavedReplyContent { name: "Hours".to_owned(), text: "We open at 7.".to_owned() };
        let (deps, organization) = (&self.world.server.deps, self.world.organization);
        let created = service::saved_replies::create(deps, organization, content).await.unwrap();
        format!("/settings/saved-replies/{}", created.id)
    }

    /// Returns a name that no template has.
    fn template_name(&mut self) -> String {
        self.templates += 1;
        format!("hours_{}", self.templates)
    }

    async fn application(&self) -> String {
        let own = Partner::registered(self.world, Some(self.world.organization), false).await;
        format!("{APPLICATIONS}/{}", own.application.id)
    }

    /// Makes Carol a member with the role support again, and returns her page's path.
    async fn carol(&self) -> String {
        let (admin, organization) = (self.world.admin(), self.world.organization);
        admin.add_member_as(Role::Support, organization, CAROL).await.unwrap();
        let id = id_of(self.world, CAROL).await;
        let db = self.world.server.deps.db.organization(organization);
        db.change_role(id, Some(Role::Support), self.world.clock.now()).await.unwrap();
        format!("{MEMBERS}/{id}")
    }

    /// Returns the page of a new AI agent.
    async fn agent(&self) -> String {
        let (deps, organization) = (&self.world.server.deps, self.world.organization);
        let input = AgentInput {
            name: Some("Assistant"),
            url: Some("https://bot.acme.example/turn"),
            ..AgentInput::default()
        };
        for (agent, _) in agents::list(deps, organization).await.unwrap() {
            agents::delete(deps, organization, agent.id).await.unwrap();
        }
        let created =
            agents::create(deps, organization, NewConnection::Webhook, input).await.unwrap();
        format!("/agents/{}", created.agent.id)
    }

    /// Tries an action as a member of the organization. Returns nothing for the two actions with
    /// which somebody becomes a member, and for signing in and out.
    async fn attempt(
        &mut self,
        browser: &mut Browser,
        email: &str,
        action: MemberAction,
    ) -> Option<Page> {
        let application =
            [("name", "Acme CRM"), ("redirect_uris", REDIRECT), ("scope", "messages.send")];
        let endpoint = [("url", "https://hooks.acme.example/new"), ("which", "all")];
        let (path, fields): (String, Vec<(&str, &str)>) = match action {
            MemberAction::OrganizationCreated
            | MemberAction::InvitationAccepted
            | MemberAction::SignedIn
            | MemberAction::SignedOut => return None,
            MemberAction::ContactExported => {
                let contact = self.contact("+12025550101").await;
                return Some(browser.get(&format!("{contact}/export")).await);
            }
            MemberAction::KeyCreated => (
                KEYS.to_owned(),
                vec![("name", "Till"), ("rate_limit", "7"), ("scope", "messages.send")],
            ),
            MemberAction::KeyUpdated => (
                self.key(KeyState::Active).await,
                vec![("action", "save"), ("name", "Till"), ("rate_limit", "7")],
            ),
            MemberAction::KeyDisabled => {
                (self.key(KeyState::Active).await, vec![("action", "disable")])
            }
            MemberAction::KeyEnabled => {
                (self.key(KeyState::Inactive).await, vec![("action", "enable")])
            }
            MemberAction::KeyDeleted => {
                (self.key(KeyState::Active).await, vec![("action", "delete")])
            }
            MemberAction::ConnectionAllowed => return Some(self.allow(browser).await),
            MemberAction::ConnectionEnded => {
                connect_application(self.world, &mut self.owner, &self.partner).await;
                let db = self.world.server.deps.db.organization(self.world.organization);
                let keys = db.list_own_keys(None, 1000).await.unwrap();
                let key = keys.iter().find(|it| it.kind == KeyKind::Connection).unwrap();
                (format!("{KEYS}/{}", key.id), vec![("action", "delete")])
            }
            MemberAction::ConnectionCapped => {
                connect_application(self.world, &mut self.owner, &self.partner).await;
                let db = self.world.server.deps.db.organization(self.world.organization);
                let keys = db.list_own_keys(None, 1000).await.unwrap();
                let key = keys.iter().find(|it| it.kind == KeyKind::Connection).unwrap();
                let caps = vec![("action", "cap"), ("messages_per_month", "5"), ("last_day", "")];
                (format!("{KEYS}/{}", key.id), caps)
            }
            MemberAction::EndpointCreated => {
                self.endpoint().await;
                (WEBHOOKS.to_owned(), endpoint.to_vec())
            }
            MemberAction::EndpointUpdated => {
                (self.endpoint().await.1, [&[("action", "save")], &endpoint[..]].concat())
            }
            MemberAction::EndpointDisabled => {
                (self.endpoint().await.1, vec![("action", "disable")])
            }
            MemberAction::EndpointEnabled => (self.endpoint().await.1, vec![("action", "enable")]),
            MemberAction::EndpointDeleted => (self.endpoint().await.1, vec![("action", "delete")]),
            MemberAction::EndpointSecretRotated => {
                (self.endpoint().await.1, vec![("action", "rotate")])
            }
            MemberAction::EndpointTested => (self.endpoint().await.1, vec![("action", "test")]),
            MemberAction::EndpointReplayed => (
                self.endpoint().await.1,
                vec![
                    ("action", "replay"),
                    ("from", "2026-11-21T10:00"),
                    ("to", "2026-11-21T11:00"),
                ],
            ),
            MemberAction::DeliveryResent => {
                let (made, path) = self.endpoint().await;
                let (deps, owner) = (&self.world.server.deps, endpoint_owner(self.world));
                let made = endpoints::find(deps, owner, made.id).await.unwrap().unwrap();
                let organization = self.world.organization;
                let sent = endpoints::send_test(deps, owner, organization, &made).await;
                let delivery = sent.unwrap().unwrap();
                (format!("{path}/deliveries/{delivery}"), vec![])
            }
            MemberAction::ApplicationRegistered => (APPLICATIONS.to_owned(), application.to_vec()),
            MemberAction::ApplicationUpdated => {
                (self.application().await, [&[("action", "save")], &application[..]].concat())
            }
            MemberAction::ApplicationPublished => {
                (self.application().await, vec![("action", "publish")])
            }
            MemberAction::ApplicationUnpublished => {
                (self.application().await, vec![("action", "unpublish")])
            }
            MemberAction::ApplicationSecretRotated => {
                (self.application().await, vec![("action", "renew")])
            }
            MemberAction::ApplicationDeleted => {
                (self.application().await, vec![("action", "delete")])
            }
            MemberAction::ConversationUpdated => {
                (self.conversation("resume").await, vec![("action", "close")])
            }
            MemberAction::AgentPaused => {
                (self.conversation("resume").await, vec![("action", "take_over")])
            }
            MemberAction::AgentResumed => {
                (self.conversation("pause").await, vec![("action", "resume")])
            }
            MemberAction::OrganizationRenamed => {
                let name = self.template_name();
                let fields = [("action", "name"), ("name", name.as_str())];
                return Some(submit(browser, "/settings/organization", &fields).await);
            }
            MemberAction::RetentionChanged => (
                "/settings/organization".to_owned(),
                vec![("action", "retention"), ("text_days", ""), ("file_days", "400")],
            ),
            MemberAction::SupportLimited => (
                "/settings/organization".to_owned(),
                vec![("action", "support"), ("support_limited", "yes")],
            ),
            MemberAction::SupportUnlimited => (
                "/settings/organization".to_owned(),
                vec![("action", "support"), ("support_limited", "no")],
            ),
            MemberAction::OptOutWordsChanged => (
                "/settings/organization".to_owned(),
                vec![("action", "opt_out_words"), ("opt_out_words", "STOP")],
            ),
            MemberAction::ContactRenamed => {
                (self.contact("+12025550101").await, vec![("action", "rename"), ("name", email)])
            }
            MemberAction::ContactOptedOut => {
                (self.contact("+12025550101").await, vec![("action", "opt_out")])
            }
            MemberAction::ContactOptedIn => {
                (self.contact("+12025550101").await, vec![("action", "opt_in")])
            }
            MemberAction::ContactsMerged => {
                self.contacts += 1;
                let kept = self.contact("+12025550101").await;
                let other = self.contact(&format!("+1650555{:04}", self.contacts)).await;
                let id = other.trim_start_matches("/contacts/").to_owned();
                let fields = [("action", "merge"), ("with", id.as_str())];
                return Some(submit(browser, &kept, &fields).await);
            }
            MemberAction::ContactDeleted => {
                (self.contact("+12025550101").await, vec![("action", "delete")])
            }
            MemberAction::NoteCreated => (
                self.conversation("resume").await,
                vec![("action", "note"), ("text", "Wants a refund.")],
            ),
            MemberAction::SavedReplyCreated => {
                let fields = [("action", "save"), ("name", "Hours"), ("text", "We open at 7.")];
                return Some(submit(browser, "/settings/saved-replies/new", &fields).await);
            }
            MemberAction::SavedReplyUpdated => {
                let fields = vec![("action", "save"), ("name", "Hours"), ("text", "We open at 8.")];
                (self.saved_reply().await, fields)
            }
            MemberAction::SavedReplyDeleted => {
                (format!("{}/delete", self.saved_reply().await), vec![("action", "delete")])
            }
            MemberAction::TemplateCreated => {
                let name = self.template_name();
                let fields = [
                    ("action", "create"),
                    ("name", name.as_str()),
                    ("language", "en"),
                    ("category", "utility"),
                    ("body", "We open at 7."),
                ];
                return Some(submit(browser, "/templates/new", &fields).await);
            }
            MemberAction::TemplateUpdated => {
                let template = plain_template(&self.template_name());
                let template = create_template(self.world, &template).await;
                self.world.live_through(Duration::from_secs(3)).await;
                let id = template["id"].as_str().unwrap();
                (format!("/templates/{id}/edit"), vec![("action", "create"), ("body", "Closed.")])
            }
            MemberAction::TemplateDeleted => {
                let template = plain_template(&self.template_name());
                let template = create_template(self.world, &template).await;
                let id = template["id"].as_str().unwrap();
                (format!("/templates/{id}/delete"), vec![("action", "delete")])
            }
            MemberAction::AiAgentCreated => {
                let fields = [
                    ("action", "save"),
                    ("name", "Assistant"),
                    ("kind", "webhook"),
                    ("mode", "draft"),
                    ("url", "https://bot.acme.example/turn"),
                ];
                return Some(submit(browser, "/agents/new", &fields).await);
            }
            MemberAction::AiAgentUpdated => (
                self.agent().await,
                vec![
                    ("action", "save"),
                    ("name", "Assistant"),
                    ("mode", "auto"),
                    ("url", "https://bot.acme.example/turn"),
                ],
            ),
            MemberAction::AiAgentSecretRotated => (self.agent().await, vec![("action", "rotate")]),
            MemberAction::AiAgentDeleted => {
                (format!("{}/delete", self.agent().await), vec![("action", "delete")])
            }
            MemberAction::AgentCostLimitChanged => {
                ("/agents".to_owned(), vec![("action", "limit"), ("cost_per_month", "20")])
            }
            MemberAction::MessageResent => {
                (self.failed_message().await, vec![("action", "resend")])
            }
            MemberAction::MessageCanceled => {
                let send_at = self.world.clock.now().plus(Duration::from_hours(24)).to_string();
                let body = json!({
                    "type": "text", "phone_number": "+12025550100", "text": "Hello",
                    "send_at": send_at,
                });
                let path = "/api/v1/messages";
                let id = self.world.post(path, &self.world.key, &body).await.text_of("id");
                (format!("/messages/{id}"), vec![("action", "cancel")])
            }
            MemberAction::MessageSent => (
                format!("/numbers/{}/phone", self.world.account),
                vec![("action", "send"), ("text", "Hello")],
            ),
            MemberAction::SandboxCustomerPlayed => (
                format!("/numbers/{}/phone", self.world.account),
                vec![("action", "write"), ("said", "Hello")],
            ),
            MemberAction::NumberConnected => {
                self.numbers += 1;
                let number = format!("+1202555{:04}", 2000 + self.numbers);
                let fields = [
                    ("channel", "sandbox"),
                    ("phone_number", number.as_str()),
                    ("display_name", "Catering"),
                ];
                return Some(submit(browser, "/numbers/new", &fields).await);
            }
            MemberAction::NumberMadeDefault => {
                (format!("/numbers/{}", self.world.account), vec![("action", "default")])
            }
            MemberAction::NumberReconnected => {
                (format!("/numbers/{}", self.world.account), vec![("action", "reconnect")])
            }
            MemberAction::KeysRestricted => (MEMBERS.to_owned(), vec![("action", "restrict")]),
            MemberAction::KeysUnrestricted => (MEMBERS.to_owned(), vec![("action", "unrestrict")]),
            MemberAction::InvitationCreated => (
                MEMBERS.to_owned(),
                vec![("action", "invite"), ("email", "dan@acme.example"), ("role", "support")],
            ),
            MemberAction::InvitationDeleted => {
                super::invitation(&mut self.owner, "erin@acme.example", Role::Support).await;
                (MEMBERS.to_owned(), vec![("action", "withdraw"), ("email", "erin@acme.example")])
            }
            MemberAction::MemberRoleChanged => {
                (self.carol().await, vec![("action", "role"), ("role", "developer")])
            }
            MemberAction::MemberRemoved => (self.carol().await, vec![("action", "remove")]),
            MemberAction::MemberResetLinkCreated => (self.carol().await, vec![("action", "reset")]),
            MemberAction::NameChanged => {
                (ACCOUNT.to_owned(), vec![("action", "name"), ("name", "Bob Stone")])
            }
            MemberAction::PasswordChanged => (
                ACCOUNT.to_owned(),
                vec![
                    ("action", "password"),
                    ("current", PASSWORD),
                    ("new", PASSWORD),
                    ("again", PASSWORD),
                ],
            ),
            MemberAction::SessionsEnded => {
                sign_in(self.world, email, PASSWORD).await;
                let session = browser.get(ACCOUNT).await.field("session");
                return Some(
                    submit(browser, ACCOUNT, &[("action", "end"), ("session", &session)]).await,
                );
            }
        };
        Some(submit(browser, &path, &fields).await)
    }

    /// Goes from the authorize request to the decision. A member whose role does not allow it gets
    /// no form, and posts the decision all the same.
    async fn allow(&self, browser: &mut Browser) -> Page {
        let (path, page) = browser.until_consent(&self.partner.asks(&[])).await;
        let form_token = page.field("token");
        let (organization, account) =
            (self.world.organization.to_string(), self.world.account.to_string());
        let fields = [
            ("token", form_token.as_str()),
            ("organization", &organization),
            ("account", &account),
            ("decision", "allow"),
            ("scope", "messages.send"),
        ];
        browser.post(&path, &fields).await
    }
}

async fn each_role_may_do_what_the_table_says_and_it_is_recorded(world: World) {
    // Given a member with each role,
    let owner = owner(&world).await;
    world.admin().create_member(world.organization, CAROL, "Carol", PASSWORD).await.unwrap();
    let partner = Partner::of(&world).await;
    let mut stage = Stage { world: &world, owner, partner, numbers: 0, contacts: 0, templates: 0 };
    for role in Role::ALL.iter().copied() {
        let email = format!("{role}@acme.example");
        let mut browser = signed_in_as(&world, &email, role).await;
        let member = id_of(&world, &email).await;
        for keys_restricted in [false, true] {
            let authority = Authority { role, keys_restricted, support_limited: false };
            for action in MemberAction::ALL.iter().copied() {
                let db = world.server.deps.db.organization(world.organization);
                db.restrict_keys(keys_restricted).await.unwrap();
                let of_member = async || {
                    let all = audit(&world, world.organization).await.into_iter();
                    all.filter(|it| it.member_id == member).collect::<Vec<_>>()
                };
                let before = of_member().await;
                // when they try an action,
                let Some(page) = stage.attempt(&mut browser, &email, action).await else {
                    continue;
                };
                let after = of_member().await;
                // Some attempts sign the member in a second time.
                let is_new = |it: &&AuditEntry| {
                    it.action != MemberAction::SignedIn && before.iter().all(|old| old.id != it.id)
                };
                let new: Vec<_> = after.iter().filter(is_new).collect();
                if authority.may(action) {
                    // then an allowed one happens and is recorded: who, what, when, from where;
                    let done = if action == MemberAction::ContactExported { 200 } else { 303 };
                    assert_eq!(page.status, done, "{authority:?} {action}: {}", page.text);
                    let [entry] = new.as_slice() else { panic!("{authority:?} {action}: {new:?}") };
                    assert_eq!(entry.action, action);
                    assert_eq!(entry.at, world.clock.now());
                    assert_eq!(entry.address.as_deref(), Some("127.0.0.1"));
                    assert!(!entry.object_name.is_empty(), "{entry:?}");
                } else {
                    // and any other one is refused with a way on, and is not.
                    assert_eq!(page.status, 403, "{authority:?} {action}: {}", page.text);
                    assert!(page.text.contains("role"), "{authority:?} {action}: {}", page.text);
                    assert!(new.is_empty(), "{authority:?} {action}: {new:?}");
                }
            }
        }
    }
    assert_eq!(role_of(&world, world.organization, CAROL).await, Some(Role::Support));
}

async fn signing_in_and_out_is_recorded_in_each_organization(world: World) {
    // Given a member of two organizations,
    let email = "dana@acme.example";
    world.admin().create_member(world.organization, email, "Dana", PASSWORD).await.unwrap();
    let other = world.organization_on("Other", "Unlimited").await;
    world.admin().add_member_as(Role::Developer, other, email).await.unwrap();
    let member = id_of(&world, email).await;
    let actions = async || {
        let mut found: Vec<Vec<MemberAction>> = Vec::new();
        for organization in [world.organization, other] {
            let all = audit(&world, organization).await.into_iter();
            found.push(all.filter(|it| it.member_id == member).map(|it| it.action).collect());
        }
        found
    };
    let nothing = vec![Vec::<MemberAction>::new(); 2];

    // when a wrong password is entered, then nothing is recorded;
    let mut browser = Browser::new(&world);
    let form_token = browser.get("/login").await.field("token");
    let wrong = [("token", form_token.as_str()), ("email", email), ("password", "not this one")];
    assert_eq!(browser.post("/login", &wrong).await.status, 401);
    assert_eq!(actions().await, nothing);
    // when the member signs in and out, then both organizations see it.
    let mut browser = sign_in(&world, email, PASSWORD).await;
    assert_eq!(actions().await, vec![vec![MemberAction::SignedIn]; 2]);
    let form_token = browser.get("/").await.text;
    let (_, form) = form_token.split_once("action=\"/logout\"").expect("a form to sign out");
    let (_, rest) = form.split_once("name=\"token\" value=\"").unwrap();
    let token = rest.split('"').next().unwrap().to_owned();
    assert_eq!(browser.post("/logout", &[("token", &token)]).await.status, 303);
    let mut both = actions().await;
    for actions in &mut both {
        actions.sort_by_key(|it: &MemberAction| it.as_str());
    }
    assert_eq!(both, vec![vec![MemberAction::SignedIn, MemberAction::SignedOut]; 2]);
}

async fn each_role_opens_the_pages_of_its_areas(world: World) {
    let pages = [
        ("/", Area::OwnAccount),
        (KEYS, Area::Keys),
        (WEBHOOKS, Area::Webhooks),
        (APPLICATIONS, Area::DeveloperApps),
        ("/agents", Area::Agents),
        ("/integrations/connected", Area::Connections),
        ("/integrations/apps", Area::Connections),
        (MEMBERS, Area::Members),
        ("/inbox", Area::Inbox),
        ("/messages", Area::Messages),
        ("/contacts", Area::Contacts),
        ("/templates", Area::Templates),
        ("/numbers", Area::Numbers),
        ("/plan", Area::Plan),
        ("/settings/organization", Area::Members),
        ("/settings/saved-replies", Area::Inbox),
        (ACCOUNT, Area::OwnAccount),
    ];
    owner(&world).await;
    for role in Role::ALL.iter().copied() {
        let mut browser = signed_in_as(&world, &format!("{role}@acme.example"), role).await;
        let home = browser.get("/").await;
        for (path, area) in pages {
            let page = browser.get(path).await;
            let expected = if role.may_read(area) { 200 } else { 403 };
            assert_eq!(page.status, expected, "{role} {path}");
            let linked = home.text.contains(&format!("href=\"{path}\""));
            assert_eq!(linked, role.may_read(area), "{role} {path}: {}", home.text);
        }
        let manages = browser.get(MEMBERS).await.text.contains("Create invitation");
        assert_eq!(manages, role == Role::Owner, "{role}");
    }
}

async fn the_directory_and_developer_apps_name_each_other(world: World) {
    owner(&world).await;
    for role in Role::ALL.iter().copied() {
        let mut browser = signed_in_as(&world, &format!("{role}@acme.example"), role).await;
        let page = browser.get("/integrations/apps").await;
        let (_, directory) = page.text.split_once("<main").expect("a page of the dashboard");
        // Only those who may open Developer apps are led there.
        let develops = role.may_read(Area::DeveloperApps);
        let leads = directory.contains(&format!("href=\"{APPLICATIONS}\""));
        assert_eq!(leads, develops, "{role}: {directory}");
        assert_eq!(directory.contains("Developer apps"), develops, "{role}: {directory}");
        if develops {
            let page = browser.get(APPLICATIONS).await;
            let (_, own) = page.text.split_once("<main").expect("a page of the dashboard");
            assert!(own.contains("href=\"/integrations/apps\""), "{role}: {own}");
        }
    }
}

async fn a_wrong_form_shows_nothing_to_members_without_the_right(world: World) {
    // Given an agent with a look-up, and a member who may not see agents,
    let deps = &world.server.deps;
    let organization = world.organization;
    let input = AgentInput {
        name: Some("Assistant"),
        base_url: Some("https://llm.acme.example/v1"),
        model: Some("small"),
        ..AgentInput::default()
    };
    let agent =
        agents::create(deps, organization, NewConnection::Model, input).await.unwrap().agent.id;
    let look_up = LookUpInput {
        name: "quagga_state",
        description: "The state of a quagga",
        url: "https://shop.acme.example/state",
        parameters: "",
        header: "",
        secret: "",
    };
    agent_entries::write_look_up(deps, organization, agent, None, &look_up).await.unwrap();
    let mut bob = signed_in_as(&world, "bob@acme.example", Role::Support).await;
    // when they submit forms with faults, then the pages with the faults are not shown.
    let path = format!("/agents/{agent}");
    for (path, fields) in [
        (format!("{path}/look-ups"), [("action", "save"), ("url", "http://10.0.0.1/")]),
        (format!("{path}/facts"), [("action", "save"), ("title", "")]),
        (path.clone(), [("action", "save"), ("mode", "")]),
        (format!("{path}/settings/model"), [("action", "save"), ("base_url", "")]),
        (format!("{path}/settings/hours"), [("action", "save"), ("quiet", "x")]),
        (format!("{path}/playground"), [("action", "try"), ("sealed_key", "x")]),
        ("/agents".to_owned(), [("action", "limit"), ("cost_per_month", "x")]),
    ] {
        let refused = submit(&mut bob, &path, &fields).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        assert!(!refused.text.contains("quagga"), "{path}");
    }
}

on_both_databases! {
    a_wrong_form_shows_nothing_to_members_without_the_right,
    each_role_may_do_what_the_table_says_and_it_is_recorded,
    signing_in_and_out_is_recorded_in_each_organization,
    the_directory_and_developer_apps_name_each_other,
    each_role_opens_the_pages_of_its_areas,
}

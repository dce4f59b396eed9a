//! `serve --demo`: example data for trying the service (`docs/contract.md#operation`).

mod conversations;
mod partner;

use crate::output;
use anyhow::Result;
use config::{Settings, setting};
use conversations::{Bakery, TEST_NUMBER};
use domain::id::OrganizationId;
use domain::key::RateLimit;
use domain::keyword::Keyword;
use domain::name::Name;
use domain::plan::SubscriptionStatus;
use domain::scope::{Scope, ScopeSet};
use domain::template::{Category, ParameterFormat, RejectionReason, TemplateStatus};
use http_layer::deps::ServerDeps;
use persistence::Document;
use persistence::records::Template;
use serde_json::json;
use service::admin::{Admin, NewChannel, PlanTerms};
use service::keys::{CreatedKey, NewKey};
use std::fmt::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

struct DemoOrganization {
    name: &'static str,
    about: &'static str,
    member: &'static str,
    email: &'static str,
    number: &'static str,
    plan: &'static str,
    terms: PlanTerms,
    status: SubscriptionStatus,
}

const PASSWORD: &str = "demo-password";
const HEALTHY: &str = "Demo Bakery";
const FIRST: &str = "bakery@demo.example";
/// The organization that publishes the partner's application. It differs from the organizations
/// that connect the application.
const PUBLISHER: &str = "Demo Software";

fn examples() -> [DemoOrganization; 4] {
    let terms = |api_access, messages_per_month| PlanTerms {
        api_access,
        api_calls_per_day: Some(100_000),
        messages_per_month,
    };
    let active = SubscriptionStatus::Active;
    let example = |name, about, member, email, number, plan, terms, status| DemoOrganization {
        name,
        about,
        member,
        email,
        number,
        plan,
        terms,
        status,
    };
    [
        example(
            HEALTHY,
            "everything works",
            "Ana Ruiz",
            FIRST,
            "+12025550190",
            "Demo Business",
            terms(true, Some(10_000)),
            active,
        ),
        example(
            "Demo Florist",
            "has no subscription",
            "Ben Cole",
            "florist@demo.example",
            "+12025550191",
            "Demo Business",
            terms(true, Some(10_000)),
            SubscriptionStatus::None,
        ),
        example(
            "Demo Garage",
            "its plan has no API access",
            "Chris Diaz",
            "garage@demo.example",
            "+12025550192",
            "Demo Starter",
            terms(false, Some(100)),
            active,
        ),
        example(
            "Demo Kiosk",
            "three messages a month",
            "Dana Okoye",
            "kiosk@demo.example",
            "+12025550193",
            "Demo Three",
            terms(true, Some(3)),
            active,
        ),
    ]
}

/// The result of preparing the demo: the text to print, and a key.
pub struct PreparedDemo {
    text: String,
    /// A key of the healthy organization, if this is the demo's database.
    key: Option<CreatedKey>,
}

/// Prints commands to paste and URLs to open.
pub async fn print(
    deps: &ServerDeps,
    prepared: PreparedDemo,
    address: SocketAddr,
    dashboard: &str,
) -> Result<()> {
    let PreparedDemo { mut text, key } = prepared;
    if let Some(key) = key {
        let base = reachable(&deps.config, address);
        describe_lines(&mut text, &base, &key)?;
        describe_listening(&mut text, &base, &key)?;
        describe_way_to_webhooks(&mut text, deps)?;
        writeln!(text, "See the dashboard of {HEALTHY}, with an inbox of the last days:\n")?;
        writeln!(text, "  Go to {dashboard} and sign in as {FIRST} with {PASSWORD}\n")?;
        let partner = partner::start(deps, publisher(deps).await?, address).await?;
        writeln!(
            text,
            "See Connect as a business does, with an application of another organization:\n"
        )?;
        writeln!(text, "  Open {partner} and sign in as {FIRST} with {PASSWORD}\n")?;
    } else {
        writeln!(text, "The dashboard is at {dashboard}\n")?;
    }
    Ok(output::print(&text)?)
}

/// Creates the missing demo data. No worker may run before the data is complete, because the AI
/// agent would then answer the example customers.
pub async fn prepare(deps: &ServerDeps) -> Result<PreparedDemo> {
    let mut text = String::new();
    let key = create(deps, &mut text).await?;
    Ok(PreparedDemo { text, key })
}

/// Creates the missing demo data. Returns a key of the healthy organization, if this is the demo's
/// database.
async fn create(deps: &ServerDeps, text: &mut String) -> Result<Option<CreatedKey>> {
    let admin = Admin::new(deps);
    if !deps.db.operator().has_organizations().await? {
        writeln!(
            text,
            "\nFour organizations to try things out with (password of each member: {PASSWORD})\n"
        )?;
        let mut first = None;
        for example in examples() {
            let key = Box::pin(make(&admin, deps, &example)).await?;
            writeln!(text, "  {} ({})", example.name, example.about)?;
            writeln!(text, "    member         {}", example.email)?;
            writeln!(text, "    number         {}", example.number)?;
            describe_key(text, &key)?;
            first = first.or(Some(key));
        }
        return Ok(first);
    }
    let found = deps.db.operator().organizations_named(HEALTHY.to_owned()).await?;
    let Some(organization) = found.first() else {
        writeln!(
            text,
            "\nThis database has organizations, but none that is named {HEALTHY}, so nothing was created.\n\
             For the demo, start on an empty database: --database-url sqlite:data/demo.db\n"
        )?;
        return Ok(None);
    };
    writeln!(
        text,
        "\nThe secrets of an earlier start cannot be shown again: here is a fresh key of {HEALTHY}.\n"
    )?;
    if let Some(account) = organization.default_account_id {
        Box::pin(conversations::open_window(deps, organization.id, account)).await?;
    }
    let key = key(&admin, organization.id).await?;
    describe_key(text, &key)?;
    Ok(Some(key))
}

/// Returns the publisher of the partner's application. It has no members and no number.
async fn publisher(deps: &ServerDeps) -> Result<OrganizationId> {
    let known = deps.db.operator().organizations_named(PUBLISHER.to_owned()).await?;
    match known.first() {
        Some(organization) => Ok(organization.id),
        None => Ok(Admin::new(deps).create_organization(PUBLISHER, None).await?.id.parse()?),
    }
}

fn describe_key(text: &mut String, key: &CreatedKey) -> fmt::Result {
    writeln!(text, "    client_id      {}", key.client_id)?;
    writeln!(text, "    client_secret  {}\n", key.client_secret)
}

/// Returns the address of this server on this machine, as the demo prints it. The browser and the
/// printed commands use the same address.
#[must_use]
pub fn reachable(settings: &Settings, address: SocketAddr) -> String {
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let host = match address.ip() {
        ip if ip.is_unspecified() || ip == IpAddr::V4(Ipv4Addr::LOCALHOST) => {
            "localhost".to_owned()
        }
        ip if ip.is_ipv6() => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    format!("{scheme}://{host}:{}", address.port())
}

fn describe_lines(text: &mut String, base: &str, key: &CreatedKey) -> fmt::Result {
    let head =
        format!("-H 'x-client-id: {}' -H 'x-client-secret: {}'", key.client_id, key.client_secret);
    let body =
        json!({"type": "text", "phone_number": TEST_NUMBER, "text": "Hello from Switchboard"});
    writeln!(text, "Send a message to a number that reads it and answers:\n")?;
    writeln!(
        text,
        "  curl -sS {base}/api/v1/messages {head} -H 'Content-Type: application/json' -d '{body}'\n"
    )?;
    writeln!(text, "A second later, show the conversation:\n")?;
    writeln!(
        text,
        "  curl -sS '{base}/api/v1/conversations/history?phone_number=%2B12025550100' {head}\n"
    )
}

/// Prints the command that forwards the events to a program on this machine. The server needs no
/// setting for that.
fn describe_listening(text: &mut String, base: &str, key: &CreatedKey) -> fmt::Result {
    let program = program();
    writeln!(
        text,
        "Forward the events of {HEALTHY}, as signed webhooks, to a program of yours on this machine:\n"
    )?;
    writeln!(
        text,
        "  SWITCHBOARD_CLIENT_ID={} SWITCHBOARD_CLIENT_SECRET={} {program} listen --url {base} \
         --forward-to http://localhost:3000/webhooks\n",
        key.client_id, key.client_secret
    )
}

/// Returns the command with which this program was started, so that printed commands work too: with
/// `cargo run` the program is not on the `PATH`. If the path has characters that a shell would
/// interpret, returns only the program's name.
fn program() -> String {
    let is_plain =
        |path: &String| path.chars().all(|it| it.is_ascii_alphanumeric() || "/._-".contains(it));
    let called = std::env::args_os().next().and_then(|it| it.into_string().ok());
    called
        .filter(|path| !path.is_empty() && is_plain(path))
        .unwrap_or_else(|| "switchboard".to_owned())
}

/// Prints how to allow webhooks to this machine. The demo does not allow them by default. Its
/// passwords are public, so anyone who can reach the demo could make it call addresses that only
/// this machine can reach (`docs/security.md` 34).
fn describe_way_to_webhooks(text: &mut String, deps: &ServerDeps) -> fmt::Result {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    if deps.config.channel.allow.iter().any(|network| network.contains(&local)) {
        return Ok(());
    }
    writeln!(
        text,
        "A webhook endpoint needs a public address. For an endpoint on this machine, start with:\n"
    )?;
    // The URLs that the demo prints must stay right.
    let bind = deps.config.bind.to_string();
    let is_usual = setting("bind").is_some_and(|it| it.default == bind);
    let bind = if is_usual { String::new() } else { format!(" --bind {bind}") };
    writeln!(text, "  {} serve --demo{bind} --webhook-allow 127.0.0.0/8,::1/128\n", program())
}

async fn make(
    admin: &Admin<'_>,
    deps: &ServerDeps,
    example: &DemoOrganization,
) -> Result<CreatedKey> {
    admin.set_plan(example.plan, &example.terms).await?;
    let made = admin.create_organization(example.name, None).await?;
    let organization: OrganizationId = made.id.parse()?;
    let plan = (example.status == SubscriptionStatus::Active).then_some(example.plan);
    admin.set_subscription(organization, plan, example.status).await?;
    let member = admin.create_member(organization, example.email, example.member, PASSWORD).await?;
    let account = admin
        .connect_account(organization, example.number, example.name, NewChannel::Sandbox, true)
        .await?;
    if example.name == HEALTHY {
        let account = account.id.parse()?;
        templates(deps, organization, account).await?;
        let (member, name) = (member.id.parse()?, example.member);
        Box::pin(Bakery { deps, organization, account, member, name }.fill()).await?;
    }
    key(admin, organization).await
}

async fn key(admin: &Admin<'_>, organization: OrganizationId) -> Result<CreatedKey> {
    let scopes: ScopeSet = Scope::ALL.iter().copied().collect();
    let new = NewKey {
        name: Name::parse("Demo")?,
        scopes,
        account: None,
        rate_limit: RateLimit::default(),
    };
    Ok(admin.create_key(organization, new).await?)
}

/// Creates one template in each status, so that a user can see how a send with each of them is
/// checked.
async fn templates(
    deps: &ServerDeps,
    organization: OrganizationId,
    account: domain::id::AccountId,
) -> Result<()> {
    let now = deps.clock.now();
    for status in TemplateStatus::ALL.iter().copied() {
        let rejected = status == TemplateStatus::Rejected;
        let name = match status {
            TemplateStatus::Approved => "order_update".to_owned(),
            status => format!("order_update_{status}"),
        };
        let components = json!([
            {"type": "HEADER", "format": "TEXT", "text": "Your order"},
            {"type": "BODY", "text": "Hello {{1}}, your order {{2}} is on its way.",
             "example": {"body_text": [["Ada", "1024"]]}},
            {"type": "FOOTER", "text": HEALTHY},
        ]);
        let submitted_at = (status != TemplateStatus::Draft).then_some(now);
        let reviewed = !matches!(status, TemplateStatus::Draft | TemplateStatus::Pending);
        deps.db
            .insert_template(Template {
                id: deps.id::<domain::id::Template>(now),
                organization_id: organization,
                account_id: account,
                name,
                language: "en".to_owned(),
                category: Category::Utility,
                status,
                rejection_reason: rejected.then_some(RejectionReason::Promotional),
                rejection_detail: rejected.then(|| "It reads like an advertisement.".to_owned()),
                parameter_format: ParameterFormat::Positional,
                components: Document(components.to_string()),
                external_id: None,
                submitted_at,
                reviewed_at: reviewed.then_some(now),
                created_at: now,
                updated_at: now,
                submission_due_at: None,
                submission_attempts: 0.into(),
                message_send_ttl_seconds: None,
                quality: None,
            })
            .await?;
    }
    Ok(())
}

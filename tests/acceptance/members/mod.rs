//! Members of an organization: roles, invitations, reset links, and a member's own account
//! (`docs/contract.md#roles`).

mod account;
mod invitations;
mod organization;
mod removal;
mod roles;

use crate::connect::{Browser, EMAIL, PASSWORD, Page};
use crate::dashboard::{csrf_token, text_in};
use crate::world::World;
use domain::id::{MemberId, OrganizationId};
use domain::role::Role;
use persistence::records::AuditEntry;

pub const MEMBERS: &str = "/settings/members";
pub const ACCOUNT: &str = "/account";

/// Creates a member with a role, and returns their browser, signed in.
pub async fn signed_in_as(world: &World, email: &str, role: Role) -> Browser {
    let admin = world.admin();
    admin.create_member_as(role, world.organization, email, "Bob Stone", PASSWORD).await.unwrap();
    sign_in(world, email, PASSWORD).await
}

/// Signs a member in with a new browser.
pub async fn sign_in(world: &World, email: &str, password: &str) -> Browser {
    let mut browser = Browser::new(world);
    let form_token = browser.get("/login").await.field("token");
    let fields = [("token", form_token.as_str()), ("email", email), ("password", password)];
    let sent = browser.post("/login", &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    browser
}

/// Submits a form with a new CSRF token.
async fn submit(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let form_token = csrf_token(&browser.get(ACCOUNT).await);
    browser.post(path, &[&[("token", form_token.as_str())], fields].concat()).await
}

/// Submits a form that ends on a page with a notice, and returns that page.
async fn done(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let sent = submit(browser, path, fields).await;
    let to = sent.location().to_owned();
    let page = browser.get(&to).await;
    assert_eq!(page.status, 200, "{to}: {}", page.text);
    page
}

/// Invites somebody, and returns the path of the link.
async fn invitation(owner: &mut Browser, email: &str, role: Role) -> String {
    let role = domain::keyword::Keyword::as_str(role);
    let page =
        done(owner, MEMBERS, &[("action", "invite"), ("email", email), ("role", role)]).await;
    let url = text_in(&page, "invitation-link");
    let path = url.strip_prefix("https://api.example.com").expect("the base URL");
    assert!(path.starts_with("/invite/"), "{url}");
    path.to_owned()
}

pub async fn id_of(world: &World, email: &str) -> MemberId {
    let found = world.server.deps.db.member_of_email(email.to_owned()).await.unwrap();
    found.expect("the member").id
}

/// Returns the role of a member in an organization.
async fn role_of(world: &World, organization: OrganizationId, email: &str) -> Option<Role> {
    let found = world.server.deps.db.member_of_email(email.to_owned()).await.unwrap()?;
    let db = world.server.deps.db.organization(organization);
    db.member_of_organization(found.id).await.unwrap().map(|it| it.role)
}

/// Returns all audit entries of an organization.
async fn audit(world: &World, organization: OrganizationId) -> Vec<AuditEntry> {
    world.server.deps.db.organization(organization).audit_entries(None, 10_000).await.unwrap()
}

/// Returns the owner's browser.
async fn owner(world: &World) -> Browser {
    let browser = crate::dashboard::sign_in_member(world).await;
    assert_eq!(role_of(world, world.organization, EMAIL).await, Some(Role::Owner));
    browser
}

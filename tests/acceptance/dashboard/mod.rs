//! The dashboard's pages as a member's browser gets them (`docs/contract.md#pages`).

mod acts;
mod composer;
mod errors;
mod fields;
mod home;
mod inbox;
mod keys;
mod limited_support;
mod look;
mod messages;
mod numbers;
mod once;
mod plan;
mod return_to;
mod search;
mod sidebar;
mod templates;

use crate::connect::{Browser, PASSWORD, Page, create_member};
use crate::world::World;

pub const KEYS: &str = "/integrations/keys";
pub const APPLICATIONS: &str = "/integrations/applications";
pub const WEBHOOKS: &str = "/integrations/webhooks";

/// Returns the browser of the organization's member, signed in.
pub async fn sign_in_member(world: &World) -> Browser {
    create_member(world).await;
    let mut browser = Browser::new(world);
    browser.sign_in("/login").await;
    browser
}

/// Returns the browser of a member of another organization, signed in.
pub async fn member_of_another_organization(world: &World) -> Browser {
    let other = world.organization_on("Other", "Unlimited").await;
    world.admin().create_member(other, "eve@other.example", "Eve", PASSWORD).await.unwrap();
    let mut eve = Browser::new(world);
    let login = eve.get("/login").await.field("token");
    let signed_in =
        [("token", login.as_str()), ("email", "eve@other.example"), ("password", PASSWORD)];
    assert_eq!(eve.post("/login", &signed_in).await.status, 303);
    eve
}

/// Returns the path of the form for a new object of this list.
pub fn creation_path(list: &str) -> String {
    format!("{list}/new")
}

/// Returns the CSRF token of the forms in the main part of a page. The page's first forms belong to
/// its frame.
pub fn csrf_token(page: &Page) -> String {
    let (_, main) = page.text.split_once("<main").expect("a page of the dashboard");
    let (_, rest) = main.split_once("name=\"token\" value=\"").expect("a form");
    rest.split('"').next().unwrap().to_owned()
}

/// Returns the text of the element with this id.
pub fn text_in(page: &Page, id: &str) -> String {
    let mark = format!("id=\"{id}\">");
    let (_, rest) = page.text.split_once(&mark).unwrap_or_else(|| panic!("no {id}: {}", page.text));
    rest.split('<').next().unwrap().to_owned()
}

/// Returns the tag of the form control with this id.
pub fn form_control(page: &Page, id: &str) -> String {
    let mark = format!(" id=\"{id}\"");
    let (before, rest) =
        page.text.split_once(&mark).unwrap_or_else(|| panic!("no {id}: {}", page.text));
    let (_, start) = before.rsplit_once('<').unwrap();
    format!("<{start}{mark}{}>", rest.split('>').next().unwrap())
}

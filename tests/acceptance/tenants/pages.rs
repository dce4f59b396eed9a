//! Requests each URL and each form of a member's pages as a member of another organization.

use super::{id_at, of_nobody, with_ids};
use crate::connect::{Browser, Page, Partner, connect_application};
use crate::dashboard::{
    APPLICATIONS, KEYS, WEBHOOKS, csrf_token, member_of_another_organization, sign_in_member,
};
use crate::members::{ACCOUNT, MEMBERS};
use crate::template_creation::{create_template, plain_template};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{create_endpoint, send_message, with_receivers};
use crate::world::World;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A form as a browser would send it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    action: String,
    fields: Vec<(String, String)>,
}

/// Returns the value of an attribute of a tag.
fn attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn unescaped(text: &str) -> String {
    text.replace("&#38;", "&").replace("&amp;", "&")
}

/// Returns the tags of a page with this name, each with the text after it.
fn tags<'page>(page: &'page str, name: &str) -> impl Iterator<Item = (&'page str, &'page str)> {
    let mark = format!("<{name} ");
    let starts: Vec<usize> = page.match_indices(&mark).map(|it| it.0).collect();
    starts.into_iter().filter_map(move |start| page[start..].split_once('>'))
}

/// Returns the URLs of the dashboard in a page's links.
fn links(page: &str) -> BTreeSet<String> {
    let links = tags(page, "a").filter_map(|(tag, _)| attribute(tag, "href")).map(unescaped);
    let within = ["/integrations/", "/settings/", "/messages", "/templates", "/numbers", "/inbox"];
    links.filter(|it| within.iter().any(|part| it.starts_with(part))).collect()
}

/// Returns the forms of a page that use POST.
fn forms(path: &str, page: &str) -> BTreeSet<Form> {
    let posting = tags(page, "form").filter(|(tag, _)| attribute(tag, "method") == Some("post"));
    let form = |(tag, rest): (&str, &str)| {
        let inside = rest.split("</form>").next().unwrap();
        let named = ["input", "button"].into_iter().flat_map(|name| tags(inside, name));
        let named = named.filter_map(|(tag, _)| {
            Some((
                attribute(tag, "name")?.to_owned(),
                unescaped(attribute(tag, "value").unwrap_or_default()),
            ))
        });
        let action = attribute(tag, "action").map_or_else(|| path.to_owned(), unescaped);
        Form { action, fields: named.collect() }
    };
    posting.map(form).collect()
}

/// Opens all pages that a member can reach.
async fn crawl(browser: &mut Browser) -> BTreeMap<String, Page> {
    let mut pages = BTreeMap::new();
    let lists =
        [KEYS, APPLICATIONS, WEBHOOKS, MEMBERS, "/messages", "/templates", "/numbers", "/inbox"];
    let mut next: Vec<String> = lists.into_iter().map(str::to_owned).collect();
    while let Some(path) = next.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let page = browser.get(&path).await;
        next.extend(links(&page.text));
        pages.insert(path, page);
        assert!(pages.len() < 300, "{:?}", pages.keys());
    }
    pages
}

/// Returns the status and the text of a page, without ids and CSRF tokens.
fn status_and_text(page: &Page) -> (u16, String) {
    let text = with_ids(&page.text, |id| id_at(id).map_or("", |it| it.0).to_owned());
    let parts = text.split("name=\"token\" value=\"");
    let parts = parts.enumerate().map(|(number, part)| match number {
        0 => part,
        _ => part.split_once('"').map_or(part, |it| it.1),
    });
    (page.status, parts.collect::<Vec<_>>().join(""))
}

fn names_somebody(text: &str) -> bool {
    with_ids(text, |_| String::new()) != text
}

/// Returns the ids in these texts.
fn ids_in<'text>(texts: impl IntoIterator<Item = &'text str>) -> BTreeSet<String> {
    let ids = RefCell::new(BTreeSet::new());
    for text in texts {
        with_ids(text, |id| {
            ids.borrow_mut().insert(id.to_owned());
            String::new()
        });
    }
    ids.into_inner()
}

impl Form {
    /// Sends the form with the browser's own CSRF token, and returns the response without ids.
    async fn sent(&self, browser: &mut Browser, token: &str) -> (u16, String, String) {
        let own = |(name, value): &(String, String)| {
            let value = if name == "token" { token } else { value };
            (name.clone(), value.to_owned())
        };
        let fields: Vec<(String, String)> = self.fields.iter().map(own).collect();
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let page = browser.post(&self.action, &fields).await;
        let location =
            with_ids(page.header("location"), |id| id_at(id).map_or("", |it| it.0).to_owned());
        let (status, text) = status_and_text(&page);
        (status, location, text)
    }

    fn of_nobody(&self) -> Self {
        let changed = |(name, value): &(String, String)| (name.clone(), with_ids(value, of_nobody));
        Self {
            action: with_ids(&self.action, of_nobody),
            fields: self.fields.iter().map(changed).collect(),
        }
    }

    fn names_somebody(&self) -> bool {
        names_somebody(&self.action) || self.fields.iter().any(|(_, value)| names_somebody(value))
    }
}

async fn a_page_of_another_organization_is_answered_like_an_unknown_page(world: World) {
    // Given a member of an organization with a key, an application, a connection, a template,
    // webhook endpoints and deliveries,
    let mut ada = sign_in_member(&world).await;
    let own = Partner::registered(&world, Some(world.organization), true).await;
    let partner = Partner::of(&world).await;
    connect_application(&world, &mut ada, &partner).await;
    let receiver = Receiver::start().await;
    create_endpoint(&world, &receiver, &[]).await;
    let page = ada.get(ACCOUNT).await;
    let list = format!("{APPLICATIONS}/{}/webhooks", own.application.id);
    let form =
        [("token", csrf_token(&page)), ("url", receiver.url.clone()), ("which", "all".to_owned())];
    let form: Vec<(&str, &str)> =
        form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(ada.post(&list, &form).await.status, 303);
    send_message(&world).await;
    create_template(&world, &plain_template("hours")).await;
    world.live_through(Duration::from_secs(5)).await;
    let before = crawl(&mut ada).await;
    let named: Vec<&String> = before.keys().filter(|path| names_somebody(path)).collect();
    assert!(named.len() >= 8, "{named:?}");

    // and a member of another organization,
    let mut eve = member_of_another_organization(&world).await;
    let proof = csrf_token(&eve.get(ACCOUNT).await);

    // when the second member opens a URL of the first, then the page is the same as for an id
    // that does not exist,
    for path in named {
        let theirs = status_and_text(&eve.get(path).await);
        assert_eq!(theirs, status_and_text(&eve.get(&with_ids(path, of_nobody)).await), "{path}");
        // A search for an id, and the messages of a key, are pages that show nothing.
        let is_list = ["q=", "key="].iter().any(|it| path.contains(it));
        assert!(theirs.0 != 200 || is_list, "{path}");
    }
    // when the second member sends a form of the first, then the response is the same too,
    let all: BTreeSet<Form> =
        before.iter().flat_map(|(path, page)| forms(path, &page.text)).collect();
    let all: Vec<&Form> = all.iter().filter(|it| it.names_somebody()).collect();
    assert!(all.len() >= 8, "{all:?}");
    for form in all {
        let theirs = form.sent(&mut eve, &proof).await;
        assert_eq!(theirs, form.of_nobody().sent(&mut eve, &proof).await, "{form:?}");
    }
    // when the second member opens an id of the first, then there is nothing,
    let ids = ids_in(before.values().map(|page| page.text.as_str()));
    assert!(ids.len() >= 15, "{ids:?}");
    for id in &ids {
        let to = eve.get(&format!("/open?id={id}")).await.location().to_owned();
        assert!(to.starts_with("/search?notice="), "{id}: {to}");
        let list = eve.get(&format!("/messages?q={id}")).await;
        let shown = ids_in([list.text.as_str()]);
        assert!(shown.iter().all(|it| it == id || !ids.contains(it)), "{id}: {shown:?}");
    }
    // and nothing has changed.
    world.settle().await;
    let after = crawl(&mut ada).await;
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, page) in &before {
        assert_eq!(status_and_text(page), status_and_text(&after[path]), "{path}");
    }
}

with_receivers! {
    a_page_of_another_organization_is_answered_like_an_unknown_page,
}

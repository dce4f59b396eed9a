//! The dashboard as a member browses it: one page of each kind to which links lead.

use std::collections::BTreeSet;

use anyhow::Result;

use super::calls::Call;
use crate::fill::Filled;
use crate::member::Member;

/// The first parts of the paths of the dashboard's pages.
const PAGES: [&str; 11] = [
    "account",
    "agents",
    "contacts",
    "inbox",
    "integrations",
    "messages",
    "numbers",
    "plan",
    "search",
    "settings",
    "templates",
];
/// Searches, because no link leads to them. Each text of the filled messages contains a number and
/// the word `order`.
const SEARCHES: [&str; 4] =
    ["/contacts?q=1650555", "/inbox?q=1234", "/inbox?q=order", "/messages?q=1650555"];
/// Maximum number of parameters of a page. Without a limit, all filters would be combined with each
/// other.
const MAX_PARAMETERS: usize = 2;

/// Returns one page of every kind to which links and filters lead, and pages so deep in lists that
/// nobody would reach them by clicking.
pub fn pages(member: &mut Member, filled: &Filled) -> Result<Vec<Call>> {
    let (mut opened, mut named, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut next = vec!["/".to_owned()];
    while let Some(path) = next.pop() {
        if opened.contains(&shape(&path)) {
            continue;
        }
        let page = member.get(&path)?;
        // If a page cannot be shown, the links of another page of its kind are used.
        if page.status == 200 {
            opened.insert(shape(&path));
            // Reversed, because `pop` takes the last link and the first link of a page should
            // be opened first.
            next.extend(links(&page.body).into_iter().rev());
            for path in filters(&page.body) {
                if named.insert(shape(&path)) {
                    found.push(Call { name: format!("page {}", shape(&path)), path });
                }
            }
        }
        if named.insert(shape(&path)) {
            found.push(Call { name: format!("page {}", shape(&path)), path });
        }
    }
    for path in SEARCHES {
        found.push(Call { name: format!("page {path}"), path: path.to_owned() });
    }
    let endpoint = format!("/integrations/webhooks/{}", filled.world.endpoint(0));
    // A delivery in the middle of the list. Every second event is delivered to this endpoint.
    let deep = filled.world.delivery(filled.counts().events / 4 * 2);
    let busiest = [
        ("", String::new()),
        ("?state=failed", "?state=failed".to_owned()),
        ("?state=pending", "?state=pending".to_owned()),
        ("?state=retrying", "?state=retrying".to_owned()),
        ("?state=succeeded", "?state=succeeded".to_owned()),
        ("?state=&after=middle", format!("?state=&after={deep}")),
    ];
    for (name, query) in busiest {
        let name = format!("page of the busiest endpoint{name}");
        found.push(Call { name, path: format!("{endpoint}{query}") });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Returns the targets of a page's links within the dashboard.
fn links(page: &str) -> Vec<String> {
    let parts = page.split("href=\"").skip(1).filter_map(|part| part.split_once('"'));
    let links = parts.map(|(link, _)| link.replace("&amp;", "&").replace("&#38;", "&"));
    let links = links.map(|link| link.split('#').next().map(str::to_owned).unwrap_or_default());
    links.filter(|link| is_page(link)).collect()
}

/// Returns the page of each choice of each select in a page's forms that filter a list. A form with
/// hidden fields belongs to a view, whose filters would be combined with each other.
fn filters(page: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for form in page.split("<form class=\"bar\"").skip(1) {
        let form = form.split("</form>").next().unwrap_or_default();
        let action = attribute(form, "action").filter(|_| !form.contains("type=\"hidden\""));
        let Some(action) = action else { continue };
        for select in form.split("<select").skip(1) {
            let select = select.split("</select>").next().unwrap_or_default();
            let Some(name) = attribute(select, "name") else { continue };
            let options = select.split("<option").skip(1);
            let values = options.filter_map(|option| attribute(option, "value"));
            paths.extend(
                values.filter(|it| !it.is_empty()).map(|value| format!("{action}?{name}={value}")),
            );
        }
    }
    paths.retain(|path| is_page(path));
    paths
}

/// Returns the value of the first attribute of this name.
fn attribute<'a>(html: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = html.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// Whether a link leads to a page of the dashboard that is loaded as a whole.
fn is_page(link: &str) -> bool {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let Some(path) = path.strip_prefix('/') else { return false };
    let is_known = PAGES.iter().any(|it| path.split('/').next() == Some(it));
    // An export is a file with all data, and a stream has no end.
    let is_read = !path.ends_with("/export") && path != "inbox/stream";
    is_known && is_read && query.split('&').count() <= MAX_PARAMETERS
}

/// Replaces each id in a path by an ellipsis.
fn shape(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let is_id = |it: &str| it.split_once('_').is_some_and(|(_, digits)| digits.len() == 26);
    let parts = path.split('/').map(|part| if is_id(part) { "…" } else { part });
    let path = parts.collect::<Vec<_>>().join("/");
    let shortened = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name @ ("after" | "before" | "offset" | "since" | "until"), _)) => {
            format!("{name}=…")
        }
        Some((name, value)) if is_id(value) => format!("{name}=…"),
        _ => pair.to_owned(),
    });
    let query = shortened.collect::<Vec<_>>().join("&");
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_one_kind_have_one_shape() {
        let path = "/integrations/webhooks/whe_01h2xcejqtf2nbrexx3vqjhp41?state=failed";
        assert_eq!(shape(path), "/integrations/webhooks/…?state=failed");
        assert_eq!(shape("/a?state=&after=12"), "/a?state=&after=…");
        assert_eq!(shape("/templates?offset=25"), "/templates?offset=…");
        let page = r##"<a href="/integrations/a?b&amp;c#d"></a><a href="/assets/x"></a><a href="#e"></a>
            <a href="/contacts/con_1/export"></a><a href="//example.com/inbox">"##;
        assert_eq!(links(page), ["/integrations/a?b&c"]);
    }

    #[test]
    fn each_choice_of_a_filter_is_a_page() {
        let select = r#"<select name="status"><option value="" selected>Any</option>
            <option value="sent">Sent</option></select>"#;
        let page = format!(
            r#"<form class="bar" action="/messages"><input type="search" name="q" value="">{select}</form>
            <form class="bar" action="/messages"><input type="hidden" name="view">{select}</form>"#
        );
        assert_eq!(filters(&page), ["/messages?status=sent"]);
    }
}

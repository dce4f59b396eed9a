//! The dashboard as a member browses it: one page of each kind that links lead to.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::calls::Call;
use super::client::{Answer, Client};
use crate::fill::{Filled, Kind, PASSWORD};

/// The prefix of the dashboard's URLs.
const PAGES: &str = "/integrations/";

pub struct Member {
    port: u16,
    cookies: Vec<(String, String)>,
    client: Client,
}

impl Member {
    pub fn sign_in(port: u16, filled: &Filled) -> Result<Self> {
        let mut member = Self { port, cookies: Vec::new(), client: Client::new(port, &[]) };
        let form = member.get("/login")?;
        let fields = [("email", filled.email()), ("password", PASSWORD)];
        let answer = member.submit("/login", &form.body, &fields)?;
        if answer.status != 303 {
            bail!("signing in was answered with {}", answer.status);
        }
        Ok(member)
    }

    pub fn get(&mut self, path: &str) -> Result<Answer> {
        let cookie = self.cookie();
        let answer = self.client.ask("GET", path, &[("Cookie", &cookie)], "")?;
        self.keep(&answer);
        Ok(answer)
    }

    /// Submits the form of a page whose action is `path`.
    pub fn submit(&mut self, path: &str, page: &str, fields: &[(&str, &str)]) -> Result<Answer> {
        let token = token(page, path).with_context(|| format!("no form for {path}"))?;
        let fields = std::iter::once(("token", token)).chain(fields.iter().copied());
        let body: Vec<String> =
            fields.map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let (cookie, origin) = (self.cookie(), format!("http://127.0.0.1:{}", self.port));
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str()), kind];
        let answer = self.client.ask("POST", path, &headers, &body.join("&"))?;
        self.keep(&answer);
        Ok(answer)
    }

    fn cookie(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn keep(&mut self, answer: &Answer) {
        for cookie in answer.header_values("set-cookie") {
            let pair = cookie.split(';').next().and_then(|pair| pair.split_once('='));
            let Some((name, value)) = pair else { continue };
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Returns one page of every kind that links lead to, and pages deep in lists that nobody would
    /// reach by clicking.
    pub fn pages(&mut self, filled: &Filled) -> Result<Vec<Call>> {
        let (mut opened, mut named, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let mut next = vec!["/integrations/keys".to_owned()];
        while let Some(path) = next.pop() {
            if opened.contains(&shape(&path)) {
                continue;
            }
            let page = self.get(&path)?;
            // If a page cannot be shown, another page of its kind provides the links.
            if page.status == 200 {
                opened.insert(shape(&path));
                // Reversed, because `pop` takes the last link and the first link of a page should
                // be opened first.
                next.extend(links(&page.body).into_iter().rev());
            }
            if named.insert(shape(&path)) {
                found.push(Call { name: format!("page {}", shape(&path)), path });
            }
        }
        let endpoint = format!("/integrations/webhooks/{}", filled.id(Kind::Endpoint, 0));
        // A delivery in the middle of the list. Every second event is delivered to this endpoint.
        let deep = filled.id(Kind::Delivery, filled.counts().events / 4 * 2);
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
}

/// Returns the token of the form whose action is `path`.
fn token<'a>(page: &'a str, path: &str) -> Option<&'a str> {
    let (_, form) = page.split_once(&format!("<form method=\"post\" action=\"{path}\""))?;
    let (_, value) = form.split_once("name=\"token\" value=\"")?;
    Some(value.split_once('"')?.0)
}

/// Returns the targets of a page's links within the dashboard.
fn links(page: &str) -> Vec<String> {
    let parts = page.split("href=\"").skip(1).filter_map(|part| part.split_once('"'));
    let links = parts.map(|(link, _)| link.replace("&amp;", "&"));
    let links = links.map(|link| link.split('#').next().map(str::to_owned).unwrap_or_default());
    links.filter(|link| link.starts_with(PAGES) || link == "/plan").collect()
}

/// Replaces each id in a path by an ellipsis.
fn shape(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let parts = path.split('/').map(|part| {
        let is_id = part.split_once('_').is_some_and(|(_, digits)| digits.len() == 26);
        if is_id { "…" } else { part }
    });
    let path = parts.collect::<Vec<_>>().join("/");
    let shortened = query.split('&').map(|pair| match pair.split_once('=') {
        Some(("after", _)) => "after=…",
        _ => pair,
    });
    let query = shortened.collect::<Vec<_>>().join("&");
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

fn encode(value: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    value.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_one_kind_have_one_shape() {
        let path = "/integrations/webhooks/whe_01h2xcejqtf2nbrexx3vqjhp41?state=failed";
        assert_eq!(shape(path), "/integrations/webhooks/…?state=failed");
        assert_eq!(shape("/a?state=&after=12"), "/a?state=&after=…");
        let page =
            r##"<a href="/integrations/a?b&amp;c#d"></a><a href="/assets/x"></a><a href="#e">"##;
        assert_eq!(links(page), ["/integrations/a?b&c"]);
    }

    #[test]
    fn the_token_is_that_of_the_form() {
        let page = r#"<form method="post" action="/a"><input type="hidden" name="token" value="1">
            <form method="post" action="/b"><input type="hidden" name="token" value="2">"#;
        assert_eq!(token(page, "/b"), Some("2"));
        assert_eq!(token(page, "/c"), None);
        assert_eq!(encode("a b@c+"), "a%20b%40c%2B");
    }
}

//! A member who uses the dashboard in a browser without scripts.

use anyhow::{Context, Result, ensure};
use form_urlencoded::Serializer;

use crate::client::{Answer, Client};

const LOGIN: &str = "/login";
const WEBHOOKS: &str = "/integrations/webhooks";
const NEW_WEBHOOK: &str = "/integrations/webhooks/new";

pub struct Member {
    port: u16,
    client: Client,
    cookies: Vec<(String, String)>,
}

impl Member {
    /// Signs in at the server on this port.
    pub fn sign_in(port: u16, email: &str, password: &str) -> Result<Self> {
        let mut member = Self { port, client: Client::new(port, &[]), cookies: Vec::new() };
        let page = member.get(LOGIN)?.body;
        let answer = member.submit(LOGIN, &page, &[("email", email), ("password", password)])?;
        ensure!(answer.status == 303, "signing in is answered {}", answer.status);
        Ok(member)
    }

    pub fn get(&mut self, path: &str) -> Result<Answer> {
        let cookie = self.cookie();
        let answer = self.client.ask("GET", path, &[("cookie", &cookie)], "")?;
        self.keep(&answer);
        Ok(answer)
    }

    /// Submits the form of `page` whose action is `path`.
    pub fn submit(&mut self, path: &str, page: &str, fields: &[(&str, &str)]) -> Result<Answer> {
        let token = token(page, path).with_context(|| format!("no form for {path}"))?;
        let body = Serializer::new(String::new())
            .append_pair("token", token)
            .extend_pairs(fields)
            .finish();
        let (cookie, origin) = (self.cookie(), format!("http://127.0.0.1:{}", self.port));
        let kind = ("content-type", "application/x-www-form-urlencoded");
        let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str()), kind];
        let answer = self.client.ask("POST", path, &headers, &body)?;
        self.keep(&answer);
        Ok(answer)
    }

    /// Adds an endpoint that receives every event.
    pub fn add_endpoint(&mut self, url: &str) -> Result<()> {
        let answer = self.submit_endpoint(&[("url", url), ("which", "all")])?;
        ensure!(answer.status == 303, "an endpoint is answered {}", answer.status);
        Ok(())
    }

    /// Submits the form of a new endpoint.
    pub fn submit_endpoint(&mut self, fields: &[(&str, &str)]) -> Result<Answer> {
        let mut page = self.get(NEW_WEBHOOK)?;
        if page.status == 404 {
            // Versions without an inbox have the form on the page with the list.
            page = self.get(WEBHOOKS)?;
        }
        self.submit(WEBHOOKS, &page.body, fields)
    }

    /// Returns the value of the `cookie` header of the member's requests.
    pub fn cookie(&self) -> String {
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
}

/// Returns the token of the form whose action is `path`.
fn token<'a>(page: &'a str, path: &str) -> Option<&'a str> {
    let action = format!("action=\"{path}\"");
    let forms = page.split("<form").skip(1).filter_map(|form| form.split_once('>'));
    let (_, form) = forms.into_iter().find(|(tag, _)| tag.contains(&action))?;
    let (_, value) = form.split_once("name=\"token\" value=\"")?;
    Some(value.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_that_of_the_form() {
        let page = r#"<form method="post" action="/a"><input type="hidden" name="token" value="1">
            <form class="stack" method="post" action="/b"><input type="hidden" name="token" value="2">"#;
        assert_eq!(token(page, "/b"), Some("2"));
        assert_eq!(token(page, "/c"), None);
    }
}

//! A member who uses the dashboard, because webhook endpoints are managed there.

use std::cell::RefCell;

use anyhow::{Context, Result, ensure};

use super::http::{Answer, request};

const WEBHOOKS: &str = "/integrations/webhooks";

pub struct Member {
    port: u16,
    cookies: RefCell<Vec<(String, String)>>,
}

impl Member {
    /// Signs in at the server on this port.
    pub fn sign_in(port: u16, email: &str, password: &str) -> Result<Self> {
        let member = Self { port, cookies: RefCell::default() };
        let token = member.token("/login")?;
        member.submit("/login", &[("token", &token), ("email", email), ("password", password)])?;
        Ok(member)
    }

    /// Adds an endpoint that receives every event.
    pub fn add_endpoint(&self, url: &str) -> Result<()> {
        let token = self.token(WEBHOOKS)?;
        self.submit(WEBHOOKS, &[("token", &token), ("url", url), ("which", "all")])
    }

    /// Returns the token of the first form in the page's main part.
    fn token(&self, page: &str) -> Result<String> {
        let answer = self.ask("GET", page, "")?;
        token(&answer.body).with_context(|| format!("{page} has no form ({})", answer.status))
    }

    /// Submits a form, which has to answer with a redirect.
    fn submit(&self, page: &str, fields: &[(&str, &str)]) -> Result<()> {
        let form: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let answer = self.ask("POST", page, &form.join("&"))?;
        ensure!(answer.status == 303, "the form of {page} is answered {}", answer.status);
        Ok(())
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Result<Answer> {
        let cookies = self.cookies.borrow().clone();
        let pairs: Vec<String> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = pairs.join("; ");
        let headers =
            [("cookie", cookies.as_str()), ("content-type", "application/x-www-form-urlencoded")];
        let answer = request(self.port, method, path, &headers, body)?;
        for cookie in answer.headers("set-cookie") {
            let pair = cookie.split(';').next().and_then(|pair| pair.split_once('='));
            let (name, value) = pair.context("a cookie without a value")?;
            let mut kept = self.cookies.borrow_mut();
            kept.retain(|(its, _)| its != name);
            kept.push((name.to_owned(), value.to_owned()));
        }
        Ok(answer)
    }
}

fn token(page: &str) -> Option<String> {
    let (_, main) = page.split_once("<main")?;
    let (_, value) = main.split_once("name=\"token\" value=\"")?;
    Some(value.split_once('"')?.0.to_owned())
}

/// Encodes a form value: everything except letters and digits in hexadecimal.
fn encoded(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_encoded() {
        assert_eq!(encoded("http://a b"), "http%3A%2F%2Fa%20b");
    }

    #[test]
    fn the_token_is_that_of_the_pages_own_part() {
        let field = |value: &str| format!("<input name=\"token\" value=\"{value}\">");
        let page = format!("<header>{}</header><main id=\"a\">{}</main>", field("1"), field("2"));
        assert_eq!(token(&page).as_deref(), Some("2"));
        assert_eq!(token("<main>"), None);
    }
}

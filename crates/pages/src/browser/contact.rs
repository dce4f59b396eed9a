//! Whom members ask for help: what the operator set as `support_contact`.

/// A contact as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// As the operator wrote it.
    pub text: String,
    /// Where it leads, if it is an email address or a URL.
    pub link: Option<String>,
}

impl Contact {
    /// The contact of this setting; nothing where none is set.
    #[must_use]
    pub fn of(setting: &str) -> Option<Self> {
        let text = setting.to_owned();
        let is_url = setting.starts_with("https://") || setting.starts_with("http://");
        let link = if is_url {
            Some(text.clone())
        } else {
            let is_email = setting.contains('@') && !setting.contains(' ');
            is_email.then(|| format!("mailto:{setting}"))
        };
        (!setting.is_empty()).then_some(Self { text, link })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_address_and_a_url_are_links() {
        let link = |setting| Contact::of(setting).and_then(|it| it.link);
        assert_eq!(Contact::of(""), None);
        assert_eq!(link("help@acme.example").as_deref(), Some("mailto:help@acme.example"));
        assert_eq!(link("https://acme.example/help").as_deref(), Some("https://acme.example/help"));
        for text in ["+1 202 555 0100", "Ada, room 4", "Ada (ada@acme.example)"] {
            assert_eq!(link(text), None, "{text}");
        }
    }
}

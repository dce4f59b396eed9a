//! The contact that members ask for help: the setting `support_contact`.

/// A support contact as pages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportContact {
    /// The text of the setting.
    pub text: String,
    /// The link target, if the text is an email address or a URL.
    pub link: Option<String>,
}

impl SupportContact {
    /// Parses the setting. Returns `None` if it is empty.
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
        let link = |setting| SupportContact::of(setting).and_then(|it| it.link);
        assert_eq!(SupportContact::of(""), None);
        assert_eq!(link("help@acme.example").as_deref(), Some("mailto:help@acme.example"));
        assert_eq!(link("https://acme.example/help").as_deref(), Some("https://acme.example/help"));
        for text in ["+1 202 555 0100", "Ada, room 4", "Ada (ada@acme.example)"] {
            assert_eq!(link(text), None, "{text}");
        }
    }
}

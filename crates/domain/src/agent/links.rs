//! Links in an AI agent's answers. They may lead only to the hosts that the organization has
//! listed.

/// Top-level domains with which chat applications show a host as a link, even without `https://`.
const LINKED: [&str; 28] = [
    "com", "net", "org", "info", "biz", "io", "co", "app", "dev", "me", "shop", "store", "site",
    "online", "xyz", "ly", "de", "fr", "uk", "nl", "ru", "br", "cn", "pl", "eu", "cc", "tk", "ml",
];

/// Returns the host of the first link in `text` that is neither in `hosts` nor a subdomain of a
/// host in `hosts`. Returns `None` if there is no such link, or if `hosts` is empty. In that case,
/// links may lead anywhere.
#[must_use]
pub fn foreign_host(text: &str, hosts: &[String]) -> Option<String> {
    if hosts.is_empty() {
        return None;
    }
    let is_listed = |host: &str| {
        hosts.iter().any(|it| {
            host == it || host.strip_suffix(it.as_str()).is_some_and(|rest| rest.ends_with('.'))
        })
    };
    linked_hosts(text).into_iter().find(|host| !is_listed(host))
}

/// Returns the hosts of the links in a text.
fn linked_hosts(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let mut hosts = Vec::new();
    for word in text.split(|it: char| it.is_whitespace() || "<>\"".contains(it)) {
        // An address with a scheme ends at the next space. Characters before an `@` belong to the
        // address, because a browser reads them as a user name.
        let mut rest = word;
        let mut has_scheme = false;
        while let Some((_, after)) = rest.split_once("://") {
            has_scheme = true;
            hosts.extend(host_of(after, true));
            rest = after;
        }
        if !has_scheme {
            let parts = word.split(|it: char| "()[]{}'*|,;".contains(it));
            hosts.extend(parts.filter_map(|it| host_of(it, false)));
        }
    }
    hosts
}

/// Returns the host at the start of an address, or `None` if the address is not a link. An address
/// without a scheme is a link only if its host begins with `www.` or ends with one of [`LINKED`],
/// or if a path follows.
fn host_of(address: &str, has_scheme: bool) -> Option<String> {
    let end = address.find(['/', '?', '#', '\\']).unwrap_or(address.len());
    let (authority, path) = address.split_at(end);
    // An email address is no link.
    if !has_scheme && authority.contains('@') && path.is_empty() {
        return None;
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.trim_start_matches(|it: char| !it.is_alphanumeric());
    let is_of_host = |it: char| it.is_alphanumeric() || "-._".contains(it);
    let end = host.find(|it| !is_of_host(it)).unwrap_or(host.len());
    let host = host.split_at(end).0;
    let host = host.trim_matches(|it: char| !it.is_alphanumeric());
    let last = host.rsplit('.').next().unwrap_or_default();
    let has_dot = host.contains('.') && !host.contains("..");
    let is_link = has_scheme
        || (has_dot && host.starts_with("www."))
        || (has_dot && LINKED.contains(&last))
        || (has_dot && path.starts_with('/') && last.chars().all(char::is_alphabetic));
    (is_link && !host.is_empty()).then(|| host.to_owned())
}

/// Parses a host that an organization adds to the list of hosts to which links may lead, such as
/// `example.com`.
#[must_use]
pub fn parse_host(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let text =
        text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or(&text);
    let host = text.trim_end_matches('/');
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|it| it.is_alphanumeric() || it == '-')
    };
    let is_host = host.len() <= 253 && host.split('.').all(is_label);
    is_host.then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_listed_hosts() {
        let hosts = ["juniper.example".to_owned(), "maps.example.com".to_owned()];
        for text in [
            "See https://juniper.example/cakes?x=1.",
            "HTTPS://Shop.Juniper.example",
            "We open at 7.30, e.g. on Saturday. Yes.No",
            "Write to ana@elsewhere.com",
            "(maps.example.com)",
            "https://juniper.example,https://maps.example.com",
            "[cakes](https://juniper.example/a_(b))",
            "",
        ] {
            assert_eq!(foreign_host(text, &hosts), None, "{text}");
        }
        for (text, host) in [
            ("Pay at https://evil.example/pay", "evil.example"),
            ("[cakes](https://evil.example)", "evil.example"),
            ("www.evil.example!", "www.evil.example"),
            ("bit.ly/abc", "bit.ly"),
            ("evil.com", "evil.com"),
            ("https://juniper.example@evil.com/", "evil.com"),
            ("https://juniper.example,@evil.com/", "evil.com"),
            ("https://juniper.example;(@evil.com", "evil.com"),
            ("me@evil.com/pay", "evil.com"),
            ("evil.de", "evil.de"),
            ("(see evil.ru)", "evil.ru"),
            ("https://juniper.example.evil.com", "juniper.example.evil.com"),
            ("https://notjuniper.example", "notjuniper.example"),
            ("https://juniper.example/?u=https://evil.com", "evil.com"),
        ] {
            assert_eq!(foreign_host(text, &hosts).as_deref(), Some(host), "{text}");
        }
        assert_eq!(foreign_host("https://evil.example", &[]), None);
    }

    #[test]
    fn hosts_are_parsed() {
        assert_eq!(parse_host(" https://Example.com/ ").as_deref(), Some("example.com"));
        assert_eq!(parse_host("localhost").as_deref(), Some("localhost"));
        for text in ["", "a..b", "exa mple.com", "example.com/path", "*.example.com"] {
            assert_eq!(parse_host(text), None, "{text}");
        }
    }
}

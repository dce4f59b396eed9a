//! The filters of the list of keys, as the URL contains them.

use crate::dashboard::KEYS;
use crate::dashboard::query::Query;
use domain::id::KeyId;
use domain::key::{KeyFilter, KeyKind, KeyState};
use domain::keyword::Keyword as _;

/// Number of characters of a search text that are used. The rest is ignored.
const MAX_SEARCHED: usize = 200;
/// Values in the URL and names of the filters.
pub const STATES: [(&str, &str); 3] = [("", "Any"), ("active", "Active"), ("inactive", "Disabled")];
pub const KINDS: [(&str, &str); 3] =
    [("", "Any"), ("manual", "Created here"), ("connection", "Connected app")];

/// Returns the options of a filter: values in the URL and names.
pub fn options(all: [(&str, &str); 3]) -> Vec<(String, String)> {
    all.into_iter().map(|(value, name)| (value.to_owned(), name.to_owned())).collect()
}

/// The filters as the URL contains them. An unknown value counts as no filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyListFilters {
    pub keys: KeyFilter,
    /// The key after which the page begins.
    pub after: Option<KeyId>,
}

impl KeyListFilters {
    pub fn of(query: &Query) -> Self {
        let value = |name| query.value(name).unwrap_or_default();
        let keys = KeyFilter {
            search: value("q").trim().chars().take(MAX_SEARCHED).collect(),
            state: KeyState::from_keyword(value("status")),
            kind: KeyKind::from_keyword(value("kind")),
        };
        Self { keys, after: value("after").parse().ok() }
    }

    /// Returns the value of the filter of states, as in the URL.
    pub fn state(&self) -> &'static str {
        self.keys.state.map_or("", KeyState::as_str)
    }

    /// Returns the value of the filter of kinds, as in the URL.
    pub fn kind(&self) -> &'static str {
        self.keys.kind.map_or("", KeyKind::as_str)
    }

    /// Returns the URL of the page of keys after this one.
    pub fn url_after(&self, after: Option<KeyId>) -> String {
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let pairs = [
            ("q", self.keys.search.as_str()),
            ("status", self.state()),
            ("kind", self.kind()),
            ("after", &after),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(pairs.iter().filter(|(_, value)| !value.is_empty()));
        let query = query.finish();
        if query.is_empty() { KEYS.to_owned() } else { format!("{KEYS}?{query}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_stand_in_the_url_and_unknown_values_are_dropped() {
        let url = |text| KeyListFilters::of(&Query::parse(text)).url_after(None);
        assert_eq!(
            url("q=+Till+%26+co&status=inactive&kind=manual&x=y"),
            "/integrations/keys?q=Till+%26+co&status=inactive&kind=manual"
        );
        assert_eq!(url("status=burnt&kind=&after=nonsense"), "/integrations/keys");
    }
}

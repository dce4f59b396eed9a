//! The query of a page's URL.

use actix_web::HttpRequest;

/// Names and values of a query. Empty if the query cannot be parsed.
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn of(request: &HttpRequest) -> Self {
        Self::parse(request.query_string())
    }

    pub fn parse(text: &str) -> Self {
        let query = serde_urlencoded::from_str(text);
        #[expect(
            clippy::disallowed_methods,
            reason = "a query that cannot be parsed counts as empty"
        )]
        Self(query.unwrap_or_default())
    }

    /// Returns the first parameter with one of these names.
    pub fn first<const N: usize>(&self, names: [&str; N]) -> Option<(&str, &str)> {
        let mut fields = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        fields.find(|(name, _)| names.contains(name))
    }

    /// Returns the first value with this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

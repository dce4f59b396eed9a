//! What stands in the query of a page's address.

use actix_web::HttpRequest;

/// The names and values of a query; one that cannot be read says nothing.
pub struct Query(Vec<(String, String)>);

impl Query {
    /// That of a request.
    pub fn of(request: &HttpRequest) -> Self {
        let query = serde_urlencoded::from_str(request.query_string());
        #[expect(clippy::disallowed_methods, reason = "a query that cannot be read says nothing")]
        Self(query.unwrap_or_default())
    }

    /// The value of that name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

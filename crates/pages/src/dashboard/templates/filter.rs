//! The filters of the list of templates, as the URL contains them.

use super::TEMPLATES;
use crate::dashboard::query::Query;
use api_types::pagination::MAX_OFFSET;
use domain::keyword::Keyword as _;
use domain::template::{Category, TemplateStatus};
use persistence::records::TemplateFilter;

/// The filters as the URL contains them. An unknown value counts as no filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateListFilters {
    pub status: String,
    pub category: String,
    pub language: String,
    /// A part of a name or of a text.
    pub search: String,
    /// The number of templates on the earlier pages.
    pub offset: i64,
}

impl TemplateListFilters {
    pub fn of(query: &Query) -> Self {
        let value = |name| query.value(name).unwrap_or_default();
        let status = TemplateStatus::from_keyword(value("status")).map(TemplateStatus::as_str);
        let category = Category::from_keyword(value("category")).map(Category::as_str);
        let is_code = |it: &&str| it.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        let language = Some(value("language")).filter(is_code);
        let offset = value("offset").parse::<i64>().ok();
        Self {
            status: status.unwrap_or_default().to_owned(),
            category: category.unwrap_or_default().to_owned(),
            language: language.unwrap_or_default().to_owned(),
            // PostgreSQL cannot compare a text with a NUL character.
            search: value("q").replace('\0', "").trim().to_owned(),
            offset: offset.filter(|it| (0..=MAX_OFFSET).contains(it)).unwrap_or_default(),
        }
    }

    /// Whether any filter except the tab is set.
    pub fn is_narrowed(&self) -> bool {
        [&self.category, &self.language, &self.search].iter().any(|it| !it.is_empty())
    }

    /// Returns the filter for the database query, without the search text.
    pub fn to_filter(&self) -> TemplateFilter {
        TemplateFilter {
            status: TemplateStatus::from_keyword(&self.status),
            category: Category::from_keyword(&self.category),
            language: Some(self.language.clone()).filter(|it| !it.is_empty()),
            name: None,
        }
    }

    /// Returns the URL of the list of one status, or of all. The other filters stay.
    pub fn url_of_status(&self, status: Option<TemplateStatus>) -> String {
        let status = status.map(TemplateStatus::as_str).unwrap_or_default().to_owned();
        Self { status, offset: 0, ..self.clone() }.url()
    }

    /// Returns the URL of the page after this many templates.
    pub fn url_at(&self, offset: i64) -> String {
        Self { offset, ..self.clone() }.url()
    }

    fn url(&self) -> String {
        let offset = if self.offset > 0 { self.offset.to_string() } else { String::new() };
        let pairs = [
            ("status", &self.status),
            ("q", &self.search),
            ("category", &self.category),
            ("language", &self.language),
            ("offset", &offset),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(pairs.iter().filter(|(_, value)| !value.is_empty()));
        let query = query.finish();
        if query.is_empty() { TEMPLATES.to_owned() } else { format!("{TEMPLATES}?{query}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(text: &str) -> TemplateListFilters {
        TemplateListFilters::of(&Query::parse(text))
    }

    #[test]
    fn filters_stand_in_the_url_and_unknown_values_are_dropped() {
        let all = filters("status=approved&category=utility&language=en_US&q=+a%26b&offset=50&x=y");
        assert_eq!(
            all.url_at(25),
            "/templates?status=approved&q=a%26b&category=utility&language=en_US&offset=25"
        );
        assert_eq!(
            all.url_of_status(Some(TemplateStatus::Rejected)),
            "/templates?status=rejected&q=a%26b&category=utility&language=en_US"
        );
        let none = filters("status=x&category=y&language=%00&q=%00&offset=-1");
        assert_eq!(none.url_of_status(None), "/templates");
        assert!(!none.is_narrowed());
        assert!(all.is_narrowed() && !filters("status=paused").is_narrowed());
    }
}

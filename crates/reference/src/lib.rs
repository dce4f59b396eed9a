//! The reference (`docs/contract.md#reference-documents`). It is generated from the endpoint
//! declarations of the running program, so every endpoint is in it.

mod chapters;
mod events;
mod fields;
mod markdown;
pub mod openapi;
mod page;
mod postman;
mod samples;
mod serve;
mod view;

pub use serve::{RenderCache, mount};

use api::registry::Registry;
use chapters::Chapter;
use serde_json::Value;

pub struct Reference {
    registry: Registry,
    base_url: String,
    upgrade_url: String,
}

impl Reference {
    /// Creates the reference of the service at `base_url`. Organizations change their plan at
    /// `upgrade_url`.
    #[must_use]
    pub fn new(base_url: &str, upgrade_url: &str) -> Self {
        let (base_url, upgrade_url) = (base_url.to_owned(), upgrade_url.to_owned());
        Self { registry: api::registry(), base_url, upgrade_url }
    }

    #[must_use]
    pub fn openapi(&self) -> Value {
        openapi::json(&self.registry, &self.base_url, &self.upgrade_url)
    }

    /// Returns the Postman collection.
    #[must_use]
    pub fn postman(&self) -> Value {
        postman::collection(&self.openapi(), &self.base_url)
    }

    pub fn markdown(&self) -> Result<String, askama::Error> {
        markdown::render(&self.registry, &self.base_url)
    }

    pub fn page(&self) -> Result<String, askama::Error> {
        page::render(&self.markdown()?, &self.base_url)
    }

    /// Returns the chapters of the reference and the changelog.
    pub fn chapters(&self) -> Result<Vec<Chapter>, askama::Error> {
        Ok(chapters::chapters(&self.markdown()?, &self.base_url))
    }

    /// Returns a chapter as a page.
    pub fn chapter_page(&self, chapter: &Chapter) -> Result<String, askama::Error> {
        page::render(&chapter.markdown, &self.base_url)
    }

    /// Returns the links to all forms of the reference, for language models
    /// (<https://llmstxt.org>).
    pub fn pointer(&self) -> Result<String, askama::Error> {
        let Self { base_url, .. } = self;
        let link = |it: Chapter| format!("- [{}]({base_url}/docs/{}.md)\n", it.title, it.slug);
        let chapters: String = self.chapters()?.into_iter().map(link).collect();
        Ok(format!(
            "# Switchboard\n\n> {}\n\n## Reference\n\n\
             - [The REST API, Connect and webhooks]({base_url}/docs.md): everything, in Markdown\n\
             - [OpenAPI 3.1]({base_url}/openapi.json): the same for machines\n\
             - [Postman collection]({base_url}/postman.json): the same to try out\n\
             - [The page for people]({base_url}/docs)\n\n\
             ## Chapters\n\n{chapters}",
            openapi::SUMMARY
        ))
    }
}

//! The reference (`docs/contract.md#reference-documents`): made of the endpoint declarations of the running program, so that an
//! endpoint which is not in it cannot exist.

mod events;
mod fields;
mod markdown;
pub mod openapi;
mod page;
mod samples;
mod serve;
mod view;

pub use serve::{RenderCache, mount};

use api::registry::Registry;
use serde_json::Value;

/// The reference of a service.
pub struct Reference {
    registry: Registry,
    base_url: String,
    upgrade_url: String,
}

impl Reference {
    /// The reference of the service at `base_url`, whose plans are changed at `upgrade_url`.
    #[must_use]
    pub fn of(base_url: &str, upgrade_url: &str) -> Self {
        let (base_url, upgrade_url) = (base_url.to_owned(), upgrade_url.to_owned());
        Self { registry: api::registry(), base_url, upgrade_url }
    }

    /// The `OpenAPI` document.
    #[must_use]
    pub fn openapi(&self) -> Value {
        openapi::json(&self.registry, &self.base_url, &self.upgrade_url)
    }

    /// The whole of it in Markdown.
    pub fn markdown(&self) -> Result<String, askama::Error> {
        markdown::of(&self.registry, &self.base_url)
    }

    /// The same as a page.
    pub fn page(&self) -> Result<String, askama::Error> {
        page::of(&self.markdown()?, &self.base_url)
    }

    /// Where its forms are, for programs that read (<https://llmstxt.org>).
    #[must_use]
    pub fn pointer(&self) -> String {
        let Self { base_url, .. } = self;
        format!(
            "# Switchboard\n\n> {}\n\n## Reference\n\n\
             - [The REST API, Connect and webhooks]({base_url}/docs.md): everything, in Markdown\n\
             - [OpenAPI 3.1]({base_url}/openapi.json): the same for machines\n\
             - [The page for people]({base_url}/docs)\n",
            openapi::SUMMARY
        )
    }
}

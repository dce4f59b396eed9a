//! Creating, reading, changing and deleting templates (`docs/contract.md#manage-templates`).

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;

use http_layer::problem::Problem;
use service::templates::change::TemplateChangeError;

/// Returns the answer to a change that was not made.
fn change_problem(error: TemplateChangeError) -> Problem {
    match error {
        TemplateChangeError::NotFound => Problem::not_found("template"),
        TemplateChangeError::Locked { name, status } => Problem::template_locked(&name, status),
        TemplateChangeError::Refused { name, status, why } => {
            Problem::template_refused(&name, status, why)
        }
        TemplateChangeError::NotSupported(what, channel) => {
            Problem::not_supported_by_channel(channel, what.feature, what.supported)
        }
        TemplateChangeError::Away(_) => Problem::unavailable(),
        TemplateChangeError::Database(error) => error.into(),
    }
}

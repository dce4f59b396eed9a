//! The number of days for which an organization keeps the contents of messages
//! (`docs/contract.md#contacts`).

use domain::id::OrganizationId;
use persistence::Result;
use platform::Deps;

/// Maximum number of days that can be set, which is about a hundred years.
pub const MAX_RETENTION_DAYS: u32 = 36_500;

/// The numbers of days that texts and received files are kept. `None` means for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    pub text_days: Option<u32>,
    pub file_days: Option<u32>,
}

/// Returns how long the organization keeps the contents of messages.
pub async fn find(deps: &Deps, organization: OrganizationId) -> Result<Retention> {
    let rule = deps.db.organization(organization).find_retention_rule().await?;
    let retention = rule.map(|it| Retention { text_days: it.text_days, file_days: it.file_days });
    Ok(retention.unwrap_or_default())
}

/// Sets how long the organization keeps the contents of messages.
pub async fn set(deps: &Deps, organization: OrganizationId, retention: Retention) -> Result<()> {
    let Retention { text_days, file_days } = retention;
    deps.db.organization(organization).set_retention_rule(text_days, file_days).await
}

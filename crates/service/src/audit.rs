//! What members did to an object, as its page shows it (`docs/contract.md#roles`).

use domain::role::MemberAction;
use domain::time::Timestamp;
use persistence::{Reader, Result};
use platform::Deps;
use std::fmt::Display;

/// An action of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionByMember {
    /// The name of the member, or the email address without a name. `None` if the person is no
    /// longer a member of the organization.
    pub member: Option<String>,
    pub at: Timestamp,
}

/// Returns who disabled an object, if that is the last change of its state by a member. `disabled`
/// and `enabled` are the actions that change the state.
pub async fn find_disabling(
    deps: &Deps,
    reader: Reader,
    object: impl Display,
    disabled: MemberAction,
    enabled: MemberAction,
) -> Result<Option<ActionByMember>> {
    let organization_db = deps.db.reads(reader);
    let entry = organization_db.last_action_on(object.to_string(), vec![disabled, enabled]).await?;
    let Some(entry) = entry.filter(|it| it.action == disabled) else { return Ok(None) };
    let found = organization_db.member_of_organization(entry.member_id).await?;
    let named = |member: persistence::records::Member| {
        if member.name.is_empty() { member.email } else { member.name }
    };
    Ok(Some(ActionByMember { member: found.map(|it| named(it.member)), at: entry.at }))
}

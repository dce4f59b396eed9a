//! The actions of members on an object, as the object's page shows them (`docs/contract.md#roles`).

use domain::id::{MemberId, MessageId};
use domain::role::MemberAction;
use domain::time::Timestamp;
use persistence::records::Member;
use persistence::{Reader, Result};
use platform::Deps;
use std::collections::BTreeMap;
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
    let member = found.map(|it| it.member.display_name().to_owned());
    Ok(Some(ActionByMember { member, at: entry.at }))
}

/// Maximum number of messages whose senders are looked up.
const MAX_SENDERS: i64 = 200;

/// The member who sent a message from the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSender {
    pub id: MemberId,
    /// The name of the member, or the email address without a name.
    pub name: String,
}

/// Returns the members who sent these messages from the inbox. Members who were removed from the
/// organization are still named, as in their notes.
pub async fn senders(
    deps: &Deps,
    reader: Reader,
    messages: &[MessageId],
) -> Result<BTreeMap<MessageId, MessageSender>> {
    if messages.is_empty() {
        return Ok(BTreeMap::new());
    }
    let objects = messages.iter().map(ToString::to_string).collect();
    let organization_db = deps.db.reads(reader);
    let actions = vec![MemberAction::MessageSent, MemberAction::MessageResent];
    let sent = organization_db.list_actors_on(objects, actions, MAX_SENDERS).await?;
    let sender = |(object, member): (String, Member)| {
        let name = member.display_name().to_owned();
        Some((object.parse().ok()?, MessageSender { id: member.id, name }))
    };
    Ok(sent.into_iter().filter_map(sender).collect())
}

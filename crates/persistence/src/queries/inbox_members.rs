//! The members' states of conversations (read marks, drafts, and when a member last looked or
//! typed), and the members' settings of the inbox.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{InboxMemberChange, InboxMemberSettings, InboxMemberState};
use crate::schema::{inbox_member_settings, inbox_member_states};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::id::{ConversationId, MemberId, OrganizationId};
use domain::inbox::ReadMark;

/// Returns the members' states of a conversation.
pub async fn list_member_states(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: i64,
) -> Result<Vec<InboxMemberState>> {
    let states = inbox_member_states::table
        .filter(inbox_member_states::organization_id.eq(Col(organization)))
        .filter(inbox_member_states::conversation_id.eq(Col(conversation)))
        .limit(limit)
        .select(InboxMemberState::as_select());
    Ok(states.load(conn).await?)
}

/// Returns a member's settings of the inbox, if the member has changed them.
pub async fn find_inbox_member_settings(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
) -> Result<Option<InboxMemberSettings>> {
    let row = inbox_member_settings::table.find((Col(organization), Col(member)));
    let row = row.select(InboxMemberSettings::as_select());
    Ok(row.get_result(conn).await.optional()?)
}

/// Stores a member's settings of the inbox.
pub async fn set_inbox_member_settings(
    conn: &mut Conn,
    organization: OrganizationId,
    settings: InboxMemberSettings,
) -> Result<()> {
    let settings = InboxMemberSettings { organization_id: organization, ..settings };
    diesel::insert_into(inbox_member_settings::table)
        .values(&settings)
        .on_conflict((inbox_member_settings::organization_id, inbox_member_settings::member_id))
        .do_update()
        .set(
            inbox_member_settings::reads_when_opened
                .eq(excluded(inbox_member_settings::reads_when_opened)),
        )
        .execute(conn)
        .await?;
    Ok(())
}

/// Changes a member's state of a conversation.
pub async fn update_member_state(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    member: MemberId,
    change: InboxMemberChange,
) -> Result<()> {
    conn.transaction(async |conn| {
        let key = (Col(organization), Col(conversation), Col(member));
        let row = inbox_member_states::table.find(key).select(InboxMemberState::as_select());
        let found: Option<InboxMemberState> = for_update!(row).get_result(conn).await.optional()?;
        let mut state = found.unwrap_or(InboxMemberState {
            organization_id: organization,
            conversation_id: conversation,
            member_id: member,
            read_count: 0,
            marked_unread: false,
            draft: None,
            viewed_at: None,
            typed_at: None,
        });
        let InboxMemberChange { mark, marks_unread, draft, viewed_at, typed_at } = change;
        if let Some(ReadMark { read_count, marked_unread }) = mark {
            (state.read_count, state.marked_unread) = (read_count, marked_unread);
        }
        state.marked_unread |= marks_unread;
        state.draft = draft.unwrap_or(state.draft);
        state.viewed_at = viewed_at.or(state.viewed_at);
        state.typed_at = typed_at.or(state.typed_at);
        diesel::insert_into(inbox_member_states::table)
            .values(&state)
            .on_conflict((
                inbox_member_states::organization_id,
                inbox_member_states::conversation_id,
                inbox_member_states::member_id,
            ))
            .do_update()
            .set((
                inbox_member_states::read_count.eq(excluded(inbox_member_states::read_count)),
                inbox_member_states::marked_unread.eq(excluded(inbox_member_states::marked_unread)),
                inbox_member_states::draft.eq(excluded(inbox_member_states::draft)),
                inbox_member_states::viewed_at.eq(excluded(inbox_member_states::viewed_at)),
                inbox_member_states::typed_at.eq(excluded(inbox_member_states::typed_at)),
            ))
            .execute(conn)
            .await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Moves the drafts of a merged conversation to the one that stays. If a member has a draft in
/// both, the draft in the conversation that stays is kept.
pub(super) async fn move_drafts(
    conn: &mut Conn,
    organization: OrganizationId,
    gone: ConversationId,
    kept: ConversationId,
) -> Result<()> {
    let of_gone = || {
        inbox_member_states::table
            .filter(inbox_member_states::organization_id.eq(Col(organization)))
            .filter(inbox_member_states::conversation_id.eq(Col(gone)))
    };
    let states: Vec<InboxMemberState> =
        of_gone().select(InboxMemberState::as_select()).load(conn).await?;
    diesel::delete(of_gone()).execute(conn).await?;
    for InboxMemberState { member_id, draft, .. } in states {
        let Some(draft) = draft else { continue };
        let moved = InboxMemberState {
            organization_id: organization,
            conversation_id: kept,
            member_id,
            read_count: 0,
            marked_unread: false,
            draft: Some(draft.clone()),
            viewed_at: None,
            typed_at: None,
        };
        let key = (Col(organization), Col(kept), Col(member_id));
        let without_draft =
            inbox_member_states::table.find(key).filter(inbox_member_states::draft.is_null());
        let is_moved = diesel::update(without_draft)
            .set(inbox_member_states::draft.eq(Some(draft)))
            .execute(conn)
            .await?;
        if is_moved == 0 {
            diesel::insert_into(inbox_member_states::table)
                .values(&moved)
                .on_conflict_do_nothing()
                .execute(conn)
                .await?;
        }
    }
    Ok(())
}

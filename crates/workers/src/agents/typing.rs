//! Shows the contact that an agent is writing an answer.

use domain::agent::AgentMode;
use persistence::records::Turn;
use platform::Deps;
use service::receipts::mark_read;
use service::turns::AskedTurn;
use std::time::Duration;

/// The wait before the indicator is first shown. A faster answer needs no indicator.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// The interval at which the indicator is shown again. The channel shows it for 25 seconds.
const SHOWN_EVERY: Duration = Duration::from_secs(20);

/// Shows a typing indicator, and never returns. The caller drops this future when the answer has
/// come. The indicator also marks the contact's message as read, because the channel has one
/// request for both. If the agent only writes drafts, no indicator is shown, because it is not
/// known when a member sends the draft.
pub async fn show(deps: &Deps, asked: &AskedTurn) {
    if asked.agent.mode == AgentMode::Auto {
        show_to_contact(deps, &asked.turn).await;
    }
    std::future::pending::<()>().await;
}

/// Shows the typing indicator again and again. Returns when the indicator cannot be shown.
async fn show_to_contact(deps: &Deps, turn: &Turn) {
    let mut wait = SHOWN_AFTER;
    loop {
        tokio::time::sleep(wait).await;
        wait = SHOWN_EVERY;
        let message = turn.after_message_id;
        if let Err(error) = mark_read(deps, turn.organization_id, None, message, true).await {
            tracing::debug!(%error, turn = %turn.id, "the contact does not see that an agent is writing");
            return;
        }
    }
}

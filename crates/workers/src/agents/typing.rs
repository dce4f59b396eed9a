//! Shows the contact that an answer is being written.

use domain::agent::AgentMode;
use persistence::records::Turn;
use platform::Deps;
use service::receipts::mark_read;
use service::turns::AskedTurn;
use std::time::Duration;

/// An answer that comes sooner needs no indicator.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// The channel shows the indicator for 25 seconds.
const SHOWN_EVERY: Duration = Duration::from_secs(20);

/// Shows a typing indicator, and never returns. The caller stops it with the answer. It also marks the
/// contact's message as read, because the channel has one request for both. A draft is not announced:
/// nobody knows when a member sends it.
pub async fn show(deps: &Deps, asked: &AskedTurn) {
    if asked.agent.mode == AgentMode::Auto {
        show_to_contact(deps, &asked.turn).await;
    }
    std::future::pending::<()>().await;
}

/// Returns when the channel no longer shows the indicator.
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

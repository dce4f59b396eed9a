//! Counters of work done. Their labels come from fixed lists (decision 40).

use domain::agent::TurnState;
use domain::callback::{CallbackKind, CallbackOutcome};
use domain::keyword::Keyword as _;
use domain::message::Failure;
use domain::webhook::AttemptResult;

/// Sets each counter to zero. Otherwise a counter that was never increased would be missing in the
/// metrics.
pub fn begin_at_zero() {
    for why in Failure::ALL {
        failed(*why, 0);
    }
    for is_answered in [true, false] {
        channel_calls(is_answered, 0);
    }
    for answer in
        [AttemptResult::Taken, AttemptResult::Gone, AttemptResult::Refused, AttemptResult::NotSent]
    {
        webhook_attempts(answer, 0);
    }
    for state in TurnState::ALL.iter().filter(|state| state.is_final()) {
        metrics::counter!("switchboard_agent_turns_total", "state" => state.as_str()).increment(0);
    }
    for kind in CallbackKind::ALL {
        for outcome in CallbackOutcome::ALL {
            callback_parts(*kind, *outcome, 0);
        }
    }
}

/// Counts messages that failed for good.
pub fn failed(why: Failure, count: u64) {
    metrics::counter!("switchboard_messages_failed_total", "reason" => why.as_str())
        .increment(count);
}

/// Counts calls to the channel.
pub fn channel_calls(is_answered: bool, count: u64) {
    let outcome = if is_answered { "answered" } else { "unanswered" };
    metrics::counter!("switchboard_channel_calls_total", "outcome" => outcome).increment(count);
}

/// Counts attempts to deliver an event.
pub fn webhook_attempts(answer: AttemptResult, count: u64) {
    let answer = match answer {
        AttemptResult::Taken => "taken",
        AttemptResult::Gone => "gone",
        AttemptResult::Refused => "refused",
        AttemptResult::NotSent => "not_sent",
    };
    metrics::counter!("switchboard_webhook_attempts_total", "answer" => answer).increment(count);
}

/// Counts parts of callbacks that left the queue.
pub fn callback_parts(kind: CallbackKind, outcome: CallbackOutcome, count: u64) {
    let labels = [("kind", kind.as_str()), ("outcome", outcome.as_str())];
    metrics::counter!("switchboard_callback_parts_total", &labels).increment(count);
}

/// Counts turns of AI agents that ended.
pub fn agent_turns(state: TurnState) {
    metrics::counter!("switchboard_agent_turns_total", "state" => state.as_str()).increment(1);
}

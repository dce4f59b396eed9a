//! Why an agent did not answer, in words for the people of a business. The page of the turn has the
//! exact reason.

use domain::agent::TurnState;
use persistence::records::Turn;

/// Returns why a turn failed, as the end of a sentence, or `None` if it did not fail.
#[must_use]
pub fn why_failed(turn: &Turn) -> Option<&'static str> {
    let reason = turn.reason.as_deref().unwrap_or_default();
    (turn.state == TurnState::Failed).then(|| in_words(reason))
}

/// Describes the reason of a failure. A reason that is not known is an error of the connection.
fn in_words(reason: &str) -> &'static str {
    let begins = |words: &[&str]| words.iter().any(|it| reason.starts_with(it));
    if begins(&["no answer within", "the webhook accepted the turn"]) {
        "its server took too long"
    } else if begins(&["HTTP 401", "HTTP 403"]) {
        "its server rejected the key"
    } else if begins(&["HTTP 429"]) {
        "its server had too many requests"
    } else if begins(&["HTTP"]) {
        "its server reported an error"
    } else if begins(&["the answer", "a message of the answer", "the model used tools"]) {
        "its answer could not be used"
    } else if begins(&["the server stopped"]) {
        "Switchboard was restarted meanwhile"
    } else if reason.ends_with("cannot be read") {
        "its secret cannot be read"
    } else {
        "its server was not reachable"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_said_in_words() {
        for (reason, words) in [
            ("no answer within 60 seconds", "its server took too long"),
            (
                "the webhook accepted the turn and did not answer within two minutes",
                "its server took too long",
            ),
            ("HTTP 401: bad key", "its server rejected the key"),
            ("HTTP 429", "its server had too many requests"),
            ("HTTP 502: <html>", "its server reported an error"),
            ("the answer is not JSON: x", "its answer could not be used"),
            ("the model used tools 5 times and did not answer", "its answer could not be used"),
            (
                "nothing listens on that host and port (connection refused)",
                "its server was not reachable",
            ),
            ("", "its server was not reachable"),
        ] {
            assert_eq!(in_words(reason), words, "{reason}");
        }
    }
}

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
    } else if begins(&["the server answered 401", "the server answered 403"]) {
        "its server rejected the key"
    } else if begins(&["the server answered 429"]) {
        "its server had too many requests"
    } else if begins(&["the server answered"]) {
        "its server reported an error"
    } else if begins(&["the answer", "a message of the answer", "the model used tools"]) {
        "its answer could not be used"
    } else if begins(&["the organization's plan", "the month's allowance"]) {
        "the plan admits no more messages"
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
    use crate::asking::HttpAnswer;

    /// Returns the reason of a turn whose server answers with this status.
    fn answered(status: u16, body: &str) -> String {
        HttpAnswer {
            status: status.try_into().expect("a status"),
            body: body.as_bytes().to_vec(),
            is_cut: false,
            retry_after: None,
        }
        .describe()
    }

    #[test]
    fn a_failure_is_said_in_words() {
        for (reason, words) in [
            ("no answer within 60 seconds".to_owned(), "its server took too long"),
            (
                "the webhook accepted the turn and did not answer within two minutes".to_owned(),
                "its server took too long",
            ),
            (answered(401, "bad key"), "its server rejected the key"),
            (answered(429, ""), "its server had too many requests"),
            (answered(502, "<html>"), "its server reported an error"),
            ("the answer is not JSON: x".to_owned(), "its answer could not be used"),
            (
                "the model used tools 5 times and did not answer".to_owned(),
                "its answer could not be used",
            ),
            (
                "the month's allowance of messages is used up".to_owned(),
                "the plan admits no more messages",
            ),
            (
                "nothing listens on that host and port (connection refused)".to_owned(),
                "its server was not reachable",
            ),
            (String::new(), "its server was not reachable"),
        ] {
            assert_eq!(in_words(&reason), words, "{reason}");
        }
    }
}

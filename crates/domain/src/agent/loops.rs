//! Detects conversations in which an AI agent and another program answer each other in a loop.

use crate::conversation::MessageSource;
use crate::time::Timestamp;
use std::time::Duration;

/// The number of times in a row that the contact writes the same text before the conversation
/// counts as a loop.
const REPETITIONS: usize = 3;
/// The number of quick messages of the contact that count as a loop, if they follow each other. A
/// message is quick if it follows the agent's answer within two seconds ([`PROMPT`]). A person
/// needs longer to read and type.
const PROMPT_MESSAGES: usize = 5;
const PROMPT: Duration = Duration::from_secs(2);
/// The number of messages of the contact that count as a loop, if each follows the agent's answer
/// within [`SOON`] and these waits differ by less than [`STEADY`]. The waits of a person vary more.
/// Two programs that answer each other at this pace have then written 19 messages.
const STEADY_MESSAGES: usize = 9;
const SOON: Duration = Duration::from_mins(1);
const STEADY: Duration = Duration::from_secs(2);
/// The number of messages of the contact that count as a loop, if each follows the agent's answer
/// and has at least this many characters for each second since that answer. A person types at most
/// about 10 characters a second, and pastes a long text once, but not five times in a row.
const TYPED_MESSAGES: usize = 5;
const TYPED_CHARACTERS: u128 = 20;

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadMessage {
    pub source: MessageSource,
    /// The text. `None` if the message is not the contact's, or has no text that could be read.
    pub text: Option<String>,
    pub at: Timestamp,
}

/// A message of the contact. If the message directly before it is the agent's, the time of that
/// message is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedText {
    pub text: Option<String>,
    pub at: Timestamp,
    /// The time of the message directly before this one, if that message is the agent's.
    pub after_answer_at: Option<Timestamp>,
}

/// Returns the contact's messages of a conversation, the oldest first.
#[must_use]
pub fn received(messages: impl IntoIterator<Item = ThreadMessage>) -> Vec<ReceivedText> {
    let mut answer_at = None;
    let mut received = Vec::new();
    for ThreadMessage { source, text, at } in messages {
        if source == MessageSource::Customer {
            received.push(ReceivedText { text, at, after_answer_at: answer_at });
        }
        answer_at = (source == MessageSource::Agent).then_some(at);
    }
    received
}

/// Whether the contact seems to be a program. `received` are the contact's last messages, the
/// oldest first. The contact seems to be a program if one of these is true:
///
/// - Its last three messages have the same text.
/// - Each of its last five messages followed an answer of the agent within two seconds.
/// - Each of its last five messages followed an answer, and was longer than a person could have
///   typed in that time.
/// - Each of its last nine messages followed an answer within a minute, always after about the same
///   wait.
#[must_use]
pub fn is_loop(received: &[ReceivedText]) -> bool {
    repeats(received)
        || answers_promptly(received)
        || types_too_fast(received)
        || waits_steadily(received)
}

fn repeats(received: &[ReceivedText]) -> bool {
    let mut last = received.iter().rev().take(REPETITIONS).map(|it| it.text.as_deref());
    let Some(Some(text)) = last.next() else { return false };
    received.len() >= REPETITIONS && last.all(|it| it == Some(text))
}

fn answers_promptly(received: &[ReceivedText]) -> bool {
    let is_prompt =
        |it: &ReceivedText| it.after_answer_at.is_some_and(|answer| it.at.since(answer) < PROMPT);
    received.len() >= PROMPT_MESSAGES && received.iter().rev().take(PROMPT_MESSAGES).all(is_prompt)
}

/// Returns how long after the agent's answers the contact wrote its last `count` messages, the
/// newest first. Returns `None` if one of them did not follow an answer.
fn waits(received: &[ReceivedText], count: usize) -> Option<Vec<Duration>> {
    let last = received.iter().rev().take(count);
    let waits: Option<Vec<_>> = last.map(|it| Some(it.at.since(it.after_answer_at?))).collect();
    waits.filter(|it| it.len() == count)
}

fn types_too_fast(received: &[ReceivedText]) -> bool {
    let is_fast = |it: &ReceivedText| {
        let written = it.text.as_deref().map_or(0, |text| text.chars().count());
        let Some(answer) = it.after_answer_at else { return false };
        let waited = it.at.since(answer).as_millis();
        written > 0
            && u128::try_from(written).is_ok_and(|it| it * 1000 >= TYPED_CHARACTERS * waited)
    };
    received.len() >= TYPED_MESSAGES && received.iter().rev().take(TYPED_MESSAGES).all(is_fast)
}

fn waits_steadily(received: &[ReceivedText]) -> bool {
    let Some(waits) = waits(received, STEADY_MESSAGES) else { return false };
    let (Some(shortest), Some(longest)) = (waits.iter().min(), waits.iter().max()) else {
        return false;
    };
    *longest < SOON && longest.saturating_sub(*shortest) < STEADY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(text: &str, at: i64, answer: Option<i64>) -> ReceivedText {
        let time = |seconds| Timestamp::from_seconds(1_800_000_000 + seconds);
        ReceivedText {
            text: Some(text.to_owned()),
            at: time(at),
            after_answer_at: answer.map(time),
        }
    }

    #[test]
    fn the_same_text_three_times_is_a_loop() {
        let texts = |texts: &[&str]| -> Vec<_> {
            texts.iter().map(|text| received(text, 0, None)).collect()
        };
        assert!(is_loop(&texts(&["Hi", "Ok", "Ok", "Ok"])));
        assert!(!is_loop(&texts(&["Ok", "Ok"])));
        assert!(!is_loop(&texts(&["Ok", "No", "Ok", "Ok"])));
        let nothing = ReceivedText { text: None, ..received("", 0, None) };
        assert!(!is_loop(&[nothing.clone(), nothing.clone(), nothing]));
    }

    #[test]
    fn a_message_is_after_an_answer_if_the_agent_wrote_the_one_before_it() {
        let time = |seconds: i64| Timestamp::from_seconds(1_800_000_000 + seconds);
        let message = |source, seconds| ThreadMessage { source, text: None, at: time(seconds) };
        let (contact, agent) = (MessageSource::Customer, MessageSource::Agent);
        let received = super::received([
            message(contact, 0),
            message(agent, 1),
            message(contact, 2),
            message(contact, 3),
            message(MessageSource::Inbox, 4),
            message(contact, 5),
        ]);
        let after: Vec<_> = received.iter().map(|it| it.after_answer_at).collect();
        assert_eq!(after, [None, Some(time(1)), None, None]);
    }

    #[test]
    fn nine_messages_after_the_same_wait_are_a_loop() {
        let messages = |waits: &[i64]| -> Vec<_> {
            let numbered = waits.iter().zip(0i64..);
            numbered
                .map(|(wait, it)| received(&it.to_string(), 600 * it + wait, Some(600 * it)))
                .collect()
        };
        let steady = messages(&[7, 6, 7, 7, 6, 7, 7, 6, 7]);
        assert!(is_loop(&steady));
        assert!(!is_loop(&steady[1..]));
        assert!(!is_loop(&messages(&[7, 6, 7, 9, 6, 7, 7, 6, 7])));
        assert!(!is_loop(&messages(&[70; 9])));
        let mut interrupted = steady;
        interrupted[4].after_answer_at = None;
        assert!(!is_loop(&interrupted));
    }

    #[test]
    fn five_long_messages_in_a_short_time_are_a_loop() {
        let messages = |length: usize, wait: i64| -> Vec<_> {
            let text = |it: i64| format!("{it}{}", "x".repeat(length - 1));
            // The waits differ, so that only the length counts.
            (0..5).map(|it| received(&text(it), 600 * it + wait + it, Some(600 * it))).collect()
        };
        // 200 characters after 3 to 7 seconds.
        let fast = messages(200, 3);
        assert!(is_loop(&fast));
        assert!(!is_loop(&messages(60, 3)));
        assert!(!is_loop(&messages(200, 12)));
        assert!(!is_loop(&fast[1..]));
        // One long text among short ones was pasted by a person.
        let mut pasted = messages(20, 8);
        pasted[2].text = Some("x".repeat(3_000));
        assert!(!is_loop(&pasted));
    }

    #[test]
    fn five_prompt_messages_are_a_loop() {
        let messages = |seconds: i64| -> Vec<_> {
            (0..5).map(|it| received(&it.to_string(), 60 * it + seconds, Some(60 * it))).collect()
        };
        assert!(is_loop(&messages(1)));
        assert!(!is_loop(&messages(3)));
        assert!(!is_loop(&messages(1)[1..]));
    }
}

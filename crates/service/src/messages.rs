//! Use cases for messages that exist (`docs/contract.md#messages`).

use domain::id::MessageId;
use domain::number::saturating;
use domain::time::Timestamp;
use persistence::records::{Contact, Message, MessageFilter, MessageScan};
use persistence::{Db, Reader, Result};
use platform::Deps;
use std::time::Duration;

/// Maximum number of messages that a page of a filtered list looks at.
pub const MAX_SCANNED_MESSAGES: i64 = 5_000;
/// How much later than its time a message may be recorded, for lists with `since` or `until`. Copies
/// of messages that were sent from the business's phone can be late.
const RECORDED_WITHIN: Duration = Duration::from_hours(1);

/// A page of messages, newest first.
#[derive(Clone, Debug)]
pub struct MessagePage {
    pub found: Vec<(Message, Contact)>,
    /// The message before which the next page begins, if there may be one. A page of a filtered list
    /// may be short or empty although more messages match further back.
    pub next_before: Option<MessageId>,
}

/// Lists the newest matching messages before `before`.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    filter: MessageFilter,
    before: Option<MessageId>,
    limit: i64,
) -> Result<MessagePage> {
    let since = filter.since;
    let before = start(filter.until, before);
    let one_more = limit.saturating_add(1);
    let read = move |db: Db| async move {
        db.reads(reader).list_messages(filter, before, one_more, MAX_SCANNED_MESSAGES).await
    };
    let MessageScan { mut found, oldest_scanned } =
        deps.read_limiter.run(reader.organization, &deps.db, read).await?;
    let shown = saturating(limit, usize::MAX);
    let next_before = if found.len() > shown {
        found.truncate(shown);
        found.last().map(|(message, _)| message.id)
    } else {
        oldest_scanned.filter(|it| !is_past(it, since))
    };
    Ok(MessagePage { found, next_before })
}

/// Returns the id before which a list with this `until` begins. Ids begin with the time at which a
/// message was recorded.
fn start(until: Option<Timestamp>, before: Option<MessageId>) -> Option<MessageId> {
    let recorded = until.map(|until| MessageId::new(until.plus(RECORDED_WITHIN), [0; 10]));
    before.into_iter().chain(recorded).min()
}

/// Whether all messages before this one are older than `since`.
fn is_past(id: &MessageId, since: Option<Timestamp>) -> bool {
    since.is_some_and(|since| id.made_at() < since)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_800_000_000);

    #[test]
    fn a_list_until_a_time_begins_an_hour_later() {
        let after = MessageId::new(NOON.plus(Duration::from_hours(2)), [0; 10]);
        let within = MessageId::new(NOON.plus(Duration::from_mins(30)), [0; 10]);
        assert_eq!(start(None, None), None);
        assert_eq!(start(None, Some(after)), Some(after));
        assert_eq!(start(Some(NOON), Some(within)), Some(within));
        let begins = start(Some(NOON), Some(after)).unwrap();
        assert_eq!(begins.made_at(), NOON.plus(RECORDED_WITHIN));
    }

    #[test]
    fn a_list_since_a_time_ends_there() {
        let id = MessageId::new(NOON, [0; 10]);
        assert!(!is_past(&id, None));
        assert!(!is_past(&id, Some(NOON)));
        assert!(is_past(&id, Some(NOON.plus(Duration::from_secs(1)))));
    }
}

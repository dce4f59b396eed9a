//! The filters of the list of messages, as the URL contains them.

use crate::dashboard::query::Query;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::id::{AccountId, KeyId, MessageId};
use domain::keyword::Keyword as _;
use domain::message::{Direction, MessageStatus};
use domain::time::Timestamp;
use persistence::records::{MessageFilter, ScheduledCursor};
use std::time::Duration;

/// The value of the tab with the messages that wait for their time.
pub const SCHEDULED: &str = "scheduled";

/// The tabs above the list: value in the URL and name.
pub const VIEWS: [(&str, &str); 5] = [
    ("", "All"),
    ("outbound", "Outbound"),
    ("inbound", "Inbound"),
    ("failed", "Failed"),
    (SCHEDULED, "Scheduled"),
];

/// The periods to choose from: value in the URL, name and length.
pub const TIMES: [(&str, &str, Option<Duration>); 4] = [
    ("", "Any time", None),
    ("day", "24 hours", Some(Duration::from_hours(24))),
    ("week", "7 days", Some(Duration::from_hours(7 * 24))),
    ("month", "30 days", Some(Duration::from_hours(30 * 24))),
];

/// The filters as the URL contains them. An unknown value counts as no filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilters {
    pub view: &'static str,
    pub status: String,
    pub number: String,
    pub kind: String,
    pub source: String,
    /// The API key with which the messages were sent.
    pub key: Option<KeyId>,
    pub time: String,
    /// The search text: an id, a phone number or a reference.
    pub search: String,
    pub after: Option<MessageId>,
    /// The position after which the page of scheduled messages begins.
    pub scheduled_after: Option<ScheduledCursor>,
}

impl ListFilters {
    pub fn of(query: &Query) -> Self {
        let value = |name| query.value(name).unwrap_or_default();
        let view = VIEWS.iter().find(|(it, _)| *it == value("view")).map_or("", |it| it.0);
        let time = TIMES.iter().find(|(it, ..)| *it == value("time")).map_or("", |it| it.0);
        let status = MessageStatus::from_keyword(value("status")).map(MessageStatus::as_str);
        let kind = MessageKind::from_keyword(value("type")).map(MessageKind::as_str);
        let source = MessageSource::from_keyword(value("source")).map(MessageSource::as_str);
        Self {
            view,
            time: time.to_owned(),
            status: status.unwrap_or_default().to_owned(),
            kind: kind.unwrap_or_default().to_owned(),
            source: source.unwrap_or_default().to_owned(),
            number: value("number").to_owned(),
            key: value("key").parse().ok(),
            search: value("q").trim().to_owned(),
            after: value("after").parse().ok(),
            scheduled_after: parse_cursor(value("after")),
        }
    }

    /// Whether any filter except the tab is set.
    pub fn is_narrowed(&self) -> bool {
        let Self { status, number, kind, source, key, time, search, .. } = self;
        key.is_some()
            || [status, number, kind, source, time, search].iter().any(|it| !it.is_empty())
    }

    /// Returns the filter for the database query, without the search text.
    pub fn to_filter(&self, now: Timestamp) -> MessageFilter {
        let direction = match self.view {
            "outbound" => Some(Direction::Outbound),
            "inbound" => Some(Direction::Inbound),
            _ => None,
        };
        let status = match self.view {
            "failed" => Some(MessageStatus::Failed),
            _ => MessageStatus::from_keyword(&self.status),
        };
        let length = TIMES.iter().find(|(it, ..)| *it == self.time).and_then(|it| it.2);
        MessageFilter {
            account: self.number.parse::<AccountId>().ok(),
            direction,
            status,
            kind: MessageKind::from_keyword(&self.kind),
            source: MessageSource::from_keyword(&self.source),
            key: self.key,
            since: length.map(|length| now.minus(length)),
            ..MessageFilter::default()
        }
    }

    /// Returns the URL of the list with this tab. The other filters stay.
    pub fn url_of_view(&self, view: &'static str) -> String {
        Self { view, after: None, scheduled_after: None, ..self.clone() }.url()
    }

    /// Returns the URL of the page of scheduled messages after this position.
    pub fn url_after_scheduled(&self, after: ScheduledCursor) -> String {
        Self { scheduled_after: Some(after), ..self.clone() }.url()
    }

    /// Returns the URL of the page after this message.
    pub fn url_after(&self, after: Option<MessageId>) -> String {
        Self { after, ..self.clone() }.url()
    }

    /// Returns the id of the key as the URL contains it, or an empty text.
    pub fn chosen_key(&self) -> String {
        self.key.map(|id| id.to_string()).unwrap_or_default()
    }

    fn url(&self) -> String {
        let key = self.chosen_key();
        let after = self.after.map(|id| id.to_string());
        let scheduled = self.scheduled_after.map(|it| {
            let ScheduledCursor { send_at, message } = it;
            format!("{}.{message}", send_at.micros())
        });
        let after = after.or(scheduled).unwrap_or_default();
        let pairs = [
            ("view", self.view),
            ("q", &self.search),
            ("status", &self.status),
            ("number", &self.number),
            ("type", &self.kind),
            ("source", &self.source),
            ("key", &key),
            ("time", &self.time),
            ("after", &after),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(pairs.iter().filter(|(_, value)| !value.is_empty()));
        let query = query.finish();
        let path = super::MESSAGES;
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }
}

fn parse_cursor(text: &str) -> Option<ScheduledCursor> {
    let (micros, message) = text.split_once('.')?;
    let send_at = Timestamp::from_micros(micros.parse().ok()?);
    Some(ScheduledCursor { send_at, message: message.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(text: &str) -> ListFilters {
        ListFilters::of(&Query::parse(text))
    }

    #[test]
    fn filters_stand_in_the_url_and_unknown_values_are_dropped() {
        let all = filters("view=outbound&status=read&time=week&source=api&q=+%2B1202&x=y");
        assert_eq!(
            all.url_after(None),
            "/messages?view=outbound&q=%2B1202&status=read&source=api&time=week"
        );
        assert_eq!(
            filters("view=x&status=y&time=z&source=fax&after=q").url_after(None),
            "/messages"
        );
        assert_eq!(
            all.url_of_view("failed"),
            "/messages?view=failed&q=%2B1202&status=read&source=api&time=week"
        );
        assert!(all.is_narrowed() && !filters("view=failed").is_narrowed());
    }

    #[test]
    fn the_position_among_scheduled_messages_stands_in_the_url() {
        let url = "/messages?view=scheduled&after=1800000000000000.msg_01h455vb4pex5vsknk084sn02q";
        let filters = filters(url.split_once('?').unwrap().1);
        let after = filters.scheduled_after.unwrap();
        assert_eq!(after.send_at, Timestamp::from_seconds(1_800_000_000));
        assert_eq!(filters.url_after_scheduled(after), url);
        assert_eq!(filters.url_of_view("scheduled"), "/messages?view=scheduled");
    }

    #[test]
    fn a_key_stands_in_the_url_and_another_id_is_dropped() {
        let url = "/messages?source=api&key=key_01h455vb4pex5vsknk084sn02q&time=day";
        let by_key = filters(url.split_once('?').unwrap().1);
        assert_eq!(by_key.url_after(None), url);
        let now = Timestamp::from_seconds(1_800_000_000);
        assert_eq!(by_key.to_filter(now).key, "key_01h455vb4pex5vsknk084sn02q".parse().ok());
        assert!(filters("key=key_01h455vb4pex5vsknk084sn02q").is_narrowed());
        for wrong in ["key=swk_x", "key=msg_01h455vb4pex5vsknk084sn02q"] {
            assert_eq!(filters(wrong), ListFilters::default(), "{wrong}");
        }
    }

    #[test]
    fn a_tab_decides_direction_or_status() {
        let now = Timestamp::from_seconds(1_800_000_000);
        let failed = filters("view=failed&status=read").to_filter(now);
        assert_eq!(failed.status, Some(MessageStatus::Failed));
        let inbound = filters("view=inbound&time=day").to_filter(now);
        assert_eq!(inbound.direction, Some(Direction::Inbound));
        assert_eq!(inbound.since, Some(now.minus(Duration::from_hours(24))));
    }
}

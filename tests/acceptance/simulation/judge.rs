//! The checks at the end of a simulation.

use super::actions::{STATUSES, number};
use super::stage::{ALLOWANCE, Known, Stage};
use diesel::sql_types::{BigInt, Text};
use diesel::sqlite::SqliteConnection;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::Ordering;
use workers::agents::opening_hours;

/// Counts of what happened.
#[derive(Debug, Default)]
pub struct Figures {
    pub crashes: usize,
    pub sent: usize,
    pub written: usize,
    pub refused: usize,
    pub lost_answers: usize,
    /// The number of repeated requests to the channel for the same message.
    pub repeated: usize,
    pub callbacks: usize,
    pub events: usize,
    /// The numbers of issued codes, and of codes for which a key was returned.
    pub codes: usize,
    pub keys: usize,
    /// The numbers of actions, and of polls at which the server continued or crashed.
    pub actions: usize,
    pub moments: usize,
}

impl Figures {
    pub fn add(&mut self, other: &Self) {
        self.crashes += other.crashes;
        self.sent += other.sent;
        self.written += other.written;
        self.refused += other.refused;
        self.lost_answers += other.lost_answers;
        self.repeated += other.repeated;
        self.callbacks += other.callbacks;
        self.events += other.events;
        self.codes += other.codes;
        self.keys += other.keys;
        self.actions += other.actions;
        self.moments += other.moments;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} crashes, {} messages sent, {} repeated by the channel's count, {} answers of it lost, {} written by people, \
             {} callbacks, {} events, {} refused over the allowance, {} codes of which {} got a key; {} actions, {} moments \
             at which it could crash",
            self.crashes,
            self.sent,
            self.repeated,
            self.lost_answers,
            self.written,
            self.callbacks,
            self.events,
            self.refused,
            self.codes,
            self.keys,
            self.actions,
            self.moments
        )
    }
}

#[derive(QueryableByName)]
struct Message {
    #[diesel(sql_type = Text)]
    conversation: String,
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = BigInt)]
    position: i64,
    #[diesel(sql_type = Text)]
    direction: String,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Text)]
    content: String,
}

impl Message {
    /// Whether a person or a program sent the message, as the model knows it.
    fn is_sent(&self) -> bool {
        self.direction == "outbound" && self.source != "agent"
    }

    fn text(&self) -> String {
        let content: Value = serde_json::from_str(&self.content).unwrap();
        content["text"].as_str().unwrap_or_default().to_owned()
    }
}

#[derive(QueryableByName)]
struct Event {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    subject: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

const MESSAGES: &str = "SELECT hex(conversation_id) AS conversation, hex(id) AS id, position, direction, source, status, content \
                        FROM messages ORDER BY conversation_id, position";
const EVENTS: &str =
    "SELECT sequence, kind, coalesce(hex(subject), '') AS subject FROM events ORDER BY sequence";

/// Collects all violations.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn unless(&mut self, right: bool, why: impl FnOnce() -> String) {
        if !right {
            self.0.push(why());
        }
    }
}

impl Stage {
    /// Returns the counts, or all violations.
    pub fn judge(&self) -> Result<Figures, Vec<String>> {
        let file = self.database.url.strip_prefix("sqlite:").unwrap();
        let mut conn = SqliteConnection::establish(file).unwrap();
        conn.set_instrumentation(|_: diesel::connection::InstrumentationEvent<'_>| ());
        let messages: Vec<Message> = diesel::sql_query(MESSAGES).load(&mut conn).unwrap();
        let events: Vec<Event> = diesel::sql_query(EVENTS).load(&mut conn).unwrap();
        let mut wrong = Wrong::default();
        self.nothing_is_lost(&messages, &mut wrong);
        let repeated = self.the_channel_has_them_in_order(&messages, &mut wrong);
        statuses_went_forward(self, &messages, &events, &mut wrong);
        let gapless = events.iter().map(|it| it.sequence).eq((1..).take(events.len()));
        wrong.unless(gapless, || {
            format!("sequences: {:?}", events.iter().map(|it| it.sequence).collect::<Vec<_>>())
        });
        self.a_code_is_one_key(&mut conn, &mut wrong);
        agents_keep_to_their_turns(&mut conn, &messages, &events, &mut wrong);
        for left in ["outbox", "outbox_conversations", "callbacks", "dead_callbacks"] {
            let count = diesel::sql_query(format!("SELECT count(*) AS number FROM {left}"));
            let count: Count = count.get_result(&mut conn).unwrap();
            wrong.unless(count.number == 0, || format!("{} left in {left}", count.number));
        }
        if !wrong.0.is_empty() {
            return Err(wrong.0);
        }
        let model = &self.model;
        Ok(Figures {
            crashes: model.crashes,
            sent: messages.iter().filter(|it| it.direction == "outbound").count(),
            written: model.written.len(),
            refused: model.refused,
            lost_answers: self.lost_answers.load(Ordering::SeqCst),
            repeated,
            callbacks: model.answered.len(),
            events: events.len(),
            codes: model.codes.len(),
            keys: model.codes.iter().filter(|it| it.keys > 0).count(),
            actions: model.history.len(),
            moments: model.moments,
        })
    }

    /// Checks that each code returned at most one key. A connection whose key nobody received comes
    /// from a crash, so there are at most as many connections as codes. Each connection replaces
    /// the one before, so only one key is left.
    fn a_code_is_one_key(&self, conn: &mut SqliteConnection, wrong: &mut Wrong) {
        let codes = &self.model.codes;
        wrong.unless(codes.iter().all(|it| it.keys <= 1), || format!("keys of codes: {codes:?}"));
        let mut count = |of: &str| -> usize {
            let query = diesel::sql_query(format!("SELECT count(*) AS number FROM {of}"));
            let count: Count = query.get_result(conn).unwrap();
            usize::try_from(count.number).unwrap()
        };
        let (made, keys) = (count("connections"), count("keys WHERE kind = 'connection'"));
        let shown = codes.iter().filter(|it| it.keys > 0).count();
        wrong.unless((shown..=codes.len()).contains(&made), || {
            format!("{made} connections, {shown} keys shown, {} codes", codes.len())
        });
        wrong.unless(keys == made.min(1), || format!("{keys} keys of {made} connections"));
    }

    /// Checks that each accepted message is stored once, in order, at positions without a gap, and
    /// within the allowance.
    fn nothing_is_lost(&self, messages: &[Message], wrong: &mut Wrong) {
        let mut conversations: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
        for message in messages {
            conversations.entry(&message.conversation).or_default().push(message);
        }
        for (id, messages) in &conversations {
            let places = messages.iter().map(|it| it.position);
            wrong.unless(places.eq((1..).take(messages.len())), || format!("places in {id}"));
        }
        let outbound: Vec<String> =
            messages.iter().filter(|it| it.is_sent()).map(Message::text).collect();
        for (person, ..) in &self.model.sent {
            let ours = |text: &String| text.starts_with(&format!("{person}:"));
            let there: Vec<&String> = outbound.iter().filter(|it| ours(it)).collect();
            let theirs = self.model.sent.iter().filter(|(of, ..)| of == person);
            // Of the messages whose send was interrupted by a crash, some are stored and some are
            // not.
            let expected = theirs
                .filter(|(_, text, known)| *known == Known::Accepted || there.contains(&text));
            let expected: Vec<&String> = expected.map(|(_, text, _)| text).collect();
            wrong.unless(there == expected, || {
                format!("sent to {}: {there:?}, not {expected:?}", number(*person))
            });
        }
        let stored = messages.iter().filter(|it| it.direction == "outbound").count();
        wrong.unless(stored <= ALLOWANCE as usize, || format!("{stored} messages of {ALLOWANCE}"));
        let is_exact = self.model.refused == 0 || stored == ALLOWANCE as usize;
        wrong
            .unless(is_exact, || format!("one was refused, and {stored} were sent of {ALLOWANCE}"));
        let mut inbound: Vec<String> =
            messages.iter().filter(|it| it.direction == "inbound").map(Message::text).collect();
        inbound.sort();
        let mut written = self.model.written.clone();
        written.sort();
        wrong.unless(inbound == written, || format!("written: {inbound:?}, not {written:?}"));
    }

    /// Checks that the channel has each message, and that the first arrivals are in order. Returns
    /// the number of repeated arrivals.
    fn the_channel_has_them_in_order(&self, messages: &[Message], wrong: &mut Wrong) -> usize {
        let mut accepted = self.graph.accepted();
        accepted.retain(|it| it.body["text"]["body"] != opening_hours::OTHERWISE);
        let mut first: Vec<String> = Vec::new();
        for message in &accepted {
            let text = message.body["text"]["body"].as_str().unwrap().to_owned();
            if !first.contains(&text) {
                first.push(text);
            }
        }
        for message in messages {
            let theirs: Vec<String> = messages
                .iter()
                .filter(|it| it.conversation == message.conversation && it.is_sent())
                .map(Message::text)
                .collect();
            let arrived: Vec<&String> = first.iter().filter(|it| theirs.contains(it)).collect();
            wrong.unless(arrived.iter().copied().eq(&theirs), || {
                format!("at the channel: {arrived:?}, not {theirs:?}")
            });
        }
        let stored = messages.iter().filter(|it| it.is_sent()).count();
        wrong.unless(first.len() == stored, || {
            format!("{} at the channel, {stored} stored", first.len())
        });
        accepted.len() - first.len()
    }
}

/// Checks that an agent spoke only while it was running, and once for each turn that it answered.
fn agents_keep_to_their_turns(
    conn: &mut SqliteConnection,
    messages: &[Message],
    events: &[Event],
    wrong: &mut Wrong,
) {
    let by_id: BTreeMap<&str, &Message> = messages.iter().map(|it| (it.id.as_str(), it)).collect();
    let mut paused: BTreeMap<&str, bool> = BTreeMap::new();
    for event in events {
        match event.kind.as_str() {
            "conversation.agent_paused" => drop(paused.insert(&event.subject, true)),
            "conversation.agent_resumed" => drop(paused.insert(&event.subject, false)),
            "message.queued" => {
                let message = by_id.get(event.subject.as_str());
                let Some(message) = message.filter(|it| it.source == "agent") else { continue };
                let is_paused = paused.get(message.conversation.as_str()).copied();
                wrong.unless(is_paused != Some(true), || {
                    format!("the agent spoke while it was paused: event {}", event.sequence)
                });
            }
            _ => {}
        }
    }
    let mut count = |of: &str| -> i64 {
        let query = format!("SELECT count(*) AS number FROM turns WHERE state IN ({of})");
        diesel::sql_query(query).get_result::<Count>(conn).unwrap().number
    };
    let answered = count("'answered', 'handed_over'");
    let said = messages.iter().filter(|it| it.source == "agent").count();
    wrong.unless(i64::try_from(said) == Ok(answered), || {
        format!("{said} messages of the agent in {answered} turns")
    });
    let open = count("'waiting', 'asking'");
    wrong.unless(open == 0, || format!("{open} turns have not ended"));
}

/// Checks that each message has the latest reported status, and that its events have each status at
/// most once and in order.
fn statuses_went_forward(stage: &Stage, messages: &[Message], events: &[Event], wrong: &mut Wrong) {
    for message in messages.iter().filter(|it| it.is_sent()) {
        let text = message.text();
        let reported = stage.model.reported.get(&text).copied().unwrap_or_default();
        let status = message.status.as_str();
        wrong.unless(status == STATUSES[reported], || {
            format!("{text} is {status}, not {}", STATUSES[reported])
        });
        let of_it = events.iter().filter(|it| it.subject == message.id);
        let ranks = of_it.filter_map(|it| {
            let word = it.kind.strip_prefix("message.")?;
            STATUSES.iter().position(|status| *status == word)
        });
        let ranks: Vec<usize> = ranks.collect();
        let forward = ranks.windows(2).all(|pair| pair[0] < pair[1]);
        let whole = ranks.first() == Some(&0) && ranks.last() == Some(&reported);
        wrong.unless(forward && whole, || format!("events of {text}: {ranks:?} up to {reported}"));
    }
}

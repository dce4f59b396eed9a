//! The rows of each table.

use auth::secret::Holder;
use domain::connection::ConnectionState;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::id::{Application, ApplicationId, Key, OrganizationId};
use domain::key::{KeyKind, KeyState};
use domain::message::{Direction, MessageStatus};
use domain::number::saturating;
use domain::plan::SubscriptionStatus;
use domain::template::{Category, ParameterFormat, RejectionReason, TemplateStatus};
use domain::words::words;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use stored_content::said::said;
use tables::schema::{
    applications, connections, contacts, conversation_words, conversations, event_counters, events,
    key_uses, keys, messages, organizations, templates, verdicts, word_positions,
};

use super::counts::RARE;
use super::ids::{self, CONNECTION_KEYS};
use super::shape::Shape;
use super::webhooks;
use super::world::{Table, World, table};

/// Scopes in the form in which the column stores them.
const SCOPES: &str = "messages.send conversations.read";

/// Returns all tables, in the order of their references.
pub fn all(world: &World) -> Vec<Table> {
    let counts = world.shape.counts;
    let (applications, others) = (counts.applications(), counts.organizations);
    // The hub's endpoint comes after all others.
    let endpoints = counts.endpoints + 1;
    let feeds = counts.endpoints + others;
    vec![
        organizations(others),
        keys(counts.keys),
        key_uses(counts.keys),
        apps(applications),
        connection_keys(applications + others),
        connections(applications + others),
        templates(counts.templates),
        verdicts(counts.templates),
        contacts(counts.conversations),
        conversations(counts.conversations),
        messages(counts.messages),
        message_words(counts.messages),
        conversation_words(counts.conversations),
        word_positions(),
        events(counts.events),
        counters(others + 1),
        webhooks::endpoints(endpoints),
        webhooks::endpoint_work(endpoints),
        webhooks::feeds(feeds),
        webhooks::deliveries(counts.events),
        webhooks::attempts(counts.events),
        webhooks::earlier_attempts(world.shape.failed()),
    ]
}

fn organizations(rows: i64) -> Table {
    table!(
        organizations(id, name, subscription_status, plan_id, created_at),
        rows,
        |world, n, row| {
            row.id(world.other(n)).text_value(&format!("Business {n}"));
            row.word(SubscriptionStatus::Active).id(world.plan).time(world.made(n));
        }
    )
}

fn keys(rows: i64) -> Table {
    table!(
        keys(
            id,
            organization_id,
            client_id,
            secret_digest,
            name,
            kind,
            state,
            scopes,
            rate_limit,
            created_at
        ),
        rows,
        |world, n, row| {
            let client = ids::client::<Key>(Holder::Key, n);
            row.id(world.key(n)).id(world.organization()).text_value(&client);
            row.bytes(&ids::digest::<Key>(n)).text_value(&format!("Integration {n}"));
            row.word(KeyKind::Manual).word(KeyState::Active).text_value(SCOPES).int(100);
            row.time(world.made(n));
        }
    )
}

fn key_uses(rows: i64) -> Table {
    table!(key_uses(organization_id, key_id, last_used_at), rows, |world, n, row| {
        row.id(world.organization()).id(world.key(n)).time(world.shape.now);
    })
}

fn apps(rows: i64) -> Table {
    table!(
        applications(
            id,
            client_id,
            secret_digest,
            name,
            description,
            redirect_uris,
            scopes,
            organization_id,
            published,
            verified,
            created_at
        ),
        rows,
        |world, n, row| {
            let client = ids::client::<Application>(Holder::Application, n);
            row.id(world.application(n)).text_value(&client);
            row.bytes(&ids::digest::<Application>(n));
            row.text_value(&format!("Application {n}")).text_value("Keeps orders together.");
            row.text_value(r#"["https://partner.example/callback"]"#).text_value(SCOPES);
            row.id(world.site.partner).bool(true).bool(false).time(world.made(n));
        }
    )
}

/// Returns the application and the organization of connection `n`. The organization's own
/// connections come first.
fn connected(world: &World, n: i64) -> (ApplicationId, OrganizationId) {
    let own = world.shape.counts.applications();
    if n < own {
        (world.application(n), world.organization())
    } else {
        (world.site.hub, world.other(n - own))
    }
}

fn connection_keys(rows: i64) -> Table {
    table!(
        keys(
            id,
            organization_id,
            client_id,
            secret_digest,
            name,
            kind,
            state,
            scopes,
            rate_limit,
            created_at
        ),
        rows,
        |world, n, row| {
            let client = ids::client::<Key>(Holder::Key, CONNECTION_KEYS + n);
            row.id(world.connection_key(n)).id(connected(world, n).1).text_value(&client);
            row.bytes(&ids::digest::<Key>(CONNECTION_KEYS + n));
            row.text_value(&format!("Application {n}")).word(KeyKind::Connection);
            row.word(KeyState::Active).text_value(SCOPES).int(100).time(world.made(n));
        }
    )
}

fn connections(rows: i64) -> Table {
    table!(
        connections(id, application_id, organization_id, key_id, scopes, state, connected_at),
        rows,
        |world, n, row| {
            let (application, organization) = connected(world, n);
            row.id(world.connection(n)).id(application).id(organization);
            row.id(world.connection_key(n)).text_value(SCOPES).word(ConnectionState::Connected);
            row.time(world.made(n));
        }
    )
}

fn templates(rows: i64) -> Table {
    table!(
        templates(
            id,
            organization_id,
            account_id,
            name,
            language,
            category,
            status,
            rejection_reason,
            rejection_detail,
            parameter_format,
            components,
            external_id,
            submitted_at,
            reviewed_at,
            created_at,
            updated_at
        ),
        rows,
        |world, n, row| {
            let at = world.made(n);
            let account = if n % 2 == 0 { world.site.sandbox } else { world.site.meta };
            row.id(world.template(n)).id(world.organization()).id(account);
            row.text_value(&World::template_name(n));
            row.text_value(if n % 2 == 0 { "en" } else { "de" });
            let is_rare = n < RARE;
            row.word(match n % 5 {
                _ if is_rare => Category::Authentication,
                0 | 1 => Category::Marketing,
                _ => Category::Utility,
            });
            if is_rare {
                row.word(TemplateStatus::Rejected).word(RejectionReason::Promotional);
                row.text_value("It sells.");
            } else {
                row.word(TemplateStatus::Approved).null().null();
            }
            row.word(ParameterFormat::Positional);
            row.text_value(
                r#"[{"type":"HEADER","format":"TEXT","text":"Your order"},{"type":"BODY","text":"Hello {{1}}, your order {{2}} is on its way.","example":{"body_text":[["Ada","1024"]]}}]"#,
            );
            row.text_value(&World::template_number(n).to_string());
            row.time(at).time(at + 60_000_000).time(at).time(at + 60_000_000);
        }
    )
}

fn verdicts(rows: i64) -> Table {
    table!(
        verdicts(organization_id, id, template_id, verdict, took_effect, received_at),
        rows,
        |world, n, row| {
            let at = world.made(n) + 60_000_000;
            let verdict =
                if n < RARE { TemplateStatus::Rejected } else { TemplateStatus::Approved };
            row.id(world.organization()).id(world.verdict(n, at)).id(world.template(n));
            row.word(verdict).bool(true).time(at);
        }
    )
}

fn contacts(rows: i64) -> Table {
    table!(
        contacts(id, organization_id, account_id, phone_number, created_at, identified_at),
        rows,
        |world, k, row| {
            row.id(world.contact(k)).id(world.organization()).id(world.account(k));
            row.text_value(&World::phone_number(k)).time(world.began(k)).time(world.began(k));
        }
    )
}

fn conversations(rows: i64) -> Table {
    table!(
        conversations(
            id,
            organization_id,
            account_id,
            contact_id,
            address,
            agent_paused,
            message_count,
            last_message_at,
            last_inbound_at,
            created_at,
            agent_paused_by
        ),
        rows,
        |world, k, row| {
            let (shape, length) = (&world.shape, world.shape.length(k));
            let (inbound, outbound) = shape.turns(k);
            row.id(world.conversation(k)).id(world.organization()).id(world.account(k));
            row.id(world.contact(k)).text_value(&World::phone_number(k));
            row.bool(outbound.is_some()).int(length);
            row.time(shape.accepted(shape.message_at(k, length)));
            row.time_or_null(inbound.map(|i| shape.accepted(i))).time(world.began(k));
            row.id_or_null(outbound.map(|i| world.message(i)));
        }
    )
}

fn messages(rows: i64) -> Table {
    table!(
        messages(
            id,
            organization_id,
            account_id,
            conversation_id,
            contact_id,
            position,
            direction,
            source,
            kind,
            content,
            status,
            channel_message_id,
            created_at,
            sent_at,
            delivered_at,
            read_at,
            content_format,
            key_id
        ),
        rows,
        |world, i, row| {
            let (shape, id) = (&world.shape, world.message(i));
            let (k, position) = shape.place(i);
            row.id(id).id(world.organization()).id(world.account(k));
            row.id(world.conversation(k)).id(world.contact(k)).int(position);
            let at = shape.accepted(i);
            let name = world.channel_name(i);
            if Shape::is_inbound(i) {
                row.word(Direction::Inbound).word(MessageSource::Customer).word(MessageKind::Text);
                row.text_value(&question(i));
                row.word(MessageStatus::Received).text_value(&name);
                row.time(at).null().null().null();
            } else {
                row.word(Direction::Outbound).word(MessageSource::Api).word(MessageKind::Text);
                row.text_value(&answer(i));
                row.word(MessageStatus::Read).text_value(&name);
                let step = shape.step();
                row.time(at).time(at + step).time(at + 2 * step).time(at + 3 * step);
            }
            let key = world.key(i % shape.counts.keys.max(1));
            row.int(i64::from(stored_content::FORMAT));
            row.id_or_null((!Shape::is_inbound(i)).then_some(key));
        }
    )
}

/// Returns a search word for each message: the message's number, which is part of its text.
fn message_words(rows: i64) -> Table {
    table!(conversation_words(organization_id, word, conversation_id), rows, |world, i, row| {
        let (k, _) = world.shape.place(i);
        row.id(world.organization()).text_value(&i.to_string()).id(world.conversation(k));
    })
}

/// Returns the other search words of the messages' texts, which are the same in every conversation.
fn conversation_words(conversations: i64) -> Table {
    table!(
        conversation_words(organization_id, word, conversation_id),
        conversations * common_words(),
        |world, n, row| {
            let word = usize::try_from(n % common_words()).ok().and_then(|it| COMMON_WORDS.get(it));
            row.id(world.organization()).text_value(word.map_or("", String::as_str));
            row.id(world.conversation(n / common_words()));
        }
    )
}

/// The words of a question and of an answer, without their number.
static COMMON_WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let texts = [question(0), answer(0)].map(|it| words(&said(&it)));
    let all: BTreeSet<String> = texts.into_iter().flatten().collect();
    all.into_iter().filter(|it| it != "0").collect()
});

fn common_words() -> i64 {
    saturating(COMMON_WORDS.len(), i64::MAX)
}

/// Returns the position up to which the search has read the events. It is the newest event, so the
/// search finds all messages.
fn word_positions() -> Table {
    table!(word_positions(organization_id, sequence, has_all), 1, |world, _, row| {
        let events = world.shape.counts.events;
        row.id(world.organization()).int(world.sequence(events) - 1).bool(true);
    })
}

/// Returns the stored content of an inbound message.
fn question(i: i64) -> String {
    format!(r#"{{"text":"When does my order {i} arrive? I wait for it since Monday."}}"#)
}

/// Returns the stored content of an outbound message.
fn answer(i: i64) -> String {
    format!(r#"{{"text":"Your order {i} has left the warehouse and arrives tomorrow."}}"#)
}

fn events(rows: i64) -> Table {
    table!(
        events(organization_id, sequence, id, kind, account_id, subject, at),
        rows,
        |world, e, row| {
            let (kind, subject, account) = world.told(e);
            row.id(world.organization()).int(world.sequence(e)).id(world.event(e));
            row.word(kind).id(account).id(subject).time(world.shape.event(e).1);
        }
    )
}

/// Returns the event counters. The last one is the organization's own; the other organizations had
/// one event long ago, about their connection.
fn counters(rows: i64) -> Table {
    table!(event_counters(organization_id, last), rows, |world, n, row| {
        if n == world.shape.counts.organizations {
            row.id(world.organization()).int(world.shape.last_sequence());
        } else {
            row.id(world.other(n)).int(1);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_those_of_the_present_format() {
        for content in [question(7), answer(7)] {
            let read = stored_content::decode(stored_content::FORMAT, MessageKind::Text, &content);
            let stored = stored_content::encode(&read.unwrap()).unwrap();
            assert_eq!(stored.document, content);
        }
    }
}

//! Messages of one conversation that wait in the outbox, as after a night in which the channel was
//! unreachable.

use anyhow::Result;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::id::MessageId;
use domain::message::{Direction, MessageStatus};
use tables::schema::{messages, outbox};

use super::database::Database;
use super::filled::Filled;
use super::ids;
use super::world::{Table, World, table};

/// The number of the conversation that gets the messages.
const CONVERSATION: i64 = 8;

/// The number of waiting messages.
pub struct Backlog(pub i64);

impl Backlog {
    /// Writes the messages. No server may be running.
    pub fn write(&self, filled: &Filled) -> Result<()> {
        let (world, database) = (&filled.world, &filled.database);
        let hex = format!("{:032x}", world.conversation(CONVERSATION).uuid().as_u128());
        let (this, now) = match database {
            Database::Sqlite(_) => (format!("id = x'{hex}'"), "unixepoch() * 1000000"),
            Database::Postgres(_) => (format!("id = '{hex}'"), "now()"),
        };
        // If earlier backlogs were written, the new messages follow those of the earlier ones.
        let count = format!("SELECT message_count FROM conversations WHERE {this}");
        let first = database.number(&count)? - world.shape.length(CONVERSATION);
        for table in [messages(self.0), outbox(self.0)] {
            database.write(&table, world, first)?;
        }
        let rows = self.0;
        database.run(&format!(
            "UPDATE conversations SET message_count = message_count + {rows} WHERE {this}; \
             INSERT INTO outbox_conversations (organization_id, conversation_id, account_id, due_at, held) \
                 SELECT organization_id, id, account_id, {now}, false FROM conversations WHERE {this} \
                 ON CONFLICT (organization_id, conversation_id) DO UPDATE SET due_at = excluded.due_at; \
             INSERT INTO organization_work (organization_id, kind, due_at) \
                 SELECT organization_id, 'messages', {now} FROM conversations WHERE {this} \
                 ON CONFLICT (organization_id, kind) DO UPDATE SET due_at = excluded.due_at"
        ))?;
        Ok(())
    }
}

fn id(world: &World, n: i64) -> MessageId {
    ids::id(world.shape.counts.messages + n, at(world, n))
}

fn at(world: &World, n: i64) -> i64 {
    world.shape.now + n * 1000
}

fn position(world: &World, n: i64) -> i64 {
    world.shape.length(CONVERSATION) + n + 1
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
            created_at
        ),
        rows,
        |world, n, row| {
            row.id(id(world, n)).id(world.organization()).id(world.account(CONVERSATION));
            row.id(world.conversation(CONVERSATION)).id(world.contact(CONVERSATION));
            row.int(position(world, n)).word(Direction::Outbound).word(MessageSource::Api);
            row.word(MessageKind::Text).text_value(r#"{"text":"We are open again."}"#);
            row.word(MessageStatus::Queued).time(at(world, n));
        }
    )
}

fn outbox(rows: i64) -> Table {
    table!(
        outbox(organization_id, conversation_id, position, message_id, attempts, accepted_at),
        rows,
        |world, n, row| {
            row.id(world.organization()).id(world.conversation(CONVERSATION));
            row.int(position(world, n)).id(id(world, n)).int(0).time(at(world, n));
        }
    )
}

//! Checks whether a PostgreSQL database is usable: its encoding must hold every text, and the role
//! must have the rights on the schema.
use super::config::Config;
use super::connect::{in_time, raw, refused};
use crate::{Error, Result};
use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

/// The required encoding. Messages contain emoji and every script, and only UTF8 can store them
/// all.
const ENCODING: &str = "UTF8";
/// Reads the encoding, the database, the role, the current schema (null if no schema of the search
/// path exists or may be used), and a table from the first migration that this role may not use, if
/// any.
const QUESTION: &str = "\
    SELECT current_setting('server_encoding'), current_database(), current_user, current_schema(), \
        current_setting('search_path'), has_schema_privilege(current_schema(), 'CREATE'), \
        (SELECT min(tablename) FROM pg_tables \
         WHERE schemaname = current_schema() AND tablename IN ('organizations', 'messages', 'outbox') \
           AND NOT (has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT') \
                AND has_table_privilege(format('%I.%I', schemaname, tablename), 'INSERT') \
                AND has_table_privilege(format('%I.%I', schemaname, tablename), 'UPDATE') \
                AND has_table_privilege(format('%I.%I', schemaname, tablename), 'DELETE'))), \
        (SELECT min(tableowner) FROM pg_tables \
         WHERE schemaname = current_schema() AND tablename IN ('organizations', 'messages', 'outbox') \
           AND NOT pg_has_role(current_user, tableowner, 'USAGE'))";

/// Facts about a database and the role that signed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    encoding: String,
    database: String,
    role: String,
    /// `None` if no schema of the search path exists or the role may use none of them.
    schema: Option<String>,
    search_path: String,
    may_create_tables: bool,
    /// A table of this program that the role may not read and write.
    closed_table: Option<String>,
    /// The owner of the tables, if the role does not have that owner's rights.
    other_owner: Option<String>,
}

impl Facts {
    /// Reads the facts from the database.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`] if the database does not answer.
    pub async fn read(client: &Client) -> Result<Self> {
        let answer = client.simple_query(QUESTION).await.map_err(|error| refused(&error))?;
        let row = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        Ok(row.map(Self::from_row).unwrap_or_default())
    }

    fn from_row(row: &SimpleQueryRow) -> Self {
        let text = |column: usize| row.get(column).map(ToOwned::to_owned);
        Self {
            encoding: text(0).unwrap_or_default(),
            database: text(1).unwrap_or_default(),
            role: text(2).unwrap_or_default(),
            schema: text(3),
            search_path: text(4).unwrap_or_default(),
            may_create_tables: text(5).as_deref() == Some("t"),
            closed_table: text(6),
            other_owner: text(7),
        }
    }

    /// Returns whether the role may create tables in the schema, as migrations do.
    #[must_use]
    pub const fn may_create_tables(&self) -> bool {
        self.may_create_tables
    }

    /// Checks the requirements that apply at every start, whether or not migrations have to run.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] with what is wrong and the statement that corrects it.
    pub fn check(&self) -> Result<()> {
        let Self { encoding, database, role, .. } = self;
        if encoding != ENCODING {
            return Err(Error::Setup {
                what: format!(
                    "the database {database} has the encoding {encoding}, which cannot hold every text"
                ),
                advice: format!(
                    "create a database with CREATE DATABASE name OWNER {} ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0, \
                     move the data there with pg_dump, and name it in SWITCHBOARD_DATABASE_URL",
                    quoted(role)
                ),
            });
        }
        let Some(schema) = &self.schema else {
            let mut named = self.search_path.split(',').map(|name| name.trim().trim_matches('"'));
            let schema = named.rfind(|name| *name != "$user").unwrap_or("public");
            return Err(Error::Setup {
                what: format!(
                    "the role {role} may use no schema of its search path ({})",
                    self.search_path
                ),
                advice: grant_on_schema(schema, role),
            });
        };
        if let Some(table) = &self.closed_table {
            let (schema, role) = (quoted(schema), quoted(role));
            return Err(Error::Setup {
                what: format!("the role {} may not read and write the table {table}", self.role),
                advice: format!(
                    "run as the tables' owner: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; \
                     GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"
                ),
            });
        }
        Ok(())
    }

    /// Checks the additional requirements of migrations.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] with what is wrong and the statement that corrects it.
    pub fn check_migrations(&self) -> Result<()> {
        let Self { role, .. } = self;
        if let (Some(schema), false) = (&self.schema, self.may_create_tables) {
            return Err(Error::Setup {
                what: format!("the role {role} may not create tables in the schema {schema}"),
                advice: grant_on_schema(schema, role),
            });
        }
        if let Some(owner) = &self.other_owner {
            return Err(Error::Setup {
                what: format!(
                    "the tables belong to {owner}, so that the role {role} may not change them"
                ),
                advice: format!(
                    "run as a superuser: GRANT {} TO {}, or let SWITCHBOARD_DATABASE_URL name the role {owner}",
                    quoted(owner),
                    quoted(role)
                ),
            });
        }
        Ok(())
    }
}

/// Returns the statement that grants a role its rights on a schema. PostgreSQL 15 and later grant
/// none on `public` by default.
fn grant_on_schema(schema: &str, role: &str) -> String {
    let (schema, role) = (quoted(schema), quoted(role));
    format!("run as the schema's owner: GRANT USAGE, CREATE ON SCHEMA {schema} TO {role}")
}

/// Returns a name as SQL reads it: in double quotes unless it is unambiguous without them.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Reads the facts of a database and checks the requirements of every start.
///
/// # Errors
///
/// [`Error::Setup`] if the database is not usable, [`Error::Connect`] if it does not answer.
pub async fn check(config: &Config) -> Result<Facts> {
    let facts = in_time(async { Facts::read(&raw(config).await?).await }).await?;
    facts.check()?;
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usable() -> Facts {
        Facts {
            encoding: "UTF8".to_owned(),
            database: "switchboard".to_owned(),
            role: "app".to_owned(),
            schema: Some("public".to_owned()),
            search_path: "\"$user\", public".to_owned(),
            may_create_tables: true,
            closed_table: None,
            other_owner: None,
        }
    }

    fn advice(checked: Result<()>) -> String {
        match checked {
            Err(Error::Setup { advice, .. }) => advice,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_database_that_holds_every_text_and_a_role_with_its_rights_can_be_used() {
        assert!(usable().check().is_ok() && usable().check_migrations().is_ok());
    }

    #[test]
    fn every_encoding_but_utf8_is_refused() {
        for encoding in ["SQL_ASCII", "LATIN1", "WIN1252", "EUC_JP", ""] {
            let facts = Facts { encoding: encoding.to_owned(), ..usable() };
            assert!(advice(facts.check()).contains("ENCODING 'UTF8'"), "{encoding}");
        }
    }

    #[test]
    fn a_missing_right_names_its_grant() {
        let no_schema = Facts { schema: None, may_create_tables: false, ..usable() };
        let grant = "GRANT USAGE, CREATE ON SCHEMA public TO app";
        assert!(advice(no_schema.check()).contains(grant));
        let own = Facts { search_path: "\"$user\", Sales".to_owned(), ..no_schema };
        assert!(advice(own.check()).contains("ON SCHEMA \"Sales\" TO app"));

        let no_create = Facts { may_create_tables: false, role: "App User".to_owned(), ..usable() };
        assert!(no_create.check().is_ok(), "it works once the tables are there");
        let grant = "GRANT USAGE, CREATE ON SCHEMA public TO \"App User\"";
        assert!(advice(no_create.check_migrations()).contains(grant));

        let closed = Facts { closed_table: Some("messages".to_owned()), ..usable() };
        assert!(advice(closed.check()).contains("ON ALL TABLES IN SCHEMA public TO app"));
        let owned = Facts { other_owner: Some("postgres".to_owned()), ..usable() };
        assert!(owned.check().is_ok());
        assert!(advice(owned.check_migrations()).contains("GRANT postgres TO app"));
    }
}

//! Exchanges of authorization codes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::super::database::Database;
use super::super::measured::{Measured, Subject};
use super::super::stage::Stage;
use super::super::switchboard::{Credentials, PLAN, Switchboard};
use super::super::wrk::{Requests, write_lines};
use super::target::{Expected, Target};
use servers::clock;

/// The number of organizations that approve the application in turn.
const ORGANIZATIONS: u64 = 3000;
const REDIRECT_URI: &str = "https://app.example/connected";
/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// Rows per statement and per transaction. A long transaction would exceed the server's wait for
/// another writer.
const STATEMENT: u64 = 500;
const TRANSACTION: u64 = 5000;

/// Measures exchanges of authorization codes for keys. Each exchange has its own code.
pub fn exchange(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let application = match target.switchboard() {
        Some(server) => prepare(server, stage.files())?,
        None => Credentials::placeholder(),
    };
    let once = |file: &Path, many: u64| {
        // The codes differ from those of the warm-up, and do not expire during the measurement.
        let (run, issued) = (clock::now().unix_timestamp_nanos(), clock::now().unix_timestamp());
        if let Some(server) = target.switchboard() {
            let codes =
                codes(server.database(), &application, run, many, issued + i64::from(seconds));
            let statements = tempfile::NamedTempFile::new_in(stage.files())?;
            write_lines(statements.path(), &codes)?;
            server.database().run(statements.path())?;
        }
        write_lines(file, &bodies(&application, run, many))
    };
    let requests = Requests {
        script: "tests/load/token.lua",
        path: "/connect/token".to_owned(),
        key: Credentials::placeholder(),
        idempotent: false,
        once: Some(Box::new(once)),
    };
    target.measure(stage, &requests, seconds, Expected::Success)
}

/// Creates the organizations and a published application. Returns the application's credentials.
fn prepare(server: &Switchboard, files: &Path) -> Result<Credentials> {
    let made = server.admin(&[
        "application",
        "create",
        "--organization",
        &server.organization,
        "--name",
        "Bench",
        "--redirect-uri",
        REDIRECT_URI,
        "--scopes",
        "messages.send,conversations.read",
        "--published",
    ])?;
    let statements = tempfile::NamedTempFile::new_in(files)?;
    write_lines(statements.path(), &organizations(server.database()))?;
    server.database().run(statements.path())?;
    Credentials::of(&made)
}

/// Returns the id of an organization and of its account, which are in different tables.
const fn id(number: u64) -> u128 {
    0x0190_0000_0000_7000_8000_0000_0000_0000 + number as u128
}

fn organizations(database: &Database) -> String {
    let now = database.time(clock::now().unix_timestamp());
    let organizations = rows(
        "organizations (id, name, subscription_status, plan_id, created_at)",
        ORGANIZATIONS,
        |number| {
            let id = database.id(id(number));
            format!(
                "{id}, 'Bench {number}', 'active', (SELECT id FROM plans WHERE name = '{PLAN}'), {now}"
            )
        },
    );
    let accounts = rows(
        "accounts (id, organization_id, phone_number, display_name, channel, connected_at)",
        ORGANIZATIONS,
        |number| {
            let id = database.id(id(number));
            format!("{id}, {id}, '+1202555{number:04}', 'Bench {number}', 'sandbox', {now}")
        },
    );
    organizations + &accounts
}

fn codes(
    database: &Database,
    application: &Credentials,
    run: i128,
    many: u64,
    issued: i64,
) -> String {
    let issued = database.time(issued);
    let application =
        format!("(SELECT id FROM applications WHERE client_id = '{}')", application.client_id);
    let columns = "codes (digest, application_id, redirect_uri, challenge, organization_id, account_id, scopes, issued_at)";
    rows(columns, many, |number| {
        let digest = database.bytes(&auth::code::digest(&code(run, number)).hex());
        let organization = database.id(id(number % ORGANIZATIONS));
        format!(
            "{digest}, {application}, '{REDIRECT_URI}', '{CHALLENGE}', {organization}, {organization}, \
             'messages.send conversations.read', {issued}"
        )
    })
}

/// Renders INSERT statements of up to 500 rows each, in transactions.
fn rows(columns: &str, many: u64, row: impl Fn(u64) -> String) -> String {
    let mut text = String::new();
    for number in 0..many {
        if number % TRANSACTION == 0 {
            text.push_str("BEGIN;\n");
        }
        let first = number % STATEMENT == 0;
        let before =
            if first { format!("INSERT INTO {columns} VALUES\n") } else { ",\n".to_owned() };
        text.push_str(&before);
        text.push('(');
        text.push_str(&row(number));
        text.push(')');
        let next = number + 1;
        if next % STATEMENT == 0 || next == many {
            text.push_str(";\n");
        }
        if next % TRANSACTION == 0 || next == many {
            text.push_str("COMMIT;\n");
        }
    }
    text
}

fn bodies(application: &Credentials, run: i128, many: u64) -> String {
    let mut lines = String::new();
    for number in 0..many {
        let body = json!({
            "code": code(run, number), "code_verifier": VERIFIER,
            "client_id": application.client_id, "client_secret": application.client_secret,
        });
        // Writing into a string cannot fail.
        let _ = writeln!(lines, "{body}");
    }
    lines
}

/// Returns a code as long as a real one.
fn code(run: i128, number: u64) -> String {
    format!("{run:022}{number:021}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_statements_and_transactions() {
        let text = rows("t (a)", 5001, |number| number.to_string());
        assert_eq!(text.matches("INSERT INTO t (a) VALUES").count(), 11);
        assert_eq!(text.matches("BEGIN").count(), 2);
        assert_eq!(text.matches("COMMIT").count(), 2);
        assert!(
            text.ends_with("COMMIT;\nBEGIN;\nINSERT INTO t (a) VALUES\n(5000);\nCOMMIT;\n"),
            "{text}"
        );
    }

    #[test]
    fn a_code_is_as_long_as_a_real_one() {
        assert_eq!(code(1_700_000_000_000_000_000, 7).len(), 43);
    }
}

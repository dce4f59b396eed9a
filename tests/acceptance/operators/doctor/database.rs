//! The doctor's findings on the database, which it does not change.

use super::{DoctorTarget, examine};
use crate::handover::private_postgres::PrivatePostgres;
use crate::operators::{folder, run};
use crate::starting::Starting;
use crate::world::pgbouncer::PgBouncer;
use crate::world::rows::{Rows, rows_of};
use crate::world::{Database, DirectConnection, free_port};

/// Runs each of the listed functions on SQLite and on PostgreSQL.
macro_rules! on_each_database {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use super::Database;
            #[tokio::test]
            async fn sqlite() {
                super::$test(Database::sqlite()).await;
            }
            #[tokio::test]
            async fn postgres() {
                super::$test(Database::postgres().await).await;
            }
        }
    )+};
}

/// Returns the numbers of rows and of applied migrations, without the tables to which a running
/// server writes by itself.
async fn contents(url: &str) -> (Rows, i64) {
    let applied = "SELECT count(*) AS number FROM __diesel_schema_migrations";
    let mut rows = rows_of(url).await;
    rows.remove("write_checks");
    (rows, DirectConnection::connect(url).await.number(applied).await)
}

async fn beside_a_healthy_server_all_is_well_and_nothing_changes(database: Database) {
    // Given a running server,
    let patient = DoctorTarget::on(&database.url).await;
    let before = contents(&database.url).await;

    // when the doctor examines it, then everything is fine,
    let found = patient.examine(&[]).await;
    found
        .is_well(&["SWITCHBOARD_DATABASE_URL", "answers at"])
        .is_well(&["SWITCHBOARD_DATABASE_URL", "all migrations have run"])
        .is_well(&["SWITCHBOARD_DATABASE_URL", "accepts writes"])
        .is_well(&["clock"])
        .is_well(&["SWITCHBOARD_MEDIA_URL", "can be written to"])
        .is_well(&["SWITCHBOARD_MEDIA_URL", "0700"])
        .is_well(&["SWITCHBOARD_MEDIA_URL", "MiB are free"])
        .is_well(&["SWITCHBOARD_BIND", "a server of this database answers"])
        .is_well(&["SWITCHBOARD_BASE_URL", "leads to a server of this database"])
        .is_well(&["SWITCHBOARD_TRUSTED_PROXIES", "without a proxy"])
        .is_well(&["numbers"])
        .is_well(&["servers", "runs"]);

    // and the database and the server are unchanged.
    assert_eq!(contents(&database.url).await, before);
    let ready = crate::world::client().get(format!("{}/readyz", patient.server.base));
    assert_eq!(ready.send().await.unwrap().status(), 200);
}

async fn migrations_are_said_and_not_run(database: Database) {
    // Given a database whose last migration has not run, as after an update of the program,
    let place = ["--database-url", database.url.as_str()];
    run(database.folder.path(), &[&["migrate", "run"], &place[..]].concat(), &[]).await.succeeded();
    let mut beside = DirectConnection::connect(&database.url).await;
    let last = "(SELECT max(version) FROM __diesel_schema_migrations)";
    beside.execute(&format!("DELETE FROM __diesel_schema_migrations WHERE version = {last}")).await;
    let before = contents(&database.url).await;
    let bind = format!("127.0.0.1:{}", free_port());
    let variables =
        [("SWITCHBOARD_DATABASE_URL", database.url.as_str()), ("SWITCHBOARD_BIND", &bind)];

    // then the doctor gives a warning,
    let found = examine(database.folder.path(), &variables).await;
    found.is_well(&["SWITCHBOARD_DATABASE_URL", "accepts writes"]);
    found.says(
        "warning",
        &["SWITCHBOARD_DATABASE_URL", "have not run yet", "switchboard migrate run"],
    );
    assert_eq!(contents(&database.url).await, before);

    // and a migration that this program does not know is a failure.
    beside
        .execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('20990101000000')")
        .await;
    let found = examine(database.folder.path(), &variables).await;
    found.fails(&["SWITCHBOARD_DATABASE_URL", "20990101000000", "newer"]);
}

#[tokio::test]
async fn a_file_that_no_server_uses_stays_as_it_is() {
    let (folder, url) = folder();
    let place = ["migrate", "run", "--database-url", url.as_str()];
    run(folder.path(), &place, &[]).await.succeeded();
    let file = folder.path().join("switchboard.db");
    let before = std::fs::read(&file).unwrap();
    let bind = format!("127.0.0.1:{}", free_port());
    let variables = [("SWITCHBOARD_DATABASE_URL", url.as_str()), ("SWITCHBOARD_BIND", &bind)];
    examine(folder.path(), &variables).await.is_well(&["servers", "no server"]);
    assert!(std::fs::read(&file).unwrap() == before, "not a byte is another");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_a_missing_database_and_a_silent_port_are_distinguished() {
    // Given a PostgreSQL that requires a password,
    let postgres = PrivatePostgres::start().await;
    let mut beside = DirectConnection::connect(&postgres.url()).await;
    beside.execute("CREATE ROLE switchboard LOGIN PASSWORD 'right'").await;
    beside
        .execute(
            "DO $$ BEGIN EXECUTE format('COPY (SELECT ''host all all all scram-sha-256'') TO %L', \
             current_setting('hba_file')); PERFORM pg_reload_conf(); END $$",
        )
        .await;
    let (folder, _) = folder();
    let at = postgres.url().rsplit_once('@').unwrap().1.to_owned();
    let (place, _) = at.split_once('/').unwrap();
    let examine =
        async |url: &str| examine(folder.path(), &[("SWITCHBOARD_DATABASE_URL", url)]).await;
    // (PostgreSQL takes a moment to reload its configuration.)
    let wrong = format!("postgres://switchboard:hunter2@{at}");
    for _ in 0..400 {
        if tokio_postgres::connect(&wrong, tokio_postgres::NoTls).await.is_err() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await; // real time: another process
    }

    examine(&wrong).await.fails(&[
        "SWITCHBOARD_DATABASE_URL",
        "password authentication failed",
        "correct user and password",
    ]);
    let nowhere = format!("postgres://switchboard:right@{place}/nowhere");
    examine(&nowhere).await.fails(&["SWITCHBOARD_DATABASE_URL", "nowhere", "CREATE DATABASE"]);
    let silent = format!("postgres://switchboard:hunter2@127.0.0.1:{}/postgres", free_port());
    examine(&silent).await.fails(&[
        "SWITCHBOARD_DATABASE_URL",
        "refused",
        "make sure that it runs",
    ]);
}

#[tokio::test]
async fn a_database_that_takes_no_writes_is_a_failure() {
    let database = Database::postgres().await;
    let place = ["migrate", "run", "--database-url", database.url.as_str()];
    run(database.folder.path(), &place, &[]).await.succeeded();
    let name = database.url.rsplit_once('/').unwrap().1;
    let mut beside = DirectConnection::connect(&database.url).await;
    beside.execute(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    let variables = [("SWITCHBOARD_DATABASE_URL", database.url.as_str())];
    let found = examine(database.folder.path(), &variables).await;
    found.fails(&["SWITCHBOARD_DATABASE_URL", "accepts no writes", "read-only", "standby"]);
}

#[tokio::test]
async fn servers_that_ended_without_leaving_are_named() {
    // Given a database in which an instance is registered whose server is gone,
    let database = Database::postgres().await;
    let patient = DoctorTarget::on(&database.url).await;
    patient.server.kill().await;
    let variables: Vec<_> =
        patient.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();

    // then the doctor gives a warning with its id.
    let found = examine(patient.folder.path(), &variables).await;
    found.is_well(&["configuration"]);
    found.says("warning", &["servers", "no server runs", "ins_", "start one"]);
}

#[tokio::test]
async fn a_pooler_that_refuses_a_password_is_understood() {
    // PgBouncer uses one error code for all rejections.
    let database = Database::postgres().await;
    let pooler = PgBouncer::locked(&database.url, "switchboard", "right").await;
    let examine = async |url: &str| {
        examine(database.folder.path(), &[("SWITCHBOARD_DATABASE_URL", url)]).await
    };
    examine(&pooler.url).await.is_well(&["SWITCHBOARD_DATABASE_URL", "answers at"]);
    let wrong = pooler.url.replace(":right@", ":hunter2@");
    let found = examine(&wrong).await;
    found.fails(&[
        "SWITCHBOARD_DATABASE_URL",
        "authentication failed",
        "correct user and password",
    ]);
}

/// A private PostgreSQL server and a connection of its superuser.
struct Server {
    postgres: PrivatePostgres,
    superuser: DirectConnection,
    folder: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        let postgres = PrivatePostgres::start().await;
        let superuser = DirectConnection::connect(&postgres.url()).await;
        Self { postgres, superuser, folder: folder().0 }
    }

    /// Returns the URL of one of its databases for one of its roles.
    fn url(&self, role: &str, database: &str) -> String {
        let url = self.postgres.url();
        let (_, place) = url.rsplit_once('@').unwrap();
        let (place, _) = place.split_once('/').unwrap();
        format!("postgres://{role}@{place}/{database}")
    }

    /// Asserts that neither `serve` nor `doctor` accepts the database, and that both say these
    /// words.
    async fn expect_refusal(&self, url: &str, words: &[&str]) {
        let said = Starting::serve(url, &[], &[]).expect_failure(words[0]).await;
        for word in words {
            assert!(said.contains(word), "{word:?} in {said}");
        }
        let found = examine(self.folder.path(), &[("SWITCHBOARD_DATABASE_URL", url)]).await;
        found.fails(&[&["SWITCHBOARD_DATABASE_URL"], words].concat());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_whose_encoding_cannot_hold_every_text_is_refused() {
    let mut server = Server::start().await;
    for encoding in ["LATIN1", "SQL_ASCII"] {
        // Given a database whose encoding has no emoji,
        let name = encoding.to_lowercase();
        let create =
            format!("CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0");
        server.superuser.execute(&create).await;

        // when a server uses it, then it does not start, and the error says how to create a
        // database that works.
        let url = server.url("postgres", &name);
        server.expect_refusal(&url, &[encoding, "ENCODING 'UTF8'", "TEMPLATE template0"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_without_rights_is_told_the_grant_that_it_needs() {
    // Given roles that may only sign in,
    let mut server = Server::start().await;
    for statement in [
        "CREATE DATABASE messages ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0",
        "CREATE ROLE app LOGIN",
        "CREATE ROLE reader LOGIN",
    ] {
        server.superuser.execute(statement).await;
    }
    let mut owner = DirectConnection::connect(&server.url("postgres", "messages")).await;
    let (app, reader) = (server.url("app", "messages"), server.url("reader", "messages"));

    // when a server starts, then the error names the grant, for PostgreSQL 15's defaults and for a
    // role without any right on the schema.
    let grant = "GRANT USAGE, CREATE ON SCHEMA public TO app";
    server.expect_refusal(&app, &["may not create tables in the schema public", grant]).await;
    owner.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC").await;
    server.expect_refusal(&app, &["may use no schema of its search path", grant]).await;

    // With that grant the server starts.
    owner.execute(grant).await;
    let mut started = Starting::serve(&app, &[], &[]);
    started.says("ready").await;
    started.ends_on_request().await;

    // A role that may not use the tables gets the grant. A role that does not own the tables works
    // if there is nothing to migrate.
    owner.execute("GRANT USAGE ON SCHEMA public TO reader").await;
    let grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader";
    server.expect_refusal(&reader, &["may not read and write the table", grant]).await;
    owner.execute(grant).await;
    owner.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO reader").await;
    let mut started = Starting::serve(&reader, &[], &[]);
    started.says("ready").await;
    started.ends_on_request().await;

    // If there is something to migrate, the error names the owner.
    let mut beside = DirectConnection::connect(&app).await;
    beside
        .execute(
            "DELETE FROM __diesel_schema_migrations \
             WHERE version = (SELECT max(version) FROM __diesel_schema_migrations)",
        )
        .await;
    owner.execute("GRANT CREATE ON SCHEMA public TO reader").await;
    server.expect_refusal(&reader, &["the tables belong to app", "GRANT app TO reader"]).await;
}

on_each_database! {
    beside_a_healthy_server_all_is_well_and_nothing_changes,
    migrations_are_said_and_not_run,
}

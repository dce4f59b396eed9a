//! Inspects a PostgreSQL database without changing it.
use super::connect::{client, in_time, refused};
use super::distribute::as_ours;
use super::pool_mode::PoolMode;
use super::pooler::{detect_pool_mode, first};
use super::{distribution, migrate};
use crate::inspection::{
    ConnectionInspection, Encryption, InspectError, Inspection, StandbyInspection,
};
use crate::{Error, Result};
use database::postgres::config::Config;
use database::postgres::dial::NotConnected;
use database::postgres::requirements::Facts;
use domain::time::Timestamp;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// The time limit of the whole inspection, which waits for dozens of answers, possibly over a slow
/// connection.
const INSPECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Inserts a row with an id that no instance uses, so that the insertion never waits for an
/// instance's lock.
const TRY_WRITE: &str = "BEGIN; SET LOCAL lock_timeout = '2s'; \
                         INSERT INTO write_checks (id, at) VALUES (0, now())";
const SYSTEM: &str = "SELECT system_identifier FROM pg_control_system()";
const WRITTEN: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
                       THEN pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') END";
const REPLAYED: &str = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')";

pub async fn inspect(url: &str) -> Result<Inspection, InspectError> {
    let config = Config::read(url)?;
    let (client, encryption) = connected(&config).await?;
    let late = |_| Error::Connect(format!("no answer within {} s", INSPECT_TIMEOUT.as_secs()));
    Ok(timeout(INSPECT_TIMEOUT, inspect_connection(&config, &client, encryption))
        .await
        .map_err(late)??)
}

/// Inspects the standby behind `url` and its primary.
pub async fn inspect_standby(primary: &str, url: &str) -> Result<StandbyInspection, InspectError> {
    let (standby, encryption) = connected(&Config::read(url)?).await?;
    let (primary, _) = connected(&Config::read(primary)?).await?;
    let late = |_| Error::Connect(format!("no answer within {} s", INSPECT_TIMEOUT.as_secs()));
    Ok(timeout(INSPECT_TIMEOUT, compare(&primary, &standby, encryption)).await.map_err(late)??)
}

async fn compare(
    primary: &Client,
    standby: &Client,
    encryption: Option<Encryption>,
) -> Result<StandbyInspection> {
    let written = value(primary, WRITTEN).await?;
    let replayed = value(standby, REPLAYED).await?;
    let bytes = |text: &str| text.parse::<i64>().ok();
    let behind = bytes(&written).zip(bytes(&replayed)).map(|(all, some)| all.saturating_sub(some));
    Ok(StandbyInspection {
        version: format!("PostgreSQL {}", value(standby, "SHOW server_version").await?),
        is_standby: value(standby, "SELECT pg_is_in_recovery()").await? == "t",
        is_of_primary: value(primary, SYSTEM).await? == value(standby, SYSTEM).await?,
        behind: behind.unwrap_or_default().max(0),
        encryption,
    })
}

async fn connected(config: &Config) -> Result<(Client, Option<Encryption>), InspectError> {
    let connected = in_time(async { Ok(client(config).await) }).await;
    match connected {
        Ok(connected) => connected.map_err(not_connected),
        Err(late) => Err(InspectError::Unreachable(late.to_string())),
    }
}

async fn inspect_connection(
    config: &Config,
    client: &Client,
    encryption: Option<Encryption>,
) -> Result<Inspection> {
    let version = value(client, "SHOW server_version").await?;
    let facts = Facts::read(client).await?;
    facts.check()?;
    let link = ConnectionInspection {
        encryption,
        pooled: detect_pool_mode(config).await? == PoolMode::Transaction,
        clock: clock(client).await?,
    };
    let (pending, unknown) = migrate::pending_and_unknown(config).await?;
    let write = if pending.is_empty() {
        write(client).await
    } else {
        facts.check_migrations()?;
        writable(client).await
    };
    let version = format!("PostgreSQL {version}");
    let distribution = distribution::state(client).await.map_err(as_ours)?;
    Ok(Inspection { version, link: Some(link), pending, unknown, write, distribution })
}

fn not_connected(error: NotConnected) -> InspectError {
    match error {
        NotConnected::Server(error) => refused_by(&error),
        NotConnected::Settings(fault) => Error::from(fault).into(),
        NotConnected::Handshake(fault) => {
            InspectError::Tls { what: fault.to_string(), advice: fault.advice() }
        }
    }
}

fn refused_by(error: &tokio_postgres::Error) -> InspectError {
    let why = refused(error).to_string();
    // PgBouncer uses one error code for all rejections, so the text tells them apart.
    let pooler_says = |words: &str| {
        let violation = error.as_db_error().filter(|it| *it.code() == SqlState::PROTOCOL_VIOLATION);
        violation.is_some_and(|it| it.message().contains(words))
    };
    match error.code() {
        _ if pooler_says("authentication failed") || pooler_says("no such user") => {
            InspectError::Credentials(why)
        }
        _ if pooler_says("no such database") => InspectError::NoDatabase(why),
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => InspectError::NoDatabase(why),
        Some(code)
            if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
        {
            InspectError::Credentials(why)
        }
        _ => InspectError::Unreachable(why),
    }
}

async fn value(client: &Client, query: &str) -> Result<String> {
    Ok(first(client, query).await?.unwrap_or_default())
}

async fn clock(client: &Client) -> Result<Timestamp> {
    let asked = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let micros = value(client, asked).await?;
    let micros = micros.parse().map_err(|_| Error::Unknown(format!("the time is {micros:?}")))?;
    Ok(Timestamp::from_micros(micros))
}

/// Tries a write and rolls it back.
async fn write(client: &Client) -> Result<(), String> {
    let tried = client.batch_execute(TRY_WRITE).await;
    let undone = client.batch_execute("ROLLBACK").await;
    tried.and(undone).map_err(|error| refused(&error).to_string())
}

/// Checks whether writes are allowed, as far as that can be known before the tables exist.
async fn writable(client: &Client) -> Result<(), String> {
    let answer = value(client, "SHOW transaction_read_only").await;
    match answer.map_err(|error| error.to_string())?.as_str() {
        "off" => Ok(()),
        _ => Err("transactions are read-only".to_owned()),
    }
}

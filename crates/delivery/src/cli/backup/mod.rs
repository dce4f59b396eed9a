//! `switchboard backup` and `switchboard restore`.
//!
//! A backup is a folder with the state of the database at one moment, each file that the database
//! refers to, their checksums in the format of `sha256sum`, and a manifest. The manifest is written
//! last. A folder without a manifest is not a backup.

mod checking;
mod files;
mod key;
mod manifest;
mod media;
mod postgres;
mod progress;
mod report;
mod restoring;
mod sqlite;

use super::results::Output;
use super::serve::Signals;
use crate::output;
use anyhow::{Context as _, Result};
use clap::{Args, ValueHint};
use config::Settings;
use persistence::DatabaseLocation;
use std::path::PathBuf;

/// Arguments of `switchboard backup`.
#[derive(Debug, Args)]
pub struct MakeArguments {
    /// The folder to create.
    #[arg(value_hint = ValueHint::DirPath)]
    path: PathBuf,
    /// Copy the encryption key too. Anyone who has the backup can then read the channel tokens in
    /// it.
    #[arg(long)]
    with_key: bool,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `switchboard restore`.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// The folder of the backup.
    #[arg(value_hint = ValueHint::DirPath)]
    path: PathBuf,
    #[command(flatten)]
    output: Output,
}

pub async fn make(settings: &Settings, arguments: MakeArguments) -> Result<()> {
    let path = std::path::absolute(&arguments.path)?;
    let making = async {
        match &settings.database {
            DatabaseLocation::Sqlite(file) => {
                Box::pin(sqlite::make(settings, file, &path, arguments.with_key)).await
            }
            DatabaseLocation::Postgres(url) => {
                Box::pin(postgres::make(settings, url, &path, arguments.with_key)).await
            }
        }
    };
    let made = stopping_on_signal(making).await?;
    arguments.output.report(&made.json, || Ok(made.text.clone()))
}

pub async fn restore(settings: &Settings, arguments: &RestoreArguments) -> Result<()> {
    let path = arguments.path.canonicalize();
    let path = path.with_context(|| format!("there is no {}", arguments.path.display()))?;
    let restored = stopping_on_signal(Box::pin(restoring::restore(settings, &path))).await?;
    arguments.output.report(&restored.json, || Ok(restored.text.clone()))
}

/// Stops the work when a signal asks the program to stop. Dropping the work removes its unfinished
/// files. The program does not wait for threads of the work.
async fn stopping_on_signal<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut signals = Signals::listen()?;
    let signal = tokio::select! {
        done = work => return done,
        signal = signals.wait_for_stop() => signal,
    };
    output::note(&format!("stopped by {signal} before the end; the result is not usable"));
    std::process::exit(1)
}

//! The command line.

mod admin;
mod backup;
mod client;
mod closing;
mod doctor;
mod flags;
mod manual;
mod nodes;
mod serve;
mod waiting;

pub use serve::{Running, start};

use crate::{output, privacy};
use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, Parser, Subcommand};
use config::{Effective, Settings};
use flags::SettingFlags;
use futures_util::future::LocalBoxFuture;
use persistence::{DatabaseLocation, Db, ReportWait};
use reference::Reference;
use std::path::PathBuf;

/// Switchboard: a messaging API that you run yourself.
#[derive(Debug, Parser)]
#[command(name = "switchboard", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    settings: SettingFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the settings and what they name, and say what to do.
    ///
    /// Checks the database, disk, clock, Redis, base URL, certificate and channel. Changes nothing.
    /// Ends with 1 if a check failed, with 0 if there are only warnings.
    Doctor {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forward the events of a server to a program on this machine.
    ///
    /// The events keep their order and are signed like webhooks. The server needs no way to reach
    /// this machine. After a break the command continues where it stopped. Ctrl-C ends it.
    #[command(
        after_help = "Example: switchboard listen --forward-to http://localhost:3000/webhooks"
    )]
    Listen(client::ListenArguments),
    /// Send a text, for a first try.
    #[command(after_help = "Example: switchboard send --to +12025550100 --text 'Hello'")]
    Send(client::SendArguments),
    /// Make an event happen on a number of the sandbox, with real ids.
    ///
    /// A customer writes, a message is delivered, read or fails, a template is approved.
    ///
    /// The events are message.received, .queued, .sent, .delivered, .read, .failed, .edited and
    /// .deleted; contact.created; conversation.created; template.submitted, .approved, .rejected,
    /// .paused and .disabled.
    #[command(after_help = "Example: switchboard trigger message.received --text 'Are you open?'")]
    Trigger(client::TriggerArguments),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command.
    Man {
        /// The folder to write the pages to: `switchboard.1`, `switchboard-serve.1` and so on.
        folder: Option<PathBuf>,
    },
    #[command(flatten)]
    Configured(Configured),
}

/// Commands that need a valid configuration.
#[derive(Debug, Subcommand)]
enum Configured {
    /// Run the server: HTTP, the workers behind it, and metrics.
    Serve {
        /// On an empty database, create four organizations to try things out with, and print a curl
        /// command that works as pasted.
        #[arg(long)]
        demo: bool,
    },
    /// Print the effective configuration, with secrets hidden.
    Config {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Bring the database's tables up to date, or show which migrations have run.
    ///
    /// `serve` also migrates.
    #[command(subcommand)]
    Migrate(Migrate),
    /// Copy the database and the uploads of a server into a new folder.
    ///
    /// The server may keep running. On PostgreSQL, print the `pg_dump` command for the database.
    Backup(backup::MakeArguments),
    /// Restore a backup of a lost database and its uploads.
    ///
    /// Refuses a database that is not empty, and a backup that is damaged or was made by a newer
    /// version.
    Restore(backup::RestoreArguments),
    /// Print the reference of the REST API, generated from this program.
    Reference {
        /// The output format: Markdown, or the `OpenAPI` document.
        #[arg(long, value_enum, default_value = "md")]
        format: Format,
    },
    /// Manage organizations, members, numbers, plans and keys.
    ///
    /// A running server applies changes immediately.
    #[command(subcommand)]
    Admin(admin::AdminCommand),
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// Markdown.
    Md,
    /// The `OpenAPI` document.
    Openapi,
    /// The Postman collection.
    Postman,
    /// The settings, as Markdown.
    Settings,
}

#[derive(Debug, Subcommand)]
enum Migrate {
    /// Run the migrations that have not run yet.
    Run,
    /// Distribute the tables of a PostgreSQL with the Citus extension over its nodes, while servers
    /// use it. Continues an interrupted run.
    Distribute,
    /// List all migrations, and the nodes of a distributed PostgreSQL.
    Status {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command. The future is boxed so that its code is generated with this crate, and not
/// again with the binary, which is built after it and alone.
#[must_use]
pub fn run(cli: Cli) -> LocalBoxFuture<'static, Result<()>> {
    Box::pin(command(cli))
}

async fn command(cli: Cli) -> Result<()> {
    let command = match cli.command {
        Command::Doctor { json } => return doctor::run(cli.settings.0, json).await,
        Command::Listen(arguments) => return client::listen(arguments).await,
        Command::Send(arguments) => return client::send(arguments).await,
        Command::Trigger(arguments) => return client::trigger(arguments).await,
        Command::Completions { shell } => return manual::completions(&mut Cli::command(), shell),
        Command::Man { folder } => return manual::pages(Cli::command(), folder.as_deref()),
        Command::Configured(command) => command,
    };
    let effective = Effective::gather(std::env::vars(), cli.settings.0)?;
    let settings = Settings::read(&effective)?;
    if !settings.allow_debugger {
        privacy::close_memory().context("the memory of this process cannot be protected from other processes; set SWITCHBOARD_ALLOW_DEBUGGER=true to run without the protection")?;
    }
    match command {
        Configured::Serve { demo } => serve::serve(settings, demo).await,
        Configured::Config { json } => show(&effective, json),
        Configured::Migrate(Migrate::Run) => {
            open(&settings, &output::note).await?;
            Ok(output::line("The tables are up to date.")?)
        }
        Configured::Migrate(Migrate::Distribute) => distribute(&settings).await,
        Configured::Migrate(Migrate::Status { json }) => status(&settings, json).await,
        Configured::Backup(arguments) => backup::make(&settings, arguments).await,
        Configured::Restore(arguments) => backup::restore(&settings, &arguments).await,
        Configured::Reference { format } => Ok(output::print(&reference(&settings, format)?)?),
        Configured::Admin(command) => admin::run(&settings, command).await,
    }
}

fn reference(settings: &Settings, format: Format) -> Result<String> {
    let reference = Reference::new(&settings.base_url, &settings.upgrade_url);
    Ok(match format {
        Format::Md => reference.markdown()?,
        Format::Openapi => format!("{:#}\n", reference.openapi()),
        Format::Postman => format!("{:#}\n", reference.postman()),
        Format::Settings => config::markdown(),
    })
}

async fn open(settings: &Settings, report_wait: ReportWait<'_>) -> Result<Db> {
    let what = format!("the database {}", database_name(&settings.database));
    let open = async |tell: ReportWait<'_>| {
        Db::open(&settings.database, settings.database_connections, tell).await
    };
    let is_temporary = |error: &persistence::Error| matches!(error, persistence::Error::Connect(_));
    let opened = waiting::retrying(&what, settings.wait, report_wait, open, is_temporary).await;
    opened.with_context(|| cannot_open(settings))
}

fn cannot_open(settings: &Settings) -> String {
    format!("cannot open the database {}", database_name(&settings.database))
}

/// Returns a database's location without its password.
fn database_name(location: &DatabaseLocation) -> String {
    match location {
        DatabaseLocation::Sqlite(file) => format!("sqlite:{file}"),
        DatabaseLocation::Postgres(url) => config::without_password(url),
    }
}

fn show(effective: &Effective, json: bool) -> Result<()> {
    let shown: Vec<_> = effective.displayed().collect();
    if json {
        let entries = shown.iter().map(|(name, value, origin)| {
            let entry = serde_json::json!({"value": value, "from": origin.to_string()});
            ((*name).to_owned(), entry)
        });
        return Ok(output::line(serde_json::Value::Object(entries.collect()))?);
    }
    let lines =
        shown.iter().map(|(name, value, origin)| format!("{name:<22} {value:<40} # {origin}\n"));
    Ok(output::print(&lines.collect::<String>())?)
}

async fn status(settings: &Settings, json: bool) -> Result<()> {
    let states = Db::migrations(&settings.database).await;
    let states = states.with_context(|| cannot_open(settings))?;
    if json {
        let states: Vec<_> = states
            .iter()
            .map(|state| serde_json::json!({"name": state.name, "applied": state.applied}))
            .collect();
        return Ok(output::line(serde_json::Value::Array(states))?);
    }
    let word = |applied| if applied { "applied" } else { "pending" };
    let lines = states.iter().map(|state| format!("{}  {}\n", word(state.applied), state.name));
    output::print(&lines.collect::<String>())?;
    let distribution = Db::distribution(&settings.database).await;
    let distribution = distribution.with_context(|| cannot_open(settings))?;
    Ok(output::print(&distribution.as_ref().map(nodes::lines).unwrap_or_default())?)
}

async fn distribute(settings: &Settings) -> Result<()> {
    let distributed = Db::distribute(&settings.database, &output::note).await;
    distributed
        .with_context(|| format!("cannot distribute {}", database_name(&settings.database)))?;
    Ok(output::line("The tables are distributed.")?)
}

//! The command line.

mod admin;
mod backup;
mod client;
mod closing;
mod completions;
mod doctor;
mod error;
mod error_report;
mod flags;
mod manual;
mod nodes;
mod prompting;
mod results;
mod serve;
mod terminal;
mod values;
mod waiting;

pub use serve::{Running, start};

use crate::{output, privacy};
use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, Parser, Subcommand, ValueHint};
use config::{Effective, Settings};
use error_report::{ErrorReport, asks_for_json, is_usage};
use flags::SettingFlags;
use futures_util::future::LocalBoxFuture;
use persistence::{DatabaseLocation, Db, MigrationState, ReportWait};
use reference::Reference;
use results::{Output, ResultPage};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit code of a command whose arguments are wrong. After any other error the exit code is 1.
const USAGE_EXIT_CODE: u8 = 2;
/// The short help of the program: its commands, without the options.
const SHORT_HELP: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{subcommands}{after-help}";

/// Switchboard: a messaging API that you run yourself.
#[derive(Debug, Parser)]
#[command(
    name = "switchboard",
    version,
    max_term_width = 100,
    after_help = "Example: switchboard serve --demo (options and settings: switchboard --help)",
    after_long_help = "\
Examples:
  switchboard serve --demo                     a server with example data
  switchboard doctor                           what is wrong with the settings
  switchboard admin organization list --json   lists and objects for programs
  switchboard listen --forward-to http://localhost:3000/webhooks

The exit code is 0 after success, 2 if the arguments are wrong, and 1 after any other error."
)]
pub struct Cli {
    #[command(flatten)]
    settings: SettingFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Configured(Configured),
    /// Check the settings and what they name, and say what to do.
    ///
    /// Checks the database, disk, clock, Redis, base URL, certificate and channel. Changes nothing.
    /// Ends with 1 if a check failed, with 0 if there are only warnings.
    #[command(after_help = "Example: switchboard doctor --json")]
    Doctor {
        #[command(flatten)]
        output: Output,
    },
    /// Forward the events of a server to a program on this machine.
    ///
    /// The events keep their order and are signed like webhooks. The server needs no way to reach
    /// this machine. After a broken connection the command continues where it stopped. A resend or a
    /// replay in the dashboard arrives here, too. The command reads events with the key, once a
    /// second while events arrive. Ctrl-C ends it.
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
    #[command(
        after_help = "Example: switchboard completions bash > ~/.local/share/bash-completion/completions/switchboard"
    )]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command.
    #[command(after_help = "Example: switchboard man | man -l -")]
    Man {
        /// The folder to write the pages to: `switchboard.1`, `switchboard-serve.1` and so on.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
}

/// Commands that need a valid configuration.
#[derive(Debug, Subcommand)]
enum Configured {
    /// Run the server: HTTP, the workers behind it, and metrics.
    #[command(after_help = "\
Examples:
  switchboard serve --demo
  switchboard serve --bind 0.0.0.0:8080 --base-url https://messages.example.com")]
    Serve {
        /// On an empty database, create four organizations to try things out with, and print a curl
        /// command that works as pasted.
        #[arg(long)]
        demo: bool,
    },
    /// Manage organizations, members, numbers, plans and keys.
    ///
    /// A running server applies changes immediately.
    #[command(
        subcommand,
        after_help = "\
Examples:
  switchboard admin organization create --name Bakery
  switchboard admin key create --organization Bakery --name Shop --scopes messages.send
  switchboard admin key list --json"
    )]
    Admin(admin::AdminCommand),
    /// Print the effective configuration, with secrets hidden.
    #[command(after_help = "Example: switchboard config --json")]
    Config {
        #[command(flatten)]
        output: Output,
    },
    /// Bring the database's tables up to date, or show which migrations have run.
    ///
    /// `serve` also migrates.
    #[command(subcommand)]
    Migrate(Migrate),
    /// Copy the database and the uploads of a server into a new folder.
    ///
    /// The server may keep running. On PostgreSQL, print the `pg_dump` command for the database.
    #[command(after_help = "Example: switchboard backup /var/backups/switchboard/monday")]
    Backup(backup::MakeArguments),
    /// Restore a backup of a lost database and its uploads.
    ///
    /// Refuses a database that is not empty, and a backup that is damaged or was made by a newer
    /// version.
    #[command(after_help = "Example: switchboard restore /var/backups/switchboard/monday")]
    Restore(backup::RestoreArguments),
    /// Print the reference of the REST API, generated from this program.
    #[command(after_help = "Example: switchboard reference --format openapi > openapi.json")]
    Reference {
        /// The output format: Markdown, or the `OpenAPI` document.
        #[arg(long, value_enum, default_value = "md")]
        format: Format,
    },
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
    #[command(after_help = "Example: switchboard migrate run")]
    Run {
        #[command(flatten)]
        output: Output,
    },
    /// Distribute the tables of a PostgreSQL with the Citus extension over its nodes, while servers
    /// use it. Continues an interrupted run.
    #[command(after_help = "Example: switchboard migrate distribute")]
    Distribute {
        #[command(flatten)]
        output: Output,
    },
    /// List all migrations, and the nodes of a distributed PostgreSQL.
    #[command(after_help = "Example: switchboard migrate status")]
    Status {
        #[command(flatten)]
        output: Output,
    },
}

/// Runs the program and returns its exit code. The future is boxed so that its code is generated
/// with this crate. Otherwise it would be generated again with the binary, which is built
/// afterwards.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> LocalBoxFuture<'static, ExitCode> {
    Box::pin(run(arguments))
}

async fn run(arguments: Vec<OsString>) -> ExitCode {
    let json = asks_for_json(&arguments);
    let program = program(&arguments);
    let cli: Cli = match prompting::parse(&program, arguments) {
        Ok(cli) => cli,
        Err(error) if json && error.use_stderr() => {
            print_as_json(&ErrorReport::of_arguments(&error));
            return USAGE_EXIT_CODE.into();
        }
        Err(error) => {
            let code = if error.use_stderr() { USAGE_EXIT_CODE } else { 0 };
            // If the reader has closed the pipe, that is no error.
            drop(error.print());
            return code.into();
        }
    };
    let error = match command(cli).await {
        Ok(()) => return ExitCode::SUCCESS,
        Err(error) if output::is_unread(&error) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    if json {
        print_as_json(&ErrorReport::from(&error));
    } else {
        output::note(&format!("error: {error:#}"));
    }
    if is_usage(&error) { USAGE_EXIT_CODE.into() } else { ExitCode::FAILURE }
}

/// Returns the program for these arguments. The short help and the long help have different
/// templates, but clap takes only one template for both. The long help of a command that reads no
/// settings does not list them.
fn program(arguments: &[OsString]) -> clap::Command {
    let is_long = arguments.iter().skip(1).any(|it| it == "--help" || it == "help");
    if !is_long {
        return Cli::command().help_template(SHORT_HELP);
    }
    let mut words = arguments.iter().skip(1).filter(|it| *it != "help");
    let first = words.find_map(|it| it.to_str().filter(|it| !it.starts_with('-')));
    let reads_settings = first.is_none_or(|it| !flags::WITHOUT_SETTINGS.contains(&it));
    if reads_settings { Cli::command() } else { flags::without_settings(Cli::command()) }
}

fn print_as_json(report: &ErrorReport) {
    output::note(&json!(report).to_string());
}

async fn command(cli: Cli) -> Result<()> {
    let command = match cli.command {
        Command::Doctor { output } => return doctor::run(cli.settings.0, output).await,
        Command::Listen(arguments) => return client::listen(arguments).await,
        Command::Send(arguments) => return client::send(arguments).await,
        Command::Trigger(arguments) => return client::trigger(arguments).await,
        Command::Completions { shell } => return completions::print(shell, commands()),
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
        Configured::Config { output } => show(&effective, output),
        Configured::Migrate(Migrate::Run { output }) => migrate(&settings, output).await,
        Configured::Migrate(Migrate::Distribute { output }) => distribute(&settings, output).await,
        Configured::Migrate(Migrate::Status { output }) => status(&settings, output).await,
        Configured::Backup(arguments) => backup::make(&settings, arguments).await,
        Configured::Restore(arguments) => backup::restore(&settings, &arguments).await,
        Configured::Reference { format } => Ok(output::print(&reference(&settings, format)?)?),
        Configured::Admin(command) => admin::run(&settings, command).await,
    }
}

/// Returns the commands without the settings.
fn commands() -> clap::Command {
    let program = Cli::command();
    let empty = clap::Command::new("switchboard").version(env!("CARGO_PKG_VERSION"));
    let empty = empty.about(program.get_about().cloned().unwrap_or_default());
    Command::augment_subcommands(empty)
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

fn show(effective: &Effective, output: Output) -> Result<()> {
    let shown: Vec<_> = effective.displayed().collect();
    let entries = shown.iter().map(|(name, value, origin)| {
        ((*name).to_owned(), json!({"value": value, "from": origin.to_string()}))
    });
    let value = Value::Object(entries.collect());
    output.report(&value, || {
        let lines = shown
            .iter()
            .map(|(name, value, origin)| format!("{name:<22} {value:<40} # {origin}\n"));
        Ok(lines.collect())
    })
}

async fn migrate(settings: &Settings, output: Output) -> Result<()> {
    open(settings, &output::note).await?;
    output.report(&json!({"migrated": true}), || Ok("The tables are up to date.\n".to_owned()))
}

async fn status(settings: &Settings, output: Output) -> Result<()> {
    let states = Db::migrations(&settings.database).await;
    let states = states.with_context(|| cannot_open(settings))?;
    let entry = |state: &MigrationState| json!({"name": state.name, "applied": state.applied});
    let page = ResultPage::from(states.iter().map(entry).collect::<Vec<_>>());
    let distribution = Db::distribution(&settings.database).await;
    let distribution = distribution.with_context(|| cannot_open(settings))?;
    output.list(&page, "There are no migrations.", |_| {
        let word = |applied| if applied { "applied" } else { "pending" };
        let lines = states.iter().map(|state| format!("{}  {}\n", word(state.applied), state.name));
        let nodes = distribution.as_ref().map(nodes::lines).unwrap_or_default();
        Ok(lines.collect::<String>() + &nodes)
    })
}

async fn distribute(settings: &Settings, output: Output) -> Result<()> {
    let distributed = Db::distribute(&settings.database, &output::note).await;
    distributed
        .with_context(|| format!("cannot distribute {}", database_name(&settings.database)))?;
    output.report(&json!({"distributed": true}), || Ok("The tables are distributed.\n".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands that print a document or run until they are stopped, and so have no `--json`.
    const WITHOUT_JSON: [&str; 4] = [
        "switchboard serve",
        "switchboard completions",
        "switchboard man",
        "switchboard reference",
    ];

    /// Collects the commands without subcommands, each with its full command line.
    fn collect(command: &clap::Command, typed: &str, found: &mut Vec<(String, clap::Command)>) {
        if !command.has_subcommands() {
            found.push((typed.to_owned(), command.clone()));
        }
        for part in command.get_subcommands() {
            collect(part, &format!("{typed} {}", part.get_name()), found);
        }
    }

    fn all_commands() -> Vec<(String, clap::Command)> {
        let mut found = Vec::new();
        collect(&Cli::command(), "switchboard", &mut found);
        found
    }

    /// Returns the examples in the help of a command.
    fn examples(command: &clap::Command) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let help = help.replace("\\\n", " ");
        let lines = help.lines().map(|line| line.trim().trim_start_matches("Example: "));
        lines.filter(|line| line.starts_with("switchboard ")).map(str::to_owned).collect()
    }

    /// Returns the words of a line as a shell reads them, up to the first redirection.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                '<' | '>' | '|' if !is_quoted => break,
                ' ' if !is_quoted => words.push(String::new()),
                letter => words.last_mut().unwrap().push(letter),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn the_help_of_each_command_has_an_example_that_can_be_typed() {
        let all = all_commands();
        assert!(all.len() > 50, "{} commands", all.len());
        for (typed, command) in all {
            let examples = examples(&command);
            assert!(examples.iter().any(|it| it.starts_with(&typed)), "{typed} has no example");
            for example in examples {
                let parsed = Cli::try_parse_from(words(&example));
                assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn the_help_of_a_command_without_settings_lists_none() {
        let help = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let asked = program(&words).try_get_matches_from(words);
            asked.unwrap_err().to_string()
        };
        for command in ["listen", "send", "trigger", "completions", "man"] {
            let asked = help(&["switchboard", command, "--help"]);
            assert!(!asked.contains("--database-url"), "{asked}");
            let asked = help(&["switchboard", "help", command]);
            assert!(!asked.contains("--database-url"), "{asked}");
        }
        assert!(help(&["switchboard", "serve", "--help"]).contains("--database-url"));
        assert!(help(&["switchboard", "help", "serve"]).contains("--database-url"));
    }

    #[test]
    fn each_command_that_prints_a_result_takes_json() {
        for (typed, command) in all_commands() {
            let takes_json = command.get_arguments().any(|arg| arg.get_id().as_str() == "json");
            assert_eq!(takes_json, !WITHOUT_JSON.contains(&typed.as_str()), "{typed}");
        }
    }
}

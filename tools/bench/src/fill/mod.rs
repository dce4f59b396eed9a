//! `cargo xtask fill`: creates a database as large as a busy organization's after a year.

mod backlog;
mod counts;
mod database;
mod filled;
mod ids;
mod row;
mod shape;
mod site;
mod tables;
mod webhooks;
mod world;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use domain::id::PlanId;
use serde_json::json;

pub use self::backlog::Backlog;
pub use self::counts::Counts;
pub use self::database::Database;
pub use self::filled::Filled;
pub use self::site::{BUSINESS_ID, Binary, PASSWORD, PHONE_NUMBER_ID, text};

use self::shape::Shape;
use self::site::PLAN;
pub use self::world::World;
use servers::clock::{self, Stopwatch};
use servers::programs;
use servers::step::{seconds, step};
use servers::workspace::Workspace;

/// The number of rows from which on the writing of a table gets its own progress line.
const LONG: i64 = 100_000;

#[derive(Args)]
pub struct Options {
    /// The database, in the form of the server's setting: sqlite:PATH or postgres://… (as a
    /// superuser of a private server)
    #[arg(long, value_name = "URL")]
    database: String,
    /// Messages of the organization; 10000000 is the full size, 10000 is a small size for
    /// comparisons. The defaults of the following numbers are derived from this number
    #[arg(long, default_value_t = 10_000_000)]
    messages: i64,
    /// Conversations; one of them has a hundredth of the messages
    #[arg(long)]
    conversations: Option<i64>,
    /// Events, and the same number of deliveries
    #[arg(long)]
    events: Option<i64>,
    /// Webhook endpoints, including those of connected applications
    #[arg(long)]
    endpoints: Option<i64>,
    /// Templates
    #[arg(long)]
    templates: Option<i64>,
    /// Keys
    #[arg(long)]
    keys: Option<i64>,
    /// Other organizations, each connected with the organization's application
    #[arg(long)]
    organizations: Option<i64>,
    /// The server's binary, which migrates the database and creates the organization; built if it
    /// is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// The folder of the server's files, including its encryption key: start the server there
    /// afterwards
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Options {
    fn counts(&self) -> Counts {
        let whole = Counts::of(self.messages);
        Counts {
            messages: self.messages,
            conversations: self.conversations.unwrap_or(whole.conversations),
            events: self.events.unwrap_or(whole.events),
            endpoints: self.endpoints.unwrap_or(whole.endpoints),
            templates: self.templates.unwrap_or(whole.templates),
            keys: self.keys.unwrap_or(whole.keys),
            organizations: self.organizations.unwrap_or(whole.organizations),
        }
    }
}

/// Fills a database and prints credentials for using it.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_FILL)?;
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => built(workspace)?,
    };
    let database = Database::of(&options.database)?;
    let filled = fill(database, &binary, &options.folder, options.counts())?;
    let site = &filled.world.site;
    let organization = filled.organization();
    if options.json {
        let printed = json!({
            "organization": organization,
            "client_id": site.key.0, "client_secret": site.key.1,
            "email": site.email, "password": PASSWORD,
            "application": {"client_id": site.application.0, "client_secret": site.application.1},
        });
        println!("{printed:#}");
    } else {
        println!("organization   {organization}");
        println!("client_id      {}", site.key.0);
        println!("client_secret  {}", site.key.1);
        println!("member         {} (password: {PASSWORD})", site.email);
        println!("application    {} {}", site.application.0, site.application.1);
    }
    Ok(())
}

/// Builds the server's binary in this workspace.
pub fn built(workspace: &Workspace) -> Result<PathBuf> {
    let targets = ["--release", "-p", "delivery", "--bin", "switchboard"];
    let built = step("cargo build --release", || workspace.build(&targets))?;
    Ok(built.get("switchboard")?.to_owned())
}

/// Migrates a database, creates the organization, and fills the tables.
pub fn fill(database: Database, file: &Path, folder: &Path, counts: Counts) -> Result<Filled> {
    counts.check()?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (url, watch) = (database.url(), Stopwatch::start());
    let binary = Binary { file, url: &url, folder: std::path::absolute(folder)? };
    step("migrating", || binary.migrate())?;
    if database.number("SELECT count(*) FROM organizations")? > 0 {
        bail!("the database already has organizations: fill an empty one");
    }
    let site = step("making the organization", || binary.make())?;
    let plan = database.run(&match &database {
        Database::Sqlite(_) => format!("SELECT lower(hex(id)) FROM plans WHERE name = '{PLAN}'"),
        Database::Postgres(_) => {
            format!("SELECT replace(id::text, '-', '') FROM plans WHERE name = '{PLAN}'")
        }
    })?;
    let plan = u128::from_str_radix(plan.trim(), 16).context("the plan has no id")?;
    let now = i64::try_from(clock::now().unix_timestamp_nanos() / 1_000_000)? * 1000;
    let world =
        World { shape: Shape { counts, now }, site, plan: PlanId::from_bytes(plan.to_be_bytes()) };
    write(&database, &world)?;
    eprintln!("[xtask] filled {} in {}", database.name(), seconds(watch.elapsed()));
    let filled = Filled { folder: binary.folder, database, world };
    filled.keep()?;
    Ok(filled)
}

/// The statement that computes the counts. PostgreSQL is filled with its triggers switched off,
/// which otherwise maintain them.
const COUNT_TEMPLATES: &str = "INSERT INTO template_counts
SELECT organization_id, status, category, language, count(*) FROM templates WHERE true
GROUP BY organization_id, status, category, language
ON CONFLICT (organization_id, status, category, language) DO UPDATE SET templates = excluded.templates";

/// Runs work as a reported step only if it takes long.
fn step_if(is_long: bool, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if is_long { step(name, work) } else { work() }
}

fn write(database: &Database, world: &World) -> Result<()> {
    // The server has created the counter with the organization's first event.
    database.run("DELETE FROM event_counters")?;
    let tables = tables::all(world);
    let mut names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut indexes = Vec::new();
    for name in names {
        indexes.extend(database.drop_indexes(name)?);
    }
    for table in &tables {
        let rows = format!("{} rows of {}", table.rows, table.name);
        step_if(table.rows >= LONG, &rows, || database.write(table, world, 0))?;
    }
    let is_long = world.shape.counts.messages >= LONG;
    for index in &indexes {
        step_if(is_long, &format!("index {}", index.name), || database.make_index(index))?;
    }
    database.run(COUNT_TEMPLATES)?;
    step_if(is_long, "statistics", || database.finish())
}

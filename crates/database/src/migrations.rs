//! The migrations of a database: their states, and running the pending ones.
use crate::{Error, Result};
use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};

/// A migration of this program, and whether it has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationState {
    /// The name of the migration's folder.
    pub name: String,
    pub applied: bool,
}

/// Runs the pending migrations, each transformed by `prepared`. Reports each migration to `tell`
/// before it begins, because it may take minutes. In a new database no migration takes long, and
/// nothing is reported. Returns whether there were pending migrations.
pub fn run_pending<DB: Backend>(
    harness: &mut impl MigrationHarness<DB>,
    migrations: EmbeddedMigrations,
    prepared: impl Fn(Box<dyn Migration<DB>>) -> Box<dyn Migration<DB>>,
    tell: &dyn Fn(&str),
) -> diesel::migration::Result<bool>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let is_new = harness.applied_migrations()?.is_empty();
    let pending = harness.pending_migrations(migrations)?;
    let all = pending.len();
    for (done, migration) in pending.into_iter().enumerate() {
        if !is_new {
            tell(&format!("running migration {} ({} of {all})", migration.name(), done + 1));
        }
        harness.run_migration(&*prepared(migration))?;
    }
    Ok(all > 0)
}

/// Returns all migrations of this program, sorted by name, and whether each has run.
pub fn migration_states<DB: Backend>(
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<Vec<MigrationState>>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let embedded = MigrationSource::<DB>::migrations(migrations);
    let embedded = embedded.map_err(|error| Error::Migrate(error.to_string()))?;
    let mut states: Vec<_> = embedded
        .iter()
        .map(|migration| MigrationState {
            name: migration.name().to_string(),
            applied: applied.contains(&migration.name().version().to_string()),
        })
        .collect();
    states.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(states)
}

/// Returns the names of the migrations that have not run, and the versions that have run but are
/// unknown to this program.
pub fn pending_and_unknown<DB: Backend>(
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<(Vec<String>, Vec<String>)>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let embedded = MigrationSource::<DB>::migrations(migrations);
    let embedded = embedded.map_err(|error| Error::Migrate(error.to_string()))?;
    let versions: Vec<String> = embedded.iter().map(|it| it.name().version().to_string()).collect();
    let unknown = applied.iter().filter(|it| !versions.contains(it)).cloned().collect();
    let states = migration_states::<DB>(applied, migrations)?;
    let pending = states.into_iter().filter(|it| !it.applied).map(|it| it.name).collect();
    Ok((pending, unknown))
}

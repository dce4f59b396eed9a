//! Which migrations a database has seen.
use crate::{Error, Result};
use diesel::migration::MigrationSource;
use diesel_migrations::EmbeddedMigrations;

/// One migration of this program, and whether it has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationState {
    /// Its folder's name.
    pub name: String,
    /// Whether it has run on that database.
    pub applied: bool,
}

/// Of all migrations of this program, which have run.
pub fn migration_states<DB: diesel::backend::Backend>(
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<Vec<MigrationState>>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let known = MigrationSource::<DB>::migrations(migrations);
    let known = known.map_err(|error| Error::Migrate(error.to_string()))?;
    let mut states: Vec<_> = known
        .iter()
        .map(|migration| MigrationState {
            name: migration.name().to_string(),
            applied: applied.contains(&migration.name().version().to_string()),
        })
        .collect();
    states.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(states)
}

/// Of all migrations, those that have not run, and the versions of those that have and that nobody knows here.
pub fn pending_and_unknown<DB: diesel::backend::Backend>(
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<(Vec<String>, Vec<String>)>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let known = MigrationSource::<DB>::migrations(migrations);
    let known = known.map_err(|error| Error::Migrate(error.to_string()))?;
    let versions: Vec<String> = known.iter().map(|it| it.name().version().to_string()).collect();
    let unknown = applied.iter().filter(|it| !versions.contains(it)).cloned().collect();
    let states = migration_states::<DB>(applied, migrations)?;
    let pending = states.into_iter().filter(|it| !it.applied).map(|it| it.name).collect();
    Ok((pending, unknown))
}

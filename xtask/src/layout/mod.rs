//! `cargo xtask layout`: which functions a start and the hottest calls execute, so that the linker puts them together.
//!
//! `crates/delivery/build.rs` hands the list to the linker. Names hold hashes of their crates with all that those depend on: a
//! dependency or a toolchain of another version, or another feature, renames them, and the list has to be written again.

mod executed;
mod map;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use self::map::Map;
use crate::fill::Binary;
use crate::instructions::{Counter, Server, make_each};
use crate::servers::{Durability, Postgres};
use crate::step::step;
use crate::tidy::{Tree, link_order};
use crate::workspace::Workspace;
use crate::{process, programs};

/// The list.
const FILE: &str = link_order::LIST;
/// The setting of `build.rs` that asks for the linker's map.
const MAP: &str = "SWITCHBOARD_LINK_MAP";
/// In per cent: of the list, how much has to be in the program.
const LEAST_PRESENT: usize = 80;
/// What Callgrind is told beside what counting takes.
const EXACT: [&str; 4] =
    ["--instr-atstart=yes", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"];

/// What to do.
#[derive(Args)]
pub struct Options {
    /// Change nothing, and fail where most of the list is not in the program any more
    #[arg(long)]
    check: bool,
}

/// Writes the list, or looks whether the program still has what is in it.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_INSTRUCTIONS)?;
    let (program, map) = step("building the server for release", || build(workspace))?;
    let file = workspace.root().join(FILE);
    if options.check {
        return check(&fs::read_to_string(&file).context("cannot read the list")?, &map);
    }
    let base = tempfile::tempdir().context("cannot make a directory")?;
    let postgres = Postgres::start(Durability::Volatile, base.path())?;
    let on_sqlite = step("on SQLite", || execute(&program, &map, None))?;
    let on_postgres = step("on PostgreSQL", || execute(&program, &map, Some(postgres.url())))?;
    let heading = link_order::heading(&Tree::read(workspace.root())?);
    let names = list(&map, &on_sqlite, &on_postgres);
    fs::write(&file, format!("{heading}\n{names}")).context("cannot write the list")
}

/// The program as it is released, and where its functions are.
fn build(workspace: &Workspace) -> Result<(PathBuf, Map)> {
    let map = workspace.target_directory()?.join("layout.map");
    let selection = ["--release", "--workspace", "--bin", "switchboard"];
    let built = workspace.build_with(&[(MAP, map.as_os_str())], &selection)?;
    let text = fs::read_to_string(&map).with_context(|| {
        format!("no {}: the list is for Linux on x86_64 and the linker of Rust", map.display())
    })?;
    // As Callgrind names it.
    let program = fs::canonicalize(built.get("switchboard")?)?;
    Ok((program, Map::of(&text)))
}

/// Has the program make its tables, starts it, makes each of the hottest calls, and says which functions all that took, by their
/// addresses.
fn execute(program: &Path, map: &Map, postgres: Option<String>) -> Result<BTreeSet<u64>> {
    let mut dumps = migrate(program, postgres.as_deref())?;
    let server = Server::start_with(program, postgres, &EXACT)?;
    make_each(&server)?;
    dumps.extend(server.counter().dump()?);
    let executed = dumps.iter().flat_map(|dump| executed::addresses(dump, program));
    let functions: BTreeSet<u64> =
        executed.filter_map(|address| map.function_at(address)).collect();
    ensure!(!functions.is_empty(), "Callgrind saw no function of {}", program.display());
    Ok(functions)
}

/// What making the tables of a new database takes: the first start does it.
fn migrate(program: &Path, postgres: Option<&str>) -> Result<Vec<String>> {
    let files = tempfile::tempdir().context("cannot make a directory")?;
    let url = match postgres {
        Some(url) => url.to_owned(),
        None => format!("sqlite:{}", files.path().join("switchboard.db").display()),
    };
    let binary = Binary { file: program, url: &url, folder: files.path().to_owned() };
    let command = binary.command(&["migrate", "run"]);
    process::stdout(&mut Counter::around(&command, files.path(), &EXACT)?)?;
    Counter::written(files.path())
}

/// What both databases need goes between what only one of them does.
fn list(map: &Map, on_sqlite: &BTreeSet<u64>, on_postgres: &BTreeSet<u64>) -> String {
    let parts = [on_sqlite - on_postgres, on_sqlite & on_postgres, on_postgres - on_sqlite];
    let names = parts.iter().flatten().filter_map(|function| map.name(*function));
    names.flat_map(|name| [name, "\n"]).collect()
}

fn check(list: &str, map: &Map) -> Result<()> {
    let names: BTreeSet<&str> = map.names().collect();
    let listed = || list.lines().filter(|line| !line.starts_with('#'));
    let all = listed().count();
    let present = listed().filter(|name| names.contains(name)).count();
    println!("{present} of {all} functions of {FILE} are in the program");
    ensure!(
        present * 100 >= all * LEAST_PRESENT && all > 0,
        "{FILE} is of another program: write it with `cargo xtask layout`"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "400 400 1000 16 .text\n\
                       400 400 10 1 both\n410 410 10 1 postgres\n420 420 10 1 sqlite\n430 430 10 1 never\n";

    #[test]
    fn what_both_databases_need_is_between_what_one_needs() {
        let map = Map::of(MAP);
        let (on_sqlite, on_postgres) = ([0x400, 0x420].into(), [0x400, 0x410].into());
        assert_eq!(list(&map, &on_sqlite, &on_postgres), "sqlite\nboth\npostgres\n");
    }

    #[test]
    fn a_list_of_another_program_is_refused() {
        let map = Map::of(MAP);
        assert!(check("both\nsqlite\npostgres\nnever\ngone\n", &map).is_ok());
        assert!(check("both\ngone\n", &map).is_err());
        assert!(check("", &map).is_err());
    }

    /// Names hold hashes of features. `cargo run --release` builds the server by itself, `cargo xtask package` with all others.
    #[test]
    fn a_server_that_is_built_by_itself_has_the_features_of_one_that_is_built_with_all_others() {
        let packages = |selection: &[&str]| -> BTreeSet<String> {
            let printed = ["--edges=no-dev,no-build", "--prefix=none", "--format={p} [{f}]"];
            let mut tree = Workspace::find().unwrap().cargo();
            tree.args(["tree", "--locked"]).args(printed).args(selection);
            let listed = process::stdout(&mut tree).unwrap();
            listed.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
        };
        let (alone, with_all) = (packages(&["--package=delivery"]), packages(&["--workspace"]));
        assert!(alone.len() > 100, "{alone:?}");
        let others: Vec<_> = alone.difference(&with_all).collect();
        assert!(others.is_empty(), "give these all features in Cargo.toml: {others:?}");
    }
}

//! `cargo xtask ci`: the checks that must pass before a change lands. `cargo xtask check`: the
//! quick ones.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{cargo_tools, docs, suite, tidy, tools};
use servers::step::Plan;
use servers::workspace::Workspace;
use servers::{process, programs};

/// Runs all checks until one fails, and prints a summary.
pub fn run(workspace: &Workspace) -> Result<()> {
    // Checked before the first build, because some dependencies compile C.
    programs::ensure(programs::FOR_TESTS)?;
    read(workspace)
        .then("doc", || doc(workspace))
        .then("docs", || docs::run(workspace, true))
        // Compiles the tests while the background step installs programs. Neither needs the other.
        .then("build", || {
            process::run(workspace.cargo().args(["test", "--quiet", "--workspace", "--no-run"]))
        })
        .in_background("install", || install(workspace))
        .then("deny", || deny(workspace))
        .then("machete", || machete(workspace))
        .then("test", || suite::run(workspace, suite::Database::Postgres, &[]))
        // Uses the program that the step `test` has built.
        .then("instructions", || {
            tools::run(workspace, "bench", "instructions", &tools::Arguments::default())
        })
        .then("advisories", || advisories(workspace))
        .run()
}

/// Runs a developer's checks before a commit: those that only read the code, and the tests of
/// crates that need no server.
pub fn check(workspace: &Workspace) -> Result<()> {
    let tests = [
        "test", "-q", "-p", "domain", "-p", "auth", "-p", "channel", "-p", "servers", "-p", "xtask",
    ];
    read(workspace).then("test", || process::run(workspace.cargo().args(tests))).run()
}

/// The checks that only read the code.
fn read(workspace: &Workspace) -> Plan<'_> {
    let cargo = |arguments: &[&str]| process::run(workspace.cargo().args(arguments));
    Plan::default()
        .then("tidy", || tidy::run(workspace))
        .then("fmt", move || cargo(&["fmt", "--all", "--check"]))
        .then("clippy", move || {
            cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
        })
}

/// Documents all crates. A broken link is an error.
///
/// rustdoc needs the metadata of a crate's dependencies. The clippy step has already written it,
/// and cargo reuses it if the compiler, its arguments and the features are the same. `--examples`
/// gives dependencies the same features as clippy's `--all-targets`. Programs with the name of a
/// library are left out, because their documentation would replace the library's.
fn doc(workspace: &Workspace) -> Result<()> {
    let sysroot = process::stdout(Command::new("rustc").args(["--print", "sysroot"]))?;
    let clippy = Path::new(sysroot.trim()).join("bin/clippy-driver");
    let programs = ["--bin", "switchboard", "--bin", "drills", "--bin", "xtask"];
    process::run(
        workspace
            .cargo()
            .args(["doc", "--no-deps", "--document-private-items"])
            .args(["--workspace", "--lib", "--examples"])
            .args(programs)
            .env("RUSTDOCFLAGS", "-Dwarnings")
            .env("RUSTC_WORKSPACE_WRAPPER", clippy)
            .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
    )
}

/// Installs the programs that later steps need from package registries.
fn install(workspace: &Workspace) -> Result<()> {
    cargo_tools::DENY.install(workspace)?;
    cargo_tools::MACHETE.install(workspace)?;
    suite::install(workspace).map(drop)
}

/// Checks for unused dependencies.
fn machete(workspace: &Workspace) -> Result<()> {
    process::run(&mut cargo_tools::MACHETE.command(workspace)?)
}

/// Checks licenses, bans and sources of dependencies.
fn deny(workspace: &Workspace) -> Result<()> {
    let mut deny = cargo_tools::DENY.command(workspace)?;
    process::run(deny.args(["check", "bans", "licenses", "sources"]))
}

/// Checks whether a dependency has a known vulnerability. The advisory database comes from the
/// network. If it cannot be fetched, the last lines of the run say so.
fn advisories(workspace: &Workspace) -> Result<()> {
    let deny = || cargo_tools::DENY.command(workspace);
    if !process::succeeds(deny()?.args(["fetch", "db"])) {
        println!("advisories NOT checked: their database cannot be fetched from here");
        return Ok(());
    }
    process::run(deny()?.args(["check", "advisories"]))
}

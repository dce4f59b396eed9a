//! `cargo xtask ci`: what must pass before a change lands, and `cargo xtask check`, what is quick of it.

use anyhow::Result;

use crate::step::Plan;
use crate::workspace::Workspace;
use crate::{docs, instructions, process, programs, suite, tidy};

/// Runs every check up to the first that fails, and sums up.
pub fn run(workspace: &Workspace) -> Result<()> {
    // Before the first build: some dependencies compile C.
    programs::ensure(programs::FOR_TESTS)?;
    read(workspace)
        .then("doc", || {
            let arguments = ["doc", "--workspace", "--no-deps", "--document-private-items"];
            process::run(workspace.cargo().args(arguments).env("RUSTDOCFLAGS", "-Dwarnings"))
        })
        .then("docs", || docs::run(workspace, true))
        .then("deny", || deny(workspace))
        .then("machete", || machete(workspace))
        .then("test", || suite::run(workspace, suite::Database::Postgres, &[]))
        // The program is the one that the tests have built.
        .then("instructions", || instructions::run(workspace, &instructions::Options::default()))
        .run()
}

/// What a developer runs before a commit: the checks that only read the code, and the tests of the crates that need
/// no server.
pub fn check(workspace: &Workspace) -> Result<()> {
    let tests = ["test", "-q", "-p", "domain", "-p", "auth", "-p", "channel", "-p", "xtask"];
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

/// Dependencies that nothing uses, as somebody else's eyes see it (`tidy` looks as well), wherever cargo-machete is installed.
fn machete(workspace: &Workspace) -> Result<()> {
    if !process::succeeds(workspace.cargo().args(["machete", "--version"])) {
        println!("cargo machete: not installed");
        return Ok(());
    }
    process::run(workspace.cargo().arg("machete"))
}

/// Licences, bans and sources wherever cargo-deny is installed; advisories too where their database can be had.
fn deny(workspace: &Workspace) -> Result<()> {
    if !process::succeeds(workspace.cargo().args(["deny", "--version"])) {
        println!("cargo deny: not installed, advisories not checked");
        return Ok(());
    }
    process::run(workspace.cargo().args(["deny", "check", "bans", "licenses", "sources"]))?;
    if !process::succeeds(workspace.cargo().args(["deny", "fetch", "db"])) {
        println!("cargo deny: the advisory database cannot be fetched, advisories not checked");
        return Ok(());
    }
    process::run(workspace.cargo().args(["deny", "check", "advisories"]))
}

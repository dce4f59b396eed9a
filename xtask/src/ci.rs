//! `cargo xtask ci`: what must pass before a change lands.

use anyhow::Result;

use crate::step::Plan;
use crate::workspace::Workspace;
use crate::{docs, process, programs, suite, tidy};

/// Runs every check up to the first that fails, and sums up.
pub fn run(workspace: &Workspace) -> Result<()> {
    // Before the first build: some dependencies compile C.
    programs::ensure(programs::FOR_TESTS)?;
    let cargo = |arguments: &[&str]| process::run(workspace.cargo().args(arguments));
    Plan::default()
        .then("tidy", || tidy::run(workspace))
        .then("fmt", || cargo(&["fmt", "--all", "--check"]))
        .then("clippy", || {
            cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
        })
        .then("doc", || {
            let arguments = ["doc", "--workspace", "--no-deps", "--document-private-items"];
            process::run(workspace.cargo().args(arguments).env("RUSTDOCFLAGS", "-Dwarnings"))
        })
        .then("docs", || docs::run(workspace, true))
        .then("deny", || deny(workspace))
        .then("test", || suite::run(workspace, &[]))
        .run()
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

//! The code that `xtask` and the tools share: private servers on free ports of the loopback
//! address, the programs installed on this machine, and running commands of the workspace. The
//! private servers stop when the program ends.
//!
//! This crate does not depend on the project's other crates, so that `xtask` compiles even if they
//! do not.

#![expect(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "only the programs of this workspace call it"
)]

mod account;
mod citus;
pub mod clock;
pub mod interrupt;
mod postgres;
pub mod process;
pub mod programs;
mod proxy;
mod redis;
mod running;
pub mod step;
pub mod workspace;

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result};

pub use self::account::Account;
pub use self::citus::{Citus, WORKERS};
pub use self::postgres::{Durability, Postgres};
pub use self::proxy::Proxy;
pub use self::redis::Redis;
pub use self::running::{Running, children};

/// How often a server is started on another port if it ends immediately. Another process may have
/// taken the port since it was found free.
const TRIES: u32 = 3;

/// Returns a port that is free now. Another process may take it before it is used.
pub fn free_port() -> Result<u16> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot find a free port")?;
    Ok(listener.local_addr().context("cannot find a free port")?.port())
}

/// Runs `launch` with a free port. If it fails, tries again with other ports.
pub fn on_a_free_port<T>(mut launch: impl FnMut(u16) -> Result<T>) -> Result<T> {
    let mut tried = 1;
    loop {
        match launch(free_port()?) {
            Err(_) if tried < TRIES => tried += 1,
            outcome => return outcome,
        }
        interrupt::check()?;
    }
}

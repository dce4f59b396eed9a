//! What `xtask` and the tools share: private servers on free ports of the loopback address, which
//! end with the program, the programs of the machine, and running commands of the workspace.
//!
//! This crate links none of the project's crates, so that `xtask` builds even if they do not.

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
mod redis;
mod running;
pub mod step;
pub mod workspace;

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result};

pub use self::account::Account;
pub use self::citus::{Citus, WORKERS};
pub use self::postgres::{Durability, Postgres};
pub use self::redis::Redis;
pub use self::running::{Running, children};

/// The number of attempts to start a server that ends immediately, because its port may have been
/// taken in the meantime.
const TRIES: u32 = 3;

/// Returns a port that is free at the moment.
pub fn free_port() -> Result<u16> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot find a free port")?;
    Ok(listener.local_addr().context("cannot find a free port")?.port())
}

/// Tries `launch` on several free ports.
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

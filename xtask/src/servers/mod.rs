//! Private servers: on a free port of the loopback address, with their data in a temporary
//! directory that is removed at the end.

mod account;
mod citus;
pub mod client;
mod etcd;
mod http;
mod member;
mod patroni;
mod postgres;
mod redis;
mod running;

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result};

pub use self::citus::{Citus, WORKERS};
pub use self::http::{Answer, answers, request};
pub use self::member::Member;
pub use self::patroni::Patroni;
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
fn on_a_free_port<T>(mut launch: impl FnMut(u16) -> Result<T>) -> Result<T> {
    let mut tried = 1;
    loop {
        match launch(free_port()?) {
            Err(_) if tried < TRIES => tried += 1,
            outcome => return outcome,
        }
        crate::interrupt::check()?;
    }
}

//! Authentication and authorization: secrets, passwords, sessions, handshakes and the rate limit.
//!
//! The functions are pure, like those of the crate `domain`: random bytes and the time are
//! arguments.

pub mod authorize;
pub mod code;
pub mod digest;
pub mod handshake;
pub mod password;
pub mod pkce;
pub mod rate;
pub mod seal;
pub mod secret;
pub mod session;
pub mod webhook;

//! Proofs of identity and the right to call: secrets, passwords, the rate window.
//!
//! Pure like `domain`: entropy and the time are arguments.

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

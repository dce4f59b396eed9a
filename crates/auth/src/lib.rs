//! Proofs of identity and the right to call: secrets, passwords, the rate window.
//!
//! Pure like `domain`: whoever calls brings the entropy and the time.

pub mod digest;
pub mod password;
pub mod rate;
pub mod seal;
pub mod secret;
pub mod signature;

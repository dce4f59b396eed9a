//! What happened, to be read (`contract.md` 4).

pub mod list;

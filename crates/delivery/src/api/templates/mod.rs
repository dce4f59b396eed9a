//! Making templates and reading how they stand (`service.md` 4.3 and 4.4).

pub mod create;
pub mod get;
pub mod list;

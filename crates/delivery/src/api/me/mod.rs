//! Who is calling, and handing a connection back (`service.md` 4.7).

pub mod delete;
pub mod get;

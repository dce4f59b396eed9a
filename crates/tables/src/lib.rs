//! The tables that both databases have: columns, records, and the domain's types as column values.
//! The queries are in `persistence`.

pub mod byte_order;
pub mod personal_data;
pub mod placement;
pub mod records;
#[expect(missing_docs, reason = "the migrations say what tables and columns are")]
pub mod schema;
pub mod types;

pub use stored_content as content;

//! The tables as both databases have them: their columns, the records that go into and come out of them, and the domain's types
//! as values of columns. What is asked of them is in `persistence`.

pub mod byte_order;
pub mod placement;
pub mod records;
#[expect(missing_docs, reason = "the migrations say what tables and columns are")]
pub mod schema;
pub mod types;

pub use stored_content as content;

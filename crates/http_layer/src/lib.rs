//! What every part of the server that speaks HTTP is given, and how it answers: the dependencies, the errors on the
//! wire, the id of a request, the address that it comes from, HTTP Basic, and the headers of answers.

pub mod answer_headers;
pub mod basic;
pub mod client_address;
pub mod deps;
pub mod list_headers;
pub mod problem;
pub mod public_text;
pub mod request_id;

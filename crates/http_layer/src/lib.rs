//! Shared HTTP code of the API and the pages: the dependencies, error responses, request ids,
//! client addresses, HTTP Basic and response headers.

pub mod answer_headers;
pub mod basic;
pub mod bearer;
pub mod client_address;
pub mod deps;
pub mod list_headers;
pub mod problem;
pub mod public_text;
pub mod request_id;

//! The foundation of every part of the server that speaks HTTP: dependencies, errors, request ids,
//! client addresses and response headers.

pub mod answer_headers;
pub mod client_address;
pub mod deps;
pub mod list_headers;
pub mod problem;
pub mod public_text;
pub mod request_id;

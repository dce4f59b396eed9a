//! Uploading files (`service.md` 4.6).

mod decode;
pub mod upload;

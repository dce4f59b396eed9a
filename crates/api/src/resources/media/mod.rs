//! Uploading files (`docs/contract.md#upload-media`).

mod decode;
pub mod upload;

//! Inputs of operations: bodies and query strings, received and decoded.

mod body;
mod decode;

pub use body::{InputBody, receive};
pub use decode::{Shape, input, json as read_object};

use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The input of an operation. Every type that Serde can deserialize is held in memory as a whole.
/// Only an upload has its own decoder, because it may be too large for that.
pub trait Input: JsonSchema + Default {
    /// The input as a caller writes it, for the examples of the reference. It is the same type,
    /// unless the input has its own decoder.
    type Sample: Serialize;
    /// Maximum number of bytes in the body.
    const MAX_BODY_BYTES: usize = 1024 * 1024;
    /// Whether the body is written to the disk while it arrives.
    const BUFFERED_ON_DISK: bool = false;

    /// Decodes the input, and finds the violations of its form.
    fn read(
        deps: &ServerDeps,
        body: InputBody,
        shape: &Shape,
    ) -> impl Future<Output = Result<(Self, Violations), Problem>>;
}

impl<T: DeserializeOwned + Serialize + JsonSchema + Default> Input for T {
    type Sample = Self;

    async fn read(
        _deps: &ServerDeps,
        body: InputBody,
        shape: &Shape,
    ) -> Result<(Self, Violations), Problem> {
        input(&body, shape)
    }
}

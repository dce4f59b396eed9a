//! What an operation reads, and how: a body or a query, its size, type and encoding first.

mod body;
mod decode;

pub use body::{Body, receive};
pub use decode::{Shape, input};

use domain::violation::Violations;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use web_core::deps::Deps;
use web_core::problem::Problem;

/// What an operation reads. Whatever serde can read is read whole; only an upload has a way of its own,
/// because it may be too large for that.
pub trait Input: JsonSchema + Default {
    /// What a caller writes, for the examples of the reference: the same type, unless it is read in a way of its own.
    type Sample: Serialize;
    /// Maximum number of bytes in its body.
    const MAX_BODY_BYTES: usize = 1024 * 1024;
    /// Whether the body is kept on the disk while it comes in.
    const BUFFERED_ON_DISK: bool = false;

    /// Reads it, and finds what is wrong with how it is written.
    fn read(
        deps: &Deps,
        body: Body,
        shape: &Shape,
    ) -> impl Future<Output = Result<(Self, Violations), Problem>>;
}

impl<T: DeserializeOwned + Serialize + JsonSchema + Default> Input for T {
    type Sample = Self;

    async fn read(_deps: &Deps, body: Body, shape: &Shape) -> Result<(Self, Violations), Problem> {
        input(&body, shape)
    }
}

//! A request as a caller would make it, and what comes back.

/// A request as a caller would make it, and what comes back: shown in the reference, and sent by a test.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The parameters in its path.
    pub path: &'static [(&'static str, &'static str)],
    /// Its body, or the parameters of its query, as a JSON object; empty for none.
    pub input: &'static str,
    /// The body of its answer.
    pub reply: &'static str,
}

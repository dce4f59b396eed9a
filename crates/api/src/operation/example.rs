//! Requests as a caller would make them, and what comes back.

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

/// Another request of the same operation; its answer has the status of the first.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name for machines, unlike the others of the operation.
    pub name: &'static str,
    /// What it does, as a heading.
    pub title: &'static str,
    /// Its body, as a JSON object.
    pub input: &'static str,
}

//! Errors with their causes. Libraries often name the actual problem only at the end of the chain.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::{io, iter};

/// Joins an error and its causes into one sentence, outermost first. A cause that the text already
/// contains is left out.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in causes(error).skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            // Writing to a string does not fail.
            let _ = write!(text, ": {cause}");
        }
    }
    text
}

/// Returns the first error of this type in the chain.
#[must_use]
pub fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    causes(error).find_map(|cause| cause.downcast_ref::<T>())
}

/// Iterates over the error and its causes, including the inner error of an I/O error, which
/// `source` does not return, and the contents of a shared error.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error| {
        let error: &'a (dyn Error + 'static) = *error;
        if let Some(within) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            return Some(within);
        }
        match error.downcast_ref::<Arc<dyn Error + Send + Sync>>() {
            Some(shared) => Some(&**shared),
            None => error.source(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Sentence(&'static str, #[source] Box<dyn Error + Send + Sync>);

    #[test]
    fn each_cause_is_named_once() {
        let refused = io::Error::other(Sentence("the certificate is unknown", "issuer".into()));
        let repeated = Sentence("sending failed: the certificate is unknown", refused.into());
        let error = Sentence("the store failed", repeated.into());
        let said = "the store failed: sending failed: the certificate is unknown: issuer";
        assert_eq!(chain(&error), said);
        assert!(find::<io::Error>(&error).is_some());
    }
}

//! Errors with their causes. Libraries often name the actual problem only at the end of the chain.

use std::error::Error;
use std::fmt::Write as _;
use std::io::ErrorKind;
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

/// The beginning of the standard library's error for a name that cannot be resolved. The error has
/// no kind of its own.
const LOOKUP_FAILED: &str = "failed to lookup address information: ";

/// Returns the last cause of an error, because the earlier ones usually say only that sending
/// failed. Members and operators read the text, so frequent errors of the operating system are
/// replaced by plain sentences.
#[must_use]
pub fn cause_in_words(error: &(dyn Error + 'static)) -> String {
    if let Some(words) = find::<io::Error>(error).and_then(|it| in_words(it.kind())) {
        return words.to_owned();
    }
    let last = causes(error).last();
    let last = last.map_or_else(|| "it did not answer".to_owned(), ToString::to_string);
    match last.strip_prefix(LOOKUP_FAILED) {
        Some(detail) => format!("the name of the host cannot be found ({detail})"),
        None => last,
    }
}

const fn in_words(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::ConnectionRefused => {
            Some("nothing listens on that host and port (connection refused)")
        }
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            Some("the connection was closed before there was an answer")
        }
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            Some("there is no network route to that host")
        }
        ErrorKind::TimedOut => Some("no connection could be made in time"),
        _ => None,
    }
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

    #[test]
    fn what_members_read_often_is_said_in_words() {
        let kind = |kind| cause_in_words(&io::Error::from(kind));
        let refused = "nothing listens on that host and port (connection refused)";
        assert_eq!(kind(ErrorKind::ConnectionRefused), refused);
        assert_eq!(cause_in_words(&io::Error::from_raw_os_error(111)), refused);
        assert_eq!(
            cause_in_words(&io::Error::other("invalid peer certificate")),
            "invalid peer certificate"
        );
        let unknown = "failed to lookup address information: Name or service not known";
        assert_eq!(
            cause_in_words(&io::Error::other(unknown)),
            "the name of the host cannot be found (Name or service not known)"
        );
    }
}
